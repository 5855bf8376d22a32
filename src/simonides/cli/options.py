"""Options that several verbs share, and how they become filters and questions.

Knows flags and their help. Must not know what a filter does.
"""

import argparse
import json
import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import datetime
from enum import StrEnum
from typing import Any

from simonides.api.memory import DEFAULT_HOME, DEFAULT_SPACE
from simonides.cli.as_of import add_as_of, read_as_of
from simonides.cli.context import Context
from simonides.errors import InvalidInput
from simonides.model.answer import Mode, Scorer
from simonides.model.filter import Filter, parse_condition
from simonides.model.item import Kind, MemoryType, Scope, Status, Trust
from simonides.model.query import NamedTime, named_range
from simonides.model.times import read_time


def names_of(kind: type[StrEnum]) -> list[str]:
    """Return the members of `kind` as plain texts, which argparse prints as people write them."""
    return [one.value for one in kind]


def add_trust(parser: ArgumentParser) -> None:
    """Declare how far what is kept may be trusted: `add` and `import` share it."""
    parser.add_argument(
        "--trust", choices=names_of(Trust), help="how far it may be trusted; less if it says so"
    )


def positive(text: str) -> int:
    """Return the whole number above zero that `text` says."""
    try:
        number = int(text)
    except ValueError:
        raise ArgumentTypeError(f"must be a whole number, got {text!r}") from None
    if number < 1:
        raise ArgumentTypeError(f"must be 1 or more, got {number}")
    return number


def finite(text: str) -> float:
    """Return the number that `text` says."""
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"must be a number, got {text!r}") from None
    if not math.isfinite(number):
        raise ArgumentTypeError(f"must be a finite number, got {text!r}")
    return number


def not_negative(text: str) -> float:
    """Return the number of 0 or more that `text` says."""
    number = finite(text)
    if number < 0:
        raise ArgumentTypeError(f"must be 0 or more, got {text!r}")
    return number


