"""`simonides export`: write a space to a file."""

from argparse import ArgumentParser, Namespace
from typing import BinaryIO, TextIO, cast

from simonides.cli.context import Context
from simonides.cli.options import not_empty
from simonides.model.export import ExportReport

HELP = "Export all data of a space to a file that `import` can read."
EXAMPLE = "simonides export backup.simonides.jsonl --space default"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the file to write."""
    parser.add_argument(
        "file", metavar="FILE", type=not_empty,
        help="a new file, a folder to put one in, or - for standard output",
    )  # fmt: skip


def run(context: Context, arguments: Namespace) -> None:
    """Export the space; to standard output nothing else is written."""
    if arguments.file == "-":
        with context.memory() as memory:
            report = memory.export(_bytes_of(context.output.out))
        context.output.note((_sentence(report), "dim"))
        return
    with context.memory() as memory:
        report = memory.export(arguments.file)
    context.output.answer(report, draw=lambda: _draw_export(context, report))


class _Encoded:
    """A text stream that accepts bytes of UTF-8 lines."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, line: bytes) -> int:
        self._out.write(line.decode())
        return len(line)


def _bytes_of(out: TextIO) -> BinaryIO:
    """Return the byte stream below a text stream, or one that decodes into it."""
    beneath = getattr(out, "buffer", None)
    return cast("BinaryIO", _Encoded(out) if beneath is None else beneath)


def _draw_export(context: Context, report: ExportReport) -> None:
    context.output.line("exported to ", (report.file, "bold"))
    context.output.note((_sentence(report), "dim"))


def _sentence(report: ExportReport) -> str:
    counts = ("items", "versions", "backgrounds", "engagements", "receipts", "proposals")
    parts = [f"{getattr(report, name):,} {name}" for name in counts]
    return f"{', '.join(parts)} as of revision {report.revision:,}, {report.bytes:,} bytes"
