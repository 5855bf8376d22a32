"""`simonides import`: read exports of mail, notes and chats."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from simonides.api.memory import Memory
from simonides.cli.context import Context, expanded
from simonides.cli.embedding import embed_rest, note_waiting
from simonides.cli.options import add_trust
from simonides.cli.progress import Meter
from simonides.model.answer import ImportReport

HELP = "Read exports of mail, notes and chats; the same again changes nothing."
EXAMPLE = "simonides import ~/mail.mbox ~/chats.jsonl ~/notes"

SKIPPED_SHOWN = 10
"""How many skipped parts are told one by one."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the files and folders."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a file or a folder")
    parser.add_argument("--no-wait", action="store_true", help="leave vectors to `simonides embed`")
    parser.add_argument("--source", default="", help="call the source this, such as gmail")
    add_trust(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Import each path in turn and write one report of all."""
    reports: list[ImportReport] = []
    with context.memory() as memory, _told_if_broken_off(context, reports):
        for path in map(expanded, arguments.paths):
            report = import_path(
                context, memory, path, source=arguments.source, trust=arguments.trust
            )
            reports.append(report)
        if not arguments.no_wait:
            left = embed_rest(context, memory, reports[-1])
            reports[-1] = replace(reports[-1], waiting=left)
    together = _together(reports)
    context.output.answer(together, draw=lambda: draw_report(context, together))
    note_waiting(context, together.waiting)


@contextmanager
def _told_if_broken_off(context: Context, reports: list[ImportReport]) -> Iterator[None]:
    """Say that what was read is kept where an import breaks off; `main` tells why it does."""
    try:
        yield
    except BaseException as error:
        if reports or isinstance(error, KeyboardInterrupt):
            context.output.note("broken off; what was read is kept, and importing again goes on")
        raise


def import_path(
    context: Context, memory: Memory, path: Path, *, source: str = "", trust: str | None = None
) -> ImportReport:
    """Import one path with a progress bar; vectors are left to `embed_rest`."""
    with Meter(context.output, label=f"import {path}") as meter:
        return memory.import_(
            path,
            source=source,
            trust=trust,
            wait=False,
            on_progress=lambda at: meter.update(
                at.read, share=at.bytes_done / at.bytes_total if at.bytes_total else None
            ),
        )


def _together(reports: list[ImportReport]) -> ImportReport:
    return ImportReport(
        added=sum(one.added for one in reports),
        unchanged=sum(one.unchanged for one in reports),
        updated=sum(one.updated for one in reports),
        skipped=tuple(skip for one in reports for skip in one.skipped),
        took_s=sum(one.took_s for one in reports),
        waiting=reports[-1].waiting,
    )


def draw_report(context: Context, report: ImportReport) -> None:
    """Draw the counts, and why parts were skipped: the first ones, then how many more."""
    output = context.output
    output.line(
        f"{report.read:,} read in {report.took_s:.1f} s: {report.added:,} added, "
        f"{report.updated:,} updated, {report.unchanged:,} unchanged, "
        f"{len(report.skipped):,} skipped"
    )
    for skip in report.skipped[:SKIPPED_SHOWN]:
        output.line((f"  skipped {skip.where}: {skip.reason}", "yellow"))
    if (more := len(report.skipped) - SKIPPED_SHOWN) > 0:
        output.line((f"  and {more:,} more; --json tells all", "yellow"))
