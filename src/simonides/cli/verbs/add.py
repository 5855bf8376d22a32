"""`simonides add`: store one text, or many items from JSON Lines."""

import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import NoReturn

from simonides.api.arguments import expand_home
from simonides.cli.context import Context
from simonides.cli.derived import Command
from simonides.cli.options import add_trust
from simonides.cli.output import Meter
from simonides.codec.read import read_item
from simonides.codec.write import outcomes_form
from simonides.errors import InvalidInput
from simonides.model.item import Item, Kind, Trust, digest, with_trust
from simonides.model.stored import Change, Outcome

BATCH = 1_000
"""Items of one transaction; an interrupted run has kept whole batches."""


class Add(Command):
    """The command `add`: one item from options, or a stream of items from JSON Lines."""

    def run(self, context: Context, arguments: Namespace) -> None:
        """Store the items and write their outcomes."""
        if bool(arguments.content) == bool(arguments.jsonl):
            raise InvalidInput("TEXT", "give a text to keep, or --jsonl FILE, and not both")
        if arguments.jsonl and "forget" in self.read_arguments(context, arguments):
            raise InvalidInput("--forget", "goes with one text, not with --jsonl")
        outcomes = (
            self._many(context, arguments) if arguments.jsonl else self._one(context, arguments)
        )
        context.output.answer(outcomes_form(outcomes), draw=lambda: _draw(context, outcomes))

    def _one(self, context: Context, arguments: Namespace) -> list[Outcome]:
        record = self.read_arguments(context, arguments)
        if "traits" in record and record.get("kind", Kind.MEMORY) != Kind.MEMORY:
            flag = f"--{next(iter(record['traits'])).replace('_', '-')}"
            raise InvalidInput(flag, "is for memories only; leave it or --kind out")
        forget = record.pop("forget", ())
        item = _with_trust(read_item(record, timezone=context.settings.timezone), arguments)
        with context.memory() as memory:
            return [*memory.write(add=[item], forget=forget)] if forget else [memory.add(item)]

    def _many(self, context: Context, arguments: Namespace) -> list[Outcome]:
        outcomes: list[Outcome] = []
        with (
            context.memory() as memory,
            _lines(context, arguments.jsonl) as lines,
            Meter(context.output, label="add") as meter,
        ):
            read = _read_items(lines, timezone=context.settings.timezone)
            items = (_with_trust(item, arguments) for item in read)
            while batch := list(islice(items, BATCH)):
                outcomes.extend(memory.add(batch))
                meter.update(len(outcomes))
        return outcomes


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("--jsonl", metavar="FILE", help="one item per line as JSON; - reads stdin")
    add_trust(parser)


def _with_trust(item: Item, arguments: Namespace) -> Item:
    return with_trust(item, Trust(arguments.trust)) if arguments.trust else item


@contextmanager
def _lines(context: Context, path: str) -> Iterator[Iterable[str]]:
    if path == "-":
        yield context.stdin
        return
    try:
        file = expand_home(path).open(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput("--jsonl", f"cannot read {path}: {error.strerror}") from error
    with file:
        yield file


def _read_items(lines: Iterable[str], *, timezone: str) -> Iterator[Item]:
    """Yield the items of JSON Lines; empty lines are skipped.

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
        raise InvalidInput(f"line {at + 1}", f"is not UTF-8{_say_kept(at)}") from error
    except InvalidInput as error:
        raise InvalidInput(f"line {at}", f"{error}{_say_kept(at - 1)}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"line {at}", f"is not JSON: {error}{_say_kept(at - 1)}") from error


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python reads and JSON does not have."""
    raise ValueError(f"{constant} is no number of JSON")


def _say_kept(read: int) -> str:
    """Return a sentence on the items stored before an invalid line."""
    kept = read // BATCH * BATCH
    return f" (lines up to {kept} are kept)" if kept > 0 else " (nothing was kept)"


def _draw(context: Context, outcomes: list[Outcome]) -> None:
    if len(outcomes) == 1:
        context.output.line(f"{outcomes[0].change} ", (outcomes[0].id, "bold"))
        return
    counts = Counter(one.change for one in outcomes)
    parts = [f"{counts[change]:,} {change}" for change in Change if counts[change]]
    context.output.line(", ".join(parts) or "nothing to add")


ADD = Add(
    operation="add", draw=lambda *_: None, texts=("content",), left_out=("items",),
    needs_text=False, flags={"people": "--author"}, declare=_declare,
    help="Add one text, or many items from JSON lines.",
    example='simonides add "Sarah moved the Alpha deadline to Friday" --tag alpha --author Sarah',
    meanings={"content": "what to keep; - reads stdin"},
)  # fmt: skip
