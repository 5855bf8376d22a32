"""The tool loop of one turn: ask the model, do what it asks for, ask again, until it answers.

Knows when it has to end: an answer, a question back, calls, tokens, time, cancellation. Must not
know how a mode speaks (that is its dialect), nor what any tool does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simonides.assistant.events import EventStream
from simonides.assistant.results import Bounds, Result
from simonides.assistant.run_tools import call_all
from simonides.assistant.tool_protocol import Action, RequestOptions, ToolProtocol
from simonides.assistant.tools import Tool
from simonides.assistant.turn_budget import TurnBudget
from simonides.errors import ModelTimeout
from simonides.model.answer import Hit
from simonides.model.chat import ChatMessage, ModelReply, ModelRequest, Stop, ToolCall
from simonides.ports.chat import ChatModel

CUT = "the answer was cut at a bound of tokens"
ESTIMATED = "the endpoint counts no tokens: they were estimated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a loop ended: why, what was said, and what tools found on the way.

    `text` is empty where no model answered.
    """

    stop: Stop
    text: str = ""
    model: str = ""
    hits: tuple[Hit, ...] = ()
    entities: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Loop:
    """One turn with a model. `messages` grow; `results` are those of all calls, in their order."""

    model: ChatModel
    dialect: ToolProtocol
    tools: Mapping[str, Tool]
    meter: TurnBudget
    telling: EventStream
    bounds: Bounds
    messages: list[ChatMessage]
    prompt_tokens: int = 0
    results: list[Result] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    answered_by: str = ""

    def run(self) -> Ended:
        """Return how it ended.

        Raises:
            ModelError: The model failed.
        """
        self._count(self.messages)
        while True:
            stop = self.meter.stop(self.prompt_tokens)
            if stop is not None:
                return self._ended(stop)
            step, is_last = self.meter.calls, self.meter.is_last_call
            reply = self._reply(step, self.dialect.form(step, is_last=is_last))
            if reply is None:
                return self._ended(Stop.TIME)
            if self.meter.is_cancelled():
                return self._ended(Stop.CANCELLED, self.telling.told)
            move = self.dialect.move(reply, step, is_last=is_last)
            if not move.calls:
                return self._answered(reply, move)
            self.telling.retract()
            ended = self._called(reply, move, is_last=is_last)
            if ended is not None:
                return ended

    def _reply(self, step: int, form: RequestOptions) -> ModelReply | None:
        """Return what the model answers to all that was said; None where time is up."""
        request = ModelRequest(
            messages=tuple(self.messages),
            tools=form.tools,
            schema=form.schema,
            tokens_max=_tighter(form.tokens_max, self.meter.answer_tokens_max(self.prompt_tokens)),
            timeout_s=self.meter.remaining_s,
        )
        said = ""

        def on_text(piece: str) -> None:
            nonlocal said
            said += piece
            self.telling.text(self.dialect.heard(said, step)[len(self.telling.told) :])

        try:
            reply = self.model.complete(
                request,
                on_text=on_text if self.telling.is_heard else None,
                is_cancelled=self.meter.is_cancelled,
            )
        except ModelTimeout:
            if self.meter.remaining_s:
                raise
            self.meter.count(ModelReply(content=said), prompt_tokens=self.prompt_tokens)
            return None
        self.answered_by = reply.model or self.model.name
        self.meter.count(reply, prompt_tokens=self.prompt_tokens)
        return reply

    def _answered(self, reply: ModelReply, move: Action) -> Ended:
        if reply.is_cut:
            self.notes.append(CUT)
        return self._ended(Stop.ANSWERED, move.text)

    def _called(self, reply: ModelReply, move: Action, *, is_last: bool) -> Ended | None:
        """Do what is asked for; return the end where that is one.

        After the last call nobody would read what tools return: only a question back counts.
        """
        calls = move.calls
        if is_last:
            calls = tuple(one for one in calls if one.name == ASK)
        results = self._results(calls) if calls else []
        question = next((one.question for one in results if one.question), "")
        if question:
            return self._ended(Stop.CLARIFICATION, question)
        if is_last:
            names = ", ".join(dict.fromkeys(one.name for one in move.calls))
            self.notes.append(f"asked for at the last call, and not done: {names}")
            return self._ended(Stop.CALLS)
        told = self.dialect.told(reply, move, results)
        self.messages.extend(told)
        self._count(told)
        return None

    def _results(self, calls: Sequence[ToolCall]) -> list[Result]:
        for call in calls:
            self.telling.called(call.name)
        results = call_all(calls, self.tools, timeout_s=self.meter.remaining_s, bounds=self.bounds)
        for call, result in zip(calls, results, strict=True):
            self.telling.returned(call.name, result.line)
        self.results.extend(results)
        return results

    def _count(self, messages: Sequence[ChatMessage]) -> None:
        self.prompt_tokens += sum(self.meter.costs(list(messages)))

    def _ended(self, stop: Stop, text: str = "") -> Ended:
        told = [note for one in self.results for note in one.notes]
        if self.meter.is_estimated:
            told.append(ESTIMATED)
        return Ended(
            stop=stop,
            text=text,
            model=self.answered_by or self.model.name,
            hits=tuple(hit for one in self.results for hit in one.hits),
            entities=tuple(line for one in self.results for line in one.entities),
            notes=tuple(dict.fromkeys((*self.notes, *told))),
        )


def _tighter(*bounds: int) -> int:
    """Return the smallest bound, where 0 means none."""
    return min((bound for bound in bounds if bound), default=0)


ASK = "ask_user"
"""The tool by which a turn ends with a question."""
