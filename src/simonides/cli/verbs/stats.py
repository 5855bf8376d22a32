"""`simonides stats`: counts and sizes of one space."""

from argparse import ArgumentParser, Namespace

from simonides.cli.context import Context
from simonides.model.answer import SpaceStats

HELP = "Print counts and sizes of one space."
EXAMPLE = "simonides stats --space default"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare nothing: `--space` says it all."""


def run(context: Context, arguments: Namespace) -> None:  # noqa: ARG001  every verb has the same form
    """Write the counts."""
    with context.memory() as memory:
        stats = memory.stats()
    context.output.answer(stats, draw=lambda: _draw(context, stats))


def _draw(context: Context, stats: SpaceStats) -> None:
    span = f"{context.day(stats.oldest)} to {context.day(stats.newest)}" if stats.newest else ""
    known = [
        ("space", stats.space),
        ("revision", f"{stats.revision:,}"),
        ("items", f"{stats.items:,}"),
        ("by kind", _counts(stats.by_kind)),
        ("by source", _counts(stats.by_source)),
        ("chunks", f"{stats.chunks:,}"),
        ("archived", f"{stats.archived:,}"),
        ("happened", span),
        ("on disk", f"{stats.bytes_on_disk / 1e6:,.1f} MB"),
        ("embedder", stats.embedder),
        ("scrubbed", _scrubbed(context, stats)),
    ]
    for name, value in known:
        if value:
            context.output.line((f"{name:11}", "dim"), value)


def _scrubbed(context: Context, stats: SpaceStats) -> str:
    if not stats.page_checksums:
        return "pages have no checksums; run `simonides doctor`"
    found = f", {stats.pages_damaged:,} pages damaged" if stats.pages_damaged else ""
    return f"{context.day(stats.scrubbed_at)}{found}" if stats.scrubbed_at else "never"


def _counts(by_name: dict[str, int]) -> str:
    most_first = sorted(by_name.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count:,} {name}" for name, count in most_first)
