"""`/v1/…/` and `/v3/…/`: the routes that mem0's clients call, so that they work with `host=` alone.

Their paths end with a slash, which no other route does. What is added is kept as it was said, one
memory a message; `user_id`, `agent_id`, `app_id` and `run_id` are filtered on exactly.
"""

from dataclasses import replace
from functools import partial
from itertools import islice

from simonides.api.memory import Memory
from simonides.api.paging import each_item
from simonides.errors import InvalidInput, NotFound
from simonides.http import mem0_forms as forms
from simonides.http.route import Answer, Call, Route
from simonides.model.access import Permission
from simonides.model.bounds import LIMIT
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind

TOP_K = 10
PAGE_SIZE = 100


def ping(call: Call) -> Answer:
    """Return that the key is good; clients go on only if they get two names."""
    names = {"org_id": "simonides", "project_id": call.memory.space, "user_email": ""}
    return Answer(record={"status": "ok", **names})


def add(call: Call) -> Answer:
    """Keep each message as a memory, all in one transaction."""
    asked: forms.Mem0Add = call.read_request()
    named = asked.filters or {}
    whose = _read_names(asked) | {
        name: str(named[name]) for name in forms.IDENTITIES if name in named
    }
    now = call.server.now()
    said = (forms.item_of(one, asked, whose, now) for one in asked.messages if forms.text_of(one))
    items = [_as_first_said(call.memory, one) for one in said]
    outcomes = call.memory.add(items)
    results = [
        {"id": done.id, "memory": item.content, "event": forms.event_of(done.change)}
        for item, done in zip(items, outcomes, strict=True)
    ]
    return Answer(record={"results": results}, count=len(results))


def search(call: Call) -> Answer:
    """Return the memories found, best first; `score` is the relevance in [0, 1]."""
    asked: forms.Mem0Search = call.read_request()
    now = asked.reference_date
    result = call.memory.search(
        asked.query,
        limit=asked.top_k or TOP_K,
        filter=forms.filter_of(asked.filters, expired=bool(asked.show_expired)),
        min_relevance=asked.threshold,
        now=None if now is None else forms.time_of(now, "reference_date"),
    )
    found = [{**forms.memory_of(hit.item), "score": hit.relevance} for hit in result.hits]
    return Answer(record={"results": found}, count=len(found))


def list_(call: Call) -> Answer:
    """Return a page of memories, newest first."""
    asked: forms.Mem0List = call.read_request()
    sent = call.request.query_params
    page, size = (_whole(sent.get(name), name, default) for name, default in _PAGING)
    wanted = forms.filter_of(asked.filters, expired=bool(asked.show_expired))
    count = call.memory.counts(filter=wanted).items
    asked_for = islice(each_item(call.memory, wanted), (page - 1) * size, page * size)
    found = [forms.memory_of(one) for one in asked_for]
    following = f"?page={page + 1}&page_size={size}" if page * size < count else None
    before = f"?page={page - 1}&page_size={size}" if page > 1 else None
    answer = {"count": count, "next": following, "previous": before, "results": found}
    return Answer(record=answer, count=len(found))


def get(call: Call) -> Answer:
    """Return one memory."""
    return Answer(record=forms.memory_of(_present(call.memory, call.ids["id"])))


def update(call: Call) -> Answer:
    """Replace the words or the metadata of a memory."""
    asked: forms.Mem0Update = call.read_request()
    return Answer(record=forms.memory_of(_update(call.memory, asked)))


def delete(call: Call) -> Answer:
    """Forget one memory."""
    call.memory.forget(_present(call.memory, call.ids["id"]).id)
    return Answer(record={"message": "Memory deleted successfully!"}, count=1)


def delete_all(call: Call) -> Answer:
    """Forget the memories of somebody.

    Raises:
        InvalidInput: Nobody is named.
    """
    asked: forms.Mem0Of = call.read_request()
    whose = _read_names(asked)
    if not whose:
        raise InvalidInput(
            "user_id", f"name one of {', '.join(forms.IDENTITIES)}; `*` stands for any"
        )
    count = _forget(call.memory, forms.filter_of(whose, expired=True))
    return Answer(record={"message": "Memories deleted successfully!"}, count=count)


def history(call: Call) -> Answer:
    """Return the history of a memory, oldest first."""
    versions = call.memory.history(call.ids["id"])
    if versions[0].item.kind is not Kind.MEMORY:
        raise NotFound("memory", call.ids["id"])
    return Answer(record=list(forms.events_of(versions)))


def entities(call: Call) -> Answer:
    """Return whose memories there are, and how many of each."""
    found = [
        {"type": name.removesuffix("_id"), "name": value, "total_memories": count}
        for name in forms.IDENTITIES
        for value, count in call.memory.counts(
            filter={"kinds": [Kind.MEMORY]}, metadata=f"_{name}"
        ).by_value.items()
    ]
    return Answer(record={"count": len(found), "results": found}, count=len(found))


def delete_entity(call: Call) -> Answer:
    """Forget the memories of somebody of a type."""
    name = f"{call.ids['type']}_id"
    if name not in forms.IDENTITIES:
        raise NotFound("entity type", call.ids["type"])
    count = _forget(call.memory, forms.filter_of({name: call.ids["id"]}, expired=True))
    if not count:
        raise NotFound("entity", call.ids["id"])
    return Answer(record={"message": "Entity deleted successfully!"}, count=count)


def update_batch(call: Call) -> Answer:
    """Update several memories, one after the other."""
    asked: forms.Mem0Batch = call.read_request()
    for one in asked.memories:
        _present(call.memory, one.memory_id)
    for one in asked.memories:
        _update(call.memory, one)
    count = len(asked.memories)
    return Answer(record={"message": f"Successfully updated {count} memories"}, count=count)


