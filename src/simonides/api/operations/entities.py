"""The operations on entities: list, get, merge, rename and alias."""

from dataclasses import dataclass

from simonides.api.operations.fields import EntityName, EntityNames, Limit, Name
from simonides.api.operations.operation import Operation
from simonides.model.access import Permission
from simonides.model.answer import Entity
from simonides.model.entity import EntityDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntities:
    """The entities whose name or alias contains `name`, most frequent first, `after` an id."""

    name: Name = ""
    limit: Limit = 50
    after: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetEntity:
    """An entity, by its id or a name, and how many that it is mentioned with are named."""

    entity: EntityName
    related: Limit = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeEntities:
    """An entity, and the others that are the same: ids or names."""

    entity: EntityName
    others: EntityNames


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameEntity:
    """An entity, by its id or a name, and the name by which it is shown."""

    entity: EntityName
    name: EntityName


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasEntity:
    """An entity, by its id or a name, and further names that it answers to."""

    entity: EntityName
    names: EntityNames


OPERATIONS = (
    Operation(
        name="entities", subject="entities", method="GET", path="/v1/entities",
        summary="List the people, projects and topics mentioned, most frequent first.",
        request=ListEntities, result=tuple[Entity, ...], result_name="entities",
    ),
    Operation(
        name="entities.get", subject="entities", method="POST", path="/v1/entities/get",
        summary="Return an entity with its addresses and what it is mentioned with.",
        request=GetEntity, positional=("entity",), result=EntityDetails, problems=(404,),
        example={"entity": "project:alpha"},
    ),
    Operation(
        name="entities.merge", subject="entities", method="POST", path="/v1/entities/merge",
        summary="Merge entities that are one: all their names mean the first from now on.",
        request=MergeEntities, positional=("entity",), spread="others", result=Entity,
        permission=Permission.WRITE, shows=True, writes=True, problems=(404,),
        example={"entity": "project:alpha", "others": ["project:gamma"]},
    ),
    Operation(
        name="entities.rename", subject="entities", method="POST", path="/v1/entities/rename",
        summary="Give an entity the name by which it is shown.",
        request=RenameEntity, positional=("entity", "name"), result=Entity,
        permission=Permission.WRITE, shows=True, writes=True, problems=(404,),
        example={"entity": "project:alpha", "name": "Project Apollo"},
    ),
    Operation(
        name="entities.alias", subject="entities", method="POST", path="/v1/entities/alias",
        summary="Give an entity further names that it answers to.",
        request=AliasEntity, positional=("entity",), spread="names", result=Entity,
        permission=Permission.WRITE, shows=True, writes=True, problems=(404,),
        example={"entity": "project:alpha", "names": ["Apollo"]},
    ),
)  # fmt: skip
