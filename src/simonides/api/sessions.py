"""`memory.sessions`: the conversations of one space.

It decides nothing itself: `assistant.sessions` reads them out of the messages and gives a new one
its place.
"""

from collections.abc import Mapping

from simonides.api.arguments import check_texts
from simonides.assistant.prompt import HISTORY_MAX
from simonides.assistant.sessions import (
    TITLE,
    add_message,
    check_session_id,
    find_session,
    forget_session,
    last_messages,
    list_messages,
    list_sessions,
    new_session_id,
)
from simonides.assistant.working_state import WorkingState
from simonides.errors import NotFound
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Page
from simonides.model.chat import ChatRole, Session, SessionPage
from simonides.model.item import Item
from simonides.model.stored import Outcome
from simonides.model.times import TimeLike, as_time


class Sessions:
    """Conversations: what was said, by whom, when; an imported chat is one like any other.

    A session is made of its messages, which are items: it is there when its first one is kept.
    """

    def __init__(
        self,
        opened: OpenSpace,
    ) -> None:
        self._opened = opened

    def create(self, *, session_id: str = "", title: str = "") -> Session:
        """Return a session to speak in: a new one, or the one of that id where it is there already.

        Nothing is written: it shows in lists once its first message is kept. Until then its title
        waits in working memory, for half an hour. Without an id it gets a random one.

        Raises:
            InvalidInput: The id is no text of 1 to 128 characters that print.
        """
        name = check_session_id(session_id or new_session_id())
        found = self._find(name)
        if found is not None:
            return found
        if title:
            working = WorkingState.of(self._opened)
            working.keep_session(name, {**working.session(name), TITLE: title})
        now = self._opened.now()
        return Session(id=name, messages=0, started_at=now, updated_at=now, title=title)

    def list(self, *, limit: int = 50, cursor: str = "") -> SessionPage:
        """Return a page of sessions, last used first; hand its cursor in again for the next one.

        Raises:
            InvalidInput: The limit or the cursor is malformed.
        """
        return list_sessions(self._opened, limit=limit, cursor=cursor)

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
        check_texts(session_id, field="session_id")
        return list_messages(session_id, self._opened, limit=limit, cursor=cursor)

    def last(self, session_id: str, /, n: int = HISTORY_MAX) -> tuple[Item, ...]:
        """Return the last `n` messages of a session, the oldest of them first.

        Raises:
            InvalidInput: `n` is out of range.
        """
        check_texts(session_id, field="session_id")
        return last_messages(session_id, n, self._opened)

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
        happened = None
        if happened_at is not None:
            happened = as_time(happened_at, field="happened_at", timezone=self._opened.timezone)
        return add_message(
            session_id, role, content, self._opened, metadata=metadata, happened_at=happened
        )

    def forget(self, session_id: str, /) -> tuple[str, ...]:
        """Take a session's messages out of the present and return the ids that were there.

        What working memory holds of it is dropped.
        """
        check_texts(session_id, field="session_id")
        return forget_session(session_id, self._opened)

    def _find(self, session_id: str) -> Session | None:
        check_texts(session_id, field="session_id")
        return find_session(session_id, self._opened)