def delete_batch(call: Call) -> Answer:
    """Forget several memories at once."""
    asked: forms.Mem0Batch = call.read_request()
    ids = [_present(call.memory, one.memory_id).id for one in asked.memories]
    call.memory.forget(*ids)
    return Answer(record={"message": f"Successfully deleted {len(ids)} memories"}, count=len(ids))


def _read_names(asked: forms.Mem0Add | forms.Mem0Of) -> dict[str, str]:
    """Return whose memories a request is about, by the names of mem0's identities."""
    return {name: value for name in forms.IDENTITIES if (value := getattr(asked, name))}


def _as_first_said(memory: Memory, item: Item) -> Item:
    """Return a memory with the time at which the same was added first."""
    try:
        before = memory.get(item.id).metadata.get(forms.CREATED_AT)
    except NotFound:
        return item
    return replace(item, metadata={**item.metadata, forms.CREATED_AT: before})


def _present(memory: Memory, item_id: str) -> Item:
    item = memory.get(item_id)
    if item.kind is not Kind.MEMORY:
        raise NotFound("memory", item_id)
    return item


def _update(memory: Memory, asked: forms.Mem0Update) -> Item:
    item = _present(memory, asked.memory_id)
    fields: forms.Object = {}
    if asked.text is not None:
        fields["content"] = asked.text
    if asked.metadata is not None:
        kept = {name: value for name, value in item.metadata.items() if name.startswith("_")}
        fields["metadata"] = {**asked.metadata, **kept}
    if asked.timestamp is not None:
        fields["happened_at"] = forms.time_of(asked.timestamp, "timestamp")
    if asked.expiration_date is not None:
        fields["traits"] = {"expires_at": forms.time_of(asked.expiration_date, "expiration_date")}
    return memory.update(item.id, **fields)


def _forget(memory: Memory, wanted: Filter) -> int:
    ids = [one.id for one in each_item(memory, wanted)]
    return len(memory.forget(*ids)) if ids else 0


_PAGING = (("page", 1), ("page_size", PAGE_SIZE))


def _whole(text: str | None, field: str, default: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= LIMIT.high):
        raise InvalidInput(field, f"must be a whole number from 1 to {LIMIT.high:,}")
    return int(text)


# ── routes ────────────────────────────────────────────────────────────────────────────────────

_route = partial(Route, tag="mem0", is_open=True, answers={200: {"type": "object"}})
_MEMORY = "/v1/memories/{id}/"
_A_QUESTION = {"query": "What does Ana drink?", "filters": {"user_id": "ana"}}

ROUTES = (
    _route(method="GET", path="/v1/ping/", verb="settings", run=ping,
           summary="mem0: return that the key is good."),
    _route(method="POST", path="/v3/memories/add/", verb="add", run=add, request=forms.Mem0Add,
           permission=Permission.WRITE, writes=True, shows=True,
           example={"messages": [{"role": "user", "content": "I drink green tea."}],
                    "user_id": "ana"},
           summary="mem0: keep each message as a memory."),
    _route(method="POST", path="/v3/memories/search/", verb="search", run=search,
           request=forms.Mem0Search, example=_A_QUESTION,
           summary="mem0: return the memories found, best first."),
    _route(method="POST", path="/v3/memories/", verb="list", run=list_, request=forms.Mem0List,
           example={"filters": {"user_id": "ana"}},
           summary="mem0: return a page of memories, newest first."),
    _route(method="GET", path="/v1/memories/{id}/history/", verb="history", run=history,
           request=forms.Mem0Id, id_field="memory_id", problems=(404,),
           answers={200: {"type": "array", "items": {"type": "object"}}},
           summary="mem0: return what became of a memory."),
    _route(method="GET", path=_MEMORY, verb="get", run=get, request=forms.Mem0Id,
           id_field="memory_id", problems=(404,), summary="mem0: return one memory."),
    _route(method="PUT", path=_MEMORY, verb="update", run=update, request=forms.Mem0Update,
           id_field="memory_id", permission=Permission.WRITE, shows=True, problems=(404, 409),
           example={"text": "Ana drinks black tea."},
           summary="mem0: replace the words or the metadata of a memory."),
    _route(method="DELETE", path=_MEMORY, verb="forget", run=delete, request=forms.Mem0Id,
           id_field="memory_id", permission=Permission.WRITE, problems=(404,),
           summary="mem0: forget one memory."),
    _route(method="DELETE", path="/v1/memories/", verb="forget", run=delete_all,
           request=forms.Mem0Of, permission=Permission.WRITE,
           summary="mem0: forget the memories of somebody."),
    _route(method="GET", path="/v1/entities/", verb="counts", run=entities,
           summary="mem0: return whose memories there are."),
    _route(method="DELETE", path="/v2/entities/{type}/{id}/", verb="forget", run=delete_entity,
           request=forms.Mem0Id, id_field="memory_id", permission=Permission.WRITE, problems=(404,),
           summary="mem0: forget the memories of somebody of a type."),
    _route(method="PUT", path="/v1/batch/", verb="update", run=update_batch,
           request=forms.Mem0Batch, permission=Permission.WRITE, problems=(404, 409),
           example={"memories": [{"memory_id": "abc", "text": "Ana drinks black tea."}]},
           summary="mem0: update several memories."),
    _route(method="DELETE", path="/v1/batch/", verb="forget", run=delete_batch, takes_body=True,
           example={"memories": [{"memory_id": "abc"}]},
           request=forms.Mem0Batch, permission=Permission.WRITE, problems=(404,),
           summary="mem0: forget several memories."),
)  # fmt: skip
