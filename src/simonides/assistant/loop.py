"""The loop of a turn: a model answers or asks for tools, whose results it then gets.

Also what a turn may use up (`TurnBudget`), and the events that whoever listens gets: the texts
since the last retraction, joined, are the message of the reply. Must not know how a tool works.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from simonides.assistant.citations import Numbers, reference
from simonides.assistant.model_call import call_model
from simonides.assistant.results import Bounds, CallResult, with_numbers
from simonides.assistant.tool_protocol import Action, RequestOptions, ToolProtocol
from simonides.assistant.tools import Tool, call_all
from simonides.errors import ModelTimeout
from simonides.model.answer import Hit, ItemKey
from simonides.model.chat import (
    ChatEvent,
    ChatEventKind,
    ChatMessage,
    ModelReply,
    ModelRequest,
    Stop,
    ToolCall,
)
from simonides.model.chat_role import ChatRole
from simonides.ports.models import ChatModel, IsCancelled
from simonides.text.tokens import count_batch

OnEvent = Callable[[ChatEvent], None]
"""Is called with each event as it comes."""


class EventStream:
    """A sender of chat events, which keeps the text sent so far."""

    def __init__(self, on_event: OnEvent | None) -> None:
        self._on_event = on_event
        self.sent = ""

    @property
    def has_listener(self) -> bool:
        """Whether there is a listener."""
        return self._on_event is not None

    def text(self, piece: str) -> None:
        """Send a piece of the answer."""
        if piece:
            self.sent += piece
            self._send(ChatEvent(kind=ChatEventKind.TEXT, text=piece))

    def retract(self) -> None:
        """Retract the text sent so far."""
        if self.sent:
            self.sent = ""
            self._send(ChatEvent(kind=ChatEventKind.RETRACT))

    def complete(self, message: str) -> None:
        """Send the rest of the message; text that does not belong to it is retracted."""
        if not message.startswith(self.sent):
            self.retract()
        self.text(message[len(self.sent) :])

    def tool_called(self, name: str) -> None:
        """Send the event of a tool call."""
        self._send(ChatEvent(kind=ChatEventKind.TOOL, name=name))

    def tool_returned(self, name: str, line: str) -> None:
        """Send the event of a tool's result, in one line."""
        self._send(ChatEvent(kind=ChatEventKind.TOOL_RESULT, name=name, text=line))

    def _send(self, event: ChatEvent) -> None:
        if self._on_event is not None:
            self._on_event(event)


MESSAGE_TOKENS = 4
"""What a message costs besides its words (OpenAI's cookbook on counting tokens for chat models)."""

ANSWER_TOKENS = 4_096
"""Where more than this is left of a turn's tokens, an answer is bounded by the endpoint alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopLimits:
    """The limits of a turn: model calls, tokens and seconds in all, tokens of one tool's result.

    Tokens that an endpoint does not count are counted in `encoding`.
    """

    calls_max: int = 10
    tokens_max: int = 100_000
    timeout_s: float = 120.0
    result_tokens_max: int = 4_000
    encoding: str = "cl100k_base"


class TurnBudget:
    """A counter of the resources that one turn uses."""

    def __init__(
        self, limits: LoopLimits, *, monotonic: Callable[[], float], is_cancelled: IsCancelled
    ) -> None:
        self._limits = limits
        self._monotonic = monotonic
        self._deadline = monotonic() + limits.timeout_s
        self.is_cancelled = is_cancelled
        self.calls = 0
        self.tokens = 0
        self.is_estimated = False

    @property
    def remaining_s(self) -> float:
        """The remaining seconds, 0 if there is no limit."""
        return max(0.0, self._deadline - self._monotonic())

    @property
    def is_last_call(self) -> bool:
        """Whether only one model call is left."""
        return self.calls + 1 >= self._limits.calls_max

    def stop(self, prompt_tokens: int) -> Stop | None:
        """Return why no call of so many tokens may follow; None if one may."""
        if self.is_cancelled():
            return Stop.CANCELLED
        if not self.remaining_s:
            return Stop.TIME
        return Stop.TOKENS if self.tokens + prompt_tokens >= self._limits.tokens_max else None

    def answer_tokens_max(self, prompt_tokens: int) -> int:
        """Return the most tokens of the next answer; 0 for no bound of ours."""
        left = self._limits.tokens_max - self.tokens - prompt_tokens
        return left if left < ANSWER_TOKENS else 0

    def count(self, reply: ModelReply, *, prompt_tokens: int) -> None:
        """Count a call: by the endpoint's figures, or by an estimate if it gave none."""
        self.calls += 1
        if reply.usage is not None:
            self.tokens += max(0, reply.usage.total_tokens)
            return
        self.is_estimated = True
        self.tokens += prompt_tokens + sum(self.costs([_read_answer(reply)]))

    def costs(self, messages: list[ChatMessage]) -> list[int]:
        """Return the approximate number of tokens of each message in a prompt."""
        texts = [_text(one) for one in messages]
        return [cost + MESSAGE_TOKENS for cost in count_batch(texts, self._limits.encoding)]


def _read_answer(reply: ModelReply) -> ChatMessage:
    return ChatMessage(role=ChatRole.ASSISTANT, content=reply.content, tool_calls=reply.tool_calls)


def _text(message: ChatMessage) -> str:
    calls = (f"{call.name} {call.arguments}" for call in message.tool_calls)
    return "\n".join((message.content, *calls))


