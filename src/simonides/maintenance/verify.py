"""Checks of a space: `examine` is the quick one, `verify` the complete one.

Knows what follows from what: chunks from their items, the index from the rows, terms from the
analysis that the engine records. Must not know how any of it is stored.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from simonides.config import say_languages_read
from simonides.disk import open_to_others
from simonides.errors import InvalidInput, StoreCorrupt
from simonides.index.build import STATISTICS, Run, differences, empty_view, extend
from simonides.index.index_view import IndexView
from simonides.index.space_index import SpaceIndex
from simonides.ingest.at_work import is_dead
from simonides.maintenance.interrupted_erasures import examine_erasures, examine_files
from simonides.maintenance.repair import agree, without_vectors
from simonides.model.answer import Finding
from simonides.model.stored import Analysis, EmbedderIdentity, PreparedChunk
from simonides.plugins import find_installed
from simonides.ports.space import ChunkRow, MentionRow, Reader, Space, SpaceStore
from simonides.retrieval.looking import look

OWN = Analysis()
"""That of this engine."""


def analysis_findings(space: Space) -> Iterator[Finding]:
    """Yield a finding if the space was analysed by another version of the analysis.

    An older one is sound: what it found is found; a later one is not, because this engine cannot
    tell what it would find.
    """
    theirs = space.analysis
    if theirs == OWN:
        return
    difference = f"rows were derived by {theirs}, this engine's is {OWN}"
    if (theirs.version, _numbers(theirs.unicode)) > (OWN.version, _numbers(OWN.unicode)):
        detail = f"{difference}; use the later simonides that made the space"
        yield Finding(check="analysis", sound=False, detail=detail)
    else:
        detail = f"{difference}; `simonides repair` derives them anew"
        yield Finding(check="analysis", sound=True, detail=detail)


def waiting_findings(space: Space) -> Iterator[Finding]:
    """Yield what is to be said where chunks wait for their vectors: that is sound."""
    with space.read() as reader:
        waiting = reader.waiting_count()
    if waiting:
        detail = f"{waiting:,} chunks wait for theirs and are found by words; run `simonides embed`"
        yield Finding(check="vectors", sound=True, detail=detail)


def embedder_findings(space: Space, *, configured: EmbedderIdentity) -> Iterator[Finding]:
    """Yield a finding where the vectors are of another model than the configured one."""
    if space.embedder != configured:
        models = f"made by {space.embedder.model}, and {configured.model} is configured"
        detail = f"{models}; `simonides reembed --space {space.name}` makes them anew"
        yield Finding(check="embedder", sound=True, detail=detail)


def language_findings(space: Space, *, embedder: str) -> Iterator[Finding]:
    """Yield which languages of the space are read by meaning, if there are others than English."""
    if said := say_languages_read(embedder, space.stats().by_language):
        yield Finding(check="languages", sound=True, detail=said)


def cause_of_difference(space: Space) -> str:
    """Return why rows may differ from newly derived ones; empty if that means damage."""
    if space.analysis == OWN:
        return ""
    return f"derived by {space.analysis}, no damage (this engine's is {OWN}): "


REPLICATED_WRONGLY = (
    "Litestream replicates it, and writes pages without checksums, which are then refused as "
    "damaged; stop Litestream now, set `page_checksums = false`, and run `simonides repair`"
)
REPLICATED = "Litestream replicates it; what is erased stays in its replica and in {} until removed"


def replication_findings(space: Space) -> Iterator[Finding]:
    """Yield a finding where Litestream keeps changes of a space: it cannot write page checksums."""
    folders = space.files.replicas
    if not folders:
        return
    has_checksums = space.stats().page_checksums
    detail = REPLICATED_WRONGLY if has_checksums else REPLICATED.format(", ".join(folders))
    yield Finding(check="replication", sound=not has_checksums, detail=detail)


def work_findings(space: Space) -> Iterator[Finding]:
    """Yield a finding on who is at work in a space, if anybody is."""
    if leases := [str(one) for one in space.leases() if not is_dead(one)]:
        yield Finding(check="work under way", sound=True, detail="; ".join(leases))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))


def examine(space: Space, *, space_view: SpaceIndex, store: SpaceStore) -> list[Finding]:
    """Return the findings on structure, counts, index against rows, and the home.

    An erasure that was broken off is finished.
    """
    return [
        *space.check(),
        *analysis_findings(space),
        *waiting_findings(space),
        index_agrees(space, space_view=space_view),
        examine_erasures(space, store=store),
        examine_files(store),
        *replication_findings(space),
        *work_findings(space),
    ]


def index_agrees(space: Space, *, space_view: SpaceIndex) -> Finding:
    """Return whether the warm view has the statistics of one built anew from rows."""
    with look(space, space_view) as (reader, warm):
        fresh = extend(empty_view(space.embedder.dimension), reader)
    differing = [name for name in STATISTICS if not _equal(warm, fresh, name)]
    detail = (
        f"differs in {', '.join(differing)}; close and open the space again"
        if differing
        else (
            f"{fresh.items_alive} items, {fresh.chunks_alive} chunks at revision {fresh.revision}"
        )
    )
    return Finding(check="index", sound=not differing, detail=detail)


def _equal(warm: IndexView, fresh: IndexView, name: str) -> bool:
    return bool(np.array_equal(getattr(warm, name), getattr(fresh, name)))


def rights(home: Path) -> list[Finding]:
    """Return a finding if others than the owner of a home may enter, read or write in it."""
    found = open_to_others(home)
    if not found:
        return []
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    detail = f"others may read {found[0]}{more}; run: chmod -R go= {home}"
    return [Finding(check="rights", sound=False, detail=detail)]


def plugins() -> list[Finding]:
    """Return a finding for each installed plugin: its extensions, or its load error."""
    return [
        Finding(check="plugin", sound=not one.problem, detail=str(one)) for one in find_installed()
    ]


BATCH_ITEMS = 256
SHOWN_MAX = 5
"""Examples named in one finding."""

STALE = "of before an erasure, and may hold what was erased; erase anything again, which removes it"
UNREADABLE = (StoreCorrupt, InvalidInput, ArithmeticError, LookupError, TypeError, ValueError)
"""What a row raises, wherever it is looked at, that says what no item can: that is a finding."""

MEND = "run `simonides repair`"


def verify(space: Space, *, space_view: SpaceIndex) -> list[Finding]:
    """Return all findings; unreadable data ends the check with a finding."""
    findings = list(space.check())
    if not all(one.sound for one in findings):
        return findings
    try:
        findings.append(_judge("items are as they were written", list(space.find_altered())))
        with space.read() as reader:
            disagreeing = list(_disagreeing(reader.every(), space=space))
        cause = cause_of_difference(space)
        findings.append(_judge("chunks and mentions say what their items say", disagreeing, cause))
        findings += analysis_findings(space)
        findings += _indexes(space, space_view=space_view)
    except UNREADABLE as error:
        findings.append(_judge("all of it can be read", [f"{type(error).__name__}: {error}"]))
    due = ["an erasure was broken off: its bytes may be left"] if space.is_sweep_due() else []
    findings.append(_judge("erasures are finished", due))
    return findings


def _judge(check: str, problems: list[str], cause: str = "") -> Finding:
    """Return a finding; what differs for a `cause` that is no damage is sound."""
    if not problems:
        return Finding(check=check, sound=True)
    shown = ", ".join(problems[:SHOWN_MAX])
    more = f" and {len(problems) - SHOWN_MAX:,} more" if len(problems) > SHOWN_MAX else ""
    return Finding(check=check, sound=bool(cause), detail=f"{cause}{shown}{more}; {MEND}")


def _disagreeing(every: Reader, *, space: Space) -> Iterator[str]:
    """Yield the versions whose chunks or mentions differ from those of the item."""
    preparer = without_vectors(space.embedder)
    chunks, mentions = Run(every.chunk_rows(0)), Run(every.mention_rows(0))
    keys = iter([row.key for row in every.item_rows(0)])
    while batch := list(islice(keys, BATCH_ITEMS)):
        items = every.items(batch)
        wanted = preparer.prepare([items[key] for key in batch])
        for key, one in zip(batch, wanted, strict=True):
            found = _chunks(chunks.up_to(key), every.chunk_spans(key))
            named = [_mention(row) for row in mentions.up_to(key)]
            if not agree(found, one.chunks) or named != [
                (m.entity, m.kind.value, m.name, m.role.value) for m in one.mentions
            ]:
                yield f"version {items[key].version} of item {items[key].id!r}"


def _chunks(rows: list[ChunkRow], spans: list[tuple[int, int]]) -> list[PreparedChunk]:
    return [
        PreparedChunk(
            start=start, stop=stop, words=row.words, dated=bool(row.dated), length=row.length,
            terms=row.terms, vector=row.vector,
        )
        for row, (start, stop) in zip(rows, spans, strict=True)
    ]  # fmt: skip


def _mention(row: MentionRow) -> tuple[str, str, str, str]:
    return row.entity, row.kind, row.name, row.role


def _indexes(space: Space, *, space_view: SpaceIndex) -> Iterator[Finding]:
    """Yield whether the index in memory, and the one on disk, equals one made from the rows."""
    with look(space, space_view) as (reader, warm):
        fresh = extend(empty_view(space.embedder.dimension), reader)
        saved = space_view.on_disk(reader)
        is_stale = space_view.is_stale_on_disk(reader)
    yield _index("index in memory", warm, fresh)
    if is_stale:
        yield Finding(check="index snapshot", sound=False, detail=STALE)
    elif saved is None:
        yield Finding(check="index snapshot", sound=True, detail="none that would be believed")
    else:
        yield _index("index snapshot", saved, fresh)


def _index(check: str, found: IndexView, fresh: IndexView) -> Finding:
    differing = differences(found, fresh)
    if differing:
        return _judge(check, [f"differs in {name}" for name in differing])
    detail = f"{fresh.items_alive:,} items, {fresh.chunks_alive:,} chunks, every posting"
    return Finding(check=check, sound=True, detail=detail)
