"""`simonides restore`: bring back what was forgotten, or an earlier version."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.options import positive
from simonides.cli.verbs.get import draw_item

HELP = "Bring back a forgotten item, or an earlier version of one, as its newest."
EXAMPLE = "simonides restore 8ck4h2v0q1e7m3s5t6u9x0y1z2 --version 1"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the id and the version."""
    parser.add_argument("id", metavar="ID", help="the item's id")
    parser.add_argument(
        "--version", type=positive, metavar="N",
        help="the version to go back to, as `history` prints it (the last of a forgotten item)",
    )  # fmt: skip


def run(context: Context, arguments: Namespace) -> None:
    """Restore it and write the item as it is now."""
    with context.memory() as memory:
        item = memory.restore(arguments.id, version=arguments.version)
    context.output.answer(item, draw=lambda: draw_item(context, item))
