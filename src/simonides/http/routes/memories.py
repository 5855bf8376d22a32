"""`/v1/memories`: statements that are compared with those there are."""

from typing import Any

from simonides.codec.read import read_item
from simonides.errors import NotFound
from simonides.http.bodies.form import AsOfAsked, PageAsked
from simonides.http.bodies.items import RestoreBody
from simonides.http.bodies.memories import RememberBody
from simonides.http.route import Answer, Call, Route
from simonides.http.routes import items
from simonides.http.schema import array, record, schema_of
from simonides.model.access import Permission
from simonides.model.answer import Page
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind
from simonides.model.maintenance import Version
from simonides.model.memories import Remembered


def remember(call: Call) -> Answer:
    """Compare a statement with the memories there are, and do what follows."""
    body: RememberBody = call.body
    told = body.record()
    text, dry_run = told.pop("text"), told.pop("dry_run", False)
    item = read_item({"title": "what is remembered", **told}, timezone=_zone(call))
    given: dict[str, Any] = {name: getattr(item, name) for name in told if name != "traits"}
    traits = told.get("traits", {})
    if "expires_at" in traits and item.traits is not None:
        traits = {**traits, "expires_at": item.traits.expires_at}
    done = call.memory.remember(text, dry_run=dry_run, **given, **traits)
    return Answer(record=done, status=200 if dry_run or not done.written else 201,
                  count=len(done.written))  # fmt: skip


def _zone(call: Call) -> str:
    return call.memory.settings.timezone


def list_memories(call: Call) -> Answer:
    """Return a page of memories, newest first."""
    asked: PageAsked = call.query
    wanted = Filter(kinds=(Kind.MEMORY,))
    page = call.memory.list(filter=wanted, limit=asked.limit, cursor=asked.cursor)
    return Answer(record=page, count=len(page.items))


def get(call: Call) -> Answer:
    """Return one memory."""
    return _a_memory(call, items.get(call))


def history(call: Call) -> Any:
    """Return every version of a memory."""
    told = items.history(call)
    if told["versions"][-1].item.kind is not Kind.MEMORY:
        raise NotFound("memory", call.ids["id"])
    return told


def restore(call: Call) -> Answer:
    """Bring a memory back as it was."""
    history(call)
    return items.restore(call)


def _a_memory(call: Call, answer: Answer) -> Answer:
    if answer.record.kind is not Kind.MEMORY:
        raise NotFound("memory", call.ids["id"])
    return answer


_ITEM = schema_of(Item)

ROUTES = (
    Route(
        method="POST", path="/v1/memories", verb="remember", tag="memories", run=remember,
        told="Remember a statement: add it, supersede what it contradicts, or confirm it.",
        shows=True, permission=Permission.WRITE, body=RememberBody, writes=True,
        answers={201: schema_of(Remembered), 200: schema_of(Remembered)},
        example={"text": "Sarah prefers tea.", "traits": {"entity": "sarah", "type": "profile"}},
    ),
    Route(
        method="GET", path="/v1/memories", verb="list", tag="memories", run=list_memories,
        told="List the memories that hold, newest first.", query=PageAsked,
        answers={200: schema_of(Page)},
    ),
    Route(
        method="GET", path="/v1/memories/{id}", verb="get", tag="memories", run=get,
        told="Return one memory.", query=AsOfAsked, answers={200: _ITEM, 304: None},
        problems=(404, 410), headers=("If-None-Match",),
    ),
    Route(
        method="GET", path="/v1/memories/{id}/history", verb="history", tag="memories",
        run=history, told="Return every version of a memory that is kept.",
        answers={200: record(versions=array(Version))}, problems=(404,),
    ),
    Route(
        method="POST", path="/v1/memories/{id}/restore", verb="restore", tag="memories",
        run=restore, told="Bring a memory back as it was, as a new version.",
        shows=True, permission=Permission.WRITE, body=RestoreBody, answers={200: _ITEM},
        problems=(404, 409), writes=True, example={"version": 1},
    ),
)  # fmt: skip
