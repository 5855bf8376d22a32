"""Answers of tools: JSON within bounds, and text for a model to read.

Whatever is cut is said. In texts the heads are ours and the words of items are tamed: no line of
an item begins as a head does (`context.safety`), and no mark of a chat template survives. Must not
know any tool.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simonides.assistant.prompt import break_template_tokens
from simonides.context import names
from simonides.context.labels import with_speaker
from simonides.context.safety import escape, one_line
from simonides.model.item import Item, Trust
from simonides.model.stored import EntityKind
from simonides.retrieval.trust import speaker_trust
from simonides.text.tokens import count, count_batch, truncate

ANSWER_TOKENS_MAX = 8_000
"""Tokens of a tool's text, and again of its structured content beside a brief's text."""

TITLE_CHARS_MAX, TEXT_CHARS_MAX = 300, 2_000
"""Characters of titles and summaries, and of passages."""

MORE = "…"
CONTENT_TOKENS = 16
"""What the names `content` and `cut` and their marks take."""
_SPARED = ("metadata", "quoted", "people", "tags")
"""What an item can do without where it is shown among others, the first left out first."""


def lean(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without its empty fields."""
    return {
        name: lean(value) if isinstance(value, Mapping) else value
        for name, value in wire.items()
        if value not in (None, "", [], {})
    }


def cut(text: str, chars_max: int) -> str:
    """Return a text of at most so many characters; a truncated one ends in `…`."""
    return text if len(text) <= chars_max else text[: chars_max - 1].rstrip() + MORE


def cost(value: Any) -> int:
    """Return the number of tokens (of `cl100k_base`, as everywhere in this room) of the JSON."""
    return count(as_json(value))


def fitting(values: Sequence[Any], tokens_max: int) -> int:
    """Return how many values, from the first on, fit into so many tokens."""
    left = tokens_max
    costs = count_batch([as_json(one) for one in values])
    for place, tokens in enumerate(costs):
        left -= tokens + 1
        if left < 0:
            return place
    return len(costs)


def fit(wire: Mapping[str, Any], tokens_max: int = ANSWER_TOKENS_MAX) -> dict[str, Any]:
    """Return an object within so many tokens: long texts and lists cut, and then `cut` set.

    What is still too large then is left out, the largest field first.
    """
    if cost(wire) <= tokens_max:
        return dict(wire)
    kept: dict[str, Any] = {}
    for chars_max, count_max in _CUTS:
        kept = _shorten(wire, chars_max, count_max)
        if cost(kept) <= tokens_max:
            break
    while kept and cost(kept) > tokens_max:
        kept.pop(max(kept, key=lambda name: cost(kept[name])))
    return {**kept, "cut": True}


_CUTS = ((8_000, 100), (2_000, 40), (500, 20), (200, 10), (80, 4))
"""Characters of a text and entries of a list, in the order in which they are tried."""


def _shorten(value: Any, chars_max: int, count_max: int) -> Any:
    if isinstance(value, str):
        return cut(value, chars_max)
    if isinstance(value, Mapping):
        names = list(value)[: max(count_max, _FIELDS_MAX)]
        return {name: _shorten(value[name], chars_max, count_max) for name in names}
    if isinstance(value, list):
        return [_shorten(one, chars_max, count_max) for one in value[:count_max]]
    return value


_FIELDS_MAX = 30
"""No record has more fields."""


def as_json(value: Any) -> str:
    """Return a value as JSON, letters beyond ASCII unescaped: they take fewer tokens so."""
    return json.dumps(value, ensure_ascii=False)


def shorten_item(item: Mapping[str, Any], tokens_max: int) -> dict[str, Any]:
    """Return an item in a list: bounded, its dispensable fields left out first.

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


# ── text ──────────────────────────────────────────────────────────────────────────────────────

NOTHING = "Nothing was found."
CUT = "More was found than fits here; ask for less, or more precisely."


def head(number: int, item: Mapping[str, Any], *, about: Sequence[str] = ()) -> str:
    """Return the head line of an item: number, source, date, title, what its kind adds, id."""
    day = str(item.get("happened_at", ""))[:10]
    parts = (item.get("source", ""), day, item.get("title", ""), *about, f"id {item.get('id', '')}")
    return f"[{number}] " + " · ".join(_plain(one) for one in parts if one)


def _plain(text: str) -> str:
    return one_line(str(text), citations=True)


def quote(text: str, item: Item, *, trust: Trust | None = None) -> str:
    """Return an item's words; if those of a message claim a speaker, with its real one.

    `trust` is that of a hit; where it is not known, the speaker alone tells.
    """
    return with_speaker(text, item, trust=trust or speaker_trust(item.author))


def entity(kind: str, id_: str, called: Sequence[str], mentions: int) -> str:
    """Return the line of an entity: its kind, its names, a person's address, its mentions."""
    where = id_.partition(":")[2] if kind == EntityKind.PERSON else ""
    at = f" at {names.address(where)}" if where and not where.startswith("~") else ""
    named = ", ".join(filter(None, map(names.name, called)))
    return f"{kind}: {named}{at} ({mentions} times)"


def escape_words(text: str) -> str:
    """Return an item's words, escaped so that they cannot pass for a line of ours."""
    return escape(text, citations=True)


def join_blocks(blocks: Iterable[tuple[str, str]], *, more: Sequence[str] = ()) -> str:
    """Return heads, each with its words, then the notes."""
    blocks_text = ["\n".join(filter(None, (first, escape_words(words)))) for first, words in blocks]
    return bound_text("\n\n".join((*(blocks_text or [NOTHING]), *filter(None, more))))


def bound_text(text: str, tokens_max: int = ANSWER_TOKENS_MAX) -> str:
    """Return a text of at most so many tokens; a truncated one says so."""
    plain = break_template_tokens(text)
    if count(plain) <= tokens_max:
        return plain
    return truncate(plain, tokens_max - 20).rstrip() + f"{MORE}\n\n{CUT}"
