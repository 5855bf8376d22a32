"""`simonides chat`: talk with an assistant that knows a space; one message, or a conversation."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.conversation import (
    Teller,
    cost,
    draw_reply,
    draw_sources,
    interruptible,
    line_reader,
)
from simonides.cli.options import names_of, not_empty
from simonides.errors import InvalidInput, SimonidesError
from simonides.model.chat import ChatMode, ChatReply
from simonides.model.query import NamedTime

HELP = "Chat with an assistant that uses the memory."
EXAMPLE = 'simonides chat "what did Sarah send me last week?"'

COMMANDS = "/new begins another session, /sources shows what an answer was made of, /quit leaves"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the message and how it is answered."""
    parser.add_argument(
        "message", metavar="MESSAGE", nargs="*",
        help="the message; - reads stdin; none: a conversation on the terminal",
    )  # fmt: skip
    parser.add_argument("--session", type=not_empty, metavar="ID", help="continue this session")
    parser.add_argument(
        "--mode", choices=names_of(ChatMode), help="how the model searches (setting)"
    )
    parser.add_argument(
        "--source", dest="sources", action="append", default=[], type=not_empty,
        metavar="SOURCE", help="use only items from this source, such as gmail; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--time",
        choices=names_of(NamedTime),
        help="use only items of a rolling range that ends now",
    )


def run(context: Context, arguments: Namespace) -> None:
    """Answer one message, or hold a conversation."""
    message = context.read_text(" ".join(arguments.message)).strip()
    if not message and (arguments.message or context.output.as_json or not context.stdin.isatty()):
        raise InvalidInput("MESSAGE", "is empty; say something, or - to read standard input")
    with context.memory() as memory:
        if message:
            _once(context, memory, message, _how(arguments))
        else:
            _Conversation(context, memory, _how(arguments)).hold()


def _how(arguments: Namespace) -> dict[str, Any]:
    return {
        "session_id": arguments.session or "",
        "sources": arguments.sources,
        "time_filter": arguments.time or "",
        "mode": arguments.mode,
    }


def _once(context: Context, memory: Memory, message: str, how: dict[str, Any]) -> None:
    reply = _send(context, memory, message, how)
    context.output.answer(
        reply, draw=lambda: draw_reply(context, reply, is_echoed=context.output.is_terminal)
    )
    context.output.note((cost(reply), "dim"))


def _send(
    context: Context,
    memory: Memory,
    message: str,
    how: dict[str, Any],
    *,
    is_cancelled: Callable[[], bool] | None = None,
) -> ChatReply:
    """Return the answer; on a terminal it is told as it comes."""
    teller = Teller(context.output)
    on_event = teller.tell if context.output.is_terminal else None
    try:
        return memory.chat(message, on_event=on_event, is_cancelled=is_cancelled, **how)
    finally:
        teller.end()


class _Conversation:
    """Turns in one session, until the user leaves."""

    def __init__(self, context: Context, memory: Memory, how: dict[str, Any]) -> None:
        self._context = context
        self._memory = memory
        self._how = how
        self._last: ChatReply | None = None

    def hold(self) -> None:
        """Read what the user says, and answer, until they leave."""
        self._context.output.note((COMMANDS, "dim"))
        read = line_reader(self._context)
        while (line := read()) is not None:
            said = line.strip()
            if said == "/quit":
                return
            if said.startswith("/"):
                self._command(said)
            elif said:
                self._turn(said)

    def _command(self, said: str) -> None:
        output = self._context.output
        match said:
            case "/new":
                self._how["session_id"], self._last = "", None
                output.note(("a new session", "dim"))
            case "/sources":
                hits = self._last.items if self._last else ()
                draw_sources(self._context, hits)
                if not hits:
                    output.note(("no sources", "dim"))
            case _:
                output.note((f"there is no {said.split(maxsplit=1)[0]}: {COMMANDS}", "yellow"))

    def _turn(self, said: str) -> None:
        output = self._context.output
        try:
            with interruptible(output) as is_cancelled:
                reply = _send(
                    self._context, self._memory, said, self._how, is_cancelled=is_cancelled
                )
        except SimonidesError as error:
            output.note((f"{error} [{error.code}]", "red"))
            return
        self._how["session_id"], self._last = reply.session_id, reply
        draw_reply(self._context, reply, is_echoed=output.is_terminal)
        output.note((cost(reply), "dim"))
