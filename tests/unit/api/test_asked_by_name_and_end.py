"""The thing named by its identifier first, what somebody wrote last, the next ones in order."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from simonides import Item, Kind, Memory, Person, Settings
from simonides_bench.testing.hashing import HashingEmbedder

OpenMemory = Callable[..., Memory]
NOW = datetime(2026, 6, 30, 9, tzinfo=UTC)
"""A Tuesday."""


def task(key: str, title: str, content: str = "") -> Item:
    return Item(
        kind=Kind.TASK, source="jira", source_id=key, title=title, content=content,
        metadata={"key": key, "status": "To Do"}, happened_at="2026-06-01T09:00:00Z",
    )  # fmt: skip


@pytest.fixture
def desk(open_memory: OpenMemory) -> Memory:
    memory = open_memory(embedder=HashingEmbedder(64), settings=Settings(timezone="UTC"))
    memory.add(
        [
            task("LANT-8", "Repair the lantern"),
            task("LANT-12", "Paint the lantern", "After LANT-8, see LANT-8 and again LANT-8."),
            Item(kind=Kind.TASK, source="jira", source_id="LANT-8/comment/1", session="LANT-8",
                 content="LANT-8: the status of LANT-8 is that LANT-8 waits.",
                 people=[Person(name="Priya Nair")], happened_at="2026-06-05T09:00:00Z"),
            Item(kind=Kind.EMAIL, source="mail", title="LANT-8", content="On LANT-8 and LANT-12.",
                 people=[Person(name="Tom Ashworth")], happened_at="2026-06-07T09:00:00Z"),
        ]
    )  # fmt: skip
    for day, text in (("01", "I write that the writing is on the wall."), ("20", "Done."),
                      ("10", "Half of it.")):  # fmt: skip
        memory.add(text, kind="message", session="s", people=["Tom Ashworth"],
                   happened_at=f"2026-06-{day}T09:00:00Z")  # fmt: skip
    return memory


@pytest.mark.parametrize(
    "question",
    ["LANT-8", "lant-8", "lant8", "LANT 8", "status of LANT-8", "What is the status of LANT-8?",
     "when is LANT-8 due?", "Wie ist der Stand von LANT-8?"],
)  # fmt: skip
def test_the_task_that_is_named_stands_above_what_is_said_about_it(
    desk: Memory, question: str
) -> None:
    found = desk.search(question, now=NOW)
    first, second, *_ = found

    assert first.item.source_id == "LANT-8"
    assert first.score > second.score
    assert found.nothing == ""


def test_what_somebody_said_about_a_task_is_not_the_task(desk: Memory) -> None:
    assert (
        desk.search("what did Priya say about LANT-8?", now=NOW).hits[0].text.startswith("LANT-8:")
    )


@pytest.mark.parametrize(
    "question",
    ["What did Tom write last?", "Was hat Tom zuletzt geschrieben?", "latest from Tom",
     "what was the last thing Tom said", "Qu'est-ce que Tom a écrit en dernier ?"],
)  # fmt: skip
def test_what_somebody_wrote_last_is_first_and_the_rest_follows_in_order(
    desk: Memory, question: str
) -> None:
    hits = [hit for hit in desk.search(question, now=NOW) if hit.item.author]
    days = [hit.item.happened_at.day for hit in hits if hit.item.happened_at][:4]

    assert days == [20, 10, 7, 1]


@pytest.fixture
def calendar(open_memory: OpenMemory, tmp_path_factory: pytest.TempPathFactory) -> Memory:
    path = tmp_path_factory.mktemp("calendar") / "own.ics"
    events = [
        ("run", "20260106T184500Z", "RRULE:FREQ=WEEKLY\r\n", "Club run"),
        ("rent", "20260101T080000Z", "RRULE:FREQ=MONTHLY\r\n", "Rent"),
        ("mot", "20260722T081500Z", "", "Car inspection"),
        ("past", "20260512T082000Z", "", "Dentist"),
    ]
    body = "".join(
        f"BEGIN:VEVENT\r\nUID:{uid}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:{at}\r\n"
        f"DURATION:PT1H\r\n{rule}SUMMARY:{title}\r\nEND:VEVENT\r\n"
        for uid, at, rule, title in events
    )
    path.write_text(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{body}END:VCALENDAR\r\n")
    memory = open_memory(embedder=HashingEmbedder(64), settings=Settings(timezone="UTC"))
    memory.import_(path)
    return memory


@pytest.mark.parametrize(
    "question",
    ["next three appointments", "my next three appointments", "the next 3 events",
     "die nächsten drei Termine", "mes trois prochains rendez-vous"],
)  # fmt: skip
def test_the_next_ones_stand_in_the_order_in_which_they_take_place(
    calendar: Memory, question: str
) -> None:
    hits = calendar.search(question, now=NOW).hits[:3]

    assert [hit.title for hit in hits] == ["Club run", "Rent", "Car inspection"]
    assert [hit.takes_place_at for hit in hits] == [
        datetime(2026, 6, 30, 18, 45, tzinfo=UTC), datetime(2026, 7, 1, 8, tzinfo=UTC), None,
    ]  # fmt: skip


@pytest.mark.parametrize("question", ["when is the next club run?", "next rent"])
def test_the_next_one_of_a_series_is_dated_without_a_word_for_events(
    calendar: Memory, question: str
) -> None:
    hit = calendar.search(question, now=NOW).hits[0]

    assert hit.takes_place_at in {
        datetime(2026, 6, 30, 18, 45, tzinfo=UTC), datetime(2026, 7, 1, 8, tzinfo=UTC)
    }  # fmt: skip
    assert hit.title.casefold() in question


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("what do I have tomorrow?", "Rent"), ("Was habe ich morgen?", "Rent"),
        ("¿qué tengo mañana?", "Rent"), ("what do I have today", "Club run"),
        ("what am I doing on 22 July?", "Car inspection"),
    ],
)  # fmt: skip
def test_what_one_has_on_a_day_ahead_is_what_takes_place_on_it(
    calendar: Memory, question: str, title: str
) -> None:
    found = calendar.search(question, now=NOW)

    assert found.hits[0].title == title
    assert found.nothing == ""


def test_a_brief_says_when_an_event_of_a_series_takes_place(calendar: Memory) -> None:
    brief = calendar.brief("what do I have tomorrow?", now=NOW, keep_receipt=True)

    assert "takes place Wed 1 Jul" in brief.text
    assert calendar.replay(brief.receipt).text == brief.text


def test_what_was_done_today_is_no_agenda(calendar: Memory) -> None:
    assert (
        "nothing from 30 June (today)" in calendar.search("what did I do today?", now=NOW).nothing
    )
