"""Exports of messengers: Slack, Telegram, Discord and Signal."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import items, skip

from simonides.importers import json_parts
from simonides.importers.run import read
from simonides.model.item import Item, Role
from simonides_formats.chats import json_scopes

# ── Slack ─────────────────────────────────────────────────────────────────────────────────────

USERS = [
    {"id": "U0000001", "name": "mira", "profile": {"real_name": "Mira Holm"}},
    {"id": "U0000002", "name": "jon", "real_name": "Jon Vik", "profile": {}},
]
CHANNELS = [{"id": "C0000001", "name": "yard", "members": ["U0000001", "U0000002"]}]
DMS = [{"id": "D0000001", "members": ["U0000001", "U0000002"]}]


def line(text: str, user: str = "U0000001", ts: str = "1767225600.000100", **more: Any) -> Any:
    """Return a message of Slack."""
    return {"type": "message", "user": user, "text": text, "ts": ts, **more}


def slack(folder: Path, *messages: Any, channel: str = "yard", **lists: Any) -> list[Any]:
    """Return the events of a workspace with one day of one channel."""
    root = folder / "workspace"
    (root / channel).mkdir(parents=True)
    known = {"users": USERS, "channels": CHANNELS, "dms": DMS, **lists}
    for name, listed in known.items():
        (root / f"{name}.json").write_text(json.dumps(listed))
    (root / channel / "2026-01-01.json").write_text(json.dumps(messages))
    return list(read(root))


def kept(events: list[Any]) -> list[Item]:
    return [one.item for one in events if one.item]


def test_messages_of_slack_have_names_channels_and_times(tmp_path: Path) -> None:
    [found] = kept(slack(tmp_path, line("Crane <@U0000002> is back &amp; greased")))

    assert found.content == "Crane @Jon Vik is back & greased"
    assert [(one.name, one.role) for one in found.people] == [
        ("Mira Holm", Role.AUTHOR), ("Jon Vik", Role.MENTIONED),
    ]  # fmt: skip
    assert (found.source, found.source_id) == ("slack", "C0000001/1767225600.000100")
    assert (found.session, found.title) == ("C0000001", "#yard")
    assert found.happened_at == datetime(2026, 1, 1, 0, 0, 0, 100, tzinfo=UTC)


def test_a_list_beside_the_channels_is_reported_as_such(tmp_path: Path) -> None:
    reasons = {one.skipped.reason for one in slack(tmp_path, line("x")) if one.skipped}

    assert reasons == {"a list of Slack, whose names are used in its messages"}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<https://x.example/a|the plan> now", "the plan (https://x.example/a) now"),
        ("<https://x.example>", "https://x.example"),
        ("<http://x.example|x.example>", "http://x.example"),
        ("<mailto:a@x.example|a@x.example>", "a@x.example"),
        ("<#C0000001|old> and <#C9>", "#yard and #C9"),
        ("<!here> <!subteam^S1|@crew> <!date^1^{date}|March 4>", "@here @crew March 4"),
        ("<@U0000009|ann> <@U0000008>", "@ann @U0000008"),
        ("a < b > c &lt;tag&gt;", "a < b > c <tag>"),
    ],
)
def test_marks_of_slack_become_words(tmp_path: Path, text: str, plain: str) -> None:
    [found] = kept(slack(tmp_path, line(text)))

    assert found.content == plain


def test_a_thread_is_a_session_of_its_own(tmp_path: Path) -> None:
    root = line("Who?", thread_ts="1767225600.000100")
    answer = line("Me", ts="1767225700.000100", thread_ts="1767225600.000100")
    found = kept(slack(tmp_path, root, answer, line("else", ts="1767225800.000100")))

    assert [one.session for one in found] == [
        "C0000001/1767225600.000100", "C0000001/1767225600.000100", "C0000001",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "subtype", ["channel_join", "channel_leave", "channel_topic", "group_join", "pinned_item",
                "channel_convert_to_private", "tombstone", "bot_add"],
)  # fmt: skip
def test_what_slack_says_itself_is_left_out(tmp_path: Path, subtype: str) -> None:
    assert texts(slack(tmp_path, line("joined", subtype=subtype), line("kept"))) == ["kept"]


def texts(events: list[Any]) -> list[str]:
    return [one.content for one in kept(events)]


def test_files_reactions_edits_bots_and_cards_are_kept(tmp_path: Path) -> None:
    first = line(
        "see",
        files=[{"name": "plan.pdf", "mimetype": "application/pdf", "size": 7}],
        reactions=[{"name": "anchor", "users": ["U0000002"], "count": 1}],
        edited={"user": "U0000001", "ts": "1767225660.000000"},
    )
    card = {"title": "Gale", "text": "Force 9", "fallback": "Gale: 9"}
    bot = line("", user="", ts="2.5", subtype="bot_message", username="Weather", attachments=[card])
    only_file = line("", ts="1767225900.000000", files=[{"name": "hull.png"}])
    edited, weather, picture = kept(slack(tmp_path, first, bot, only_file))

    assert edited.metadata == {
        "channel": "#yard",
        "attachments": [{"name": "plan.pdf", "media_type": "application/pdf", "size_bytes": 7}],
        "reactions": ["anchor"],
        "edited_at": "2026-01-01T00:01:00+00:00",
    }
    assert (weather.content, weather.people[0].name) == ("Gale\nForce 9", "Weather")
    assert picture.content == "hull.png"


def test_a_talk_of_two_is_called_by_its_members(tmp_path: Path) -> None:
    [found] = kept(slack(tmp_path, line("hi"), channel="D0000001"))

    assert (found.title, found.session) == ("Mira Holm, Jon Vik", "D0000001")


def test_without_its_lists_a_channel_is_called_by_its_folder(tmp_path: Path) -> None:
    [found] = kept(slack(tmp_path, line("hi"), users=[], channels="damaged", dms=None))

    assert (found.title, found.session, found.people[0].name) == ("#yard", "yard", "U0000001")


def test_an_export_of_slack_is_read_from_its_zip(tmp_path: Path) -> None:
    path = tmp_path / "workspace.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("channels.json", json.dumps(CHANNELS))
        archive.writestr("users.json", json.dumps(USERS))
        archive.writestr("yard/2026-01-01.json", json.dumps([line("<@U0000002> hi")]))
    [found] = kept(list(read(path)))

    assert (found.content, found.session) == ("@Jon Vik hi", "C0000001")


# ── Telegram ──────────────────────────────────────────────────────────────────────────────────


def sent(key: int = 1, text: Any = "The crane is back", **more: Any) -> dict[str, Any]:
    """Return a message of Telegram."""
    known = {"id": key, "type": "message", "date": "2026-03-04T11:00:00"}
    return {**known, "date_unixtime": "1772618400", "from": "Mira Holm", "text": text, **more}


def telegram(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Return one chat of Telegram."""
    return {"name": "Yard", "type": "private_group", "id": 77, **fields, "messages": [*messages]}


