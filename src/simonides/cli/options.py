"""The interface of commands, the exit statuses, and the options that commands share.

Knows the error tree and the numbers that scripts rely on. Must not know any command.
"""

import argparse
import json
import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import partial
from typing import Any, Protocol

from simonides.api.memory import DEFAULT_HOME, DEFAULT_SPACE
from simonides.cli.context import Context
from simonides.errors import (
    AccessDenied,
    AlreadyDone,
    Conflict,
    EmbedderError,
    ImportFailed,
    InvalidInput,
    ModelError,
    NotFound,
    SimonidesError,
    StoreError,
)
from simonides.model.item import Trust


class Exit(IntEnum):
    """The exit statuses, as documented in `docs/reference/command-line.md`."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    NOT_FOUND = 3
    INVALID_INPUT = 4
    STORE = 5
    EMBEDDER = 6
    IMPORT_FAILED = 7
    PROBLEM_FOUND = 8
    NOT_EXACT = 9
    CONFLICT = 10
    MODEL = 11
    ACCESS_DENIED = 12
    INTERRUPTED = 130


_STATUS: dict[type[SimonidesError], Exit] = {
    NotFound: Exit.NOT_FOUND,
    Conflict: Exit.CONFLICT,
    AlreadyDone: Exit.CONFLICT,
    InvalidInput: Exit.INVALID_INPUT,
    StoreError: Exit.STORE,
    EmbedderError: Exit.EMBEDDER,
    ModelError: Exit.MODEL,
    AccessDenied: Exit.ACCESS_DENIED,
    ImportFailed: Exit.IMPORT_FAILED,
}


def status_of(error: SimonidesError) -> Exit:
    """Return the exit status of an error: that of its nearest class in the table."""
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), Exit.UNEXPECTED)


def names_of(kind: type[StrEnum]) -> list[str]:
    """Return the values of an enumeration as plain texts, for argparse."""
    return [one.value for one in kind]


def add_trust(parser: ArgumentParser) -> None:
    """Declare the option for the trust level of stored items, which `add` and `import` share."""
    parser.add_argument(
        "--trust", choices=names_of(Trust), help="the trust level; an item may declare a lower one"
    )


def whole(schema: Mapping[str, Any], text: str) -> int:
    """Return the whole number in `text`, at or above the minimum of its field."""
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f"must be a whole number, got {text!r}") from None
    return int(check_minimum(schema, value))


def check_minimum(schema: Mapping[str, Any], value: float) -> float:
    """Return a number unless it is below the minimum of its field."""
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    if least is not None and value < least:
        raise ArgumentTypeError(f"must be {least} or more, got {value}")
    return value


positive = partial(whole, {"minimum": 1})
"""Reads a positive whole number."""


def finite(text: str) -> float:
    """Return the finite number in `text`."""
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"must be a number, got {text!r}") from None
    if not math.isfinite(number):
        raise ArgumentTypeError(f"must be a finite number, got {text!r}")
    return number


def not_negative(text: str) -> float:
    """Return the non-negative number in `text`."""
    number = finite(text)
    if number < 0:
        raise ArgumentTypeError(f"must be 0 or more, got {text!r}")
    return number


def json_value(text: str) -> Any:
    """Return the JSON value in `text`."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ArgumentTypeError(f"is not valid JSON ({error}): {text!r}") from None
    except RecursionError:
        raise ArgumentTypeError("is nested too deeply") from None


def not_empty(text: str) -> str:
    """Return `text` unless it is empty, which is usually an unset variable of a script."""
    if not text:
        raise ArgumentTypeError("must not be empty")
    return text


def not_given() -> Namespace:
    """Return the defaults of the shared options; `resolve` reads other sources."""
    return Namespace(json=False, home="", space="", now="", embedder=None, timezone=None)


def add_shared(parser: ArgumentParser) -> None:
    """Declare the options of every verb; `not_given` holds their defaults."""
    group = parser.add_argument_group("shared options")

    def add(*names: str, **rest: Any) -> None:
        group.add_argument(*names, default=argparse.SUPPRESS, **rest)

    add("--json", action="store_true", help="answer with one JSON object on one line")
    home, space = f"SIMONIDES_HOME; {DEFAULT_HOME}", f"SIMONIDES_SPACE; {DEFAULT_SPACE}"
    add("--home", metavar="DIR", type=not_empty, help=f"the home directory ({home})")
    add("--space", metavar="NAME", type=not_empty, help=f"the name of the space ({space})")
    add("--now", metavar="TIME", type=not_empty, help="the present time, as an ISO time")
    add("--embedder", metavar="NAME", help="minilm, none, openai or a plugin's")
    add("--timezone", metavar="ZONE", help="IANA name of the user's time zone")


def key_id(text: str) -> str:
    """Return `text` if it could be the id of a key, which is ASCII.

    A whole key goes too, and is never repeated by an error.
    """
    if not (text.isascii() and text.isprintable()):
        raise ArgumentTypeError("is no id of a key; `simonides keys list` prints them")
    return not_empty(text)


class Verb(Protocol):
    """A command: a module of `cli.verbs` or of a plugin, or a record of `cli.commands`."""

    @property
    def HELP(self) -> str:  # noqa: N802  the names of a module's constants
        """The help text of the command."""
        ...

    @property
    def EXAMPLE(self) -> str:  # noqa: N802
        """An example of a command line."""
        ...

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's own arguments."""
        ...

    def run(self, context: Context, arguments: Namespace) -> None:
        """Run the command and write its answer; errors are handled by `main`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomCommand:
    """A command without an operation of its own, or one task of a group of commands."""

    HELP: str
    EXAMPLE: str = ""
    add_arguments: Callable[[ArgumentParser], object] = lambda _: None
    run: Callable[[Context, Namespace], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGroup:
    """A command with several tasks, such as `background put`."""

    HELP: str
    EXAMPLE: str
    tasks: Mapping[str, Any]
    """Commands, or modules of the same form, by the names of the tasks."""
    default: str = ""
    """The task that is done where none is named; it takes no arguments by position."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the tasks; the chosen one is `arguments.task`."""
        if self.default:
            self.tasks[self.default].add_arguments(parser)
        group = parser.add_subparsers(
            title="tasks", dest="task", metavar="TASK", required=not self.default
        )
        for name, task in self.tasks.items():
            one = group.add_parser(name, help=task.HELP, description=task.HELP)
            task.add_arguments(one)
            add_shared(one)

    def run(self, context: Context, arguments: Namespace) -> None:
        """Run the chosen task and write its answer."""
        self.tasks[arguments.task or self.default].run(context, arguments)
