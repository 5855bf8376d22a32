"""A knowledge graph as memories: one memory for each observation and each relation.

The one rule of their shape, for what imports the `memory.jsonl` of the reference MCP memory server
and for the tools with its names. Must not know a file or a tool.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from simonides.model.item import Item, Kind, short_hash

SOURCE = "mcp-memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation between two entities, by their names."""

    start: str
    name: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphMemory:
    """What a memory of a graph has; `metadata` and `tags` without what is empty."""

    source_id: str
    text: str
    metadata: Mapping[str, str]
    tags: tuple[str, ...] = ()

    def item(self, *, metadata: Mapping[str, str], position: int) -> Item:
        """Return the memory as an item of the server's own source, with more metadata."""
        return Item(
            kind=Kind.MEMORY,
            source=SOURCE,
            source_id=self.source_id,
            content=self.text,
            tags=self.tags,
            metadata={**self.metadata, **metadata},
            position=position,
        )


def make_observation(entity: str, kind: str, text: str) -> GraphMemory:
    """Return the memory of an observation, with the name of its entity unless it says it.

    Without a text it says that there is such an entity.
    """
    if text:
        content = text if entity.lower() in text.lower() else f"{entity}: {text}"
    else:
        content = f"{entity} ({kind})" if kind else entity
    about = {"entity": entity, "entity_type": kind} if kind else {"entity": entity}
    return GraphMemory(
        source_id=_observation_id(entity, text),
        text=content,
        metadata=about,
        tags=(kind,) if kind else (),
    )


def make_relation(relation: Relation) -> GraphMemory:
    """Return the memory of a relation, a sentence."""
    start, name, end = relation.start, relation.name, relation.end
    source_id = f"{start}/{name}/{end}"
    if "/" in start + name:  # another relation may have the same letters: a/b + c, a + b/c
        source_id += "/" + short_hash(f"{start}\x1f{name}\x1f{end}")[:16]
    return GraphMemory(
        source_id=source_id,
        text=" ".join((start, name.replace("_", " "), end)),
        metadata={"entity": start, "relation": name, "to": end},
    )


def entity_of(item: Item) -> str:
    """Return the name of the entity that a memory is about; empty if it names none."""
    return _text(item, "entity")


def type_of(item: Item) -> str:
    """Return the type of a memory's entity; empty if none is known."""
    return _text(item, "entity_type")


def relation_of(item: Item) -> Relation | None:
    """Return the relation that a memory states, if it states one."""
    start, name, end = (_text(item, key) for key in ("entity", "relation", "to"))
    return Relation(start=start, name=name, end=end) if start and name and end else None


def observation_of(item: Item) -> str:
    """Return a memory as an observation, without the name that `make_observation` puts before it.

    It is empty where the memory only says that there is such an entity.
    """
    entity = entity_of(item)
    bare = item.content.removeprefix(f"{entity}: ")
    if item.source_id == _observation_id(entity, ""):
        return ""
    return bare if item.source_id == _observation_id(entity, bare) else item.content


def _observation_id(entity: str, text: str) -> str:
    return f"{entity}/{short_hash(text)[:16] if text else ''}"


def _text(item: Item, key: str) -> str:
    value = item.metadata.get(key)
    return value if isinstance(value, str) else ""
