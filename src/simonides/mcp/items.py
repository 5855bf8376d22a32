"""`add_memory`, `get_memory`, `list_memories`, `update_memory`, `delete_memory`, `list_entities`.

The short forms of `remember`, `get`, `list`, `update`, `forget` and `entities`, for a model to
read: what is long is cut, and says so.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from simonides.api.caller import Caller
from simonides.api.operations.fields import Id, VersionNumber
from simonides.codec.write import to_wire
from simonides.context.details import details_of
from simonides.errors import Conflict, InvalidInput, NotFound
from simonides.mcp.answers import (
    ANSWER_TOKENS_MAX,
    CUT,
    TITLE_CHARS_MAX,
    bound_text,
    cost,
    cut,
    entity,
    escape_words,
    fitting,
    head,
    join_blocks,
    lean,
    quote,
    shorten_item,
)
from simonides.mcp.questions import Kinds, Sources, Words
from simonides.mcp.tool import McpTool, ToolResult, shape
from simonides.model.access import Permission
from simonides.model.answer import Page
from simonides.model.bounds import EXACT_MAX, TIME
from simonides.model.filter import Filter
from simonides.model.item import Item
from simonides.model.stored import Engaged
from simonides.text.tokens import truncate

PAGE_MAX, ENTITIES_MAX = 50, 200
CONTENT_MAX = 6_000
"""Tokens of a content: in a text each of its lines may take a mark more."""

TEXT_CHARS_MAX = 20_000
"""Characters of what is to be remembered: some pages."""

OTHERS_TOKENS_MAX = ANSWER_TOKENS_MAX // 2
LISTED_TOKENS_MAX = ANSWER_TOKENS_MAX - 1_500
"""Tokens of a page's items: a cursor holds an id, which may be long."""

NAMES_MAX, NAME_CHARS_MAX = 5, 120
"""Names of one entity that are shown, and characters of each."""

VIA = {"_via": "mcp"}
"""What says of a memory that a model kept it; underscored: it is no word to be found by."""

