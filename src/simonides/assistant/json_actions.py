"""Mode `json_schema`: the model writes one action as JSON, in a fixed order of steps.

The only mode that small local models obey: first what to look up, by one schema; then the answer,
by another. A free choice of actions does worse, and a placeholder in the prompt is copied where a
worked example is not (measured with Qwen2.5-Coder 0.5B: 5 of 5 questions against 3 of 5). So the
model chooses freely only where the host brings tools of its own.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simonides.assistant.json_repair import first_object, spoken
from simonides.assistant.results import Result
from simonides.assistant.tool_protocol import Action, RequestOptions
from simonides.model.chat import ChatMessage, ChatRole, ModelReply, ToolCall, ToolSchema

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


_TEXT = {"type": "string", "minLength": 1}
LOOKING_UP = _action([LOOK_UP], query=_TEXT)
SPEAKING = _action(["answer", ASK_BACK], text=_TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonActions:
    """Speaks in actions; `tools` are the host's.

    `message` is looked up where the model writes no query.
    """

    message: str
    tools: tuple[ToolSchema, ...] = ()

    @property
    def how(self) -> str:
        """What the system text says of this mode."""
        if not self.tools:
            return _HOW
        told = (
            f"- {one.name}: {' '.join(one.description.split())}"
            f" Arguments: {json.dumps(one.parameters.get('properties', {}))}"
            for one in self.tools
        )
        return "\n".join((_HOW, _MORE, *told))

    def form(self, step: int, *, is_last: bool) -> RequestOptions:
        """Return the schema of a step: look up first; speak at last; between them, as it likes."""
        if is_last:
            return RequestOptions(schema=SPEAKING)
        if step == 0:
            return RequestOptions(schema=LOOKING_UP, tokens_max=LOOK_UP_TOKENS)
        return RequestOptions(schema=self._any if self.tools else SPEAKING)

    @property
    def _any(self) -> Mapping[str, Any]:
        own = (_action([one.name], arguments=dict(one.parameters)) for one in self.tools)
        return {"anyOf": [SPEAKING, LOOKING_UP, *own]}

    def heard(self, told: str, step: int) -> str:
        """Return what the answer says so far; nothing of the step that looks up."""
        return spoken(told) if step else ""

    def move(self, reply: ModelReply, step: int, *, is_last: bool) -> Action:
        """Return the call that an action is, or the answer; what is no action answers as it is.

        At the first step something is always looked up, whatever came.
        """
        found = first_object(reply.content)
        if step == 0 and not is_last:
            query = (found or {}).get("query")
            said = query if isinstance(query, str) and query.strip() else self.message
            return _call(LOOK_UP, {"query": said}, step)
        if found is None:
            return Action(text=spoken(reply.content) or reply.content)
        return self._read(found, reply.content, step)

    def _read(self, found: Mapping[str, Any], content: str, step: int) -> Action:
        action, text = found.get("action"), found.get("text")
        if action == LOOK_UP:
            return _call(LOOK_UP, {"query": found.get("query") or self.message}, step)
        if action in [one.name for one in self.tools]:
            return _call(str(action), found.get("arguments", {}), step)
        if not isinstance(text, str):
            return Action(text=content)
        return (
            _call(ASK_BACK, {"question": text}, step) if action == ASK_BACK else Action(text=text)
        )

    def told(
        self, reply: ModelReply, move: Action, results: Sequence[Result]
    ) -> tuple[ChatMessage, ...]:
        """Return the action as the assistant wrote it, and its result as what the user says next.

        Templates of small models know no other speaker.
        """
        del reply
        [call], [result] = move.calls, results
        key = "query" if call.name == LOOK_UP else "arguments"
        arguments = json.loads(call.arguments)
        action = {"action": call.name, key: arguments["query"] if key == "query" else arguments}
        said = f"Result of {call.name}:\n{result.content}\n\nStep 2:"
        return (
            ChatMessage(role=ChatRole.ASSISTANT, content=json.dumps(action, ensure_ascii=False)),
            ChatMessage(role=ChatRole.USER, content=said),
        )


def _call(name: str, arguments: Any, step: int) -> Action:
    written = json.dumps(arguments)
    return Action(calls=(ToolCall(id=f"call_{step}_0", name=name, arguments=written),))
