"""`simonides spaces`: the names of all spaces of a home."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.cli.context import Context

HELP = "Print the names of all spaces."
EXAMPLE = "simonides spaces --home ~/.simonides"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare nothing: `--home` says it all."""


def run(context: Context, arguments: Namespace) -> None:  # noqa: ARG001  every verb has the same form
    """Write the names, one on each line."""
    with context.memory() as memory:
        names = memory.spaces()
    context.output.answer({"spaces": names}, draw=lambda: _draw(context, names))


def _draw(context: Context, names: Sequence[str]) -> None:
    for name in names:
        context.output.line(name)
    if not names:
        context.output.note("no space yet; `simonides add` makes one")
