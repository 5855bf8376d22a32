"""What a move finds at its target, and what it would do there.

Must not know which stores there are.
"""

from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.ingest.at_work import at_work
from simonides.model.lease import Work
from simonides.model.move import MovePlan, MoveTarget
from simonides.ports.space import Space, SpaceStore


def copy_of(space: Space, store: SpaceStore) -> Space:
    """Return the copy: a new space, or what an earlier move left of this one.

    Raises:
        InvalidInput: It is another space, or has gone on by itself, or is the source itself.
    """
    there = find_at(space, store)
    if there is MoveTarget.OTHER:
        problem = "another space of that name is there, or this one was written to there since"
        raise InvalidInput("to", f"{problem} ({space.name!r}); remove it there, or move it first")
    if space.name not in store.names():
        return store.open(space.name, embedder=space.embedder, create=True)
    return store.open_any(space.name)


def find_at(space: Space, store: SpaceStore) -> MoveTarget:
    """Return whether a store has a space of this name, and which.

    Raises:
        InvalidInput: It is the source itself.
    """
    if space.name not in store.names():
        return MoveTarget.NOTHING
    copy = store.open_any(space.name)
    if copy.uuid == space.uuid:
        _check_elsewhere(space, copy)
        return MoveTarget.COPY if revision_of(copy) <= revision_of(space) else MoveTarget.OTHER
    return MoveTarget.NOTHING if copy.is_empty() else MoveTarget.OTHER


def revision_of(space: Space) -> int:
    """Return the present revision."""
    with space.read() as reader:
        return reader.revision


def _check_elsewhere(space: Space, copy: Space) -> None:
    """Raise `InvalidInput` if both are one space, whatever it is called in each place.

    A path and an address can be written in many ways. So a lease is taken of the one, and looked
    for in the other: a copy has none.
    """
    with at_work(space, Work.MOVE):
        here, there = (_moving(each) for each in (space, copy))
    if here & there:
        problem = f"is where space {space.name!r} is already; nothing was moved or removed"
        raise InvalidInput("to", f"{problem}. Name another home or database")


def _moving(space: Space) -> set[tuple[int, str]]:
    """Return the marks of the move that looks at a space."""
    return {(one.token, one.holder) for one in space.leases() if one.work == Work.MOVE}


def plan_move(
    source: OpenSpace, store: SpaceStore | None, *, places: tuple[str, str], remove_source: bool
) -> MovePlan:
    """Return the plan of a move; a target without a store has nothing yet.

    Raises:
        NotFound: There is no such space.
        InvalidInput: The target is the source itself.
    """
    space = source.space_of_any_embedder
    stats = space.stats()
    has_vectors = space.embedder.dimension > 0
    return MovePlan(
        space=space.name, source=places[0], target=places[1], revision=stats.revision,
        items=stats.items, versions=stats.items + stats.archived, chunks=stats.chunks,
        vectors=stats.chunks - stats.waiting if has_vectors else 0, bytes=stats.bytes_on_disk,
        found=MoveTarget.NOTHING if store is None else find_at(space, store),
        removes_source=remove_source,
    )  # fmt: skip
