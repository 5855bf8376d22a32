"""Look through a space: what the store says of its file, and whether the index agrees with it."""

from pathlib import Path

import numpy as np

from simonides.disk import open_to_others
from simonides.index.build import empty_view, extended
from simonides.index.compare import STATISTICS
from simonides.index.index_view import IndexView
from simonides.index.space_index import SpaceIndex
from simonides.maintenance.analysis import analysis_findings
from simonides.maintenance.interrupted_erasures import examine_erasures, examine_files
from simonides.model.answer import Finding
from simonides.plugins import installed_plugins
from simonides.ports.space import Space, SpaceStore
from simonides.retrieval.search import look


def examine(space: Space, *, space_view: SpaceIndex, store: SpaceStore) -> list[Finding]:
    """Return what was looked at, sound or not: structure, counts, index against rows, the home.

    An erasure that was broken off is finished.
    """
    return [
        *space.check(),
        *analysis_findings(space),
        index_agrees(space, space_view=space_view),
        examine_erasures(space, store=store),
        examine_files(store),
    ]


def index_agrees(space: Space, *, space_view: SpaceIndex) -> Finding:
    """Return whether the warm view has the statistics of one built anew from rows."""
    with look(space, space_view) as (reader, warm):
        fresh = extended(empty_view(space.embedder.dimension), reader)
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
    """Return a finding where others than the owner of a home may enter, read or write in it."""
    found = open_to_others(home)
    if not found:
        return []
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    detail = f"others may read {found[0]}{more}; run: chmod -R go= {home}"
    return [Finding(check="rights", sound=False, detail=detail)]


def plugins() -> list[Finding]:
    """Return a finding for each installed plugin: what it adds, or why it did not load."""
    return [
        Finding(check="plugin", sound=not one.problem, detail=str(one))
        for one in installed_plugins()
    ]
