"""The revisions of a space and the versions of an item: how a time becomes a revision.

Knows the table `revision` and the marks of death in the archive. Must not know how the past is
searched.
"""

from datetime import datetime
from typing import Any

from simonides.errors import HistoryGone, InvalidInput
from simonides.model.times import microseconds, moment
from simonides.ports.maintenance import RevisionRow, VersionRow
from simonides.storage.rows import lookup_text, unpack
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction

_TIMES = ("stored_us", "at_us", "created_us")
"""How a write calls the time at which it happens."""


def note_revision(tx: Transaction, write: Any, *, meta: SpaceFacts, revision: int) -> None:
    """Note when a revision was committed: at the time of its write.

    A write around a commit happens when that does. One that says no time (it hides a background,
    say) takes that of the revision before.
    """
    said = getattr(write, "commit", write)
    at_us = next((getattr(said, name) for name in _TIMES if hasattr(said, name)), None)
    if at_us is None:
        before = tx.one("revision_row", {"revision": revision - 1})
        at_us = None if before is None else before[1]
    if at_us is not None:
        tx.run("add_revision", {"revision": revision, "at_us": at_us, "epoch": meta.epoch})


def revision_at(tx: Transaction, meta: SpaceFacts, when: datetime) -> int:
    """Return the last revision that was committed at or before a time; 0 if there is none.

    Raises:
        HistoryGone: It was compacted away.
        InvalidInput: `when` has no time zone.
    """
    values = {"at_us": microseconds(when, field="as_of"), "revision": meta.revision}
    found = tx.one("revision_at", values)
    revision = 0 if found is None else int(found[0])
    if revision < meta.floor:
        raise describe_gone(tx, meta, asked=when.isoformat())
    return revision


def describe_gone(tx: Transaction, meta: SpaceFacts, *, asked: str) -> HistoryGone:
    """Return the error for a state before the oldest complete one."""
    oldest = revision_row(tx, meta.floor)
    since = "" if oldest is None else oldest.at.isoformat()
    return HistoryGone(asked, oldest=meta.floor, since=since)


def revision_row(tx: Transaction, revision: int) -> RevisionRow | None:
    """Return the record of the last revision up to one."""
    found = tx.one("revision_row", {"revision": revision})
    if found is None:
        return None
    number, at_us, epoch = found
    return RevisionRow(revision=number, at=moment(at_us), epoch=epoch)


def late_death(tx: Transaction, meta: SpaceFacts, when: datetime, *, until: int) -> int | None:
    """Return the first revision over the floor, up to one, by which a version died after a time."""
    values = {
        "floor": meta.floor,
        "until": min(until, meta.revision),
        "at_us": microseconds(when, field="when"),
    }
    found = tx.one("late_death", values)
    return None if found is None else int(found[0])


def kept_versions(tx: Transaction, item_id: str, *, revision: int) -> list[VersionRow]:
    """Return every stored version of an id up to a revision, oldest first."""
    values = {"id": lookup_text(item_id), "revision": revision}
    return [
        VersionRow(
            item=unpack(tuple(row)),
            died=died,
            died_at=None if died_us is None else moment(died_us),
            cause=cause or "",
        )
        for died, died_us, cause, *row in tx.all("versions", values)
    ]


def derive_revisions(tx: Transaction) -> None:
    """Note the revisions that rows tell of and that are not noted yet, as after an import."""
    tx.run("derive_revisions")


def check_ceiling(tx: Transaction, meta: SpaceFacts, *, revision: int) -> int:
    """Return the highest key given out up to a revision that can be looked at.

    Raises:
        HistoryGone: It was compacted away.
        InvalidInput: The space has not reached it yet.
    """
    if not 0 <= revision <= meta.revision:
        problem = f"the space is at revision {meta.revision}, got {revision}"
        raise InvalidInput("as_of", problem)
    if revision < meta.floor:
        raise describe_gone(tx, meta, asked=f"revision {revision}")
    return ceiling(tx, revision)


def ceiling(tx: Transaction, revision: int) -> int:
    """Return the highest key given out up to a revision, or one above it that nothing has.

    Halving finds it: births rise with keys, over present and archive together.
    """
    low, high = 0, tx.value("past.last_key") or 0
    while low < high:
        middle = (low + high + 1) // 2
        born = tx.value("past.ceiling", {"key": middle})
        if born is not None and born <= revision:
            low = middle
        else:
            high = middle - 1
    return low
