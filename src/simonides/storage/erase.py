"""Erasing as rows: every version of an item goes in one transaction, and all that names it.

Knows every statement that removes something of an item, and the marks that stay. Must not know
which items are erased, who asked, nor how the bytes of removed rows are wiped.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.maintenance import Erased
from simonides.ports.space import IMPORT_PREFIX
from simonides.storage.space_facts import SWEEP_DUE, SpaceFacts
from simonides.storage.transaction import Transaction

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

    def __call__(self, tx: Transaction, meta: SpaceFacts, revision: int) -> tuple[Erased, bool]:
        """Remove the row, if there is one; otherwise there is no new revision."""
        counts: Counter[str] = Counter()
        names = {one: self._item(tx, one, counts) for one in dict.fromkeys(self.ids)}
        gone = [one for one, found in names.items() if found is not None]
        counts["receipts"] = _naming(tx, gone, read="receipt_texts", drop="erase_receipt")
        _forget_imports(tx, {name for found in names.values() for name in found or ()})
        counts["proposals"] = _naming(tx, gone, read="proposal_bodies", drop="erase_proposal")
        counts["backgrounds"] = remove_due_backgrounds(tx, at_us=self.at_us)
        if gone or counts["backgrounds"]:
            tx.set_fact(SWEEP_DUE, 1)
        if gone:
            epoch = meta.epoch + 1
            tx.set_fact("epoch", epoch)
            noted = {"revision": revision, "at_us": self.at_us, "epoch": epoch}
            tx.run("add_revision", noted)
        return Erased(ids=tuple(gone), **counts), bool(gone)

    def _item(self, tx: Transaction, item_id: str, counts: Counter[str]) -> set[str] | None:
        """Remove all of one item and mark its id; return its ids at its source, None if no row."""
        keys = tx.all("version_keys", {"id": item_id})
        if not keys:
            return None
        version = tx.value("last_version", {"id": item_id})
        for key, is_present, _ in keys:
            for what, query in (_PRESENT if is_present else _PAST).items():
                counts[what] += _run(tx, query, {"key": key})
        counts["engagements"] += _run(tx, "erase_engagement", {"id": item_id})
        marked = {"id_hash": id_hash(item_id), "at_us": self.at_us, "version": version}
        tx.run("mark_erased", marked)
        return {source_id for _, _, source_id in keys}


def remove_due_backgrounds(tx: Transaction, *, at_us: int, limit: int = -1) -> int:
    """Remove up to `limit` snapshots that were deleted and are due (-1: all); return how many.

    A mark of each stays: no import brings it back.
    """
    found = tx.all("due_backgrounds", {"at_us": at_us, "limit": limit})
    for (one,) in found:
        tx.run("erase_background", {"id": one})
        marked = {"id_hash": id_hash(str(one)), "at_us": at_us, "version": 0}
        tx.run("mark_erased", marked)
    return len(found)


def id_hash(item_id: str) -> bytes:
    """Return 16 bytes of BLAKE2b of an id, the mark of an erased item."""
    return hashlib.blake2b(item_id.encode(), digest_size=16).digest()


def erased_version(tx: Transaction, item_id: str) -> int | None:
    """Return the last version of an erased id; None if it is stored, or was not erased.

    An import brings the marks of another space along, also of what was never erased here.
    """
    asked = {"id_hash": id_hash(item_id), "id": item_id}
    found = tx.one("is_erased", asked)
    return None if found is None else int(found[0])


def unmark(tx: Transaction, item_id: str) -> None:
    """Remove the mark of an erased id, because a person adds the item again."""
    tx.run("unmark_erased", {"id_hash": id_hash(item_id)})


def _run(tx: Transaction, query: str, values: dict[str, Any]) -> int:
    """Run one statement and return how many rows it removed."""
    return tx.run(query, values)


def _naming(tx: Transaction, ids: Iterable[str], *, read: str, drop: str) -> int:
    """Remove the JSON records that contain one of these ids; return their number."""
    wanted = frozenset(ids)
    if not wanted:
        return 0
    texts = tx.all(read)
    found = [one for one, text in texts if not wanted.isdisjoint(_strings(json.loads(text)))]
    return sum(_run(tx, drop, {"id": one}) for one in found)


def _forget_imports(tx: Transaction, source_ids: Iterable[str]) -> None:
    """Remove the records of imports that name what was erased, by its id there or its file."""
    names = {one.rpartition("/")[2] for one in source_ids} - {""}
    for record_id, text in tx.all("receipt_texts") if names else ():
        if record_id.startswith(IMPORT_PREFIX):
            said = list(_strings(json.loads(text)))
            if any(name in one for name in names for one in said):
                _run(tx, "erase_receipt", {"id": record_id})


def names_erased(tx: Transaction, text: str) -> bool:
    """Return whether a JSON record contains an erased id.

    Raises:
        InvalidInput: It is not JSON.
    """
    if not tx.value("any_erased"):
        return False
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("record", "is not JSON") from error
    return any(erased_version(tx, one) is not None for one in set(_strings(tree)))


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
