"""The memories of a space as a knowledge graph of entities, observations and relations.

Every memory whose metadata name an entity is in it, whoever stored it. What a call changes is
written in one transaction. Must not know the arguments of any tool.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from simonides.api.memory import Memory
from simonides.api.paging import each_item
from simonides.errors import NotFound
from simonides.mcp.items import VIA
from simonides.memories.graph import (
    GraphMemory,
    Relation,
    entity_of,
    make_observation,
    make_relation,
    observation_of,
    relation_of,
    type_of,
)
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEntity:
    """An entity: its type, its place in the order, and the ids of each observation's memories.

    The empty observation stands for the memory that only says that there is this entity.
    """

    kind: str
    place: int
    ids: dict[str, list[str]]

    @property
    def observations(self) -> list[str]:
        """The observations, as stored."""
        return [text for text in self.ids if text]


class Graph:
    """A graph, and the changes of it that `write` is to make.

    With `names` it holds the entities of these names alone, and the relations that begin or end
    there: of a large graph no more is read than a call needs.
    """

    def __init__(
        self, memory: Memory, *, now: datetime, names: Collection[str] | None = None
    ) -> None:
        self.entities: dict[str, GraphEntity] = {}
        self.relations: dict[Relation, list[str]] = {}
        self._memory, self._names = memory, names
        self._added: list[Item] = []
        self._forgotten: list[str] = []
        self._next = _microseconds(now)
        for item in sorted(_memories(memory, names), key=lambda one: (_place(one), one.id)):
            self._read(item)

    def create(self, name: str, kind: str, observations: Iterable[str]) -> bool:
        """Add an entity; return whether it is new. One that there is stays as it is."""
        is_new = name not in self.entities
        if is_new:
            for text in list(observations) or [""]:
                self._add(make_observation(name, kind, text))
        return is_new

    def relate(self, relation: Relation) -> bool:
        """Add a relation; return whether it is new."""
        is_new = relation not in self.relations
        if is_new:
            self._add(make_relation(relation))
        return is_new

    def observe(self, name: str, observations: Iterable[str]) -> list[str]:
        """Add observations; return the new ones.

        Raises:
            NotFound: There is no such entity.
        """
        entity = self.entities.get(name)
        if entity is None:
            raise NotFound("entity", name)
        new = [text for text in dict.fromkeys(observations) if text not in entity.ids]
        for text in new:
            self._add(make_observation(name, entity.kind, text))
        return new

    def delete(self, names: Collection[str]) -> None:
        """Delete entities and all relations that begin or end there."""
        for name in names:
            entity = self.entities.pop(name, None)
            for ids in entity.ids.values() if entity else ():
                self._forgotten += ids
        for one in [one for one in self.relations if one.start in names or one.end in names]:
            self.unrelate(one)

    def unobserve(self, name: str, observations: Iterable[str]) -> None:
        """Delete observations. Their entity stays, also where another client deletes its others."""
        entity = self.entities.get(name)
        gone = [text for text in observations if text and entity and text in entity.ids]
        if entity is None or not gone:
            return
        for text in gone:
            self._forgotten += entity.ids.pop(text, ())
        if "" not in entity.ids:
            self._add(make_observation(name, entity.kind, ""), place=entity.place)

    def unrelate(self, relation: Relation) -> None:
        """Delete a relation, if there is such a one."""
        self._forgotten += self.relations.pop(relation, ())

    def write(self) -> None:
        """Write all changes in one transaction."""
        if self._added or self._forgotten:
            self._memory.write(add=self._added, forget=self._forgotten)

    def part(self, names: Collection[str] | None = None) -> dict[str, list[dict[str, Any]]]:
        """Return the entities of these names with the relations of each, or all there is."""
        entities, relations = self.entities, list(self.relations)
        if names is not None:
            entities = {name: one for name, one in entities.items() if name in names}
            relations = [r for r in relations if r.start in entities or r.end in entities]
        return {
            "entities": [entity_wire(name, one) for name, one in entities.items()],
            "relations": [relation_wire(one) for one in relations],
        }

    def containing(self, query: str) -> list[str]:
        """Return the names of the entities whose name, type or observations contain a text."""
        wanted = query.lower()
        return [
            name
            for name, one in self.entities.items()
            if any(wanted in text.lower() for text in (name, one.kind, *one.observations))
        ]

    def _add(self, memory: GraphMemory, *, place: int | None = None) -> None:
        item = memory.item(metadata=VIA, position=self._next if place is None else place)
        self._added.append(item)
        self._read(item)

    def _read(self, item: Item) -> None:
        name, relation, place = entity_of(item), relation_of(item), _place(item)
        self._next = max(self._next, place + 1)
        if relation:
            self.relations.setdefault(relation, []).append(item.id)
        elif name and (self._names is None or name in self._names):
            kept = self.entities.get(name) or GraphEntity(kind="", place=place, ids={})
            kept.ids.setdefault(observation_of(item), []).append(item.id)
            kind = kept.kind or type_of(item)
            self.entities[name] = GraphEntity(kind=kind, place=kept.place, ids=kept.ids)


def entity_wire(name: str, entity: GraphEntity) -> dict[str, Any]:
    """Return an entity as the tools tell it."""
    return {"name": name, "entityType": entity.kind, "observations": entity.observations}


def relation_wire(relation: Relation) -> dict[str, Any]:
    """Return a relation as the tools tell it."""
    return {"from": relation.start, "to": relation.end, "relationType": relation.name}


def _memories(memory: Memory, names: Collection[str] | None) -> Iterator[Item]:
    where: dict[str, Any] = {"entity": {"exists": True}}
    if names is not None:
        where = {"or": [{"entity": {"in": [*names]}}, {"to": {"in": [*names]}}]}
    return each_item(memory, Filter(kinds=[Kind.MEMORY], where=where))


def _place(item: Item) -> int:
    """Return where an item stands: the position it was given, else when it was stored."""
    if item.position is not None:
        return item.position
    return _microseconds(item.stored_at) if item.stored_at else 0


def _microseconds(when: datetime) -> int:
    return int(when.timestamp() * 1_000_000)
