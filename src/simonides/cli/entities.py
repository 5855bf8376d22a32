"""`simonides entities`: the people, projects, issues and topics of a space, with their output."""

from typing import Any

from simonides.cli.context import Context
from simonides.cli.derived import Command
from simonides.cli.drawing import facts
from simonides.cli.options import TaskGroup
from simonides.cli.tables import table
from simonides.model.answer import Entity
from simonides.model.entity import EntityDetails

draw_entities = table(
    ("name", "kind", "mentions", "also", "id"),
    lambda _, one: (
        one.names[0], one.kind, f"{one.mentions:,}", ", ".join(one.names[1:4]), one.id
    ),
    empty="no entity is mentioned",
)  # fmt: skip


def draw_entity(context: Context, one: Entity, _: Any = None) -> None:
    """Draw an entity with all its names, of which the first is the shown one."""
    facts(
        context,
        [("name", one.names[0]), ("also", ", ".join(one.names[1:])),
         ("mentions", f"{one.mentions:,}"), ("id", one.id)],
    )  # fmt: skip


def draw_details(context: Context, found: EntityDetails, _: Any = None) -> None:
    """Draw an entity with its addresses, and what it is mentioned with."""
    draw_entity(context, found.entity)
    facts(context, [("addresses", ", ".join(found.addresses))])
    _draw_related(context, found.related)


_draw_related = table(
    ("mentioned with", "kind", "items", "id"),
    lambda _, one: (one.name, one.kind, f"{one.items:,}", one.id),
    empty="it is mentioned with nothing else",
)  # fmt: skip


ENTITIES = TaskGroup(
    HELP="List the people, projects, issues and topics mentioned; merge, rename, name them.",
    EXAMPLE="simonides entities --name sarah",
    default="list",
    tasks={
        "list": Command(
            operation="entities", draw=draw_entities, example="simonides entities --name sarah",
            help="List the people, projects, issues and topics mentioned, most frequent first.",
        ),
        "get": Command(
            operation="entities.get", draw=draw_details,
            meanings={"entity": "its id or a name",
                      "related": "how many it is mentioned with are named"},
            example='simonides entities get "Sarah Lindqvist"',
            help="Print an entity with its addresses and what it is mentioned with.",
        ),
        "merge": Command(
            operation="entities.merge", draw=draw_entity,
            meanings={"entity": "the id or name of the one that stays"},
            example='simonides entities merge "Project Alpha" "Project Apollo"',
        ),
        "rename": Command(
            operation="entities.rename", draw=draw_entity,
            meanings={"entity": "its id or a name", "name": "what it is called from now on"},
            example='simonides entities rename "Project Alpha" "Project Apollo"',
        ),
        "alias": Command(
            operation="entities.alias", draw=draw_entity,
            meanings={"entity": "its id or a name"},
            example='simonides entities alias "Project Alpha" Apollo "the rewrite"',
        ),
    },
)  # fmt: skip
