"""The rebuilt file of a space: from its readable data, or from a backup.

Knows the order of the steps, so that a crash at any of them leaves the old file or the new one.
Must not know the tables.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import apsw

from simonides.errors import InvalidInput, NotFound, SimonidesError, StoreCorrupt
from simonides.model.maintenance import Lost, RepairReport
from simonides.model.stored import NO_EMBEDDER, EmbedderIdentity
from simonides.ports.maintenance import Remake
from simonides.storage.erase import erased_version
from simonides.storage.sqlite.backup import (
    copy_pages,
    exclusive_connection,
    remove_set_aside,
    replace_by,
    temporary_copy,
)
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.compaction import give_checksums
from simonides.storage.sqlite.connection import APPLICATION_ID, Handle, connect, pragma
from simonides.storage.sqlite.erase import ERASE, checkpoint_fully
from simonides.storage.sqlite.error_mapping import as_store_error, translate_errors
from simonides.storage.sqlite.file_names import check_not_truncated
from simonides.storage.sqlite.meta import (
    check_pages,
    migrate,
    read_meta,
    set_meta,
    write_embedder,
    write_first,
)
from simonides.storage.sqlite.pages import read_unchecked
from simonides.storage.sqlite.queries import QUERIES
from simonides.storage.sqlite.salvage import Salvaged, salvage
from simonides.storage.sqlite.salvage_reader import DAMAGE, SALVAGE, columns, facts
from simonides.storage.sqlite.transaction import transaction

SHOWN_MAX = 5
"""Ids named in one note."""

_UNSAID = "the file does not say it any more; another one stands in its place"


def repair(
    file: Path,
    *,
    tuning: Tuning,
    remake: Callable[[EmbedderIdentity], Remake],
    fallback: EmbedderIdentity,
) -> RepairReport:
    """Copy all readable data of the file into a new one, which replaces it.

    Raises:
        NotFound: There is no such file, or nothing was ever kept in it.
        StoreBusy: Others have it open; nothing was changed.
        StoreCorrupt: Nothing of it can be read.
    """
    started = time.perf_counter()
    if not file.is_file():
        raise NotFound("space", file.stem)
    check_not_truncated(file)
    with (
        exclusive_connection(file, tuning=tuning) as old,
        temporary_copy(file, space=file.stem) as temporary,
    ):
        was_sound = _is_sound(old)
        _begin_reading(old, file)
        meta, unsaid = facts(old, fallback=fallback)
        with _make(temporary, meta.embedder, tuning=tuning) as new:
            done = salvage(old, new, meta=meta, remake=remake(meta.embedder))
            done.lost += [Lost(what="the space's", which=one, reason=_UNSAID) for one in unsaid]
        aside = replace_by(file, temporary)
    was_damaged = bool(done.lost or done.altered or not was_sound)
    if aside is not None and not was_damaged and remove_set_aside(aside):
        aside = None
    salvaged = was_damaged and aside is not None
    return _report(done, salvaged=salvaged, aside=aside, took_s=time.perf_counter() - started)


def _report(done: Salvaged, *, salvaged: bool, aside: Path | None, took_s: float) -> RepairReport:
    return RepairReport(
        salvaged=salvaged,
        aside="" if aside is None else str(aside),
        items=done.items,
        versions=done.versions,
        prepared_anew=done.prepared_anew,
        lost=tuple(done.lost),
        altered=tuple(dict.fromkeys(done.altered)),
        doubtful=tuple(done.doubtful),
        took_s=took_s,
    )


def _is_sound(old: apsw.Connection) -> bool:
    try:
        return [row[0] for row in old.execute("PRAGMA integrity_check(1)")] == ["ok"]
    except DAMAGE:
        return False


def _begin_reading(old: apsw.Connection, file: Path) -> None:
    """Begin a transaction; raise unless tables can be found, and it was ever made a space.

    SQLite holds on to the first page in it, and needs it for every other one: so that one page
    does not matter to the rest, it may differ from its checksum.
    """
    try:
        with read_unchecked(old):
            old.execute("BEGIN")
            old.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        if pragma(old, "user_version") == 0:
            raise NotFound("space", file.stem)
    except DAMAGE as error:
        raise _unreadable(file, str(error)) from error
    for table in ("item", "item_archive"):
        if not columns(old, table):
            raise _unreadable(file, f"the table {table!r} is not to be found")


def _unreadable(file: Path, reason: str) -> StoreCorrupt:
    problem = f"nothing of {file} can be read any more ({reason})"
    return StoreCorrupt(f"{problem}; restore a backup: `simonides repair --from FILE`")


@contextmanager
def _make(file: Path, embedder: EmbedderIdentity, *, tuning: Tuning) -> Iterator[apsw.Connection]:
    """Make a new space in an empty file, filled in one transaction; whole on disk at the end."""
    handle = connect(file, tuning=replace(tuning, durability="full"), writes=True, create=True)
    try:
        migrate(handle, begin=lambda sqlite: write_first(sqlite, embedder))
        made = read_meta(handle.sqlite)
        with translate_errors(file):
            handle.sqlite.execute("BEGIN IMMEDIATE")
            yield handle.sqlite
            if not read_meta(handle.sqlite).uuid:
                set_meta(handle.sqlite, "uuid", made.uuid)
            write_embedder(handle.sqlite, embedder)
            handle.sqlite.execute("COMMIT")
        checkpoint_fully(handle)
    finally:
        handle.close()


def restore_backup(file: Path, source: Path, *, tuning: Tuning) -> RepairReport:
    """Replace the file of a space by a copy of a backup; the old file is set aside.

    The epoch grows past both, so that no index of the other rows is believed.

    Raises:
        InvalidInput: The backup is no space, or is damaged itself.
        StoreBusy: Others have the space open; nothing was changed.
    """
    started = time.perf_counter()
    if file.exists() and source.exists() and file.samefile(source):
        raise InvalidInput("from", f"{source} is the space's own file")
    back: tuple[str, ...] = ()
    with temporary_copy(file, space=file.stem) as temporary:
        items, versions = _copy(source, temporary, tuning=tuning)
        if not file.exists():
            aside = replace_by(file, temporary)
        else:
            with exclusive_connection(file, tuning=tuning) as old:
                back = _outgrow(temporary, old, tuning=tuning)
                aside = replace_by(file, temporary)
    return RepairReport(
        aside="" if aside is None else str(aside), items=items, versions=versions,
        notes=(_restore_from(back),) if back else (), took_s=time.perf_counter() - started,
    )  # fmt: skip


def _restore_from(back: tuple[str, ...]) -> str:
    shown = ", ".join(back[:SHOWN_MAX]) + (", …" if len(back) > SHOWN_MAX else "")
    return f"{len(back):,} items that had been erased here came back with it: {shown}; erase again"


def _copy(source: Path, temporary: Path, *, tuning: Tuning) -> tuple[int, int]:
    """Copy a backup, bring it to the present format; return how many items and versions it has."""
    try:
        opened = connect(source, tuning=tuning, writes=False)
    except NotFound as error:
        raise InvalidInput("from", f"there is no file {source}") from error
    except SimonidesError as error:
        raise InvalidInput("from", f"is no backup that can be read: {error}") from error
    try:
        if pragma(opened.sqlite, "application_id") != APPLICATION_ID:
            raise InvalidInput("from", f"{source} holds nothing")
        copy_pages(opened.sqlite, temporary)
        check_pages(read_meta(opened.sqlite), opened)
    except (apsw.Error, StoreCorrupt) as error:
        said = as_store_error(error, file=source) if isinstance(error, apsw.Error) else error
        raise InvalidInput("from", f"the backup is damaged itself: {said}") from error
    finally:
        opened.close()
    give_checksums(temporary, tuning=tuning)
    handle = connect(temporary, tuning=tuning, writes=True)
    try:
        migrate(handle, begin=lambda _sqlite: None)
        with translate_errors(temporary):
            counts = next(handle.sqlite.execute(QUERIES["counts"]))
            _set_epoch(handle, read_meta(handle.sqlite).epoch + 1)
    finally:
        handle.close()
    return counts[0], counts[0] + counts[2]


def _outgrow(temporary: Path, old: apsw.Connection, *, tuning: Tuning) -> tuple[str, ...]:
    """Raise the copy's epoch above that of `old`; return its ids that were erased there."""
    epoch = facts(old, fallback=NO_EMBEDDER)[0].epoch
    handle = connect(temporary, tuning=tuning, writes=True)
    try:
        with translate_errors(temporary):
            _set_epoch(handle, max(read_meta(handle.sqlite).epoch, epoch + 1))
            return tuple(_find_erased(old, handle.sqlite.execute(SALVAGE["every_id"])))
    finally:
        handle.close()


def _find_erased(old: apsw.Connection, ids: Iterator[tuple[str]]) -> Iterator[str]:
    """Yield those of these ids that were erased in `old`, as far as it can be read."""
    with suppress(*DAMAGE):
        if old.execute(ERASE["any_erased"]).get:
            tx = transaction(old)
            yield from (one for (one,) in ids if erased_version(tx, one) is not None)


def _set_epoch(handle: Handle, epoch: int) -> None:
    set_meta(handle.sqlite, "epoch", epoch)
    checkpoint_fully(handle)
