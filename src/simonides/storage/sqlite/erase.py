"""Erasing: the rows of items go for good in one transaction, and then every byte of them.

Knows every table that holds something of an item. SQLite overwrites what is deleted
(`secure_delete`), but what it moved around before stays in pages that are part of the file
(measured: 1 of 429 texts); only writing the file anew and emptying the log takes that away. Must
not know which items are erased, nor who asked.
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apsw

from simonides.errors import InvalidInput, StoreError, StoreFull
from simonides.model.maintenance import Erased, WipeResult
from simonides.storage.sqlite.busy import active_readers
from simonides.storage.sqlite.connection import Handle, pragma
from simonides.storage.sqlite.error_mapping import translated
from simonides.storage.sqlite.home_files import remove_snapshot
from simonides.storage.sqlite.meta import Meta, set_meta
from simonides.storage.sqlite.queries import statements
from simonides.storage.sqlite.revisions import REVISIONS

ERASE = statements("erase.sql")

SWEEP_DUE = "sweep_due"
"""Set in `meta` from an erasure until the file and its log hold nothing of it any more."""

_PRESENT = {
    "surrogates": "erase_surrogates",
    "chunks": "erase_chunks",
    "mentions": "erase_mentions",
    "versions": "erase_item",
}
_PAST = {
    "chunks": "erase_archived_chunks",
    "mentions": "erase_archived_mentions",
    "versions": "erase_archived_item",
}
"""What is counted as what, in the order in which rows may go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """Removes every version of items and all references to them; the result has the counts.

    The epoch grows, so that every process builds its index anew, without them.
    """

    ids: tuple[str, ...]
    at_us: int

    def __call__(self, sqlite: apsw.Connection, meta: Meta, revision: int) -> tuple[Erased, bool]:
        """Remove the row, if there is one; otherwise there is no new revision."""
        counts: Counter[str] = Counter()
        gone = [one for one in dict.fromkeys(self.ids) if self._item(sqlite, one, counts)]
        counts["receipts"] = _naming(sqlite, gone, read="receipt_texts", drop="erase_receipt")
        counts["proposals"] = _naming(sqlite, gone, read="proposal_bodies", drop="erase_proposal")
        counts["backgrounds"] = remove_due_backgrounds(sqlite, at_us=self.at_us)
        if gone or counts["backgrounds"]:
            set_meta(sqlite, SWEEP_DUE, 1)
        if gone:
            epoch = meta.epoch + 1
            set_meta(sqlite, "epoch", epoch)
            noted = {"revision": revision, "at_us": self.at_us, "epoch": epoch}
            sqlite.execute(REVISIONS["add_revision"], noted)
        return Erased(ids=tuple(gone), **counts), bool(gone)

    def _item(self, sqlite: apsw.Connection, item_id: str, counts: Counter[str]) -> bool:
        """Remove all of one item and mark its id; return whether there was any row."""
        keys = sqlite.execute(ERASE["version_keys"], {"id": item_id}).fetchall()
        if not keys:
            return False
        version = sqlite.execute(ERASE["last_version"], {"id": item_id}).get
        for key, is_present in keys:
            for what, query in (_PRESENT if is_present else _PAST).items():
                counts[what] += _run(sqlite, query, {"key": key})
        counts["engagements"] += _run(sqlite, "erase_engagement", {"id": item_id})
        marked = {"id_hash": id_hash(item_id), "at_us": self.at_us, "version": version}
        sqlite.execute(ERASE["mark_erased"], marked)
        return True


def remove_due_backgrounds(sqlite: apsw.Connection, *, at_us: int, limit: int = -1) -> int:
    """Remove up to `limit` snapshots that were deleted and are due (-1: all); return how many.

    A mark of each stays: no import brings it back.
    """
    found = sqlite.execute(ERASE["due_backgrounds"], {"at_us": at_us, "limit": limit}).fetchall()
    for (one,) in found:
        sqlite.execute(ERASE["erase_background"], {"id": one})
        marked = {"id_hash": id_hash(str(one)), "at_us": at_us, "version": 0}
        sqlite.execute(ERASE["mark_erased"], marked)
    return len(found)


def id_hash(item_id: str) -> bytes:
    """Return 16 bytes of BLAKE2b of an id, the mark of an erased item."""
    return hashlib.blake2b(item_id.encode(), digest_size=16).digest()


def erased_version(sqlite: apsw.Connection, item_id: str) -> int | None:
    """Return the last version of an erased id; None if it is stored, or was not erased.

    An import brings the marks of another space along, also of what was never erased here.
    """
    asked = {"id_hash": id_hash(item_id), "id": item_id}
    found = sqlite.execute(ERASE["is_erased"], asked).fetchone()
    return None if found is None else int(found[0])


def unmark(sqlite: apsw.Connection, item_id: str) -> None:
    """Remove the mark of an erased id, because a person adds the item again."""
    sqlite.execute(ERASE["unmark_erased"], {"id_hash": id_hash(item_id)})