def test_a_chat_of_telegram_is_read(tmp_path: Path) -> None:
    answer = sent(
        2, "ok", reply_to_message_id=1, forwarded_from="Jon", edited_unixtime="1772618460"
    )
    first, second = items(tmp_path, telegram(sent(), answer), name="result.json")

    assert (first.source, first.source_id, first.session) == ("telegram", "77/1", "telegram/77")
    assert (first.title, first.people[0].name, first.position) == ("Yard", "Mira Holm", 0)
    assert first.happened_at == datetime(2026, 3, 4, 10, tzinfo=UTC)
    assert first.metadata == {}
    assert second.metadata == {
        "forwarded_from": "Jon",
        "edited_at": "2026-03-04T10:01:00+00:00",
        "_reply_to": "77/1",
    }
    assert second.position == 1


@pytest.mark.parametrize(
    ("text", "more", "content"),
    [
        (["see ", {"type": "link", "text": "x.example"}, "\nnow"], {}, "see x.example\nnow"),
        (
            [{"type": "text_link", "text": "plan", "href": "https://x.example"}], {},
            "plan (https://x.example)",
        ),
        ("old", {"text_entities": [{"type": "plain", "text": "new"}]}, "new"),
        ("", {"file": "files/plan.pdf", "mime_type": "application/pdf"}, "plan.pdf"),
        ("", {"photo": "photos/a.jpg"}, "a.jpg"),
        ("look", {"file": "(File not included. Change data exporting settings.)"}, "look"),
        ("", {"poll": {"question": "When?", "answers": [{"text": "Now"}, {"text": "Later"}]}},
         "When?\n- Now\n- Later"),
        (
            "", {"contact_information": {
                "first_name": "Zed", "last_name": "Plumber", "phone_number": "+1 555 0100"}},
            "Contact: Zed Plumber, +1 555 0100",
        ),
        ("", {"location_information": {"latitude": 41.8, "longitude": -87.6}},
         "Location: 41.8, -87.6"),
        ("", {"location_information": {"latitude": 0, "longitude": 9.5}, "place_name": "The slip"},
         "The slip"),
        ("", {"location_information": {"latitude": 0, "longitude": 9}}, "Location: 0, 9"),
    ],
)  # fmt: skip
def test_every_text_of_telegram_is_words(
    tmp_path: Path, text: Any, more: dict[str, Any], content: str
) -> None:
    [found] = items(tmp_path, telegram(sent(1, text, **more)))

    assert found.content == content


