"""`simonides move`: copy a space to another store and compare; remove the source if wanted."""

from argparse import ArgumentParser, Namespace

import simonides
from simonides.cli.context import Context
from simonides.cli.options import not_empty
from simonides.cli.output import Meter
from simonides.model.move import MovePlan, MoveReport, MoveTarget

HELP = "Move a space into a database, or to another home, and back."
EXAMPLE = "simonides move alice --to postgresql://simonides@db.example.com/memory"

_FOUND = {
    MoveTarget.NOTHING: "nothing of that name is there",
    MoveTarget.COPY: "an earlier copy is there: what came later is carried over",
    MoveTarget.OTHER: "another space of that name is there, or the copy was written to: the move "
    "would be refused",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the space, and where it goes."""
    parser.add_argument(
        "name", metavar="SPACE", nargs="?", type=not_empty, help="the space (default: --space)"
    )
    parser.add_argument(
        "--to", required=True, type=not_empty, metavar="STORE",
        help="postgresql://role@host/database, or the path of a home",
    )  # fmt: skip
    parser.add_argument(
        "--remove-source", action="store_true",
        help="remove the space here once the copy was found to be the same",
    )  # fmt: skip
    parser.add_argument(
        "--dry-run", action="store_true", help="write nothing, say what would be done"
    )


def run(context: Context, arguments: Namespace) -> None:
    """Move the space and write the report, or what would be done."""
    to, remove = arguments.to, arguments.remove_source
    with (
        context.memory(arguments.name or "") as memory,
        Meter(context.output, label="move", unit="revisions") as meter,
    ):
        done = simonides.move_space(
            memory, to, remove_source=remove, dry_run=arguments.dry_run, on_progress=meter.share
        )
    if isinstance(done, MovePlan):
        context.output.answer(done, draw=lambda: _draw_plan(context, done))
    else:
        context.output.answer(done, draw=lambda: _draw(context, done))


def _draw_plan(context: Context, plan: MovePlan) -> None:
    output = context.output
    output.line("would copy ", (plan.space, "bold"), f" from {plan.source} to {plan.target}")
    vectors = f"{plan.vectors:,} of {plan.chunks:,} vectors go along" if plan.vectors else (
        "no vectors")  # fmt: skip
    output.line(
        f"{plan.items:,} items in {plan.versions:,} versions, {plan.bytes:,} bytes, {vectors}"
    )
    output.line(_FOUND[plan.found])
    goes = "is removed once both were compared" if plan.removes_source else "stays"
    output.line(f"the source {goes}")


def _draw(context: Context, done: MoveReport) -> None:
    output = context.output
    output.line("moved " if done.removed_source else "copied ", (done.space, "bold"))
    output.note((f"{done.items:,} items as of revision {done.revision:,}, compared", "dim"))
    if not done.removed_source:
        output.note("the source stays; the same command with --remove-source removes it")
