"""`/v1/spaces`, `/v1/stats`: which spaces a key opens, and how much is in its own."""

from typing import Any

from simonides.http.route import Call, Route
from simonides.http.schema import array, record
from simonides.model.access import Permission


def spaces(call: Call) -> Any:
    """Return the spaces that this key may read; with `admin`, the names of all that there are."""
    caller = call.caller
    own = [caller.space, *caller.shared]
    names = call.memory.spaces() if caller.allows(Permission.ADMIN) else ()
    return {"space": caller.space, "spaces": sorted({*own, *names})}


ROUTES = (
    Route(
        method="GET", path="/v1/spaces", verb="spaces", tag="spaces", run=spaces,
        told="Return the key's own space, and all that it may read.",
        answers={200: record(space=str, spaces=array(str))},
    ),
)  # fmt: skip