def test_a_whole_account_of_telegram_keeps_its_chats_apart(tmp_path: Path) -> None:
    about = {"about": "Here is the data you requested from Telegram.", "personal_information": {}}
    chats = [telegram(sent()), telegram(sent(1, "hi"), name="Ann", id=78, type="personal_chat")]
    saved = {"type": "saved_messages", "id": 79, "messages": [sent(9, "note")]}
    content = {**about, "chats": {"about": "x", "list": [*chats, saved]}}
    found = items(tmp_path, content, name="result.json")

    assert [(one.title, one.session, one.content) for one in found] == [
        ("Yard", "telegram/77", "The crane is back"),
        ("Ann", "telegram/78", "hi"),
        ("Saved Messages", "telegram/79", "note"),
    ]


def test_services_are_left_out_and_local_times_said_so(tmp_path: Path) -> None:
    joined = {"id": 5, "type": "service", "action": "join_group_by_link", "text": ""}
    [found] = items(tmp_path, telegram(joined, sent(date_unixtime=None), "odd", 7))

    assert found.happened_at == datetime(2026, 3, 4, 11, tzinfo=UTC)
    assert found.metadata == {"_time_zone": "assumed UTC"}


def test_an_export_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    content = json.dumps(telegram(sent(), sent(2, "two")))[:-20]

    [(place, reason)] = skip(tmp_path, content)
    assert place == "after record 1"
    assert reason.startswith("JSON: is malformed")


def test_a_chat_that_begins_with_many_joins_is_read(tmp_path: Path) -> None:
    joined = {"id": 5, "type": "service", "action": "join_group_by_link", "text": ""}
    [found] = items(tmp_path, telegram(*[joined] * 200, sent()))

    assert found.content == "The crane is back"


