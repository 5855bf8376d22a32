"""Results of tools as JSON for a model: data, bounded in tokens.

Knows how what was found, what was remembered and what a host's function returns are described. What
items say is tamed; no text can pass for a turn. Must not know which tools there are.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from simonides.assistant.citations import NUMBER_TOKENS
from simonides.assistant.prompt import break_template_tokens
from simonides.context.labels import TRUST_MARKS, attribute, author_of_hit, day_of
from simonides.context.safety import escape, one_line
from simonides.errors import SimonidesError
from simonides.model.answer import Hit, ItemKey
from simonides.model.chat import Preference, Retrieved
from simonides.model.memories import MergeOp, Remembered
from simonides.text.clean import public_message
from simonides.text.tokens import count_and_truncate_batch, count_batch, truncate

ITEM_TOKENS_MAX = 200
"""How much of one item is shown (the designs' snippet)."""

FRAME_TOKENS = 40
"""What the JSON around the items takes at most, notes and entities not counted."""

RESULT_CHARS_MAX = 1_000_000
"""More of what a host's function returns is not even counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The bounds of a result, and the time zone of its dates."""

    tokens_max: int
    encoding: str
    timezone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The result of one call: JSON for the model, a line for people, and the hits.

    `question` is what the user is to be asked back.
    """

    content: str
    line: str
    hits: tuple[Hit, ...] = ()
    entities: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarifyingQuestion:
    """The question that the model asks the user."""

    text: str


def report_failure(error: SimonidesError) -> CallResult:
    """Return the result of a deliberate error, with its message, for the model to correct."""
    said = break_template_tokens(public_message(error))[:ERROR_CHARS_MAX]
    return CallResult(
        content=_json({"error": said, "code": error.code}), line=f"error: {error.code}"
    )


ERROR_CHARS_MAX = 2_000
"""How much of an error is shown: it may repeat what the model wrote."""


def report_defect(name: str, error: Exception) -> CallResult:
    """Return the result of an unexpected error, without its message.

    That may hold what nobody should read.
    """
    described = _json({"error": "the tool failed; try another way", "code": "unexpected"})
    note = f"tool {name!r} failed with {type(error).__name__}"
    return CallResult(content=described, line="error: unexpected", notes=(note,))


def late(name: str) -> CallResult:
    """Return the result of a call that did not end within the turn's time."""
    described = _json({"error": "the tool did not answer in time", "code": "timeout"})
    note = f"tool {name!r} did not answer within the time of the turn"
    return CallResult(content=described, line="error: timeout", notes=(note,))


def unknown(name: str, known: Sequence[str]) -> CallResult:
    """Return the result of a call of an unknown tool."""
    there = f"there are {', '.join(known)}" if known else "there are none"
    described = _json(
        {"error": f"no tool {break_template_tokens(name)[:80]!r}; {there}", "code": "not_found"}
    )
    return CallResult(content=described, line="error: not_found")


@singledispatch
def result_of(value: Any, bounds: Bounds) -> CallResult:
    """Return the result of a host's function as JSON, truncated with a notice if it is too long.

    Raises:
        TypeError: JSON has no form for it.
        ValueError: It holds itself.
    """
    text = break_template_tokens(_json(value))
    head = truncate(text[:RESULT_CHARS_MAX], bounds.tokens_max, bounds.encoding)
    if head == text:
        return CallResult(content=text, line="done")
    room = max(0, bounds.tokens_max - FRAME_TOKENS) // 2  # quotes in quotes take up to twice
    kept = truncate(head, room, bounds.encoding)
    return CallResult(content=_json({"cut": True, "result": kept}), line="done, cut")


@result_of.register
def _(value: ClarifyingQuestion, bounds: Bounds) -> CallResult:
    del bounds
    return CallResult(content=_json({"asked": True}), line="asked", question=value.text)


@result_of.register
def _(value: Remembered, bounds: Bounds) -> CallResult:
    """Return the decision with its reason; the user also reads that a memory was replaced."""
    del bounds
    notes: tuple[str, ...] = ()
    if value.op is MergeOp.SUPERSEDE:
        notes = (f"remembered {value.id} in place of {value.superseded}, which is kept",)
    elif value.op is not MergeOp.NOOP:
        notes = (f"remembered {value.id} ({value.op})",)
    described = {
        "op": value.op.value, "reason": value.reason.value, "id": value.id,
        "superseded": value.superseded,
    }  # fmt: skip
    return CallResult(content=_json(described), line=f"{value.op}: {value.reason}", notes=notes)


@result_of.register
def _(value: Preference, bounds: Bounds) -> CallResult:
    """Return the preference as it stands, perhaps with the value before; the user sees it."""
    del bounds
    said = one_line(f"{value.key}: {value.value}", citations=True)
    described = {
        "key": value.key, "value": value.value, "origin": value.origin.value,
        "confidence": round(value.confidence, 2),
    }  # fmt: skip
    return CallResult(
        content=break_template_tokens(_json(described)),
        line="noted",
        notes=(f"preference noted: {said}",),
    )


@result_of.register
def _(value: Retrieved, bounds: Bounds) -> CallResult:
    """Return the number of hits, and as many of the best as fit."""
    entities = [escape(one_line(line)) for line in value.entities]
    texts = _texts(value.hits, bounds)
    items = [_item(hit, text, bounds) for hit, text in zip(value.hits, texts, strict=True)]
    around = {"found": value.found, "items": [], "entities": entities}
    costs = count_batch([_json(one) for one in (around, *items)], bounds.encoding)
    fit = _fitting(costs[1:], bounds.tokens_max - costs[0] - FRAME_TOKENS)
    described: dict[str, Any] = {**around, "items": items[:fit]}
    if fit < len(items):
        described["left_out"] = len(items) - fit
    return CallResult(
        content=break_template_tokens(_json(described)),
        line=f"found {value.found}", hits=value.hits,
        entities=value.entities, notes=value.notes,
    )  # fmt: skip


def _fitting(costs: Sequence[int], room: int) -> int:
    """Return how many of the first results fit: a shorter one further down does not count."""
    used = 0
    for place, cost in enumerate(costs):
        used += cost + 1 + NUMBER_TOKENS  # the comma, and its number
        if used > room:
            return place
    return len(costs)


def with_numbers(result: CallResult, number_of: Callable[[ItemKey], int]) -> CallResult:
    """Return a result whose items have the numbers by which an answer may cite them."""
    if not result.hits:
        return result
    described = json.loads(result.content)
    described["items"] = [
        {"n": number_of((one.get("space", ""), one["id"])), **one} for one in described["items"]
    ]
    return replace(result, content=_json(described))


def _texts(hits: Sequence[Hit], bounds: Bounds) -> list[str]:
    """Return the matching words of each hit, escaped and cut to a number of tokens."""
    said = [escape(_words(hit)) for hit in hits]
    cut = count_and_truncate_batch(said, ITEM_TOKENS_MAX, bounds.encoding)
    return [
        head if head == text else f"{head.rstrip()}…"
        for (head, _), text in zip(cut, said, strict=True)
    ]


def _words(hit: Hit) -> str:
    words = hit.passage or hit.item.content or hit.item.summary
    return attribute(words, hit.item, trust=hit.trust)


def _item(hit: Hit, text: str, bounds: Bounds) -> dict[str, Any]:
    item = hit.item
    described = {
        "id": item.id, "source": one_line(item.source), "kind": item.kind.value,
        "date": day_of(item.happened_at, bounds.timezone), "author": author_of_hit(hit),
        "title": one_line(item.title), "text": text, "trust": TRUST_MARKS.get(hit.trust, ""),
        "space": hit.space,
    }  # fmt: skip
    return {name: value for name, value in described.items() if value}


def _json(value: Any) -> str:
    """Return `value` as JSON on one line, letters unescaped: escapes cost tokens."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
