"""Modes `native` and `prefetch`: the endpoint takes tools and calls them by itself, or has none."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from simonides.assistant.json_repair import only_object
from simonides.assistant.prompt import NATIVE, PREFETCH
from simonides.assistant.results import Result
from simonides.assistant.tool_protocol import Action, RequestOptions
from simonides.model.chat import ChatMessage, ChatRole, ModelReply, ToolCall, ToolSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """Speaks with tools. `repairs` reads an answer that is a call written as bare JSON as a call.

    Small local models do that; large ones do not, and might mean it as an answer.
    """

    tools: tuple[ToolSchema, ...] = ()
    repairs: bool = False

    @property
    def how(self) -> str:
        """What the system text says of this mode."""
        return NATIVE if self.tools else PREFETCH

    def form(self, step: int, *, is_last: bool) -> RequestOptions:
        """Return the tools, at every step: some endpoints refuse results of tools without them."""
        del step, is_last
        return RequestOptions(tools=self.tools)

    def heard(self, told: str, step: int) -> str:
        """Return everything."""
        del step
        return told

    def move(self, reply: ModelReply, step: int, *, is_last: bool) -> Action:
        """Return the calls, each with an id of its own, or the answer."""
        del is_last
        calls = reply.tool_calls
        if self.repairs and not calls:
            calls = self._repaired(reply.content)
        if not (calls and self.tools):
            return Action(text=reply.content)
        return Action(calls=tuple(_with_ids(calls, step)))

    def _repaired(self, content: str) -> tuple[ToolCall, ...]:
        found = only_object(content) or {}
        name = found.get("name")
        arguments = found.get("arguments", found.get("parameters", {}))
        is_call = isinstance(name, str) and isinstance(arguments, dict)
        if not is_call or name not in [one.name for one in self.tools]:
            return ()
        return (ToolCall(id="", name=str(name), arguments=json.dumps(arguments)),)

    def told(
        self, reply: ModelReply, move: Action, results: Sequence[Result]
    ) -> tuple[ChatMessage, ...]:
        """Return what the assistant asked for, and a message of the tool for each result."""
        said = reply.content if reply.tool_calls else ""
        asked = ChatMessage(role=ChatRole.ASSISTANT, content=said, tool_calls=move.calls)
        return (
            asked,
            *(
                ChatMessage(role=ChatRole.TOOL, content=result.content, tool_call_id=call.id)
                for call, result in zip(move.calls, results, strict=True)
            ),
        )


def _with_ids(calls: Sequence[ToolCall], step: int) -> list[ToolCall]:
    """Return the calls, those whose id is missing or taken with one of ours."""
    taken: set[str] = set()
    named = []
    for place, call in enumerate(calls):
        is_own = bool(call.id) and call.id not in taken
        id_ = call.id if is_own else f"call_{step}_{place}"
        taken.add(id_)
        named.append(ToolCall(id=id_, name=call.name, arguments=call.arguments))
    return named
