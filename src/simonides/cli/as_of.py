"""`--as-of`: which state of the space is asked, in the words of the command line.

Knows how a time and a revision are told apart. Must not know what is asked.
"""

from argparse import Namespace
from datetime import datetime
from typing import Any, Protocol

from simonides.cli.context import Context
from simonides.model.times import read_time


class Declaring(Protocol):
    """What options are declared on: a parser, or a group of one."""

    def add_argument(self, *names: str, **how: Any) -> Any:
        """Declare one option."""
        ...


def add_as_of(parser: Declaring) -> None:
    """Declare the option of the verbs that can look into the past, on a parser or a group."""
    parser.add_argument(
        "--as-of", metavar="WHEN", help="as it was: an ISO time, or the number of a revision"
    )


def read_as_of(context: Context, arguments: Namespace) -> dict[str, datetime | int]:
    """Return the keyword argument `as_of` of the verb; empty where it is not given.

    Raises:
        InvalidInput: It is neither a time nor a number.
    """
    if arguments.as_of is None:
        return {}
    return {"as_of": read_when(context, arguments.as_of, flag="--as-of")}


def read_when(context: Context, text: str, *, flag: str) -> datetime | int:
    """Return the revision or the time that a text says; a time without a zone is the user's.

    Raises:
        InvalidInput: It is neither.
    """
    said = text.strip()
    if said.isascii() and said.isdigit():
        return int(said)
    return read_time(said, name=flag, timezone=context.settings.timezone)
