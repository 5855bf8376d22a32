"""The `scoped` layout: a line for each memory under headers of scope and type (seed 000).

Lines stand by scope (workspace, session, user, global), falling score and id. Each header stands
once: groups come in the order of their first lines, and inside of a group that order holds; it
holds for the whole text where headers are off. An item that is no memory has no scope: a message
counts as the session's, all else as the user's, and is an artifact. There is no request and there
are no entities here: the seed's text is put before the user's own.
"""

import math
from collections.abc import Iterator, Sequence

from simonides.context.confusables import shows
from simonides.context.labels import FORM_MARKS, figures, trust_of, with_speaker
from simonides.context.render_context import Block, RenderContext, RenderItem
from simonides.context.safety import one_line, tamed
from simonides.model.answer import Hit
from simonides.model.item import Item, Kind, MemoryType, Scope

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

NO_WORDS = "(no words)"
"""Stands for a part of which nothing shows: each part has its line."""


def scoped_blocks(parts: Sequence[RenderItem], frame: RenderContext) -> tuple[Block, ...]:
    """Return a block for each header and for each part, a line each.

    Without `frame.headers` there are none; `frame.why` adds the seeds' why-tags.
    """
    groups: dict[str, list[Block]] = {}
    keys = [_key(part.item, part.score) for part in parts]
    for place in sorted(range(len(parts)), key=keys.__getitem__):
        header = _header(parts[place].item) if frame.headers else ""
        line = Block(name="item", text=_line(parts[place], why=frame.why), part=place)
        groups.setdefault(header, []).append(line)
    return tuple(_blocks(groups))


def scope_of(item: Item) -> Scope:
    """Return a memory's scope; of other items, the session for a message, else the user."""
    if item.traits is not None:
        return item.traits.scope
    return Scope.SESSION if item.kind is Kind.MESSAGE else Scope.USER


def scoped_order(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits in the order in which the seed offers them to the budget."""
    return sorted(hits, key=lambda hit: _key(hit.item, hit.score))


def _key(item: Item, score: float) -> tuple[int, float, str]:
    """Return scope rank, falling score (NaN ranks last), id."""
    return _RANKS[scope_of(item)], math.inf if math.isnan(score) else -score, item.id


def _header(item: Item) -> str:
    scope = SCOPE_HEADERS[scope_of(item)]
    if item.traits is not None:
        return _TYPE_HEADERS.get(item.traits.type, scope)
    return scope if item.kind is Kind.MESSAGE else ARTIFACTS_HEADER


def _blocks(groups: dict[str, list[Block]]) -> Iterator[Block]:
    for header, lines in groups.items():
        if header:
            yield Block(name=header.rstrip(":").lower(), text=f"{header}\n")
        yield from lines


def _line(part: RenderItem, *, why: bool) -> str:
    """Return `- words`, the why-tag if asked for, and the trust mark, on one line."""
    words = next(filter(shows, map(one_line, (part.text, part.item.title))), "")
    words = with_speaker(words, part.item, trust=part.trust)
    said = FORM_MARKS[part.form] + tamed(words) if words else NO_WORDS
    tag = f" {figures(part, scope=scope_of(part.item))}" if why else ""
    return f"- {said}{tag}{trust_of(part)}\n"
