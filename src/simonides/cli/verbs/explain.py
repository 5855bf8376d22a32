"""`simonides explain`: show how a question was read, what ran, and why each hit has its score."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.hits import draw_contributions, draw_head, draw_lanes, draw_plan
from simonides.cli.options import add_filter, add_question, positive, read_how, read_question
from simonides.model.answer import SearchResult

HELP = "Show how a question was read, what ran, and why each hit has its score."
EXAMPLE = 'simonides explain "when is Alpha due?" --limit 3'


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the question, the limit and the filters."""
    add_question(parser)
    parser.add_argument("--limit", type=positive, default=5, metavar="N", help="most hits (5)")
    add_filter(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Search and write the plan, the lanes, and each hit's contributions."""
    query = read_question(context, arguments)
    how = read_how(context, arguments)
    with context.memory() as memory:
        result = memory.explain(query, limit=arguments.limit, **how)
    context.output.answer(result, draw=lambda: _draw(context, result))


def _draw(context: Context, result: SearchResult) -> None:
    draw_plan(context, result)
    draw_lanes(context.output, result)
    best = max((hit.score for hit in result.hits), default=0.0)
    for rank, hit in enumerate(result.hits, start=1):
        draw_head(context, hit, rank=rank, best=best)
        draw_contributions(context.output, hit)
    if not result.hits:
        context.output.note("nothing found")
