"""`/v1/entities`: the people, projects, issues and topics that are mentioned."""

from typing import Any

from simonides.http.bodies.asking import EntitiesAsked
from simonides.http.route import Call, Route
from simonides.http.schema import array, record
from simonides.model.answer import Entity


def entities(call: Call) -> Any:
    """Return the entities mentioned, most often first."""
    asked: EntitiesAsked = call.query
    return {"entities": call.memory.entities(name=asked.name, limit=asked.limit)}


ROUTES = (
    Route(
        method="GET", path="/v1/entities", verb="entities", tag="entities", run=entities,
        told="List who and what is mentioned, most often first.", query=EntitiesAsked,
        answers={200: record(entities=array(Entity))},
    ),
)  # fmt: skip
