"""`simonides preferences`: how the user wants things to be."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.options import positive
from simonides.cli.tasks import Task, add_tasks
from simonides.cli.terminal_text import clipped
from simonides.errors import NotFound
from simonides.model.chat import Preference

HELP = "Say how you want things to be: a chat is told so in its prompt."
EXAMPLE = 'simonides preferences set tone "short and plain"'

_VALUE_WIDTH = 50
"""Characters of a value that a table shows."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what can be done with preferences."""
    add_tasks(parser, _TASKS)


def run(context: Context, arguments: Namespace) -> None:
    """Do one thing and write its answer."""
    _TASKS[arguments.task].run(context, arguments)


def _add_list(parser: ArgumentParser) -> None:
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="most rows (50)")


def _list(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        found = memory.preferences.list(limit=arguments.limit)
    context.output.answer({"preferences": found}, draw=lambda: _draw_all(context, found))


def _draw_all(context: Context, found: tuple[Preference, ...]) -> None:
    if not found:
        context.output.note("no preference is kept")
        return
    rows = [
        (f"{one.confidence:.2f}", one.origin, f"{one.seen:,}", context.day(one.updated_at),
         one.key, clipped(one.value, _VALUE_WIDTH))
        for one in found
    ]  # fmt: skip
    context.output.table(("sure", "origin", "seen", "date", "key", "value"), rows)


def _add_key(parser: ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="what it is about, such as tone")


def _add_statement(parser: ArgumentParser) -> None:
    _add_key(parser)
    parser.add_argument("value", metavar="VALUE", nargs="+", help="how it is to be; - reads stdin")


def _set(context: Context, arguments: Namespace) -> None:
    value = context.read_text(" ".join(arguments.value))
    with context.memory() as memory:
        kept = memory.preferences.set(arguments.key, value)
    context.output.answer(kept, draw=lambda: _draw(context, kept))


def _infer(context: Context, arguments: Namespace) -> None:
    value = context.read_text(" ".join(arguments.value))
    with context.memory() as memory:
        kept = memory.preferences.infer(arguments.key, value)
    context.output.answer(kept, draw=lambda: _draw(context, kept))


def _get(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        kept = memory.preferences.get(arguments.key)
    context.output.answer(kept, draw=lambda: _draw(context, kept))


def _draw(context: Context, one: Preference) -> None:
    """Write `key: value` to stdout, and how sure that is to stderr."""
    context.output.line((f"{one.key}: ", "bold"), one.value)
    told = f"{one.origin}, sure {one.confidence:.2f}, seen {one.seen:,}"
    context.output.note((f"{told}, last {context.minute(one.updated_at)}", "dim"))


def _forget(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        was_there = memory.preferences.forget(arguments.key)
    if not was_there:
        raise NotFound("preference", arguments.key)
    record = {"forgotten": arguments.key}
    context.output.answer(record, draw=lambda: context.output.line(f"forgot {arguments.key}"))


_TASKS = {
    "list": Task(told="List them, what is surest now first.", declare=_add_list, run=_list),
    "get": Task(told="Print one, as sure as it is now.", declare=_add_key, run=_get),
    "set": Task(
        told="Keep what you say; it takes the place of any other value.",
        declare=_add_statement,
        run=_set,
    ),
    "infer": Task(
        told="Note what you seem to want: surer each time, never at once against what you said.",
        declare=_add_statement,
        run=_infer,
    ),
    "forget": Task(told="Take one out; only `set` brings it back.", declare=_add_key, run=_forget),
}
