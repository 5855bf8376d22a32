"""Export: rows become the records of an export.

Knows which tables hold what was kept, and not derived. Must not know how an export is written.
"""

from collections.abc import Callable, Iterator
from typing import Any

from simonides.errors import SimonidesError
from simonides.model.export import (
    ErasedMark,
    Kept,
    KeptBackground,
    KeptEngagement,
    KeptProposal,
    KeptReceipt,
    KeptVersion,
)
from simonides.model.item import digest
from simonides.model.times import moment
from simonides.storage.rows import unpack
from simonides.storage.transaction import Transaction

Row = tuple[Any, ...]


def _read_erased(row: Row) -> ErasedMark:
    id_hash, at_us, version = row
    return ErasedMark(id_hash=id_hash, at=moment(at_us), version=version)


def _background(row: Row) -> KeptBackground:
    background_id, collection, text, created_us, born = row
    return KeptBackground(
        id=background_id, collection=collection, text=text, created_at=moment(created_us),
        revision=born,
    )  # fmt: skip


def _version(row: Row) -> KeptVersion:
    _key, *columns, died, died_us, cause = row
    return KeptVersion(
        item=unpack(tuple(columns)),
        died=died,
        died_at=None if died_us is None else moment(died_us),
        cause=cause,
    )


def _engagement(row: Row) -> KeptEngagement:
    item_id, how, at_us, born, times = row
    return KeptEngagement(item_id=item_id, how=how, at=moment(at_us), revision=born, times=times)


def kept_receipt(row: Row) -> KeptReceipt:
    """Return a stored receipt from its id, time and text."""
    receipt_id, at_us, text = row
    return KeptReceipt(id=receipt_id, at=moment(at_us), text=text)


def _proposal(row: Row) -> KeptProposal:
    proposal_id, created_us, status, decided_us, body = row
    return KeptProposal(
        id=proposal_id,
        created_at=moment(created_us),
        status=status,
        decided_at=None if decided_us is None else moment(decided_us),
        body=body,
    )


_READ: dict[str, Callable[[Row], Kept]] = {
    "kept_erased": _read_erased,
    "kept_backgrounds": _background,
    "kept_versions": _version,
    "kept_engagements": _engagement,
    "kept_receipts": kept_receipt,
    "kept_proposals": _proposal,
}
"""Statement → what its rows are, in the order in which they go out."""


def export_records(stream: Callable[[str], Iterator[Row]]) -> Iterator[Kept]:
    """Yield everything kept; `stream` yields the rows of a statement."""
    for query, read in _READ.items():
        for row in stream(query):
            yield read(row)


def find_altered_versions(tx: Transaction) -> Iterator[str]:
    """Yield the versions whose fields do not have the digest that was written with them."""
    for row in tx.all("kept_versions"):
        try:
            item = unpack(tuple(row[1:-3]))
        except SimonidesError:
            continue
        if digest(item) != row[5]:
            yield f"version {item.version} of item {item.id!r}"
