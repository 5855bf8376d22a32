"""`/v1/background`: the free text that goes with a collection ("latest context")."""

from typing import Any

from simonides.errors import NotFound
from simonides.http.bodies.background import BackgroundBody, BestBody, CollectionAsked, HistoryAsked
from simonides.http.route import Answer, Call, Route
from simonides.http.schema import array, record, schema_of
from simonides.model.access import Permission
from simonides.model.background import Background, BackgroundPage, ScoredBackground
from simonides.model.times import read_time


def put(call: Call) -> Answer:
    """Add a snapshot: from now on it is the collection's background."""
    body: BackgroundBody = call.body
    made = call.memory.background.put(body.text, collection=body.collection)
    return Answer(record=made, status=201, count=1)


def get(call: Call) -> Background:
    """Return the latest snapshot of a collection."""
    asked: CollectionAsked = call.query
    zone = call.memory.settings.timezone
    when = read_time(asked.as_of, name="as_of", timezone=zone) if asked.as_of else None
    found = call.memory.background.get(collection=asked.collection, as_of=when)
    if found is None:
        raise NotFound("background of collection", asked.collection)
    return found


def history(call: Call) -> BackgroundPage:
    """Return a page of a collection's snapshots, latest first."""
    asked: HistoryAsked = call.query
    return call.memory.background.history(
        collection=asked.collection, limit=asked.limit, cursor=asked.cursor
    )


def best(call: Call) -> Any:
    """Return the snapshots that share most with a question."""
    body: BestBody = call.body
    found = call.memory.background.best(body.query, collection=body.collection, limit=body.limit)
    return {"snapshots": found}


def delete(call: Call) -> Answer:
    """Hide a snapshot at once and for good."""
    if not call.memory.background.delete(call.ids["id"]):
        raise NotFound("background", call.ids["id"])
    return Answer(record={"deleted": [call.ids["id"]]}, count=1)


_ONE = schema_of(Background)

ROUTES = (
    Route(
        method="POST", path="/v1/background", verb="background.put", tag="background", run=put,
        told="Put a collection's background; earlier ones stay in its history.",
        permission=Permission.WRITE, body=BackgroundBody, answers={201: _ONE}, writes=True,
        example={"text": "Working on the Alpha launch; the demo is on Friday."},
    ),
    Route(
        method="GET", path="/v1/background", verb="background.get", tag="background", run=get,
        told="Return a collection's background, now or as of a time.", query=CollectionAsked,
        answers={200: _ONE}, problems=(404,),
    ),
    Route(
        method="GET", path="/v1/background/history", verb="background.history", run=history,
        told="List a collection's snapshots, latest first.", query=HistoryAsked,
        answers={200: schema_of(BackgroundPage)}, tag="background",
    ),
    Route(
        method="POST", path="/v1/background/best", verb="background.best", run=best,
        told="Return the snapshots that share most with a question.", body=BestBody,
        answers={200: record(snapshots=array(ScoredBackground))}, tag="background",
        example={"query": "When is the demo?"},
    ),
    Route(
        method="DELETE", path="/v1/background/{id}", verb="background.delete", run=delete,
        told="Hide a snapshot at once and for good.", permission=Permission.WRITE,
        answers={200: record(deleted=array(str))}, problems=(404,), tag="background",
    ),
)  # fmt: skip
