"""`simonides brief`: assemble the context of a model's next call, inside a budget."""

from argparse import ArgumentParser, Namespace
from collections import Counter

from simonides.cli.context import Context
from simonides.cli.options import add_filter, add_question, positive, read_how, read_question
from simonides.engine.memory import BRIEF_CANDIDATES, BRIEF_TOKENS
from simonides.model.answer import Brief

HELP = "Assemble what a model needs to answer, inside a hard budget of tokens."
EXAMPLE = 'simonides brief "prepare my call with Sarah about Alpha" --budget 800'


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the question, the budget, the layout and the filters."""
    add_question(parser)
    group = parser.add_argument_group("the brief")
    budget = group.add_mutually_exclusive_group()
    budget.add_argument(
        "--budget", type=positive, default=BRIEF_TOKENS, metavar="N",
        help=f"most tokens of the text ({BRIEF_TOKENS})",
    )  # fmt: skip
    budget.add_argument("--budget-words", type=positive, metavar="N", help="most words instead")
    group.add_argument(
        "--limit", type=positive, default=BRIEF_CANDIDATES, metavar="N",
        help=f"most hits to choose from ({BRIEF_CANDIDATES})",
    )  # fmt: skip
    add_filter(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Write the brief's text to stdout, and what it cost to stderr."""
    query = read_question(context, arguments)
    how = read_how(context, arguments)
    with context.memory() as memory:
        made = memory.brief(
            query,
            budget_tokens=None if arguments.budget_words else arguments.budget,
            budget_words=arguments.budget_words,
            limit=arguments.limit,
            **how,
        )
    context.output.answer(made, draw=lambda: _draw(context, made))


def _draw(context: Context, made: Brief) -> None:
    context.output.line(made.text.rstrip("\n"))
    context.output.note((cost(made), "dim"))
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
