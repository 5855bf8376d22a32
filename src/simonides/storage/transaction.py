"""What the rules of the store ask of an adapter: named statements, inside one transaction.

Each adapter has the same statements by the same names, in `.sql` files of its own. The rules that
say which of them run, and when, are written once and know neither SQL nor a database.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from simonides.storage.rows import PackedItem
from simonides.storage.space_facts import SpaceFacts

Row = tuple[Any, ...]
Values = Mapping[str, Any] | Sequence[Any]
"""The values of a statement: by name, or in order."""


class NewVersion(NamedTuple):
    """One version to be added to the present: its number, revision and time, and its rows."""

    version: int
    born: int
    stored_us: int
    packed: PackedItem


class UndoneWhole(Exception):
    """An error undid the whole transaction, not only the part in which it was raised."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Transaction(Protocol):
    """The statements on one space, in a transaction that somebody else began and will end."""

    @property
    def refused(self) -> tuple[type[Exception], ...]:
        """What is raised for a value that a rule or the schema does not take."""
        ...

    def has(self, name: str) -> bool:
        """Return whether there is a statement of that name."""
        ...

    def one(self, name: str, values: Values = ()) -> Row | None:
        """Return the first row; None if there is none."""
        ...

    def each(
        self, names: Sequence[str], values: Sequence[Mapping[str, int | str]]
    ) -> list[tuple[Row | None, ...]]:
        """Return for each of several values what `one` does by each of several statements.

        All values have the same names, those that any of the statements needs.
        """
        ...

    def value(self, name: str, values: Values = ()) -> Any:
        """Return the first value of the first row; None if there is none."""
        ...

    def all(self, name: str, values: Values = ()) -> list[Row]:
        """Return every row."""
        ...

    def rows(self, name: str, values: Values = ()) -> Iterator[Row]:
        """Yield every row, a few in memory at a time; other statements may run meanwhile."""
        ...

    def run(self, name: str, values: Values = ()) -> int:
        """Return how many rows the statement changed."""
        ...

    def many(self, name: str, values: Sequence[Values]) -> int:
        """Run a statement once for each of several values; return how many rows they changed."""
        ...

    def add_versions(self, versions: Sequence[NewVersion]) -> list[int]:
        """Add versions with their chunks and mentions; return their keys, which rise."""
        ...

    def facts(self) -> SpaceFacts:
        """Return the facts of the space now."""
        ...

    def set_fact(self, name: str, value: str | int) -> None:
        """Set one of the space's own values."""
        ...

    def drop_fact(self, name: str) -> None:
        """Take one of the space's own values back."""
        ...

    def part(self) -> AbstractContextManager[None]:
        """Undo what runs inside the block, and nothing else, if an error leaves it.

        Raises:
            UndoneWhole: Such an error undid everything.
        """
        ...

    def translate_errors(self) -> AbstractContextManager[None]:
        """Translate the database's errors inside the block into the engine's."""
        ...

    def close(self) -> None:
        """Close what `rows` still has open."""
        ...
