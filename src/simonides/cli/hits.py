"""The text output of hits, query plans and the budget of a brief.

Knows how an answer is laid out on a page: for a brief, what each line costs, what was left out and
what more would bring. Must not know how it was found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simonides.cli.tables import TEXT_WIDTH, table
from simonides.cli.terminal_text import clip, question_words, snippet
from simonides.context.details import about_hit
from simonides.context.labels import author_of_hit
from simonides.context.names import space_mark
from simonides.model.answer import (
    Hit,
    ItemKey,
    LaneReport,
    MultiSpaceResult,
    SearchResult,
    SpaceHit,
)
from simonides.model.item import Item, Trust

if TYPE_CHECKING:
    from simonides.cli.context import Context
    from simonides.cli.output import Output
    from simonides.cli.terminal_text import Span
    from simonides.model.brief import Brief, BriefItem, Dropped, Explained
    from simonides.model.chat import Retrieved

_SNIPPET_LINES = 2
_RAGGED_CHARS = 16
"""What the ends of a passage's lines may leave empty, together."""

_INDENT = "      "
_BAR_WIDTH = 10


def draw_hits(
    context: "Context", query: str, result: "SearchResult | MultiSpaceResult | Retrieved"
) -> None:
    """Draw each hit: rank, score, date, source, author, title; the passage; the id."""
    nothing = result.nothing if isinstance(result, SearchResult) else ""
    if nothing or not result.hits:
        context.output.note(nothing or "nothing found")
    hits = [_of_space(one) if isinstance(one, SpaceHit) else one for one in result.hits]
    best = max((hit.score for hit in hits), default=0.0)
    words = question_words(query)
    for rank, hit in enumerate(hits, start=1):
        draw_head(context, hit, rank=rank, best=best)
        draw_passage(context.output, hit, words)
        context.output.line((f"{_INDENT}{hit.id}", "dim"))


def _of_space(found: SpaceHit) -> Hit:
    return replace(found.hit, space=found.space)


TRUST_SHOWN = {Trust.UNKNOWN: "unknown sender", Trust.EXTERNAL: "external"}
"""What is said of a hit that is trusted less than a known sender's, as a brief says it."""


def draw_head(context: "Context", hit: Hit, *, rank: int, best: float) -> None:
    """Draw the headline of a hit; its bar is relative to the best score."""
    output, item = context.output, hit.item
    output.line(
        (f"{rank:3}. ", "bold"),
        (f"{hit.score:.3f} ", "cyan"),
        (output.bar(hit.score / best if best > 0 else 0.0, width=_BAR_WIDTH), "cyan"),
        (f"  {context.day(item.happened_at)}  ", "green"),
        *origin(hit),
        (title_of(item), "bold"),
        (f"  {' · '.join(about)}" if (about := about_hit(hit, context.day)) else "", "dim"),
    )


def origin(hit: Hit) -> "tuple[Span, Span]":
    """Return where a hit comes from, and how far that is trusted where it is not known."""
    source, space = (clip(one, 40) for one in (hit.item.source, space_mark(hit.space)))
    named = " · ".join(filter(None, (source, author_of_hit(hit), space)))
    shown = TRUST_SHOWN.get(hit.trust)
    return (f"{named}  ", "magenta"), (f"{shown}  " if shown else "", "yellow")


def draw_passage(output: "Output", hit: Hit, words: Sequence[str]) -> None:
    """Draw the part of the passage that contains the words of the question."""
    width = (output.width - len(_INDENT)) * _SNIPPET_LINES - _RAGGED_CHARS
    output.paragraph(*snippet(hit.passage, words, width=width), indent=_INDENT)


def title_of(item: Item, *, width: int = 70) -> str:
    """Return the title of an item on one line, or the beginning of its content."""
    return clip(item.title or item.summary or item.content, width)


def draw_contributions(output: "Output", hit: Hit) -> None:
    """Draw each contribution to a hit's score except zeros: its sign, a bar and the reason."""
    parts = [part for part in hit.explanation.contributions if part.value]
    largest = max((abs(part.value) for part in parts), default=1.0)
    name_width = max((len(part.name) for part in parts), default=0)
    for part in parts:
        colour = "green" if part.value > 0 else "red"
        output.line(
            f"{_INDENT}{part.name:{name_width}} {part.value:+.3f} ",
            (output.bar(abs(part.value) / largest, width=_BAR_WIDTH), colour),
            (f"  {clip(part.detail, 80)}" if part.detail else "", "dim"),
        )
    lanes = ", ".join(hit.explanation.lanes) or "no lane"
    output.line((f"{_INDENT}{'':{name_width}} {hit.score:+.3f}  in all; found by {lanes}", "dim"))


def in_few_words(hit: Hit, *, most: int = 3) -> str:
    """Return the largest contributions to a score on one line: `words +0.41, author +0.20`."""
    parts = hit.explanation.contributions
    ranked = sorted(parts, key=lambda part: (-abs(part.value), part.name))
    return ", ".join(f"{part.name} {part.value:+.2f}" for part in ranked[:most] if part.value)