def json_value(text: str) -> Any:
    """Return the value that `text` is the JSON of."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ArgumentTypeError(f"is not valid JSON ({error}): {text!r}") from None
    except RecursionError:
        raise ArgumentTypeError("is nested too deeply") from None


def not_empty(text: str) -> str:
    """Return `text`; an empty one is an unset variable of a script, never what was meant."""
    if not text:
        raise ArgumentTypeError("must not be empty")
    return text


def not_given() -> Namespace:
    """Return what the shared options are where they are not given; `resolve` reads on."""
    return Namespace(json=False, home="", space="", now="", embedder=None, timezone=None)


def add_shared(parser: ArgumentParser) -> None:
    """Declare what every verb has; `not_given` holds their defaults."""
    group = parser.add_argument_group("shared options")

    def add(*names: str, **rest: Any) -> None:
        group.add_argument(*names, default=argparse.SUPPRESS, **rest)

    add("--json", action="store_true", help="answer with one JSON object on one line")
    home, space = f"SIMONIDES_HOME; {DEFAULT_HOME}", f"SIMONIDES_SPACE; {DEFAULT_SPACE}"
    add("--home", metavar="DIR", type=not_empty, help=f"where spaces are kept ({home})")
    add("--space", metavar="NAME", type=not_empty, help=f"whose memory ({space})")
    add("--now", metavar="TIME", type=not_empty, help="the clock to go by, as an ISO time")
    add("--embedder", metavar="NAME", help="minilm, none, openai or a plugin's")
    add("--timezone", metavar="ZONE", help="IANA name of the zone that days are counted in")


def add_question(parser: ArgumentParser) -> None:
    """Declare the question of `search`, `brief` and `explain`, and how it is answered."""
    parser.add_argument("query", metavar="QUERY", nargs="+", help="the question; - reads stdin")
    group = parser.add_argument_group("how to search")
    group.add_argument(
        "--mode", choices=names_of(Mode), default="hybrid", help="which lanes answer"
    )
    group.add_argument(
        "--scorer", choices=names_of(Scorer), default="fused", help="how lanes become one score"
    )
    group.add_argument("--min-score", type=finite, metavar="S", help="leave out what scores less")
    group.add_argument(
        "--session-id", default="", metavar="ID", help="the session the question is asked in"
    )
    add_as_of(group)


_PLURAL_FILTERS: tuple[tuple[str, str, type[StrEnum] | None, str], ...] = (
    ("--source", "sources", None, "only from this source, such as gmail"),
    ("--kind", "kinds", Kind, "only this kind of item"),
    ("--person", "people", None, "someone of this name or address takes part"),
    ("--author", "authors", None, "written by someone of this name or address"),
    ("--entity", "entities", None, "mentions this entity (id or name)"),
    ("--collection", "collections", None, "only in this collection"),
    ("--session", "sessions", None, "only in this session or thread"),
    ("--tag", "tags", None, "has this tag"),
    ("--scope", "scopes", Scope, "only memories of this scope"),
    ("--type", "types", MemoryType, "only memories of this type"),
    ("--without", "without_ids", None, "never the item of this id"),
    ("--status", "statuses", Status, "only memories of this status (default: active)"),
)
"""Flag, field of `Filter`, its choices, help: those that may be given several times."""


def add_filter(parser: ArgumentParser) -> None:
    """Declare the options that become a `Filter`."""
    group = parser.add_argument_group("filters (those marked * may be repeated: any of them)")
    for flag, field, choices, text in _PLURAL_FILTERS:
        names = names_of(choices) if choices else None
        metavar = None if choices else flag.removeprefix("--").upper()
        group.add_argument(
            flag, dest=field, action="append", choices=names, metavar=metavar, help=f"* {text}"
        )
    group.add_argument("--expired", action="store_true", help="also memories that have expired")
    group.add_argument("--since", metavar="TIME", help="happened at or after this ISO time")
    group.add_argument("--until", metavar="TIME", help="happened before this ISO time")
    group.add_argument("--time", choices=names_of(NamedTime), help="a rolling range that ends now")
    group.add_argument(
        "--where", type=json_value, action="append", metavar="JSON",
        help='* a condition on metadata, such as {"priority": {"gte": 3}}; all must hold',
    )  # fmt: skip


def read_filter(context: Context, arguments: Namespace) -> Filter:
    """Return the filter that the options describe.

    Raises:
        InvalidInput: A time or condition does not fit; the message names the flag.
    """
    plural: dict[str, Any] = {
        field: tuple(choices(one) if choices else one for one in given)
        for _, field, choices, _ in _PLURAL_FILTERS
        if (given := getattr(arguments, field))
    }
    since, until = _range(context, arguments)
    conditions = arguments.where or []
    where = parse_condition({"and": conditions}, path="--where") if conditions else None
    return Filter(**plural, expired=arguments.expired, since=since, until=until, where=where)


def _range(context: Context, arguments: Namespace) -> tuple[datetime | None, datetime | None]:
    zone = context.settings.timezone
    if arguments.time:
        if arguments.since or arguments.until:
            raise InvalidInput("--time", "stands for a whole range; leave out --since and --until")
        named = named_range(NamedTime(arguments.time), now=context.clock(), timezone=zone)
        return named.since, named.until
    since, until = (
        read_time(text, name=f"--{name}", timezone=zone) if text else None
        for name, text in (("since", arguments.since), ("until", arguments.until))
    )
    if since and until and since >= until:
        raise InvalidInput("--until", "must be later than --since")
    return since, until


def read_question(context: Context, arguments: Namespace) -> str:
    """Return the text of the question.

    Raises:
        InvalidInput: It is empty.
    """
    text = context.read_text(" ".join(arguments.query)).strip()
    if not text:
        raise InvalidInput("QUERY", "is empty; ask something")
    return text


def read_how(context: Context, arguments: Namespace) -> dict[str, Any]:
    """Return the keyword arguments that `search`, `brief` and `explain` share."""
    return {
        "mode": arguments.mode,
        "scorer": arguments.scorer,
        "min_score": arguments.min_score,
        "session_id": arguments.session_id,
        "filter": read_filter(context, arguments),
        **read_as_of(context, arguments),
    }
