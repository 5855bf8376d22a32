"""The words of an item that a brief shows: all of them, or the sentences that matched best.

Every item gets the same allotment of words, so that what is left goes to the next item and not to
longer excerpts. Knows texts and their sizes. Must not know what else is shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from simonides.context.labels import RenderItem
from simonides.context.selection import Budget
from simonides.context.summary_level import tier_text
from simonides.model.answer import Hit, ItemKey
from simonides.model.brief import ContextConfig, Form, Stage
from simonides.model.stored import Surrogate, Tier
from simonides.text.chunk import first_words, word_count
from simonides.text.excerpt import (
    QueryTerms,
    is_row,
    join_spans,
    rank_sentences,
    sentences_and_rows,
)
from simonides.text.sentences import Span
from simonides.text.tokens import count_batch
from simonides.text.unicode_script import UNSPACED_CHAR, boundary

ITEMS_OF_BUDGET = 15
"""A budget is shared by about so many items (measured: docs/explanation/briefs.md)."""

WORDS_MIN = 60
"""No allotment is smaller: fewer words hardly hold a statement with its reason."""

WHOLE_SHARE = 1.25
"""A text up to so many times its allotment is shown whole: a cut would save next to nothing."""

AROUND_CHARS = 4_000
"""How much of a long text is looked at on each side of its best passage."""

LONG_CHARS = 16_000
"""A longer text is looked at around its best passage only."""

TOKENS_PER_WORD = 4 / 3
"""About how many tokens an English word costs, where a budget counts words."""


DENSE_CHARS = 9
"""A word of more characters, on the mean, is more than one: in tables, codes, web addresses."""


def allotment(budget: Budget) -> int:
    """Return how many words of each item a brief of this budget shows."""
    tokens = budget.available * (TOKENS_PER_WORD if budget.unit == "words" else 1.0)
    return max(WORDS_MIN, int(tokens / ITEMS_OF_BUDGET))


def excerpt(
    hit: Hit,
    *,
    words_max: int,
    query: QueryTerms,
    known: "CutItems",
    whole_share: float,
) -> RenderItem | None:
    """Return the item whole, or by its best sentences of at most `words_max` words.

    It is whole where it has at most `whole_share` times as many. None where no word of it may be
    shown.
    """
    if words_max < 1:
        return None
    content, most = hit.item.content, whole_share * words_max
    words = word_count(content)
    is_plain = content.isascii() and len(content) <= DENSE_CHARS * words
    if words <= most and (is_plain or sizes_of([content])[0] <= most):
        return whole(hit)
    cut = known.of(hit)
    first = rank_sentences(cut.pieces, query, cut.passage, worths=cut.worths)
    if first and cut.sizes[first[0]] > words_max:
        return _part(hit, [_cut(hit, cut.spans[first[0]], words_max)], stage=Stage.SNIPPET)
    chosen, left = _take(_with_heading(first, cut.pieces), cut.sizes, words_max)
    passage, sizes = cut.passage, cut.sizes
    others = [n for n, s in enumerate(sizes) if s <= left and n not in passage and n not in chosen]
    others = rank_sentences(
        cut.pieces, query, others, nearest=first[0] if first else 0, worths=cut.worths
    )
    chosen += _take(others, sizes, left)[0]
    return _part(hit, [cut.spans[place] for place in sorted(chosen)], stage=Stage.SNIPPET)


ROWS_SHARE = 3
"""The rows of a table that a question asks for may take so many allotments: only all of them
answer how much was spent."""


def rows(
    hit: Hit, places: Sequence[int], *, words_max: int, known: "CutItems"
) -> RenderItem | None:
    """Return the item by some rows of its table, as many as fit; None without any."""
    cut = known.of(hit)
    costs = dict(zip(places, count_batch([cut.pieces[one] for one in places]), strict=True))
    chosen, _ = _take(places, costs, int(ROWS_SHARE * words_max * TOKENS_PER_WORD))
    return _part(hit, [cut.spans[place] for place in sorted(chosen)], stage=Stage.SNIPPET)


def _with_heading(places: Sequence[int], pieces: Sequence[str]) -> Sequence[int]:
    """Return the places with the first row of the table, where the best one is a row of it."""
    if not places:
        return places
    head = places[0]
    while head > 0 and is_row(pieces[head]) and is_row(pieces[head - 1]):
        head -= 1
    return list(dict.fromkeys((*places[:1], head, *places[1:])))


def sizes_of(texts: Sequence[str]) -> list[int]:
    """Return how many words each text counts in an excerpt.

    A row of a table may be one word and cost forty tokens, two characters of a script without
    spaces are one and cost two: what is dense counts by its tokens.
    """
    sizes = list(map(word_count, texts))
    dense = [n for n, text in enumerate(texts) if _is_dense(text, sizes[n])]
    for place, tokens in zip(dense, count_batch([texts[n] for n in dense]), strict=True):
        sizes[place] = max(sizes[place], round(tokens / TOKENS_PER_WORD))
    return sizes


def _is_dense(text: str, words: int) -> bool:
    """Return whether a text of so many words costs more than they do."""
    if len(text) > DENSE_CHARS * words:
        return True
    return not text.isascii() and UNSPACED_CHAR.search(text) is not None


def _take(
    places: Sequence[int], sizes: Sequence[int] | Mapping[int, int], left: int
) -> tuple[list[int], int]:
    """Return those of some sentences that fit one after the other, and the room that is left."""
    chosen = []
    for place in places:
        if sizes[place] <= left:
            chosen.append(place)
            left -= sizes[place]
    return chosen, left


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """The sentences of an item: where each stands, its words, its size, and the passage's.

    `worths` is what is known of how much each says for the question.
    """

    spans: Sequence[Span]
    pieces: Sequence[str]
    sizes: Sequence[int]
    passage: range
    worths: dict[int, float] = field(default_factory=dict)


class CutItems:
    """The sentences of the hits of one question, each cut once for briefs of several budgets."""

    def __init__(self) -> None:
        self._known: dict[ItemKey, Sentences] = {}

    def of(self, hit: Hit) -> Sentences:
        """Return the sentences of a hit's item; of a long one those around its passage."""
        if hit.key not in self._known:
            spans, content = _sentences(hit), hit.item.content
            pieces = [content[start:stop] for start, stop in spans]
            self._known[hit.key] = Sentences(
                spans=spans, pieces=pieces, sizes=sizes_of(pieces),
                passage=_passage_places(hit, spans),
            )  # fmt: skip
        return self._known[hit.key]


