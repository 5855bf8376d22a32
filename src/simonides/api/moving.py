"""Move of a space to another home, or into a database and back."""

import os
from collections.abc import Callable
from dataclasses import replace

from simonides.api.arguments import check_calls, check_is, expanded
from simonides.api.database import factory_of
from simonides.api.memory import Memory
from simonides.maintenance.move import move_space as move_opened
from simonides.model.maintenance import MoveReport


def move_space(
    memory: Memory,
    to: str | os.PathLike[str],
    *,
    remove_source: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> MoveReport:
    """Copy the space of a memory to another store, while it is used, and compare both.

    `to` is `postgresql://role@host/database` or the path of a home, whose spaces are files. What is
    written meanwhile is carried over. The source stays unless `remove_source`: then nobody should
    write to it any more. `on_progress` is told (revisions carried over, revisions of the source).
    A move that was broken off goes on with the next one.

    Raises:
        NotFound: There is no such space.
        InvalidInput: Another space of that name is there, or the copy was written to since.
        StoreBusy: The source is written to without a pause, or was while it was compared.
        StoreCorrupt: The copy is not what the source is; the source stays as it is.
    """
    check_is(memory, Memory, field="memory")
    check_calls(on_progress=on_progress)
    source = memory._opened  # noqa: SLF001  a method of memory but for its place
    with _target(memory, to) as target:
        there = target._opened  # noqa: SLF001  as above
        return move_opened(source, there, remove_source=remove_source, on_progress=on_progress)


def _target(memory: Memory, to: str | os.PathLike[str]) -> Memory:
    """Return a memory of that name in the other store, with the same settings and clock."""
    source = memory._opened  # noqa: SLF001  as above
    is_database = isinstance(to, str) and "://" in to
    if is_database:
        factory_of(str(to), field="to")
    store, home = (str(to), source.home.path) if is_database else ("", expanded(to, field="to"))
    return Memory(
        home, space=memory.space, settings=replace(memory.settings, store=store),
        clock=source.home.clock,
    )  # fmt: skip
