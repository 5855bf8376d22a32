"""One turn of a conversation, what an assistant looks up in between, and `memory.sessions`.

It decides nothing itself: `assistant.turn` runs the turn; `assistant.sessions` reads sessions out
of the messages and gives a new one its place.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from time import monotonic
from typing import Any

from simonides.api.arguments import check_calls, check_is, check_texts
from simonides.assistant.actions import TurnRequest
from simonides.assistant.loop import LoopLimits
from simonides.assistant.prompt import HISTORY_MAX
from simonides.assistant.retrieve import retrieve as recall
from simonides.assistant.sessions import (
    TITLE,
    Said,
    add_messages,
    check_session_id,
    find_session,
    forget_session,
    last_messages,
    list_messages,
    list_sessions,
    new_session_id,
)
from simonides.assistant.tools import Tool, as_tools
from simonides.assistant.turn import TurnOptions, never, run_turn
from simonides.assistant.working_state import WorkingState
from simonides.config import Settings, check_timezone
from simonides.errors import NotFound
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Page
from simonides.model.chat import ChatEvent, ChatMode, ChatReply, Retrieved, Session, SessionPage
from simonides.model.chat_role import ChatRole
from simonides.model.coercion import one_of, refuse_unknown, tuple_of
from simonides.model.item import Item
from simonides.model.query import NamedTime
from simonides.model.stored import Outcome
from simonides.model.times import TimeLike, as_time
from simonides.ports.models import ChatModel


def chat(
    opened: OpenSpace,
    message: str,
    *,
    session_id: str,
    sources: Sequence[str],
    time_filter: str,
    tools: Sequence[Tool | Callable[..., object]],
    mode: ChatMode | str | None,
    model: ChatModel | None,
    on_event: Callable[[ChatEvent], None] | None,
    is_cancelled: Callable[[], bool] | None,
    now: TimeLike | None,
    timezone: str | None,
    spaces: Sequence[str] = (),
) -> ChatReply:
    """Answer a message from the memory, and store both in the session."""
    zone = timezone or opened.timezone
    check_timezone(zone)
    check_calls(on_event=on_event, is_cancelled=is_cancelled)
    if model is not None:
        check_is(model, ChatModel, field="model")
    said_at = None if now is None else as_time(now, field="now", timezone=zone)
    asked = TurnRequest(
        message=message,
        now=opened.now() if said_at is None else said_at,
        timezone=zone,
        session_id=session_id,
        sources=tuple_of(str, sources, field="sources"),
        time_filter=one_of(NamedTime, time_filter, field="time_filter") if time_filter else "",
        spaces=tuple(one.name for one in opened.with_spaces(spaces)[1:]),
    )
    settings = opened.settings
    how = TurnOptions(
        model=opened.home.chat_model if model is None else model,
        mode=one_of(ChatMode, mode or settings.chat_mode, field="mode"),
        tools=as_tools(tools),
        said_at=said_at,
        limits=_limits(settings),
        repairs=settings.chat_provider == "local" or bool(settings.chat_base_url),
        on_event=on_event,
        is_cancelled=is_cancelled or never,
        monotonic=monotonic,
    )
    reply = run_turn(asked, opened, how)
    opened.home.read_later(opened, reply.session_id, [reply.message_id, reply.reply_id])
    return reply


def _limits(settings: Settings) -> LoopLimits:
    return LoopLimits(
        calls_max=settings.chat_calls_max,
        tokens_max=settings.chat_tokens_max,
        timeout_s=settings.chat_timeout_s,
        result_tokens_max=settings.chat_context_tokens,
        encoding=settings.encoding,
    )


def retrieve(
    opened: OpenSpace,
    query: str,
    *,
    sources: Sequence[str],
    without_ids: Sequence[str],
    now: TimeLike | None,
    timezone: str | None,
    **how: Any,
) -> Retrieved:
    """Return the hits of a question among items and messages, without duplicates, best first."""
    wanted = tuple_of(str, sources, field="sources")
    without = tuple_of(str, without_ids, field="without_ids")
    zone = timezone or opened.timezone
    check_timezone(zone)
    at = opened.now() if now is None else as_time(now, field="now", timezone=zone)
    return recall(query, opened, now=at, timezone=zone, sources=wanted, without_ids=without, **how)


MESSAGE_FIELDS = tuple(one.name for one in fields(Said))


class Sessions:
    """Sessions: conversations and their messages, including imported chats.

    A session is made of its messages, which are items: it is there when its first one is kept.
    """

    def __init__(
        self,
        opened: OpenSpace,
    ) -> None:
        self._opened = opened

    def create(self, *, session_id: str = "", title: str = "") -> Session:
        """Return a new session, or the existing one of that id.

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
        """Return a page of sessions, last used first, with a cursor for the next one.

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
        """Return a page of a session's messages, oldest first, with a cursor for the next one.

        Empty where no message of it is kept.

        Raises:
            InvalidInput: The limit or the cursor is malformed.
        """
        check_texts(session_id, field="session_id")
        return list_messages(session_id, self._opened, limit=limit, cursor=cursor)

    def last(self, session_id: str, /, n: int = HISTORY_MAX) -> tuple[Item, ...]:
        """Return the last `n` messages of a session, oldest first.

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
        """Add a message at the end of a session, durable and embedded when it returns.

        `role` is `user` or `assistant`. Said twice, it is kept twice; two that are added at once
        are both kept, one after the other. It happened now unless a time is given.

        Raises:
            InvalidInput: The id, the role, the text or the metadata does not fit.
            EmbedderError: The model failed; nothing was written.
            StoreError: The commit failed; nothing was written.
        """
        said = {"role": role, "content": content, "metadata": metadata, "happened_at": happened_at}
        [kept] = self.add_many(session_id, [said])
        return kept

    def add_many(
        self, session_id: str, messages: Iterable[Mapping[str, object]], /
    ) -> tuple[Outcome, ...]:
        """Add messages at the end of a session, all in one transaction and one after the other.

        Each is a dict of what `add` takes: `role`, `content`, `metadata`, `happened_at`.

        Raises:
            InvalidInput: The id or a message does not fit; nothing was written.
            EmbedderError: The model failed; nothing was written.
            StoreError: The commit failed; nothing was written.
        """
        said = [self._read(one) for one in tuple_of(dict, messages, field="messages")]
        kept = add_messages(session_id, said, self._opened) if said else ()
        self._opened.home.read_later(self._opened, session_id, [one.id for one in kept])
        return kept

    def forget(self, session_id: str, /) -> tuple[str, ...]:
        """Forget the messages of a session and return the ids that existed.

        What working memory holds of it is dropped.
        """
        check_texts(session_id, field="session_id")
        return forget_session(session_id, self._opened)

    def _read(self, message: Mapping[str, Any]) -> Said:
        refuse_unknown(message, MESSAGE_FIELDS, path="messages.")
        given = {"role": None, "content": None, **message}
        if given.get("happened_at") is not None:
            zone = self._opened.timezone
            given["happened_at"] = as_time(given["happened_at"], field="happened_at", timezone=zone)
        return Said(**given)

    def _find(self, session_id: str) -> Session | None:
        check_texts(session_id, field="session_id")
        return find_session(session_id, self._opened)
