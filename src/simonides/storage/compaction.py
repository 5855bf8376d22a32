"""Compaction as rows: what nobody can ask for any more is removed, a slice at a time.

Knows which rows those are and what must stay: the floor of history rises with the first of them,
so that no past is ever shown in part. Must not know when retention ends, nor who waits.
"""

from dataclasses import dataclass, replace
from typing import Any

from simonides.model.maintenance import Removed
from simonides.storage.erase import id_hash, remove_due_backgrounds
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction

REVISIONS_A_VERSION = 16
"""So many rows of small numbers are removed in the time of one version with its chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePast:
    """Removes up to `limit` rows of each sort; the result has the counts, and if there are more.

    Versions that died up to revision `before` go, those that died first before the others. Then
    engagement of before the floor is summed up, and backgrounds due at `now_us` go, proposals
    accepted up to `decided_us` (None: none), and times of revisions that cannot be asked for.
    """

    before: int
    now_us: int
    decided_us: int | None
    limit: int

    def __call__(self, tx: Transaction, meta: SpaceFacts, _revision: int) -> tuple[Removed, bool]:
        """Remove one slice, without a new revision, since present data does not change."""
        found = self._versions(tx)
        floor = max([meta.floor, *(died for _, _, _, died, _ in found)])
        if floor > meta.floor:
            tx.set_fact("floor", floor)
        for key, item_id, version, _, cause in found:
            self._remove(tx, key, item_id, version=version, cause=cause)
        removed = Removed(versions=len(found), more=len(found) == self.limit)
        return (removed if removed.more else self._rest(tx, removed, floor=floor)), False

    def _versions(self, tx: Transaction) -> list[tuple[int, str, int, int, str]]:
        values = {"before": self.before, "limit": self.limit}
        found: list[Any] = tx.all("past_due", values)
        return found

    def _remove(self, tx: Transaction, key: int, item_id: str, *, version: int, cause: str) -> None:
        """Remove one version; the last one of a forgotten item leaves a mark.

        The mark is the hash of its id: no import brings it back.
        """
        for step in ("drop_archived_chunks", "drop_archived_mentions", "drop_archived_item"):
            tx.run(step, {"key": key})
        is_last = tx.one("other_version", {"id": item_id}) is None
        if is_last and cause == "forgotten":
            marked = {"id_hash": id_hash(item_id), "at_us": self.now_us, "version": version}
            tx.run("mark_erased", marked)
            tx.run("drop_engagement", {"id": item_id})

    def _rest(self, tx: Transaction, removed: Removed, *, floor: int) -> Removed:
        """Return `removed` with the rows that are removed after the versions."""
        groups, engagements = self._sum_up(tx, floor=floor)
        backgrounds = remove_due_backgrounds(tx, at_us=self.now_us, limit=self.limit)
        decided = self._with_limit(decided_us=self.decided_us)
        proposals = _count_changed(tx, "drop_decided_proposals", decided)
        revisions_max = REVISIONS_A_VERSION * self.limit
        revisions = _count_changed(tx, "drop_revisions", {"floor": floor, "limit": revisions_max})
        is_full = self.limit in (groups, backgrounds, proposals) or revisions == revisions_max
        return replace(
            removed, engagements=engagements, backgrounds=backgrounds, proposals=proposals,
            revisions=revisions, more=is_full,
        )  # fmt: skip

    def _with_limit(self, **values: Any) -> dict[str, Any]:
        return {"limit": self.limit, **values}

    def _sum_up(self, tx: Transaction, *, floor: int) -> tuple[int, int]:
        """Make one row of many of the same item and sort; return how many rows of how many."""
        found = tx.all("engagement_to_sum_up", self._with_limit(floor=floor))
        names = ("item_id", "how", "number", "times", "at_us", "born")
        sums: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in found]
        for one in sums:
            tx.run("drop_summed_up", one)
            tx.run("add_sum", one)
        return len(sums), sum(one["number"] - 1 for one in sums)


def _count_changed(tx: Transaction, query: str, values: dict[str, Any]) -> int:
    return tx.run(query, values)
