"""Chats of Messenger, Instagram and Google Chat, as Meta and Google hand them out."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import items, skip
from tests.unit.importers.test_importer_messengers import kept

from simonides.importers.run import read
from simonides.model.item import Item

AT_MS = 1_772_700_000_000


def said(text: str, name: str = "Zoë Holm", at_ms: int = AT_MS, **more: Any) -> dict[str, Any]:
    """Return a message as Meta writes it: UTF-8 as if it were Latin-1."""
    return {"sender_name": garble(name), "timestamp_ms": at_ms, "content": garble(text), **more}


def garble(text: str) -> str:
    return text.encode().decode("latin-1")


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    people = [{"name": garble(one)} for one in ("Zoë Holm", "Jon Vik")]
    path = {"title": garble("Zoë Holm"), "thread_path": "inbox/zoeholm_77"}
    return {"participants": people, "messages": list(messages), **path, **more}


# ── Messenger and Instagram ───────────────────────────────────────────────────────────────────


def test_messages_of_messenger_have_names_times_and_their_own_letters(tmp_path: Path) -> None:
    later = said("Gern 🙂 — um acht", "Jon Vik", AT_MS + 60_000)
    first, second = items(tmp_path, chat(later, said("Café am Samstag?")))

    assert (first.content, second.content) == ("Café am Samstag?", "Gern 🙂 — um acht")
    assert [one.author and one.author.name for one in (first, second)] == ["Zoë Holm", "Jon Vik"]
    assert (first.source, first.session, first.title) == (
        "messenger", "messenger/zoeholm_77", "Zoë Holm",
    )  # fmt: skip
    assert first.happened_at == datetime(2026, 3, 5, 8, 40, tzinfo=UTC)
    assert (first.position, second.position) == (0, 1)


def test_a_message_keeps_its_id_in_a_later_and_longer_export(tmp_path: Path) -> None:
    [before] = items(tmp_path, chat(said("Soup?")))
    later = items(tmp_path, chat(said("Yes", at_ms=AT_MS + 1), said("Soup?"), said("Soup?")))

    assert [one.content for one in later] == ["Soup?", "Soup?", "Yes"]
    assert later[0].source_id == before.source_id
    assert len({one.source_id for one in later}) == 3


def test_an_encrypted_chat_is_named_by_its_thread(tmp_path: Path) -> None:
    message = {"senderName": "Zoë Holm", "timestamp": AT_MS, "text": "Café?", "type": "text"}
    unsent = {**message, "isUnsent": True, "text": "gone"}
    content = {"participants": ["Zoë Holm", "Jon Vik"], "threadName": "Zoë Holm_3"}
    [found] = items(tmp_path, {**content, "messages": [unsent, message]})

    assert (found.content, found.title) == ("Café?", "Zoë Holm")
    assert found.session == "messenger/Zoë Holm_3"


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ({"photos": [{"uri": "inbox/zoe/photos/boat.jpg"}]}, "boat.jpg"),
        ({"content": "Look", "share": {"link": "https://x.example/a"}}, "Look\nhttps://x.example/a"),
        ({"content": "See https://x.example/a", "share": {"link": "https://x.example/a"}},
         "See https://x.example/a"),
    ],
)  # fmt: skip
def test_files_and_links_of_messages(tmp_path: Path, message: dict[str, Any], content: str) -> None:
    spoken = {"sender_name": "Jon Vik", "timestamp_ms": AT_MS, **message}

    assert [one.content for one in items(tmp_path, chat(spoken))] == [content]


@pytest.mark.parametrize(
    "message",
    [
        said("Zoë called you.", call_duration=12),
        said("Reacted ❤ to your message "),
        said("no longer", is_unsent=True),
        said(""),
    ],
)
def test_what_nobody_wrote_is_left_out(tmp_path: Path, message: dict[str, Any]) -> None:
    assert [one.content for one in items(tmp_path, chat(message, said("Soup?")))] == ["Soup?"]


def test_the_folder_says_that_it_is_instagram(tmp_path: Path) -> None:
    folder = tmp_path / "instagram-zoe" / "inbox" / "jon_1"
    folder.mkdir(parents=True)
    (folder / "message_1.json").write_text(json.dumps(chat(said("Hi"))))

    [found] = kept(list(read(tmp_path / "instagram-zoe")))
    assert (found.source, found.session) == ("instagram", "instagram/zoeholm_77")


# ── Google Chat ───────────────────────────────────────────────────────────────────────────────


def written(text: str = "The crane is back", **more: Any) -> dict[str, Any]:
    """Return a message of Google Chat."""
    return {
        "creator": {"name": "Mira Holm", "email": "mira@yard.example", "user_type": "Human"},
        "created_date": "Tuesday, March 10, 2026 at 10:12:33\u202fAM UTC",
        "text": text,
        "topic_id": "t1",
        "message_id": f"yard/t1/{text}",
        **more,
    }


def groups(folder: Path, *messages: dict[str, Any], name: str = "Yard") -> list[Item]:
    """Return the items of a group, beside which nothing is passed over but its list of members."""
    root = folder / "Groups" / "Space AAA"
    root.mkdir(parents=True)
    members = [{"name": "Mira Holm", "email": "mira@yard.example"}, {"name": "Jon Vik"}]
    info = {"name": name, "members": [{**one, "email": "a@x.example"} for one in members]}
    (root / "group_info.json").write_text(json.dumps(info))
    (root / "messages.json").write_text(json.dumps({"messages": messages}))
    events = list(read(folder / "Groups"))
    reasons = [one.skipped.reason for one in events if one.skipped]
    assert [one for one in reasons if "used in its messages" not in one] == []
    return kept(events)


def test_messages_of_google_chat_have_people_with_addresses(tmp_path: Path) -> None:
    [found] = groups(tmp_path, written())

    assert found.author is not None
    assert (found.author.name, found.author.address) == ("Mira Holm", "mira@yard.example")
    assert (found.source, found.session, found.title) == (
        "google-chat", "google-chat/Space AAA", "Yard",
    )  # fmt: skip
    assert found.happened_at == datetime(2026, 3, 10, 10, 12, 33, tzinfo=UTC)


@pytest.mark.parametrize(
    "shown",
    [
        "Dienstag, 10. März 2026 um 10:12:33 UTC",
        "mardi 10 mars 2026 à 11:12:33 CET",
        "terça-feira, 10 de março de 2026 às 10:12:33 UTC",
        "martes, 10 de marzo de 2026, 10:12:33 UTC",
        "dinsdag 10 maart 2026 om 10:12:33 UTC",
        "martedì 10 marzo 2026 alle ore 10:12:33 UTC",
        "Tuesday, 10 March 2026 at 05:12:33 GMT-5",
    ],
)
def test_times_of_takeout_in_the_language_of_the_account(tmp_path: Path, shown: str) -> None:
    [found] = groups(tmp_path, written(created_date=shown))

    assert found.happened_at == datetime(2026, 3, 10, 10, 12, 33, tzinfo=UTC)


def test_a_talk_without_a_name_has_those_of_its_members(tmp_path: Path) -> None:
    files = {"attached_files": [{"original_name": "plan.pdf"}]}
    gone = written("gone", message_state="DELETED")
    [found] = groups(tmp_path, written("", **files), gone, name="")

    assert (found.content, found.title) == ("plan.pdf", "Mira Holm, Jon Vik")


def test_a_message_of_google_chat_without_a_time_is_reported(tmp_path: Path) -> None:
    [(_, reason)] = skip(tmp_path, {"messages": [written(created_date="soon")]})

    assert "without a time: 'soon'" in reason
