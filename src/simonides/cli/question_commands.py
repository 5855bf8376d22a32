"""The commands for questions: `search`, `brief`, `explain` and `retrieve`, with their output.

Arguments, help and JSON come from `api.operations`. Must not hold how a question is answered.
"""

from argparse import ArgumentParser, Namespace
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from simonides.cli import hits
from simonides.cli.derived import Command
from simonides.cli.options import positive
from simonides.cli.terminal_text import one_line, question_words
from simonides.model.answer import SearchResult

if TYPE_CHECKING:
    from simonides.cli.context import Context
    from simonides.model.brief import Brief, Explained
    from simonides.model.chat import Retrieved
    from simonides.model.story import Story

# ── search ────────────────────────────────────────────────────────────────────────────────────


def _draw_found(context: "Context", result: Any, asked: Any) -> None:
    hits.draw_hits(context, asked.query, result)
    for one in getattr(result, "results", {"": result}).values():
        hits.draw_background(context, one)
        if one.best_context is not None:
            hits.draw_best_backgrounds(context, one.best_context, asked)
        hits.draw_notes(context.output, one)


SEARCH = Command(
    operation="search", draw=_draw_found, texts=("query",),
    help="Search for a question; print the hits, best first.",
    example='simonides search "what did Sarah send me last week?" --source gmail --limit 5',
    flags={"spaces": "--across"},
    meanings={"best_context": "also the background that fits best"},
)  # fmt: skip


def _draw_story(context: "Context", found: "Story", asked: Any) -> None:
    """Write each step: its day, its words, and whether it changes something or was replaced."""
    words = question_words(asked.query)
    for step in found.steps:
        item = step.hit.item
        when = context.day(item.dated_at)
        said = [name for name, is_so in (("changes", step.changes), ("replaced", step.replaced))
                if is_so]  # fmt: skip
        context.output.line(
            (f"{when}  ", "green"),
            (hits.title_of(item), "bold"),
            (f"  {' · '.join(said)}", "yellow"),
        )
        hits.draw_passage(context.output, step.hit, words)
        context.output.line((f"      {item.source} · {item.id}", "dim"))
    if not found.steps:
        context.output.note("nothing found")


STORY = Command(
    operation="story", draw=_draw_story, texts=("query",),
    help="Print what was said over time of what is asked for, and what changed.",
    example='simonides story "When is the Alpha launch?"',
)  # fmt: skip


# ── brief and explain ─────────────────────────────────────────────────────────────────────────

_BUDGETS = ("budget_tokens", "budget_words")
_FLAGS = {
    "budget_tokens": "--budget --budget-tokens", "top_k": "--limit", "items_max": "--max-items",
    "source_items_max": "--max-per-source", "tier_policy": "--tiers", "trust_min": "--trust",
    "headers": "--no-headers", "spaces": "--across",
}  # fmt: skip


def _declare_dense(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--dense", dest="context_mode", action="store_const", const="dense",
        help="the same as --context-mode dense",
    )  # fmt: skip


def _draw_brief(context: "Context", made: "Brief", asked: Any) -> None:
    """Write the text to stdout, and its cost to stderr."""
    context.output.line(made.text.rstrip("\n"))
    context.output.note((cost(made), "dim"))
    if asked.keep_receipt:
        context.output.note((f"receipt {made.receipt.id}", "dim"))
    for note in made.diagnostics.notes:
        context.output.note((f"note: {note}", "yellow"))


def cost(made: "Brief") -> str:
    """Return the cost of a brief: `412 of 1,500 tokens, 7 items; dropped 3 (budget)`."""
    items = "1 item" if len(made.items) == 1 else f"{len(made.items)} items"
    sentence = f"{made.tokens:,} of {made.budget:,} {made.unit}, {items}"
    reasons = Counter(one.reason.words for one in made.dropped)
    if not reasons:
        return sentence
    dropped = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    return f"{sentence}; dropped: {dropped}"


BRIEF = Command(
    operation="brief", draw=_draw_brief, flags=_FLAGS, left_out=("limit",), exclusive=_BUDGETS,
    help="Print the context for a question, within a token budget.",
    example='simonides brief "prepare my call with Sarah about Alpha" --budget 800',
    declare=_declare_dense,
)  # fmt: skip


class Explain(Command):
    """`simonides explain`: an option sets the number of hits to draw."""

    def run(self, context: "Context", arguments: Namespace) -> None:
        """Build the request, run the operation and write the result."""
        _, explained, _ = self._run(context, self.read_arguments(context, arguments))
        draw = partial(_draw_explained, context, explained, hits_max=arguments.hits)
        context.output.answer(explained, draw=draw)


def _declare_hits(parser: ArgumentParser) -> None:
    _declare_dense(parser)
    parser.add_argument(
        "--hits", type=positive, default=5, metavar="N", help="most hits to draw (5)"
    )


def _draw_explained(context: "Context", explained: "Explained", *, hits_max: int) -> None:
    hits.draw_plan(context, explained.result)
    hits.draw_lanes(context.output, explained.result)
    _draw_scores(context, explained.result, hits_max=hits_max)
    hits.draw_account(context, explained)


def _draw_scores(context: "Context", result: SearchResult, *, hits_max: int) -> None:
    context.output.line(("hits", "bold"))
    best = max((hit.score for hit in result.hits), default=0.0)
    for rank, hit in enumerate(result.hits[:hits_max], start=1):
        hits.draw_head(context, hit, rank=rank, best=best)
        hits.draw_contributions(context.output, hit)
    more = len(result.hits) - hits_max
    if more > 0:
        context.output.line((f"  and {more} more", "dim"))
    if not result.hits:
        context.output.note("nothing found")


EXPLAIN = Explain(
    operation="explain", draw=lambda *_: None, exclusive=_BUDGETS,
    flags={**_FLAGS, "budgets": "--other-budget"}, left_out=("limit",),
    help="Explain a brief: the plan of the question, the lanes, the scores and the budget.",
    example='simonides explain "when is Alpha due?" --hits 3', declare=_declare_hits,
)  # fmt: skip


# ── retrieve ──────────────────────────────────────────────────────────────────────────────────


def _draw_retrieved(context: "Context", found: "Retrieved", asked: Any) -> None:
    hits.draw_hits(context, asked.query, found)
    for entity in found.entities:
        context.output.line(("known: ", "bold"), one_line(entity))
    for note in found.notes:
        context.output.note((f"note: {note}", "yellow"))


RETRIEVE = Command(
    operation="retrieve", draw=_draw_retrieved,
    help="Search items and conversations together, as the assistant does.",
    example='simonides retrieve "what did Sarah send me last week?" --source gmail',
    flags={
        "entity_filter": "--entity", "time_filter": "--time", "include_episodic": "--no-episodic",
        "spaces": "--across",
    },
)  # fmt: skip
