"""The layouts by name, with `scoped` and `sourced`.

`scoped` (design 000) writes a line for each memory under headers of scope and type. Lines stand by
scope (workspace, session, user, global), falling score and id. Each header stands once: groups
come in the order of their first lines, and inside of a group that order holds; it holds for the
whole text where headers are off. An item that is no memory has no scope: a message counts as the
session's, all else as the user's, and is an artifact. There is no request and there are no
entities: the design's text is put before the user's own.

`sourced` (design 004, 8.1 to 8.3) writes `[GMAIL] title`, who and when, and the words; then the
known entities, then the request. How forging is prevented is described in `safety`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter

from simonides.context import labels
from simonides.context.brief import brief_blocks
from simonides.context.confusables import is_visible
from simonides.context.details import details_of, occurrence_mark, people_shown, replacement_marks
from simonides.context.labels import (
    FORM_MARKS,
    JOIN,
    Block,
    LayoutOf,
    RenderContext,
    RenderItem,
    author_of,
    day_of,
    figures,
    label_of,
    reasons,
    space_of,
    trust_of,
    with_speaker,
    words_of,
)
from simonides.context.names import name_skeleton, shared_names
from simonides.context.safety import escape, one_line, prefix_lines
from simonides.model.answer import Hit
from simonides.model.brief import Layout
from simonides.model.item import Item, Kind, MemoryType, Scope, Trust

ARTIFACTS_HEADER = "Artifact Notes:"
EPISODIC_HEADER = "Recent Episodic:"
SCOPE_HEADERS = {
    Scope.WORKSPACE: "Workspace Policies:",
    Scope.SESSION: "Session Context:",
    Scope.USER: "User Preferences:",
    Scope.GLOBAL: "Global Defaults:",
}
_TYPE_HEADERS = {
    MemoryType.ARTIFACT_SUMMARY: ARTIFACTS_HEADER,
    MemoryType.EPISODIC: EPISODIC_HEADER,
}
_RANKS = {scope: rank for rank, scope in enumerate(SCOPE_HEADERS)}

_BACKGROUND = "Background:"
NO_WORDS = "(no words)"
"""Stands for a part of which nothing shows: each part has its line."""


def scoped_blocks(parts: Sequence[RenderItem], context: RenderContext) -> tuple[Block, ...]:
    """Return a block for each header and for each part, a line each.

    Without `context.headers` there are none; `context.why` adds the designs' why-tags.
    """
    groups: dict[str, list[Block]] = {}
    keys = [_key(part.item, part.score, part.space) for part in parts]
    for place in sorted(range(len(parts)), key=keys.__getitem__):
        header = _header(parts[place]) if context.headers else ""
        line = Block(name="item", text=_line(parts[place], why=context.why), part=place)
        groups.setdefault(header, []).append(line)
    doubts = labels.doubt(parts, context) if parts else ()
    return (*_background_line(context.background), *doubts, *_blocks(groups))


def _background_line(text: str) -> Iterator[Block]:
    words = escape(one_line(text))
    if is_visible(words):
        yield Block(name="background", text=f"{_BACKGROUND} {words}\n")


def scope_of(item: Item) -> Scope:
    """Return a memory's scope; of other items, the session for a message, else the user."""
    if item.traits is not None:
        return item.traits.scope
    return Scope.SESSION if item.kind is Kind.MESSAGE else Scope.USER


