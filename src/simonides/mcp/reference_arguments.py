"""The arguments of the tools of the reference MCP memory server, by its names.

Must not know what a tool does with them.
"""

from dataclasses import dataclass
from typing import Annotated, TypedDict

from msgspec import Meta

from simonides.mcp.items import TEXT_CHARS_MAX
from simonides.mcp.questions import QUESTION_CHARS_MAX
from simonides.model.bounds import NAME

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
