"""Files in and out of a space: import, export, back up."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

from simonides.api.arguments import expanded
from simonides.importers.run import import_path
from simonides.index.open_space import OpenSpace
from simonides.ingest.keep import keep
from simonides.ingest.waiting import embed_waiting, waiting_count
from simonides.maintenance.export import back_up, export_space, new_file, target_of
from simonides.maintenance.import_export import import_export, is_export
from simonides.model.answer import ImportProgress, ImportReport
from simonides.model.coercion import one_of
from simonides.model.export import ExportReport
from simonides.model.item import Trust
from simonides.model.maintenance import BackupReport


def import_(
    opened: OpenSpace,
    path: str | os.PathLike[str],
    *,
    source: str,
    trust: Trust | str | None,
    wait: bool,
    on_progress: Callable[[ImportProgress], None] | None,
) -> ImportReport:
    """Import files of mail, notes, chats, or an export, words first; then embed, if to `wait`."""
    file = expanded(path, field="path")
    if is_export(file):
        return import_export(file, opened, on_progress=on_progress)
    report = import_path(
        file,
        source=source,
        trust=None if trust is None else one_of(Trust, trust, field="trust"),
        keep=lambda items: keep(items, opened, revive=False, vectors=False),
        on_progress=on_progress,
    )
    return _with_vectors(report, opened, wait=wait, on_progress=on_progress)


def _with_vectors(
    report: ImportReport,
    opened: OpenSpace,
    *,
    wait: bool,
    on_progress: Callable[[ImportProgress], None] | None,
) -> ImportReport:
    """Embed what waits, if that is wanted, and say how much still does."""
    started = time.perf_counter()
    waiting = waiting_count(opened)
    if not wait or not waiting:
        return replace(report, waiting=waiting)

    def told(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(replace(read, embedded=done, waiting=total - done))

    read = ImportProgress(
        read=report.read, added=report.added, unchanged=report.unchanged, updated=report.updated,
        skipped=len(report.skipped), bytes_done=1, bytes_total=1,
    )  # fmt: skip
    left = embed_waiting(opened, on_progress=told).left
    return replace(report, waiting=left, took_s=report.took_s + time.perf_counter() - started)


def export(opened: OpenSpace, path: str | os.PathLike[str] | BinaryIO) -> ExportReport:
    """Write everything that was kept in the space to a new file, or to a stream of bytes."""
    space = opened.space_of_any_embedder
    if not isinstance(path, str | os.PathLike):
        return export_space(space, path)
    target = target_of(expanded(path, field="path"), name=opened.name)
    with new_file(target) as stream:
        return export_space(space, stream, file=str(target))


def backup(
    opened: OpenSpace,
    path: str | os.PathLike[str],
    *,
    on_progress: Callable[[int, int], None] | None,
) -> BackupReport:
    """Copy the space as it is to a new file, while others go on; return what is in it."""
    space = opened.space_of_any_embedder
    return back_up(space, expanded(path, field="path"), on_progress=on_progress)
