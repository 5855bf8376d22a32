"""The `sourced` layout: `[GMAIL] title`, who and when, the words; then known entities, the request.

As seed 004 (8.1 to 8.3) puts it, entities before the request. Knows the order of lines; what can
not be forged, and how, is told in `safety`.
"""

from collections.abc import Iterator, Sequence

from simonides.context.confusables import shows
from simonides.context.labels import JOIN, author_of, day_of, label_of, reasons, trust_of, words_of
from simonides.context.names import look_of, shared_names
from simonides.context.render_context import Block, RenderContext, RenderItem
from simonides.context.safety import barred, one_line, tamed

CONTEXT_HEADER = "## Available Context:"
ENTITIES_HEADER = "## Known Entities:"
REQUEST_HEADER = "## User Request:"
SEPARATOR = "---"


def sourced_blocks(parts: Sequence[RenderItem], frame: RenderContext) -> tuple[Block, ...]:
    """Return the context, the known entities and the request; sections without any are left out.

    Parts stand in the order given. Without `frame.headers` the first header is left out; those of
    entities and request stay, or these would read as words of the last item.
    """
    return (*_context(parts, frame), *_entities(frame.entities), *_request(frame.request))


def _context(parts: Sequence[RenderItem], frame: RenderContext) -> Iterator[Block]:
    if parts and frame.headers:
        yield Block(name="context header", text=f"{CONTEXT_HEADER}\n")
    shared = shared_names(one for part in parts if (one := part.item.author) is not None)
    for place, part in enumerate(parts):
        if place:
            yield Block(name="separator", text=f"{SEPARATOR}\n")
        yield Block(name="item", text=_item(part, frame, shared=shared), part=place)


def _item(part: RenderItem, frame: RenderContext, *, shared: frozenset[str]) -> str:
    """Return a head, who and when, the reasons if asked for, the words if any; a blank line.

    The blank line keeps the separator from making a header of the last line.
    """
    item = part.item
    author = item.author
    who = author_of(item, beside=author is not None and look_of(author.name) in shared)
    when = day_of(item.happened_at, frame.timezone)
    lines = (
        f"[{label_of(item)}] {one_line(item.title)}".rstrip(),
        f"{who}{JOIN}{when}{trust_of(part)}" if who else f"{when}{trust_of(part)}",
        reasons(part) if frame.why else "",
        words_of(part),
    )
    return "\n".join(filter(None, lines)) + "\n\n"


def _entities(entities: Sequence[str]) -> Iterator[Block]:
    shown = [f"- {tamed(one_line(entity))}" for entity in entities if shows(one_line(entity))]
    if shown:
        yield Block(name="known entities", text="\n".join((ENTITIES_HEADER, *shown)) + "\n\n")


def _request(request: str) -> Iterator[Block]:
    asked = barred(request)
    if shows(asked):
        yield Block(name="request", text=f"{REQUEST_HEADER}\n{asked}\n")
