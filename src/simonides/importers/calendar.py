"""Calendars (iCalendar, .ics): events, tasks and journal entries, one component at a time.

Also the invitations in mails. Must not know how a component becomes an item. What reads calendars
is imported with the first one: it needs the extra `calendars`.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from simonides.errors import ImportFailed
from simonides.importers.charset import WIDE_SAMPLE_BYTES, decode, is_binary
from simonides.importers.extras import check_installed
from simonides.model.item import Item
from simonides.ports.importer import Allowance, ImportEvent, SourceFile

if TYPE_CHECKING:
    from simonides.importers.calendar_parts import CalendarPart

WIDE_BYTES_MAX = 64 << 20
"""Largest file in UTF-16; it is decoded as a whole."""


def read_calendar(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the items of a calendar; a component that is broken is passed over by itself."""
    nothing = True
    with file.path.open("rb") as opened:
        stream = _narrow(opened)
        found = _parts(
            stream, source=file.source, sent_at=None, zone_rules=file.zone_rules,
            timezone=file.timezone,
        )  # fmt: skip
        for part in found:
            nothing = False
            done = min(part.bytes_done, file.size_bytes)
            if isinstance(part.found, Item):
                yield file.keep(part.found, bytes_done=done)
            else:
                yield file.skip(part.found, part=part.place, bytes_done=done)
    if nothing:
        yield file.skip("a calendar without entries", bytes_done=file.size_bytes)


def items_of_calendar(
    raw: bytes,
    *,
    source: str = "",
    sent_at: datetime | None = None,
    zone_rules: Allowance | None = None,
    timezone: str = "",
) -> Iterator[Item | str]:
    """Yield the items of a calendar in a mail; a text says why a part of it is passed over.

    `sent_at` is when the mail was sent: when a state without a time of its own began. `zone_rules`
    bounds the rules of the zones of all its calendars. Times in UTC are shown in `timezone`.
    """
    try:
        stream = _narrow(BytesIO(raw))
        found = _parts(
            stream, source=source, sent_at=sent_at, zone_rules=zone_rules, timezone=timezone
        )
    except ImportFailed as error:
        yield str(error)
        return
    for part in found:
        is_item = isinstance(part.found, Item)
        yield part.found if is_item else f"{part.place}: {part.found}"


def _narrow(stream: BinaryIO) -> BinaryIO:
    """Return a stream of UTF-8 or another single-byte text."""
    sample = stream.read(WIDE_SAMPLE_BYTES)
    stream.seek(0)
    if b"\0" not in sample or is_binary(sample):
        return stream
    return BytesIO(decode(stream.read(WIDE_BYTES_MAX)).encode("utf-8", "replace"))


def _parts(
    stream: BinaryIO,
    *,
    source: str,
    sent_at: datetime | None,
    zone_rules: Allowance | None,
    timezone: str,
) -> "Iterator[CalendarPart]":
    """Return the parts of a calendar.

    Raises:
        ImportFailed: What reads calendars is not installed.
    """
    check_installed("icalendar", extra="calendars", title="calendars (.ics)")
    read: Callable[..., Iterator[CalendarPart]]
    read = import_module("simonides.importers.calendar_parts").parts
    return read(stream, source=source, sent_at=sent_at, zone_rules=zone_rules, timezone=timezone)
