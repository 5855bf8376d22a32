"""`simonides brief`: assemble the context of a model's next call, inside a budget."""

from argparse import ArgumentParser, Namespace
from collections import Counter
from typing import Any

from simonides.cli.context import Context
from simonides.cli.options import (
    add_filter,
    add_question,
    finite,
    names_of,
    positive,
    read_how,
    read_question,
)
from simonides.model.brief import PRESETS, Brief, ContextMode, Layout, TierPolicy
from simonides.model.item import Trust

HELP = "Assemble what a model needs to answer, inside a hard budget of tokens."
EXAMPLE = 'simonides brief "prepare my call with Sarah about Alpha" --budget 800'


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the question, the budget, the layout and the filters."""
    add_question(parser)
    add_briefing(parser)
    parser.add_argument(
        "--keep-receipt", action="store_true", help="keep the receipt, for replay by its id"
    )
    add_filter(parser)


def add_briefing(parser: ArgumentParser) -> None:
    """Declare how a brief is made: the verbs `brief` and `explain` share it."""
    group = parser.add_argument_group("the brief")
    budget = group.add_mutually_exclusive_group()
    budget.add_argument(
        "--budget", type=positive, metavar="N", help="most tokens of the text (1500)"
    )
    budget.add_argument("--budget-words", type=positive, metavar="N", help="most words instead")
    group.add_argument(
        "--preset", choices=sorted(PRESETS), default="brief", help="settings to begin with (brief)"
    )
    group.add_argument("--layout", choices=names_of(Layout), help="how it is written (brief)")
    group.add_argument(
        "--dense", action="store_true", help="put stand-ins of long items before snippets"
    )
    group.add_argument("--tiers", choices=names_of(TierPolicy), help="how stand-ins are chosen")
    group.add_argument("--limit", type=positive, metavar="N", help="most hits to choose from")
    group.add_argument("--max-items", type=positive, metavar="N", help="most items to show")
    group.add_argument("--max-per-source", type=positive, metavar="N", help="most of one source")
    group.add_argument("--score-min", type=finite, metavar="S", help="leave out what scores less")
    group.add_argument(
        "--trust", choices=names_of(Trust), help="leave out what is trusted less (external)"
    )
    group.add_argument("--reserve", type=positive, metavar="N", help="leave so much of the budget")
    group.add_argument("--why", action="store_true", help="say in the text why each item is in")
    group.add_argument("--no-headers", action="store_true", help="leave the headers out")


def read_briefing(arguments: Namespace) -> dict[str, Any]:
    """Return the arguments of `Memory.brief` that `add_briefing` declared."""
    return {
        "budget_tokens": arguments.budget,
        "budget_words": arguments.budget_words,
        "preset": arguments.preset,
        "layout": arguments.layout,
        "context_mode": ContextMode.DENSE if arguments.dense else None,
        "tier_policy": arguments.tiers,
        "top_k": arguments.limit,
        "items_max": arguments.max_items,
        "source_items_max": arguments.max_per_source,
        "score_min": arguments.score_min,
        "trust_min": arguments.trust,
        "reserve": arguments.reserve,
        "why": arguments.why or None,
        "headers": False if arguments.no_headers else None,
    }


def run(context: Context, arguments: Namespace) -> None:
    """Write the brief's text to stdout, and what it cost to stderr."""
    query = read_question(context, arguments)
    how = {**read_how(context, arguments), **read_briefing(arguments)}
    with context.memory() as memory:
        made = memory.brief(query, keep_receipt=arguments.keep_receipt, **how)
    context.output.answer(made, draw=lambda: _draw(context, made, kept=arguments.keep_receipt))


def _draw(context: Context, made: Brief, *, kept: bool) -> None:
    context.output.line(made.text.rstrip("\n"))
    context.output.note((cost(made), "dim"))
    if kept:
        context.output.note((f"receipt {made.receipt.id}", "dim"))
    for note in made.diagnostics.notes:
        context.output.note((f"note: {note}", "yellow"))


def cost(made: Brief) -> str:
    """Return what a brief cost and left out: `412 of 1,500 tokens, 7 items; dropped 3 (budget)`."""
    said = f"{made.tokens:,} of {made.budget:,} {made.unit}, {len(made.items)} items"
    reasons = Counter(one.reason.value for one in made.dropped)
    if not reasons:
        return said
    told = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    return f"{said}; dropped: {told}"
