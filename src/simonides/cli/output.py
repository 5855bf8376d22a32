"""The output of a run: one line of JSON or text for people, and progress bars.

Text is drawn with rich on a terminal and plainly everywhere else (no colour, no boxes), also where
rich is not installed. Progress is a bar on a terminal, a line now and then elsewhere, and nothing
for what ends within a second; its monotonic clock is an argument. Knows streams, tables and bars.
Must not know any record.
"""

import time
from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from threading import Lock, Timer
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TextIO

from simonides import codec
from simonides.cli.terminal_text import Span, columns, fold_lines, one_line, safe

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


_WHOLE = frozenset({"id", "date"})
"""Columns that are never folded: people copy them."""

PLAIN_WIDTH = 100
"""Columns that text is cut to where there is no terminal to ask."""


class Output:
    """The two streams of one run, and whether people or programs read them.

    Everything written as text passes `safe`: what is kept can not steer the terminal.
    """

    def __init__(self, out: TextIO, err: TextIO, *, as_json: bool = False) -> None:
        self.out = out
        self.err = err
        self.as_json = as_json
        self.is_terminal = not as_json and out.isatty()
        """Whether people look at stdout directly."""
        self._console = _console(out) if self.is_terminal else None
        self._notes = None if as_json or not err.isatty() else _console(err)

    @property
    def draws_bars(self) -> bool:
        """Whether a progress bar can be drawn on stderr."""
        return self._notes is not None

    @property
    def width(self) -> int:
        """The number of columns of a line on stdout."""
        return get_terminal_size().columns if self.is_terminal else PLAIN_WIDTH

    def answer(self, record: Any, *, draw: Callable[[], None]) -> None:
        """Write `record` as one line of JSON if JSON was requested, else call `draw`."""
        if self.as_json:
            self.out.write(codec.write.to_line(record) + "\n")
        else:
            draw()

    def line(self, *spans: Span) -> None:
        """Write one line to stdout."""
        _write(self.out, self._console, spans)

    def note(self, *spans: Span) -> None:
        """Write one line to stderr; nothing with JSON, where stderr is for errors."""
        if not self.as_json:
            _write(self.err, self._notes, spans)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write a table to stdout, with columns of numbers aligned to the right."""
        cells = [[one_line(cell) for cell in row] for row in rows]
        numeric = [
            all(row[i].replace(",", "").isdigit() for row in cells) for i in range(len(headers))
        ]
        if self._console:
            _draw_table(self._console, headers, cells, numeric)
            return
        for row in _align([list(headers), *cells], numeric):
            self.out.write(row + "\n")

    def paragraph(self, *spans: Span, indent: str) -> None:
        """Write text to stdout, wrapped between words, each line indented."""
        for line in fold_lines(spans, width=self.width - len(indent)):
            self.line(indent, *line)

    def bar(self, share: float, *, width: int = 10) -> str:
        """Return a bar filled by `share`, which is clamped to [0, 1]."""
        filled = round(min(max(share, 0.0), 1.0) * width)
        full, empty = ("█", "░") if self.is_terminal else ("#", "-")
        return full * filled + empty * (width - filled)


def _console(stream: TextIO) -> "Console | None":
    try:
        from rich.console import Console
    except ImportError:  # the extra `terminal` is not installed
        return None

    return Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _write(stream: TextIO, console: "Console | None", spans: Sequence[Span]) -> None:
    if console is None:
        stream.write("".join(safe(s if isinstance(s, str) else s[0]) for s in spans) + "\n")
        return
    from rich.text import Text

    parts = (safe(s) if isinstance(s, str) else (safe(s[0]), s[1]) for s in spans)
    console.print(Text.assemble(*parts))


def _draw_table(
    console: "Console",
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Sequence[bool],
) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for header, right in zip(headers, numeric, strict=True):
        justify: Literal["left", "right"] = "right" if right else "left"
        table.add_column(header, justify=justify, overflow="fold", no_wrap=header in _WHOLE)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table, soft_wrap=False)


def _align(rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> list[str]:
    """Return the rows as lines with aligned columns, two spaces apart."""
    widths = [max(columns(row[i]) for row in rows) for i in range(len(numeric))]
    lines = []
    for row in rows:
        blanks = [" " * (w - columns(cell)) for cell, w in zip(row, widths, strict=True)]
        cells = [
            blank + cell if right else cell + blank
            for cell, blank, right in zip(row, blanks, numeric, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


SHOW_AFTER_S = 1.0
"""Work shorter than this needs no bar."""

LINE_EVERY_S = 10.0
"""Seconds between two lines where stderr is no terminal (a log of a build, say)."""


class Meter:
    """Shows progress on stderr during its `with` block; silent with JSON.

    `label` says what is done, `unit` what is counted. A terminal shows it from the first second on,
    whenever the work first says how far it is: `after` calls a function when so much has passed.
    """

    def __init__(
        self,
        output: Output,
        *,
        label: str,
        unit: str = "items",
        monotonic: Callable[[], float] = time.monotonic,
        after: Callable[[float, Callable[[], None]], Timer] = Timer,
    ) -> None:
        self._output = output
        self._label = label
        self._unit = unit
        self._monotonic = monotonic
        self._began = monotonic()
        self._next_line_s = SHOW_AFTER_S
        self._bar: tuple[Progress, TaskID] | None = None
        self._has_ended = False
        self._lock = Lock()
        self._timer = after(SHOW_AFTER_S, self._show_begun)

    def __enter__(self) -> Self:
        if self._output.draws_bars and not self._output.as_json:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._has_ended = True
            if self._bar:
                self._bar[0].stop()

    def share(self, done: int, total: int) -> None:
        """Show the progress as a share of the total."""
        self.update(done, share=done / total if total else None)

    def update(self, count: int, *, share: float | None = None) -> None:
        """Show the number of finished things and, if known, the share in [0, 1] of the work."""
        elapsed = self._monotonic() - self._began
        if self._output.as_json or elapsed < SHOW_AFTER_S:
            return
        rate = f"{count:,} {self._unit}, {count / elapsed:,.0f}/s"
        if self._output.draws_bars:
            self._draw(rate, share)
        elif elapsed >= self._next_line_s and share != 1.0:
            self._next_line_s = elapsed + LINE_EVERY_S
            self._output.note(f"{self._label}: {rate}{_estimate_left(share, elapsed)}")

    def _show_begun(self) -> None:
        """Show a bar though nothing was reported yet: the first step may be a long one."""
        with self._lock:
            if self._bar is None and not self._has_ended:
                self._bar = _start(self._output, self._label, total=None)

    def _draw(self, rate: str, share: float | None) -> None:
        with self._lock:
            if self._bar is None:
                self._bar = _start(self._output, self._label)
        progress, task = self._bar
        progress.update(
            task, completed=share or 0.0, total=None if share is None else 1.0, rate=rate
        )


def _estimate_left(share: float | None, elapsed: float) -> str:
    if not share:
        return ""
    return f", {share:.0%}, {elapsed * (1 - share) / share:.0f} s left"


def _start(output: Output, label: str, *, total: float | None = 1.0) -> "tuple[Progress, TaskID]":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
        console=Console(file=output.err, markup=False),
        transient=True,
    )
    progress.start()
    return progress, progress.add_task(one_line(label), total=total, rate="")
