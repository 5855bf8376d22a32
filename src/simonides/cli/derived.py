"""Commands made from operations: arguments and help from the request, JSON from the result.

Knows what a JSON Schema is on a command line: a bound, a choice, a switch, an option that may be
repeated; the fields of a record within a request become options, too. Must not know any operation.
"""

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from simonides.api.memory import Memory
from simonides.api.operations import OPERATIONS, Operation
from simonides.cli.context import Context
from simonides.cli.meanings import MEANINGS
from simonides.cli.options import check_minimum, finite, json_value, key_id, not_empty, whole
from simonides.cli.output import Meter
from simonides.codec.request import read_request, request_schema
from simonides.errors import InvalidInput
from simonides.model.times import read_time

Schema = Mapping[str, Any]

Draw = Callable[[Context, Any, Any], None]
"""Writes a result for people; it is handed the result and the request."""

FREE = {"text": "TEXT", "content": "TEXT", "value": "VALUE", "query": "QUERY", "message": "TEXT"}
"""Positional texts of several words; `-` reads standard input."""

SINGULAR = {"people": "person", "entities": "entity", "statuses": "status"}

LEFT_OUT = {
    "now": "the shared option `--now`",
    "timezone": "the shared option `--timezone`",
    "stream": "an answer is written as it comes, but for `--json`",
    "max_items": "another name of `items_max`, which is `--max-items`",
    "traits": "their fields are options of their own",
}
"""Fields that are no options of their own, with what stands for them."""

GROUPS = {
    "filter": "filters (those marked * may be repeated: any of them)",
    "traits": "for a memory",
}
"""Records within a request whose fields are options, with what is said above them."""

