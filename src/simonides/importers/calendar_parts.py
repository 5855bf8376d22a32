"""The parts of a calendar as items, or as why a part is passed over.

Must not know files, nor how a component becomes an item.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import BinaryIO, NamedTuple

from simonides.errors import InvalidInput
from simonides.importers.calendar_components import Component, components
from simonides.importers.calendar_entry import Setting
from simonides.importers.calendar_event import event_item
from simonides.importers.calendar_task import journal_item, task_item
from simonides.importers.calendar_zones import Zones
from simonides.model.item import Item
from simonides.ports.importer import Allowance

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


class CalendarPart(NamedTuple):
    """An item or why a component is none, its place in words, and how far the file is read."""

    found: Item | str
    place: str
    bytes_done: int


def parts(
    stream: BinaryIO,
    *,
    source: str,
    sent_at: datetime | None,
    zone_rules: Allowance | None,
    timezone: str,
) -> Iterator[CalendarPart]:
    """Yield the items of a calendar, and why others of its components are none."""
    definitions = (one for one in components(stream) if one.name == "VTIMEZONE")
    zones = Zones(definitions, allowance=zone_rules)
    if zones.problem:
        yield CalendarPart(zones.problem, "time zones", 0)
    stream.seek(0)
    numbers: dict[str, int] = {}
    done = 0
    for one in components(stream):
        if one.name in _SAID_ELSEWHERE:
            continue
        name, read = _READERS.get(one.name, (one.name, None))
        numbers[name] = numbers.get(name, 0) + 1
        setting = Setting(
            zones=zones, calendar=one.calendar, source=source, sent_at=sent_at, timezone=timezone
        )
        if one.problem:
            found: Item | str = one.problem
        elif read is None:
            found = "is neither an event nor a task nor a journal entry"
        elif setting.method in _ANSWERS:
            found = _ANSWERS[setting.method]
        else:
            found = _item(read, one, setting)
        done = one.bytes_done
        yield CalendarPart(found, f"{name} {numbers[name]}", done)
    if zones.assumed:
        yield CalendarPart(zones.assumed, "time zones", done)


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
