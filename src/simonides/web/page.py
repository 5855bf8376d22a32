"""The record of a page: its path, who may see it, and the function that finds what it shows.

Knows shapes only. Must not know any page.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Protocol, TypeVar

from simonides.api.memory import Memory
from simonides.errors import InvalidInput, NotFound
from simonides.model.access import Permission
from simonides.model.answer import SpaceStats
from simonides.model.counts import ItemCounts
from simonides.model.filter import Filter, as_filter

Result = TypeVar("Result")


class Caller(Protocol):
    """Who looks at a page: the memory of their space, and what they may do."""

    memory: Memory

    def allows(self, permission: Permission) -> bool:
        """Return whether the caller has a permission."""
        ...

    def now(self) -> datetime:
        """Return the time of the server."""
        ...

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call, run in one of the server's threads."""
        ...

    def announce(self, verb: str) -> None:
        """Write an audit entry to disk before an operation that cannot be undone."""
        ...

    def note(self, verb: str, *, permission: Permission, status: int, count: int) -> None:
        """Record a call in the audit log."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One look at a page: who looks, when, and the fields of the address or of the form."""

    caller: Caller
    memory: Memory
    now: datetime
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)

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

    def stats(self) -> SpaceStats:
        """Return the sizes of the space, zeros for one that nothing was written to yet."""
        try:
            return self.memory.stats()
        except NotFound:
            return SpaceStats(
                space=self.memory.space, revision=0, items=0, chunks=0, archived=0, by_kind={},
                by_source={}, oldest=None, newest=None, bytes_on_disk=0, embedder="",
            )  # fmt: skip

    def chosen(self) -> dict[str, str]:
        """Return the values that are chosen to filter by, by the names of their fields."""
        given = {name: self.text(name) for name in ("source", "kind", "month")}
        return {name: value for name, value in given.items() if value}

    def filter(self) -> Filter:
        """Return the filter of these."""
        chosen = self.chosen()
        month = chosen.pop("month", "")
        given: dict[str, Any] = {f"{name}s": [value] for name, value in chosen.items()}
        if month:
            given["since"], given["until"] = _ends_of(month)
        return as_filter(given, timezone=lambda: "UTC")

    def counts(self) -> ItemCounts:
        """Return the counts of the items that pass the filter."""
        return self.memory.counts(filter=self.filter(), as_of=self.text("as_of") or None)


def _ends_of(month: str) -> tuple[date, date]:
    """Return the first day of a month such as `2026-03`, and that of the next one."""
    try:
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        raise InvalidInput("month", f"must be as in 2026-03, got {month!r}") from None
    return first, (first + timedelta(days=31)).replace(day=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a form leads to where that is no address: a template and what it shows."""

    template: str
    view: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: GET shows what `find` returns with `template`, POST runs `act` and goes back.

    What `find` returns is also the page's JSON twin (`format=json`).
    """

    path: str
    title: str
    verb: str
    find: Callable[[Visit], dict[str, Any]]
    template: str
    act: Callable[[Visit], str | Shown] | None = None
    """Does what a form asks for, and returns the address to go to, or what to show."""
    in_menu: bool = True
