"""`simonides explain`: show why a brief is as it is, from the question to the last token."""

from argparse import ArgumentParser, Namespace

from simonides.cli.account import draw_account
from simonides.cli.context import Context
from simonides.cli.hits import draw_contributions, draw_head, draw_lanes, draw_plan
from simonides.cli.options import add_filter, add_question, positive, read_how, read_question
from simonides.cli.verbs.brief import add_briefing, read_briefing
from simonides.model.answer import SearchResult
from simonides.model.brief import Explained

HELP = "Show how a question was read, what ran, why each hit has its score, and the budget."
EXAMPLE = 'simonides explain "when is Alpha due?" --hits 3'


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the question, how the brief is made, how many hits are drawn, and the filters."""
    add_question(parser)
    add_briefing(parser)
    parser.add_argument(
        "--hits", type=positive, default=5, metavar="N", help="most hits to draw (5)"
    )
    add_filter(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Search, brief, and write the plan, the lanes, the hits, and the budget line by line."""
    query = read_question(context, arguments)
    how = {**read_how(context, arguments), **read_briefing(arguments)}
    with context.memory() as memory:
        explained = memory.explain(query, **how)
    context.output.answer(
        explained, draw=lambda: _draw(context, explained, hits_max=arguments.hits)
    )


def _draw(context: Context, explained: Explained, *, hits_max: int) -> None:
    draw_plan(context, explained.result)
    draw_lanes(context.output, explained.result)
    _draw_hits(context, explained.result, hits_max=hits_max)
    draw_account(context, explained)


def _draw_hits(context: Context, result: SearchResult, *, hits_max: int) -> None:
    context.output.line(("hits", "bold"))
    best = max((hit.score for hit in result.hits), default=0.0)
    for rank, hit in enumerate(result.hits[:hits_max], start=1):
        draw_head(context, hit, rank=rank, best=best)
        draw_contributions(context.output, hit)
    more = len(result.hits) - hits_max
    if more > 0:
        context.output.line((f"  and {more} more", "dim"))
    if not result.hits:
        context.output.note("nothing found")
