"""Which stage shows a candidate: the best one at length, stand-ins, snippets; each with its cap.

Knows the order of the stages and what each layout asks of them. Must not know what fits.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from simonides.context import excerpts
from simonides.context.confusables import shows
from simonides.context.excerpts import Excerpter
from simonides.context.render_context import RenderItem
from simonides.context.safety import visible
from simonides.context.selection import Refusal
from simonides.context.summary_level import SummaryLevelChooser
from simonides.context.token_budget import Budget
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, ContextMode, DropReason, Layout, Stage
from simonides.text.analyse import analyse
from simonides.text.excerpt import QueryWords

EXPANSION_SHARE = 3
"""The best item gets at most one part in so many of the budget: the others want a place too
(measured: docs/explanation/briefs.md)."""

SHORT_COST = 80
"""A best item of so many tokens may take more of a small budget: three parts of five."""

HEAD_CHARS = 200
"""So much of a text is looked at first, to see whether it shows anything."""


@dataclass(slots=True, kw_only=True)
class Representations:
    """Makes the part of each candidate in turn, and counts those let in by stage."""

    config: ContextConfig
    budget: Budget
    query: str
    chooser: SummaryLevelChooser | None
    taken: Counter[Stage] = field(default_factory=Counter)
    _asked: dict[str, QueryWords] = field(default_factory=dict)
    _expansions: dict[str, RenderItem | None] = field(default_factory=dict)
    _snippets: dict[str, RenderItem | None] = field(default_factory=dict)

    def read(self, hits: Sequence[Hit]) -> list[Excerpter]:
        """Return the candidates with their sentences, all counted in one batch."""
        return excerpts.read(hits, asked_in=self._asked_in, budget=self.budget)

    def part(self, reading: Excerpter, *, is_first: bool) -> RenderItem | Refusal:
        """Return how the candidate is shown next, or why it can not be; the first at length."""
        item = reading.hit.item
        if not _shows(item.content):
            if not _shows(item.title):
                return DropReason.EMPTY, "nothing in it shows"
            return self._capped(reading, excerpts.whole(reading))
        match self.config.layout:
            case Layout.SCOPED:
                return self._capped(reading, excerpts.whole(reading))
            case Layout.SOURCED:
                return self._capped(reading, self._summary_or_snippet(reading))
            case Layout.BRIEF:
                first = self._expanded(reading) if is_first else None
                return first or self._dense(reading) or self._snippet(reading)

    def let_in(self, part: RenderItem) -> None:
        """Count one that is shown: a part that did not fit uses no place."""
        self.taken[part.stage] += 1

    def _asked_in(self, language: str) -> QueryWords:
        """Return the question in a language; where none is known, in English."""
        language = language or "en"
        if language not in self._asked:
            terms = frozenset(analyse(self.query, language))
            self._asked[language] = QueryWords(terms=terms, language=language)
        return self._asked[language]

    def _expanded(self, reading: Excerpter) -> RenderItem | None:
        """Return the best item at length; larger ones than allowed are passed over."""
        if reading.hit.id not in self._expansions:
            self._expansions[reading.hit.id] = self._made_at_length(reading)
        return self._expansions[reading.hit.id]

    def _made_at_length(self, reading: Excerpter) -> RenderItem | None:
        content = reading.hit.item.content
        if not self.config.expansion_tokens_max:
            return None
        if len(content.encode("utf-8", "replace")) > self.config.expansion_bytes_max:
            return None
        available = self.budget.available
        short = min(SHORT_COST, available * 3 // 5)
        cost_max = min(self.config.expansion_tokens_max, max(available // EXPANSION_SHARE, short))
        return excerpts.expanded(reading, cost_max=cost_max, budget=self.budget)

    def _dense(self, reading: Excerpter) -> RenderItem | None:
        if self.config.context_mode is not ContextMode.DENSE or self._is_surrogates_full():
            return None
        found = self.chooser.of(reading.hit) if self.chooser else None
        if found is None:
            return None
        stand_in, tier = found
        return excerpts.surrogate(reading, stand_in, tier, config=self.config, budget=self.budget)

    def _is_surrogates_full(self) -> bool:
        return self.taken[Stage.SURROGATE] >= self.config.surrogates_max

    def _snippet(self, reading: Excerpter) -> RenderItem | Refusal:
        if reading.hit.id not in self._snippets:
            made = excerpts.snippet(reading, config=self.config, budget=self.budget)
            self._snippets[reading.hit.id] = made
        return self._capped(reading, self._snippets[reading.hit.id])

    def _summary_or_snippet(self, reading: Excerpter) -> RenderItem | None:
        if _shows(reading.hit.item.summary):
            return excerpts.summary(reading)
        config = replace(self.config, snippet_share=1.0)
        return excerpts.snippet(reading, config=config, budget=self.budget)

    def _capped(self, reading: Excerpter, part: RenderItem | None) -> RenderItem | Refusal:
        most = self.config.snippets_max
        if most is not None and self.taken[Stage.SNIPPET] >= most:
            if self._is_surrogates_full() and self._stands_in(reading):
                return DropReason.SURROGATE_CAP, f"{self.config.surrogates_max} stand-ins are in"
            return DropReason.SNIPPET_CAP, f"{most} snippets are in"
        if part is None:
            tokens = self.config.snippet_tokens_max
            return DropReason.TOO_LARGE, f"no sentence keeps within {tokens}"
        return part

    def _stands_in(self, reading: Excerpter) -> bool:
        """Return whether a stand-in of the candidate would be shown if there were a place."""
        is_dense = self.config.context_mode is ContextMode.DENSE
        if not is_dense or self.config.layout is not Layout.BRIEF or self.chooser is None:
            return False
        return self.chooser.of(reading.hit) is not None


def _shows(text: str) -> bool:
    """Return whether anything of a text shows without its control marks; its head mostly does."""
    if text[:1].isascii() and text[:1].isalnum():
        return True
    return any(shows(visible(piece)) for piece in (text[:HEAD_CHARS], text))
