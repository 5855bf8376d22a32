"""`simonides entities`: the people, projects and topics that are mentioned."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.cli.context import Context
from simonides.cli.options import positive
from simonides.model.answer import Entity

HELP = "List the people, projects, issues and topics that are mentioned, most often first."
EXAMPLE = "simonides entities --name sarah"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the name and the limit."""
    parser.add_argument("--name", default="", help="only those whose name holds this")
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="most rows (50)")


def run(context: Context, arguments: Namespace) -> None:
    """Write the entities."""
    with context.memory() as memory:
        found = memory.entities(name=arguments.name, limit=arguments.limit)
    context.output.answer({"entities": found}, draw=lambda: _draw(context, found))


def _draw(context: Context, found: Sequence[Entity]) -> None:
    if not found:
        context.output.note("no entity is mentioned")
        return
    rows = [
        (one.names[0], one.kind, f"{one.mentions:,}", ", ".join(one.names[1:4]), one.id)
        for one in found
    ]
    context.output.table(("name", "kind", "mentions", "also", "id"), rows)
