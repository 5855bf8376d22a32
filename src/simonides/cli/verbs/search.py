"""`simonides search`: find what a question needs."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.hits import draw_hits, draw_notes
from simonides.cli.options import add_filter, add_question, positive, read_how, read_question
from simonides.model.answer import SearchResult

HELP = "Find what a question needs, best first."
EXAMPLE = 'simonides search "what did Sarah send me last week?" --source gmail --limit 5'


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the question, the limit and the filters."""
    add_question(parser)
    parser.add_argument("--limit", type=positive, default=10, metavar="N", help="most hits (10)")
    add_filter(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Search and write the hits."""
    query = read_question(context, arguments)
    how = read_how(context, arguments)
    with context.memory() as memory:
        result = memory.search(query, limit=arguments.limit, **how)
    context.output.answer(result, draw=lambda: _draw(context, query, result))


def _draw(context: Context, query: str, result: SearchResult) -> None:
    draw_hits(context, query, result)
    draw_notes(context.output, result)
