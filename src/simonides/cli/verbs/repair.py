"""`simonides repair`: make a space's file anew, of itself or of a backup."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context, expanded
from simonides.cli.exit_codes import Exit
from simonides.cli.options import not_empty
from simonides.model.maintenance import RepairReport

HELP = "Make a space's file anew of all that can be read of it, or of a backup."
EXAMPLE = "simonides repair --space default"

SHOWN_MAX = 10
"""How many lost things are told one by one."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the backup."""
    parser.add_argument(
        "--from", dest="backup", metavar="FILE", type=not_empty,
        help="put a copy of this backup in its place",
    )  # fmt: skip


def run(context: Context, arguments: Namespace) -> None:
    """Repair the space; the exit status says if anything is lost, was altered, or may have been."""
    backup = None if arguments.backup is None else expanded(arguments.backup)
    with context.memory() as memory:
        report = memory.repair(backup=backup)
    context.output.answer(report, draw=lambda: _draw(context, report))
    if report.lost or report.altered or report.doubtful:
        raise SystemExit(Exit.PROBLEM_FOUND)


def _draw(context: Context, report: RepairReport) -> None:
    output = context.output
    anew = f", {report.prepared_anew:,} of them indexed anew" if report.prepared_anew else ""
    output.line(f"{report.items:,} items, {report.versions:,} versions{anew}")
    for one in report.lost[:SHOWN_MAX]:
        output.line((f"  lost {one.what} {one.which}: {one.reason}", "yellow"))
    for item_id in report.altered[:SHOWN_MAX]:
        output.line((f"  altered: item {item_id} is not what was written", "yellow"))
    for name in report.doubtful[:SHOWN_MAX]:
        output.line((f"  kept from a damaged page, and may differ: {name}", "yellow"))
    more = (
        max(len(report.doubtful) - SHOWN_MAX, 0)
        + max(len(report.lost) - SHOWN_MAX, 0)
        + max(len(report.altered) - SHOWN_MAX, 0)
    )
    if more:
        output.line((f"  and {more:,} more; --json tells all", "yellow"))
    for note in report.notes:
        output.note((note, "yellow"))
