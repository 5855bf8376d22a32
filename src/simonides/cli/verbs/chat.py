"""`simonides chat`: one message, or a conversation, with an assistant that knows a space.

On a terminal the answer is shown as it comes, with its sources; Ctrl-C ends one turn.
"""

import signal
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.hits import origin, title_of
from simonides.cli.options import names_of, not_empty
from simonides.cli.output import Output
from simonides.cli.terminal_text import safe
from simonides.errors import InvalidInput, SimonidesError
from simonides.model.answer import Hit
from simonides.model.chat import ChatEvent, ChatEventKind, ChatMode, ChatReply, Stop
from simonides.model.query import NamedTime

PROMPT = "you> "

SOURCES_MAX = 10
"""Sources shown below an answer; `/sources` shows them all."""

_IN_WORDS = frozenset({Stop.ANSWERED, Stop.CLARIFICATION})
"""Answers whose text does not list its sources."""

ReadLine = Callable[[], str | None]
"""Returns what the user types next; None at the end."""


class Teller:
    """Writes the events of one turn: text to stdout as it comes, tool calls to stderr."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._is_open = False

    def tell(self, event: ChatEvent) -> None:
        """Write one event."""
        match event.kind:
            case ChatEventKind.TEXT:
                self._output.out.write(safe(event.text))
                self._output.out.flush()
                self._is_open = not event.text.endswith("\n")
            case ChatEventKind.RETRACT:
                self.end()
                self._output.note(("(not the answer yet)", "dim"))
            case ChatEventKind.TOOL:
                self.end()
            case ChatEventKind.TOOL_RESULT:
                self._output.note((f"{event.name}: {event.text}", "dim"))

    def end(self) -> None:
        """End the current line of text."""
        if self._is_open:
            self._output.out.write("\n")
            self._is_open = False


def draw_reply(context: Context, reply: ChatReply, *, is_echoed: bool) -> None:
    """Draw a reply, unless its text was streamed; then its sources and notes."""
    output = context.output
    if not is_echoed and reply.message:
        output.line(reply.message)
    if reply.stop is Stop.CANCELLED:
        output.note(("cancelled; no answer was kept", "yellow"))
    if reply.stop in _IN_WORDS:
        draw_sources(context, reply.items[:SOURCES_MAX])
        if len(reply.items) > SOURCES_MAX:
            output.line((f"({len(reply.items) - SOURCES_MAX} more)", "dim"))
    for note in reply.notes:
        output.note((f"note: {note}", "yellow"))


def draw_sources(context: Context, hits: tuple[Hit, ...]) -> None:
    """Draw the possible sources of a reply, one per line."""
    if hits:
        context.output.line()
    for number, hit in enumerate(hits, start=1):
        day = context.day(hit.item.happened_at)
        context.output.line(
            (f"[{number}] ", "bold"), (f"{day}  ", "green"), *origin(hit), title_of(hit.item)
        )


def cost(reply: ChatReply) -> str:
    """Return the usage of a turn: `2 calls of scripted, 1,234 tokens; session 5f0c…`."""
    calls = f"{reply.calls} {'call' if reply.calls == 1 else 'calls'}"
    used = f"{calls} of {reply.model}, {reply.tokens_used:,} tokens; " if reply.calls else ""
    return f"{used}session {reply.session_id}"


def line_reader(context: Context) -> ReadLine:
    """Return a function that reads the user's lines, with editing and history at a terminal.

    It raises `InvalidInput` where what is typed is no UTF-8.
    """

    def read_typed() -> str | None:
        context.output.out.write(PROMPT)
        context.output.out.flush()
        return context.stdin.readline() or None

    def read_edited() -> str | None:
        try:
            return input(PROMPT)
        except EOFError:
            return None

    ask = read_edited if context.stdin is sys.stdin else read_typed

    def read() -> str | None:
        try:
            line = ask()
        except UnicodeDecodeError as error:
            raise InvalidInput("standard input", f"is not UTF-8: {error}") from error
        if line is None:
            context.output.line()  # what comes next, such as the shell's own, begins a line
        return line

    if ask is read_edited:
        with suppress(ImportError):  # Windows has none
            import readline  # noqa: F401  `input` uses it once it is there
    return read


@contextmanager
def interruptible(output: Output) -> Iterator[Callable[[], bool]]:
    """Cancel the running turn with Ctrl-C; a second one ends the program.

    Yields what says whether it was pressed. Only the main thread hears signals.
    """
    pressed = threading.Event()

    def press(number: int, frame: FrameType | None) -> None:
        del number, frame
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()
        output.note(("cancelling; once more to leave", "dim"))

    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


HELP = "Chat with an assistant that uses the memory."
EXAMPLE = 'simonides chat "what did Sarah send me last week?"'

COMMANDS = "/new begins another session, /sources shows what an answer was made of, /quit leaves"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the message and the options of a turn."""
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
        "--across", dest="spaces", action="append", default=[], type=not_empty,
        metavar="SPACE", help="read this space, too; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--time",
        choices=names_of(NamedTime),
        help="use only items of a rolling range that ends now",
    )


def run(context: Context, arguments: Namespace) -> None:
    """Answer one message, or run a conversation."""
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
        "spaces": arguments.spaces,
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
    """Return the reply; at a terminal its text is streamed."""
    teller = Teller(context.output)
    on_event = teller.tell if context.output.is_terminal else None
    try:
        return memory.chat(message, on_event=on_event, is_cancelled=is_cancelled, **how)
    finally:
        teller.end()


class _Conversation:
    """The turns of one session, until the user leaves."""

    def __init__(self, context: Context, memory: Memory, how: dict[str, Any]) -> None:
        self._context = context
        self._memory = memory
        self._how = how
        self._last: ChatReply | None = None
        if not how["session_id"]:
            self._begin()

    def _begin(self) -> None:
        """Begin a session, which holds the messages of failed turns too."""
        self._how["session_id"], self._last = self._memory.sessions.create().id, None

    def hold(self) -> None:
        """Read messages and answer them until the user leaves."""
        self._context.output.note((COMMANDS, "dim"))
        read = line_reader(self._context)
        while (line := read()) is not None:
            message = line.strip()
            if message == "/quit":
                return
            if message.startswith("/"):
                self._command(message)
            elif message:
                self._turn(message)

    def _command(self, message: str) -> None:
        output = self._context.output
        match message:
            case "/new":
                self._begin()
                output.note(("a new session", "dim"))
            case "/sources":
                hits = self._last.items if self._last else ()
                draw_sources(self._context, hits)
                if not hits:
                    output.note(("no sources", "dim"))
            case _:
                output.note((f"there is no {message.split(maxsplit=1)[0]}: {COMMANDS}", "yellow"))

    def _turn(self, message: str) -> None:
        output = self._context.output
        try:
            with interruptible(output) as is_cancelled:
                reply = _send(
                    self._context, self._memory, message, self._how, is_cancelled=is_cancelled
                )
        except SimonidesError as error:
            output.note((f"{error} [{error.code}]", "red"))
            return
        self._last = reply
        draw_reply(self._context, reply, is_echoed=output.is_terminal)
        output.note((cost(reply), "dim"))
