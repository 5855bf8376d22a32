"""The revisions of a space and the versions of an item: how a time becomes a revision.

Knows the table `revision` and the marks of death in the archive. Must not know how the past is
searched.
"""

from datetime import datetime
from typing import Any

import apsw

from simonides.errors import HistoryGone
from simonides.model.times import microseconds, moment
from simonides.ports.maintenance import RevisionRow, VersionRow
from simonides.storage.sqlite.meta import Meta
from simonides.storage.sqlite.queries import statements
from simonides.storage.sqlite.rows import lookup_text, unpack

REVISIONS = statements("revisions.sql")

_TIMES = ("stored_us", "at_us", "created_us")
"""How a write calls the time at which it happens."""


def note_revision(sqlite: apsw.Connection, write: Any, *, meta: Meta, revision: int) -> None:
    """Note when a revision was committed: at the time of its write.

    A write around a commit happens when that does. One that says no time (it hides a background,
    say) takes that of the revision before.
    """
    said = getattr(write, "commit", write)
    at_us = next((getattr(said, name) for name in _TIMES if hasattr(said, name)), None)
    query = REVISIONS["add_revision" if at_us is not None else "add_revision_without_time"]
    sqlite.execute(query, {"revision": revision, "at_us": at_us, "epoch": meta.epoch})


def revision_at(sqlite: apsw.Connection, meta: Meta, when: datetime) -> int:
    """Return the last revision that was committed at or before a time; 0 if there is none.

    Raises:
        HistoryGone: It was compacted away.
        InvalidInput: `when` has no time zone.
    """
    values = {"at_us": microseconds(when, field="as_of"), "revision": meta.revision}
    found = sqlite.execute(REVISIONS["revision_at"], values).fetchone()
    revision = 0 if found is None else int(found[0])
    if revision < meta.floor:
        raise gone(sqlite, meta, asked=when.isoformat())
    return revision


def gone(sqlite: apsw.Connection, meta: Meta, *, asked: str) -> HistoryGone:
    """Return the error for a state before the oldest complete one."""
    oldest = revision_row(sqlite, meta.floor)
    since = "" if oldest is None else oldest.at.isoformat()
    return HistoryGone(asked, oldest=meta.floor, since=since)


def revision_row(sqlite: apsw.Connection, revision: int) -> RevisionRow | None:
    """Return the record of the last revision up to one."""
    found = sqlite.execute(REVISIONS["revision_row"], {"revision": revision}).fetchone()
    if found is None:
        return None
    number, at_us, epoch = found
    return RevisionRow(revision=number, at=moment(at_us), epoch=epoch)


def late_death(sqlite: apsw.Connection, meta: Meta, when: datetime, *, until: int) -> int | None:
    """Return the first revision over the floor, up to one, by which a version died after a time."""
    values = {
        "floor": meta.floor,
        "until": min(until, meta.revision),
        "at_us": microseconds(when, field="when"),
    }
    found = sqlite.execute(REVISIONS["late_death"], values).fetchone()
    return None if found is None else int(found[0])


def kept_versions(sqlite: apsw.Connection, item_id: str, *, revision: int) -> list[VersionRow]:
    """Return every stored version of an id up to a revision, oldest first."""
    values = {"id": lookup_text(item_id), "revision": revision}
    return [
        VersionRow(
            item=unpack(tuple(row)),
            died=died,
            died_at=None if died_us is None else moment(died_us),
            cause=cause or "",
        )
        for died, died_us, cause, *row in sqlite.execute(REVISIONS["versions"], values)
    ]


def derive_revisions(sqlite: apsw.Connection) -> None:
    """Note the revisions that rows tell of and that are not noted yet, as after an import."""
    sqlite.execute(REVISIONS["derive_revisions"])
