"""Receipts as they are named on a command line: a file, standard input, or the id of a kept one.

Knows where a receipt's text comes from. Must not know what a receipt says.
"""

from argparse import ArgumentParser
from pathlib import Path

from simonides.cli.context import Context, expanded
from simonides.cli.options import not_empty
from simonides.errors import InvalidInput
from simonides.model.brief import Receipt


def add_receipt(parser: ArgumentParser, name: str) -> None:
    """Declare one receipt as an argument."""
    parser.add_argument(
        name, metavar="RECEIPT", type=not_empty,
        help="a file with a receipt's or a brief's JSON, - for stdin, or the id of a kept one",
    )  # fmt: skip


def read_named(context: Context, given: str) -> Receipt | str:
    """Return the receipt of a file or of standard input; what is neither is an id, as it is.

    Raises:
        InvalidInput: It can not be read or is no receipt; names the file.
    """
    from simonides.codec.receipt import read_receipt

    path = expanded(given)
    if given != "-" and not _is_there(path):
        return given
    text = context.read_text(given) if given == "-" else _text_of(path)
    try:
        return read_receipt(text)
    except InvalidInput as error:
        raise InvalidInput("standard input" if given == "-" else given, str(error)) from error


def _is_there(path: Path) -> bool:
    """Return whether a file is there; one that the shell made of a command's output is, too."""
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
