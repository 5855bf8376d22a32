"""`simonides history`: every version of one item that is kept."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.cli.context import Context
from simonides.cli.terminal_text import clipped
from simonides.model.maintenance import Version

HELP = "List the versions of one item, forgotten ones too."
EXAMPLE = "simonides history 8ck4h2v0q1e7m3s5t6u9x0y1z2"

_TEXT_WIDTH = 40
"""Characters of a version that a table shows."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the id."""
    parser.add_argument("id", metavar="ID", help="the item's id, as `search` and `list` print it")


def run(context: Context, arguments: Namespace) -> None:
    """Write the versions, the first first."""
    with context.memory() as memory:
        versions = memory.history(arguments.id)
    context.output.answer({"versions": versions}, draw=lambda: _draw(context, versions))


def _draw(context: Context, versions: Sequence[Version]) -> None:
    rows = [
        (str(one.version), context.minute(one.born_at), _life(one), ", ".join(one.changed),
         clipped(one.item.content or one.item.title, _TEXT_WIDTH))
        for one in versions
    ]  # fmt: skip
    context.output.table(("version", "date", "revisions", "changed", "text"), rows)
    last = versions[-1]
    if last.cause is not None:
        when = context.minute(last.died_at)
        context.output.note((f"{last.cause} at revision {last.died}, {when}", "yellow"))


def _life(one: Version) -> str:
    """Return between which revisions a version was the present one: `3 to 7`, `7 on`."""
    return f"{one.born} on" if one.died is None else f"{one.born} to {one.died}"
