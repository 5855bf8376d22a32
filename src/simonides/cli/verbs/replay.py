"""`simonides replay`: build a brief again from its receipt, byte for byte."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.exit_codes import Exit
from simonides.cli.receipts import add_receipt, read_named
from simonides.model.brief import Replay

HELP = "Build a brief again from its receipt; exit status 9 if it can not be the same."
EXAMPLE = "simonides replay brief.json"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the receipt."""
    add_receipt(parser, "receipt")


def run(context: Context, arguments: Namespace) -> None:
    """Write the text to stdout and what has changed to stderr; the status says if it is exact."""
    receipt = read_named(context, arguments.receipt)
    with context.memory() as memory:
        made = memory.replay(receipt)
    context.output.answer(made, draw=lambda: _draw(context, made))
    if not made.exact:
        raise SystemExit(Exit.NOT_EXACT)


def _draw(context: Context, made: Replay) -> None:
    output = context.output
    if made.text or made.exact:
        output.line(made.text.rstrip("\n"))
    if made.exact:
        output.note((f"the same text, byte for byte, of receipt {made.receipt_id}", "dim"))
    for one in made.changed:
        output.note((f"changed: {one}", "yellow"))
