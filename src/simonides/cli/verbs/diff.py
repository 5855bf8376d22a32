"""`simonides diff`: tell why two briefs differ, by their receipts."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from contextlib import suppress

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.hits import title_of
from simonides.cli.receipts import add_receipt, read_named
from simonides.errors import InvalidInput, SimonidesError
from simonides.model.brief import DiffChange, ReceiptDiff

HELP = "Tell why two briefs differ, by their receipts."
EXAMPLE = "simonides diff yesterday.json today.json"

_MARKS = {
    DiffChange.ADDED: ("+ ", "green"),
    DiffChange.REMOVED: ("- ", "red"),
    DiffChange.CHANGED: ("~ ", "yellow"),
}
_TITLE_WIDTH = 60


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the two receipts, the earlier one first."""
    add_receipt(parser, "before")
    add_receipt(parser, "after")


def run(context: Context, arguments: Namespace) -> None:
    """Write whether the texts differ, the settings that do, and each item that does, with why."""
    if arguments.before == arguments.after == "-":
        raise InvalidInput("RECEIPT", "only one of the two can be standard input")
    before, after = (read_named(context, one) for one in (arguments.before, arguments.after))
    with context.memory() as memory:
        found = memory.diff(before, after)
        titles = {} if context.output.as_json else _titles(memory, found)
    context.output.answer(found, draw=lambda: _draw(context, found, titles))


def _titles(memory: Memory, found: ReceiptDiff) -> dict[str, str]:
    """Return what the items are called, of those that the space still has, if it can be read."""
    titles = {}
    for one in found.items:
        with suppress(SimonidesError):
            titles[one.id] = title_of(memory.get(one.id), width=_TITLE_WIDTH)
    return titles


def _draw(context: Context, found: ReceiptDiff, titles: Mapping[str, str]) -> None:
    output = context.output
    same, *settings_and_items = found.told
    output.line((same, "bold"))
    for sentence in settings_and_items[: len(found.settings)]:
        output.line(f"  {sentence}")
    for one in found.items:
        output.line(_MARKS[one.change], (f"{one.id}  ", "dim"), (titles.get(one.id, ""), "bold"))
        output.line(f"    {one.reason}")
