"""`simonides db`: the tables of the PostgreSQL database that the setting `store` names."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

from simonides.api.database import INDEXED_CHUNKS_MIN, Database
from simonides.cli.context import Context
from simonides.cli.drawing import draw_findings
from simonides.cli.options import CustomCommand, Exit, TaskGroup, not_empty
from simonides.model.database import (
    DatabaseCheck,
    DatabaseDistribution,
    DatabaseIndexes,
    DatabaseUpgrade,
)


def _task(
    call: Callable[[Database, Namespace], Any],
    draw: Callable[[Context, Any], None],
    **described: Any,
) -> CustomCommand:
    """Return a task that writes the answer of the database; `described` says its help."""

    def run(context: Context, arguments: Namespace) -> None:
        settings = context.settings
        with Database(settings.store, timeout_s=settings.timeout_s) as database:
            done = call(database, arguments)
        context.output.answer(done, draw=lambda: draw(context, done))
        if not getattr(done, "sound", True):
            raise SystemExit(Exit.PROBLEM_FOUND)

    return CustomCommand(run=run, **described)


def _add_upgrade(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--grant", default=None, metavar="ROLE", type=not_empty,
        help="let this role serve: read and write rows, and nothing else",
    )  # fmt: skip


def _draw_upgrade(context: Context, done: DatabaseUpgrade) -> None:
    since = f", before {done.before}" if done.before else ", and are new"
    was = " already" if done.before == done.format else since
    context.output.line(f"the tables have format {done.format}{was}")
    if done.granted:
        context.output.line(f"{done.granted} may read and write rows")


def _draw_check(context: Context, found: DatabaseCheck) -> None:
    context.output.line(f"role {found.role}, format {found.format} of {found.needs}")
    draw_findings(context, found.findings)


def _add_dry_run(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run", action="store_true", help="write the statements; change nothing"
    )


def _draw_distribution(context: Context, done: DatabaseDistribution) -> None:
    verb = _draw_statements(context, done)
    context.output.line(
        f"{len(done.tables)} tables {verb} distributed by space, {len(done.before)} are already"
    )


def _draw_statements(context: Context, done: DatabaseDistribution | DatabaseIndexes) -> str:
    """Write the statements that a dry run did not run; return the verb for what they do."""
    if not done.dry_run:
        return "were"
    for one in done.statements:
        context.output.line(f"{one};")
    return "would be"


def _add_index(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--chunks-min", default=INDEXED_CHUNKS_MIN, metavar="N", type=int,
        help=f"index spaces of so many chunks or more ({INDEXED_CHUNKS_MIN:,})",
    )  # fmt: skip
    _add_dry_run(parser)


def _draw_indexes(context: Context, done: DatabaseIndexes) -> None:
    verb = _draw_statements(context, done)
    context.output.line(
        f"{len(done.spaces)} indexes {verb} made, {len(done.before)} are already there, "
        f"{len(done.dropped)} {verb} dropped"
    )


DB = TaskGroup(
    HELP="Make, upgrade, check, index and distribute the tables of a PostgreSQL database.",
    EXAMPLE="simonides db upgrade --grant simonides_serve",
    tasks={
        "upgrade": _task(
            lambda database, given: database.upgrade(grant=given.grant or ""), _draw_upgrade,
            HELP="Make the tables, or bring them to the format of this engine.",
            add_arguments=_add_upgrade,
        ),
        "distribute": _task(
            lambda database, given: database.distribute(dry_run=given.dry_run),
            _draw_distribution, add_arguments=_add_dry_run,
            HELP="Distribute the tables by space over the nodes of Citus.",
        ),
        "index": _task(
            lambda database, given: database.index(
                chunks_min=given.chunks_min, dry_run=given.dry_run
            ),
            _draw_indexes, add_arguments=_add_index,
            HELP="Index the vectors of each large space, for questions in the database.",
        ),
        "check": _task(
            lambda database, _: database.check(), _draw_check,
            HELP="Check versions, tables, row-level security and the role; status 8 for a problem.",
        ),
    },
)  # fmt: skip