def scoped_order(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits in the order in which the `scoped` layout offers them to the budget."""
    return found_order(sorted(hits, key=lambda hit: _key(hit.item, hit.score, hit.space)))


def scored_order(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits by falling score (NaN ranks last), space, id; the pinned ones first."""
    return found_order(sorted(hits, key=_falling))


def found_order(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits as they were found, the pinned ones first."""
    return sorted(hits, key=attrgetter("pinned"), reverse=True)


def _key(item: Item, score: float, space: str) -> tuple[int, float, str, str]:
    """Return scope rank, falling score (NaN ranks last), space, id."""
    return _RANKS[scope_of(item)], math.inf if math.isnan(score) else -score, space, item.id


def _falling(hit: Hit) -> tuple[float, str, str]:
    score = hit.score
    return math.inf if math.isnan(score) else -score, hit.space, hit.item.id


def _header(part: RenderItem) -> str:
    """Return the header of a part; what others said never stands under one that means the user."""
    item = part.item
    scope = SCOPE_HEADERS[scope_of(item)]
    if part.trust is not Trust.OWN and item.kind is not Kind.MESSAGE:
        return ARTIFACTS_HEADER
    if item.traits is not None:
        return _TYPE_HEADERS.get(item.traits.type, scope)
    return scope if item.kind is Kind.MESSAGE else ARTIFACTS_HEADER


def _blocks(groups: dict[str, list[Block]]) -> Iterator[Block]:
    for header, lines in groups.items():
        if header:
            yield Block(name=header.rstrip(":").lower(), text=f"{header}\n")
        yield from lines


def _line(part: RenderItem, *, why: bool) -> str:
    """Return `- words`, the reasons on request, and the trust label, on one line."""
    words = next(filter(is_visible, map(one_line, (part.text, part.item.title))), "")
    words = with_speaker(words, part.item, trust=part.trust)
    words = FORM_MARKS[part.form] + escape(words) if words else NO_WORDS
    tag = f" {figures(part, scope=scope_of(part.item))}" if why else ""
    return f"- {words}{tag}{space_of(part)}{trust_of(part)}\n"


CONTEXT_HEADER = "## Available Context:"
ENTITIES_HEADER = "## Known Entities:"
BACKGROUND_HEADER = "## Background:"
REQUEST_HEADER = "## User Request:"
SEPARATOR = "---"


def sourced_blocks(parts: Sequence[RenderItem], context: RenderContext) -> tuple[Block, ...]:
    """Return the context, known entities, background and request; empty sections are left out.

    Parts stand in the order given. Without `context.headers` the first header is left out; those of
    entities and request stay, or these would read as words of the last item.
    """
    doubts = labels.doubt(parts, context) if parts else ()
    return (
        *doubts,
        *_context(parts, context),
        *_entities(context.entities),
        *_background(context.background),
        *_request(context.request),
    )


def _context(parts: Sequence[RenderItem], context: RenderContext) -> Iterator[Block]:
    if parts and context.headers:
        yield Block(name="context header", text=f"{CONTEXT_HEADER}\n")
    people = (one for part in parts for one in people_shown(part.item))
    shared = shared_names(people, context.owner)
    for place, part in enumerate(parts):
        if place:
            yield Block(name="separator", text=f"{SEPARATOR}\n")
        yield Block(name="item", text=_item(part, context, shared=shared), part=place)


def _item(part: RenderItem, context: RenderContext, *, shared: frozenset[str]) -> str:
    """Return a head, author and time, the reasons on request, any words; a blank line.

    The blank line keeps the separator from making a header of the last line.
    """
    item = part.item
    author = item.author
    who = author_of(item, with_address=author is not None and name_skeleton(author.name) in shared)
    about: tuple[str, ...] = ()
    if item.kind is not Kind.EMAIL:  # as design 004 has it
        about = details_of(item, beside=part.text, shared=shared)
    day = partial(day_of, timezone=context.timezone)
    replaced = replacement_marks(part.replaces, part.replaced_on, day)
    occurs = (occurrence_mark(part.takes_place_at, day),) if part.takes_place_at else ()
    when = JOIN.join((day(item.happened_at), *about, *occurs, *replaced))
    marks = f"{space_of(part)}{trust_of(part)}"
    lines = (
        f"[{label_of(item)}] {one_line(item.title)}".rstrip(),
        f"{who}{JOIN}{when}{marks}" if who else f"{when}{marks}",
        reasons(part) if context.why else "",
        words_of(part),
    )
    return "\n".join(filter(None, lines)) + "\n\n"


def _entities(entities: Sequence[str]) -> Iterator[Block]:
    shown = [f"- {escape(one_line(entity))}" for entity in entities if is_visible(one_line(entity))]
    if shown:
        yield Block(name="known entities", text="\n".join((ENTITIES_HEADER, *shown)) + "\n\n")


def _background(text: str) -> Iterator[Block]:
    escaped = prefix_lines(text)
    if is_visible(escaped):
        yield Block(name="background", text=f"{BACKGROUND_HEADER}\n{escaped}\n\n")


def _request(request: str) -> Iterator[Block]:
    escaped = prefix_lines(request)
    if is_visible(escaped):
        yield Block(name="request", text=f"{REQUEST_HEADER}\n{escaped}\n")


LAYOUTS: dict[Layout, LayoutOf] = {
    Layout.BRIEF: brief_blocks,
    Layout.SOURCED: sourced_blocks,
    Layout.SCOPED: scoped_blocks,
}

ORDERS: dict[Layout, Callable[[Sequence[Hit]], list[Hit]]] = {
    Layout.BRIEF: scored_order,
    Layout.SOURCED: found_order,
    Layout.SCOPED: scoped_order,
}
"""In which order candidates are offered to the budget: by score, as found, and by scope."""
