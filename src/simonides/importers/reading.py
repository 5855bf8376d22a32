"""The events of one file, whatever its format: recognised, read, and every failure reported.

Archives and mails with attachments hand their members to `read_file` again, at most `DEPTH_MAX`
deep. Must not know a format from inside, nor who keeps the items.
"""

from collections.abc import Iterator
from dataclasses import replace

from simonides.errors import ImportFailed
from simonides.importers.file_item import by_own_clock, say_assumed
from simonides.importers.formats import detect
from simonides.model.item import Item
from simonides.plugins import Importer
from simonides.ports.importer import ImportEvent, SourceFile

ZONE_KEY, ASSUMED_UTC = "_time_zone", say_assumed("")
"""The metadata key of the zone that was assumed where a file names none, and what formats say."""

DEPTH_MAX = 4
"""How deep archives and mails may lie in each other; what lies deeper is passed over."""


def read_file(file: SourceFile, *, importer: Importer | None = None) -> Iterator[ImportEvent]:
    """Yield the events of a file; whatever fails is reported as an event.

    `importer` is the format where it is known already; otherwise the file's content decides.

    Raises:
        ImportFailed: No format recognises it; says what was looked for.
    """
    if file.depth > DEPTH_MAX:
        raise ImportFailed(f"lies more than {DEPTH_MAX} archives or mails deep")
    known = importer or detect(file.path)
    return (_by_own_clock(step, file.timezone) for step in _until_error(known, file))


def _by_own_clock(event: ImportEvent, timezone: str) -> ImportEvent:
    """Return an event, the time of whose item was assumed to be in UTC, as of the user's zone."""
    item = event.item
    if item is None or item.metadata.get(ZONE_KEY) != ASSUMED_UTC or not item.happened_at:
        return event
    when = by_own_clock(item.happened_at, timezone)
    notes = {**item.metadata, ZONE_KEY: say_assumed(timezone)}
    return replace(event, item=replace(item, happened_at=when, metadata=notes))


def _check(event: object) -> ImportEvent:
    """Return an event of foreign code; `TypeError` for anything else."""
    if not isinstance(event, ImportEvent):
        raise TypeError(f"it must give file.keep(…) or file.skip(…), got {type(event).__name__}")
    if not isinstance(event.item, Item | None):
        raise TypeError(f"it must keep an Item, got {type(event.item).__name__}")
    return event


def _until_error(importer: Importer, file: SourceFile) -> Iterator[ImportEvent]:
    try:
        for event in importer.read(file):
            yield _check(event)
    except OSError as error:
        reason = f"can not be read: {error.strerror or error}"
        yield file.skip(reason, bytes_done=file.size_bytes)
    except ImportFailed as error:
        yield file.skip(str(error), bytes_done=file.size_bytes)
    except Exception as error:  # noqa: BLE001  foreign code, and damage nobody thought of
        reason = f"the importer {importer.name!r} failed: {type(error).__name__}: {error}"
        yield file.skip(reason, bytes_done=file.size_bytes)
