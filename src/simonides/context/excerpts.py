"""The stages of assembly: how much of a candidate is shown, and which sentences.

Expansion shows the best one at length, surrogates stand in for others, snippets show sentences
around the question's words. Knows texts and what they cost. Must not know what else is shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from simonides.context.labels import RenderItem
from simonides.context.selection import Budget
from simonides.context.summary_level import tier_text
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, Form, Stage
from simonides.model.stored import Surrogate, Tier
from simonides.text.excerpt import QueryTerms, choose, is_shown_whole, joined, sentence_stats
from simonides.text.sentences import Span, sentences
from simonides.text.tokens import count_and_truncate_batch
from simonides.text.unicode_script import boundary

AROUND_CHARS = 4_000
"""How much of a long text is looked at on each side of its best passage."""

LONG_CHARS = 16_000
"""A longer text is looked at around its best passage only."""

ALWAYS_WHOLE = 12
"""A text that costs no more is not cut: the marks would eat what is saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A candidate with its sentences: their spans, texts and costs.

    `query` is the question in the language of the item.
    """

    hit: Hit
    spans: tuple[Span, ...]
    pieces: tuple[str, ...]
    costs: tuple[int, ...]
    query: QueryTerms

    @property
    def cost(self) -> int:
        """The cost of all sentences."""
        return sum(self.costs)


def read(
    hits: Sequence[Hit], *, query_in: Callable[[str], QueryTerms], budget: Budget
) -> list[Candidate]:
    """Return the candidates with their sentences, all counted in one batch."""
    stats = [(hit, *_sentences(hit)) for hit in hits]
    costs = iter(budget.costs([piece for _, _, pieces in stats for piece in pieces]))
    return [
        Candidate(
            hit=hit, spans=spans, pieces=pieces, costs=tuple(islice(costs, len(pieces))),
            query=query_in(hit.item.language),
        )
        for hit, spans, pieces in stats
    ]  # fmt: skip


def _sentences(hit: Hit) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """Return the spans and texts of a candidate's sentences; of a long one, some of them."""
    content = hit.item.content
    spans = sentences(content) if len(content) <= LONG_CHARS else _near(hit)
    return tuple(spans), tuple([content[start:stop] for start, stop in spans])


def _near(hit: Hit) -> list[Span]:
    """Return the whole sentences around the best passage of a long content."""
    content = hit.item.content
    start, stop = _around(hit)
    stats = [Span(start + one, start + other) for one, other in sentences(content[start:stop])]
    whole = stats[start > 0 : len(stats) - (stop < len(content))]
    return whole or stats


def _around(hit: Hit) -> tuple[int, int]:
    """Return a stretch of a long content around its best passage."""
    content = hit.item.content
    middle = max(0, content.find(hit.passage)) if hit.passage else 0
    start = boundary(content, max(0, middle - AROUND_CHARS))
    stop = boundary(content, min(len(content), middle + len(hit.passage) + AROUND_CHARS))
    return start, stop


def expanded(candidate: Candidate, *, cost_max: int, budget: Budget) -> RenderItem | None:
    """Return the candidate at length: its first sentences up to `cost_max`.

    Where the passage that was found stands further back, they begin with it. None if nothing fits.
    """
    chosen = _beginning(candidate, cost_max, first=0)
    passage_at = _passage_place(candidate)
    if passage_at and passage_at not in chosen:
        chosen = _beginning(candidate, cost_max, first=passage_at)
    return _part(candidate, chosen, stage=Stage.EXPANDED, cost_max=cost_max, budget=budget)


def _passage_place(candidate: Candidate) -> int:
    passage = candidate.hit.passage
    at = candidate.hit.item.content.find(passage) if passage else 0
    return next((n for n, span in enumerate(candidate.spans) if span.stop > at), 0)


def _beginning(candidate: Candidate, cost_max: int, *, first: int) -> tuple[int, ...]:
    """Return the sentences from `first` on with a total cost of at most `cost_max`."""
    total = 0
    for place in range(first, len(candidate.costs)):
        total += candidate.costs[place]
        if total > cost_max:
            return tuple(range(first, place))
    return tuple(range(first, len(candidate.costs)))


def snippet(candidate: Candidate, *, config: ContextConfig, budget: Budget) -> RenderItem | None:
    """Return the most informative sentences; None if none of them fits."""
    cost_max, share_min = config.snippet_tokens_max, config.snippet_share
    chosen: Sequence[int] = range(len(candidate.costs))
    is_short = candidate.cost <= min(ALWAYS_WHOLE, cost_max)
    if not is_short and not is_shown_whole(candidate.costs, cost_max=cost_max, share_min=share_min):
        first, stop = _passage_places(candidate, cost_max=cost_max)
        stats = sentence_stats(candidate.pieces[first:stop], candidate.query)
        found = choose(stats, candidate.costs[first:stop], cost_max=cost_max, share_min=share_min)
        chosen = [first + place for place in found]
    return _part(candidate, chosen, stage=Stage.SNIPPET, cost_max=cost_max, budget=budget)


