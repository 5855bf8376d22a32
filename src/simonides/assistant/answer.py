"""Answers without a model: numbered lines of the hits, with the reason for having no model.

Also brings together what one turn found. Knows hits and what a brief shows of them; what items say
is tamed here. A function of its arguments alone.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from simonides.assistant.retrieve import places_for_messages
from simonides.context.confusables import is_visible
from simonides.context.details import about_hit
from simonides.context.labels import JOIN, TRUST_MARKS, attribute, author_of_hit, day_of, label_of
from simonides.context.names import space_mark
from simonides.context.safety import one_line
from simonides.model.answer import MEANING_PARTS, Contribution, Hit, ItemKey
from simonides.model.brief import BriefItem
from simonides.model.chat import Stop
from simonides.model.item import Item, Kind
from simonides.model.metadata_keys import ASKS_KEY, QUOTES_KEY
from simonides.retrieval.features import OWN_WORDS
from simonides.retrieval.originals import wording
from simonides.text.questions import asks_own_words
from simonides.text.unicode_script import boundary

LINES_MAX = 10
"""Lines of an answer without a model (the designs' max_context_items)."""

LINE_CHARS_MAX = 300
"""How much of an item a line shows: two or three sentences."""

MEANS_MIN = 0.15
"""The part of meaning in a score from which on an item that shares no word with the question may
still be quoted (measured: docs/explanation/assistant.md)."""

_SHARED = frozenset(
    ("words", "lexical", "keyword", "phrase", "people", "time", "direction", "source")
)
"""The parts of a score that come of what the question and the item have in common."""

LEADS = {
    Stop.NO_MODEL: "No language model is configured",
    Stop.CALLS: "The model still asked for tools at its last call",
    Stop.TOKENS: "The tokens of this turn were used up before the model answered",
    Stop.TIME: "The time of this turn was used up before the model answered",
    Stop.ANSWERED: "The model answered nothing",
}
"""Why there is no prose."""


def quote_hits(
    stop: Stop,
    hits: Sequence[Hit],
    *,
    shown: Mapping[ItemKey, str],
    timezone: str,
    nothing: str = "",
) -> str:
    """Return an answer without a model: the reason on the first line, then the hits.

    Line `[n]` is of the n-th hit. `shown` are the words that a brief shows of some. `nothing` says
    that none of them clearly answers, where that is so.
    """
    if not hits:
        return f"{LEADS[stop]}, and nothing in memory answers this."
    lines = [f"{LEADS[stop]}. {nothing}" if nothing else f"{LEADS[stop]}; this is what was found:"]
    for number, hit in enumerate(hits[:LINES_MAX], start=1):
        lines.append(f"[{number}] {_line(hit, shown.get(hit.key), timezone)}")
    if len(hits) > LINES_MAX:
        lines.append(f"({len(hits) - LINES_MAX} more)")
    return "\n".join(lines)


def _line(hit: Hit, shown: str | None, timezone: str) -> str:
    item = hit.item
    title = one_line(item.title, citations=True)
    head = [label_of(item), day_of(item.happened_at, timezone), author_of_hit(hit)]
    head += (TRUST_MARKS.get(hit.trust, ""), space_mark(hit.space))
    words = words_of(hit, shown)
    head += about_hit(hit, partial(day_of, timezone=timezone), beside=words)
    if is_visible(title):
        head.append(title)
    return f"{JOIN.join(filter(None, head))}{f': {words}' if words else ''}"


def words_of(hit: Hit, shown: str | None = None) -> str:
    """Return a hit's words on one line: those in the brief, or else its best passage."""
    item = hit.item
    text = one_line(shown or hit.passage or item.content or item.summary, citations=True)
    text = attribute(text, item, trust=hit.trust)
    if not is_visible(text):
        return ""
    if len(text) <= LINE_CHARS_MAX:
        return text
    return text[: boundary(text, LINE_CHARS_MAX - 1)].rstrip() + "…"


def read_shown_words(items: Iterable[BriefItem], hits: Iterable[Hit]) -> dict[ItemKey, str]:
    """Return the words that a brief shows of its items, raw, by key; surrogates are left out."""
    content = {hit.key: hit.item.content for hit in hits}
    return {
        one.key: " … ".join(content[one.key][start:stop].strip() for start, stop in one.spans)
        for one in items
        if one.spans and one.key in content
    }


def merge_hits(*found: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the hits of several questions, each item once with its best score, best first."""
    best: dict[ItemKey, Hit] = {}
    for hit in (hit for some in found for hit in some):
        if hit.key not in best or _rank(hit) < _rank(best[hit.key]):
            best[hit.key] = hit
    return tuple(sorted(best.values(), key=_rank))


def _rank(hit: Hit) -> tuple[bool, float, ItemKey]:
    """Return the sort key of a hit: falling score, NaN last, then space and id."""
    is_nan = math.isnan(hit.score)
    return is_nan, 0.0 if is_nan else -hit.score, hit.key


def sources_among(hits: Iterable[Hit], *, request: str = "") -> tuple[Hit, ...]:
    """Return the informative hits: no answer that only quoted, no echo of the request.

    Of an answer that quoted the sources speak for themselves; a question is no evidence, but what
    a request after one's own words asks for ("what did I ask you?").
    """
    keeps_questions = asks_own_words(request)
    return tuple(
        hit
        for hit in hits
        if hit.item.kind is not Kind.MESSAGE
        or _informs(hit.item, request=request, keeps_questions=keeps_questions)
    )


def _informs(message: Item, *, request: str, keeps_questions: bool) -> bool:
    """Return whether a message says something: no quoting answer, no question, no echo."""
    said = message.metadata
    if said.get(QUOTES_KEY) or (said.get(ASKS_KEY) and not keeps_questions):
        return False
    return wording(message.content) != wording(request)


def with_few_messages(hits: Sequence[Hit], *, places: int) -> tuple[Hit, ...]:
    """Return the hits with at most 5 messages for 10 places, unless items leave places free.

    So conversations crowd out no item, as in `retrieve`.
    """
    items = sum(hit.item.kind is not Kind.MESSAGE for hit in hits)
    left = places_for_messages(places, items=items)
    kept = []
    for hit in hits:
        is_message = hit.item.kind is Kind.MESSAGE
        if not is_message or left:
            kept.append(hit)
            left -= is_message
    return tuple(kept)


def relevant_hits(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the relevant hits, as far as their scores tell.

    A search ranks whatever there is. A model sees that the best is beside the point; who reads
    lines should not have to. A hit that does not explain its score is believed.
    """
    return tuple(hit for hit in hits if _is_relevant(hit.explanation.contributions))


def _is_relevant(parts: Sequence[Contribution]) -> bool:
    return not parts or any(
        (part.name in _SHARED and part.value > 0.0 and part.detail != OWN_WORDS)
        or (part.name in MEANING_PARTS and part.value >= MEANS_MIN)
        for part in parts
    )
