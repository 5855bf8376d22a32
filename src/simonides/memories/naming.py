"""Names that the owner gives entities: merged, renamed, called by an alias.

What is said is kept as a name record, an item of its own, beside which nothing is rewritten: mail
goes on saying what it says, and forgetting the record undoes it. Knows which names are taken. Must
not know how questions use them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from simonides.entities.extract import fold_name
from simonides.entities.projects import core_of
from simonides.entities.records import NameRecord, kind_of, record_id, record_item, record_of
from simonides.entities.summary import Summary, somebody
from simonides.errors import Conflict, InvalidInput, NotFound
from simonides.index.index_view import IndexView
from simonides.index.open_space import OpenSpace
from simonides.ingest.keep import TRIES_MAX, keep, overtaken
from simonides.memories.preferences import SOURCE as PREFERENCE
from simonides.model.answer import Entity
from simonides.model.entity import EntityDetails
from simonides.model.stored import EntityKind
from simonides.ports.space import Reader
from simonides.retrieval.looking import look

ALIASES_MAX = 100
"""Names, and merged entities, of one record at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownNames:
    """The entities of a space at one revision, and what is recorded of their names."""

    view: IndexView
    summary: Summary
    records: dict[str, NameRecord]
    versions: dict[str, int]

    def id_of(self, text: str, *, field: str) -> str:
        """Return the id by which the entity of an id or a name is known.

        Raises:
            NotFound: Nothing present has that id or name.
            InvalidInput: It names several.
        """
        named = self.view.names.matching(text)
        exact = {fold_name(text)} & named
        meant = sorted({self.summary.known_by.get(one, one) for one in exact or named})
        if not meant:
            raise NotFound("entity", text)
        if len(meant) > 1:
            raise InvalidInput(field, f"names several; say which by its id: {', '.join(meant)}")
        return meant[0]

    def record(self, entity: str) -> NameRecord:
        """Return the record of an entity; without one, it has its most frequent name."""
        if entity in self.records:
            return self.records[entity]
        names = next((one.names for one in self.summary.entities if one.id == entity), ())
        return NameRecord(entity=entity, names=names[:1] or (entity.partition(":")[2],))

    def version(self, entity: str) -> int:
        """Return the version of an entity's record, 0 if there is none."""
        return self.versions.get(record_id(entity), 0)


def list_entities(opened: OpenSpace, *, name: str) -> tuple[Entity, ...]:
    """Return the entities of a space, most mentioned first; `name` selects those that hold it."""
    space = opened.find_of_any_embedder()
    if space is None:
        return ()
    with look(space, opened.home.index(space)) as (reader, view):
        return somebody(_read_known(view, reader).summary.entities, name=name)


def find_entity(opened: OpenSpace, entity: str, *, related: int) -> EntityDetails:
    """Return an entity by its id or a name, with up to `related` that it is mentioned with.

    Raises:
        NotFound: It is not there.
        InvalidInput: It names several.
    """
    space = opened.find_of_any_embedder()
    if space is None:
        raise NotFound("entity", entity)
    with look(space, opened.home.index(space)) as (reader, view):
        known = _read_known(view, reader)
        return known.summary.details(known.id_of(entity, field="entity"), most=related)


def merge(entity: str, others: Sequence[str], opened: OpenSpace) -> Entity:
    """Merge other entities into one: from now on all their ids and names mean it.

    Raises:
        NotFound: One of them is not there.
        InvalidInput: A name means several, nothing else is named, or they are of two kinds.
        StoreBusy: Others wrote the same record faster, again and again; nothing was written.
    """
    gone: list[str] = []

    def change(known: _KnownNames, kept: NameRecord) -> NameRecord:
        found = [known.id_of(one, field="others") for one in others]
        gone[:] = [one for one in dict.fromkeys(found) if one != kept.entity]
        if not gone:
            raise InvalidInput("others", "must name at least one other entity")
        for one in gone:
            _check_kinds(kept.entity, one)
        absorbed = [known.record(one) for one in gone]
        return replace(
            kept,
            names=_once((*kept.names, *(name for one in absorbed for name in one.names))),
            same=_once((*kept.same, *(i for one in absorbed for i in (one.entity, *one.same)))),
        )

    merged = _change(entity, change, opened)
    opened.make().forget([record_id(one) for one in gone], at=opened.now())
    return _find_entity(merged, opened)


def rename(entity: str, name: str, opened: OpenSpace) -> Entity:
    """Give an entity the name by which it is shown; it still answers to its other names.

    Raises:
        NotFound: It is not there.
        InvalidInput: It names several, or the name is that of another.
        StoreBusy: Others wrote the same record faster, again and again; nothing was written.
    """

    def change(known: _KnownNames, kept: NameRecord) -> NameRecord:
        return _with_names(kept, [name], known, first=True)

    return _find_entity(_change(entity, change, opened), opened)


