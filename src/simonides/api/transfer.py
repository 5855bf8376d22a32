"""Import, export and backup of a space."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO

from simonides.api.arguments import expanded
from simonides.errors import InvalidInput
from simonides.importers.mapped import mapped_importer, texts_by_name
from simonides.importers.run import import_paths
from simonides.index.open_space import OpenSpace
from simonides.maintenance.export import back_up, export_space, new_file, target_of
from simonides.maintenance.import_export import import_export, is_export
from simonides.model.answer import ImportProgress, ImportReport, joined_reports
from simonides.model.coercion import one_of
from simonides.model.export import ExportReport
from simonides.model.item import Kind, Trust
from simonides.model.maintenance import BackupReport


def import_(
    opened: OpenSpace,
    paths: Sequence[str | os.PathLike[str]],
    *,
    source: str,
    trust: Trust | str | None,
    dry_run: bool,
    mapping: Mapping[str, str] | None,
    kind: Kind | str,
    on_progress: Callable[[ImportProgress], None] | None,
) -> ImportReport:
    """Import files of any format, folders and archives, or exports of a space."""
    if not paths:
        raise InvalidInput("paths", "is empty; name at least one file or folder")
    level = None if trust is None else one_of(Trust, trust, field="trust")
    mapped = mapped_importer(texts_by_name(mapping or {}), one_of(Kind, kind, field="kind"))
    files = [expanded(path, field="paths") for path in paths]
    exports = [file for file in files if is_export(file)]
    if exports and dry_run:
        raise InvalidInput("dry_run", f"cannot try {exports[0]}: it is an export of a whole space")
    reports = [import_export(file, opened, on_progress=on_progress) for file in exports]
    if others := [file for file in files if file not in exports]:
        reports.append(
            import_paths(
                others,
                opened,
                source=source,
                trust=level,
                dry_run=dry_run,
                on_progress=on_progress,
                mapped=mapped,
            )
        )
    return joined_reports(reports)


def export(opened: OpenSpace, path: str | os.PathLike[str] | BinaryIO) -> ExportReport:
    """Export all user data of the space to a new file, or to a stream of bytes."""
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
    """Copy the space to a new file, while others use it; return a report."""
    space = opened.space_of_any_embedder
    return back_up(space, expanded(path, field="path"), on_progress=on_progress)