def _passage_places(candidate: Candidate, *, cost_max: int) -> tuple[int, int]:
    """Return the sentences to choose from, as a range: all, or of a long text those of its passage.

    What made it relevant stands there: a figure or a name elsewhere answers something else.
    """
    passage = candidate.hit.passage
    at = candidate.hit.item.content.find(passage) if passage else -1
    if candidate.cost <= cost_max or at < 0:
        return 0, len(candidate.spans)
    inside = [
        place
        for place, span in enumerate(candidate.spans)
        if span.start < at + len(passage) and at < span.stop
    ]
    return (inside[0], inside[-1] + 1) if inside else (0, len(candidate.spans))


def whole(candidate: Candidate) -> RenderItem:
    """Return the candidate with all its words."""
    content = candidate.hit.item.content
    spans = ((0, len(content)),) if content else ()
    return _made(candidate, stage=Stage.SNIPPET, form=Form.WHOLE, text=content, spans=spans)


def summary(candidate: Candidate) -> RenderItem:
    """Return the candidate as its own summary."""
    text = candidate.hit.item.summary
    return _made(candidate, stage=Stage.SNIPPET, form=Form.SUMMARY, text=text)


def surrogate(
    candidate: Candidate, stand_in: Surrogate, tier: Tier, *, config: ContextConfig, budget: Budget
) -> RenderItem | None:
    """Return the candidate's surrogate of a tier, cut at `surrogate_tokens_max`."""
    text = tier_text(
        stand_in, tier, tokens_max=config.surrogate_tokens_max, encoding=budget.encoding
    )
    if not text:
        return None
    return _made(candidate, stage=Stage.SURROGATE, form=Form.SUMMARY, text=text, tier=tier)


def _part(
    candidate: Candidate, chosen: Sequence[int], *, stage: Stage, cost_max: int, budget: Budget
) -> RenderItem | None:
    spans = [candidate.spans[place] for place in chosen]
    if not spans:
        spans = _first_words(candidate, cost_max, budget)
    if not spans:
        return None
    content = candidate.hit.item.content
    is_whole = len(spans) == len(candidate.costs) and len(content) <= LONG_CHARS and bool(chosen)
    merged = ((spans[0].start, spans[-1].stop),) if is_whole else _merged(content, spans)
    return _made(
        candidate,
        stage=stage,
        form=Form.WHOLE if is_whole else Form.EXCERPT,
        text=joined(content, merged),
        spans=merged,
    )


def _first_words(candidate: Candidate, cost_max: int, budget: Budget) -> list[Span]:
    """Return the beginning of the best sentence, if no sentence fits whole.

    Where the passage that was found stands within that sentence, it begins with it.
    """
    if not candidate.costs or cost_max < 1:
        return []
    matches = candidate.query.counts(candidate.pieces)
    best = max(range(len(candidate.costs)), key=lambda n: (matches[n], -n))
    start, stop = candidate.spans[best]
    content, passage = candidate.hit.item.content, candidate.hit.passage
    start = max(start, content.find(passage, start, stop) if passage else -1)
    text = content[start:stop]
    if budget.unit == "words":
        kept = _words_of(text, cost_max)
    else:
        [(kept, _)] = count_and_truncate_batch([text], cost_max, budget.encoding)
    return [Span(start, start + len(kept.rstrip()))] if kept.strip() else []


def _words_of(text: str, count: int) -> str:
    """Return the first `count` words of a text, unchanged."""
    rest = text.split(None, count)
    return text if len(rest) <= count else text[: len(text) - len(rest[-1])]


def _merged(content: str, spans: Sequence[Span]) -> tuple[tuple[int, int], ...]:
    """Return the spans, joined where only white space without a line break lies between."""
    merged: list[tuple[int, int]] = []
    for start, stop in spans:
        between = content[merged[-1][1] : start] if merged else "\n"
        if not between.strip() and "\n" not in between:
            merged[-1] = (merged[-1][0], stop)
        else:
            merged.append((start, stop))
    return tuple(merged)


def _made(
    candidate: Candidate,
    *,
    stage: Stage,
    form: Form,
    text: str,
    tier: Tier | None = None,
    spans: tuple[tuple[int, int], ...] = (),
) -> RenderItem:
    hit = candidate.hit
    return RenderItem(
        item=hit.item,
        score=hit.score,
        stage=stage,
        form=form,
        trust=hit.trust,
        text=text,
        tier=tier,
        spans=spans,
        why=tuple((one.name, one.value) for one in hit.explanation.contributions),
        space=hit.space,
    )
