"""The forms of OpenAI's two APIs of conversations, as far as a proxy has to read them.

Chat Completions sends the whole conversation with each request; Responses may send what is new and
name the response before it. Must not know where requests go, nor what is kept.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simonides.models.chat import connection
from simonides.models.chat.openai import Completion


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model said: its text, empty if it is incomplete or calls a tool; and its id.

    The id is that of a response, by which the next request may name it; else empty.
    """

    text: str = ""
    id: str = ""


NO_REPLY = Reply()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One API: its path at the endpoint, where messages stand, and how its answers are read.

    `part` is the type of a part of text in a message of the user. `read_reply` takes the JSON texts
    of an answer: one, or those of a stream.
    """

    path: str
    field: str
    part: str
    read_reply: Callable[[Iterable[str]], Reply]

    def messages(self, sent: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the messages of a request; a bare text is one of the user."""
        given = sent.get(self.field) or ()
        return [{"role": "user", "content": given}] if isinstance(given, str) else given

    def with_messages(
        self, sent: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return a request with other messages; a bare text stays one."""
        is_text = isinstance(sent[self.field], str)
        return {**sent, self.field: messages[0]["content"] if is_text else messages}


def read_completion(datas: Iterable[str]) -> Reply:
    """Return the reply in an answer of Chat Completions.

    Raises:
        ModelError: It cannot be read.
    """
    gathering = Completion(model="", call_prefix="call")
    for data in datas:
        if data.strip() == connection.DONE:
            gathering.finish()
            break
        gathering.add(connection.json_object(data))
    reply = gathering.reply()
    return Reply(text=reply.content if gathering.is_ended and not reply.tool_calls else "")


def read_response(datas: Iterable[str]) -> Reply:
    """Return the reply in an answer of Responses; of a stream, what its last event holds.

    Raises:
        ModelError: It cannot be read.
    """
    response: Mapping[str, Any] = {}
    for data in datas:
        if data.strip() == connection.DONE:
            break
        found = connection.json_object(data)
        inner = found.get("response")
        response = inner if isinstance(inner, dict) else found if "output" in found else response
    output = [one for one in response.get("output") or () if isinstance(one, dict)]
    is_said = response.get("status") == "completed" and not _CALLS.intersection(
        str(one.get("type")) for one in output
    )
    named = response.get("id")
    return Reply(
        text=_read_text(output) if is_said else "", id=named if isinstance(named, str) else ""
    )


_CALLS = frozenset({
    "function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call",
    "apply_patch_call", "mcp_approval_request",
})  # fmt: skip
"""Types of output that the client has to answer; tools of the endpoint's own have run already."""


def _read_text(output: Sequence[Mapping[str, Any]]) -> str:
    parts = (
        part.get("text")
        for one in output
        if one.get("type") == "message" and isinstance(one.get("content"), list)
        for part in one["content"]
        if isinstance(part, dict) and part.get("type") == "output_text"
    )
    return "".join(one for one in parts if isinstance(one, str))


COMPLETIONS = Dialect(
    path="chat/completions", field="messages", part="text", read_reply=read_completion
)
RESPONSES = Dialect(path="responses", field="input", part="input_text", read_reply=read_response)
