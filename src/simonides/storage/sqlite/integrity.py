"""Counts and sizes of a space, and checks of its invariants.

Knows the laws that rows keep. Must not change anything.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from simonides import storage
from simonides.errors import SimonidesError
from simonides.model.answer import Finding, SpaceStats
from simonides.model.times import microseconds, moment
from simonides.storage.rows import unpack
from simonides.storage.sqlite import pages
from simonides.storage.sqlite.connection import Handle, pragma
from simonides.storage.sqlite.error_mapping import as_store_error, translate_errors
from simonides.storage.sqlite.file_names import SNAPSHOT_SUFFIX, size_of
from simonides.storage.sqlite.meta import Meta, read_meta
from simonides.storage.sqlite.queries import DUMP, QUERIES
from simonides.storage.sqlite.transaction import transaction

_REPAIR = "stop writing to it; run `simonides repair`, or restore a backup"
_PAGES = "pages fit their checksums"
_BARE = (
    "pages have no checksums: damage in what no hash covers is not noticed; close every other "
    "program that has the space open and run `simonides compact`, unless `page_checksums` is off"
)
_BUILD = "pages have no checksums: this build of apsw cannot keep them; `pip install apsw`"
_SHOWN_MAX = 5
"""Examples named in one finding."""
_FIRST_US = microseconds(datetime.min.replace(tzinfo=UTC))
_LAST_US = microseconds(datetime.max.replace(tzinfo=UTC))
"""The first and the last time that can be read back."""


def space_stats(handle: Handle, *, name: str) -> SpaceStats:
    """Return counts and sizes; `bytes_on_disk` includes the log and the index snapshot."""
    sqlite = handle.sqlite
    with translate_errors(handle.file):
        meta = read_meta(sqlite)
        items, chunks, archived, first, last = next(sqlite.execute(QUERIES["counts"]))
        bound = {"floor": meta.floor}
        return SpaceStats(
            space=name,
            revision=meta.revision,
            items=items,
            chunks=chunks,
            archived=archived,
            by_kind=dict(sqlite.execute(QUERIES["by_kind"])),
            by_source=dict(sqlite.execute(QUERIES["by_source"])),
            by_language=dict(sqlite.execute(QUERIES["by_language"])),
            oldest=_moment(first),
            newest=_moment(last),
            bytes_on_disk=_bytes_on_disk(handle.file),
            embedder=meta.embedder.model,
            page_checksums=meta.page_checksums,
            scrubbed_at=_moment(meta.scrubbed_us),
            pages_damaged=meta.pages_damaged,
            waiting=sqlite.execute(QUERIES["count_waiting"]).get,
            history_since=_moment(sqlite.execute(QUERIES["history_since"], bound).get),
            backed_up_at=_moment(meta.backed_up_us),
        )


def _moment(us: int | None) -> datetime | None:
    return None if us is None else moment(us)


def _bytes_on_disk(file: Path) -> int:
    beside = [file.with_name(file.name + end) for end in ("", "-wal", "-shm")]
    beside.append(file.with_suffix(SNAPSHOT_SUFFIX))
    return sum(map(size_of, beside))


def check_integrity(handle: Handle) -> list[Finding]:
    """Return one finding for each thing looked at, sound or not."""
    looks: dict[str, Callable[[apsw.Connection, Meta], str]] = {
        "structure": _structure,
        "rows belong together": _belonging,
        "revisions rise": _revisions,
        "chunks lie in their content": _chunks,
        "blobs have their sizes": _blobs,
        "items read back": _items,
        "what lies beside items reads back": _aside,
    }
    with translate_errors(handle.file):
        meta = read_meta(handle.sqlite)
    found = [_finding(name, look, handle=handle, meta=meta) for name, look in looks.items()]
    return [_pages(handle, meta), *found]


def _pages(handle: Handle, meta: Meta) -> Finding:
    """Return whether every page of the file, free ones too, matches its checksum."""
    if not handle.has_checksums:
        return Finding(check=_PAGES, sound=True, detail=_BARE if pages.checksum_vfs() else _BUILD)
    with translate_errors(handle.file):
        page_bytes = int(pragma(handle.sqlite, "page_size"))
        bad = pages.find_damaged_pages(handle.file, page_bytes=page_bytes) or []
    if bad:
        problem = _examples(f"{len(bad):,} pages differ from their checksums", bad)
        return Finding(check=_PAGES, sound=False, detail=f"{problem}; {_REPAIR}")
    at = "never" if meta.scrubbed_us is None else f"{moment(meta.scrubbed_us):%Y-%m-%d %H:%M} UTC"
    damage = f", {meta.pages_damaged:,} pages were damaged" if meta.pages_damaged else ""
    return Finding(check=_PAGES, sound=True, detail=f"last scrubbed: {at}{damage}")


def _finding(
    name: str, look: Callable[[apsw.Connection, Meta], str], *, handle: Handle, meta: Meta
) -> Finding:
    try:
        problem = look(handle.sqlite, meta)
    except (apsw.Error, UnicodeDecodeError) as error:
        problem = str(as_store_error(error, file=handle.file))
    return Finding(check=name, sound=not problem, detail=f"{problem}; {_REPAIR}" if problem else "")


def _structure(sqlite: apsw.Connection, _meta: Meta) -> str:
    said = [row[0] for row in sqlite.execute("PRAGMA integrity_check(20)")]
    return "" if said == ["ok"] else _examples("SQLite finds", said)


def _belonging(sqlite: apsw.Connection, _meta: Meta) -> str:
    orphans = sqlite.execute(QUERIES["orphans"]).get
    both = sqlite.execute(QUERIES["keys_in_both"]).get
    if not orphans and not both:
        return ""
    lost = f"{orphans} chunks, mentions or surrogates belong to no item"
    return f"{lost}, {both} keys are present and archived"


def _revisions(sqlite: apsw.Connection, meta: Meta) -> str:
    late = sqlite.execute(QUERIES["late_rows"], {"revision": meta.revision}).get
    found = sqlite.execute(QUERIES["births"])
    births = [born if isinstance(born, int) else -1 for _key, born in found]  # damage can be NULL
    if not late and births == sorted(births):
        return ""
    return f"{late} rows claim a revision past {meta.revision} or died unborn, or keys do not rise"


def _chunks(sqlite: apsw.Connection, _meta: Meta) -> str:
    gaps = sqlite.execute(QUERIES["gaps"]).get
    over = [
        f"item key {key}"
        for key, stop, content in sqlite.execute(QUERIES["chunk_ends"])
        if stop > len(content)
    ]
    if not gaps and not over:
        return ""
    return _examples(f"{gaps} items lack a chunk, {len(over)} have one past their end", over)


def _blobs(sqlite: apsw.Connection, meta: Meta) -> str:
    terms = sqlite.execute(QUERIES["odd_terms"]).get
    vectors = sqlite.execute(QUERIES["odd_vectors"], {"dimension": meta.embedder.dimension}).get
    waiting = sqlite.execute(QUERIES["odd_waiting"]).get
    if not terms and not vectors and not waiting:
        return ""
    odd = f"{terms} term lists and {vectors} vectors have a wrong size"
    return f"{odd}, {waiting} chunks have a vector that they wait for"


def _items(sqlite: apsw.Connection, _meta: Meta) -> str:
    broken = [*_unreadable(sqlite, "all_items"), *_unreadable(sqlite, "all_archived")]
    return _examples(f"{len(broken)} items cannot be read back", broken) if broken else ""


def _aside(sqlite: apsw.Connection, _meta: Meta) -> str:
    times = sqlite.execute(QUERIES["odd_times"], {"first": _FIRST_US, "last": _LAST_US}).get
    receipts = sqlite.execute(QUERIES["odd_receipts"]).get
    proposals = len(storage.proposals.unreadable(transaction(sqlite)))
    for query in ("kept_backgrounds", "kept_engagements", "kept_receipts"):
        for _ in sqlite.execute(DUMP[query]):
            pass  # what is no text any more cannot be handed over
    if not times and not receipts and not proposals:
        return ""
    lost = f"{receipts} receipts are no JSON, and {proposals} proposals cannot be read back"
    return f"{times} times cannot be, {lost}"


def _unreadable(sqlite: apsw.Connection, query: str) -> Iterator[str]:
    for key, *row in sqlite.execute(QUERIES[query]):
        try:
            unpack(tuple(row))
        except (SimonidesError, ValueError, TypeError, KeyError, OverflowError):
            yield f"item key {key}"


def _examples(problem: str, found: list[Any]) -> str:
    shown = ", ".join(str(one) for one in found[:_SHOWN_MAX])
    return f"{problem}: {shown}" if shown else problem