def expand(hit: Hit, *, cost_max: int, budget: Budget) -> RenderItem | None:
    """Return the item at length: its first sentences of a cost of at most `cost_max`.

    Where the passage that was found ends further back, they begin with it. None if nothing fits.
    """
    spans = _sentences(hit)
    content = hit.item.content
    costs = budget.costs([content[start:stop] for start, stop in spans])
    passage = _passage_places(hit, spans)
    chosen = _beginning(costs, cost_max, first=0)
    if passage and passage[-1] not in chosen:
        chosen = _beginning(costs, cost_max, first=passage[0])
    return _part(hit, [spans[place] for place in chosen], stage=Stage.EXPANDED)


def whole(hit: Hit) -> RenderItem:
    """Return the item with all its words."""
    content = hit.item.content
    spans = ((0, len(content)),) if content else ()
    return _make(hit, stage=Stage.SNIPPET, form=Form.WHOLE, text=content, spans=spans)


def summary(hit: Hit) -> RenderItem:
    """Return the item as its own summary."""
    return _make(hit, stage=Stage.SNIPPET, form=Form.SUMMARY, text=hit.item.summary)


def surrogate(
    hit: Hit, stand_in: Surrogate, tier: Tier, *, config: ContextConfig, budget: Budget
) -> RenderItem | None:
    """Return the item's surrogate of a tier, cut at `surrogate_tokens_max`."""
    text = tier_text(
        stand_in, tier, tokens_max=config.surrogate_tokens_max, encoding=budget.encoding
    )
    if not text:
        return None
    return _make(hit, stage=Stage.SURROGATE, form=Form.SUMMARY, text=text, tier=tier)


def _sentences(hit: Hit) -> Sequence[Span]:
    """Return the sentences of an item; of a long one those around its best passage."""
    content = hit.item.content
    if len(content) <= LONG_CHARS:
        return list(sentences_and_rows(content))
    middle = max(0, content.find(hit.passage)) if hit.passage else 0
    start = boundary(content, max(0, middle - AROUND_CHARS))
    stop = boundary(content, min(len(content), middle + len(hit.passage) + AROUND_CHARS))
    cut = sentences_and_rows(content[start:stop])
    spans = [Span(start + one, start + other) for one, other in cut]
    return spans[start > 0 : len(spans) - (stop < len(content))] or spans


def _passage_places(hit: Hit, spans: Sequence[Span]) -> range:
    """Return the places of the sentences of the passage that was found; all without one."""
    at = hit.item.content.find(hit.passage) if hit.passage else -1
    inside = [
        place
        for place, (start, stop) in enumerate(spans)
        if at >= 0 and start < at + len(hit.passage) and at < stop
    ]
    return range(inside[0], inside[-1] + 1) if inside else range(len(spans))


def _beginning(costs: Sequence[int], cost_max: int, *, first: int) -> range:
    """Return the places from `first` on with a total cost of at most `cost_max`."""
    total = 0
    for place in range(first, len(costs)):
        total += costs[place]
        if total > cost_max:
            return range(first, place)
    return range(first, len(costs))


def _cut(hit: Hit, span: Span, words_max: int) -> Span:
    """Return the beginning of a sentence that is too long; of its passage, if that is within."""
    content = hit.item.content
    start = max(span.start, content.find(hit.passage, span.start, span.stop) if hit.passage else -1)
    left = content[start : span.stop]
    share = word_count(left) / max(sizes_of([left])[0], 1)
    return Span(start, start + len(first_words(left, max(1, int(share * words_max))).rstrip()))


def _part(hit: Hit, spans: Sequence[Span], *, stage: Stage) -> RenderItem | None:
    if not spans:
        return None
    content = hit.item.content
    merged = tuple(_merge(content, spans))
    is_whole = len(merged) == 1 and content[slice(*merged[0])].strip() == content.strip()
    form = Form.WHOLE if is_whole else Form.EXCERPT
    return _make(hit, stage=stage, form=form, text=join_spans(content, merged), spans=merged)


def _merge(content: str, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Yield the spans, joined where only white space lies between."""
    begin, end = spans[0]
    for start, stop in spans[1:]:
        if content[end:start].strip():
            yield begin, end
            begin = start
        end = stop
    yield begin, end


def _make(
    hit: Hit,
    *,
    stage: Stage,
    form: Form,
    text: str,
    tier: Tier | None = None,
    spans: tuple[tuple[int, int], ...] = (),
) -> RenderItem:
    replaced_by = hit.replaced_by
    return RenderItem(
        item=hit.item,
        score=hit.score,
        stage=stage,
        form=form,
        trust=hit.trust,
        text=text,
        tier=tier,
        spans=spans,
        why=tuple([(one.name, one.value) for one in hit.explanation.contributions]),
        space=hit.space,
        replaces=tuple([one.happened_at for one in hit.replaces]) if hit.replaces else (),
        replaced_on=None if replaced_by is None else replaced_by.happened_at,
        takes_place_at=hit.takes_place_at,
    )
