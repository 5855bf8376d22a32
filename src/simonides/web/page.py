"""The record of a page: its path, who may see it, and the function that finds what it shows.

Knows shapes only. Must not know any page.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any, Protocol

from simonides.api.caller import Caller
from simonides.api.memory import Memory
from simonides.errors import InvalidInput, NotFound
from simonides.model.answer import SpaceStats
from simonides.model.counts import ItemCounts
from simonides.model.filter import Filter, as_filter
from simonides.model.times import in_zone, show_in_zone


class PageCaller(Caller, Protocol):
    """Who looks at a page: errors are answered there as everywhere."""

    def refusal(self, error: Exception) -> tuple[int, str]:
        """Return the status and the message with which an error is answered."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One look at a page: who looks, when, and the fields of the address or of the form.

    `is_part` says that a script asked, which shows but what follows a keystroke.
    """

    caller: PageCaller
    now: datetime
    is_part: bool = False
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def memory(self) -> Memory:
        """The memory of who looks."""
        return self.caller.memory

    def texts(self, name: str) -> list[str]:
        """Return all values of a field, without empty ones."""
        return [one.strip() for one in self.fields.get(name, ()) if one.strip()]

    def text(self, name: str, default: str = "") -> str:
        """Return a field as text, without the space around it."""
        values = self.fields.get(name) or (default,)
        return values[-1].strip() or default

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """Return a field as a whole number within bounds.

        Raises:
            InvalidInput: It is none, or out of bounds.
        """
        given = self.text(name, str(default))
        if not given.isdecimal() or not least <= int(given) <= most:
            raise InvalidInput(
                name, f"must be a whole number from {least} to {most}, got {given!r}"
            )
        return int(given)

    @property
    def as_of(self) -> datetime | str | int | None:
        """The state that is asked for: of a day its end; a time or a revision as it is.

        Raises:
            InvalidInput: It is a day that there is not.
        """
        given = self.text("as_of")
        if given.isdecimal():
            return int(given)
        if not _DAY.fullmatch(given):
            return given or None
        end = days_from(as_day(given, field="as_of"), 1, field="as_of")
        return in_zone(datetime.combine(end, time()), self.memory.settings.timezone)

    @property
    def today(self) -> date:
        """The day that it is in the user's zone."""
        return show_in_zone(self.now, self.memory.settings.timezone).date()

    def stats(self) -> SpaceStats:
        """Return the sizes of the space, zeros for one that nothing was written to yet."""
        try:
            return self.memory.stats()
        except NotFound:
            return SpaceStats(
                space=self.memory.space, revision=0, items=0, chunks=0, archived=0, by_kind={},
                by_source={}, oldest=None, newest=None, bytes_on_disk=0, embedder="",
            )  # fmt: skip

    def read_chosen(self) -> dict[str, str]:
        """Return the values that are chosen to filter by, by the names of their fields."""
        given = {name: self.text(name) for name in FILTERS}
        return {name: value for name, value in given.items() if value}

    def filter(self, **more: Any) -> Filter:
        """Return the filter of these, and of `more` fields."""
        chosen = self.read_chosen()
        month = chosen.pop("month", "")
        given: dict[str, Any] = {FILTERS[name]: [value] for name, value in chosen.items()}
        if month:
            given["since"], given["until"] = _ends_of(month)
        return as_filter({**given, **more}, timezone=lambda: "UTC")

    def counts(self, **more: Any) -> ItemCounts:
        """Return the counts of the items that pass the filter."""
        return self.memory.counts(filter=self.filter(**more), as_of=self.as_of)


FILTERS = {"source": "sources", "kind": "kinds", "person": "people", "month": ""}
"""The fields that filter, and those of the filter that they are."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def as_day(text: str, *, field: str) -> date:
    """Return a day such as `2026-02-03`.

    Raises:
        InvalidInput: It is none.
    """
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        raise InvalidInput(field, f"must be a day as in 2026-02-03, got {text!r}") from None


def days_from(day: date, days: int, *, field: str) -> date:
    """Return the day so many days after another one.

    Raises:
        InvalidInput: It is none of the years 1 to 9999.
    """
    try:
        return day + timedelta(days=days)
    except OverflowError:
        problem = f"must lie more than {abs(days)} days within the years 1 to 9999, got {day}"
        raise InvalidInput(field, problem) from None


def _ends_of(month: str) -> tuple[date, date]:
    """Return the first day of a month such as `2026-03`, and that of the next one."""
    try:
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        raise InvalidInput("month", f"must be as in 2026-03, got {month!r}") from None
    return first, days_from(first, 31, field="month").replace(day=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a form did: the operation, and the address to go to, or a template and its view."""

    verb: str
    place: str = ""
    template: str = ""
    view: dict[str, Any] = field(default_factory=dict)


def _nothing_more(_view: dict[str, Any]) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: GET shows what `find` returns with `template`, POST runs `act` and goes back.

    What `find` returns is also the page's JSON twin (`format=json`); `draw` returns from it, and
    the frame of the page, what the template shows besides.
    """

    path: str
    title: str
    verb: str
    find: Callable[[Visit], dict[str, Any]]
    template: str
    draw: Callable[[dict[str, Any]], dict[str, Any]] = _nothing_more
    act: Callable[[Visit], Done] | None = None
    in_menu: bool = True
