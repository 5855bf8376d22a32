"""`simonides forget`: take items out of what is found."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.cli.context import Context
from simonides.cli.exit_codes import Exit
from simonides.cli.options import positive

HELP = "Take items out of what is found."
EXAMPLE = "simonides forget 8ck4h2v0q1e7m3s5t6u9x0y1z2"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the ids."""
    parser.add_argument("ids", metavar="ID", nargs="+", help="the ids of the items")
    parser.add_argument(
        "--if-version", type=positive, metavar="N", help="only if this version is present"
    )


def run(context: Context, arguments: Namespace) -> None:
    """Forget what is there; the exit status says if some was not."""
    with context.memory() as memory:
        forgotten = memory.forget(*arguments.ids, if_version=arguments.if_version)
    missing = [one for one in dict.fromkeys(arguments.ids) if one not in forgotten]
    record = {"forgotten": forgotten, "missing": missing}
    context.output.answer(record, draw=lambda: _draw(context, forgotten, missing))
    if missing:
        raise SystemExit(Exit.NOT_FOUND)


def _draw(context: Context, forgotten: Sequence[str], missing: Sequence[str]) -> None:
    for one in forgotten:
        context.output.line(f"forgotten {one}")
    for one in missing:
        context.output.note((f"simonides forget: no item {one!r} [not_found]", "yellow"))
