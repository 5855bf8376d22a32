"""The protocols of tool use: native calls, JSON actions, or none.

Some models call tools by their endpoint's own means, others are held to a schema of actions. What
they wrote is read back here, also where its JSON is broken. Must not know what a tool does.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from simonides.assistant.prompt import NATIVE, PREFETCH
from simonides.assistant.results import CallResult
from simonides.model.chat import ChatMessage, ModelReply, ToolCall, ToolSchema
from simonides.model.chat_role import ChatRole
from simonides.text.word_patterns import lazy_pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """The parts of a request beside its messages; `tokens_max` 0 bounds nothing."""

    tools: tuple[ToolSchema, ...] = ()
    schema: Mapping[str, Any] | None = None
    tokens_max: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """The meaning of a reply: tool calls, or else an answer."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class ToolProtocol(Protocol):
    """One mode. Laws: stateless; the same reply at the same step is the same action."""

    @property
    def instructions(self) -> str:
        """The instructions of this mode in the system text."""
        ...

    def request_options(self, step: int, *, is_last: bool) -> RequestOptions:
        """Return the parts of a step's request (0, 1, …) beside its messages."""
        ...

    def visible_answer(self, text: str, step: int) -> str:
        """Return the part of the text so far that belongs to the answer; it only grows."""
        ...

    def action_of(self, reply: ModelReply, step: int, *, is_last: bool) -> Action:
        """Return the action of a reply."""
        ...

    def result_messages(
        self, reply: ModelReply, action: Action, results: Sequence[CallResult]
    ) -> tuple[ChatMessage, ...]:
        """Return the messages of the calls and their results for the next request."""
        ...


STARTS_MAX = 20
"""Places at which an object is looked for: prose holds few braces, an answer of code many."""

_IS_ANSWER = lazy_pattern(r'"action"\s*:\s*"answer"')
_TEXT = lazy_pattern(r'"text"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_ESCAPE_CHARS_MAX = 12
"""A pair of surrogate escapes: what may stand unfinished at the end."""


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first complete JSON object in a text; None if there is none."""
    decoder, at = json.JSONDecoder(strict=False), text.find("{")
    for _ in range(STARTS_MAX):
        if at < 0:
            return None
        try:
            found, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        return found if isinstance(found, dict) else None
    return None


def only_object(text: str) -> dict[str, Any] | None:
    """Return the object that is the whole text, except for a code fence; else None."""
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```"):
        bare = bare.strip("`").removeprefix("json").strip()
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    try:
        found = json.loads(bare, strict=False)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def answer_so_far(text: str) -> str:
    """Return the text so far of an action `answer`, even if its JSON is incomplete.

    Longer texts of one answer never say less, or something else.
    """
    match = _TEXT.search(text)
    if match is None or _IS_ANSWER.search(text) is None:
        return ""
    body = match[1]
    for cut in range(min(len(body), _ESCAPE_CHARS_MAX) + 1):
        found = _decode(body[: len(body) - cut])
        if found is not None:
            return found
    return ""


def _decode(body: str) -> str | None:
    """Return the decoded JSON string; None if it ends within an escape or a character."""
    try:
        found = json.loads(f'"{body}"', strict=False)
    except ValueError:
        return None
    return None if "\ud800" <= found[-1:] <= "\udbff" else str(found)


LOOK_UP_TOKENS = 256
"""Longest action that looks up, ten times what a query takes: a small model that repeats itself
inside the query's quotes would fill its context. For what is cut the message is looked up."""

LOOK_UP, ASK_BACK = "retrieve_context", "ask_user"

_HOW = """\
You write nothing but one JSON object at a time.
Step 1: what to look up. To "When does the lease of the flat end?" you write
{"action": "retrieve_context", "query": "lease of the flat end"}
Step 2: the answer, from what was found and the context:
{"action": "answer", "text": "The lease ends on 30 June (mail of the landlord, 3 May)."}
or, where you can not answer without asking back:
{"action": "ask_user", "text": "Which flat do you mean?"}"""
_MORE = """\
In step 2 you may also look up again, or call a tool, with the arguments it takes:
{"action": "NAME", "arguments": {}}
Tools:"""


def _action(names: Sequence[str], **fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"action": {"type": "string", "enum": list(names)}, **fields},
        "required": ["action", *fields],
        "additionalProperties": False,
    }


