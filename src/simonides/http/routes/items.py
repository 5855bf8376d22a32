"""`/v1/items`: keep, look at, change, forget and bring back what is kept.

An item's ETag names one version of it for good; `If-Match` has a change happen only on that one.
"""

from typing import Any

from simonides.codec.read import read_item
from simonides.codec.write import outcomes_form
from simonides.errors import Conflict, InvalidInput, NotFound
from simonides.http.arguments import read_as_of, read_filter
from simonides.http.bodies.asking import FilterBody
from simonides.http.bodies.form import AsOfAsked
from simonides.http.bodies.items import AddBody, ItemsAsked, RestoreBody, UpdateBody
from simonides.http.errors import RequestRefused
from simonides.http.route import Answer, Call, Route
from simonides.http.schema import array, record, schema_of
from simonides.model.access import Permission
from simonides.model.answer import Page
from simonides.model.item import Item
from simonides.model.stored import Change, Outcome
from simonides.model.times import microseconds


def list_items(call: Call) -> Answer:
    """Return a page of items, newest first."""
    asked: ItemsAsked = call.query
    body = FilterBody(
        kinds=asked.kind, sources=asked.source, collections=asked.collection,
        sessions=asked.session, tags=asked.tag, people=asked.person,
        statuses=asked.status or ["active"], since=asked.since, until=asked.until,
    )  # fmt: skip
    zone = call.memory.settings.timezone
    page = call.memory.list(
        filter=read_filter(body, now=call.server.now(), timezone=zone),
        limit=asked.limit,
        cursor=asked.cursor,
        as_of=read_as_of(asked.as_of, timezone=zone),
    )
    return Answer(record=page, count=len(page.items))


def add(call: Call) -> Answer:
    """Keep one item, or several in one transaction."""
    body: AddBody = call.body
    zone = call.memory.settings.timezone
    if body.items is not None and body.model_fields_set - {"items", "space"}:
        raise InvalidInput("items", "stands for all: leave out the fields beside it")
    items = [read_item(one, timezone=zone) for one in body.records()]
    outcomes: tuple[Outcome, ...] = call.memory.add(items)
    is_new = any(one.change is Change.ADDED for one in outcomes)
    return Answer(
        record=outcomes_form(outcomes), status=201 if is_new else 200, count=len(outcomes)
    )


def get(call: Call) -> Answer:
    """Return one item; 304 where the caller has this version already."""
    asked: AsOfAsked = call.query
    when = read_as_of(asked.as_of, timezone=call.memory.settings.timezone)
    item = call.memory.get(call.ids["id"], as_of=when)
    have = [one.removeprefix("W/") for one in _listed(call.header("if-none-match"))]
    if etag(item) in have or have == ["*"]:
        return Answer(record=item, status=304, headers={"ETag": etag(item)})
    return _item(item)


def update(call: Call) -> Answer:
    """Replace some fields of an item."""
    body: UpdateBody = call.body
    wanted = _wanted(call)
    fields = _fields(body, timezone=call.memory.settings.timezone)
    try:
        return _item(call.memory.update(call.ids["id"], if_version=wanted, **fields))
    except Conflict as error:
        raise _failed(error, wanted) from error


def forget(call: Call) -> Answer:
    """Take an item out of the present."""
    item_id, wanted = call.ids["id"], _wanted(call)
    try:
        gone = call.memory.forget(item_id, if_version=wanted)
    except Conflict as error:
        if not error.found:
            raise NotFound("item", item_id) from error
        raise _failed(error, wanted) from error
    if not gone:
        raise NotFound("item", item_id)
    return Answer(record={"forgotten": gone}, count=len(gone))


def history(call: Call) -> Any:
    """Return every version of an item that is kept."""
    return {"versions": call.memory.history(call.ids["id"])}


def restore(call: Call) -> Answer:
    """Bring back a forgotten item, or an earlier version."""
    body: RestoreBody = call.body
    return _item(call.memory.restore(call.ids["id"], version=body.version))


def etag(item: Item) -> str:
    """Return the ETag of a version of an item: no other version ever has it.

    Numbers of versions come again where what was erased is added anew, and revisions where that was
    the whole space: so it is both, and when the version was kept, to the µs.
    """
    kept_us = microseconds(item.stored_at) if item.stored_at else 0
    return f'"{item.version}-{item.revision}-{kept_us:x}"'


def _item(item: Item) -> Answer:
    return Answer(record=item, headers={"ETag": etag(item)}, count=1)


def _wanted(call: Call) -> int | None:
    """Return the version that `If-Match` asks for; None without one, or for any (`*`).

    Raises:
        NotFound: There is no such item.
        Refused: Another version of it is present (412); a weak ETag names none.
    """
    given = _listed(call.header("if-match"))
    if given in ([], ["*"]):
        return None
    present = call.memory.get(call.ids["id"])
    if etag(present).strip('"') not in [one.removeprefix('"').removesuffix('"') for one in given]:
        raise RequestRefused(
            412, f"no present version has the ETag {given[0][:60]}; read the item again"
        )
    return present.version


def _listed(header: str) -> list[str]:
    return [one.strip() for one in header.split(",") if one.strip()]


def _failed(error: Conflict, wanted: int | None) -> Exception:
    """Return 412 where the caller named a version, else the conflict as it is."""
    return error if wanted is None else RequestRefused(412, str(error))


def _fields(body: UpdateBody, *, timezone: str) -> dict[str, Any]:
    """Return the fields that are to change, as `update` takes them."""
    told = body.record()
    if not told:
        raise InvalidInput("body", "names no field: say what is to change")
    item = read_item({"title": "what is to change", **told}, timezone=timezone)
    return {name: told[name] if name == "traits" else getattr(item, name) for name in told}


_ITEM = schema_of(Item)
_EXAMPLE = {"content": "The Alpha deadline moved to Friday.", "source": "gmail", "tags": ["alpha"]}
_ADDED = record(**dict.fromkeys(map(str, Change), int), outcomes=array(Outcome))

ROUTES = (
    Route(
        method="GET", path="/v1/items", verb="list", tag="items", run=list_items,
        told="List what is kept, newest first, a page at a time.",
        query=ItemsAsked, answers={200: schema_of(Page)}, problems=(410,),
    ),
    Route(
        method="POST", path="/v1/items", verb="add", tag="items", run=add,
        told="Keep an item, or several in one transaction; durable when it is answered.",
        permission=Permission.WRITE, body=AddBody, answers={201: _ADDED, 200: _ADDED},
        writes=True, example=_EXAMPLE,
    ),
    Route(
        method="GET", path="/v1/items/{id}", verb="get", tag="items", run=get,
        told="Return one item.", query=AsOfAsked, problems=(404, 410),
        answers={200: _ITEM, 304: None}, headers=("If-None-Match",),
    ),
    Route(
        method="PATCH", path="/v1/items/{id}", verb="update", tag="items", run=update,
        told="Replace some fields of an item; with If-Match only of that version.",
        shows=True, permission=Permission.WRITE, body=UpdateBody, answers={200: _ITEM},
        problems=(404, 409, 412), example={"title": "Alpha, new deadline"}, headers=("If-Match",),
    ),
    Route(
        method="DELETE", path="/v1/items/{id}", verb="forget", tag="items", run=forget,
        told="Forget an item: no lane finds it any more; `restore` brings it back.",
        permission=Permission.WRITE, answers={200: record(forgotten=array(str))},
        problems=(404, 412), headers=("If-Match",),
    ),
)  # fmt: skip
