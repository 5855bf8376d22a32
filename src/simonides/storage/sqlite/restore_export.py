"""Import of an export as writes: complete into an empty space, or merged.

Knows how each sort of record becomes rows. Must not know of locks, threads or files, nor how an
export is written.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import apsw

from simonides.errors import InvalidInput, StoreCorrupt
from simonides.model.export import (
    ErasedMark,
    ExportHead,
    Kept,
    KeptBackground,
    KeptEngagement,
    KeptProposal,
    KeptReceipt,
    KeptVersion,
)
from simonides.model.stored import Prepared, PreparedBackground
from simonides.model.times import microseconds
from simonides.ports.maintenance import Made
from simonides.storage.sqlite.dump import DUMP
from simonides.storage.sqlite.erase import erased_version, names_erased
from simonides.storage.sqlite.meta import Meta, set_meta
from simonides.storage.sqlite.proposals import proposal
from simonides.storage.sqlite.queries import QUERIES
from simonides.storage.sqlite.revisions import derive_revisions
from simonides.storage.sqlite.rows import pack
from simonides.storage.sqlite.side_tables import KeepReceipt, PutBackground
from simonides.storage.sqlite.writer import Death, add_chunks, archive

NAMES_ERASED = "names an item that was erased here"

Refuse = Callable[[Kept, str], None]
"""Is told of a record that cannot be kept, and why."""


def holds_anything(sqlite: apsw.Connection) -> bool:
    """Return whether anything was ever stored in the space."""
    return bool(sqlite.execute(DUMP["holds_anything"]).get)


class ExportRestorer:
    """Puts records back into an empty space: versions, times and revisions as they were.

    They must come in the order in which an export has them. One that does not fit is refused
    alone. What names an item of which only a mark is left fits: so it was kept where it comes from.
    """

    def __init__(self, sqlite: apsw.Connection, head: ExportHead, *, dimension: int) -> None:
        self._sqlite = sqlite
        self._head = head
        self._dimension = dimension
        self._born = 0

    def fill(self, records: Iterable[tuple[Kept, Made]], *, refuse: Refuse) -> int:
        """Restore the records and return their number; apply the head to the space."""
        done = 0
        for record, made in records:
            problem = self._tried(record, made)
            if problem:
                refuse(record, problem)
            done += not problem
        for name in ("uuid", "revision", "floor"):
            set_meta(self._sqlite, name, getattr(self._head, name))
        derive_revisions(self._sqlite)
        return done

    def _tried(self, record: Kept, made: Made) -> str:
        """Put one back, or undo it and return why it cannot be."""
        self._sqlite.execute("SAVEPOINT record")
        try:
            self._put(record, made)
        except (InvalidInput, apsw.ConstraintError, apsw.MismatchError) as error:
            self._sqlite.execute("ROLLBACK TO record")
            return str(error)
        finally:
            if self._sqlite.in_transaction:
                self._sqlite.execute("RELEASE record")
        return ""

    def _put(self, record: Kept, made: Made) -> None:
        if isinstance(record, KeptVersion) and isinstance(made, Prepared):
            self._version(record, made)
        elif isinstance(record, KeptBackground) and isinstance(made, PreparedBackground):
            self._check_revision(record.revision)
            insert_background(self._sqlite, record, made, revision=record.revision)
        elif isinstance(record, KeptEngagement):
            self._check_revision(record.revision)
            insert_engagement(self._sqlite, record, revision=record.revision)
        else:
            insert_side_record(self._sqlite, record)

    def _version(self, record: KeptVersion, made: Prepared) -> None:
        item = record.item
        self._check_revision(item.revision)
        if item.revision < self._born:
            raise InvalidInput("revision", f"falls from {self._born} to {item.revision}")
        if item.version < 1 or item.stored_at is None:
            raise InvalidInput("version", "needs a number above 0 and the time it was stored at")
        packed = pack(made, dimension=self._dimension)
        row = (item.version, item.revision, microseconds(item.stored_at), *packed.columns)
        self._sqlite.execute(QUERIES["add_item"], row)
        key = self._sqlite.last_insert_rowid()
        add_chunks(self._sqlite, key, packed.chunks)
        self._sqlite.executemany(QUERIES["add_mention"], [(key, *one) for one in packed.mentions])
        if record.died is not None and record.died_at is not None:
            self._check_revision(record.died)
            died_us = microseconds(record.died_at)
            death = Death(died=record.died, died_us=died_us, cause=record.cause)
            archive(self._sqlite, key, death=death)
        self._born = item.revision

    def _check_revision(self, revision: int) -> None:
        if not 1 <= revision <= self._head.revision:
            problem = f"must lie in 1 to {self._head.revision}, the export's own, got {revision}"
            raise InvalidInput("revision", problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeSideTables:
    """Merges the data of side tables with the stored data; the result names the new ones."""

    records: tuple[tuple[Kept, Made], ...]

    def __call__(
        self, sqlite: apsw.Connection, _meta: Meta, revision: int
    ) -> tuple[tuple[str, ...], bool]:
        """Put each back unless it is there; return for each `added`, `unchanged` or why not."""
        said = tuple(self._tried(sqlite, one, made, revision) for one, made in self.records)
        pairs = zip(self.records, said, strict=True)
        facts = (KeptBackground, KeptEngagement)
        return said, any(isinstance(one, facts) and how == "added" for (one, _), how in pairs)

    def _tried(self, sqlite: apsw.Connection, record: Kept, made: Made, revision: int) -> str:
        """Restore one record; if it cannot be stored, undo it and return the reason."""
        sqlite.execute("SAVEPOINT record")
        try:
            is_new = self._put(sqlite, record, made, revision)
        except (InvalidInput, apsw.ConstraintError, apsw.MismatchError) as error:
            sqlite.execute("ROLLBACK TO record")
            return str(error)
        finally:
            sqlite.execute("RELEASE record")
        return "added" if is_new else "unchanged"

    def _put(self, sqlite: apsw.Connection, record: Kept, made: Made, revision: int) -> bool:
        if isinstance(record, KeptEngagement):
            return merge_engagement(sqlite, record, revision=revision)
        if isinstance(record, KeptBackground) and isinstance(made, PreparedBackground):
            there = sqlite.execute(QUERIES["background_by_id"], {"id": made.id}).fetchone()
            if there is not None or erased_version(sqlite, made.id) is not None:
                return False  # it may have been deleted: what was stays gone
            insert_background(sqlite, record, made, revision=revision)
            return True
        text = _text(record)
        if text and names_erased(sqlite, text):
            raise InvalidInput(type(record).__name__.removeprefix("Kept").lower(), NAMES_ERASED)
        return insert_side_record(sqlite, record)


def insert_background(
    sqlite: apsw.Connection, record: KeptBackground, made: PreparedBackground, *, revision: int
) -> None:
    """Add a snapshot as of the time that it was put, in a revision.

    Raises:
        InvalidInput: It cannot be kept byte for byte.
    """
    write = PutBackground(prepared=made, created_us=microseconds(record.created_at))
    row = (made.id, made.collection, write.created_us, revision, made.text, made.terms)
    sqlite.execute(DUMP["fill_background"], row)


def merge_engagement(sqlite: apsw.Connection, record: KeptEngagement, *, revision: int) -> bool:
    """Note engagement unless the very same is noted; return whether it was not.

    Raises:
        InvalidInput: The item was erased here.
    """
    if erased_version(sqlite, record.item_id) is not None:
        raise InvalidInput("engagement", NAMES_ERASED)
    at_us = microseconds(record.at)
    same = (record.item_id, record.how, at_us, record.times, at_us)
    if sqlite.execute(DUMP["same_engagement"], same).fetchone() is not None:
        return False
    insert_engagement(sqlite, record, revision=revision)
    return True


def insert_engagement(sqlite: apsw.Connection, record: KeptEngagement, *, revision: int) -> None:
    """Note engagement in a revision."""
    row = (record.item_id, record.how, microseconds(record.at), revision, record.times)
    sqlite.execute(DUMP["fill_engagement"], row)


def insert_side_record(sqlite: apsw.Connection, record: Kept) -> bool:
    """Restore a mark, a receipt or a proposal; return whether it was missing.

    Raises:
        InvalidInput: It is none of these, or another receipt is kept by its id.
    """
    if isinstance(record, ErasedMark):
        row = (record.id_hash, microseconds(record.at), record.version)
        sqlite.execute(DUMP["fill_erased"], row)
    elif isinstance(record, KeptReceipt):
        return _insert_receipt(sqlite, record)
    elif isinstance(record, KeptProposal):
        decided_us = None if record.decided_at is None else microseconds(record.decided_at)
        body = (record.id, microseconds(record.created_at), record.status, decided_us, record.body)
        _check_proposal(body)
        sqlite.execute(DUMP["fill_proposal"], body)
    else:
        raise InvalidInput("record", f"nothing was made ready of this {type(record).__name__}")
    return bool(sqlite.changes())


def _check_proposal(row: tuple[Any, ...]) -> None:
    """Raise `InvalidInput` unless the row of a proposal can be read back."""
    try:
        proposal(row)
    except StoreCorrupt as error:
        raise InvalidInput("proposal", f"is none: {error.__cause__}") from error


def _text(record: Kept) -> str:
    """Return the JSON in a record, if it has one."""
    if isinstance(record, KeptReceipt):
        return record.text
    return record.body if isinstance(record, KeptProposal) else ""


def _insert_receipt(sqlite: apsw.Connection, record: KeptReceipt) -> bool:
    is_new = sqlite.execute(QUERIES["receipt"], {"id": record.id}).fetchone() is None
    write = KeepReceipt(id=record.id, text=record.text, at_us=microseconds(record.at))
    sqlite.execute(QUERIES["add_receipt"], (write.id, write.at_us, write.text))
    if sqlite.execute(QUERIES["receipt"], {"id": record.id}).get != record.text:
        raise InvalidInput("receipt", f"another one is kept as {record.id!r}")
    return is_new
