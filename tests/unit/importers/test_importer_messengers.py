"""Exports of messengers: Slack and WhatsApp."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import items, passed_over

from simonides.importers.run import read
from simonides.importers.whatsapp import moment, order_of
from simonides.model.item import Item, Role

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


# ── WhatsApp ──────────────────────────────────────────────────────────────────────────────────

ANDROID = """\
12/03/2026, 14:05 - Messages and calls are end-to-end encrypted.
12/03/2026, 14:05 - Mira Holm: The crane is back
and greased: all of it

13/03/2026, 08:00 - Jon: <Media omitted>
13/03/2026, 08:01 - Jon: IMG-1.jpg (file attached)
from the slip
13/03/2026, 08:02 - ~ Ann: Which one? At 10: the big one
"""
IPHONE = (
    "[12.03.26, 14:05:33] Yard: \u200eMessages and calls are end-to-end encrypted.\n"
    "[12.03.26, 14:05:34] Mira Holm: The crane is back\n"
    "\u200e[12.03.26, 14:06:00] Jon: \u200eimage omitted\n"
    "\u200e[12.03.26, 14:06:10] Jon: \u200e<attached: 00000012-PHOTO.jpg>\n"
    "[12.03.26, 14:07:00] Jon: Greased \u200e<This message was edited>\n"
)


def test_a_chat_of_android_is_read(tmp_path: Path) -> None:
    crane, picture, question = items(tmp_path, ANDROID, name="WhatsApp Chat with Yard.txt")

    assert crane.content == "The crane is back\nand greased: all of it"
    assert (crane.source, crane.title, crane.session) == ("whatsapp", "Yard", "whatsapp/Yard")
    assert crane.people[0].name == "Mira Holm"
    assert crane.happened_at == datetime(2026, 3, 12, 14, 5, tzinfo=UTC)
    assert crane.metadata == {"_time_zone": "assumed UTC"}
    assert picture.content == "from the slip"
    assert picture.metadata["attachments"] == [{"name": "IMG-1.jpg"}]
    assert (question.people[0].name, question.content) == ("Ann", "Which one? At 10: the big one")
    assert [one.position for one in (crane, picture, question)] == [0, 1, 2]


def test_a_chat_of_an_iphone_is_read(tmp_path: Path) -> None:
    crane, picture, greased = items(tmp_path, IPHONE, name="_chat.txt")

    assert (crane.content, crane.session) == ("The crane is back", "_chat.txt")
    assert picture.content == "00000012-PHOTO.jpg"
    assert (greased.content, greased.metadata["edited"]) == ("Greased", True)
    assert greased.happened_at == datetime(2026, 3, 12, 14, 7, tzinfo=UTC)


def test_the_archive_of_an_iphone_names_the_chat(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat - Yard.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_chat.txt", IPHONE)

    assert {one.title for one in kept(list(read(path)))} == {"Yard"}


def test_a_chat_that_grows_keeps_its_ids_and_equal_messages_are_two(tmp_path: Path) -> None:
    more = ANDROID + "13/03/2026, 08:02 - ~ Ann: Which one? At 10: the big one\n"
    before = items(tmp_path, ANDROID, name="WhatsApp Chat with Yard.txt")
    after = items(tmp_path, more, name="WhatsApp Chat with Yard.txt")

    assert [one.id for one in after[:3]] == [one.id for one in before]
    assert len({one.id for one in after}) == 4


@pytest.mark.parametrize(
    ("stamps", "order"),
    [
        (["12/03/2026, 14:05", "13/03/2026, 14:05"], "day"),
        (["3/12/26, 2:05 PM", "3/13/26, 2:05 PM"], "month"),
        (["2/3/26, 10:00", "3/3/26, 10:00", "1/4/26, 10:00"], "day"),
        (["2/3/26, 10:00", "3/1/26, 10:00", "3/4/26, 10:00"], "month"),
        (["3/4/26, 2:05 PM"], "month"),
        (["3/4/26, 2:05 pm"], "day"),
        (["3.4.26, 14:05"], "day"),
        (["2026/03/04, 14:05"], "year"),
        (["2026-03-04, 14:05"], "year"),
        (["26-03-20, 14:05", "26-03-21, 14:05", "26-04-01, 14:05"], "year"),
        ([], "day"),
    ],
)
def test_the_order_of_dates_is_taken_from_the_file(stamps: list[str], order: str) -> None:
    assert order_of(stamps) == order


@pytest.mark.parametrize(
    ("stamp", "order", "text"),
    [
        ("3/4/26, 12:05 AM", "month", "2026-03-04T00:05"),
        ("3/4/26, 12:05\u202fPM", "month", "2026-03-04T12:05"),
        ("4/3/26 2:05 p. m.", "day", "2026-03-04T14:05"),
        ("4.3.2026, 14.05.09", "day", "2026-03-04T14:05:09"),
        ("2026/03/04 午後2:05", "year", "2026-03-04T14:05"),
        ("04.03.26 um 14:05", "day", "2026-03-04T14:05"),
        ("31/2/26, 14:05", "day", None),
        ("4/3/26, 25:05", "day", None),
        ("4/3/26", "day", None),
    ],
)
def test_dates_are_read_as_phones_write_them(stamp: str, order: str, text: str | None) -> None:
    when = moment(stamp, order)

    assert when == (None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC))


def test_a_message_with_a_date_that_is_none_is_reported(tmp_path: Path) -> None:
    broken = ANDROID + "99/99/2026, 08:02 - Jon: lost\n"

    assert passed_over(tmp_path, broken, name="a.txt") == [
        ("line 9", "date: is none: '99/99/2026, 08:02'")
    ]


def test_a_chat_of_system_lines_only_says_so(tmp_path: Path) -> None:
    content = ANDROID.partition("\n")[0]

    assert passed_over(tmp_path, content, name="a.txt") == [("a.txt", "holds no messages")]
