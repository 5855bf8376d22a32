"""`simonides import`: import files of every format, folders and archives."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

from simonides.api.arguments import expand_home
from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.drawing import most_first
from simonides.cli.embedding import embed_rest, note_waiting
from simonides.cli.options import add_trust
from simonides.cli.output import Meter
from simonides.cli.owner import settle_owner
from simonides.config import say_languages_read
from simonides.errors import InvalidInput
from simonides.model.import_report import ImportProgress, ImportReport, SkippedGroup
from simonides.model.item import Kind

HELP = "Import mail, documents, calendars, tasks, chats and notes; again changes nothing."
EXAMPLE = "simonides import ~/mail.mbox ~/Documents ~/takeout.zip"

GROUPS_SHOWN = 20
"""Most reasons for skipped parts that are shown; `--json` has all."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the files and folders."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a file, folder or archive")
    parser.add_argument("--source", default="", help="the name of the source, such as gmail")
    parser.add_argument(
        "--dry-run", action="store_true", help="read and count everything, keep nothing"
    )
    parser.add_argument("--no-wait", action="store_true", help="leave vectors to `simonides embed`")
    parser.add_argument(
        "--watch", action="store_true", help="keep the folders current until Ctrl-C"
    )
    parser.add_argument(
        "--map", dest="mapping", metavar="FIELD=COLUMN", action="append", default=[],
        help="what a column of CSV or a field of JSON becomes: content, title, happened_at, id, …",
    )  # fmt: skip
    parser.add_argument(
        "--kind", choices=[one.value for one in Kind], default=Kind.DOCUMENT.value,
        help="what mapped rows become",
    )  # fmt: skip
    add_trust(parser)


def run(context: Context, arguments: Namespace) -> None:
    """Import the paths and write one report."""
    paths = [expand_home(path) for path in arguments.paths]
    if arguments.watch:
        _watch(context, paths, arguments)
        return
    with context.memory() as memory:
        with _noting_what_is_kept(context):
            report = import_paths(
                context, memory, paths,
                source=arguments.source, trust=arguments.trust, dry_run=arguments.dry_run,
                mapping=_mapping(arguments.mapping), kind=arguments.kind,
            )  # fmt: skip
        if not context.output.as_json:
            draw_report(context, report)
        if not arguments.no_wait:
            report = embed_rest(context, memory, report)
        context.output.answer(report, draw=lambda: note_waiting(context, report.waiting))
        if report.kinds.get(Kind.EMAIL) and not report.dry_run:
            settle_owner(context, memory, report.owner)


def _watch(context: Context, paths: Sequence[Path], arguments: Namespace) -> None:
    """Keep folders current, with a report of the first import and of each change."""
    if arguments.dry_run:
        raise InvalidInput("--watch", "keeps what changes, and --dry-run keeps nothing; choose one")
    if arguments.mapping:
        raise InvalidInput("--watch", "reads no mapped tables; import those without it")

    def draw(report: ImportReport) -> None:
        shown = replace(report, kinds={})  # one line for each change
        context.output.answer(report, draw=lambda: draw_report(context, shown))
        context.output.out.flush()  # a pipe is read while this goes on

    with context.memory() as memory, _noting_what_is_kept(context):
        memory.watch(*paths, source=arguments.source, trust=arguments.trust, on_report=draw)


def _mapping(pairs: Sequence[str]) -> dict[str, str]:
    """Return assignments such as `content=Text` as a mapping.

    Raises:
        InvalidInput: One has no `=`, or no name.
    """
    found = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not (name.strip() and equals and column.strip()):
            raise InvalidInput("map", f"must be FIELD=COLUMN, such as content=Text, got {pair!r}")
        found[name.strip()] = column.strip()
    return found


@contextmanager
def _noting_what_is_kept(context: Context) -> Iterator[None]:
    """Write a note on the stored items if an import is interrupted; `main` reports the rest."""
    try:
        yield
    except KeyboardInterrupt:
        context.output.note("interrupted; what was read is kept, and importing again goes on")
        raise


def import_paths(
    context: Context, memory: Memory, paths: Sequence[Path], **how: Any
) -> ImportReport:
    """Return the report of an import of these paths, with a progress bar and without embedding.

    `how` are further arguments of `Memory.import_`.
    """
    name = str(paths[0]) if len(paths) == 1 else f"{len(paths)} paths"
    with Meter(context.output, label=f"import {name}") as meter:

        def on_progress(at: ImportProgress) -> None:
            share = at.bytes_done / at.bytes_total if at.bytes_total else None
            meter.update(at.read, share=share)

        return memory.import_(*paths, wait=False, on_progress=on_progress, **how)


def draw_report(context: Context, report: ImportReport) -> None:
    """Draw the counts, the kinds of items, and the skipped parts by reason."""
    output = context.output
    would = "dry run, nothing kept: " if report.dry_run else ""
    output.line(
        f"{would}{report.read:,} read in {report.took_s:.1f} s: {report.added:,} added, "
        f"{report.updated:,} updated, {report.unchanged:,} unchanged, "
        f"{len(report.skipped):,} skipped{_withdrawn(report)}"
    )
    if report.kinds:
        kinds = (f"{count:,} {kind}" for kind, count in report.kinds.items())
        output.line(f"  kinds: {', '.join(kinds)}")
    if report.languages.keys() - {"en"}:
        output.line(f"  languages: {most_first(report.languages)}")
    if said := say_languages_read(context.settings.embedder, report.languages):
        output.line(f"  {said}")
    if report.owner:
        output.line(f"  owner found: {', '.join(report.owner)}")
    if report.owner_maybe:
        named = ", ".join((*report.owner, *report.owner_maybe))
        output.line(
            f"  perhaps theirs too: {', '.join(report.owner_maybe)}; if so: "
            f"simonides init --owner {quote(named)}"
        )
    for group in report.skipped_groups[:GROUPS_SHOWN]:
        output.line((f"  {_draw(group)}", "yellow"))
    if (more := len(report.skipped_groups) - GROUPS_SHOWN) > 0:
        output.line((f"  and {more:,} more reasons; --json has them all", "yellow"))


def _withdrawn(report: ImportReport) -> str:
    """Return the number of withdrawn items as `, 3 gone from their files`; empty for none."""
    return f", {report.withdrawn:,} gone from their files" if report.withdrawn else ""


def _draw(group: SkippedGroup) -> str:
    """Return the skipped files as `3 skipped: .jpg files are not read (a.jpg, b.jpg, c.jpg)`."""
    more = group.count - len(group.examples)
    places = ", ".join(group.examples) + (f" and {more:,} more" if more else "")
    return f"{group.count:,} skipped: {group.reason} ({places})"