def alias(entity: str, names: Sequence[str], opened: OpenSpace) -> Entity:
    """Give an entity further names that it answers to.

    Raises:
        NotFound: It is not there.
        InvalidInput: It names several, no name is given, or one is that of another.
        StoreBusy: Others wrote the same record faster, again and again; nothing was written.
    """
    if not names:
        raise InvalidInput("names", "must hold at least one name")

    def change(known: _KnownNames, kept: NameRecord) -> NameRecord:
        return _with_names(kept, names, known, first=False)

    return _find_entity(_change(entity, change, opened), opened)


def _change(
    entity: str, change: Callable[[_KnownNames, NameRecord], NameRecord], opened: OpenSpace
) -> str:
    """Write the changed record of an entity and return its id, unless another was faster."""
    space = opened.find()
    if space is None:
        raise NotFound("entity", entity)
    for _ in range(TRIES_MAX):
        with look(space, opened.index) as (reader, view):
            known = _read_known(view, reader)
            one = known.id_of(entity, field="entity")
            made = _bound(change(known, known.record(one)))
        item = record_item(made)
        try:
            keep([item], opened, expected={item.id: known.version(one)})
        except Conflict:
            continue
        return one
    raise overtaken(f"entity {entity!r}")


def _with_names(
    kept: NameRecord, names: Iterable[str], known: _KnownNames, *, first: bool
) -> NameRecord:
    """Return the record with further names, the shown one before the others if `first`."""
    given = _once(names)
    same = [one for name in given for one in _same_by_name(kept.entity, name, known)]
    every = (*given, *kept.names) if first else (*kept.names, *given)
    return replace(kept, names=_once(every), same=_once((*kept.same, *same)))


def _same_by_name(entity: str, name: str, known: _KnownNames) -> list[str]:
    """Return the ids by which items name an entity that is called so, besides its own.

    Raises:
        InvalidInput: It is the name of another entity: the two may be merged instead.
    """
    if kind_of(entity) is EntityKind.PERSON:
        alone = f"{EntityKind.PERSON}:~{fold_name(name)}"
        is_free = known.summary.known_by.get(alone) == alone
        return [alone] if is_free and alone != entity else []
    found = []
    for kind, own in ((EntityKind.PROJECT, core_of(name)), (EntityKind.TOPIC, fold_name(name))):
        one = f"{kind}:{own}"
        means = known.summary.known_by.get(one, entity)
        is_mere_topic = means == one and kind is EntityKind.TOPIC
        if means != entity and not is_mere_topic:
            raise InvalidInput("name", f"is that of {means}; merge the two instead")
        found.append(one)
    return [one for one in found if one != entity]


def _check_kinds(entity: str, other: str) -> None:
    kinds = {kind_of(entity), kind_of(other)} - {EntityKind.TOPIC}
    if len(kinds) > 1:
        raise InvalidInput("others", f"{other} is of another kind than {entity}")


def _bound(record: NameRecord) -> NameRecord:
    if max(len(record.names), len(record.same)) > ALIASES_MAX:
        raise InvalidInput("entity", f"has more than {ALIASES_MAX} names or merged entities then")
    return record


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


_KNOWN = "known_names"
"""Under this a view keeps what was read of its names: it never changes."""


def _read_known(view: IndexView, reader: Reader) -> _KnownNames:
    return view.derive(_KNOWN, lambda: _read_names(view, reader))


def _read_names(view: IndexView, reader: Reader) -> _KnownNames:
    slots = sorted(view.name_groups)
    keys = [int(key) for key in view.items.keys.rows(view.item_count)[slots]]
    items = reader.items(keys)
    records = {one.entity: one for one in filter(None, map(record_of, items.values()))}
    groups = dict(zip(keys, (view.name_groups[slot] for slot in slots), strict=True))
    shown = {entity: one.names for entity, one in records.items()}
    is_preference = view.having_codes("source", [PREFERENCE])
    about_keys = set(map(int, view.items.keys.rows(view.item_count)[is_preference]))
    mentions = (one for one in reader.mention_rows(0) if one.item_key not in about_keys)
    return _KnownNames(
        view=view,
        summary=Summary(mentions, groups=groups, shown=shown),
        records=records,
        versions={item.id: item.version for item in items.values()},
    )


def _find_entity(entity: str, opened: OpenSpace) -> Entity:
    with look(opened.space, opened.index) as (reader, view):
        found = _read_known(view, reader).summary
    return next(one for one in found.entities if one.id == found.known_by.get(entity, entity))
