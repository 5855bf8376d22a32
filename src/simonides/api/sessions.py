"""`memory.sessions`: the conversations of one space.

It decides nothing itself: `assistant.sessions` reads them out of the messages and gives a new one
its place.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING
from uuid import uuid4

from simonides.api.arguments import check_texts
from simonides.api.runtime import Runtime
from simonides.errors import NotFound
from simonides.model.answer import Page
from simonides.model.chat import ChatRole, Session, SessionPage
from simonides.model.item import Item
from simonides.model.stored import Outcome
from simonides.model.times import TimeLike, as_time
from simonides.ports.space import Space

if TYPE_CHECKING:
    from simonides.assistant.working_state import WorkingState

Reading = Callable[[], AbstractContextManager[Space | None]]
"""Opens the space for reading; None where nothing was ever written to it."""

HISTORY = 10
"""Messages that a turn of chat is shown, unless told otherwise (the seed's)."""

_TITLE = "title"


def new_session_id() -> str:
    """Return 32 random letters and digits."""
    return uuid4().hex


class Sessions:
    """Conversations: what was said, by whom, when; an imported chat is one like any other.

    A session is made of its messages, which are items: it is there when its first one is kept.
    """

    def __init__(
        self,
        parts: Runtime,
        space_name: str,
        *,
        reading: Reading,
        new_id: Callable[[], str] = new_session_id,
    ) -> None:
        self._parts = parts
        self._space_name = space_name
        self._reading = reading
        self._new_id = new_id

    def create(self, *, session_id: str = "", title: str = "") -> Session:
        """Return a session to speak in: a new one, or the one of that id where it is there already.

        Nothing is written: it shows in lists once its first message is kept. Until then its title
        waits in working memory, for half an hour. Without an id it gets a random one.

        Raises:
            InvalidInput: The id is no text of 1 to 128 characters that print.
        """
        from simonides.assistant.sessions import check_session_id

        name = check_session_id(session_id or self._new_id())
        found = self._find(name)
        if found is not None:
            return found
        if title:
            self._working.keep_session(name, {**self._working.session(name), _TITLE: title})
        now = self._parts.clock()
        return Session(id=name, messages=0, started_at=now, updated_at=now, title=title)

    def list(self, *, limit: int = 50, cursor: str = "") -> SessionPage:
        """Return a page of sessions, last used first; hand its cursor in again for the next one.

        Raises:
            InvalidInput: The limit or the cursor is malformed.
        """
        from simonides.assistant.sessions import list_sessions

        with self._reading() as space:
            if space is None:
                return SessionPage(sessions=())
            return list_sessions(
                limit=limit, cursor=cursor, space=space, space_view=self._parts.view(space)
            )

    def get(self, session_id: str, /) -> Session:
        """Return one session.

        Raises:
            NotFound: No message of it is kept.
        """
        found = self._find(session_id)
        if found is None:
            raise NotFound("session", session_id)
        return found

    def messages(self, session_id: str, /, *, limit: int = 50, cursor: str = "") -> Page:
        """Return a page of a session's messages, the first first, with a cursor for the next one.

        Empty where no message of it is kept.

        Raises:
            InvalidInput: The limit or the cursor is malformed.
        """
        from simonides.assistant.sessions import list_messages

        check_texts(session_id, field="session_id")
        with self._reading() as space:
            if space is None:
                return Page(items=())
            return list_messages(
                session_id, limit=limit, cursor=cursor, space=space,
                space_view=self._parts.view(space),
            )  # fmt: skip

    def last(self, session_id: str, /, n: int = HISTORY) -> tuple[Item, ...]:
        """Return the last `n` messages of a session, the oldest of them first.

        Raises:
            InvalidInput: `n` is out of range.
        """
        from simonides.assistant.sessions import last_messages

        check_texts(session_id, field="session_id")
        with self._reading() as space:
            if space is None:
                return ()
            return last_messages(session_id, n, space=space, space_view=self._parts.view(space))

    def add(
        self,
        session_id: str,
        role: ChatRole | str,
        content: str,
        *,
        metadata: Mapping[str, object] | None = None,
        happened_at: TimeLike | None = None,
    ) -> Outcome:
        """Keep one message at the end of a session, durable and embedded when it returns.

        `role` is `user` or `assistant`. Said twice, it is kept twice; two that are added at once
        are both kept, one after the other. It happened now unless a time is given.

        Raises:
            InvalidInput: The id, the role, the text or the metadata does not fit.
            EmbedderError: The model failed; nothing was written.
            StoreError: The commit failed; nothing was written.
        """
        from simonides.assistant.sessions import SessionContext, add_message, check_session_id

        happened = (
            None
            if happened_at is None
            else as_time(happened_at, field="happened_at", timezone=self._parts.timezone)
        )
        title = self._working.session(check_session_id(session_id)).get(_TITLE)
        parts = self._parts
        space = parts.store.open(self._space_name, embedder=parts.identity, create=True)
        outcome = add_message(
            session_id, role, content,
            talk=SessionContext(
                space=space, space_view=parts.view(space), preparer=parts.preparer()
            ),
            at=parts.clock(), metadata=metadata, happened_at=happened,
            title=title if isinstance(title, str) else "",
        )  # fmt: skip
        parts.tend(space)
        return outcome

    def forget(self, session_id: str, /) -> tuple[str, ...]:
        """Take a session's messages out of the present and return the ids that were there.

        What working memory holds of it is dropped.
        """
        from simonides.assistant.sessions import forget_session

        check_texts(session_id, field="session_id")
        self._working.drop_session(session_id)
        with self._reading() as space:
            if space is None:
                return ()
            gone = forget_session(
                session_id, at=self._parts.clock(), space=space, space_view=self._parts.view(space)
            )
            self._parts.tend(space)
            return gone

    @property
    def _working(self) -> "WorkingState":
        from simonides.assistant.working_state import WorkingState

        return WorkingState(working=self._parts.working, space=self._space_name)

    def _find(self, session_id: str) -> Session | None:
        check_texts(session_id, field="session_id")
        from simonides.assistant.sessions import find_session

        with self._reading() as space:
            if space is None:
                return None
            return find_session(session_id, space=space, space_view=self._parts.view(space))
