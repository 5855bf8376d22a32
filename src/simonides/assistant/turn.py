"""One turn: store the message, find its context, ask a model, store its answer.

A turn that fails keeps the user's message and nothing else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from simonides.assistant.actions import SCHEMAS, Actions, TurnRequest, own_tools
from simonides.assistant.answer import (
    QUOTES_KEY,
    merged,
    quoted,
    relevant_hits,
    shown_by,
    sources_among,
    with_few_messages,
)
from simonides.assistant.loop import EventStream, Limits, Loop, LoopEnd, OnEvent, TurnBudget
from simonides.assistant.preferences import preferences_now
from simonides.assistant.prompt import (
    HISTORY_MAX,
    Earlier,
    earlier,
    prompt_lines,
    request_text,
    system_text,
)
from simonides.assistant.results import Bounds
from simonides.assistant.retrieve import filter_of
from simonides.assistant.sessions import (
    add_message,
    check_session_id,
    last_messages,
    new_session_id,
)
from simonides.assistant.tool_protocol import JsonActions, Native, ToolProtocol
from simonides.assistant.tools import Tool
from simonides.assistant.working_state import WorkingState
from simonides.context.briefs import Budgeted, assembled, limited
from simonides.context.selection import Budget
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Hit, Query
from simonides.model.brief import PRESETS, Brief, Layout
from simonides.model.chat import (
    CONTEXT_KEY,
    ChatMessage,
    ChatMode,
    ChatReply,
    ChatRole,
    Preference,
    Stop,
    ToolSchema,
)
from simonides.model.query import check_question
from simonides.ports.models import ChatModel, IsCancelled
from simonides.retrieval.search import search
from simonides.text.clean import printable
from simonides.text.tokens import count


def never() -> bool:
    """Return False: nobody cancels."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOptions:
    """The options of a turn: its model, mode and limits.

    `tools` are the host's. `repairs` is that of `Native`. `monotonic` tells seconds. `said_at` is
    when both messages happen, where the caller says so.
    """

    model: ChatModel | None
    monotonic: Callable[[], float]
    mode: ChatMode = ChatMode.NATIVE
    tools: tuple[Tool, ...] = ()
    said_at: datetime | None = None
    limits: Limits = field(default_factory=Limits)
    repairs: bool = False
    on_event: OnEvent | None = None
    is_cancelled: IsCancelled = never


@dataclass(frozen=True, slots=True, kw_only=True)
class _Briefed:
    """The brief of a message, and the hits that it chose from, best first."""

    brief: Brief
    hits: tuple[Hit, ...]


def run_turn(asked: TurnRequest, opened: OpenSpace, options: TurnOptions) -> ChatReply:
    """Return the answer to a message, after both were stored.

    Working memory holds for some minutes what was shown, and whether an answer is waited for.

    Raises:
        InvalidInput: The message is empty or too long, or a tool has a name that is taken;
            nothing was kept.
        ModelError: The model failed; the user's message was kept.
    """
    _check(asked.message, options.tools)
    preferences = preferences_now(opened)
    session = check_session_id(asked.session_id) if asked.session_id else new_session_id()
    asked = replace(asked, session_id=session)
    before = earlier(last_messages(session, HISTORY_MAX, opened))
    kept = add_message(session, ChatRole.USER, asked.message, opened, happened_at=options.said_at)
    without = (kept.id, *before.ids)
    briefed = _briefed(asked, opened, without_ids=(*without, *(one.id for one in preferences)))
    turn = _Turn(
        asked=asked, opened=opened, options=options, briefed=briefed, preferences=preferences
    )
    ended, reply = turn.reply(before, without)
    reply = turn.keep(replace(reply, message_id=kept.id), quotes=not _words(ended))
    _note(reply, opened)
    return reply


def _briefed(asked: TurnRequest, opened: OpenSpace, *, without_ids: tuple[str, ...]) -> _Briefed:
    """Return the brief of a message, made by one search, whose hits are the reply's items too."""
    settings = opened.settings
    wanted = filter_of(
        sources=asked.sources, time_filter=asked.time_filter, without_ids=without_ids,
        now=asked.now, timezone=asked.timezone,
    )  # fmt: skip
    config = replace(
        PRESETS["chat"].config, layout=Layout.SOURCED, items_max=settings.chat_context_items
    )
    budget = Budget(
        limit=_tokens(asked.message, opened), encoding=settings.encoding, reserve=config.reserve
    )
    budgeted = Budgeted(config=config, budget=budget)
    query = limited(
        Query(
            text=asked.message, filter=wanted, session_id=asked.session_id, now=asked.now,
            timezone=asked.timezone,
        ),
        budgeted,
    )  # fmt: skip
    result = search(query, opened)
    hits = sources_among(result.hits, request=asked.message)
    hits = with_few_messages(hits, places=settings.chat_context_items)
    brief = assembled(replace(result, hits=hits), query, budgeted, opened)
    return _Briefed(brief=brief, hits=hits)


