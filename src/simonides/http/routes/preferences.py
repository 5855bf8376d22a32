"""`/v1/preferences`: how the user wants things to be."""

from typing import Any

from simonides.errors import NotFound
from simonides.http.bodies.form import LimitAsked
from simonides.http.bodies.memories import PreferenceBody
from simonides.http.route import Answer, Call, Route
from simonides.http.schema import array, record, schema_of
from simonides.model.access import Permission
from simonides.model.chat import Preference


def list_preferences(call: Call) -> Any:
    """Return the preferences, those that are surest now first."""
    asked: LimitAsked = call.query
    return {"preferences": call.memory.preferences.list(limit=asked.limit)}


def get(call: Call) -> Preference:
    """Return one preference, as sure as it is now."""
    return call.memory.preferences.get(call.ids["id"])


def put(call: Call) -> Answer:
    """Keep what the user says, or seems to want."""
    body: PreferenceBody = call.body
    kept = call.memory.preferences
    state = kept.infer if body.inferred else kept.set
    return Answer(record=state(call.ids["id"], body.value), count=1)


def forget(call: Call) -> Answer:
    """Take a preference out of the present."""
    if not call.memory.preferences.forget(call.ids["id"]):
        raise NotFound("preference", call.ids["id"])
    return Answer(record={"forgotten": [call.ids["id"]]}, count=1)


_ONE = schema_of(Preference)

ROUTES = (
    Route(
        method="GET", path="/v1/preferences", verb="preferences.list", tag="preferences",
        run=list_preferences, told="List the preferences, the surest first.", query=LimitAsked,
        answers={200: record(preferences=array(Preference))},
    ),
    Route(
        method="GET", path="/v1/preferences/{id}", verb="preferences.get", tag="preferences",
        run=get, told="Return one preference, by its key.", answers={200: _ONE}, problems=(404,),
    ),
    Route(
        method="PUT", path="/v1/preferences/{id}", verb="preferences.set", tag="preferences",
        run=put, told="Keep how the user wants something to be.", shows=True,
        permission=Permission.WRITE,
        body=PreferenceBody, answers={200: _ONE}, problems=(404,), example={"value": "short"},
    ),
    Route(
        method="DELETE", path="/v1/preferences/{id}", verb="preferences.forget",
        tag="preferences", run=forget, told="Forget a preference.",
        permission=Permission.WRITE, answers={200: record(forgotten=array(str))}, problems=(404,),
    ),
)  # fmt: skip
