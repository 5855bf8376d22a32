"""`simonides add`: keep one text, or many items from JSON lines."""

import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, NoReturn

from simonides.api.memory import Memory
from simonides.cli.context import Context, expanded
from simonides.cli.options import add_trust, finite, json_value, names_of
from simonides.cli.progress import Meter
from simonides.codec.read import read_item
from simonides.codec.write import outcomes_form
from simonides.errors import InvalidInput
from simonides.model.item import Item, Kind, MemoryType, Scope, Trust, digest, with_trust
from simonides.model.stored import Change, Outcome

HELP = "Keep one text, or many items from JSON lines."
EXAMPLE = 'simonides add "Sarah moved the Alpha deadline to Friday" --tag alpha --author Sarah'

BATCH = 1_000
"""Items of one transaction; an interrupted run has kept whole batches."""

_TRAITS = (
    "scope", "type", "importance", "confidence", "half_life_hours", "entity", "expires_at",
)  # fmt: skip


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the text, or the file of items, and the fields of an item."""
    parser.add_argument("text", metavar="TEXT", nargs="*", help="what to keep; - reads stdin")
    parser.add_argument("--jsonl", metavar="FILE", help="one item per line as JSON; - reads stdin")
    item = parser.add_argument_group("the item")
    item.add_argument("--kind", choices=names_of(Kind), help="what sort of thing (memory)")
    item.add_argument("--source", help="where it comes from (note)")
    item.add_argument(
        "--source-id", metavar="ID", help="its id there: the same id is the same item"
    )
    item.add_argument("--id", help="its id here, instead of the derived one")
    item.add_argument("--title", help="what it is called")
    item.add_argument("--summary", help="what it says, in short")
    item.add_argument("--tag", dest="tags", action="append", help="a tag; may be repeated")
    item.add_argument("--author", metavar="PERSON", help='who wrote it: "Name <address>" or either')
    item.add_argument("--metadata", type=json_value, metavar="JSON", help="an object of your own")
    item.add_argument("--collection", metavar="NAME", help="the part of the space it is in (main)")
    item.add_argument("--session", metavar="ID", help="the chat or thread it belongs to")
    item.add_argument("--happened-at", metavar="TIME", help="when it happened, as an ISO time")
    item.add_argument("--language", metavar="CODE", help="its ISO 639-1 code, instead of a guess")
    add_trust(parser)
    traits = parser.add_argument_group("for a memory")
    traits.add_argument("--scope", choices=names_of(Scope), help="who it is for (user)")
    traits.add_argument("--type", choices=names_of(MemoryType), help="what sort (episodic)")
    traits.add_argument("--importance", type=finite, metavar="SHARE", help="0 to 1 (0.5)")
    traits.add_argument("--confidence", type=finite, metavar="SHARE", help="0 to 1 (0.7)")
    traits.add_argument("--half-life-hours", type=finite, metavar="H", help="how fast it fades")
    traits.add_argument("--expires-at", metavar="TIME", help="from when on it holds no more")
    traits.add_argument("--entity", metavar="NAME", help="whom or what it is about")


def run(context: Context, arguments: Namespace) -> None:
    """Keep it and say what became of it."""
    if bool(arguments.text) == bool(arguments.jsonl):
        raise InvalidInput("TEXT", "give a text to keep, or --jsonl FILE, and not both")
    with context.memory() as memory:
        if arguments.jsonl:
            outcomes = _add_lines(context, memory, arguments)
        else:
            outcomes = [memory.add(_item(context, arguments))]
    counts = Counter(one.change for one in outcomes)
    context.output.answer(outcomes_form(outcomes), draw=lambda: _draw(context, outcomes, counts))


def _item(context: Context, arguments: Namespace) -> Item:
    record: dict[str, Any] = {
        name: value
        for name in (
            "kind", "source", "source_id", "id", "title", "summary", "tags", "metadata",
            "collection", "session", "happened_at", "language",
        )
        if (value := getattr(arguments, name)) is not None
    }  # fmt: skip
    record["content"] = context.read_text(" ".join(arguments.text))
    traits = {name: value for name in _TRAITS if (value := getattr(arguments, name)) is not None}
    if traits and record.get("kind", Kind.MEMORY) != Kind.MEMORY:
        flag = f"--{next(iter(traits)).replace('_', '-')}"
        raise InvalidInput(flag, "is for memories only; leave it or --kind out")
    if traits:
        record["traits"] = traits
    if arguments.author:
        record["people"] = [arguments.author]
    return _trusted(read_item(record, timezone=context.settings.timezone), arguments)


def _trusted(item: Item, arguments: Namespace) -> Item:
    return with_trust(item, Trust(arguments.trust)) if arguments.trust else item


def _add_lines(context: Context, memory: Memory, arguments: Namespace) -> list[Outcome]:
    outcomes: list[Outcome] = []
    with _lines(context, arguments.jsonl) as lines, Meter(context.output, label="add") as meter:
        read = _read_items(lines, timezone=context.settings.timezone)
        items = (_trusted(item, arguments) for item in read)
        while batch := list(islice(items, BATCH)):
            outcomes.extend(memory.add(batch))
            meter.update(len(outcomes))
    return outcomes


@contextmanager
def _lines(context: Context, path: str) -> Iterator[Iterable[str]]:
    if path == "-":
        yield context.stdin
        return
    try:
        file = expanded(path).open(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput("--jsonl", f"cannot read {path}: {error.strerror}") from error
    with file:
        yield file


def _read_items(lines: Iterable[str], *, timezone: str) -> Iterator[Item]:
    """Yield the items of JSON lines; empty lines are passed over.

    Each is hashed here, so that what no store can keep is refused by the number of its line.
    """
    at = 0
    try:
        for at, line in enumerate(lines, start=1):  # noqa: B007  the handlers tell it
            if line.strip():
                item = read_item(json.loads(line, parse_constant=_refuse), timezone=timezone)
                digest(item)
                yield item
    except UnicodeDecodeError as error:
        raise InvalidInput(f"line {at + 1}", f"is not UTF-8{_kept(at)}") from error
    except InvalidInput as error:
        raise InvalidInput(f"line {at}", f"{error}{_kept(at - 1)}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"line {at}", f"is not JSON: {error}{_kept(at - 1)}") from error


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python would read and JSON does not know."""
    raise ValueError(f"{constant} is no number of JSON")


def _kept(read: int) -> str:
    """Return what is kept when the line after `read` lines does not fit."""
    kept = read // BATCH * BATCH
    return f" (lines up to {kept} are kept)" if kept > 0 else " (nothing was kept)"


def _draw(context: Context, outcomes: list[Outcome], counts: Counter[Change]) -> None:
    if len(outcomes) == 1:
        context.output.line(f"{outcomes[0].change} ", (outcomes[0].id, "bold"))
        return
    said = [f"{counts[change]:,} {change}" for change in Change if counts[change]]
    context.output.line(", ".join(said) or "nothing to add")
