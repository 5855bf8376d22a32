"""Conversations: a session is the set of its messages, and a message is an ordinary item.

There is no table of sessions: a session is there as soon as one message of it is kept, from a chat
here or from an imported one, and gone when the last one is. Knows how a message gets its place.
Must not know who speaks with whom.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from simonides.assistant.working_state import WorkingState
from simonides.errors import Conflict, InvalidInput
from simonides.index.index_view import IndexView
from simonides.index.open_space import OpenSpace
from simonides.ingest.keep import TRIES_MAX, overtaken
from simonides.ingest.prepare import prepare_items
from simonides.model.answer import Page
from simonides.model.bounds import LIMIT, POSITION, SESSION_ID
from simonides.model.chat import CHAT_SOURCE, Session, SessionPage
from simonides.model.chat_role import ChatRole
from simonides.model.coercion import cursor_of, one_of, place_of
from simonides.model.item import Item, Kind, Person, Role, digest, short_hash
from simonides.model.metadata_keys import ASKS_KEY
from simonides.model.stored import Outcome, Prepared
from simonides.model.times import moment, utc
from simonides.ports.space import Reader
from simonides.retrieval.looking import look
from simonides.scoring.importance import UNDATED
from simonides.text.clean import printable, title_of
from simonides.text.questions import only_asks

Slots = npt.NDArray[np.int32]


def message_slots(view: IndexView, session_id: str | None = None) -> Slots:
    """Return the slots of a session's messages in order, or of all, session by session.

    Messages without a session are in none, and so in none of these.
    """
    wanted = view.of_kind(Kind.MESSAGE) & ~view.having_codes("session", ["", None])
    if session_id is not None:
        wanted &= view.having_codes("session", [session_id])
    return np.asarray(view.ordered[wanted[view.ordered]])


def message_times(view: IndexView) -> npt.NDArray[np.int64]:
    """Return int64[items]: the time of each, or else its storage time."""
    happened = view.items.happened.rows(view.item_count)
    return np.where(happened == UNDATED, view.items.stored.rows(view.item_count), happened)


def message_place(view: IndexView, slot: int) -> tuple[int, int, str]:
    """Return the sort key of a message in its session: time, position, and the stored id."""
    items, count = view.items, view.item_count
    kept = bytes(items.ids.rows(count)[slot])
    return (
        int(items.happened.rows(count)[slot]),
        int(items.position.rows(count)[slot]),
        kept.decode("latin-1"),  # keeps the order of bytes
    )


class SessionColumns:
    """All sessions of a view, as ranges of one array of slots."""

    def __init__(self, view: IndexView) -> None:
        self._slots = message_slots(view)
        sessions = view.items.codes["session"]
        codes = sessions.column.rows(view.item_count)[self._slots]
        self._starts = np.flatnonzero(np.diff(codes, prepend=-1))
        self._names = [sessions.values[int(code)] or "" for code in codes[self._starts]]
        times = message_times(view)[self._slots]
        self._used = np.maximum.reduceat(times, self._starts) if len(times) else times

    def slots_of(self, place: int) -> Slots:
        """Return the slots of the messages of one session."""
        stops = [*self._starts[place + 1 : place + 2], len(self._slots)]
        return self._slots[self._starts[place] : stops[0]]

    def from_latest(self, after: tuple[int, str] | None) -> Iterator[tuple[int, str, int]]:
        """Yield (last use, id, place) of each session, latest first, then by id."""
        order = np.argsort(-self._used, kind="stable")
        if after is not None:
            order = order[self._used[order] <= after[0]]
        for used_us, places in groupby(order, key=lambda place: int(self._used[place])):
            for name, place in sorted((self._names[one], int(one)) for one in places):
                if after is None or (-used_us, name) > (-after[0], after[1]):
                    yield used_us, name, place


LAST_POSITION = POSITION.high // 2
"""Past this, which only an item with a position of its own choosing reaches, messages are counted
in their stead: so a session can always be gone on with."""

SPEAKERS = (ChatRole.USER, ChatRole.ASSISTANT)
"""Whose words are kept; what a tool or a system prompt says is said again by the next turn."""

TITLE = "title"
"""The key by which the state of a session names it until its first message is kept."""

CLOCK_SKEW_MAX = timedelta(minutes=5)
"""A clock that was set back by so much, or less, puts no answer before its question."""


def new_session_id() -> str:
    """Return 32 random letters and digits."""
    return uuid4().hex


def check_session_id(session_id: Any) -> str:
    """Return the id of a session, or raise `InvalidInput`.

    Raises:
        InvalidInput: It is no text of 1 to 128 characters that print, or has blanks at its ends.
    """
    is_text = isinstance(session_id, str) and bool(session_id)
    if not (is_text and session_id.isprintable() and session_id == session_id.strip()):
        raise InvalidInput("session_id", "must be text that prints, without blanks at its ends")
    return SESSION_ID.check(session_id, field="session_id")


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def find_session(session_id: str, opened: OpenSpace) -> Session | None:
    """Return a session, or None if it has no stored message."""
    space = opened.find()
    if space is None:
        return None
    with look(space, opened.index) as (reader, view):
        slots = message_slots(view, session_id)
        return _session(session_id, slots, view=view, reader=reader) if len(slots) else None


def list_sessions(opened: OpenSpace, *, limit: int, cursor: str) -> SessionPage:
    """Return one page of sessions, last used first, then by id.

    Raises:
        InvalidInput: The limit or the cursor is malformed.
    """
    LIMIT.check(limit, field="limit")
    after = place_of(cursor, int, str)
    space = opened.find()
    if space is None:
        return SessionPage(sessions=())
    with look(space, opened.index) as (reader, view):
        talks = SessionColumns(view)
        found = list(islice(talks.from_latest(after), limit + 1))
        sessions = tuple(
            _session(name, talks.slots_of(place), view=view, reader=reader)
            for _, name, place in found[:limit]
        )
    used_us, name, _ = found[limit - 1] if len(found) > limit else (0, "", 0)
    return SessionPage(sessions=sessions, cursor=cursor_of(used_us, name) if name else "")


def list_messages(session_id: str, opened: OpenSpace, *, limit: int, cursor: str) -> Page:
    """Return one page of a session's messages, oldest first; empty if there are none.

    Raises:
        InvalidInput: The limit or the cursor is malformed.
    """
    LIMIT.check(limit, field="limit")
    after = place_of(cursor, int, int, str)
    space = opened.find()
    if space is None:
        return Page(items=())
    with look(space, opened.index) as (reader, view):
        slots = message_slots(view, session_id)
        begin = 0
        if after is not None:
            begin = bisect_right(slots, after, key=lambda slot: message_place(view, int(slot)))
        page = slots[begin : begin + limit]
        items = _items(page, view=view, reader=reader)
        is_last = begin + limit >= len(slots)
    return Page(
        items=items, cursor="" if is_last else cursor_of(*message_place(view, int(page[-1])))
    )


def last_messages(session_id: str, n: int, opened: OpenSpace) -> tuple[Item, ...]:
    """Return the last `n` messages of a session, oldest first.

    Raises:
        InvalidInput: `n` is out of range.
    """
    LIMIT.check(n, field="n")
    space = opened.find()
    if space is None:
        return ()
    with look(space, opened.index) as (reader, view):
        return _items(message_slots(view, session_id)[-n:], view=view, reader=reader)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is to become a message: who says what, and when, if not now."""

    role: ChatRole | str
    content: str
    metadata: Mapping[str, Any] | None = None
    happened_at: datetime | None = None


