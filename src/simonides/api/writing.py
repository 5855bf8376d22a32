"""Writing to a space: add, update, forget, record usage."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simonides.api.arguments import as_item, check_texts, with_times
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.ingest.keep import change, keep
from simonides.model.bounds import show_value
from simonides.model.coercion import one_of
from simonides.model.item import Item, Kind
from simonides.model.stored import Change, Engaged, Outcome


def add(
    opened: OpenSpace, content: str | Item | Iterable[str | Item], given: Mapping[str, Any]
) -> Outcome | tuple[Outcome, ...]:
    """Add one text or item, or many in one transaction; `given` are the fields of texts."""
    if isinstance(content, Mapping):
        raise InvalidInput("content", "must be text or an Item, got an object; use add(**it)")
    if isinstance(content, bytes | bytearray | memoryview):  # an iterable of numbers
        raise InvalidInput("content", "must be text or an Item, got bytes; decode it first")
    described = with_times(given, timezone=opened.timezone)
    if isinstance(content, str | Item):
        return _keep([as_item(content, described)], opened)[0]
    if not isinstance(content, Iterable):
        raise InvalidInput("content", f"must be text or an Item, got {show_value(content)}")
    return _keep([as_item(one, described) for one in content], opened)


def _keep(
    items: Sequence[Item], opened: OpenSpace, *, forget: Sequence[str] = ()
) -> tuple[Outcome, ...]:
    """Keep items; the language model reads the messages among the new ones, if that is set."""
    outcomes = keep(items, opened, forget=forget)
    new = {one.id for one in outcomes if one.change in (Change.ADDED, Change.UPDATED)}
    sessions: dict[str, list[str]] = {}
    for item in items:
        if item.kind is Kind.MESSAGE and item.id in new:
            sessions.setdefault(item.session, []).append(item.id)
    for session, ids in sessions.items():
        opened.home.read_later(opened, session, ids)
    return outcomes


def write(
    opened: OpenSpace, added: Iterable[str | Item], forgotten: Iterable[str]
) -> tuple[Outcome, ...]:
    """Add items and forget others in one transaction."""
    for name, given in (("add", added), ("forget", forgotten)):
        if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
            raise InvalidInput(name, f"must be a list, got {show_value(given)}")
    items, ids = [as_item(one, {}) for one in added], tuple(forgotten)
    check_texts(*ids, field="forget")
    if both := {one.id for one in items}.intersection(ids):
        raise InvalidInput("forget", f"{show_value(min(both))} is to be added, too; leave one out")
    return _keep(items, opened, forget=ids)


def update(
    opened: OpenSpace, item_id: str, given: Mapping[str, Any], *, if_version: int | None
) -> Item:
    """Replace some fields of an item and return its new version."""
    check_texts(item_id, field="item_id")
    return change(
        item_id, with_times(given, timezone=opened.timezone), opened, if_version=if_version
    )


def forget(
    opened: OpenSpace, item_ids: tuple[str, ...], *, if_version: int | None
) -> tuple[str, ...]:
    """Forget items and return the ids that existed."""
    check_texts(*item_ids, field="item_ids")
    expected = {} if if_version is None else dict.fromkeys(item_ids, if_version)
    space = opened.find_of_any_embedder()
    if space is None:
        return ()
    gone = space.forget(item_ids, at=opened.now(), expected=expected)
    opened.home.tend(space)
    return gone


def record_usage(
    opened: OpenSpace, item_ids: tuple[str, ...], *, how: Engaged | str
) -> tuple[str, ...]:
    """Record that items were used, cited or opened; return the ids that exist."""
    check_texts(*item_ids, field="item_ids")
    kind = one_of(Engaged, how, field="how")
    space = opened.find_of_any_embedder()
    return () if space is None else space.record_usage(item_ids, how=kind, at=opened.now())
