"""Server-sent events and JSON of endpoints; pure.

Knows server-sent events (WHATWG HTML, 9.2) and JSON. Must not know what the objects mean.
"""

import json
from collections.abc import Iterator
from typing import Any

from simonides.errors import ModelError

DONE = "[DONE]"
"""What ends a stream of Chat Completions."""

_SHOWN_CHARS = 80


def data_of(lines: Iterator[str]) -> Iterator[str]:
    """Yield the data of each event, without comments and other fields.

    An event that the stream's end cuts off is yielded too: some endpoints end without the blank
    line, and one that is cut shows as broken JSON.
    """
    data: list[str] = []
    for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object in a text.

    Raises:
        ModelError: It holds none; repeats how it begins.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        begin = text[:_SHOWN_CHARS].strip()
        raise ModelError(f"sent what is no JSON object: {begin!r}")
    return value


def arguments_object(text: str) -> dict[str, Any]:
    """Return a call's arguments as an object; malformed text stands in `unreadable`."""
    try:
        return json_object(text) if text.strip() else {}
    except ModelError:
        return {"unreadable": text}


def error_text(body: Any) -> str:
    """Return the message in an error's body, whatever its form; may be empty."""
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return "" if body is None else json.dumps(body)
    for key in ("error", "message", "detail"):
        if body.get(key):
            return error_text(body[key])
    return json.dumps(body) if body else ""


def sendable(value: Any) -> Any:
    """Return a JSON value whose texts any encoder accepts: lone surrogates become "?"."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {sendable(key): sendable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(each) for each in value]
    return value


def count(value: Any) -> int | None:
    """Return a number of tokens, None for any other value."""
    return value if type(value) is int and value >= 0 else None