def add_message(
    session_id: str,
    role: ChatRole | str,
    content: str,
    opened: OpenSpace,
    *,
    metadata: Mapping[str, Any] | None = None,
    happened_at: datetime | None = None,
) -> Outcome:
    """Store one message at the end of its session and return the outcome; see `add_messages`."""
    said = Said(role=role, content=content, metadata=metadata, happened_at=happened_at)
    [outcome] = add_messages(session_id, [said], opened)
    return outcome


def add_messages(session_id: str, said: Sequence[Said], opened: OpenSpace) -> tuple[Outcome, ...]:
    """Store messages at the end of their session, one after the other, and return the outcomes.

    All are kept in one transaction, or none. Each gets the position behind the one before, and its
    id of that: what is added at once by others stands before or after all of them, and what is
    said twice is kept twice. A position that a forgotten message had is not given again. The first
    message carries the title that `create` was given.

    Raises:
        InvalidInput: The id, the role, the text or the metadata does not fit.
        EmbedderError: The model failed; nothing was written.
        StoreBusy: Others wrote to the session faster, again and again; nothing was written.
        StoreError: The commit failed; nothing was written.
    """
    title = WorkingState.of(opened).session(check_session_id(session_id)).get(TITLE)
    space, at = opened.make(), opened.now()
    place = _next_place(session_id, opened, count=len(said))
    first_title = title if isinstance(title, str) and not place.position else ""
    messages = [
        _message(
            session_id, one, title="" if n else first_title,
            happened_at=place.time(at, given=one.happened_at),
        )
        for n, one in enumerate(said)
    ]  # fmt: skip
    prepared = prepare_items(messages, opened)
    for _ in range(TRIES_MAX):
        placed = [_at(one, place.position + n) for n, one in enumerate(prepared)]
        try:
            kept = space.commit(placed, stored_at=at, expected={one.item.id: 0 for one in placed})
        except Conflict:
            place = _next_place(session_id, opened, count=len(said))
        else:
            opened.home.tend(space)
            return kept
    raise overtaken(f"session {session_id!r}")


