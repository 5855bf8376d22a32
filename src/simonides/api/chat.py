"""`memory.chat`: one turn of a conversation, with what the settings say and what a space knows.

Brings the room `assistant` together with the engine's own verbs; decides nothing itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from simonides.api.arguments import check_calls, check_is
from simonides.api.memories import MemoriesMixin
from simonides.api.retrieve import EVERY, RetrievalMixin
from simonides.config import Settings, check_timezone
from simonides.model.answer import Hit, Query, SearchResult
from simonides.model.brief import Layout
from simonides.model.coercion import one_of, tuple_of
from simonides.model.query import NamedTime
from simonides.model.stored import Outcome
from simonides.model.times import TimeLike, as_time

if TYPE_CHECKING:
    from simonides.api.briefs import Briefs
    from simonides.assistant.dependencies import Asked, Briefed, Dependencies
    from simonides.assistant.tools import Tool
    from simonides.assistant.turn import TurnOptions
    from simonides.model.chat import ChatEvent, ChatMode, ChatReply, ChatRole, Retrieved
    from simonides.ports.chat import ChatModel


class ChatMixin(RetrievalMixin, MemoriesMixin):
    """What is said to an assistant that knows a space."""

    if TYPE_CHECKING:  # `Memory` has it

        def _briefs(self) -> Briefs: ...

    def chat(
        self,
        message: str,
        *,
        session_id: str = "",
        sources: Sequence[str] = (),
        time_filter: str = "",
        tools: "Sequence[Tool | Callable[..., object]]" = (),
        mode: "ChatMode | str | None" = None,
        model: "ChatModel | None" = None,
        on_event: "Callable[[ChatEvent], None] | None" = None,
        is_cancelled: Callable[[], bool] | None = None,
        now: TimeLike | None = None,
        timezone: str | None = None,
    ) -> "ChatReply":
        """Answer a message from what is kept, and keep both in the session (a new one by default).

        The message is kept before anything else; then a brief of what it finds, the last ten
        messages and the preferences go to the model, which may call tools. `sources` and
        `time_filter` exclude, for the model's own questions too. `tools` are typed functions of
        yours. `mode` and `model` override the settings'. `on_event` is told text, calls and results
        as they come; where `is_cancelled` says yes, the turn ends and no answer is kept. Without a
        model the answer is cited lines, and says so.

        Raises:
            InvalidInput: An argument is out of range; nothing was kept.
            ModelError: The model failed; the message was kept, and no answer.
        """
        from simonides.assistant.dependencies import Asked
        from simonides.assistant.turn import run_turn
        from simonides.ports.chat import ChatModel

        zone = timezone or self._parts.timezone
        check_timezone(zone)
        check_calls(on_event=on_event, is_cancelled=is_cancelled)
        if model is not None:
            check_is(model, ChatModel, field="model")
        asked = Asked(
            message=message,
            now=self._parts.clock() if now is None else as_time(now, field="now", timezone=zone),
            timezone=zone,
            session_id=session_id,
            sources=tuple_of(str, sources, field="sources"),
            time_filter=one_of(NamedTime, time_filter, field="time_filter") if time_filter else "",
        )
        how = self._how(model, mode, tools, on_event=on_event, is_cancelled=is_cancelled)
        around = _Around(
            verbs=self, asked=asked, at=None if now is None else asked.now,
            settings=self._parts.settings, search=self._search, briefs=self._briefs(),
        )  # fmt: skip
        reply = run_turn(asked, around=around.surroundings(), how=how)
        self._note(reply)
        return reply

    def _how(
        self,
        model: "ChatModel | None",
        mode: "ChatMode | str | None",
        tools: "Sequence[Tool | Callable[..., object]]",
        *,
        on_event: "Callable[[ChatEvent], None] | None",
        is_cancelled: Callable[[], bool] | None,
    ) -> "TurnOptions":
        from simonides.assistant.dependencies import Limits
        from simonides.assistant.tools import as_tools
        from simonides.assistant.turn import TurnOptions, never
        from simonides.model.chat import ChatMode

        settings = self._parts.settings
        return TurnOptions(
            model=self._parts.chat_model if model is None else model,
            mode=one_of(ChatMode, mode or settings.chat_mode, field="mode"),
            tools=as_tools(tools),
            limits=Limits(
                calls_max=settings.chat_calls_max,
                tokens_max=settings.chat_tokens_max,
                timeout_s=settings.chat_timeout_s,
                result_tokens_max=settings.chat_context_tokens,
                encoding=settings.encoding,
            ),
            repairs=settings.chat_provider == "local" or bool(settings.chat_base_url),
            on_event=on_event,
            is_cancelled=is_cancelled or never,
            monotonic=monotonic,
        )

    def _note(self, reply: "ChatReply") -> None:
        """Note for some minutes what a session was shown, and whether it waits for an answer."""
        from simonides.assistant.working_state import WorkingState
        from simonides.model.chat import Stop

        working = WorkingState(working=self._parts.working, space=self._space_name)
        working.note_recent(reply.session_id, [hit.id for hit in reply.items])
        if reply.stop is not Stop.CANCELLED:
            asked = {"kind": "clarification", "question": reply.clarification_question}
            working.keep_pending(reply.session_id, [asked] if reply.needs_clarification else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """The verbs of one memory as a turn wants them; `at` is when what is said happens, if told."""

    verbs: ChatMixin
    asked: "Asked"
    at: datetime | None
    settings: Settings
    search: Callable[[Query], SearchResult]
    briefs: "Briefs"

    def surroundings(self) -> "Dependencies":
        from simonides.assistant.dependencies import Dependencies
        from simonides.assistant.preference_lines import prompt_lines

        verbs = self.verbs
        known = verbs.preferences.list(limit=EVERY)
        hidden = tuple(one.id for one in known)

        def brief(message: str, *, without_ids: tuple[str, ...]) -> "Briefed":
            return self._brief(message, without_ids=(*without_ids, *hidden))

        return Dependencies(
            open_session=self._open_session,
            last=verbs.sessions.last,
            add=self._add,
            brief=brief,
            retrieve=self._retrieve,
            remember=verbs.remember,
            preferences=lambda: prompt_lines(known),
        )

    def _open_session(self, given: str) -> str:
        from simonides.assistant.sessions import check_session_id

        return check_session_id(given) if given else self.verbs.sessions.create().id

    def _add(
        self, session_id: str, role: "ChatRole", content: str, *, metadata: dict[str, Any]
    ) -> Outcome:
        return self.verbs.sessions.add(
            session_id, role, content, metadata=metadata, happened_at=self.at
        )

    def _retrieve(self, query: str, **how: Any) -> "Retrieved":
        asked = self.asked
        return self.verbs.retrieve(query, now=asked.now, timezone=asked.timezone, **how)

    def _brief(self, message: str, *, without_ids: tuple[str, ...]) -> "Briefed":
        """Make the brief by one search, whose hits are the reply's items too."""
        from simonides.api.briefs import budgeted
        from simonides.assistant.dependencies import Briefed
        from simonides.assistant.retrieve import filter_of

        asked, settings = self.asked, self.settings
        found: list[SearchResult] = []

        def search(query: Query) -> SearchResult:
            result = self.search(query)
            found.append(replace(result, hits=self._context(result)))
            return found[-1]

        arguments = {
            "filter": filter_of(
                sources=asked.sources, time_filter=asked.time_filter, without_ids=without_ids,
                now=asked.now, timezone=asked.timezone,
            ),
            "session_id": asked.session_id, "now": asked.now, "timezone": asked.timezone,
        }  # fmt: skip
        how = budgeted(
            {"layout": Layout.SOURCED, "items_max": settings.chat_context_items},
            settings=settings, tokens=self._tokens(message), words=None, preset="chat", config=None,
        )  # fmt: skip
        brief = replace(self.briefs, search=search).brief(message, how, arguments)
        return Briefed(brief=brief, hits=found[0].hits)

    def _context(self, result: SearchResult) -> tuple[Hit, ...]:
        from simonides.assistant.answer import sources_among, with_few_messages

        hits = sources_among(result.hits, request=self.asked.message)
        return with_few_messages(hits, places=self.settings.chat_context_items)

    def _tokens(self, message: str) -> int:
        """Return the budget of the brief: a long request leaves half of it to the context."""
        from simonides.text.tokens import count

        context = self.settings.chat_context_tokens
        return max(context, count(message, self.settings.encoding) + context // 2)
