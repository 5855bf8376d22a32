"""JSON that a model wrote as its answer, also in a fence, behind words, cut, or still coming.

A function of its arguments alone. Must not know what the object means.
"""

import json
import re
from typing import Any

STARTS_MAX = 20
"""Places at which an object is looked for: prose holds few braces, an answer of code many."""

_SPEAKS = re.compile(r'"action"\s*:\s*"answer"')
_TEXT = re.compile(r'"text"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_ESCAPE_CHARS_MAX = 12
"""A pair of surrogate escapes: what may stand unfinished at the end."""


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in a text; None where there is none that is whole."""
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
    """Return the object that is all of a text, but for a fence around it; else None."""
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


def spoken(text: str) -> str:
    """Return what an action `answer` says so far, though its JSON may still be coming.

    Longer texts of one answer never say less, or something else.
    """
    said = _TEXT.search(text)
    if said is None or _SPEAKS.search(text) is None:
        return ""
    body = said[1]
    for cut in range(min(len(body), _ESCAPE_CHARS_MAX) + 1):
        found = _decoded(body[: len(body) - cut])
        if found is not None:
            return found
    return ""


def _decoded(body: str) -> str | None:
    """Return what a string of JSON says; None where its end is half an escape or a character."""
    try:
        found = json.loads(f'"{body}"', strict=False)
    except ValueError:
        return None
    return None if "\ud800" <= found[-1:] <= "\udbff" else str(found)
