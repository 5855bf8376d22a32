"""One turn: store the message, find its context, ask a model, store its answer.

A turn that fails keeps the user's message and nothing else.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from simonides.assistant.actions import SCHEMAS, Actions, TurnRequest, own_tools
from simonides.assistant.answer import (
    LINES_MAX,
    merge_hits,
    quote_hits,
    read_shown_words,
    relevant_hits,
    sources_among,
    with_few_messages,
)
from simonides.assistant.citations import (
    NUMBER_TOKENS,
    Numbers,
    check_citations,
    citations_metadata,
    reference,
    resolve_key,
)
from simonides.assistant.conversation import (
    find_people,
    name_by_title,
    note_turn,
    turn_before,
)
from simonides.assistant.follow_up import Understood, understand
from simonides.assistant.loop import EventStream, Loop, LoopEnd, LoopLimits, OnEvent, TurnBudget
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
from simonides.assistant.retrieve import filter_of, without_hidden
from simonides.assistant.sessions import (
    add_message,
    check_session_id,
    last_messages,
    new_session_id,
)
from simonides.assistant.swaps import Swaps
from simonides.assistant.tool_protocol import JsonActions, Native, ToolProtocol
from simonides.assistant.tools import Tool
from simonides.context.briefs import Budgeted, assemble_found, limit_query
from simonides.context.selection import Budget
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Hit, ItemKey, Plan, Query
from simonides.model.brief import PRESETS, Brief, Layout
from simonides.model.chat import (
    ChatMessage,
    ChatMode,
    ChatReply,
    Citation,
    Preference,
    Stop,
    ToolSchema,
)
from simonides.model.chat_role import ChatRole
from simonides.model.metadata_keys import CITED_KEY, CONTEXT_KEY, QUOTES_KEY
from simonides.model.query import check_question
from simonides.model.stored import Engaged
from simonides.ports.models import ChatModel, IsCancelled
from simonides.retrieval.across import questions_to, search_each
from simonides.retrieval.nearest import nearest_follow
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
    limits: LoopLimits = field(default_factory=LoopLimits)
    repairs: bool = False
    on_event: OnEvent | None = None
    is_cancelled: IsCancelled = never


@dataclass(frozen=True, slots=True, kw_only=True)
class _Briefed:
    """The brief of a message, and the hits that it chose from, best first.

    `question` is the message as it was understood.
    """

    brief: Brief
    hits: tuple[Hit, ...]
    question: str
    plan: Plan


def run_turn(asked: TurnRequest, opened: OpenSpace, options: TurnOptions) -> ChatReply:
    """Return the answer to a message, after both were stored.

    What the message means may lean on the turn before. Working memory holds for some minutes what
    this one was about, what it showed, and whether an answer is waited for.

    Raises:
        InvalidInput: The message is empty or too long, or a tool has a name that is taken;
            nothing was kept.
        ModelError: The model failed; the user's message was kept.
    """
    spaces = opened.with_spaces(asked.spaces)
    _check(asked.message, options.tools)
    preferences = preferences_now(opened)
    session = check_session_id(asked.session_id) if asked.session_id else new_session_id()
    asked = replace(asked, session_id=session)
    last = last_messages(session, HISTORY_MAX, opened)
    before = earlier(last)
    swaps = Swaps(
        now=asked.now, timezone=asked.timezone, find_people=partial(find_people, spaces=spaces)
    )
    read = understand(asked.message, turn_before(session, last, opened), swaps)
    meant = name_by_title(read, spaces)
    kept = add_message(session, ChatRole.USER, asked.message, opened, happened_at=options.said_at)
    without = (kept.id, *before.ids)
    hidden = {one.name: [pref.id for pref in preferences_now(one)] for one in spaces[1:]}
    hidden[opened.name] = [*without, *(one.id for one in preferences)]
    briefed = _make_brief(asked, meant, spaces, hidden={} if meant.meant else hidden)
    turn = _Turn(
        asked=asked, opened=opened, options=options, briefed=briefed, preferences=preferences
    )
    ended, reply = turn.reply(before, without)
    reply = turn.keep(replace(reply, message_id=kept.id), quotes=not _words(ended))
    note_turn(
        reply, opened, question=meant.topic or briefed.question, plan=briefed.plan,
        hits=(*reply.items, *briefed.hits), shown=turn.numbered_ids(reply, ended),
    )  # fmt: skip
    return reply


def _make_brief(
    asked: TurnRequest,
    meant: Understood,
    spaces: Sequence[OpenSpace],
    *,
    hidden: Mapping[str, Sequence[str]],
) -> _Briefed:
    """Return the brief of a message, made by one search, whose hits are the reply's items too.

    What the message names by its number is all that is looked at. `hidden` are ids of each space
    that the prompt holds already.
    """
    opened, settings = spaces[0], spaces[0].settings
    wanted = filter_of(
        sources=asked.sources, time_filter=asked.time_filter, without_ids=(), now=asked.now,
        timezone=asked.timezone,
    )  # fmt: skip
    shared = [one.name for one in spaces[1:]]
    named = [resolve_key(one, spaces=shared) for one in meant.meant]
    wanted = replace(wanted, ids=tuple(item_id for _, item_id in named))
    config = replace(
        PRESETS["chat"].config, layout=Layout.SOURCED, items_max=settings.chat_context_items
    )
    budget = Budget(
        limit=_tokens(asked.message, opened),
        encoding=settings.encoding,
        reserve=config.reserve + NUMBER_TOKENS * settings.chat_context_items,
    )
    budgeted = Budgeted(config=config, budget=budget)
    query = limit_query(
        Query(
            text=meant.question, filter=wanted, session_id=asked.session_id, now=asked.now,
            timezone=asked.timezone,
        ),
        budgeted,
    )  # fmt: skip
    found = search_each(without_hidden(questions_to(query, spaces), hidden), pinned=True)
    hits = sources_among(found.whole.hits, request=asked.message)
    if named and shared:
        keys = {(space or opened.name, item_id) for space, item_id in named}
        hits = tuple(hit for hit in hits if hit.key in keys)
    hits = with_few_messages(hits, places=settings.chat_context_items)
    brief = assemble_found(found.with_hits(hits), query, budgeted)
    return _Briefed(brief=brief, hits=hits, question=meant.question, plan=found.whole.plan)


def _tokens(message: str, opened: OpenSpace) -> int:
    """Return the budget of the brief: a long request leaves half of it to the context."""
    context = opened.settings.chat_context_tokens
    return max(context, count(message, opened.settings.encoding) + context // 2)


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
        ended = self._end(before, without, spent=spent, events=events)
        reply = self._chat_reply(ended, spent)
        events.complete(reply.message)
        return ended, reply

    def _end(
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
            numbers=Numbers(self._brief_ids),
            own_space=self.opened.name,
        )
        return loop.run()

    @property
    def _brief_ids(self) -> tuple[str, ...]:
        return tuple(self._reference(one.key) for one in self.briefed.brief.items)

    def _reference(self, key: ItemKey) -> str:
        return reference(key, own=self.opened.name)

    def numbered_ids(self, reply: ChatReply, ended: LoopEnd) -> tuple[str, ...]:
        """Return references to the items, in the order of the numbers that they are cited by."""
        if not _words(ended):
            return tuple(self._reference(hit.key) for hit in reply.items[:LINES_MAX])
        return ended.numbered or self._brief_ids

    def _order_by_number(self, hits: Iterable[Hit], ended: LoopEnd) -> tuple[Hit, ...]:
        """Return hits in the order of the numbers that the model saw, those without one last."""
        places = Numbers(ended.numbered or self._brief_ids)
        return tuple(sorted(hits, key=lambda hit: places.of(self._reference(hit.key))))

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
            is_shared=bool(asked.spaces),
        )
        brief = self.briefed.brief
        request = request_text(brief.text, asked.message, items=len(brief.items))
        return [
            ChatMessage(role=ChatRole.SYSTEM, content=system),
            *before.messages,
            ChatMessage(role=ChatRole.USER, content=request),
        ]

    def _chat_reply(self, ended: LoopEnd, spent: TurnBudget) -> ChatReply:
        brief = self.briefed.brief
        words = _words(ended)
        found = merge_hits(self._find_shown(), ended.hits)
        items = self._order_by_number(found, ended) if words else relevant_hits(found) or found
        is_question = ended.stop is Stop.CLARIFICATION
        reply = ChatReply(
            message=words or self._quote(ended.stop, items),
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
            notes=tuple(dict.fromkeys((*self._understood, *brief.diagnostics.notes, *ended.notes))),
        )
        return self._cite(reply, ended)

    @property
    def _understood(self) -> tuple[str, ...]:
        """Return how the message was understood, where it leans on the turn before."""
        question = self.briefed.question
        return () if question == self.asked.message else (f"understood as: {question}",)

    def _cite(self, reply: ChatReply, ended: LoopEnd) -> ChatReply:
        """Return the reply with what its answer cites; numbers that nothing has are noted."""
        found = check_citations(reply.message, self.numbered_ids(reply, ended))
        wrong = ", ".join(f"[{number}]" for number in found.unknown)
        said = (f"the answer cites {wrong}, which was not in its context",) if wrong else ()
        citations = tuple(map(self._with_space, found.citations))
        return replace(reply, citations=citations, notes=(*reply.notes, *said))

    def _with_space(self, citation: Citation) -> Citation:
        """Return a citation that says whose its item is, where several spaces were asked."""
        space, item_id = resolve_key(citation.id, spaces=self.asked.spaces)
        own = self.opened.name if len(self.opened.with_spaces(self.asked.spaces)) > 1 else ""
        key = space or own, item_id
        shown = (one.spans for one in self.briefed.brief.items if one.key == key)
        return replace(citation, id=item_id, space=key[0], spans=next(shown, ()))

    def _is_own(self, space: str) -> bool:
        return space in ("", self.opened.name)

    def _find_shown(self) -> tuple[Hit, ...]:
        shown = {one.key for one in self.briefed.brief.items}
        return tuple(hit for hit in self.briefed.hits if hit.key in shown)

    def _quote(self, stop: Stop, items: Sequence[Hit]) -> str:
        if stop is Stop.CANCELLED:
            return ""
        shown = read_shown_words(self.briefed.brief.items, self.briefed.hits)
        nothing = self.briefed.brief.receipt.nothing
        if items and not relevant_hits(items):
            nothing = nothing or nearest_follow()
        return quote_hits(stop, items, shown=shown, timezone=self.asked.timezone, nothing=nothing)

    def keep(self, reply: ChatReply, *, quotes: bool) -> ChatReply:
        """Store the answer with the ids of its context; a cancelled one is not stored.

        `quotes` says that it is made of cited lines. Ids are those of the own space: in it, an id
        of another space would mean another item, or nothing.
        """
        if reply.stop is Stop.CANCELLED:
            return reply
        own = [hit.id for hit in reply.items if self._is_own(hit.space)]
        metadata: dict[str, Any] = {CONTEXT_KEY: own}
        cited = [one.id for one in reply.citations if self._is_own(one.space)]
        if quotes:
            metadata[QUOTES_KEY] = True
        elif cited:
            metadata[CITED_KEY] = cited
        metadata |= citations_metadata(one for one in reply.citations if self._is_own(one.space))
        kept = add_message(
            reply.session_id, ChatRole.ASSISTANT, reply.message, self.opened,
            metadata=metadata, happened_at=self.options.said_at,
        )  # fmt: skip
        if cited:
            self.opened.make().record_usage(cited, how=Engaged.CITED, at=self.opened.now())
        return replace(reply, reply_id=kept.id)
