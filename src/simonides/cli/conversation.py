"""A conversation on a terminal: the answer as it comes, its sources, and Ctrl-C for one turn.

Knows how a turn is drawn. Must not know how it runs, nor the verb that begins it.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from simonides.cli.context import Context
from simonides.cli.hits import TRUST_SHOWN, title_of
from simonides.cli.output import Output
from simonides.cli.terminal_text import clipped, safe
from simonides.errors import InvalidInput
from simonides.model.answer import Hit
from simonides.model.chat import ChatEvent, ChatEventKind, ChatReply, Stop

PROMPT = "you> "

SOURCES_MAX = 10
"""Sources shown below an answer; `/sources` shows them all."""

_IN_WORDS = frozenset({Stop.ANSWERED, Stop.CLARIFICATION})
"""Answers whose text does not list its sources."""

ReadLine = Callable[[], str | None]
"""Returns what the user types next; None at the end."""


class Teller:
    """Writes the events of one turn: words on stdout as they come, what tools do on stderr."""

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
        """End the line that words stand on."""
        if self._is_open:
            self._output.out.write("\n")
            self._is_open = False


def draw_reply(context: Context, reply: ChatReply, *, is_echoed: bool) -> None:
    """Draw an answer, unless it was told as it came; then its sources, and what could not run."""
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
    """Draw what an answer could be made of, a line each."""
    if hits:
        context.output.line()
    for number, hit in enumerate(hits, start=1):
        item = hit.item
        author = (item.author.name or item.author.address) if item.author else ""
        named = " · ".join(clipped(part, 40) for part in (item.source, author) if part)
        shown = TRUST_SHOWN.get(hit.trust)
        context.output.line(
            (f"[{number}] ", "bold"),
            (f"{context.day(item.happened_at)}  ", "green"),
            (f"{named}  ", "magenta"),
            (f"{shown}  " if shown else "", "yellow"),
            title_of(item),
        )


def cost(reply: ChatReply) -> str:
    """Return what a turn used: `2 calls of scripted, 1,234 tokens; session 5f0c…`."""
    calls = f"{reply.calls} {'call' if reply.calls == 1 else 'calls'}"
    used = f"{calls} of {reply.model}, {reply.tokens_used:,} tokens; " if reply.calls else ""
    return f"{used}session {reply.session_id}"


def line_reader(context: Context) -> ReadLine:
    """Return what reads the user's lines: with editing and history where this is a terminal.

    It raises `InvalidInput` where what is typed is no UTF-8.
    """

    def typed() -> str | None:
        context.output.out.write(PROMPT)
        context.output.out.flush()
        return context.stdin.readline() or None

    def edited() -> str | None:
        try:
            return input(PROMPT)
        except EOFError:
            return None

    ask = edited if context.stdin is sys.stdin else typed

    def read() -> str | None:
        try:
            line = ask()
        except UnicodeDecodeError as error:
            raise InvalidInput("standard input", f"is not UTF-8: {error}") from error
        if line is None:
            context.output.line()  # what comes next, such as the shell's own, begins a line
        return line

    if ask is edited:
        with suppress(ImportError):  # Windows has none
            import readline  # noqa: F401  `input` uses it once it is there
    return read


@contextmanager
def interruptible(output: Output) -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C take one turn back; a second one ends the program.

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