def _run(sqlite: apsw.Connection, query: str, values: dict[str, Any]) -> int:
    """Run one statement and return how many rows it removed."""
    sqlite.execute(ERASE[query], values)
    return sqlite.changes()


def _naming(sqlite: apsw.Connection, ids: Iterable[str], *, read: str, drop: str) -> int:
    """Remove the JSON records that contain one of these ids; return their number."""
    wanted = frozenset(ids)
    if not wanted:
        return 0
    texts = sqlite.execute(ERASE[read])
    found = [one for one, text in texts if not wanted.isdisjoint(_strings(json.loads(text)))]
    return sum(_run(sqlite, drop, {"id": one}) for one in found)


def names_erased(sqlite: apsw.Connection, text: str) -> bool:
    """Return whether a JSON record contains an erased id.

    Raises:
        InvalidInput: It is not JSON.
    """
    if not sqlite.execute(ERASE["any_erased"]).get:
        return False
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("record", "is not JSON") from error
    return any(erased_version(sqlite, one) is not None for one in set(_strings(tree)))


def _strings(tree: Any) -> Iterator[str]:
    """Yield every text in a tree of JSON, keys too."""
    left = [tree]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from value
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)


_READER = (
    "somebody{} has been reading the space for too long, and its log cannot be emptied under a "
    "reader: end what reads it and erase once more"
)


def sweep(handle: Handle, *, timeout_s: float, make_way: Callable[[], object]) -> WipeResult:
    """Rewrite the file without deleted data and empty its log; return the obstacle, if any.

    Waits up to `timeout_s` seconds each for writers and for readers of other threads and processes;
    `make_way` is called meanwhile and ends readers of this process. Those of others see in the file
    until when it waits, and are ended there (see `readers_wanted_away`). Needs as much room beside
    the file as it takes. The index snapshot is removed.
    """
    removed = remove_snapshot(handle.file)
    before = _size_bytes(handle)
    handle.patience.timeout_s = timeout_s
    try:
        with translated(handle.file):
            handle.sqlite.execute("VACUUM")
    except StoreError as error:
        return WipeResult(
            rewritten=False, log_emptied=False, bytes_before=before, bytes_after=before,
            files=removed,
            problem=f"the file could not be written anew: {error}; then erase once more",
        )  # fmt: skip
    emptied = _emptied_among_readers(handle, timeout_s=timeout_s, make_way=make_way)
    if emptied:
        _forget_that_it_was_due(handle)
    return WipeResult(
        rewritten=True,
        log_emptied=emptied,
        bytes_before=before,
        bytes_after=_size_bytes(handle),
        files=(str(handle.file), f"{handle.file}-wal", *removed),
        problem="" if emptied else _READER.format(active_readers(handle.file)),
    )


def _emptied_among_readers(
    handle: Handle, *, timeout_s: float, make_way: Callable[[], object]
) -> bool:
    """Empty the log while readers are asked to leave; return whether that was possible."""
    until_us = time.time_ns() // 1000 + round(timeout_s * 1e6)
    with translated(handle.file):
        set_meta(handle.sqlite, SWEEP_DUE, until_us)
    handle.patience.make_way = make_way
    try:
        return truncate_log(handle)
    finally:
        handle.patience.make_way = None


def readers_wanted_away(handle: Handle) -> bool:
    """Return whether an erasure is waiting for readers, or has removed everything.

    An erasure that was broken off, or gave up, wants nobody away: its time is over.
    """
    try:
        found = handle.sqlite.execute(ERASE["sweep_due"], {"key": SWEEP_DUE}).get
    except apsw.SQLError:  # the whole space was erased, its tables, too
        return True
    return found is not None and time.time_ns() // 1000 < int(found)


def truncate_log(handle: Handle) -> bool:
    """Fold the whole log into the file and cut it to nothing; return whether that was possible."""
    try:
        handle.sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.Error:  # a reader is in the way, or the disk fails: it stays due
        return False
    handle.log_pages = 0
    return True


def checkpoint_fully(handle: Handle) -> None:
    """Fold the whole log into a file that is about to be put in another one's place, alone.

    Raises:
        StoreFull: The disk did not let it be.
    """
    if not truncate_log(handle):
        raise StoreFull(f"{handle.file} could not be written whole; check space and disk")


def is_sweep_due(sqlite: apsw.Connection) -> bool:
    """Return whether an erasure was not brought to its end."""
    return bool(sqlite.execute(ERASE["sweep_due"], {"key": SWEEP_DUE}).get)


def _forget_that_it_was_due(handle: Handle) -> None:
    with translated(handle.file):
        set_meta(handle.sqlite, SWEEP_DUE, 0)
    truncate_log(handle)


def _size_bytes(handle: Handle) -> int:
    pages = int(pragma(handle.sqlite, "page_count"))
    return pages * int(pragma(handle.sqlite, "page_size"))
