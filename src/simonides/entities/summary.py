"""Summary of all entities of a space: their names and how many items mention each.

Pure over mentions. What is one entity is decided by `directory`; here people who are known by name
alone find their address, and names of nobody are left out.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from simonides.entities.directory import Directory, Group, Names
from simonides.entities.extract import fold_name
from simonides.entities.not_names import is_role, names_nothing
from simonides.model.answer import Entity
from simonides.model.entity import EntityDetails, RelatedEntity
from simonides.model.stored import EntityKind
from simonides.ports.space import MentionRow


class Summary:
    """The entities of a space: which id each is known by, and the records, most mentioned first.

    A person known by name alone stands under the address that alone bears that name, and so does a
    topic of a person's whole name; two addresses are never taken for one person, unless their owner
    says so. `groups` are the ids that are one by a name record, by the key of its item, `shown` the
    names that records give their entities: an item that keeps a record mentions nobody.
    """

    def __init__(
        self,
        mentions: Iterable[MentionRow],
        *,
        groups: Mapping[int, Group] | None = None,
        shown: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        groups = groups or {}
        directory = Directory()
        self._names: dict[str, Counter[str]] = defaultdict(Counter)
        self._items: dict[str, set[int]] = defaultdict(set)
        for mention in mentions:
            directory.extend([(mention.entity, mention.kind, mention.name)])
            is_record = mention.item_key in groups
            self._names[mention.entity].update(() if is_record else [mention.name])
            self._items[mention.entity].update(() if is_record else [mention.item_key])
        names = Names(directory=directory, has_name=lambda *_: True, groups=tuple(groups.values()))
        self.known_by = _map_to_known(self._names, names)
        self._items_of: dict[str, set[int]] = defaultdict(set)
        for entity, known in self.known_by.items():
            self._items_of[known] |= self._items[entity]
        self.entities = self._entities(shown or {})

    def details(self, entity: str, *, most: int) -> EntityDetails:
        """Return the details of an entity by the id it is known by, with up to `most` related."""
        own = self._items_of[entity]
        ids = tuple(sorted(one for one, known in self.known_by.items() if known == entity))
        shared = ((one, len(own & self._items_of[one.id])) for one in somebody(self.entities))
        related = sorted(
            ((one, count) for one, count in shared if count and one.id != entity),
            key=lambda pair: (-pair[1], pair[0].id),
        )
        return EntityDetails(
            entity=next(one for one in self.entities if one.id == entity),
            ids=ids,
            addresses=tuple(filter(None, map(address_of, ids))),
            related=tuple(
                RelatedEntity(id=one.id, kind=one.kind, name=one.names[0], items=count)
                for one, count in related[:most]
            ),
        )

    def _entities(self, shown: Mapping[str, Collection[str]]) -> tuple[Entity, ...]:
        names: dict[str, Counter[str]] = defaultdict(Counter)
        items = self._items_of
        for entity, known in self.known_by.items():
            names[known].update(self._names[entity])
        found = (
            Entity(
                id=entity,
                kind=entity.partition(":")[0],
                names=tuple(dict.fromkeys((*shown.get(entity, ()), *_by_number(names[entity])))),
                mentions=len(items[entity]),
            )
            for entity in names
            if names[entity] or entity in shown
        )
        return tuple(sorted(found, key=lambda one: (-one.mentions, one.id)))


def address_of(entity: str) -> str:
    """Return the address in the id of a person; empty if it has none."""
    kind, _, own = entity.partition(":")
    return own if kind == EntityKind.PERSON and "@" in own else ""


def somebody(entities: Iterable[Entity], *, name: str = "") -> tuple[Entity, ...]:
    """Return the entities that are not only roles or greetings, and whose name contains `name`."""
    wanted = fold_name(name)
    return tuple(
        one
        for one in entities
        if not _is_nobody(one)
        and (not wanted or any(wanted in fold_name(said) for said in (one.id, *one.names)))
    )


def _map_to_known(names: Mapping[str, Iterable[str]], same: Names) -> dict[str, str]:
    known = {entity: same.find_main_id(entity) for entity in names}
    people = _people_of_names(names, known)
    return {entity: people.get(one, one) for entity, one in known.items()}


def _people_of_names(
    names: Mapping[str, Iterable[str]], known: Mapping[str, str]
) -> dict[str, str]:
    """Return {person by name alone, or topic: the one person with an address and that name}."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for entity, found in names.items():
        if entity.startswith("person:") and not entity.startswith("person:~"):
            for name in found:
                bearers[fold_name(name)].add(known[entity])
    people = {}
    for entity in set(known.values()):
        kind, _, own = entity.partition(":")
        is_whole = kind == EntityKind.TOPIC and " " in own
        if is_whole or (kind == EntityKind.PERSON and own.startswith("~")):
            bearing = bearers.get(own.lstrip("~"), ())
            if len(bearing) == 1:
                people[entity] = next(iter(bearing))
    return people


def _by_number(names: Counter[str]) -> list[str]:
    return [name for name, _ in sorted(names.items(), key=lambda pair: (-pair[1], pair[0]))]


def _is_nobody(entity: Entity) -> bool:
    """Return whether all its names are roles of a chat, greetings, clock words and the like."""
    if entity.kind == EntityKind.PERSON:
        return "@" not in entity.id and all(map(is_role, entity.names))
    return entity.kind == EntityKind.TOPIC and all(
        names_nothing(name.split()) for name in entity.names
    )