_OUTPUT_TEXT = {"type": "string", "minLength": 1}
SEARCHING = _action([LOOK_UP], query=_OUTPUT_TEXT)
ANSWERING = _action(["answer", ASK_BACK], text=_OUTPUT_TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonActions:
    """The protocol of JSON actions; `tools` are the host's.

    `message` is looked up where the model writes no query.
    """

    message: str
    tools: tuple[ToolSchema, ...] = ()

    @property
    def instructions(self) -> str:
        """The instructions of this mode in the system text."""
        if not self.tools:
            return _HOW
        tools = (
            f"- {one.name}: {' '.join(one.description.split())}"
            f" Arguments: {json.dumps(one.parameters.get('properties', {}))}"
            for one in self.tools
        )
        return "\n".join((_HOW, _MORE, *tools))

    def request_options(self, step: int, *, is_last: bool) -> RequestOptions:
        """Return the schema of a step: search first; answer at last; in between, either."""
        if is_last:
            return RequestOptions(schema=ANSWERING)
        if step == 0:
            return RequestOptions(schema=SEARCHING, tokens_max=LOOK_UP_TOKENS)
        return RequestOptions(schema=self._any if self.tools else ANSWERING)

    @property
    def _any(self) -> Mapping[str, Any]:
        own = (_action([one.name], arguments=dict(one.parameters)) for one in self.tools)
        return {"anyOf": [ANSWERING, SEARCHING, *own]}

    def visible_answer(self, text: str, step: int) -> str:
        """Return the answer's text so far; empty for the step that searches."""
        return answer_so_far(text) if step else ""

    def action_of(self, reply: ModelReply, step: int, *, is_last: bool) -> Action:
        """Return the call of an action, or the answer; any other text is an answer.

        An action that is none of these, or has no text to say, answers nothing.
        At the first step something is always looked up, whatever came.
        """
        found = first_object(reply.content)
        if step == 0 and not is_last:
            query = (found or {}).get("query")
            said = query if isinstance(query, str) and query.strip() else self.message
            return _call(LOOK_UP, {"query": said}, step)
        if found is None:
            return Action(text=answer_so_far(reply.content) or reply.content)
        return self._read(found, reply.content, step)

    def _read(self, found: Mapping[str, Any], content: str, step: int) -> Action:
        action, text = found.get("action"), found.get("text")
        if action == LOOK_UP:
            return _call(LOOK_UP, {"query": found.get("query") or self.message}, step)
        if action in [one.name for one in self.tools]:
            return _call(str(action), found.get("arguments", {}), step)
        if not isinstance(text, str):
            return Action(text="" if "action" in found else content)
        return (
            _call(ASK_BACK, {"question": text}, step) if action == ASK_BACK else Action(text=text)
        )

    def result_messages(
        self, reply: ModelReply, action: Action, results: Sequence[CallResult]
    ) -> tuple[ChatMessage, ...]:
        """Return the action as the assistant wrote it, and its result as a user message.

        Templates of small models know no other speaker.
        """
        del reply
        [call], [result] = action.calls, results
        key = "query" if call.name == LOOK_UP else "arguments"
        arguments = json.loads(call.arguments)
        written = {"action": call.name, key: arguments["query"] if key == "query" else arguments}
        said = f"Result of {call.name}:\n{result.content}\n\nStep 2:"
        return (
            ChatMessage(role=ChatRole.ASSISTANT, content=json.dumps(written, ensure_ascii=False)),
            ChatMessage(role=ChatRole.USER, content=said),
        )


def _call(name: str, arguments: Any, step: int) -> Action:
    written = json.dumps(arguments)
    return Action(calls=(ToolCall(id=f"call_{step}_0", name=name, arguments=written),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """The protocol of native calls. `repairs` accepts an answer of bare JSON as a call.

    Small local models do that; large ones do not, and might mean it as an answer.
    """

    tools: tuple[ToolSchema, ...] = ()
    repairs: bool = False

    @property
    def instructions(self) -> str:
        """The instructions of this mode in the system text."""
        return NATIVE if self.tools else PREFETCH

    def request_options(self, step: int, *, is_last: bool) -> RequestOptions:
        """Return the tools, at every step: some endpoints reject results of tools without them."""
        del step, is_last
        return RequestOptions(tools=self.tools)

    def visible_answer(self, text: str, step: int) -> str:
        """Return the whole text."""
        del step
        return text

    def action_of(self, reply: ModelReply, step: int, *, is_last: bool) -> Action:
        """Return the calls, each with its own id, or the answer."""
        del is_last
        calls = reply.tool_calls
        if self.repairs and not calls:
            calls = self._repair(reply.content)
        if not (calls and self.tools):
            return Action(text=reply.content)
        return Action(calls=tuple(_with_ids(calls, step)))

    def _repair(self, content: str) -> tuple[ToolCall, ...]:
        found = only_object(content) or {}
        name = found.get("name")
        arguments = found.get("arguments", found.get("parameters", {}))
        is_call = isinstance(name, str) and isinstance(arguments, dict)
        if not is_call or name not in [one.name for one in self.tools]:
            return ()
        return (ToolCall(id="", name=str(name), arguments=json.dumps(arguments)),)

    def result_messages(
        self, reply: ModelReply, action: Action, results: Sequence[CallResult]
    ) -> tuple[ChatMessage, ...]:
        """Return the assistant's request, and one tool message for each result."""
        said = reply.content if reply.tool_calls else ""
        asked = ChatMessage(role=ChatRole.ASSISTANT, content=said, tool_calls=action.calls)
        return (
            asked,
            *(
                ChatMessage(role=ChatRole.TOOL, content=result.content, tool_call_id=call.id)
                for call, result in zip(action.calls, results, strict=True)
            ),
        )


def _with_ids(calls: Sequence[ToolCall], step: int) -> list[ToolCall]:
    """Return the calls, with new ids for missing or duplicate ones."""
    taken: set[str] = set()
    named = []
    for place, call in enumerate(calls):
        is_own = bool(call.id) and call.id not in taken
        id_ = call.id if is_own else f"call_{step}_{place}"
        taken.add(id_)
        named.append(ToolCall(id=id_, name=call.name, arguments=call.arguments))
    return named
