"""The tools of the reference MCP memory server: the same names, arguments and answers.

So what was written for that server works on this memory: `create_entities`, `create_relations`,
`add_observations`, `delete_entities`, `delete_observations`, `delete_relations`, `read_graph`,
`search_nodes`, `open_nodes`. Must not know how a graph is kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypedDict

from msgspec import Meta

from simonides.api.caller import Caller
from simonides.errors import InvalidInput
from simonides.importers.json_values import lines, words
from simonides.mcp.answers import ANSWER_TOKENS_MAX, as_json, bound_text, cost, fit, fitting
from simonides.mcp.graph import Graph, entity_wire, relation_wire
from simonides.mcp.items import TEXT_CHARS_MAX
from simonides.mcp.questions import QUESTION_CHARS_MAX
from simonides.mcp.tool import McpTool, ToolResult, shape
from simonides.memories.graph import Relation, entity_of, relation_of
from simonides.model.access import Permission
from simonides.model.bounds import NAME
from simonides.model.item import Kind

FOUND_MAX, FOUND_RELEVANCE = 10, 0.015
"""Memories that a search finds at most; less relevant is what has only chance words in common."""

ENTITIES_TOKENS_MAX = ANSWER_TOKENS_MAX * 3 // 4
"""Of a graph that is too large: what is left is for its relations."""


EACH_MAX = 1_000
"""Entries of one list of arguments."""

_Name = Annotated[str, Meta(max_length=NAME.chars_max)]
_Names = Annotated[tuple[_Name, ...], Meta(max_length=EACH_MAX)]
_Text = Annotated[str, Meta(max_length=TEXT_CHARS_MAX)]
_Texts = Annotated[tuple[_Text, ...], Meta(max_length=EACH_MAX)]


class NewEntity(TypedDict):
    """An entity, by the reference server's names."""

    name: _Name
    entityType: _Name
    observations: _Texts


NamedRelation = TypedDict(
    "NamedRelation", {"from": _Name, "to": _Name, "relationType": _Name}
)  # a field of a class cannot be called `from`


class NewObservations(TypedDict):
    """Observations to add to an entity."""

    entityName: _Name
    contents: _Texts