def _tokens(message: str, opened: OpenSpace) -> int:
    """Return the budget of the brief: a long request leaves half of it to the context."""
    context = opened.settings.chat_context_tokens
    return max(context, count(message, opened.settings.encoding) + context // 2)


def _note(reply: ChatReply, opened: OpenSpace) -> None:
    """Store for some minutes the items shown in a session, and whether it waits for an answer."""
    working = WorkingState.of(opened)
    working.note_recent(reply.session_id, [hit.id for hit in reply.items])
    if reply.stop is not Stop.CANCELLED:
        waits = {"kind": "clarification", "question": reply.clarification_question}
        working.keep_pending(reply.session_id, [waits] if reply.needs_clarification else [])


def _words(ended: LoopEnd) -> str:
    """Return the words of a model's answer; empty if nothing of it is visible."""
    said = printable(ended.text)
    return said if said.strip() else ""


def _check(message: str, tools: Sequence[Tool]) -> None:
    check_question(message, field="message", advice="say something")
    own = {schema.name for schema in SCHEMAS}
    for one in tools:
        if one.name in own:
            raise InvalidInput("tools", f"{one.name!r} is the assistant's own; name it otherwise")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A turn with a stored message and its brief."""

    asked: TurnRequest
    opened: OpenSpace
    options: TurnOptions
    briefed: _Briefed
    preferences: tuple[Preference, ...]

    def reply(self, before: Earlier, without: tuple[str, ...]) -> tuple[LoopEnd, ChatReply]:
        """Return the end of the turn and the answer; its message is sent to any listener."""
        events = EventStream(self.options.on_event)
        spent = TurnBudget(
            self.options.limits,
            monotonic=self.options.monotonic,
            is_cancelled=self.options.is_cancelled,
        )
        ended = self._ended(before, without, spent=spent, events=events)
        reply = self._chat_reply(ended, spent)
        events.complete(reply.message)
        return ended, reply

    def _ended(
        self, before: Earlier, without: tuple[str, ...], *, spent: TurnBudget, events: EventStream
    ) -> LoopEnd:
        model = self.options.model
        if model is None:
            return LoopEnd(stop=Stop.CANCELLED if spent.is_cancelled() else Stop.NO_MODEL)
        actions = Actions(
            opened=self.opened, asked=self.asked, model=model.name, without_ids=without
        )
        protocol = self._protocol()
        loop = Loop(
            model=model,
            protocol=protocol,
            tools={one.name: one for one in (*own_tools(actions), *self.options.tools)},
            spent=spent,
            events=events,
            bounds=self._bounds,
            messages=self._messages(before, protocol),
        )
        return loop.run()

    @property
    def _bounds(self) -> Bounds:
        limits = self.options.limits
        return Bounds(
            tokens_max=limits.result_tokens_max,
            encoding=limits.encoding,
            timezone=self.asked.timezone,
        )

    def _protocol(self) -> ToolProtocol:
        hosts: tuple[ToolSchema, ...] = tuple(one.schema for one in self.options.tools)
        match self.options.mode:
            case ChatMode.NATIVE:
                return Native(tools=(*SCHEMAS, *hosts), repairs=self.options.repairs)
            case ChatMode.JSON_SCHEMA:
                return JsonActions(message=self.asked.message, tools=hosts)
            case ChatMode.PREFETCH:
                return Native()

    def _messages(self, before: Earlier, protocol: ToolProtocol) -> list[ChatMessage]:
        """Return the prompt: system, history, and the context with the request behind it."""
        asked = self.asked
        system = system_text(
            protocol.instructions,
            preferences=prompt_lines(self.preferences),
            now=asked.now,
            timezone=asked.timezone,
        )
        request = request_text(self.briefed.brief.text, asked.message)
        return [
            ChatMessage(role=ChatRole.SYSTEM, content=system),
            *before.messages,
            ChatMessage(role=ChatRole.USER, content=request),
        ]

    def _chat_reply(self, ended: LoopEnd, spent: TurnBudget) -> ChatReply:
        brief = self.briefed.brief
        words = _words(ended)
        found = merged(self._shown(), ended.hits)
        items = found if words else relevant_hits(found)
        is_question = ended.stop is Stop.CLARIFICATION
        return ChatReply(
            message=words or self._quoted(ended.stop, items),
            session_id=self.asked.session_id,
            items=items,
            entities=tuple(dict.fromkeys((*brief.receipt.entities, *ended.entities))),
            tokens_used=spent.tokens,
            needs_clarification=is_question,
            clarification_question=words if is_question else "",
            receipt=brief.receipt,
            model=ended.model,
            calls=spent.calls,
            stop=ended.stop,
            notes=tuple(dict.fromkeys((*brief.diagnostics.notes, *ended.notes))),
        )

    def _shown(self) -> tuple[Hit, ...]:
        shown = {one.id for one in self.briefed.brief.items}
        return tuple(hit for hit in self.briefed.hits if hit.id in shown)

    def _quoted(self, stop: Stop, items: Sequence[Hit]) -> str:
        if stop is Stop.CANCELLED:
            return ""
        shown = shown_by(self.briefed.brief.items, self.briefed.hits)
        return quoted(stop, items, shown=shown, timezone=self.asked.timezone)

    def keep(self, reply: ChatReply, *, quotes: bool) -> ChatReply:
        """Store the answer with the ids of its context; a cancelled one is not stored.

        `quotes` says that it is made of cited lines.
        """
        if reply.stop is Stop.CANCELLED:
            return reply
        metadata: dict[str, Any] = {CONTEXT_KEY: [hit.id for hit in reply.items]}
        if quotes:
            metadata[QUOTES_KEY] = True
        kept = add_message(
            reply.session_id, ChatRole.ASSISTANT, reply.message, self.opened,
            metadata=metadata, happened_at=self.options.said_at,
        )  # fmt: skip
        return replace(reply, reply_id=kept.id)
