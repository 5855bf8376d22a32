"""Keep items: what is new or changed is prepared outside the write lock and committed at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from simonides.index.open_space import OpenSpace
from simonides.ingest.prepare import Preparer, preparer_of
from simonides.model.item import Item, digest
from simonides.model.stored import Change, Outcome


def keep(
    items: Sequence[Item],
    opened: OpenSpace,
    *,
    stored_at: datetime | None = None,
    revive: bool = True,
    expected: Mapping[str, int] | None = None,
) -> tuple[Outcome, ...]:
    """Return what became of each item, in one transaction; what did not change is not embedded.

    Of several with one id the last is kept, and all get its outcome. `revive` says whether an item
    that was forgotten may come back (a person's own `add` may, an import may not). `expected` are
    the versions that must be present, by id; 0 stands for none. `stored_at` is now unless given.
    The space comes into being with its first items, and is looked after once they are written.

    Raises:
        Conflict: Another version is present than the one expected; nothing was written.
        EmbedderError: The model failed; nothing was written.
        StoreError: The commit failed; nothing was written.
    """
    if not items:
        return ()
    at = opened.now() if stored_at is None else stored_at
    space, preparer = opened.make(), preparer_of(opened)
    last = {item.id: item for item in items}
    with space.read() as reader:
        known = reader.digests(list(last))
        revision = reader.revision
    if expected:  # must be compared under the lock, also where nothing changes
        known = {}
    changed = list(_changed(last.values(), known=known, preparer=preparer))
    written: dict[str, Outcome] = {}
    if changed:
        prepared = preparer.prepare(changed)
        outcomes = space.commit(prepared, stored_at=at, revive=revive, expected=expected)
        written = {outcome.id: outcome for outcome in outcomes}
    opened.home.tend(space)
    return tuple(
        written.get(item.id) or Outcome(id=item.id, change=Change.UNCHANGED, revision=revision)
        for item in items
    )


def _changed(
    items: Iterable[Item], *, known: Mapping[str, bytes], preparer: Preparer
) -> Iterator[Item]:
    """Yield the items that are not kept as they are, by the digests of those that are present."""
    for item in items:
        present = known.get(item.id)
        settled = item if present is None else preparer.settled(item)
        if present is None or present != digest(settled):
            yield settled