def draw_plan(context: "Context", result: SearchResult) -> None:
    """Draw the plan of a question, its times in the user's zone."""
    output, plan = context.output, result.plan
    read: list[tuple[str, str]] = [
        ("words", ", ".join(plan.words)),
        ("searched", plan.searched),
        ("time", _time_read(context, result)),
        ("direction", plan.direction),
        ("sources", ", ".join(plan.sources)),
        ("kinds", ", ".join(plan.kinds)),
        ("people", ", ".join(plan.people)),
        ("role", plan.role or ""),
        ("because", "; ".join(plan.reasons)),
        ("entities", ", ".join(plan.entities)),
        ("phrases", ", ".join(f'"{phrase}"' for phrase in plan.phrases)),
        ("asks", "when it is" if plan.asks_when else ""),
    ]
    output.line(("plan", "bold"))
    for name, value in read:
        if value:
            output.line(f"  {name:10}{value}")


def _time_read(context: "Context", result: SearchResult) -> str:
    times = list(filter(None, (result.plan.time, result.plan.other_time)))
    if not times:
        return ""
    spans = [
        " to ".join(context.minute(end) or "…" for end in (time.since, time.until))
        for time in times
    ]
    said = times[0].text
    return " or ".join(spans) + f" ({said})" * bool(said)


def draw_lanes(output: "Output", result: SearchResult) -> None:
    """Draw the retrieval lanes that ran, with the number of finds and the time of each."""
    seen = result.diagnostics
    output.line(("lanes", "bold"))
    for lane in seen.lanes:
        output.line(*_lane(lane))
    total: list[Span] = [
        f"  {seen.mode_used} mode, {seen.scorer} scorer, revision {seen.revision}, ",
        f"{seen.took_ms:.1f} ms in all",
    ]
    output.line(*total)
    draw_notes(output, result)


BACKGROUND_WIDTH = 200
"""Characters of a background that are shown below the hits."""


def draw_background(context: "Context", result: SearchResult) -> None:
    """Write the latest background of the collection below its hits, if there is one."""
    latest = result.background
    if latest is not None:
        head = f"background of {context.minute(latest.created_at)}: "
        context.output.line((head, "dim"), clip(latest.text, BACKGROUND_WIDTH))


draw_best_backgrounds = table(
    ("score", "date", "background", "id"),
    lambda context, one: (
        f"{one.score:.3f}", context.minute(one.background.created_at),
        clip(one.background.text, TEXT_WIDTH), one.background.id,
    ),
    empty="no background fits",
)  # fmt: skip


def draw_notes(output: "Output", result: SearchResult) -> None:
    """Write the notes of a result to stderr, such as a lane that could not run."""
    for note in result.diagnostics.notes:
        output.note((f"note: {note}", "yellow"))


def _lane(lane: LaneReport) -> list["Span"]:
    if not lane.ran:
        return [(f"  {lane.name:10}did not run  {lane.note}", "dim")]
    note = f"  {lane.note}" if lane.note else ""
    return [f"  {lane.name:10}{lane.found:6,} found {lane.took_ms:8.1f} ms{note}"]


# ── the account of a brief ────────────────────────────────────────────────────────────────────

_TITLE_WIDTH = 50


def draw_account(context: "Context", explained: "Explained") -> None:
    """Draw the budget by line, the dropped items with reasons, and the gain of a larger budget."""
    output, made = context.output, explained.brief
    hits = {hit.key: hit for hit in explained.result.hits}
    _draw_budget(output, made, hits)
    if made.dropped:
        output.line(("dropped", "bold"))
    for one in made.dropped:
        _draw_dropped(output, one, hits)
    output.line((f"with {explained.more} {made.unit} more", "bold"))
    for item in explained.more_items:
        output.line(f"  {item.score:.3f} {item.tokens:7,}  ", (_show(item, hits), "bold"))
    if not explained.more_items:
        output.line(("  no other item", "dim"))


def _draw_budget(output: "Output", made: "Brief", hits: Mapping[ItemKey, Hit]) -> None:
    """Draw the cost of each section of the text, the running total, and the rest."""
    config = made.receipt.config
    about = f"{config.layout} layout, {config.context_mode} mode"
    output.line((f"budget of {made.budget:,} {made.unit}", "bold"), f"  {about}")
    output.line((f"  {made.unit:>7} {'in all':>7} {'left':>7}", "dim"))
    left = made.budget - config.reserve
    if config.reserve:
        output.line(f"  {config.reserve:7,} {'':7} {left:7,}  kept in reserve")
    total = 0
    names = _names(made, hits)
    for section, name in zip(made.account, names, strict=True):
        total += section.tokens
        output.line(f"  {section.tokens:7,} {total:7,} {left - total:7,}  {name}")


def _names(made: "Brief", hits: Mapping[ItemKey, Hit]) -> Iterator[str]:
    """Yield the label of each section: for an item its number, title and representation."""
    items = iter(made.items)
    for section in made.account:
        item = next(items, None) if section.name == "item" else None
        yield section.name if item is None else f"{item.number} {_show(item, hits)}"


def _show(item: "BriefItem", hits: Mapping[ItemKey, Hit]) -> str:
    title = title_of(hits[item.key].item, width=_TITLE_WIDTH) if item.key in hits else item.title
    marks = (space_mark(item.space), item.stage, item.form, item.tier or "")
    return f"{title} ({', '.join(filter(None, marks))})"


def _draw_dropped(output: "Output", one: "Dropped", hits: Mapping[ItemKey, Hit]) -> None:
    key = (one.space, one.id)
    title = title_of(hits[key].item, width=_TITLE_WIDTH) if key in hits else one.id
    title = f"{title} ({space_mark(one.space)})" if one.space else title
    detail = f"  {clip(one.detail, _TITLE_WIDTH)}" if one.detail else ""
    output.line(
        f"  {one.score:.3f} ", (f"{one.reason.words:15} ", "yellow"), title, (detail, "dim")
    )
