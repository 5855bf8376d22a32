"""Move of a space to another home, or into a database and back."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal, overload

from simonides.api.arguments import check_calls, check_is
from simonides.api.database import database_store
from simonides.api.memory import Memory
from simonides.api.places import Place, place_of
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.maintenance.move import move_space as move_opened
from simonides.maintenance.move_target import plan_move
from simonides.model.move import MovePlan, MoveReport


@overload
def move_space(
    memory: Memory,
    to: str | os.PathLike[str],
    *,
    remove_source: bool = False,
    dry_run: Literal[False] = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> MoveReport: ...


@overload
def move_space(
    memory: Memory,
    to: str | os.PathLike[str],
    *,
    remove_source: bool = False,
    dry_run: Literal[True],
    on_progress: Callable[[int, int], None] | None = None,
) -> MovePlan: ...


@overload
def move_space(
    memory: Memory,
    to: str | os.PathLike[str],
    *,
    remove_source: bool = False,
    dry_run: bool,
    on_progress: Callable[[int, int], None] | None = None,
) -> MoveReport | MovePlan: ...


def move_space(
    memory: Memory,
    to: str | os.PathLike[str],
    *,
    remove_source: bool = False,
    dry_run: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> MoveReport | MovePlan:
    """Copy the space of a memory to another store, while it is used, and compare both.

    `to` is `postgresql://role@host/database`, or the path of a home, whose spaces are files; a path
    may be written as `file:///…`. What is written meanwhile is carried over. The source stays
    unless `remove_source`: then nobody should write to it any more. With `dry_run` nothing is
    written, and what would be done is returned. `on_progress` is called with (revisions carried
    over, revisions of the source). A move that was broken off goes on with the next one.

    Raises:
        NotFound: There is no such space.
        InvalidInput: Another space of that name is there, or the copy was written to since; `to`
            is no place that spaces can be kept in, or the one where the space is.
        StoreBusy: The source is written to without a pause, or was while it was compared.
        StoreCorrupt: The copy is not what the source is; the source stays as it is.
    """
    check_is(memory, Memory, field="memory")
    check_calls(on_progress=on_progress)
    place = place_of(to)
    if dry_run:
        return _plan(memory, place, remove_source=remove_source)
    source = memory._opened  # noqa: SLF001  a method of memory but for its place
    how = {} if on_progress is None else {"on_progress": on_progress}
    with _target(memory, place) as target:
        there = target._opened  # noqa: SLF001  as above
        return move_opened(source, there, remove_source=remove_source, **how)


def _plan(memory: Memory, place: Place, *, remove_source: bool) -> MovePlan:
    """Return the plan of a move; makes no home and no table."""
    source = memory._opened  # noqa: SLF001  as above
    places = (memory.settings.store or str(source.home.path.absolute()), str(place))
    if not _is_there(memory.settings, place):
        return plan_move(source, None, places=places, remove_source=remove_source)
    with _target(memory, place) as target:
        store = target._opened.home.store  # noqa: SLF001  as above
        return plan_move(source, store, places=places, remove_source=remove_source)


def _is_there(settings: Settings, place: Place) -> bool:
    """Return whether there is a home or are tables, without making any.

    Raises:
        InvalidInput: The tables are of an earlier format, which only an upgrade may change, or the
            path leads through a file.
    """
    if place.home is not None:
        return _is_home(place.home)
    store = database_store(replace(settings, store=place.store))
    try:
        found = store.inspect()
    finally:
        store.close()
    if 0 < found.format < found.needs:
        problem = f"has tables of format {found.format}, and {found.needs} is needed"
        raise InvalidInput("to", f"{problem}: run `simonides db upgrade` there first")
    return found.format > 0


def _is_home(path: Path) -> bool:
    """Return whether there is a folder; raise `InvalidInput` where none can be made."""
    above = next((one for one in path.absolute().parents if one.exists()), None)
    if above is not None and not above.is_dir():
        raise InvalidInput("to", f"{above} is a file, so {path} cannot be a folder; name another")
    return path.exists()


def _target(memory: Memory, place: Place) -> Memory:
    """Return a memory of that name in the other store, with the same settings and clock."""
    source = memory._opened  # noqa: SLF001  as above
    return Memory(
        place.home or source.home.path, space=memory.space, clock=source.home.clock,
        settings=replace(memory.settings, store=place.store),
    )  # fmt: skip
