"""`simonides compact`: let history past its retention go, and make the file small."""

from argparse import ArgumentParser, Namespace

from simonides.cli.as_of import read_when
from simonides.cli.context import Context
from simonides.cli.options import not_empty
from simonides.model.maintenance import Compaction

HELP = "Remove history that is past retention, and make the space's file small."
EXAMPLE = "simonides compact --before 2026-01-01"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare how much history is to stay."""
    parser.add_argument(
        "--before", metavar="WHEN", type=not_empty,
        help="the oldest ISO time or revision to stay askable (what `retention_days` says)",
    )  # fmt: skip


def run(context: Context, arguments: Namespace) -> None:
    """Compact and write what was removed."""
    before = None
    if arguments.before is not None:
        before = read_when(context, arguments.before, flag="--before")
    with context.memory() as memory:
        done = memory.compact(before=before)
    context.output.answer(done, draw=lambda: _draw(context, done))


def _draw(context: Context, done: Compaction) -> None:
    known = [
        ("versions", f"{done.versions:,}"),
        ("backgrounds", f"{done.backgrounds:,}"),
        ("engagements", f"{done.engagements:,}"),
        ("proposals", f"{done.proposals:,}"),
        ("on disk", f"{done.bytes_before / 1e6:,.1f} MB, now {done.bytes_after / 1e6:,.1f} MB"),
        ("history", f"from revision {done.oldest:,} on" if done.oldest else "whole"),
    ]
    for name, value in known:
        context.output.line((f"{name:13}", "dim"), value)