def forget_session(session_id: str, opened: OpenSpace) -> tuple[str, ...]:
    """Forget a session's messages; return the ids that existed.

    What working memory holds of it is dropped.
    """
    WorkingState.of(opened).drop_session(session_id)
    space = opened.find()
    if space is None:
        return ()
    with look(space, opened.index) as (reader, view):
        items = _items(message_slots(view, session_id), view=view, reader=reader)
    gone = space.forget([item.id for item in items], at=opened.now()) if items else ()
    opened.home.tend(space)
    return gone


def _message(session_id: str, given: Said, *, title: str, happened_at: datetime) -> Item:
    """Return a message as an item, like that of an imported chat, without its position."""
    content, metadata = given.content, given.metadata
    speaker = one_of(ChatRole, given.role, field="role")
    if speaker not in SPEAKERS:
        raise InvalidInput("role", f"must be one of {', '.join(SPEAKERS)}; got {given.role!r}")
    if not isinstance(content, str):
        raise InvalidInput("content", f"must be text, got {type(content).__name__}")
    text = printable(content).strip()
    if not text:
        raise InvalidInput("content", "is empty; there is nothing to keep")
    said = Item(
        kind=Kind.MESSAGE,
        source=CHAT_SOURCE,
        title=title,
        content=text,
        people=(Person(name=speaker.value, role=Role.AUTHOR),),
        session=session_id,
        metadata={} if metadata is None else metadata,
        happened_at=happened_at,
    )
    if speaker is ChatRole.USER and only_asks(text):
        return replace(said, metadata={**said.metadata, ASKS_KEY: True})
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class _SessionPlace:
    """The position of the next message of a session, after `last`, if there is one."""

    position: int
    last: datetime | None

    def time(self, at: datetime, *, given: datetime | None) -> datetime:
        """Return the time of the message: the given one, or the corrected present."""
        if given is not None:
            return utc(given, field="happened_at")
        if self.last is not None and at < self.last <= at + CLOCK_SKEW_MAX:
            return self.last
        return at


def _next_place(session_id: str, opened: OpenSpace, *, count: int) -> _SessionPlace:
    """Return the place of the next `count` messages, none of which was ever taken."""
    with look(opened.space, opened.index) as (reader, view):
        slots = message_slots(view, session_id)
        position, last = 0, None
        if len(slots):
            highest = int(view.items.position.rows(view.item_count)[slots].max())
            position = highest + 1 if highest < LAST_POSITION else len(slots)
            last = moment(int(message_times(view)[slots[-1]]))
        while taken := [
            at
            for at in range(position, position + count)
            if reader.versions(_message_id(session_id, at))
        ]:
            position = taken[-1] + 1
    return _SessionPlace(position=position, last=last)


def _at(prepared: Prepared, position: int) -> Prepared:
    """Return a message with a position: its chunks and vectors do not depend on that."""
    source_id = _source_id(prepared.item.session, position)
    item = replace(prepared.item, id="", source_id=source_id, position=position)
    return replace(prepared, item=item, digest=digest(item))


def _source_id(session_id: str, position: int) -> str:
    return short_hash(json.dumps(["message", session_id, position]))


def _message_id(session_id: str, position: int) -> str:
    source_id = _source_id(session_id, position)
    return Item(kind=Kind.MESSAGE, source=CHAT_SOURCE, source_id=source_id, content="-").id


def _items(slots: Slots, *, view: IndexView, reader: Reader) -> tuple[Item, ...]:
    keys = [int(key) for key in view.items.keys.rows(view.item_count)[slots]]
    found = reader.items(keys)
    return tuple(found[key] for key in keys)


def _session(session_id: str, slots: Slots, *, view: IndexView, reader: Reader) -> Session:
    """Return a session of at least one message; its title is the first one's, or its first line."""
    [first] = _items(slots[:1], view=view, reader=reader)
    times = message_times(view)[slots]
    return Session(
        id=session_id,
        messages=len(slots),
        started_at=moment(int(times.min())),
        updated_at=moment(int(times.max())),
        title=first.title or title_of(first.content),
    )
