"""Keep items, and change some fields of one.

What is new or changed is prepared outside the write lock and committed at once. A change rests on
the version that was read: where another one was written meanwhile, it is made anew on top of that.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from simonides.errors import Conflict, InvalidInput, NotFound, StoreBusy
from simonides.index.open_space import OpenSpace
from simonides.ingest.languages import Spoken
from simonides.ingest.open_tasks import count_open_tasks, drop_count
from simonides.ingest.prepare import preparer_of
from simonides.model.compose import recompose
from simonides.model.item import Item, digest
from simonides.model.stored import Change, Outcome
from simonides.ports.space import Space


def keep(
    items: Sequence[Item],
    opened: OpenSpace,
    *,
    stored_at: datetime | None = None,
    revive: bool = True,
    expected: Mapping[str, int] | None = None,
    vectors: bool = True,
    forget: Sequence[str] = (),
) -> tuple[Outcome, ...]:
    """Return the outcome of each item, kept in one transaction; only changed ones are embedded.

    Of several with one id the last is kept, and all get its outcome. `revive` says whether an item
    that was forgotten may come back (a person's own `add` may, an import may not). `expected` are
    the versions that must be present, by id; 0 stands for none. `stored_at` is now unless given.
    Where `vectors` is false they are left to `ingest.waiting`; the items are found by their words.
    The space comes into being with its first items, and is looked after once they are written.
    The items of `forget` go in the same transaction; the outcomes of those that were there are
    last.

    Raises:
        Conflict: Another version is present than the one expected; nothing was written.
        EmbedderError: The model failed; nothing was written.
        StoreError: The commit failed; nothing was written.
    """
    if not items and not (forget and opened.find()):
        return ()
    at = opened.now() if stored_at is None else stored_at
    space, preparer = opened.make(), preparer_of(opened, vectors=vectors)
    last = {item.id: item for item in items}
    with space.read() as reader:
        settled = preparer.spoken.settle(list(map(count_open_tasks, last.values())), reader=reader)
        known = reader.digests(list(last))
        revision = reader.revision
    if expected:  # must be compared under the lock, also where nothing changes
        known = {}
    changed = list(_find_changed(settled, known=known))
    written: dict[str, Outcome] = {}
    gone: list[Outcome] = []
    if changed or forget:
        prepared = preparer.prepare(changed)
        outcomes = space.commit(
            prepared, stored_at=at, revive=revive, expected=expected, forget=forget
        )
        written = {outcome.id: outcome for outcome in outcomes[: len(changed)]}
        gone += outcomes[len(changed) :]
    opened.home.tend(space)
    kept = (
        written.get(item.id) or Outcome(id=item.id, change=Change.UNCHANGED, revision=revision)
        for item in items
    )
    return (*kept, *gone)


def withdraw(ids: Sequence[str], opened: OpenSpace) -> tuple[str, ...]:
    """Forget what is gone at its source; return the ids that existed. An import may revive them."""
    space = opened.find()
    if space is None or not ids:
        return ()
    gone = space.forget(ids, at=opened.now(), import_may_revive=True)
    opened.home.tend(space)
    return gone


def preview(items: Sequence[Item], opened: OpenSpace) -> tuple[Outcome, ...]:
    """Return the outcome that `keep` would have for each item now, and write nothing.

    What was forgotten counts as added: only the commit looks for that.
    """
    space = opened.find()
    if space is None:
        return tuple(Outcome(id=item.id, change=Change.ADDED, revision=0) for item in items)
    with space.read() as reader:
        counted = list(map(count_open_tasks, items))
        settled = Spoken.by(opened.settings).settle(counted, reader=reader)
        known = reader.digests([item.id for item in items])
        revision = reader.revision
    changed = {item.id for item in _find_changed(settled, known=known)}
    return tuple(
        Outcome(id=item.id, change=_preview(item.id, known, changed), revision=revision)
        for item in items
    )


def _preview(item_id: str, known: Mapping[str, bytes], changed: Container[str]) -> Change:
    if item_id not in known:
        return Change.ADDED
    return Change.UPDATED if item_id in changed else Change.UNCHANGED


def _find_changed(items: Iterable[Item], *, known: Mapping[str, bytes]) -> Iterator[Item]:
    """Yield the items that are not kept as they are, by the digests of those that are present."""
    for item in items:
        present = known.get(item.id)
        if present is None or present != digest(item):
            yield item


TRIES_MAX = 100
"""How often a write is made anew because others were faster; each time one of them got through."""


def overtaken(what: str) -> StoreBusy:
    """Return the error that says that others were faster, every time."""
    return StoreBusy(f"{what} was written to by others {TRIES_MAX} times meanwhile; retry")


def change(
    item_id: str,
    fields: Mapping[str, Any],
    opened: OpenSpace,
    *,
    if_version: int | None = None,
) -> Item:
    """Return the item with some fields replaced, as it was committed; the same where nothing is.

    Raises:
        NotFound: No item has that id.
        Conflict: Another version is present than `if_version`; nothing was written.
        StoreBusy: Others changed it again and again.
        InvalidInput: A field is unknown, fixed or out of range.
    """
    _check_version(if_version)
    space = opened.find()
    if space is None:
        raise NotFound("item", item_id)
    for _ in range(TRIES_MAX):
        present = _present(item_id, space)
        if if_version is not None and present.version != if_version:
            raise Conflict(item_id, expected=if_version, found=present.version)
        changed = count_open_tasks(recompose(drop_count(present), **fields))
        if changed == present:
            return present
        try:
            return _replace(present, changed, opened)
        except Conflict:
            if if_version is not None:
                raise
    raise overtaken(f"item {item_id!r}")


def _present(item_id: str, space: Space) -> Item:
    with space.read() as reader:
        found = reader.item(item_id)
    if found is None:
        raise NotFound("item", item_id)
    return found


def _replace(present: Item, changed: Item, opened: OpenSpace) -> Item:
    """Commit a successor of what is present and return it as it was kept."""
    keep([changed], opened, expected={present.id: present.version})
    with opened.space.read() as reader:
        kept = reader.version(present.id, present.version + 1) or reader.item(present.id)
    if kept is None:
        raise NotFound("item", present.id)
    return kept


def _check_version(version: int | None) -> None:
    if version is None:
        return
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InvalidInput("if_version", f"must be a whole number from 1 on, got {version!r}")
