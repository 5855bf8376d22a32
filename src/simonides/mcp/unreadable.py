"""The answer to a line that is no message of JSON-RPC: what is wrong with it, under its own id.

Must not know where lines come from.
"""

import json
from typing import Any

import mcp_types as types

from simonides.codec.request import HALF_CHARACTER, holds_half_character

LINE_BYTES_MAX = 8 << 20
"""Bytes of a line: as many as the body of a request over HTTP may have."""

TOO_LONG = b"\0"
"""Stands for a longer one; no text that is meant to be JSON is this."""

_FIELDS = (
    'it needs "jsonrpc": "2.0" and a method, and an id (a text or a whole number) to be answered'
)
_PROBLEMS = {
    "long": (types.PARSE_ERROR, f"a line has at most {LINE_BYTES_MAX >> 20} MiB; send less"),
    "json": (types.PARSE_ERROR, "the line is no JSON: send one message of JSON-RPC in each line"),
    "half": (types.INVALID_PARAMS, f"the message {HALF_CHARACTER}"),
    "batch": (types.INVALID_REQUEST, "the line is a batch: send each message in its own line"),
    "object": (types.INVALID_REQUEST, "the line is no object: send a message of JSON-RPC"),
    "fields": (types.INVALID_REQUEST, f"the line is no message of JSON-RPC: {_FIELDS}"),
}


def refuse_line(error: Exception) -> types.JSONRPCError:
    """Return the answer to a line, from the error with which the SDK could not read it."""
    kind, message = _diagnose(error)
    code, text = _PROBLEMS[kind]
    return types.JSONRPCError(
        jsonrpc="2.0", id=_id_of(message), error=types.ErrorData(code=code, message=text)
    )


def _diagnose(error: Exception) -> tuple[str, Any]:
    """Return the kind of problem with a line, and the message in it if there is one."""
    problems: list[Any] = getattr(error, "errors", list)()  # pydantic's: they hold what was read
    first = problems[0] if problems else {"type": "json_invalid", "input": ""}
    sent = first["input"]
    if first["type"] == "json_invalid":
        if sent == TOO_LONG.decode():
            return "long", None
        return ("half", json.loads(sent)) if holds_half_character(sent) else ("json", None)
    if first["type"] == "model_type":
        return ("batch" if isinstance(sent, list) else "object"), None
    return "fields", next((one["input"] for one in problems if one["type"] == "missing"), None)


def _id_of(message: Any) -> str | int | None:
    """Return the id of a message; None where it has none, or one that cannot be repeated."""
    found = message.get("id") if isinstance(message, dict) else None
    is_id = type(found) in (str, int) and not holds_half_character(json.dumps(found))
    return found if is_id else None
