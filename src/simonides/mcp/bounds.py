"""What a tool answers, made to fit: empty fields left out, texts cut, lists ended early.

Whatever is cut is said. Knows JSON and tokens. Must not know any tool.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from simonides.text.tokens import count, count_batch, truncate

ANSWER_TOKENS_MAX = 8_000
"""Tokens of a tool's text, and again of its structured content beside a brief's text."""

TITLE_CHARS_MAX, TEXT_CHARS_MAX = 300, 2_000
"""Characters of titles and summaries, and of passages."""

MORE = "…"
CONTENT_TOKENS = 16
"""What the names `content` and `cut` and their marks take."""
_SPARED = ("metadata", "quoted", "people", "tags")
"""What an item can do without where it is told among others, the first left out first."""


def lean(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without its fields that say nothing."""
    return {
        name: lean(value) if isinstance(value, Mapping) else value
        for name, value in wire.items()
        if value not in (None, "", [], {})
    }


def cut(text: str, chars_max: int) -> str:
    """Return a text of at most so many characters; one that was cut ends in `…`."""
    return text if len(text) <= chars_max else text[: chars_max - 1].rstrip() + MORE


def cost(value: Any) -> int:
    """Return how many tokens (of `cl100k_base`, as everywhere in this room) it takes as JSON."""
    return count(_json(value))


def fitting(values: Sequence[Any], tokens_max: int) -> int:
    """Return how many values, from the first on, fit into so many tokens."""
    left = tokens_max
    costs = count_batch([_json(one) for one in values])
    for place, tokens in enumerate(costs):
        left -= tokens + 1
        if left < 0:
            return place
    return len(costs)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def told_short(item: Mapping[str, Any], tokens_max: int) -> dict[str, Any]:
    """Return an item as it is told among others: bounded, what it can do without left out first.

    Its `content` is cut to what the rest leaves of the tokens; `cut` is set where it was.
    """
    kept = lean(item)
    for name in ("title", "summary"):
        if name in kept:
            kept[name] = cut(kept[name], TITLE_CHARS_MAX)
    content = kept.pop("content", "")
    for name in _SPARED:
        if cost(kept) <= tokens_max // 2:
            break
        kept.pop(name, None)
    if not content:
        return kept
    left = max(0, tokens_max - cost(kept) - CONTENT_TOKENS)
    shown = truncate(content, left)
    return {**kept, "content": shown, **({"cut": True} if len(shown) < len(content) else {})}
