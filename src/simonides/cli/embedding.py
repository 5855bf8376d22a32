"""The second part of an import: making vectors, when everything is found by its words already."""

import time
from collections.abc import Callable
from dataclasses import replace

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.output import Meter
from simonides.model.answer import ImportReport

LONG_S = 10.0
"""Seconds of embedding from which on it is said that it may be left."""

_LEFT = "{:,} chunks wait for their vectors and are found by words; `simonides embed` goes on"


class _Phase:
    """Shows how far embedding is, and says once that it may be left, if it will take long."""

    def __init__(
        self, context: Context, meter: Meter, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.left = 0
        self._context = context
        self._meter = meter
        self._monotonic = monotonic
        self._began = monotonic()
        self._is_said = False

    def update(self, done: int, total: int) -> None:
        """Show that so many of so many chunks are done."""
        self.left = total - done
        elapsed = self._monotonic() - self._began
        if not self._is_said and elapsed > 1.0 and elapsed * total / done > LONG_S:
            self._is_said = True
            about = f"{self.left:,} vectors, about {elapsed * self.left / done:,.0f} s"
            self._context.output.note(
                f"everything read is found by its words now; making {about}; "
                "Ctrl-C leaves them to `simonides embed`"
            )
        self._meter.share(done, total)


def embed_rest(context: Context, memory: Memory, report: ImportReport) -> ImportReport:
    """Make the vectors that wait, with a progress bar; return the report of all.

    Raises:
        KeyboardInterrupt: It was left; it is said how many wait.
    """
    if not report.waiting:
        return report
    with Meter(context.output, label="embed", unit="chunks") as meter:
        phase = _Phase(context, meter)
        phase.left = report.waiting
        try:
            done = memory.embed(on_progress=phase.update)
        except KeyboardInterrupt:
            note_waiting(context, phase.left)
            raise
    return replace(report, waiting=done.waiting, took_s=report.took_s + done.took_s)


def note_waiting(context: Context, waiting: int) -> None:
    """Say how many chunks wait, if any do."""
    if waiting:
        context.output.note(_LEFT.format(waiting))
