"""Calendars (iCalendar, .ics): events, tasks and journal entries, one component at a time.

Also the invitations in mails. Must not know how a component becomes an item.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from io import BytesIO
from typing import BinaryIO, NamedTuple

from simonides.errors import InvalidInput
from simonides.importers.calendar_components import Component, components
from simonides.importers.calendar_entry import Setting
from simonides.importers.calendar_event import event_item
from simonides.importers.calendar_task import journal_item, task_item
from simonides.importers.calendar_zones import Zones
from simonides.importers.charset import decode
from simonides.model.item import Item
from simonides.ports.importer import ImportEvent, SourceFile

WIDE_BYTES_MAX = 64 << 20
"""Largest file in UTF-16; it is decoded as a whole."""

_READERS: Mapping[str, tuple[str, Callable[[Component, Setting], Item]]] = {
    "VEVENT": ("event", event_item),
    "VTODO": ("task", task_item),
    "VJOURNAL": ("journal entry", journal_item),
}
_SAID_ELSEWHERE = ("VTIMEZONE", "VALARM")
_ANSWERS = {
    "REPLY": "an answer to an invitation, which the mail itself says",
    "COUNTER": "a proposal of another time, which the mail itself says",
    "DECLINECOUNTER": "an answer to a proposal, which the mail itself says",
    "REFRESH": "a request for a newer invitation",
}
"""Why messages of these methods are passed over: they do not state what an event is."""

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


class _Part(NamedTuple):
    """An item or why a component is none, its place in words, and how far the file is read."""

    found: Item | str
    place: str
    bytes_done: int


def read_calendar(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the items of a calendar; a component that is broken is passed over by itself."""
    nothing = True
    with file.path.open("rb") as opened:
        stream = _narrow(opened)
        for part in _parts(stream, source=file.source, sent_at=None):
            nothing = False
            done = min(part.bytes_done, file.size_bytes)
            if isinstance(part.found, Item):
                yield file.kept(part.found, bytes_done=done)
            else:
                yield file.passed_over(part.found, part=part.place, bytes_done=done)
    if nothing:
        yield file.passed_over("a calendar without entries", bytes_done=file.size_bytes)


def items_of_calendar(
    raw: bytes, *, source: str = "", sent_at: datetime | None = None
) -> Iterator[Item | str]:
    """Yield the items of a calendar in a mail; a text says why a part of it is passed over.

    `sent_at` is when the mail was sent: when a state without a time of its own began.
    """
    for part in _parts(_narrow(BytesIO(raw)), source=source, sent_at=sent_at):
        is_item = isinstance(part.found, Item)
        yield part.found if is_item else f"{part.place}: {part.found}"


def _narrow(stream: BinaryIO) -> BinaryIO:
    """Return a stream of UTF-8 or another single-byte text."""
    mark = stream.read(2)
    stream.seek(0)
    if mark not in _WIDE_MARKS:
        return stream
    return BytesIO(decode(stream.read(WIDE_BYTES_MAX)).encode("utf-8", "replace"))


def _parts(stream: BinaryIO, *, source: str, sent_at: datetime | None) -> Iterator[_Part]:
    zones = Zones(one for one in components(stream) if one.name == "VTIMEZONE")
    stream.seek(0)
    numbers: dict[str, int] = {}
    for one in components(stream):
        if one.name in _SAID_ELSEWHERE:
            continue
        name, read = _READERS.get(one.name, (one.name, None))
        numbers[name] = numbers.get(name, 0) + 1
        setting = Setting(zones=zones, calendar=one.calendar, source=source, sent_at=sent_at)
        if one.problem:
            found: Item | str = one.problem
        elif read is None:
            found = "is neither an event nor a task nor a journal entry"
        elif setting.method in _ANSWERS:
            found = _ANSWERS[setting.method]
        else:
            found = _item(read, one, setting)
        yield _Part(found, f"{name} {numbers[name]}", one.bytes_done)


def _item(
    read: Callable[[Component, Setting], Item], component: Component, setting: Setting
) -> Item | str:
    """Return the item of a component, or why it can not be read."""
    try:
        return read(component, setting)
    except InvalidInput as error:
        return str(error)
    except (ValueError, LookupError, OverflowError) as error:  # damage nobody thought of
        return f"can not be read: {type(error).__name__}: {error}"
