"""`simonides backup`: copy a space while it is in use."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.cli.options import not_empty
from simonides.cli.progress import Meter

HELP = "Copy a space to a new file while it is in use; `repair --from` puts it back."
EXAMPLE = "simonides backup default-2026-03-12.sqlite3 --space default"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the file."""
    parser.add_argument("file", metavar="FILE", type=not_empty, help="a new file")


def run(context: Context, arguments: Namespace) -> None:
    """Copy the space and write what is in the copy."""
    with context.memory() as memory, Meter(context.output, label="backup") as meter:
        report = memory.backup(
            arguments.file,
            on_progress=lambda done, total: meter.update(
                done, share=done / total if total else None
            ),
        )
    said = f"{report.items:,} items as of revision {report.revision:,}, {report.bytes:,} bytes"
    context.output.answer(
        report, draw=lambda: context.output.line((report.file, "bold"), f": {said}")
    )
