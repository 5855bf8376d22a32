"""`simonides background`: the free text that goes with a collection, and its earlier states."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from simonides.api.background import BEST
from simonides.cli.context import Context, expanded
from simonides.cli.options import not_empty, positive, read_question
from simonides.cli.tasks import Task, add_tasks
from simonides.cli.terminal_text import clipped
from simonides.errors import InvalidInput, NotFound
from simonides.model.stored import MAIN, Background, BackgroundPage, ScoredBackground
from simonides.model.times import read_time

HELP = "Keep the background of a collection: a text that comes with every answer."
EXAMPLE = 'simonides background put "Alpha launches in May; Sarah leads it." --collection work'

_TEXT_WIDTH = 50
"""Characters of a snapshot that a table shows."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what can be done with a background."""
    add_tasks(parser, _TASKS)


def run(context: Context, arguments: Namespace) -> None:
    """Do one thing and write its answer."""
    _TASKS[arguments.task].run(context, arguments)


def _add_collection(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--collection", default=MAIN, metavar="NAME", help=f"whose background ({MAIN})"
    )


def _add_put(parser: ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="*", help="the whole text; - reads stdin")
    parser.add_argument("--file", metavar="FILE", type=not_empty, help="read it from here instead")
    _add_collection(parser)


def _put(context: Context, arguments: Namespace) -> None:
    if bool(arguments.text) == bool(arguments.file):
        raise InvalidInput("TEXT", "give a text, or --file FILE, and not both")
    joined = " ".join(arguments.text)
    text = _read_file(arguments.file) if arguments.file else context.read_text(joined)
    with context.memory() as memory:
        made = memory.background.put(text, collection=arguments.collection)
    context.output.answer(made, draw=lambda: context.output.line("put ", (made.id, "bold")))


def _read_file(path: str) -> str:
    """Return what a file says, its line breaks as they are; of one too long, enough to tell."""
    from simonides.ingest.background import BACKGROUND_CHARS_MAX

    try:
        with expanded(path).open(encoding="utf-8-sig", newline="") as file:
            return file.read(BACKGROUND_CHARS_MAX + 1)
    except UnicodeDecodeError as error:
        raise InvalidInput("--file", f"{path} is not UTF-8: {error}") from error
    except OSError as error:
        raise InvalidInput("--file", f"cannot read {path}: {error.strerror}") from error


def _add_get(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--as-of", metavar="TIME", type=not_empty, help="as it was at this ISO time"
    )
    _add_collection(parser)


def _get(context: Context, arguments: Namespace) -> None:
    zone = context.settings.timezone
    at = arguments.as_of
    as_of = read_time(at, name="--as-of", timezone=zone) if at else None
    with context.memory() as memory:
        found = memory.background.get(collection=arguments.collection, as_of=as_of)
    if found is None:
        raise NotFound("background of", arguments.collection)
    context.output.answer(found, draw=lambda: _draw(context, found))


def _draw(context: Context, one: Background) -> None:
    """Write the text alone to stdout, ready for a prompt, and when it was put to stderr."""
    context.output.line(one.text.rstrip("\n"))
    context.output.note((f"put {context.minute(one.created_at)}, id {one.id}", "dim"))


def _add_history(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--limit", type=positive, default=50, metavar="N", help="snapshots a page (50)"
    )
    parser.add_argument("--cursor", default="", help="where the page before this one ended")
    _add_collection(parser)


def _history(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        page = memory.background.history(
            collection=arguments.collection, limit=arguments.limit, cursor=arguments.cursor
        )
    context.output.answer(page, draw=lambda: _draw_page(context, page))


def _draw_page(context: Context, page: BackgroundPage) -> None:
    if not page.snapshots:
        context.output.note("no background was put")
        return
    rows = [
        (context.minute(one.created_at), f"{len(one.text):,}", _beginning(one), one.id)
        for one in page.snapshots
    ]
    context.output.table(("date", "characters", "text", "id"), rows)
    if page.cursor:
        context.output.note((f"more: --cursor {page.cursor}", "dim"))


def _beginning(one: Background) -> str:
    return clipped(one.text, _TEXT_WIDTH)


def _add_delete(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the snapshot's id, as `history` prints it")
    parser.add_argument(
        "--due", metavar="TIME", type=not_empty, help="ISO time from which on it may be removed"
    )


def _delete(context: Context, arguments: Namespace) -> None:
    zone = context.settings.timezone
    at = arguments.due
    due = read_time(at, name="--due", timezone=zone) if at else context.clock()
    with context.memory() as memory:
        was_there = memory.background.delete(arguments.id, due=due)
    if not was_there:
        raise NotFound("background", arguments.id)
    record = {"deleted": arguments.id, "due": due}
    context.output.answer(record, draw=lambda: context.output.line(f"deleted {arguments.id}"))


def _add_best(parser: ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="+", help="the question; - reads stdin")
    parser.add_argument(
        "--limit", type=positive, default=BEST, metavar="N", help=f"most snapshots ({BEST})"
    )
    _add_collection(parser)


def _best(context: Context, arguments: Namespace) -> None:
    query = read_question(context, arguments)
    with context.memory() as memory:
        found = memory.background.best(
            query, collection=arguments.collection, limit=arguments.limit
        )
    context.output.answer({"snapshots": found}, draw=lambda: draw_best(context, found))


def draw_best(context: Context, found: Sequence[ScoredBackground]) -> None:
    """Draw the snapshots that fit a question, one a line."""
    if not found:
        context.output.note("no background fits")
        return
    rows = [
        (f"{one.score:.3f}", context.minute(one.background.created_at),
         _beginning(one.background), one.background.id)
        for one in found
    ]  # fmt: skip
    context.output.table(("score", "date", "background", "id"), rows)


_TASKS = {
    "put": Task(
        told="Add a snapshot: from now on this is the background; the earlier ones stay.",
        declare=_add_put,
        run=_put,
    ),
    "get": Task(
        told="Print the background as it is, or as it was at a time.", declare=_add_get, run=_get
    ),
    "history": Task(
        told="List the snapshots, latest first, a page at a time.",
        declare=_add_history,
        run=_history,
    ),
    "delete": Task(
        told="Hide a snapshot at once, to be removed later.", declare=_add_delete, run=_delete
    ),
    "best": Task(
        told="Find the snapshots that share most words with a question.",
        declare=_add_best,
        run=_best,
    ),
}
