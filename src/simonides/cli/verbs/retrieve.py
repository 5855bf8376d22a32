"""`simonides retrieve`: what an assistant recalls of a question, items and conversations."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.hits import draw_head, draw_passage
from simonides.cli.options import names_of, not_empty, positive, read_question
from simonides.cli.snippet import question_words
from simonides.cli.terminal_text import one_line
from simonides.model.answer import Scorer
from simonides.model.chat import Retrieved
from simonides.model.query import NamedTime

HELP = "Recall what a question needs, of items and conversations, as an assistant does."
EXAMPLE = 'simonides retrieve "what did Sarah send me last week?" --source gmail'

_INDENT = "      "


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the question and what `memory.retrieve` takes."""
    parser.add_argument("query", metavar="QUERY", nargs="+", help="the question; - reads stdin")
    parser.add_argument("--limit", type=positive, default=10, metavar="N", help="most hits (10)")
    parser.add_argument(
        "--session-id", default="", metavar="ID", help="the session the question is asked in"
    )
    parser.add_argument(
        "--scorer", choices=names_of(Scorer), default="fused", help="how lanes become one score"
    )
    parser.add_argument(
        "--no-episodic", action="store_true", help="without messages of conversations"
    )
    group = parser.add_argument_group("filters (those marked * may be repeated: any of them)")
    for flag, field, told in (
        ("--source", "sources", "only from this source, such as gmail"),
        ("--entity", "entities", "mentions this entity (id or name)"),
        ("--without", "without_ids", "never the item of this id"),
    ):
        metavar = flag.removeprefix("--").upper()
        group.add_argument(
            flag, dest=field, action="append", default=[], type=not_empty, metavar=metavar,
            help=f"* {told}",
        )  # fmt: skip
    group.add_argument("--time", choices=names_of(NamedTime), help="a rolling range that ends now")


def run(context: Context, arguments: Namespace) -> None:
    """Retrieve and write what was found."""
    query = read_question(context, arguments)
    with context.memory() as memory:
        found = memory.retrieve(
            query,
            session_id=arguments.session_id,
            sources=arguments.sources,
            time_filter=arguments.time or "",
            entity_filter=arguments.entities,
            include_episodic=not arguments.no_episodic,
            limit=arguments.limit,
            without_ids=arguments.without_ids,
            scorer=arguments.scorer,
        )
    context.output.answer(found, draw=lambda: _draw(context, query, found))


def _draw(context: Context, query: str, found: Retrieved) -> None:
    output = context.output
    if not found.hits:
        output.note("nothing found")
    best = max((hit.score for hit in found.hits), default=0.0)
    words = question_words(query)
    for rank, hit in enumerate(found.hits, start=1):
        draw_head(context, hit, rank=rank, best=best)
        draw_passage(output, hit, words)
        output.line((f"{_INDENT}{hit.id}", "dim"))
    for entity in found.entities:
        output.line(("known: ", "bold"), one_line(entity))
    for note in found.notes:
        output.note((f"note: {note}", "yellow"))