CUT = "the answer was cut at a bound of tokens"
REFUSED = "the model's provider refused to answer, or filtered the answer"
ESTIMATED = "the endpoint counts no tokens: they were estimated"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopEnd:
    """The end of a loop: the reason, the answer, and the hits of the tools.

    `text` is empty where no model answered; `numbered` are the ids of what it was shown, in the
    order of their numbers.
    """

    stop: Stop
    text: str = ""
    model: str = ""
    hits: tuple[Hit, ...] = ()
    entities: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    numbered: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Loop:
    """One turn with a model. `messages` grow; `results` are those of all calls, in their order.

    `numbers` are those by which items may be cited; what tools find gets the next ones.
    """

    model: ChatModel
    protocol: ToolProtocol
    tools: Mapping[str, Tool]
    spent: TurnBudget
    events: EventStream
    bounds: Bounds
    messages: list[ChatMessage]
    numbers: Numbers = field(default_factory=Numbers)
    own_space: str = ""
    prompt_tokens: int = 0
    results: list[CallResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    answered_by: str = ""

    def run(self) -> LoopEnd:
        """Run the loop and return its end.

        Raises:
            ModelError: The model failed.
        """
        self._count(self.messages)
        while True:
            stop = self.spent.stop(self.prompt_tokens)
            if stop is not None:
                return self._end(stop)
            step, is_last = self.spent.calls, self.spent.is_last_call
            reply = self._reply(step, self.protocol.request_options(step, is_last=is_last))
            if reply is None:
                return self._end(Stop.TIME)
            if self.spent.is_cancelled():
                return self._end(Stop.CANCELLED, self.events.sent)
            action = self.protocol.action_of(reply, step, is_last=is_last)
            if not action.calls:
                return self._read_answer(reply, action)
            self.events.retract()
            ended = self._run_tools(reply, action, is_last=is_last)
            if ended is not None:
                return ended

    def _reply(self, step: int, options: RequestOptions) -> ModelReply | None:
        """Return the model's reply to all messages; None if time is up."""
        request = ModelRequest(
            messages=tuple(self.messages),
            tools=options.tools,
            schema=options.schema,
            tokens_max=_smallest_bound(
                options.tokens_max, self.spent.answer_tokens_max(self.prompt_tokens)
            ),
            timeout_s=self.spent.remaining_s,
        )
        streamed = ""

        def on_text(piece: str) -> None:
            nonlocal streamed
            streamed += piece
            self.events.text(self.protocol.visible_answer(streamed, step)[len(self.events.sent) :])

        try:
            reply = call_model(
                self.model,
                request,
                on_text=on_text if self.events.has_listener else None,
                is_cancelled=self.spent.is_cancelled,
            )
        except ModelTimeout:
            if self.spent.remaining_s:
                raise
            self.spent.count(ModelReply(content=streamed), prompt_tokens=self.prompt_tokens)
            return None
        self.answered_by = reply.model or self.model.name
        self.spent.count(reply, prompt_tokens=self.prompt_tokens)
        return reply

    def _read_answer(self, reply: ModelReply, action: Action) -> LoopEnd:
        if reply.is_cut:
            self.notes.append(CUT)
        if reply.is_refused:
            self.notes.append(REFUSED)
        return self._end(Stop.ANSWERED, action.text)

    def _run_tools(self, reply: ModelReply, action: Action, *, is_last: bool) -> LoopEnd | None:
        """Run the requested tools; return the end of the loop, if this is it.

        After the last call nobody would read what tools return: only a question back counts.
        """
        calls = action.calls
        if is_last:
            calls = tuple(one for one in calls if one.name == ASK)
        results = self._results(calls) if calls else []
        question = next((one.question for one in results if one.question), "")
        if question:
            return self._end(Stop.CLARIFICATION, question)
        if is_last:
            names = ", ".join(dict.fromkeys(one.name for one in action.calls))
            self.notes.append(f"asked for at the last call, and not done: {names}")
            return self._end(Stop.CALLS)
        exchange = self.protocol.result_messages(reply, action, results)
        self.messages.extend(exchange)
        self._count(exchange)
        return None

    def _results(self, calls: Sequence[ToolCall]) -> list[CallResult]:
        for call in calls:
            self.events.tool_called(call.name)
        found = call_all(calls, self.tools, timeout_s=self.spent.remaining_s, bounds=self.bounds)
        results = [with_numbers(one, self._number_of) for one in found]
        for call, result in zip(calls, results, strict=True):
            self.events.tool_returned(call.name, result.line)
        self.results.extend(results)
        return results

    def _number_of(self, key: ItemKey) -> int:
        return self.numbers.of(reference(key, own=self.own_space))

    def _count(self, messages: Sequence[ChatMessage]) -> None:
        self.prompt_tokens += sum(self.spent.costs(list(messages)))

    def _end(self, stop: Stop, text: str = "") -> LoopEnd:
        notes = [note for one in self.results for note in one.notes]
        if self.spent.is_estimated:
            notes.append(ESTIMATED)
        return LoopEnd(
            stop=stop,
            text=text,
            model=self.answered_by or self.model.name,
            hits=tuple(hit for one in self.results for hit in one.hits),
            entities=tuple(line for one in self.results for line in one.entities),
            notes=tuple(dict.fromkeys((*self.notes, *notes))),
            numbered=self.numbers.ids,
        )


def _smallest_bound(*bounds: int) -> int:
    """Return the smallest bound; 0 means none."""
    return min((bound for bound in bounds if bound), default=0)


ASK = "ask_user"
"""The tool by which a turn ends with a question."""
