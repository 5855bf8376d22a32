"""Named statements run for each of several values, as one statement: one round trip.

Knows how a statement is put behind a list of values. Must not know what the statements mean.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from simonides.storage.transaction import Row
from simonides_postgres.queries import STATEMENTS

if TYPE_CHECKING:
    from psycopg import Cursor

_IS_FOUND = b"is_found"
"""The column before those of a statement: NULL where it gave no row."""

_NAMED = re.compile(r"%\((\w+)\)s")


def for_each(names: Sequence[str], values: Sequence[Mapping[str, int | str]]) -> str:
    """Return a statement that runs those of these names for each of several values.

    It takes the values by name, as lists. `rows_of` reads what it gives.
    """
    taken = tuple((name, isinstance(one, str)) for name, one in values[0].items())
    return _compose(tuple(names), taken)


@lru_cache(maxsize=64)
def _compose(names: tuple[str, ...], taken: tuple[tuple[str, bool], ...]) -> str:
    """Each is a look-up of its own (LIMIT), lest all rows of a table are read to be joined."""
    lists = ", ".join(f"%({name})s::{'text' if is_text else 'bigint'}[]" for name, is_text in taken)
    columns = ", ".join(name for name, _ in taken)
    asked = f"unnest({lists}) WITH ORDINALITY AS asked ({columns}, place)"
    found = "".join(_look_up(place, _asking(name, taken)) for place, name in enumerate(names))
    every = ", ".join(f"found_{place}.*" for place in range(len(names)))
    return f"SELECT place, {every} FROM {asked}{found}"  # noqa: S608  own statements


def _look_up(place: int, text: str) -> str:
    one = f"SELECT true AS {_IS_FOUND.decode()}, * FROM ({text}) AS one LIMIT 1"  # noqa: S608  own statements
    return f" LEFT JOIN LATERAL ({one}) AS found_{place} ON true"


def _asking(name: str, taken: tuple[tuple[str, bool], ...]) -> str:
    own = {one for one, _ in taken}
    text = STATEMENTS[name].rstrip(";")
    return _NAMED.sub(lambda found: f"asked.{found[1]}" if found[1] in own else found[0], text)


def rows_of(cursor: "Cursor[Row]") -> list[tuple[Row | None, ...]]:
    """Return for each of the values the first row of each statement; None where there is none.

    Names are read from the result itself: the cursor's description takes longer than the rows.
    """
    result = cursor.pgresult
    assert result is not None  # noqa: S101  a statement that gives rows
    marks = [at for at in range(result.nfields) if result.fname(at) == _IS_FOUND]
    parts = [slice(at + 1, stop) for at, stop in zip(marks, [*marks[1:], None], strict=True)]
    found = cursor.fetchall()
    read: list[tuple[Row | None, ...]] = [()] * len(found)
    for row in found:
        read[row[0] - 1] = tuple(row[part] if row[part.start - 1] else None for part in parts)
    return read
