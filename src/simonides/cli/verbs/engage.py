"""`simonides engage`: note that items were used."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.cli.context import Context
from simonides.cli.exit_codes import Exit
from simonides.cli.options import names_of
from simonides.model.stored import Engaged

HELP = "Note that items were used, cited or opened: dense briefs tell more of them."
EXAMPLE = "simonides engage 8ck4h2v0q1e7m3s5t6u9x0y1z2 --how cited"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the ids, and what was done with the items."""
    parser.add_argument("ids", metavar="ID", nargs="+", help="the ids of the items")
    parser.add_argument(
        "--how", choices=names_of(Engaged), default="used", help="what was done with them (used)"
    )


def run(context: Context, arguments: Namespace) -> None:
    """Note it of what is there; the exit status says if some was not."""
    with context.memory() as memory:
        engaged = memory.engage(*arguments.ids, how=arguments.how)
    missing = [one for one in dict.fromkeys(arguments.ids) if one not in engaged]
    record = {"engaged": engaged, "how": arguments.how, "missing": missing}
    context.output.answer(record, draw=lambda: _draw(context, engaged, arguments.how, missing))
    if missing:
        raise SystemExit(Exit.NOT_FOUND)


def _draw(context: Context, engaged: Sequence[str], how: str, missing: Sequence[str]) -> None:
    for one in engaged:
        context.output.line(f"{how} {one}")
    for one in missing:
        context.output.note((f"simonides engage: no item {one!r} [not_found]", "yellow"))
