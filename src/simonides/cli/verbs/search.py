"""`simonides search`: find what a question needs."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.hits import draw_hits, draw_notes
from simonides.cli.options import add_filter, add_question, positive, read_how, read_question
from simonides.cli.verbs.background import draw_best
from simonides.codec.write import with_best_context
from simonides.model.answer import SearchResult
from simonides.model.background import ScoredBackground, background_collection
from simonides.model.filter import Filter

HELP = "Find what a question needs, best first."
EXAMPLE = 'simonides search "what did Sarah send me last week?" --source gmail --limit 5'


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the question, the limit and the filters."""
    add_question(parser)
    parser.add_argument("--limit", type=positive, default=10, metavar="N", help="most hits (10)")
    parser.add_argument(
        "--best-context", action="store_true", help="also the background that fits best"
    )
    add_filter(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Search and write the hits."""
    query = read_question(context, arguments)
    how = read_how(context, arguments)
    with context.memory() as memory:
        result = memory.search(query, limit=arguments.limit, **how)
        best = _best(memory, query, how["filter"]) if arguments.best_context else None
    record = result if best is None else with_best_context(result, next(iter(best), None))
    context.output.answer(record, draw=lambda: _draw(context, query, result, best))


def _best(memory: Memory, query: str, wanted: Filter) -> tuple[ScoredBackground, ...]:
    """Return the snapshot that fits best, of the collection whose latest one the search has."""
    return memory.background.best(query, collection=background_collection(wanted), limit=1)


def _draw(
    context: Context, query: str, result: SearchResult, best: Sequence[ScoredBackground] | None
) -> None:
    draw_hits(context, query, result)
    if best is not None:
        draw_best(context, best)
    draw_notes(context.output, result)
