"""Repair of a space: from its readable data, or by a backup, with a list of losses."""

from dataclasses import replace
from pathlib import Path

from simonides.ingest.prepare import Preparer
from simonides.maintenance.chunk_agreement import ChunkComparison
from simonides.model.maintenance import RepairReport
from simonides.model.stored import EmbedderIdentity
from simonides.ports.space import SpaceStore

ASIDE = "the file as it was lies in {}: what is lost may still be in it; remove it yourself"


def repair(name: str, *, store: SpaceStore, preparer: Preparer) -> RepairReport:
    """Rebuild a space's file from all readable data, with everything derived.

    Raises:
        NotFound: There is no such space.
        StoreBusy: Others have it open; nothing was changed.
        StoreCorrupt: Nothing of it can be read.
        WrongEmbedder: Vectors are to be made anew, and another embedder is configured.
    """

    def remake(identity: EmbedderIdentity) -> ChunkComparison:
        return ChunkComparison(preparer=preparer, identity=identity)

    return _with_note(store.repair(name, remake=remake, fallback=preparer.identity))


def repair_from(name: str, backup: Path, *, store: SpaceStore) -> RepairReport:
    """Replace a space by a backup; its own file is set aside.

    Raises:
        InvalidInput: The backup is no space, or is damaged itself.
        StoreBusy: Others have the space open; nothing was changed.
    """
    return _with_note(store.replace(name, str(backup)))


def _with_note(report: RepairReport) -> RepairReport:
    if not report.aside:
        return report
    return replace(report, notes=(*report.notes, ASIDE.format(report.aside)))
