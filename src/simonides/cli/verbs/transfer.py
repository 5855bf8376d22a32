"""`simonides import` and `export`: files read into a space, and a space written to a file."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from simonides.api.memory import Memory
from simonides.cli.context import Context, expanded
from simonides.cli.options import CustomCommand, add_trust, not_empty
from simonides.cli.progress import Meter
from simonides.model.answer import ImportReport
from simonides.model.export import ExportReport

SKIPPED_SHOWN = 10
"""How many skipped parts are told one by one."""


def _declare_import(parser: ArgumentParser) -> None:
    """Declare the files and folders."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a file or a folder")
    parser.add_argument("--source", default="", help="call the source this, such as gmail")
    add_trust(parser)


def _run_import(context: Context, arguments: Namespace) -> None:
    """Import each path in turn and write one report of all."""
    reports: list[ImportReport] = []
    with context.memory() as memory, _noting_break(context, reports):
        for path in map(expanded, arguments.paths):
            report = import_path(
                context, memory, path, source=arguments.source, trust=arguments.trust
            )
            reports.append(report)
    together = _together(reports)
    context.output.answer(together, draw=lambda: draw_report(context, together))


@contextmanager
def _noting_break(context: Context, reports: list[ImportReport]) -> Iterator[None]:
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
    """Import one path with a progress bar."""
    with Meter(context.output, label=f"import {path}") as meter:
        return memory.import_(
            path,
            source=source,
            trust=trust,
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


IMPORT = CustomCommand(
    HELP="Read exports of mail, notes and chats; the same again changes nothing.",
    EXAMPLE="simonides import ~/mail.mbox ~/chats.jsonl ~/notes",
    add_arguments=_declare_import,
    run=_run_import,
)


def _declare_export(parser: ArgumentParser) -> None:
    """Declare the file."""
    parser.add_argument(
        "file", metavar="FILE", type=not_empty,
        help="a new file, a folder to put one in, or - for standard output",
    )  # fmt: skip


def _run_export(context: Context, arguments: Namespace) -> None:
    """Export the space; onto standard output the export goes, and nothing else."""
    if arguments.file == "-":
        with context.memory() as memory:
            report = memory.export(_bytes_of(context.output.out))
        context.output.note((_said(report), "dim"))
        return
    with context.memory() as memory:
        report = memory.export(arguments.file)
    context.output.answer(report, draw=lambda: _draw_export(context, report))


class _Encoded:
    """A stream of text that takes the bytes of UTF-8 lines."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, line: bytes) -> int:
        self._out.write(line.decode())
        return len(line)


def _bytes_of(out: TextIO) -> BinaryIO:
    """Return the bytes beneath a stream of text, or one that encodes."""
    beneath = getattr(out, "buffer", None)
    return cast("BinaryIO", _Encoded(out) if beneath is None else beneath)


def _draw_export(context: Context, report: ExportReport) -> None:
    context.output.line("exported to ", (report.file, "bold"))
    context.output.note((_said(report), "dim"))


def _said(report: ExportReport) -> str:
    counts = ("items", "versions", "backgrounds", "engagements", "receipts", "proposals")
    said = [f"{getattr(report, name):,} {name}" for name in counts]
    return f"{', '.join(said)} as of revision {report.revision:,}, {report.bytes:,} bytes"


EXPORT = CustomCommand(
    HELP="Write everything that was kept in a space to a file that `import` reads again.",
    EXAMPLE="simonides export backup.simonides.jsonl --space default",
    add_arguments=_declare_export,
    run=_run_export,
)
