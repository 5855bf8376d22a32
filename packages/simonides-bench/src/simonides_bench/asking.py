"""How long a warm space takes to answer: searches, briefs, filters, lanes. One thread."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from simonides.api.memory import Memory
from simonides.context.briefs import candidates_of
from simonides.model.answer import Mode, SearchResult
from simonides.model.brief import PRESETS
from simonides.model.filter import Compare, Filter, Operator
from simonides_bench.limits import Took, measure
from simonides_bench.metrics import percentile

LIMIT = 10
ROUNDS = 2
SHELF = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Asks one memory many different questions at one time by its clock."""

    memory: Memory
    questions: Sequence[str]
    now: datetime

    def figures(self) -> dict[str, Any]:
        """Return the times of all that is asked; the first round only warms.

        `searches_without_hits` counts those that were timed and found nothing: best none.
        """
        self._rounds(1)
        searched = self._rounds(ROUNDS)
        took = [one.wall_ms for one, _ in searched]
        return {
            "search_ms_p50": median(took),
            "search_ms_p95": percentile(took, 0.95),
            "searches_without_hits": sum(not result.hits for _, result in searched),
            "search_cpu_ms_p50": median(one.cpu_ms for one, _ in searched),
            "search_ms_by_mode": {str(mode): median(self._mode(mode)) for mode in Mode},
            "search_ms_by_lane": _by_lane([result for _, result in searched]),
            **self._with_filter(),
            "brief_ms_p50": median(self._brief_extra(one, "seed") for one in self.questions),
            "brief_default_ms_p50": median(
                self._brief_extra(one, "brief") for one in self.questions
            ),
            "brief_cpu_ms_p50": median(self._brief(one, "brief").cpu_ms for one in self.questions),
        }

    def _rounds(self, rounds: int) -> list[tuple[Took, SearchResult]]:
        return [self._search(one) for _ in range(rounds) for one in self.questions]

    def _search(self, question: str, **how: Any) -> tuple[Took, SearchResult]:
        found: list[SearchResult] = []
        asked = {"limit": LIMIT, "now": self.now, **how}
        took = measure(lambda: found.append(self.memory.search(question, **asked)))
        return took, found[0]

    def _mode(self, mode: Mode) -> list[float]:
        return [self._search(one, mode=mode)[0].wall_ms for one in self.questions]

    def _with_filter(self) -> dict[str, float]:
        """Return the time with a filter that keeps a thousandth, at first use and afterwards."""
        where = Compare(key="_shelf", operator=Operator.EQ, value=SHELF)
        kept = Filter(where=where)
        first, _ = self._search(self.questions[0], filter=kept)
        took = [self._search(one, filter=kept)[0].wall_ms for one in self.questions]
        return {"filtered_search_ms_p50": median(took), "filter_first_use_ms": first.wall_ms}

    def _brief_extra(self, question: str, name: str) -> float:
        """Return how much longer a brief takes than the search that it begins with."""
        preset = PRESETS[name]
        budget = preset.budget_tokens
        searched, _ = self._search(question, limit=candidates_of(preset.config, limit=budget))
        return self._brief(question, name).wall_ms - searched.wall_ms

    def _brief(self, question: str, name: str) -> Took:
        return measure(lambda: self.memory.brief(question, preset=name, now=self.now))


def _by_lane(results: Sequence[SearchResult]) -> dict[str, float]:
    """Return the median time of each lane over the searches in which it ran."""
    took: defaultdict[str, list[float]] = defaultdict(list)
    for result in results:
        for lane in result.diagnostics.lanes:
            if lane.ran:
                took[lane.name].append(lane.took_ms)
    return {name: median(times) for name, times in took.items()}
