"""The state of a space that a question is about: a time or a number becomes a revision.

Knows how `as_of` is read and what to say of a past that is not whole any more. Must not know
lanes or scores.
"""

from datetime import datetime

from simonides.errors import InvalidInput
from simonides.model.bounds import shown
from simonides.model.times import utc
from simonides.ports.space import Reader

AsOf = datetime | int | None
"""A time (aware), a revision, or None for the present."""


def check_as_of(as_of: AsOf, *, field: str = "as_of") -> None:
    """Raise `InvalidInput` unless the value can name a state.

    Raises:
        InvalidInput: It is a time without a zone or outside the years 1 to 9999, a number below 0,
            or something else.
    """
    if as_of is None:
        return
    if isinstance(as_of, datetime):
        utc(as_of, field=field)
    elif isinstance(as_of, bool) or not isinstance(as_of, int):
        raise InvalidInput(field, f"must be a time or the number of a revision, got {shown(as_of)}")
    elif as_of < 0:
        raise InvalidInput(field, f"a revision is 0 or more, got {shown(as_of)}")


def revision_asked(as_of: AsOf, reader: Reader) -> int:
    """Return the revision of `as_of`: of a time, the last one committed at or before it.

    Raises:
        HistoryGone: The time lies before what is kept.
        InvalidInput: The space has not reached it yet.
    """
    if as_of is None:
        return reader.revision
    if isinstance(as_of, datetime):
        return reader.revision_at(as_of)
    if as_of > reader.revision:
        problem = f"the space is at revision {reader.revision}, got {shown(as_of)}"
        raise InvalidInput("as_of", problem)
    return as_of


def reader_as_of(reader: Reader, as_of: AsOf) -> Reader:
    """Return a reader of the state of `as_of`; `reader` itself if that is its own state.

    Raises:
        HistoryGone: It was compacted away.
        InvalidInput: The space has not reached it yet.
    """
    revision = revision_asked(as_of, reader)
    return reader if revision == reader.revision else reader.past(revision)


def notes_on_state(revision: int, reader: Reader) -> list[str]:
    """Return notes on a state that may be incomplete: empty for a complete one.

    `reader` looks at the present or at that state.
    """
    row = reader.revision_row(revision)
    if row is None or row.epoch == reader.epoch:
        return []
    what = "something was erased, or vectors were made anew, since"
    return [f"{what} revision {revision}: what is gone is not in this answer"]
