"""How far a long piece of work has come: a bar on a terminal, a line now and then elsewhere.

Without rich a terminal gets the lines, too. Nothing is shown for what ends within a second. Knows
streams and a monotonic clock, which is an argument. Must not know the work.
"""

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from simonides.cli.output import Output
from simonides.cli.terminal_text import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

SHOW_AFTER_S = 1.0
"""Work shorter than this needs no bar."""

LINE_EVERY_S = 10.0
"""Seconds between two lines where stderr is no terminal (a log of a build, say)."""


class Meter:
    """Shows progress on stderr while its `with` block runs; silent with JSON.

    `label` says what is done, `unit` what is counted.
    """

    def __init__(
        self,
        output: Output,
        *,
        label: str,
        unit: str = "items",
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._output = output
        self._label = label
        self._unit = unit
        self._monotonic = monotonic
        self._began = monotonic()
        self._next_line_s = SHOW_AFTER_S
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar[0].stop()

    def share(self, done: int, total: int) -> None:
        """Show that so many of so many are done."""
        self.update(done, share=done / total if total else None)

    def update(self, count: int, *, share: float | None = None) -> None:
        """Say that `count` things are done and, if known, which share in [0, 1] of the work."""
        elapsed = self._monotonic() - self._began
        if self._output.as_json or elapsed < SHOW_AFTER_S:
            return
        rate = f"{count:,} {self._unit}, {count / elapsed:,.0f}/s"
        if self._output.draws_bars:
            self._draw(rate, share)
        elif elapsed >= self._next_line_s and share != 1.0:
            self._next_line_s = elapsed + LINE_EVERY_S
            self._output.note(f"{self._label}: {rate}{_left(share, elapsed)}")

    def _draw(self, rate: str, share: float | None) -> None:
        if self._bar is None:
            self._bar = _started(self._output, self._label)
        progress, task = self._bar
        progress.update(
            task, completed=share or 0.0, total=None if share is None else 1.0, rate=rate
        )


def _left(share: float | None, elapsed: float) -> str:
    if not share:
        return ""
    return f", {share:.0%}, {elapsed * (1 - share) / share:.0f} s left"


def _started(output: Output, label: str) -> "tuple[Progress, TaskID]":
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
    return progress, progress.add_task(one_line(label), total=1.0, rate="")