class Deletion(TypedDict):
    """Observations to delete from an entity."""

    entityName: _Name
    observations: _Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateEntities:
    """Entities to create."""

    entities: Annotated[tuple[NewEntity, ...], Meta(max_length=EACH_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relations:
    """Relations to create or delete."""

    relations: Annotated[tuple[NamedRelation, ...], Meta(max_length=EACH_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddObservations:
    """Observations to add, by entity."""

    observations: Annotated[tuple[NewObservations, ...], Meta(max_length=EACH_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteEntities:
    """Names of the entities to delete."""

    entityNames: _Names  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteObservations:
    """Observations to delete, by entity."""

    deletions: Annotated[tuple[Deletion, ...], Meta(max_length=EACH_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadGraph:
    """No arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchNodes:
    """What to look for."""

    query: Annotated[str, Meta(max_length=QUESTION_CHARS_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenNodes:
    """Names of the entities to return."""

    names: _Names


def create_entities(caller: Caller, arguments: CreateEntities) -> ToolResult:
    """Create entities; return the new ones."""
    wanted = [(_name(one["name"], "entities.name"), one) for one in arguments.entities]
    graph = _graph(caller, (name for name, _ in wanted))
    new = [
        name
        for name, one in wanted
        if graph.create(name, words(one["entityType"]), _clean_observations(one["observations"]))
    ]
    graph.write()
    return _answer_addition("entities", [entity_wire(name, graph.entities[name]) for name in new])


def create_relations(caller: Caller, arguments: Relations) -> ToolResult:
    """Create relations; return the new ones."""
    wanted = list(map(_relation, arguments.relations))
    graph = _graph(caller, (one.start for one in wanted))
    new = [one for one in wanted if graph.relate(one)]
    graph.write()
    return _answer_addition("relations", list(map(relation_wire, new)))


def add_observations(caller: Caller, arguments: AddObservations) -> ToolResult:
    """Add observations to entities; return the new ones of each."""
    wanted = [
        (words(one["entityName"]), _clean_observations(one["contents"]))
        for one in arguments.observations
    ]
    graph = _graph(caller, (name for name, _ in wanted))
    results = [
        {"entityName": name, "addedObservations": graph.observe(name, texts)}
        for name, texts in wanted
    ]
    graph.write()
    return _answer_addition("results", results)


def delete_entities(caller: Caller, arguments: DeleteEntities) -> ToolResult:
    """Delete entities and their relations."""
    names = set(map(words, arguments.entityNames))
    graph = _graph(caller, names)
    graph.delete(names)
    return _answer_deletion(graph, "Entities", len(arguments.entityNames))


def delete_observations(caller: Caller, arguments: DeleteObservations) -> ToolResult:
    """Delete observations of entities."""
    graph = _graph(caller, (words(one["entityName"]) for one in arguments.deletions))
    for one in arguments.deletions:
        graph.unobserve(words(one["entityName"]), _clean_observations(one["observations"]))
    return _answer_deletion(graph, "Observations", len(arguments.deletions))


def delete_relations(caller: Caller, arguments: Relations) -> ToolResult:
    """Delete relations."""
    wanted = list(map(_relation, arguments.relations))
    graph = _graph(caller, (one.start for one in wanted))
    for one in wanted:
        graph.unrelate(one)
    return _answer_deletion(graph, "Relations", len(arguments.relations))


def read_graph(caller: Caller, _: ReadGraph) -> ToolResult:
    """Return the whole graph."""
    return _part(_graph(caller).part())


def search_nodes(caller: Caller, arguments: SearchNodes) -> ToolResult:
    """Return the entities that contain a text; where none does, those that a search finds."""
    graph = _graph(caller)
    names = graph.containing(arguments.query) or _find_names(caller, arguments.query)
    return _part(graph.part(set(names)))


def open_nodes(caller: Caller, arguments: OpenNodes) -> ToolResult:
    """Return the entities of these names."""
    names = set(map(words, arguments.names))
    return _part(_graph(caller, names).part(names))


def _graph(caller: Caller, names: Iterable[str] | None = None) -> Graph:
    wanted = None if names is None else set(names)
    return Graph(caller.memory, now=caller.now(), names=wanted)


def _name(given: str, field: str) -> str:
    name = words(given)
    if not name:
        raise InvalidInput(field, "must not be empty")
    return name


def _clean_observations(given: Iterable[str]) -> list[str]:
    """Return observations as an import cleans them, each once, without the empty ones."""
    return list(dict.fromkeys(filter(None, map(lines, given))))


def _relation(given: NamedRelation) -> Relation:
    return Relation(
        start=_name(given["from"], "relations.from"),
        name=_name(given["relationType"], "relations.relationType"),
        end=_name(given["to"], "relations.to"),
    )


def _find_names(caller: Caller, query: str) -> list[str]:
    """Return the names of the entities of the memories that a search finds."""
    if not query.strip():
        return []
    hits = caller.memory.search(
        query, limit=FOUND_MAX, filter={"kinds": [Kind.MEMORY]}, min_relevance=FOUND_RELEVANCE
    ).hits
    ends = [one.end for one in map(relation_of, (hit.item for hit in hits)) if one]
    return [*(entity_of(hit.item) for hit in hits), *ends]


def _answer_addition(name: str, new: list[dict[str, Any]]) -> ToolResult:
    """Return the answer to an addition; its text is the list alone, unless it is cut."""
    structured = fit({name: new})
    text = bound_text(as_json(structured if "cut" in structured else new))
    return ToolResult(text=text, structured=structured, count=len(new))


def _answer_deletion(graph: Graph, what: str, count: int) -> ToolResult:
    graph.write()
    message = f"{what} deleted successfully"
    structured = {"success": True, "message": message}
    return ToolResult(text=message, structured=structured, count=count)


def _part(graph: Mapping[str, list[dict[str, Any]]]) -> ToolResult:
    """Return a graph; of one that is too large as many entities and relations as fit, and `cut`."""
    structured: dict[str, Any] = dict(graph)
    if cost(structured) > ANSWER_TOKENS_MAX:
        fits = max(1, fitting(graph["entities"], ENTITIES_TOKENS_MAX))
        entities = fit({"entities": graph["entities"][:fits]}, ENTITIES_TOKENS_MAX)
        left = ANSWER_TOKENS_MAX - cost(entities) - 20
        relations = graph["relations"][: fitting(graph["relations"], left)]
        structured = {**entities, "relations": relations, "cut": True}
    text = bound_text(as_json(structured))
    return ToolResult(text=text, structured=structured, count=len(structured["entities"]))


_WRITING = (Permission.WRITE, Permission.READ)
_GRAPH = shape(entities=list, relations=list)
_GONE = shape(success=bool, message=str)
_READS = partial(McpTool, verb="list", answer=_GRAPH)
_ADDS = partial(McpTool, verb="add", permissions=_WRITING)
_DELETES = partial(McpTool, verb="forget", permissions=_WRITING, answer=_GONE, destroys=True)

TOOLS = (
    _ADDS(
        name="create_entities", title="Create entities", run=create_entities,
        request=CreateEntities, answer=shape(entities=list),
        summary="Create entities with their observations; names that exist are left as they are."
        " Returns the new ones.",
    ),
    _ADDS(
        name="create_relations", title="Create relations", run=create_relations,
        request=Relations, answer=shape(relations=list),
        summary="Create relations between entities, such as works_at, in the active voice."
        " Returns the new ones.",
    ),
    _ADDS(
        name="add_observations", title="Add observations", run=add_observations,
        request=AddObservations, answer=shape(results=list),
        summary="Add observations to entities that exist. Returns the new ones of each.",
    ),
    _DELETES(
        name="delete_entities", title="Delete entities", run=delete_entities,
        request=DeleteEntities,
        summary="Delete entities with their observations and relations. The person can bring"
        " them back.",
    ),
    _DELETES(
        name="delete_observations", title="Delete observations", run=delete_observations,
        request=DeleteObservations,
        summary="Delete observations of entities. The person can bring them back.",
    ),
    _DELETES(
        name="delete_relations", title="Delete relations", run=delete_relations, request=Relations,
        summary="Delete relations between entities. The person can bring them back.",
    ),
    _READS(
        name="read_graph", title="Read graph", run=read_graph, request=ReadGraph,
        summary="Read all entities, observations and relations; `cut` says that more is kept.",
    ),
    _READS(
        name="search_nodes", title="Search nodes", run=search_nodes, request=SearchNodes,
        summary="Find entities whose name, type or observations contain the query, with their"
        " relations; where none does, those that a search by meaning finds.",
    ),
    _READS(
        name="open_nodes", title="Open nodes", run=open_nodes, request=OpenNodes,
        summary="Return the entities of these names with their relations.",
    ),
)  # fmt: skip
