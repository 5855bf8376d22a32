"""`simonides replay` and `simonides diff`: commands on receipts of briefs.

A receipt is named by a file, by `-` for standard input, or by the id of a kept one.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from simonides.api.arguments import expand_home
from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.hits import title_of
from simonides.cli.options import CustomCommand, Exit, not_empty
from simonides.codec.read import read_receipt
from simonides.errors import InvalidInput, SimonidesError
from simonides.model.brief import Receipt, Replay
from simonides.model.receipt_diff import DiffChange, ReceiptDiff


def add_receipt(parser: ArgumentParser, name: str) -> None:
    """Declare one receipt as an argument."""
    parser.add_argument(
        name, metavar="RECEIPT", type=not_empty,
        help="a file with the JSON of a receipt or brief, - for stdin, or the id of a stored one",
    )  # fmt: skip


def read_named(context: Context, given: str) -> Receipt | str:
    """Return the receipt in a file or standard input; any other name is returned as an id.

    Raises:
        InvalidInput: It can not be read or is no receipt; names the file.
    """
    path = expand_home(given)
    if given != "-" and not _is_there(path):
        return given
    text = context.read_text(given) if given == "-" else _text_of(path)
    try:
        return read_receipt(text)
    except InvalidInput as error:
        raise InvalidInput("standard input" if given == "-" else given, str(error)) from error


def _is_there(path: Path) -> bool:
    """Return whether a file exists, also a pipe that the shell made of a command's output."""
    try:
        return path.exists()
    except OSError:  # longer than any file's name
        return False


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(str(path), f"is not UTF-8: {error}") from error
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error.strerror}") from error


def _run_replay(context: Context, arguments: Namespace) -> None:
    """Write the text to stdout and the changes to stderr; the status says if it is exact."""
    receipt = read_named(context, arguments.receipt)
    with context.memory() as memory:
        made = memory.replay(receipt)
    context.output.answer(made, draw=lambda: _draw_replay(context, made))
    if not made.exact:
        raise SystemExit(Exit.NOT_EXACT)


def _draw_replay(context: Context, made: Replay) -> None:
    output = context.output
    if made.text or made.exact:
        output.line(made.text.rstrip("\n"))
    if made.exact:
        output.note((f"the same text, byte for byte, of receipt {made.receipt_id}", "dim"))
    for one in made.changed:
        output.note((f"changed: {one}", "yellow"))


REPLAY = CustomCommand(
    HELP="Rebuild a brief from its receipt; exit status 9 if the text is not the same.",
    EXAMPLE="simonides replay brief.json",
    add_arguments=lambda parser: add_receipt(parser, "receipt"),
    run=_run_replay,
)


_MARKS = {
    DiffChange.ADDED: ("+ ", "green"),
    DiffChange.REMOVED: ("- ", "red"),
    DiffChange.CHANGED: ("~ ", "yellow"),
}
_TITLE_WIDTH = 60


def _declare_diff(parser: ArgumentParser) -> None:
    """Declare the two receipts, the earlier one first."""
    add_receipt(parser, "before")
    add_receipt(parser, "after")


def _run_diff(context: Context, arguments: Namespace) -> None:
    """Write the differences of two briefs: the text, the settings, and each item with a reason."""
    if arguments.before == arguments.after == "-":
        raise InvalidInput("RECEIPT", "only one of the two can be standard input")
    before, after = (read_named(context, one) for one in (arguments.before, arguments.after))
    with context.memory() as memory:
        found = memory.diff(before, after)
        titles = {} if context.output.as_json else _titles(memory, found)
    context.output.answer(found, draw=lambda: _draw_diff(context, found, titles))


def _titles(memory: Memory, found: ReceiptDiff) -> dict[str, str]:
    """Return the titles of the items that the space still has, if it can be read."""
    titles = {}
    for one in found.items:
        with suppress(SimonidesError):
            titles[one.id] = title_of(memory.get(one.id), width=_TITLE_WIDTH)
    return titles


def _draw_diff(context: Context, found: ReceiptDiff, titles: Mapping[str, str]) -> None:
    output = context.output
    same, *settings_and_items = found.sentences
    output.line((same, "bold"))
    for sentence in settings_and_items[: len(found.settings)]:
        output.line(f"  {sentence}")
    for one in found.items:
        output.line(_MARKS[one.change], (f"{one.id}  ", "dim"), (titles.get(one.id, ""), "bold"))
        output.line(f"    {one.reason}")


DIFF = CustomCommand(
    HELP="Show the differences between two briefs, by their receipts.",
    EXAMPLE="simonides diff yesterday.json today.json",
    add_arguments=_declare_diff,
    run=_run_diff,
)
