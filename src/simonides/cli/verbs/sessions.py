"""`simonides sessions`: the conversations that are kept."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simonides.assistant.prompt import HISTORY_MAX
from simonides.cli.context import Context
from simonides.cli.options import names_of, positive
from simonides.cli.tasks import Task, add_tasks
from simonides.cli.terminal_text import clipped
from simonides.errors import NotFound
from simonides.model.answer import Page
from simonides.model.chat import ChatRole, Session
from simonides.model.item import Item

if TYPE_CHECKING:
    from simonides.assistant.sessions import SessionPage

HELP = "Look at conversations, those of imported chats too."
EXAMPLE = "simonides sessions last trip --n 4"

_TITLE_WIDTH = 50
"""Characters of a title that a table shows."""

_SPEAKERS = [one for one in names_of(ChatRole) if one in ("user", "assistant")]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what can be done with sessions."""
    add_tasks(parser, _TASKS)


def run(context: Context, arguments: Namespace) -> None:
    """Do one thing and write its answer."""
    _TASKS[arguments.task].run(context, arguments)


def _add_page(parser: ArgumentParser) -> None:
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="rows a page (50)")
    parser.add_argument("--cursor", default="", help="where the page before this one ended")


def _list(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        page = memory.sessions.list(limit=arguments.limit, cursor=arguments.cursor)
    context.output.answer(page, draw=lambda: _draw_sessions(context, page))


def _draw_sessions(context: Context, page: "SessionPage") -> None:
    if not page.sessions:
        context.output.note("no conversation is kept")
        return
    rows = [
        (context.minute(one.updated_at), f"{one.messages:,}", clipped(one.title, _TITLE_WIDTH),
         one.id)
        for one in page.sessions
    ]  # fmt: skip
    context.output.table(("date", "messages", "title", "id"), rows)
    if page.cursor:
        context.output.note((f"more: --cursor {page.cursor}", "dim"))


def _add_id(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the session's id, as `sessions list` prints it")


def _get(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        found = memory.sessions.get(arguments.id)
    context.output.answer(found, draw=lambda: _draw(context, found))


def _draw(context: Context, one: Session) -> None:
    context.output.line((one.id, "bold"), f"  {clipped(one.title, _TITLE_WIDTH)}")
    began, used = context.minute(one.started_at), context.minute(one.updated_at)
    context.output.note((f"{one.messages:,} messages, {began} to {used}", "dim"))


def _add_messages(parser: ArgumentParser) -> None:
    _add_id(parser)
    _add_page(parser)


def _messages(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        session = memory.sessions.get(arguments.id)  # else a slip of the hand looks like silence
        page = memory.sessions.messages(session.id, limit=arguments.limit, cursor=arguments.cursor)
    context.output.answer(page, draw=lambda: _draw_page(context, page))


def _draw_page(context: Context, page: Page) -> None:
    _draw_messages(context, page.items)
    if page.cursor:
        context.output.note((f"more: --cursor {page.cursor}", "dim"))


def _draw_messages(context: Context, messages: Sequence[Item]) -> None:
    if not messages:
        context.output.note("nothing was said")
    for one in messages:
        said_by = one.author.name if one.author else "unknown"
        context.output.line(
            (f"{context.minute(one.happened_at)}  ", "green"), (f"{said_by}: ", "magenta")
        )
        for line in one.content.split("\n"):
            context.output.paragraph(line, indent="  ")


def _add_last(parser: ArgumentParser) -> None:
    _add_id(parser)
    parser.add_argument(
        "--n", type=positive, default=HISTORY_MAX, metavar="N", help=f"how many ({HISTORY_MAX})"
    )


def _last(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        found = memory.sessions.last(memory.sessions.get(arguments.id).id, arguments.n)
    context.output.answer({"items": found}, draw=lambda: _draw_messages(context, found))


def _add_add(parser: ArgumentParser) -> None:
    _add_id(parser)
    parser.add_argument("role", choices=_SPEAKERS, help="who says it")
    parser.add_argument("text", metavar="TEXT", nargs="+", help="what is said; - reads stdin")


def _add(context: Context, arguments: Namespace) -> None:
    text = context.read_text(" ".join(arguments.text))
    with context.memory() as memory:
        outcome = memory.sessions.add(arguments.id, arguments.role, text)
    context.output.answer(
        outcome, draw=lambda: context.output.line(f"{outcome.change} ", (outcome.id, "bold"))
    )


def _forget(context: Context, arguments: Namespace) -> None:
    with context.memory() as memory:
        gone = memory.sessions.forget(arguments.id)
    if not gone:
        raise NotFound("session", arguments.id)
    told = f"forgot {len(gone):,} messages of {arguments.id}"
    context.output.answer({"forgotten": gone}, draw=lambda: context.output.line(told))


_TASKS = {
    "list": Task(told="List them, last used first, a page at a time.", declare=_add_page,
                 run=_list),
    "get": Task(told="Print one: its title, its messages, when it was used.", declare=_add_id,
                run=_get),
    "messages": Task(
        told="Print what was said, the first first, a page at a time.",
        declare=_add_messages,
        run=_messages,
    ),
    "last": Task(told="Print what was said last, in its order.", declare=_add_last, run=_last),
    "add": Task(told="Keep one message at the end of a session.", declare=_add_add, run=_add),
    "forget": Task(
        told="Take all messages of a session out of the present.", declare=_add_id, run=_forget
    ),
}  # fmt: skip
