"""`simonides move`: copy a space to another store and compare; remove the source if wanted."""

from argparse import ArgumentParser, Namespace

import simonides
from simonides.cli.context import Context
from simonides.cli.options import not_empty
from simonides.model.maintenance import MoveReport

HELP = "Move a space into a database, or to another home, and back."
EXAMPLE = "simonides move alice --to postgresql://simonides@db.example.com/memory"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the space, and where it goes."""
    parser.add_argument(
        "name", metavar="SPACE", nargs="?", type=not_empty, help="the space (default: --space)"
    )
    parser.add_argument(
        "--to", required=True, type=not_empty, metavar="STORE",
        help="postgresql://role@host/database, or the path of a home",
    )  # fmt: skip
    parser.add_argument(
        "--remove-source", action="store_true",
        help="remove the space here once the copy was found to be the same",
    )  # fmt: skip


def run(context: Context, arguments: Namespace) -> None:
    """Move the space and write the report."""
    with context.memory(arguments.name or "") as memory:
        done = simonides.move_space(memory, arguments.to, remove_source=arguments.remove_source)
    context.output.answer(done, draw=lambda: _draw(context, done))


def _draw(context: Context, done: MoveReport) -> None:
    output = context.output
    output.line("moved " if done.removed_source else "copied ", (done.space, "bold"))
    output.note((f"{done.items:,} items as of revision {done.revision:,}, compared", "dim"))
    if not done.removed_source:
        remove = f"simonides erase --everything --space {done.space}"
        output.note(f"the source stays; remove it with: {remove}")
