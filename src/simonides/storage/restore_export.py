"""Import of an export as writes: complete into an empty space, or merged.

Knows how each sort of record becomes rows. Must not know of locks, threads or files, nor how an
export is written.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

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
from simonides.storage.erase import erased_version, names_erased
from simonides.storage.proposals import proposal
from simonides.storage.revisions import derive_revisions
from simonides.storage.rows import as_json, pack
from simonides.storage.side_tables import BackgroundWrite, KeepReceipt
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import NewVersion, Transaction, UndoneWhole
from simonides.storage.writer import Death, archive

NAMES_ERASED = "names an item that was erased here"

Refuse = Callable[[Kept, str], None]
"""Is called with each record that cannot be kept, and why."""


def holds_anything(tx: Transaction) -> bool:
    """Return whether anything was ever stored in the space."""
    return bool(tx.value("holds_anything"))


def filled_until(tx: Transaction, head: ExportHead) -> int:
    """Return the revision up to which a space holds the one of an export: 0 if it is empty.

    Raises:
        InvalidInput: It holds something else, or a later state.
    """
    if not holds_anything(tx):
        return 0
    facts = tx.facts()
    if facts.uuid != head.uuid or facts.revision > head.revision:
        problem = "holds something; only an empty one can be filled, or an earlier copy"
        raise InvalidInput("space", problem)
    return facts.revision


class ExportRestorer:
    """Puts records back into an empty space: versions, times and revisions as they were.

    They must come in the order in which an export has them. One that does not fit is refused
    alone. What names an item of which only a mark is left fits: so it was kept where it comes from.
    A space that holds an earlier copy, `since` a revision, gets what is later.
    """

    def __init__(
        self, tx: Transaction, head: ExportHead, *, dimension: int, since: int = 0
    ) -> None:
        self._tx = tx
        self._head = head
        self._dimension = dimension
        self._since = since
        self._born = since

    def fill(self, records: Iterable[tuple[Kept, Made]], *, refuse: Refuse) -> int:
        """Restore the records and return their number; apply the head to the space."""
        done = 0
        for record, made in records:
            problem = self._try(record, made)
            if problem:
                refuse(record, problem)
            done += not problem
        for name in ("uuid", "revision", "floor"):
            self._tx.set_fact(name, getattr(self._head, name))
        derive_revisions(self._tx)
        return done

    def _try(self, record: Kept, made: Made) -> str:
        """Put one back, or undo it and return why it cannot be."""
        try:
            with self._tx.part():
                self._put(record, made)
        except UndoneWhole as error:
            raise error.cause from error
        except self._tx.refused as error:
            return str(error)
        return ""

    def _put(self, record: Kept, made: Made) -> None:
        if self._is_held(record):
            if isinstance(record, KeptVersion):
                self._carry_over(record, made)
        elif isinstance(record, KeptVersion) and isinstance(made, Prepared):
            self._version(record, made)
        elif isinstance(record, KeptBackground) and isinstance(made, PreparedBackground):
            self._check_revision(record.revision)
            insert_background(self._tx, record, made, revision=record.revision)
        elif isinstance(record, KeptEngagement):
            self._check_revision(record.revision)
            insert_engagement(self._tx, record, revision=record.revision)
        else:
            insert_side_record(self._tx, record)

    def _is_held(self, record: Kept) -> bool:
        """Return whether the space holds what was kept: all but what became of it since."""
        if isinstance(record, KeptVersion):
            return 1 <= record.item.revision <= self._since
        if isinstance(record, KeptBackground | KeptEngagement):
            return 1 <= record.revision <= self._since
        return False

    def _carry_over(self, record: KeptVersion, made: Made) -> None:
        """Have what became of a version later happen to the one that is held."""
        ids = as_json([record.item.id], field="id")
        held = self._tx.one("present_of", {"ids": ids})
        if held is None or held[2] != record.item.version:
            return
        key = held[1]
        if isinstance(made, Prepared):
            late = [
                {"key": key, "ordinal": n, "vector": one.vector, "revision": one.embedded}
                for n, one in enumerate(made.chunks)
                if one.embedded is not None and one.embedded > self._since
            ]
            self._tx.many("put_vector", late)
        if record.died is not None and record.died_at is not None:
            died_us = microseconds(record.died_at)
            death = Death(died=record.died, died_us=died_us, cause=record.cause)
            archive(self._tx, [key], death=death)

    def _version(self, record: KeptVersion, made: Prepared) -> None:
        item = record.item
        self._check_revision(item.revision)
        if item.revision < self._born:
            raise InvalidInput("revision", f"falls from {self._born} to {item.revision}")
        if item.version < 1 or item.stored_at is None:
            raise InvalidInput("version", "needs a number above 0 and the time it was stored at")
        packed = pack(made, dimension=self._dimension)
        place = (item.version, item.revision, microseconds(item.stored_at))
        keys = self._tx.add_versions([NewVersion(*place, packed)])
        if record.died is not None and record.died_at is not None:
            self._check_revision(record.died)
            died_us = microseconds(record.died_at)
            death = Death(died=record.died, died_us=died_us, cause=record.cause)
            archive(self._tx, keys, death=death)
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
        self, tx: Transaction, _meta: SpaceFacts, revision: int
    ) -> tuple[tuple[str, ...], bool]:
        """Put each back unless it is there; return for each `added`, `unchanged` or why not."""
        said = tuple(self._try(tx, one, made, revision) for one, made in self.records)
        pairs = zip(self.records, said, strict=True)
        facts = (KeptBackground, KeptEngagement)
        return said, any(isinstance(one, facts) and how == "added" for (one, _), how in pairs)

    def _try(self, tx: Transaction, record: Kept, made: Made, revision: int) -> str:
        """Restore one record; if it cannot be stored, undo it and return the reason."""
        try:
            with tx.part():
                is_new = self._put(tx, record, made, revision)
        except UndoneWhole as error:
            raise error.cause from error
        except tx.refused as error:
            return str(error)
        return "added" if is_new else "unchanged"

    def _put(self, tx: Transaction, record: Kept, made: Made, revision: int) -> bool:
        if isinstance(record, KeptEngagement):
            return merge_engagement(tx, record, revision=revision)
        if isinstance(record, KeptBackground) and isinstance(made, PreparedBackground):
            there = tx.one("background_by_id", {"id": made.id})
            if there is not None or erased_version(tx, made.id) is not None:
                return False  # it may have been deleted: what was stays gone
            insert_background(tx, record, made, revision=revision)
            return True
        text = _text(record)
        if text and names_erased(tx, text):
            raise InvalidInput(type(record).__name__.removeprefix("Kept").lower(), NAMES_ERASED)
        return insert_side_record(tx, record)


def insert_background(
    tx: Transaction, record: KeptBackground, made: PreparedBackground, *, revision: int
) -> None:
    """Add a snapshot as of the time that it was put, in a revision.

    Raises:
        InvalidInput: It cannot be kept byte for byte.
    """
    write = BackgroundWrite(prepared=made, created_us=microseconds(record.created_at))
    row = (made.id, made.collection, write.created_us, revision, made.text, made.terms)
    tx.run("fill_background", row)


def merge_engagement(tx: Transaction, record: KeptEngagement, *, revision: int) -> bool:
    """Note engagement unless the very same is noted; return whether it was not.

    Raises:
        InvalidInput: The item was erased here.
    """
    if erased_version(tx, record.item_id) is not None:
        raise InvalidInput("engagement", NAMES_ERASED)
    at_us = microseconds(record.at)
    same = (record.item_id, record.how, at_us, record.times, at_us)
    if tx.one("same_engagement", same) is not None:
        return False
    insert_engagement(tx, record, revision=revision)
    return True


def insert_engagement(tx: Transaction, record: KeptEngagement, *, revision: int) -> None:
    """Note engagement in a revision."""
    row = (record.item_id, record.how, microseconds(record.at), revision, record.times)
    tx.run("fill_engagement", row)


def insert_side_record(tx: Transaction, record: Kept) -> bool:
    """Restore a mark, a receipt or a proposal; return whether it was missing.

    Raises:
        InvalidInput: It is none of these, or another receipt is kept by its id.
    """
    if isinstance(record, ErasedMark):
        row = (record.id_hash, microseconds(record.at), record.version)
        return bool(tx.run("fill_erased", row))
    if isinstance(record, KeptReceipt):
        return _insert_receipt(tx, record)
    if isinstance(record, KeptProposal):
        decided_us = None if record.decided_at is None else microseconds(record.decided_at)
        body = (record.id, microseconds(record.created_at), record.status, decided_us, record.body)
        _check_proposal(body)
        return bool(tx.run("fill_proposal", body))
    raise InvalidInput("record", f"nothing was made ready of this {type(record).__name__}")


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


def _insert_receipt(tx: Transaction, record: KeptReceipt) -> bool:
    is_new = tx.one("receipt", {"id": record.id}) is None
    write = KeepReceipt(id=record.id, text=record.text, at_us=microseconds(record.at))
    tx.run("add_receipt", (write.id, write.at_us, write.text))
    if tx.value("receipt", {"id": record.id}) != record.text:
        raise InvalidInput("receipt", f"another one is kept as {record.id!r}")
    return is_new