@pytest.mark.parametrize("is_streamed", [True, False])
def test_chats_are_the_same_with_and_without_the_library_for_streams(
    tmp_path: Path, is_streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_streamed:
        monkeypatch.setattr(json_parts, "plugin_records", lambda *_, **__: {})
        monkeypatch.setattr(json_scopes, "IS_AVAILABLE", False)
    content = {"chats": {"list": [telegram(sent()), telegram(sent(2, "hi"), name="Ann", id=78)]}}
    chats = items(tmp_path, content, name="result.json")
    [post_] = items(tmp_path, discord(post()))

    assert [(one.title, one.source_id) for one in chats] == [("Yard", "77/1"), ("Ann", "78/2")]
    assert (post_.title, post_.metadata["server"]) == ("#yard", "Boats")


# ── Discord ───────────────────────────────────────────────────────────────────────────────────


def discord(*messages: Any, kind: str = "GuildTextChat") -> dict[str, Any]:
    """Return one channel of Discord."""
    channel = {"id": "9", "type": kind, "category": "Work", "name": "yard", "topic": None}
    guild = {"id": "1", "name": "Boats"}
    return {"guild": guild, "channel": channel, "dateRange": {}, "messages": list(messages)}


def post(content: str = "The crane is back", **more: Any) -> dict[str, Any]:
    """Return a message of Discord."""
    author = {"id": "5", "name": "mira#1", "nickname": "Mira Holm"}
    known = {"id": "100", "type": "Default", "timestamp": "2026-03-04T11:00:00.5+01:00"}
    return {**known, "content": content, "author": author, **more}


def test_a_channel_of_discord_is_read(tmp_path: Path) -> None:
    card = {"title": "Gale", "description": "Force 9", "fields": [{"name": "Sea", "value": "high"}]}
    [found] = items(
        tmp_path,
        discord(
            post(
                attachments=[{"id": "1", "fileName": "hull.png", "fileSizeBytes": 5}],
                embeds=[card],
                mentions=[{"id": "6", "name": "jon"}],
                reference={"messageId": "99"},
                timestampEdited="2026-03-04T10:02:00+00:00",
            )
        ),
    )

    assert found.content == "The crane is back\n\nGale\nForce 9\nSea: high"
    assert (found.source, found.source_id, found.session) == ("discord", "100", "9")
    assert found.title == "#yard"
    assert [one.name for one in found.people] == ["Mira Holm", "jon"]
    assert found.happened_at == datetime(2026, 3, 4, 10, 0, 0, 500000, tzinfo=UTC)
    assert found.metadata == {
        "channel": "#yard",
        "server": "Boats",
        "attachments": [{"name": "hull.png", "size_bytes": 5}],
        "edited_at": "2026-03-04T10:02:00+00:00",
        "_reply_to": "99",
    }


def test_joins_calls_and_pins_of_discord_are_left_out(tmp_path: Path) -> None:
    said = [post(type=one) for one in ("GuildMemberJoin", "Call", "ChannelPinnedMessage")]
    [found] = items(tmp_path, discord(*said, post(type="Reply"), kind="DirectTextChat"))

    assert (found.title, found.metadata) == ("yard", {})


# ── Signal ────────────────────────────────────────────────────────────────────────────────────

SIGNAL = """\
[2026-03-04 10:00:00] Me: The crane is back
and greased
(- Jon: 👍, Ann: ⚓ -)
[2026-03-04, 10:01] Jon Vik:
> The crane is back

Good ![hull.png](./media/hull.png)  
[2026-03-04 10:02:00] Jon Vik: (This message was deleted)
[2026-03-04 10:03:00] Me: [plan](./media/plan.pdf)  
"""  # noqa: W291


def test_a_chat_of_signal_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "signal" / "Jon Vik"
    folder.mkdir(parents=True)
    (folder / "chat.md").write_text(SIGNAL)
    page = "<html><link rel=stylesheet href='../style.css'><span class=sender>Jon</span></html>"
    (folder / "index.html").write_text(page)
    events = list(read(tmp_path / "signal"))
    crane, good, plan = kept(events)

    assert (crane.content, crane.people[0].name) == ("The crane is back\nand greased", "Me")
    assert (crane.source, crane.title, crane.session) == ("signal", "Jon Vik", "signal/Jon Vik")
    assert crane.metadata == {"reactions": ["Jon: 👍", "Ann: ⚓"], "_time_zone": "assumed UTC"}
    assert good.content == "Good"
    assert good.metadata["_quotes"] == "The crane is back"
    assert good.metadata["attachments"] == [{"name": "hull.png"}]
    assert (plan.content, plan.position) == ("plan", 2)
    assert len([one for one in events if one.skipped]) == 1
