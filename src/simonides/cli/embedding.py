"""The second phase of an import: embedding, after everything is searchable by words."""

import time
from collections.abc import Callable
from dataclasses import replace

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.output import Meter
from simonides.model.import_report import ImportReport

LONG_S = 10.0
"""Seconds of embedding from which on it is said that it may be left."""

_LEFT = "{:,} chunks wait for their vectors and are found by words; `simonides embed` goes on"


class _Phase:
    """Shows the progress of embedding, and once a note that a long phase may be interrupted."""

    def __init__(
        self, context: Context, meter: Meter, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.left = 0
        self._context = context
        self._meter = meter
        self._monotonic = monotonic
        self._began = monotonic()
        self._is_noted = False

    def update(self, done: int, total: int) -> None:
        """Show the number of finished chunks."""
        self.left = total - done
        elapsed = self._monotonic() - self._began
        if not self._is_noted and elapsed > 1.0 and elapsed * total / done > LONG_S:
            self._is_noted = True
            about = f"{self.left:,} vectors, about {elapsed * self.left / done:,.0f} s"
            self._context.output.note(
                f"everything read is found by its words now; making {about}; "
                "Ctrl-C leaves them to `simonides embed`"
            )
        self._meter.share(done, total)


def embed_rest(context: Context, memory: Memory, report: ImportReport) -> ImportReport:
    """Embed the waiting chunks with a progress bar; return the report of the whole import.

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
    """Write the number of waiting chunks, if there are any."""
    if waiting:
        context.output.note(_LEFT.format(waiting))
