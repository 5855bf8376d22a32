"""The representation of each candidate: at length, as surrogate or excerpt, with caps.

Knows the order of the stages and what each layout asks of them. Must not know what fits.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from simonides.context import excerpts
from simonides.context.confusables import is_visible
from simonides.context.labels import RenderItem
from simonides.context.safety import visible
from simonides.context.selection import Budget, Rejection
from simonides.context.summary_level import SummaryLevelChooser
from simonides.model.answer import Hit, TimeRange
from simonides.model.brief import ContextConfig, ContextMode, DropReason, Layout, Stage
from simonides.model.item import Item
from simonides.text.analyse import analyse
from simonides.text.dates import find_ranges, ranges_asked
from simonides.text.excerpt import QueryTerms
from simonides.text.function_words import without_function_words
from simonides.text.table_rows import ROW, find_asked_rows

EXPANSION_SHARE = 4
"""The best item gets at most one part in so many of a budget."""

SHORT_WORDS_MIN = 20
"""What does not fit is shortened to what is left, but not to fewer words (measured:
docs/explanation/briefs.md)."""

HEAD_CHARS = 200
"""So much of a text is looked at first, to see whether it shows anything."""


@dataclass(slots=True, kw_only=True)
class Representations:
    """A maker of one part per candidate, which counts the accepted ones by stage."""

    config: ContextConfig
    budget: Budget
    query: str
    now: datetime
    timezone: str
    chooser: SummaryLevelChooser | None
    """What stands in for items; None but in the mode `dense`."""
    cut: excerpts.CutItems = field(default_factory=excerpts.CutItems)
    taken: Counter[Stage] = field(default_factory=Counter)
    awaits_expansion: bool = True
    """Whether the next one may be shown at length: one that is too large for it passes it on."""
    words_max: int = field(init=False)
    """How many words of an item are shown."""
    _queries: dict[str, QueryTerms] = field(default_factory=dict)
    _times: Sequence[TimeRange] | None = None
    """The times that the question names, once a table was met."""

    def __post_init__(self) -> None:
        if self.config.context_mode is not ContextMode.DENSE:
            self.chooser = None
        asked = self.config.snippet_words_max
        self.words_max = excerpts.allotment(self.budget) if asked is None else asked

    def part(self, hit: Hit) -> RenderItem | Rejection:
        """Return the candidate's part, or why there is none; the first one at length."""
        item = hit.item
        if not _is_visible(item.content):
            if not _is_visible(item.title):
                return DropReason.EMPTY, "nothing in it shows"
            return self._cap(hit, excerpts.whole(hit))
        return self._represent_pinned(hit) if hit.pinned else self._represent_found(hit)

    def _represent_found(self, hit: Hit) -> RenderItem | Rejection:
        match self.config.layout:
            case Layout.SCOPED:
                return self._cap(hit, excerpts.whole(hit))
            case Layout.SOURCED if _is_visible(hit.item.summary):
                return self._cap(hit, excerpts.summary(hit))
            case Layout.SOURCED:
                return self._cap(hit, self._excerpt(hit))
            case Layout.BRIEF:
                shown = self._rows(hit) if ROW in hit.item.content else None
                shown = shown or self._expand(hit) or (self._dense(hit) if self.chooser else None)
                return shown or self._cap(hit, self._excerpt(hit))

    def accept(self, part: RenderItem) -> None:
        """Count one that is shown: a part that did not fit uses no place."""
        self.taken[part.stage] += 1
        if part.stage is not Stage.PINNED and not self._is_too_large(part.item):
            self.awaits_expansion = False

    @property
    def words_shown_whole(self) -> int:
        """How many words an item may have to be surely shown whole; 0 where none is."""
        if self.chooser or self.config.layout is not Layout.BRIEF or self.awaits_expansion:
            return 0
        return int(excerpts.WHOLE_SHARE * self.words_max)

    def _represent_pinned(self, hit: Hit) -> RenderItem | Rejection:
        """Return a pinned memory, which takes the place of no other."""
        part = excerpts.whole(hit) if self.config.layout is Layout.SCOPED else self._excerpt(hit)
        if part is None:
            return DropReason.TOO_LARGE, "no words of it may be shown"
        return replace(part, stage=Stage.PINNED)

    def _excerpt(self, hit: Hit, words_max: int | None = None) -> RenderItem | None:
        """Return an excerpt of the usual size, or of at most so many words and never more."""
        query = self._query_in(hit.item.language)
        share = excerpts.WHOLE_SHARE if words_max is None else 1.0
        most = self.words_max if words_max is None else words_max
        return excerpts.excerpt(hit, words_max=most, query=query, known=self.cut, whole_share=share)

    def shorten(self, hit: Hit, part: RenderItem, words_max: int) -> RenderItem | None:
        """Return a part by at most so many words of its item; None where these say too little.

        Only of an item's own words, in layout `brief`: what stands in for an item is not cut.
        """
        is_own = part.stage is Stage.SNIPPET and self.config.layout is Layout.BRIEF
        return self._excerpt(hit, words_max) if is_own and words_max >= SHORT_WORDS_MIN else None

    def _query_in(self, language: str) -> QueryTerms:
        """Return the question in a language; if none is known, in English."""
        language = language or "en"
        if language not in self._queries:
            terms = frozenset(analyse(without_function_words(self.query), language))
            self._queries[language] = QueryTerms(terms=terms, language=language)
        return self._queries[language]

    def _rows(self, hit: Hit) -> RenderItem | None:
        """Return the rows of a table that the question asks for; None of what is no table."""
        if self._times is None:
            found = find_ranges(self.query, now=self.now, timezone=self.timezone)
            self._times = ranges_asked(self.query, found)
        places = find_asked_rows(
            self.cut.of(hit).pieces, self._query_in(hit.item.language), self._times,
            timezone=self.timezone,
        )  # fmt: skip
        return excerpts.rows(hit, places, words_max=self.words_max, known=self.cut)

    def _expand(self, hit: Hit) -> RenderItem | None:
        """Return the best item at length; None where an excerpt would hold as much of it.

        Items over the size limit are skipped.
        """
        most = min(self.config.expansion_tokens_max, self.budget.available // EXPANSION_SHARE)
        least = excerpts.TOKENS_PER_WORD * self.words_max
        if not self.awaits_expansion or most <= least or self._is_too_large(hit.item):
            return None
        return excerpts.expand(hit, cost_max=most, budget=self.budget)

    def _is_too_large(self, item: Item) -> bool:
        """Return whether a content has more bytes than may be shown at length."""
        return len(item.content.encode("utf-8", "replace")) > self.config.expansion_bytes_max

    def _dense(self, hit: Hit) -> RenderItem | None:
        found = None if self._is_surrogates_full() or not self.chooser else self.chooser.of(hit)
        if found is None:
            return None
        stored, tier = found
        return excerpts.surrogate(hit, stored, tier, config=self.config, budget=self.budget)

    def _is_surrogates_full(self) -> bool:
        return self.taken[Stage.SURROGATE] >= self.config.surrogates_max

    def _cap(self, hit: Hit, part: RenderItem | None) -> RenderItem | Rejection:
        most = self.config.snippets_max
        if most is not None and self.taken[Stage.SNIPPET] >= most:
            if self._is_surrogates_full() and self._has_surrogate(hit):
                return DropReason.SURROGATE_CAP, f"{self.config.surrogates_max} stand-ins are in"
            return DropReason.SNIPPET_CAP, f"{most} snippets are in"
        if part is None:
            return DropReason.TOO_LARGE, "no words of it may be shown"
        return part

    def _has_surrogate(self, hit: Hit) -> bool:
        """Return whether a surrogate of the candidate would be shown if there were room."""
        if self.chooser is None or self.config.layout is not Layout.BRIEF:
            return False
        return self.chooser.of(hit) is not None


def _is_visible(text: str) -> bool:
    """Return whether any of a text is visible without control marks; mostly its head is."""
    if text[:1].isascii() and text[:1].isalnum():
        return True
    return any(is_visible(visible(piece)) for piece in (text[:HEAD_CHARS], text))
