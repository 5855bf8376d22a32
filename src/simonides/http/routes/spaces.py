"""`/v1/spaces`, `/v1/stats`: which spaces a key opens, and how much is in its own."""

from typing import Any

from simonides.http.route import Call, Route
from simonides.http.schema import array, record, schema_of
from simonides.model.access import Permission
from simonides.model.answer import SpaceStats


def spaces(call: Call) -> Any:
    """Return the spaces that this key may read; with `admin`, the names of all that there are."""
    caller = call.caller
    own = [caller.space, *caller.shared]
    names = call.memory.spaces() if caller.allows(Permission.ADMIN) else ()
    return {"space": caller.space, "spaces": sorted({*own, *names})}


def stats(call: Call) -> SpaceStats:
    """Return counts and sizes of the key's own space."""
    return call.memory.stats()


ROUTES = (
    Route(
        method="GET", path="/v1/spaces", verb="spaces", tag="spaces", run=spaces,
        told="Return the key's own space, and all that it may read.",
        answers={200: record(space=str, spaces=array(str))},
    ),
    Route(
        method="GET", path="/v1/stats", verb="stats", tag="spaces", run=stats,
        told="Return counts and sizes of the key's own space.",
        answers={200: schema_of(SpaceStats)}, problems=(404,),
    ),
)  # fmt: skip
