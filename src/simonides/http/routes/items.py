"""The routes of items with features of HTTP: ETags and short parameters.

An item's ETag names one version of it for good; `If-Match` has a change happen only on that one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from simonides.api.operations.fields import AsOf, ListPage, Names, Time
from simonides.api.operations.items import ListRequest
from simonides.api.operations.remote import REMOTE, check_erasure
from simonides.codec.request import MalformedJson, decode, read_request
from simonides.codec.schema import schema_of
from simonides.errors import Conflict, InvalidInput, NotFound
from simonides.http.errors import RequestRefused
from simonides.http.route import Answer, Call, Route, answer, answer_to, route_of
from simonides.model.answer import Page
from simonides.model.item import Item, Kind, Status, short_hash
from simonides.model.times import microseconds

LIST, GET, UPDATE, FORGET = (REMOTE[one] for one in ("list", "get", "update", "forget"))


# ── items ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ListParameters(ListPage):
    """The parameters of a page of items; those of a list may be repeated.

    `filter` is a filter as JSON, for what has no parameter of its own.
    """

    as_of: AsOf | None = None
    filter: str = ""
    kind: tuple[Kind, ...] = ()
    source: Names = ()
    collection: Names = ()
    session: Names = ()
    tag: Names = ()
    person: Names = ()
    status: tuple[Status, ...] = ()
    since: Time | None = None
    until: Time | None = None


_FIELDS = {
    "kind": "kinds", "source": "sources", "collection": "collections", "session": "sessions",
    "tag": "tags", "person": "people", "status": "statuses", "since": "since", "until": "until",
}  # fmt: skip
"""Parameters, and the fields of a filter that they stand for."""


def list_items(call: Call) -> Answer:
    """Return a page of items, newest first."""
    asked: ListParameters = call.read_request()
    wanted = _filter(asked.filter)
    for parameter, name in _FIELDS.items():
        value = getattr(asked, parameter)
        if value:
            if name in wanted:
                raise InvalidInput(parameter, f"stands in the filter already, as {name}")
            wanted[name] = value
    page = {"limit": asked.limit, "cursor": asked.cursor, "as_of": asked.as_of}
    return answer_to(LIST, call, read_request(ListRequest, {**page, "filter": wanted}))


def _filter(text: str) -> dict[str, Any]:
    try:
        found = decode(text.encode()) if text else {}
    except MalformedJson:
        found = None
    if not isinstance(found, dict):
        raise InvalidInput("filter", "must be an object of JSON")
    return found


def get(call: Call) -> Answer:
    """Return one item; 304 if the caller has this version already."""
    made = _with_etag(answer(GET, call))
    have = [one.removeprefix("W/") for one in _split_header(call.header("if-none-match"))]
    is_known = made.headers["ETag"] in have or have == ["*"]
    return replace(made, status=304, count=0) if is_known else made


def update(call: Call) -> Answer:
    """Replace some fields of an item."""
    return _with_etag(_if_matched(call, partial(answer_to, UPDATE)))


def forget(call: Call) -> Answer:
    """Forget an item; no search finds it any more."""
    return _if_matched(call, _forget)


def _forget(call: Call, asked: Any) -> Answer:
    try:
        return answer_to(FORGET, call, asked)
    except Conflict as error:
        if not error.found:
            raise NotFound("item", call.ids["id"]) from error
        raise


def restore(call: Call) -> Answer:
    """Restore an item, or an earlier version."""
    return _with_etag(answer(REMOTE["restore"], call))


def _with_etag(made: Answer) -> Answer:
    return replace(made, headers={"ETag": etag(made.record)})


def _if_matched(call: Call, run: Callable[[Call, Any], Answer]) -> Answer:
    """Run a change if the version named by `If-Match` is present; 412 otherwise."""
    asked, wanted = call.read_request(), _read_if_match(call)
    if wanted is None:
        return run(call, asked)
    try:
        return run(call, replace(asked, if_version=wanted))
    except Conflict as error:
        raise RequestRefused(412, str(error)) from error


def etag(item: Item) -> str:
    """Return the ETag of a version of an item, which no other version ever has.

    Numbers of versions come again where what was erased is added anew, and revisions where that was
    the whole space: so it is of both, and of when the version was kept, to the µs. Hashed, lest
    callers read a number in it.
    """
    kept_us = microseconds(item.stored_at) if item.stored_at else 0
    return f'"{short_hash(f"{item.version}-{item.revision}-{kept_us}")}"'


def _read_if_match(call: Call) -> int | None:
    """Return the version required by `If-Match`; None without one, or for any (`*`).

    Raises:
        NotFound: There is no such item.
        Refused: Another version of it is present (412); a weak ETag names none.
    """
    given = _split_header(call.header("if-match"))
    if given in ([], ["*"]):
        return None
    present = call.memory.get(call.ids["id"])
    if etag(present).strip('"') not in [one.removeprefix('"').removesuffix('"') for one in given]:
        raise RequestRefused(
            412, f"no present version has the ETag {given[0][:60]}; read the item again"
        )
    return present.version


def _split_header(header: str) -> list[str]:
    return [one.strip() for one in header.split(",") if one.strip()]


# ── memories ─────────────────────────────────────────────────────────────────────────────────


def list_memories(call: Call) -> Answer:
    """Return a page of memories, newest first."""
    asked: ListPage = call.read_request()
    given = {"limit": asked.limit, "cursor": asked.cursor, "filter": {"kinds": ["memory"]}}
    return answer_to(LIST, call, read_request(ListRequest, given))


def get_memory(call: Call) -> Answer:
    """Return one memory."""
    made = get(call)
    _check_memory(made.record, call)
    return made


def memory_history(call: Call) -> Answer:
    """Return every version of a memory."""
    made = answer(REMOTE["history"], call)
    _check_memory(made.record["versions"][-1].item, call)
    return made


def restore_memory(call: Call) -> Answer:
    """Restore an earlier version of a memory."""
    asked = call.read_request()
    _check_memory(call.memory.history(asked.item_id)[-1].item, call)
    return _with_etag(answer_to(REMOTE["restore"], call, asked))


def _check_memory(item: Item, call: Call) -> None:
    if item.kind is not Kind.MEMORY:
        raise NotFound("memory", call.ids["id"])


# ── erasure ──────────────────────────────────────────────────────────────────────────────────


def erase(call: Call) -> Answer:
    """Erase permanently; the audit entry is written before."""
    asked = call.read_request()
    check_erasure(call.memory, asked, now=call.server.now())
    call.server.announce(call.caller, "erase")
    return answer_to(REMOTE["erase"], call, asked)


_IF_MATCH = {"headers": ("If-Match",), "problems": (404, 409, 412)}
_IF_NONE_MATCH = {
    "headers": ("If-None-Match",), "answers": {200: schema_of(Item), 304: None},
}  # fmt: skip

OF_OPERATIONS = (
    route_of("list", run=list_items, request=ListParameters),
    route_of("get", run=get, **_IF_NONE_MATCH),
    route_of("update", run=update, **_IF_MATCH),
    route_of("forget", run=forget, **_IF_MATCH),
    route_of("restore", run=restore),
    route_of("erase", run=erase),
)

_OF_MEMORIES: dict[str, Any] = {"tag": "memories"}

MEMORIES = (
    Route(
        method="GET", path="/v1/memories", verb="list", tag="memories", run=list_memories,
        summary="List the active memories, newest first.", request=ListPage,
        answers={200: schema_of(Page)},
    ),
    route_of(
        "get", path="/v1/memories/{id}", run=get_memory, summary="Return one memory.",
        **_OF_MEMORIES, **_IF_NONE_MATCH,
    ),
    route_of(
        "history", path="/v1/memories/{id}/history", run=memory_history,
        summary="Return every stored version of a memory.", **_OF_MEMORIES,
    ),
    route_of(
        "restore", path="/v1/memories/{id}/restore", run=restore_memory,
        summary="Restore an earlier version of a memory, as a new version.", **_OF_MEMORIES,
    ),
)  # fmt: skip