METAVARS = {"collection": "NAME", "spaces": "NAME"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One field of a request as an option; `path` is its place in the request."""

    path: tuple[str, ...]
    schema: Schema
    flag: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def dest(self) -> str:
        """The name of the parsed value."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One operation as a command, or as one task of a command.

    `flags` are the options whose name is not that of their field, with aliases after it, `meanings`
    the help of those that mean something of their own here, `left_out` fields that are no options.
    `texts` are given by position as well. Where `many` is set, the first positional argument may be
    repeated: the operation is done for each, and the JSON holds the results under that name. Unless
    `needs_text`, its text may be left out. `declare` adds arguments of the command line alone, and
    `adjust` makes fields of them. `before` is called with the memory and the request. Of
    `exclusive` options one may be given. `progress` is what a bar is called that shows how far it
    is in `unit`s, `status` the exit status of a result.
    """

    operation: str
    draw: Draw
    example: str = ""
    help: str = ""
    flags: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    many: str = ""
    needs_text: bool = True
    progress: str = ""
    unit: str = "items"
    exclusive: tuple[str, ...] = ()
    declare: Callable[[ArgumentParser], None] | None = None
    adjust: Callable[[Context, Namespace, dict[str, Any]], None] | None = None
    before: Callable[[Memory, Any], object] | None = None
    status: Callable[[Any], int] = field(default=lambda _: 0)

    @property
    def HELP(self) -> str:  # noqa: N802  the name that every verb has
        """The help text of the command."""
        return self.help or self.described.summary

    @property
    def EXAMPLE(self) -> str:  # noqa: N802
        """An example of a command line."""
        return self.example

    @property
    def described(self) -> Operation:
        """The operation of the command."""
        return OPERATIONS[self.operation]

    @property
    def positional(self) -> tuple[str, ...]:
        """The fields that are positional arguments."""
        described = self.described
        spread = (described.spread,) if described.spread else ()
        named = (one for one in (*described.positional, *spread) if one not in GROUPS)
        return self.texts or tuple(named)

    def options(self) -> Iterator[Option]:
        """Yield the fields of the request, positional ones first."""
        schema = _schema_of(self.operation)
        known = dict(_fields(schema["properties"], schema.get("$defs", {})))
        for name in self.positional:
            yield Option(path=(name,), schema=known.pop(name))
        for name, one in known.items():
            if name in GROUPS and name not in self.left_out:
                for inner, form in _fields(one["properties"], schema["$defs"]):
                    yield self._option((name, inner), form)
            elif name not in LEFT_OUT and name not in self.left_out:
                yield self._option((name,), one)

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the fields of the request: ids and texts by position, others as options."""
        groups: dict[str, Any] = {}
        for option in self.options():
            head = option.path[0] if len(option.path) > 1 else ""
            if option.dest in self.exclusive:
                head = "exclusive"
            if head and head not in groups:
                groups[head] = (
                    parser.add_argument_group(GROUPS[head])
                    if head in GROUPS
                    else parser.add_mutually_exclusive_group()
                )
            self._add(groups.get(head, parser), option)
        if self.declare is not None:
            self.declare(parser)

    def run(self, context: Context, arguments: Namespace) -> None:
        """Build the request, run the operation and write the result."""
        given = self.read_arguments(context, arguments)
        try:
            record, result, asked = self._run(context, given)
        except InvalidInput as error:
            raise self._rename(error) from error
        context.output.answer(record, draw=lambda: self.draw(context, result, asked))
        if status := self.status(result):
            raise SystemExit(status)

    def read_arguments(self, context: Context, arguments: Namespace) -> dict[str, Any]:
        """Return the given arguments, by the names of the request's fields."""
        found: dict[str, Any] = {}
        for option in self.options():
            value = getattr(arguments, option.dest, None)
            if value is None:
                continue
            if option.path[-1] in FREE:
                value = context.read_text(value if isinstance(value, str) else " ".join(value))
            if option.path == ("query",):
                value = _read_question(value)
            place = found
            for name in option.path[:-1]:
                place = place.setdefault(name, {})
            place[option.path[-1]] = {"and": value} if option.path[-1] == "where" else value
        _check_range(context, found.get("filter", {}))
        if self.adjust is not None:
            self.adjust(context, arguments, found)
        return found

    def _run(self, context: Context, given: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Return the JSON, the result, and the request it belongs to."""
        described, now = self.described, context.clock()
        name = described.positional[0] if self.many else ""
        several = [{**given, name: one} for one in dict.fromkeys(given[name])] if name else [given]
        asked = [read_request(described.request, one) for one in several]
        meter = (
            Meter(context.output, label=self.progress, unit=self.unit)
            if self.progress
            else nullcontext()
        )
        with context.memory() as memory, meter as shown:
            how = {"on_progress": shown.share} if shown else {}
            if self.before is not None:
                self.before(memory, asked[0])
            results = [described.run(memory, one, now=now, **how) for one in asked]
        if self.many:
            return {self.many: results}, results, asked[0]
        return described.answer(asked[0], results[0]), results[0], asked[0]

    def _option(self, path: tuple[str, ...], schema: Schema) -> Option:
        flag, *aliases = (self.flags.get(path[-1]) or flag_of(path[-1], schema)).split()
        return Option(path=path, schema=schema, flag=flag, aliases=tuple(aliases))

    def _add(self, parser: Any, option: Option) -> None:
        name, schema, flag = option.path[-1], option.schema, option.flag
        meaning = self.meanings.get(name) or MEANINGS.get(option.dest) or MEANINGS.get(name)
        help_text = meaning or str(schema.get("description", ""))
        if flag:
            help_text = (
                f"* {help_text}" if option.path[0] == "filter" and _repeats(schema) else help_text
            )
            form = _form(flag, name, schema)
            parser.add_argument(
                flag, *option.aliases, dest=option.dest, default=SUPPRESS, help=help_text, **form
            )
            return
        form = {"choices": schema["enum"]} if schema.get("enum") else {"metavar": _metavar(name)}
        if name in FREE or name == self.described.spread or self.many:
            form["nargs"] = "+" if self.needs_text else "*"
        if schema.get("type") == "integer":
            form["type"] = partial(whole, schema)
        parser.add_argument(option.dest, help=help_text, **form)

    def _rename(self, error: InvalidInput) -> InvalidInput:
        """Return an error that names an argument by its option."""
        place = error.field.partition("[")[0]
        flags = {option.dest: option.flag for option in self.options()}
        inner = {option.path[-1]: option.flag for option in self.options() if len(option.path) > 1}
        flag = flags.get(place) or (inner.get(place) if place not in flags else "")
        if error.field.startswith("where"):
            return InvalidInput(f"--{error.field}", error.problem)
        return InvalidInput(flag, error.problem) if flag else error


def _read_question(text: str) -> str:
    """Return the text of a question.

    Raises:
        InvalidInput: It is empty.
    """
    if not text.strip():
        raise InvalidInput("QUERY", "is empty; ask something")
    return text.strip()


def _check_range(context: Context, asked: Mapping[str, Any]) -> None:
    """Refuse a range that ends before it begins."""
    if "since" not in asked or "until" not in asked or "time" in asked:
        return
    since, until = (
        read_time(asked[name], name=f"--{name}", timezone=context.settings.timezone)
        for name in ("since", "until")
    )
    if since >= until:
        raise InvalidInput("--until", "must be later than --since")


@cache
def _schema_of(operation: str) -> Schema:
    """Return the JSON Schema of an operation's request."""
    return request_schema(OPERATIONS[operation].request)


def flag_of(name: str, schema: Schema) -> str:
    """Return the option of a field: `--tag` for `tags`, `--no-headers` for a default of true."""
    if schema.get("type") == "array":
        name = SINGULAR.get(name) or name.removesuffix("_ids").removesuffix("s")
    denies = "no-" if schema.get("type") == "boolean" and schema.get("default") else ""
    return f"--{denies}{name.replace('_', '-')}"


def _fields(properties: Schema, parts: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield each field with its schema."""
    for name, schema in properties.items():
        yield name, _plain(schema, parts)


def _plain(schema: Schema, parts: Schema) -> Schema:
    """Return the schema of a value without references; of several types the first, and how many."""
    kinds = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    if kinds:
        return {**schema, **_plain(kinds[0], parts), "sorts": len(kinds)}
    if "$ref" in schema:
        return {**parts[schema["$ref"].rpartition("/")[2]], **schema}
    if "items" in schema:
        return {**schema, "items": _plain(schema["items"], parts)}
    return schema


def _repeats(schema: Schema) -> bool:
    return schema.get("type") == "array"


def _metavar(name: str) -> str:
    return FREE.get(name) or name.rpartition("_")[2].removesuffix("s").upper()


def _form(flag: str, name: str, schema: Schema) -> dict[str, Any]:
    """Return the argparse settings of an option: a switch, a choice, a number or a text."""
    kind = schema.get("type")
    if kind == "boolean":
        return {"action": "store_false" if flag.startswith("--no-") else "store_true"}
    if _repeats(schema):
        form = _form(flag, name, schema["items"])
        named = {"type": not_empty} if form.get("type") is str else {}
        return {"action": "append", **form, **named}
    if schema.get("enum"):
        return {"choices": schema["enum"]}
    if kind == "integer" and schema.get("sorts", 1) > 1:
        return {"type": revision_or_time, "metavar": "WHEN"}
    reader, metavar = _READERS.get(name) or _BY_TYPE.get(kind or "") or (str, "")
    if flag == "--limit":  # that of a brief is `top_k`, which is 0 where no limit is given
        schema = {"minimum": 1, **schema}
    if reader in (whole, number, json_object):
        reader = partial(reader, flag if reader is json_object else schema)
    shown = metavar or METAVARS.get(name) or flag.removeprefix("--").rpartition("-")[2].upper()
    return {"type": reader, "metavar": shown, **({"action": "append"} if name == "where" else {})}


def number(schema: Schema, text: str) -> float:
    """Return the number in `text`, at or above the minimum of its field."""
    return check_minimum(schema, finite(text))


def revision_or_time(text: str) -> int | str:
    """Return `text` as a revision if it is a number, else the text of a time."""
    value = text.strip()
    return int(value) if value.isascii() and value.isdigit() else value


def json_object(flag: str, text: str) -> dict[str, Any]:
    """Return the JSON object in `text`.

    Raises:
        InvalidInput: It is another value.
    """
    value = json_value(text)
    if not isinstance(value, dict):
        raise InvalidInput(flag, 'must be a JSON object, such as {"team": "red"}')
    return value


def person(text: str) -> str | dict[str, Any]:
    """Return a person: a name and an address in the usual notation, or a JSON object."""
    return json_object("--author", text) if text.lstrip().startswith("{") else not_empty(text)


def viewer(text: str) -> dict[str, Any]:
    """Return a viewer: `user_id=alice,workspace_id=red`, or a JSON object."""
    if text.lstrip().startswith("{"):
        return json_object("--viewer", text)
    pairs = [one.partition("=") for one in not_empty(text).split(",")]
    if not all(value for _, _, value in pairs):
        raise ArgumentTypeError("must be such as user_id=alice,workspace_id=red")
    return {name.strip(): value.strip() for name, _, value in pairs}


_READERS: dict[str, tuple[Callable[..., Any], str]] = {
    "viewer": (viewer, "WHO"),
    "where": (json_value, "JSON"),
    "people": (person, "PERSON"),
    "key_id": (key_id, "ID"),
    **dict.fromkeys(
        ("as_of", "since", "until", "due", "happened_at", "expires_at"), (not_empty, "TIME")
    ),
}
"""Fields whose text is read in a way of their own, and what stands for it in the help."""

_BY_TYPE: dict[str, tuple[Callable[..., Any], str]] = {
    "integer": (whole, "N"),
    "number": (number, "N"),
    "object": (json_object, "JSON"),
}
