"""The representation of each candidate: at length, as surrogate or snippet, with caps.

Knows the order of the stages and what each layout asks of them. Must not know what fits.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from simonides.context import excerpts
from simonides.context.confusables import is_visible
from simonides.context.excerpts import Candidate
from simonides.context.labels import RenderItem
from simonides.context.safety import visible
from simonides.context.selection import Budget, Rejection
from simonides.context.summary_level import SummaryLevelChooser
from simonides.model.answer import Hit, ItemKey
from simonides.model.brief import ContextConfig, ContextMode, DropReason, Layout, Stage
from simonides.model.item import Item
from simonides.text.analyse import analyse
from simonides.text.excerpt import QueryTerms

AT_LENGTH = 240
"""The best item gets at most so much: the others want a place too. It does not depend on the
budget, or what a larger one shows more of it could cost another item its place."""

FULL_RELEVANCE, ROOM_LEAST = 0.6, 0.12
"""Relevance from which on an item is shown at its full length; one of less gets a share of that,
never below the second (measured: docs/explanation/briefs.md)."""

SHORTEST = 12
"""An excerpt of less tells nothing."""

HEAD_CHARS = 200
"""So much of a text is looked at first, to see whether it shows anything."""


@dataclass(slots=True, kw_only=True)
class Representations:
    """A maker of one part per candidate, which counts the accepted ones by stage."""

    config: ContextConfig
    budget: Budget
    query: str
    chooser: SummaryLevelChooser | None
    taken: Counter[Stage] = field(default_factory=Counter)
    awaits_expansion: bool = True
    """Whether the next one may be shown at length: one that is too large for it passes it on."""
    _queries: dict[str, QueryTerms] = field(default_factory=dict)
    _expansions: dict[ItemKey, RenderItem | None] = field(default_factory=dict)
    _snippets: dict[ItemKey, RenderItem | None] = field(default_factory=dict)

    def read(self, hits: Sequence[Hit]) -> list[Candidate]:
        """Return the candidates with their sentences, all counted in one batch."""
        return excerpts.read(hits, query_in=self._query_in, budget=self.budget)

    def part(
        self, candidate: Candidate, *, is_first: bool, is_whole: bool = False
    ) -> RenderItem | Rejection:
        """Return the candidate's part, or why there is none; the first one at length.

        Where it `is_whole`, all of its words are shown as far as an excerpt may cost.
        """
        item = candidate.hit.item
        if not _is_visible(item.content):
            if not _is_visible(item.title):
                return DropReason.EMPTY, "nothing in it shows"
            return self._capped(candidate, excerpts.whole(candidate))
        match self.config.layout:
            case Layout.SCOPED:
                return self._capped(candidate, excerpts.whole(candidate))
            case Layout.SOURCED:
                return self._capped(candidate, self._summary_or_snippet(candidate))
            case Layout.BRIEF:
                first = self._expanded(candidate) if is_first else None
                return (
                    first or self._dense(candidate) or self._snippet(candidate, is_whole=is_whole)
                )

    def shortened(self, candidate: Candidate, *, cost_max: int) -> RenderItem | None:
        """Return the sentences of a candidate that tell most within a cost; None if none do."""
        if cost_max < SHORTEST:
            return None
        config = replace(self.config, snippet_tokens_max=cost_max)
        return excerpts.snippet(candidate, config=config, budget=self.budget)

    def accept(self, part: RenderItem) -> None:
        """Count one that is shown: a part that did not fit uses no place."""
        self.taken[part.stage] += 1
        if not self._is_too_large(part.item):
            self.awaits_expansion = False

    def _query_in(self, language: str) -> QueryTerms:
        """Return the question in a language; if none is known, in English."""
        language = language or "en"
        if language not in self._queries:
            terms = frozenset(analyse(self.query, language))
            self._queries[language] = QueryTerms(terms=terms, language=language)
        return self._queries[language]

    def _expanded(self, candidate: Candidate) -> RenderItem | None:
        """Return the best item at length; items over the size limit are skipped."""
        if candidate.hit.key not in self._expansions:
            self._expansions[candidate.hit.key] = self._made_at_length(candidate)
        return self._expansions[candidate.hit.key]

    def _made_at_length(self, candidate: Candidate) -> RenderItem | None:
        if not self.config.expansion_tokens_max or self._is_too_large(candidate.hit.item):
            return None
        cost_max = _room(candidate, min(self.config.expansion_tokens_max, AT_LENGTH))
        return excerpts.expanded(candidate, cost_max=cost_max, budget=self.budget)

    def _is_too_large(self, item: Item) -> bool:
        """Return whether a content has more bytes than may be shown at length."""
        return len(item.content.encode("utf-8", "replace")) > self.config.expansion_bytes_max

    def _dense(self, candidate: Candidate) -> RenderItem | None:
        if self.config.context_mode is not ContextMode.DENSE or self._is_surrogates_full():
            return None
        found = self.chooser.of(candidate.hit) if self.chooser else None
        if found is None:
            return None
        stored, tier = found
        return excerpts.surrogate(candidate, stored, tier, config=self.config, budget=self.budget)

    def _is_surrogates_full(self) -> bool:
        return self.taken[Stage.SURROGATE] >= self.config.surrogates_max

    def _snippet(self, candidate: Candidate, *, is_whole: bool) -> RenderItem | Rejection:
        if candidate.hit.key not in self._snippets:
            share = 1.0 if is_whole else self.config.snippet_share
            cost_max = _room(candidate, self.config.snippet_tokens_max)
            config = replace(self.config, snippet_share=share, snippet_tokens_max=cost_max)
            made = excerpts.snippet(candidate, config=config, budget=self.budget)
            self._snippets[candidate.hit.key] = made
        return self._capped(candidate, self._snippets[candidate.hit.key])

    def _summary_or_snippet(self, candidate: Candidate) -> RenderItem | None:
        if _is_visible(candidate.hit.item.summary):
            return excerpts.summary(candidate)
        config = replace(self.config, snippet_share=1.0)
        return excerpts.snippet(candidate, config=config, budget=self.budget)

    def _capped(self, candidate: Candidate, part: RenderItem | None) -> RenderItem | Rejection:
        most = self.config.snippets_max
        if most is not None and self.taken[Stage.SNIPPET] >= most:
            if self._is_surrogates_full() and self._has_surrogate(candidate):
                return DropReason.SURROGATE_CAP, f"{self.config.surrogates_max} stand-ins are in"
            return DropReason.SNIPPET_CAP, f"{most} snippets are in"
        if part is None:
            tokens = self.config.snippet_tokens_max
            return DropReason.TOO_LARGE, f"no sentence keeps within {tokens}"
        return part

    def _has_surrogate(self, candidate: Candidate) -> bool:
        """Return whether a surrogate of the candidate would be shown if there were room."""
        is_dense = self.config.context_mode is ContextMode.DENSE
        if not is_dense or self.config.layout is not Layout.BRIEF or self.chooser is None:
            return False
        return self.chooser.of(candidate.hit) is not None


def _is_visible(text: str) -> bool:
    """Return whether any of a text is visible without control marks; mostly its head is."""
    if text[:1].isascii() and text[:1].isalnum():
        return True
    return any(is_visible(visible(piece)) for piece in (text[:HEAD_CHARS], text))


def _room(candidate: Candidate, cost_max: int) -> int:
    """Return how much of an item may be shown: the less relevant, the less."""
    share = min(max(candidate.hit.relevance / FULL_RELEVANCE, ROOM_LEAST), 1.0)
    return int(share * cost_max)