Statement = Annotated[str, Meta(min_length=1, max_length=TEXT_CHARS_MAX)]
IfVersion = Annotated[
    VersionNumber | None, Meta(description="Only if this version is the present one.")
]
Name = Annotated[str, Meta(max_length=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMemory:
    """A statement to remember."""

    text: Annotated[Statement, Meta(description="One statement, whole by itself: who, what, when.")]
    entity: Annotated[
        Name,
        Meta(
            description="Whom or what it is about; a newer statement of the same may take the"
            " place of an older."
        ),
    ] = ""
    type: Annotated[
        Literal["profile", "episodic", "policy", "artifact_summary"],
        Meta(
            description="profile: how somebody is; episodic: what happened; policy: a rule;"
            " artifact_summary."
        ),
    ] = "episodic"
    tags: Words = ()
    happened_at: Annotated[
        str,
        Meta(max_length=TIME.chars_max, description="When it happened, ISO 8601; now by default."),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetMemory:
    """An item, and the part of its content to return."""

    id: Id
    offset: Annotated[
        int,
        Meta(ge=0, le=EXACT_MAX),
        Meta(
            description="From which character of its content on: the next_offset of the answer"
            " before."
        ),
    ] = 0
    tokens_max: Annotated[
        int, Meta(ge=50, le=CONTENT_MAX, description="Tokens of the content at most.")
    ] = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMemories:
    """A page of items."""

    limit: Annotated[int, Meta(ge=1, le=PAGE_MAX)] = 20
    cursor: Annotated[str, Meta(max_length=4_000, description="The cursor of the page before.")] = (
        ""
    )
    kinds: Kinds = ()
    sources: Sources = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateMemory:
    """The new fields of an item; those left out stay."""

    id: Id
    text: Statement | None = None
    title: Annotated[str, Meta(max_length=1_000)] | None = None
    tags: Words | None = None
    if_version: IfVersion = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteMemory:
    """The item to forget."""

    id: Id
    if_version: IfVersion = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntities:
    """A page of entities."""

    name: Annotated[Name, Meta(description="A part of the name.")] = ""
    limit: Annotated[int, Meta(ge=1, le=ENTITIES_MAX)] = 50


def add_memory(caller: Caller, arguments: AddMemory) -> ToolResult:
    """Remember a statement: add it, supersede what it contradicts, or confirm it."""
    when: dict[str, Any] = {"happened_at": arguments.happened_at} if arguments.happened_at else {}
    done = caller.memory.remember(
        arguments.text,
        entity=arguments.entity,
        type=arguments.type,
        tags=arguments.tags,
        metadata=VIA,
        **when,
    )
    wire = to_wire(done)
    names = ("op", "reason", "id", "superseded", "written", "revision")
    took = f"; it takes the place of {done.superseded}" if done.superseded else ""
    text = f"{done.op} ({done.reason}): id {done.id}{took}"
    structured = {name: wire[name] for name in names}
    return ToolResult(text=escape_words(text), structured=structured, count=len(done.written))


def get_memory(caller: Caller, arguments: GetMemory) -> ToolResult:
    """Return one item, a stretch of its content at a time.

    Its first stretch opens it, which counts as usage for those who may write.
    """
    item = caller.memory.get(arguments.id)
    if arguments.offset > len(item.content):
        problem = f"its content has {len(item.content)} characters, got {arguments.offset}"
        raise InvalidInput("offset", problem)
    if not arguments.offset and caller.allows(Permission.WRITE):
        caller.memory.record_usage(item.id, how=Engaged.OPENED)
    return one_item(item, offset=arguments.offset, tokens_max=arguments.tokens_max)


def one_item(item: Item, *, offset: int = 0, tokens_max: int) -> ToolResult:
    """Return an item with a part of its content, and all other fields."""
    wire = _shorten_fields(lean({**to_wire(item), "content": ""}))
    rest = item.content[offset:]
    shown = truncate(rest, tokens_max)
    goes_on = offset + len(shown) if len(shown) < len(rest) else None
    structured = {
        "item": {**wire, "content": shown},
        "next_offset": goes_on,
        "content_chars": len(item.content),
    }
    more = f"The content goes on: ask again with offset {goes_on}." if goes_on is not None else ""
    text = join_blocks([(head(1, wire, about=details_of(item)), quote(shown, item))], more=(more,))
    return ToolResult(text=text, structured=structured, count=1)


def _shorten_fields(wire: dict[str, Any]) -> dict[str, Any]:
    """Return an item's other fields within half of an answer; `cut` if some are left out."""
    kept = {**wire, "title": cut(wire.get("title", ""), TITLE_CHARS_MAX)}
    for name in ("quoted", "metadata", "people", "summary", "tags"):
        if cost(kept) <= OTHERS_TOKENS_MAX:
            break
        if kept.pop(name, None) is not None:
            kept["cut"] = True
    return lean(kept)


def list_memories(caller: Caller, arguments: ListMemories) -> ToolResult:
    """Return a page of items, newest first."""
    wanted = Filter(kinds=arguments.kinds, sources=arguments.sources)
    page = caller.memory.list(filter=wanted, limit=arguments.limit, cursor=arguments.cursor)
    share = LISTED_TOKENS_MAX // arguments.limit
    wires = _short(page, share)
    fits = max(1, fitting(wires, LISTED_TOKENS_MAX))
    if fits < len(wires):  # ask for as many as fit, so that the cursor goes on behind them
        page = caller.memory.list(filter=wanted, limit=fits, cursor=arguments.cursor)
        wires = _short(page, share)
    more = f"There is more: ask again with cursor {page.cursor}" if page.cursor else ""
    blocks = [
        (head(number, one, about=details_of(item)), quote(one.get("content", ""), item))
        for number, (one, item) in enumerate(zip(wires, page.items, strict=False), 1)
    ]
    structured = {"items": wires, "cursor": page.cursor}
    return ToolResult(
        text=join_blocks(blocks, more=(more,)), structured=structured, count=len(wires)
    )


def _short(page: Page, tokens_max: int) -> list[dict[str, Any]]:
    return [shorten_item(to_wire(one), tokens_max - 2) for one in page.items]


def update_memory(caller: Caller, arguments: UpdateMemory) -> ToolResult:
    """Replace some fields of an item."""
    given = {"content": arguments.text, "title": arguments.title, "tags": arguments.tags}
    fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not fields:
        raise InvalidInput("arguments", "name no field: say what is to change")
    item = caller.memory.update(arguments.id, if_version=arguments.if_version, **fields)
    return one_item(item, tokens_max=1_000)


def delete_memory(caller: Caller, arguments: DeleteMemory) -> ToolResult:
    """Remove an item from the present."""
    try:
        gone = caller.memory.forget(arguments.id, if_version=arguments.if_version)
    except Conflict as error:
        if error.found:
            raise
        gone = ()
    if not gone:
        raise NotFound("item", arguments.id)
    text = bound_text(escape_words(f"forgotten: {gone[0]}"))
    return ToolResult(text=text, structured={"forgotten": list(gone)}, count=len(gone))


def list_entities(caller: Caller, arguments: ListEntities) -> ToolResult:
    """Return the entities mentioned, most often first."""
    found = caller.memory.entities(name=arguments.name, limit=arguments.limit)
    wires = [
        {**to_wire(one), "names": [cut(name, NAME_CHARS_MAX) for name in one.names[:NAMES_MAX]]}
        for one in found
    ]
    fits = fitting(wires, ANSWER_TOKENS_MAX)
    entities, is_cut = wires[:fits], fits < len(wires)
    lines = "\n".join(
        entity(one["kind"], one["id"], one["names"], one["mentions"]) for one in entities
    )
    return ToolResult(
        text=join_blocks([("", lines)] if lines else [], more=(CUT if is_cut else "",)),
        structured={"entities": entities, "cut": is_cut},
        count=len(entities),
    )


_WRITING = (Permission.WRITE, Permission.READ)
_ONE_ITEM = shape(item=dict, next_offset=int | None, content_chars=int)

TOOLS = (
    McpTool(
        name="add_memory", title="Add memory", verb="remember", run=add_memory,
        summary="Remember one statement for good. It is compared with what is remembered: it is"
        " added, takes the place of one that it contradicts (which stays in the history), or"
        " confirms one. Only what the person says of themselves or asks you to keep.",
        request=AddMemory, permissions=_WRITING,
        answer=shape(op=str, reason=str, id=str, superseded=str, written=list, revision=int),
    ),
    McpTool(
        name="get_memory", title="Get memory", verb="get", run=get_memory,
        summary="Return one item by its id, a stretch of its content at a time.",
        request=GetMemory, answer=_ONE_ITEM,
    ),
    McpTool(
        name="list_memories", title="List memories", verb="list", run=list_memories,
        summary="List what is kept, newest first, a page at a time; contents are cut.",
        request=ListMemories, answer=shape(items=list, cursor=str),
    ),
    McpTool(
        name="update_memory", title="Update memory", verb="update", run=update_memory,
        summary="Replace the text, title or tags of an item; its earlier version stays in the"
        " history.",
        request=UpdateMemory, answer=_ONE_ITEM, permissions=_WRITING, destroys=True,
    ),
    McpTool(
        name="delete_memory", title="Delete memory", verb="forget", run=delete_memory,
        summary="Forget an item: nothing finds it any more. The person can bring it back.",
        request=DeleteMemory, answer=shape(forgotten=list), permissions=_WRITING, destroys=True,
    ),
    McpTool(
        name="list_entities", title="List entities", verb="entities", run=list_entities,
        summary="List the people, projects, issues and topics that are mentioned, most often"
        " first.",
        request=ListEntities, answer=shape(entities=list, cut=bool),
    ),
)  # fmt: skip
