"""What a mailed invitation or cancellation may change of an event that is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from simonides import Item, Memory, Settings
from simonides.model.item import short_hash

SARAH, TOM = "sarah@x.example", "tom@evil.example"
REFUSED = f"an invitation by {TOM} for an event of {SARAH}"
START = "DTSTART:20260310T090000Z\nDTEND:20260310T100000Z"


def calendar(
    *, organizer: str = SARAH, at: str = START, day: int = 1, method: str = "", more: str = ""
) -> str:
    """Return a calendar with one event, in its state of the `day`th of March."""
    stamp = f"DTSTAMP:202603{day:02}T000000Z" if day else ""
    lines = [
        "BEGIN:VCALENDAR", f"METHOD:{method}" if method else "", "BEGIN:VEVENT",
        "UID:visit-1@x.example", stamp, at, "SUMMARY:Visit" if "SUMMARY" not in more else "",
        f"ORGANIZER:mailto:{organizer}" if organizer else "", more.replace("SUMMARY", ""),
        "END:VEVENT", "END:VCALENDAR",
    ]  # fmt: skip
    return "\n".join(filter(None, lines)) + "\n"


def mail(author: str, invitation: str, *, dated: bool = True) -> str:
    """Return a mail of `author` with an invitation."""
    date = "Date: Thu, 5 Mar 2026 09:00:00 +0000\n" if dated else ""
    return (
        f"From: {author}\nTo: mira@x.example\nSubject: Visit\n{date}"
        f"Message-ID: <{short_hash(author + invitation)}@x.example>\n"
        f"Content-Type: text/calendar; method=REQUEST\n\n{invitation}"
    )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "home", settings=settings) as memory:
        yield memory


def imported(memory: Memory, folder: Path, *texts: str, at_once: bool = False) -> list[str]:
    """Import the texts in their order; return the reasons of what was left out."""
    paths = []
    for number, text in enumerate(texts):
        suffix = "ics" if text.startswith("BEGIN") else "eml"
        paths.append(folder / f"{number}.{suffix}")
        paths[-1].write_text(text)
    runs = [paths] if at_once else [[one] for one in paths]
    return [one.reason for run in runs for one in memory.import_(*run).skipped]


def event(memory: Memory) -> Item:
    (found,) = memory.list(filter={"kinds": ["event"]}).items
    return found


MOVED = calendar(at="DTSTART:20260311T090000Z", day=4, method="REQUEST")


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    "forged",
    [
        MOVED,
        MOVED.replace(SARAH, TOM),
        calendar(day=4, method="CANCEL"),
        calendar(day=4, method="CANCEL", at=""),
        calendar(at="DTSTART:20260311T090000Z", day=0, organizer=""),
    ],
)
def test_a_stranger_changes_no_event(
    memory: Memory, tmp_path: Path, forged: str, *, at_once: bool
) -> None:
    texts = calendar(), mail(TOM, forged, dated=False)
    reasons = imported(memory, tmp_path, *texts, at_once=at_once)

    assert event(memory).metadata["starts_at"] == "2026-03-10T09:00:00+00:00"
    assert event(memory).metadata.get("status") is None
    assert len(memory.history(event(memory).id)) == 1
    assert len(memory.list(filter={"kinds": ["email"]}).items) == 1
    is_older = at_once and "DTSTAMP" not in forged
    assert reasons == ([] if is_older else [REFUSED])


@pytest.mark.parametrize("author", [SARAH, "Sarah <SARAH@X.example>"])
@pytest.mark.parametrize("at_once", [True, False])
def test_the_organizer_changes_the_event(
    memory: Memory, tmp_path: Path, author: str, *, at_once: bool
) -> None:
    reasons = imported(memory, tmp_path, calendar(), mail(author, MOVED), at_once=at_once)

    assert reasons == []
    assert event(memory).metadata["starts_at"] == "2026-03-11T09:00:00+00:00"


def test_who_sent_an_event_on_may_change_it(memory: Memory, tmp_path: Path) -> None:
    reasons = imported(memory, tmp_path, mail(TOM, calendar()), mail(TOM, MOVED))

    assert reasons == []
    assert event(memory).metadata["starts_at"] == "2026-03-11T09:00:00+00:00"


def test_a_mail_without_an_author_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    unsigned = mail(SARAH, MOVED).replace(f"From: {SARAH}\n", "")
    reasons = imported(memory, tmp_path, calendar(organizer=""), unsigned)

    assert reasons == ["an invitation by an unknown sender for an event of nobody else"]


@pytest.mark.parametrize("at_once", [True, False])
def test_the_calendar_itself_undoes_what_a_stranger_sent_before(
    memory: Memory, tmp_path: Path, *, at_once: bool
) -> None:
    forged = mail(TOM, MOVED.replace(SARAH, TOM))
    imported(memory, tmp_path, forged, calendar(), at_once=at_once)

    assert event(memory).metadata["starts_at"] == "2026-03-10T09:00:00+00:00"
    assert imported(memory, tmp_path, forged, calendar()) == [REFUSED]


def test_a_stranger_cancels_no_instance_of_a_series(memory: Memory, tmp_path: Path) -> None:
    instance = calendar(day=4, method="CANCEL", more="RECURRENCE-ID:20260317T090000Z")
    series = calendar(more="RRULE:FREQ=WEEKLY;COUNT=4")

    assert imported(memory, tmp_path, series, mail(TOM, instance)) == [REFUSED]
    assert event(memory).source_id == "visit-1@x.example"
    assert imported(memory, tmp_path, mail(SARAH, instance)) == []
    assert len(memory.list(filter={"kinds": ["event"]}).items) == 2


@pytest.mark.parametrize("at_once", [True, False])
def test_a_cancellation_without_times_keeps_those_before(
    memory: Memory, tmp_path: Path, *, at_once: bool
) -> None:
    invited, cancelled = (
        mail(SARAH, one)
        for one in (calendar(), calendar(day=4, method="CANCEL", at="", more="SUMMARY"))
    )
    assert imported(memory, tmp_path, invited, cancelled, at_once=at_once) == []
    found = event(memory)

    assert (found.title, found.metadata["status"]) == ("Visit", "cancelled")
    assert found.metadata["starts_at"] == "2026-03-10T09:00:00+00:00"
    assert found.happened_at is not None
    assert found.happened_at.isoformat() == "2026-03-10T09:00:00+00:00"
    assert found.content.startswith("Cancelled; it was to be on Tuesday 10 March 2026, 09:00")
    assert len(memory.history(found.id)) == 2
    assert imported(memory, tmp_path, invited, cancelled) == []
    assert len(memory.history(found.id)) == 2


SERIES = calendar(more="RRULE:FREQ=DAILY")
CHANGE = "RECURRENCE-ID{}:20260311T090000Z"


@pytest.mark.parametrize("organizer", [SARAH, TOM, ""])
@pytest.mark.parametrize("own", [SARAH, ""])
@pytest.mark.parametrize(
    "change",
    [
        ("REQUEST", CHANGE.format("")),
        ("CANCEL", CHANGE.format("")),
        ("CANCEL", CHANGE.format(";RANGE=THISANDFUTURE")),
    ],
)
def test_a_stranger_changes_no_instance_though_their_mail_came_first(
    memory: Memory, tmp_path: Path, change: tuple[str, str], own: str, organizer: str
) -> None:
    method, more = change
    at = "DTSTART:20260311T220000Z\nDTEND:20260311T230000Z"
    forged = calendar(organizer=organizer, at=at, day=4, method=method, more=more)
    imported(memory, tmp_path, mail(TOM, forged), SERIES.replace(SARAH, own))
    found = memory.agenda(since="2026-03-11", until="2026-03-13").entries
    kept = [one.starts_at for one in found if one.repeats]

    assert kept == ["2026-03-11T09:00:00+00:00", "2026-03-12T09:00:00+00:00"]


def test_the_organizer_changes_an_instance_though_their_mail_came_first(
    memory: Memory, tmp_path: Path
) -> None:
    at = "DTSTART:20260311T220000Z\nDTEND:20260311T230000Z"
    change = calendar(at=at, day=4, method="REQUEST", more=CHANGE.format(""))
    imported(memory, tmp_path, mail(SARAH, change), SERIES)
    found = memory.agenda(since="2026-03-11", until="2026-03-12").entries

    assert [one.starts_at for one in found] == ["2026-03-11T22:00:00+00:00"]


@pytest.mark.parametrize("organizer", ["", "ORGANIZER;CN=Mira:mailto:mira@x.example\n"])
def test_a_task_that_a_mail_brought_names_its_sender_by_address(
    memory: Memory, tmp_path: Path, organizer: str
) -> None:
    task = f"UID:rent\nSUMMARY:Pay the rent\nDUE:20260310\n{organizer}STATUS:COMPLETED\n"
    task = f"BEGIN:VCALENDAR\nBEGIN:VTODO\n{task}END:VTODO\nEND:VCALENDAR\n"
    imported(memory, tmp_path, mail(f"Mira <{TOM}>", task))

    (entry,) = memory.agenda(since="2026-03-09", until="2026-03-12").entries
    assert entry.organizer == TOM
    assert f"(sent by {TOM}; unknown sender)" in memory.brief("pay the rent").text


def test_the_organizer_that_an_attached_event_states_stands_beside_who_sent_it(
    memory: Memory, tmp_path: Path
) -> None:
    own = (
        "UID:own\nSUMMARY:Own\nDTSTART:20260311T090000Z\nORGANIZER;CN=Mira:mailto:mira@x.example\n"
    )
    own = f"BEGIN:VCALENDAR\nBEGIN:VEVENT\n{own}END:VEVENT\nEND:VCALENDAR\n"
    imported(memory, tmp_path, own, mail(f"Zed <{TOM}>", own.replace("UID:own", "UID:theirs")))

    entries = memory.agenda(since="2026-03-01", until="2026-03-31").entries
    assert sorted(one.organizer for one in entries) == ["Mira", f"Mira (sent by {TOM})"]
