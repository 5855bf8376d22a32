"""Import, export and backup of a space."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Event
from typing import BinaryIO

from simonides.api.arguments import check_calls, expand_home
from simonides.errors import InvalidInput, SimonidesError, StoreFull
from simonides.importers.log import keep_record, list_records, read_places
from simonides.importers.mapped import make_mapped_importer, texts_by_name
from simonides.importers.roots import Names, name_roots
from simonides.importers.run import import_paths
from simonides.importers.watch import changes_below, watch_folders
from simonides.index.open_space import OpenSpace
from simonides.ingest.waiting import embed_waiting, waiting_count
from simonides.maintenance.export import back_up, export_space, new_file, target_of
from simonides.maintenance.import_export import import_export, is_export
from simonides.model.bounds import show_value
from simonides.model.coercion import one_of, page_of
from simonides.model.export import ExportReport
from simonides.model.import_report import (
    ImportLog,
    ImportProgress,
    ImportReport,
    Skipped,
    join_reports,
)
from simonides.model.item import Kind, Trust
from simonides.model.maintenance import BackupReport


def import_(
    opened: OpenSpace,
    paths: Sequence[str | os.PathLike[str]],
    *,
    source: str,
    trust: Trust | str | None,
    dry_run: bool,
    wait: bool,
    mapping: Mapping[str, str] | None,
    kind: Kind | str,
    on_progress: Callable[[ImportProgress], None] | None,
) -> ImportReport:
    """Import files of any format, folders and archives, or exports of a space.

    Words first; then what waits for vectors is embedded, if to `wait`.
    """
    if not paths:
        raise InvalidInput("paths", "is empty; name at least one file or folder")
    level = None if trust is None else one_of(Trust, trust, field="trust")
    mapped = make_mapped_importer(texts_by_name(mapping or {}), one_of(Kind, kind, field="kind"))
    files = [expand_home(path, field="paths") for path in paths]
    exports = [file for file in files if is_export(file)]
    if exports and dry_run:
        raise InvalidInput("dry_run", f"cannot try {exports[0]}: it is an export of a whole space")
    reports = [import_export(file, opened, on_progress=on_progress) for file in exports]
    others = [file for file in files if file not in exports]
    places = read_places(opened) if others else {}
    names = name_roots(others, places, apart=opened.home.path)
    if others:
        with _logged_if_broken_off(names, opened, on_progress, dry_run=dry_run) as note:
            read = import_paths(
                others,
                opened,
                source=source,
                trust=level,
                dry_run=dry_run,
                on_progress=note,
                names=names,
                mapped=mapped,
            )
        reports.append(read)
    report = join_reports(reports)
    if dry_run:
        return report
    if others:  # an export brings its own log
        keep_record(reports[-1], names, opened)
    return _with_vectors(report, opened, wait, on_progress)


BROKEN_OFF = "the import was broken off; importing again goes on"


@contextmanager
def _logged_if_broken_off(
    names: Names,
    opened: OpenSpace,
    on_progress: Callable[[ImportProgress], None] | None,
    *,
    dry_run: bool,
) -> Iterator[Callable[[ImportProgress], None]]:
    """Keep the record of an import also if it breaks off, by the progress that is noted.

    Raises:
        StoreFull: There is no room; says that what was read before is kept.
    """
    read = ImportReport()

    def note(progress: ImportProgress) -> None:
        nonlocal read
        read = ImportReport(
            added=progress.added, unchanged=progress.unchanged, updated=progress.updated,
            skipped=(Skipped(where="", reason=BROKEN_OFF),),
        )  # fmt: skip
        if on_progress is not None:
            on_progress(progress)

    try:
        yield note
    except BaseException as error:
        if (read.added or read.updated) and not dry_run:
            with suppress(SimonidesError):  # the disk may be full
                keep_record(read, names, opened)
            if isinstance(error, StoreFull):
                kept = "what was read before is kept: with room, importing again goes on"
                raise StoreFull(f"{error}; {kept}") from error
        raise


def import_log(opened: OpenSpace, *, limit: int, cursor: str) -> ImportLog:
    """Return a page of past imports, latest first, with a cursor for the next one."""
    found, more = page_of(partial(list_records, opened), limit=limit, cursor=cursor)
    return ImportLog(imports=found, cursor=more)


def _with_vectors(
    report: ImportReport,
    opened: OpenSpace,
    wait: bool,  # noqa: FBT001  as the caller has it
    on_progress: Callable[[ImportProgress], None] | None,
) -> ImportReport:
    """Embed what waits, if that is wanted, and say how much still does.

    Whoever waits also gets the snapshot of the index after a large import, so that the first search
    does not build it from rows. Who does not gets words at once, in little memory.
    """
    started = time.perf_counter()
    waiting = waiting_count(opened)
    if not wait:
        return replace(report, waiting=waiting)

    def note(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(replace(read, embedded=done, waiting=total - done))

    read = ImportProgress(
        read=report.read, added=report.added, unchanged=report.unchanged, updated=report.updated,
        skipped=len(report.skipped), bytes_done=1, bytes_total=1,
    )  # fmt: skip
    left = embed_waiting(opened, on_progress=note).left if waiting else 0
    space = opened.find()
    if space is not None and report.added + report.updated >= opened.settings.snapshot_writes:
        opened.home.keep_index(space)
    return replace(report, waiting=left, took_s=report.took_s + time.perf_counter() - started)


def watch(
    opened: OpenSpace,
    paths: Sequence[str | os.PathLike[str]],
    *,
    source: str,
    trust: Trust | str | None,
    stop: Event | None,
    changes: Iterable[Iterable[str | os.PathLike[str]]] | None,
    on_report: Callable[[ImportReport], None] | None,
) -> None:
    """Keep folders current until `changes` end or `stop` is set."""
    check_calls(on_report=on_report)
    if not isinstance(stop, Event | None):
        raise InvalidInput("stop", f"must be a threading.Event, got {show_value(stop)}")
    if not paths:
        raise InvalidInput("paths", "is empty; name at least one folder")
    folders = [expand_home(path, field="paths") for path in paths]
    for folder in folders:
        if not folder.is_dir():
            raise InvalidInput("paths", f"{folder} is no folder; only folders can be watched")
    names = name_roots(folders, read_places(opened))
    reports = watch_folders(
        folders,
        opened,
        source=source,
        trust=None if trust is None else one_of(Trust, trust, field="trust"),
        changes=changes_below(folders, stop=stop) if changes is None else changes,
        names=names,
    )
    for read in reports:
        keep_record(read, names, opened)
        report = _with_vectors(read, opened, True, None)  # noqa: FBT003  as for an import
        if on_report is not None:
            on_report(report)
        if stop is not None and stop.is_set():
            return


def export(opened: OpenSpace, path: str | os.PathLike[str] | BinaryIO) -> ExportReport:
    """Export all user data of the space to a new file, or to a stream of bytes."""
    space = opened.space_of_any_embedder
    if not isinstance(path, str | os.PathLike):
        return export_space(space, path)
    target = target_of(expand_home(path, field="path"), name=opened.name)
    with new_file(target) as stream:
        return export_space(space, stream, file=str(target))


def backup(
    opened: OpenSpace,
    path: str | os.PathLike[str],
    *,
    on_progress: Callable[[int, int], None] | None,
) -> BackupReport:
    """Copy the space to a new file, while others use it; return a report."""
    space = opened.space_of_any_embedder
    target = expand_home(path, field="path")
    return back_up(space, target, at=opened.now(), on_progress=on_progress)
