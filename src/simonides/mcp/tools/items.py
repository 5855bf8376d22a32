"""`add_memory`, `get_memory`, `list_memories`, `update_memory`, `delete_memory`."""

from typing import Any

from simonides.codec.write import to_wire
from simonides.errors import Conflict, InvalidInput, NotFound
from simonides.mcp import results
from simonides.mcp.arguments import TITLE_CHARS_MAX, Adding, Deleting, Getting, Listing, Updating
from simonides.mcp.bounds import ANSWER_TOKENS_MAX, cost, cut, fitting, lean, told_short
from simonides.mcp.caller import ToolCaller
from simonides.mcp.prose import bounded, head, listed, said, spoken
from simonides.mcp.tools.tool import Tool, ToolResult
from simonides.model.access import Permission
from simonides.model.answer import Page
from simonides.model.filter import Filter
from simonides.model.item import Item
from simonides.model.times import read_time
from simonides.text.tokens import truncate

VIA = {"_via": "mcp"}
"""What says of a memory that a model kept it; underscored: it is no word to be found by."""


def add_memory(guest: ToolCaller, asked: Adding) -> ToolResult:
    """Remember a statement: add it, supersede what it contradicts, or confirm it."""
    memory = guest.memory
    given: dict[str, Any] = {
        "entity": asked.entity, "type": asked.type, "tags": tuple(asked.tags), "metadata": VIA,
    }  # fmt: skip
    if asked.happened_at:
        zone = memory.settings.timezone
        given["happened_at"] = read_time(asked.happened_at, name="happened_at", timezone=zone)
    done = memory.remember(asked.text, **given)
    wire = to_wire(done)
    structured = {name: wire[name] for name in results.KeptItems.__annotations__}
    took = f"; it takes the place of {done.superseded}" if done.superseded else ""
    text = f"{done.op} ({done.reason}): id {done.id}{took}"
    return ToolResult(text=said(text), structured=structured, count=len(done.written))


def get_memory(guest: ToolCaller, asked: Getting) -> ToolResult:
    """Return one item, a stretch of its content at a time."""
    item = guest.memory.get(asked.id)
    if asked.offset > len(item.content):
        problem = f"its content has {len(item.content)} characters, got {asked.offset}"
        raise InvalidInput("offset", problem)
    return one_item(item, offset=asked.offset, tokens_max=asked.tokens_max)


def one_item(item: Item, *, offset: int = 0, tokens_max: int) -> ToolResult:
    """Return an item whole but for its content, of which there is a stretch."""
    wire = _spared(lean({**to_wire(item), "content": ""}))
    rest = item.content[offset:]
    shown = truncate(rest, tokens_max)
    goes_on = offset + len(shown) if len(shown) < len(rest) else None
    structured = {
        "item": {**wire, "content": shown},
        "next_offset": goes_on,
        "content_chars": len(item.content),
    }
    more = f"The content goes on: ask again with offset {goes_on}." if goes_on is not None else ""
    text = listed([(head(1, wire), spoken(shown, item))], more=(more,))
    return ToolResult(text=text, structured=structured, count=1)


OTHERS_TOKENS_MAX = ANSWER_TOKENS_MAX // 2


def _spared(wire: dict[str, Any]) -> dict[str, Any]:
    """Return an item's other fields within half of an answer; `cut` says that some are left out."""
    kept = {**wire, "title": cut(wire.get("title", ""), TITLE_CHARS_MAX)}
    for name in ("quoted", "metadata", "people", "summary", "tags"):
        if cost(kept) <= OTHERS_TOKENS_MAX:
            break
        if kept.pop(name, None) is not None:
            kept["cut"] = True
    return lean(kept)


LISTED_TOKENS_MAX = ANSWER_TOKENS_MAX - 1_500
"""Tokens of a page's items: a cursor holds an id, which may be long."""


def list_memories(guest: ToolCaller, asked: Listing) -> ToolResult:
    """Return a page of items, newest first."""
    wanted = Filter(kinds=tuple(asked.kinds), sources=tuple(asked.sources))
    page = guest.memory.list(filter=wanted, limit=asked.limit, cursor=asked.cursor)
    share = LISTED_TOKENS_MAX // asked.limit
    wires = _short(page, share)
    fits = max(1, fitting(wires, LISTED_TOKENS_MAX))
    if fits < len(wires):  # ask for as many as fit, so that the cursor goes on behind them
        page = guest.memory.list(filter=wanted, limit=fits, cursor=asked.cursor)
        wires = _short(page, share)
    more = f"There is more: ask again with cursor {page.cursor}" if page.cursor else ""
    blocks = [
        (head(number, one), spoken(one.get("content", ""), item))
        for number, (one, item) in enumerate(zip(wires, page.items, strict=False), 1)
    ]
    structured = {"items": wires, "cursor": page.cursor}
    return ToolResult(text=listed(blocks, more=(more,)), structured=structured, count=len(wires))


def _short(page: Page, tokens_max: int) -> list[dict[str, Any]]:
    return [told_short(to_wire(one), tokens_max - 2) for one in page.items]


def update_memory(guest: ToolCaller, asked: Updating) -> ToolResult:
    """Replace some fields of an item."""
    given = {"content": asked.text, "title": asked.title, "tags": asked.tags}
    fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not fields:
        raise InvalidInput("arguments", "name no field: say what is to change")
    if "tags" in fields:
        fields["tags"] = tuple(fields["tags"])
    item = guest.memory.update(asked.id, if_version=asked.if_version, **fields)
    return one_item(item, tokens_max=1_000)


def delete_memory(guest: ToolCaller, asked: Deleting) -> ToolResult:
    """Take an item out of the present."""
    try:
        gone = guest.memory.forget(asked.id, if_version=asked.if_version)
    except Conflict as error:
        if error.found:
            raise
        gone = ()
    if not gone:
        raise NotFound("item", asked.id)
    text = bounded(said(f"forgotten: {gone[0]}"))
    return ToolResult(text=text, structured={"forgotten": list(gone)}, count=len(gone))


_WRITING = (Permission.WRITE, Permission.READ)

TOOLS = (
    Tool(
        name="add_memory", title="Add memory", verb="remember", run=add_memory,
        told="Remember one statement for good. It is compared with what is remembered: it is"
        " added, takes the place of one that it contradicts (which stays in the history), or"
        " confirms one. Only what the person says of themselves or asks you to keep.",
        arguments=Adding, answer=results.KeptItems, permissions=_WRITING,
    ),
    Tool(
        name="get_memory", title="Get memory", verb="get", run=get_memory,
        told="Return one item by its id, a stretch of its content at a time.",
        arguments=Getting, answer=results.OneItem,
    ),
    Tool(
        name="list_memories", title="List memories", verb="list", run=list_memories,
        told="List what is kept, newest first, a page at a time; contents are cut.",
        arguments=Listing, answer=results.ItemPage,
    ),
    Tool(
        name="update_memory", title="Update memory", verb="update", run=update_memory,
        told="Replace the text, title or tags of an item; its earlier version stays in the"
        " history.",
        arguments=Updating, answer=results.OneItem, permissions=_WRITING, destroys=True,
    ),
    Tool(
        name="delete_memory", title="Delete memory", verb="forget", run=delete_memory,
        told="Forget an item: nothing finds it any more. The person can bring it back.",
        arguments=Deleting, answer=results.Forgotten, permissions=_WRITING,
        destroys=True,
    ),
)  # fmt: skip
