"""`simonides bench recall`: how much of the labelled evidence the engine finds.

Through the public API, with the default settings: what is measured is what users get.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.text.tokens import count
from simonides_bench.metrics import averages, intervals, judge, percentile
from simonides_bench.neutral import Group, Question, read_groups

DEPTH = 20
"""How many hits are asked for; the deepest cut."""

TOKENS_AT = 10
BATCH_ITEMS = 256
FIXED_NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""The clock of questions where neither they nor the items have a time."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    question: Question
    ranking: list[str]
    measures: dict[str, float]
    tokens: int
    took_ms: float


def run(
    data: Path,
    *,
    exclude_categories: Sequence[str] = (),
    per_question: Path | None = None,
    settings: Settings | None = None,
    scorer: str = "fused",
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the measures of one file of labelled data (see docs/reference/benchmarks.md).

    `per_question` is where each question's ranking is written, as JSON Lines. `settings` are
    used but for durability (the spaces are thrown away) and an empty time zone, which is read
    as UTC so that the figures are the same everywhere. Progress is counted in items kept.

    Raises:
        InvalidInput: The file is not of the neutral format, or leaves no question to ask, or
            `per_question` cannot be written.
        EmbedderError: The embedder failed.
    """
    groups = read_groups(data)
    if per_question is not None:
        check_writable(per_question)
    asked = {group.name: _ask(group, exclude_categories) for group in groups}
    if not any(asked.values()):
        problem = "leaves no question to ask: none has evidence among its group's items"
        raise InvalidInput(data.name, f"{problem} and a category that is not excluded")
    progress = ProgressCounter(
        total=sum(len(group.items) for group in groups), on_progress=on_progress
    )
    answered: list[_Answered] = []
    with open_throwaway(settings or Settings()) as memory:
        for number, group in enumerate(groups):
            if asked[group.name]:
                space = memory.in_space(f"group-{number}")
                keep_group(space, group, progress)
                now = now_of(group)
                answered += [
                    _answer(space, question, now=question.at or now, scorer=scorer)
                    for question in asked[group.name]
                ]
    if per_question is not None:
        _write_rankings(per_question, answered)
    given = sum(group.skipped + len(group.questions) for group in groups)
    return _report(answered, skipped=given - len(answered))


def _ask(group: Group, exclude_categories: Sequence[str]) -> list[Question]:
    return [one for one in group.questions if one.category not in exclude_categories]


@dataclass(slots=True, kw_only=True)
class ProgressCounter:
    """How many items of how many are done, reported to `on_progress`."""

    total: int
    on_progress: Progress | None
    done: int = 0

    def add(self, count: int) -> None:
        """Count so many more, and report it."""
        self.done += count
        if self.on_progress is not None:
            self.on_progress(self.done, self.total)


@contextmanager
def open_throwaway(settings: Settings) -> Iterator[Memory]:
    """Open a memory whose home is removed afterwards; what depends on the machine is left out."""
    used = replace(settings, durability="relaxed", timezone=settings.timezone or "UTC")
    with (
        tempfile.TemporaryDirectory(prefix="simonides-bench-") as home,
        Memory(home, settings=used) as memory,
    ):
        yield memory


def keep_group(space: Memory, group: Group, progress: ProgressCounter) -> None:
    """Add the items of a group in batches."""
    for start in range(0, len(group.items), BATCH_ITEMS):
        batch = group.items[start : start + BATCH_ITEMS]
        space.add(batch)
        progress.add(len(batch))


def now_of(group: Group) -> datetime:
    """Return the time of the group's last item: the clock of questions without a time."""
    return max((one.happened_at for one in group.items if one.happened_at), default=FIXED_NOW)


def _answer(memory: Memory, question: Question, *, now: datetime, scorer: str) -> _Answered:
    started = time.perf_counter()
    result = memory.search(question.text, limit=DEPTH, now=now, scorer=scorer)
    took_ms = 1000.0 * (time.perf_counter() - started)
    ranking = [hit.item.source_id for hit in result]
    return _Answered(
        question=question,
        ranking=ranking,
        measures=judge(ranking, question.evidence),
        tokens=sum(count(hit.item.content) for hit in result.hits[:TOKENS_AT]),
        took_ms=took_ms,
    )


def _report(answered: Sequence[_Answered], *, skipped: int) -> dict[str, Any]:
    categories = sorted({one.question.category for one in answered if one.question.category})
    return {
        "questions": len(answered),
        "skipped": skipped,
        **_measures(answered),
        "by_category": {
            name: {
                "questions": sum(one.question.category == name for one in answered),
                **_measures([one for one in answered if one.question.category == name]),
            }
            for name in categories
        },
    }


def _measures(answered: Sequence[_Answered]) -> dict[str, Any]:
    rows = [one.measures for one in answered]
    return {
        **averages(rows),
        "interval_95": intervals(rows, group_of=lambda i: answered[i].question.group),
        f"tokens@{TOKENS_AT}": sum(one.tokens for one in answered) / len(answered),
        "ms_per_question_p50": percentile([one.took_ms for one in answered], 0.5),
    }


def check_writable(path: Path) -> None:
    """Raise now what would lose a long run's work at its end."""
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be written: {error}") from error


def _write_rankings(path: Path, answered: Sequence[_Answered]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for one in answered:
            row = {
                "group": one.question.group,
                "id": one.question.id,
                "category": one.question.category,
                "ranking": one.ranking,
                "evidence": sorted(one.question.evidence),
                **one.measures,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
