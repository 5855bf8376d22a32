"""`simonides bench recall`: how much of the labelled evidence the engine finds.

Through the public API, with the default settings: what is measured is what users get.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simonides.bench.metrics import averages, intervals, judged, percentile
from simonides.bench.neutral import Group, Question, read_groups
from simonides.config import Settings
from simonides.engine.memory import Memory
from simonides.text.tokens import count

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
    """Return the measures of one file of labelled data (see docs/reference/command-line.md).

    Raises:
        InvalidInput: The file is not of the neutral format.
    """
    groups = read_groups(data)
    total = sum(len(group.items) for group in groups)
    answered: list[_Answered] = []
    skipped = 0
    done = 0
    with _memory(settings) as memory:
        for group in groups:
            space = memory.in_space(f"group-{groups.index(group)}")
            for start in range(0, len(group.items), BATCH_ITEMS):
                space.add(group.items[start : start + BATCH_ITEMS])
                done += len(group.items[start : start + BATCH_ITEMS])
                if on_progress is not None:
                    on_progress(done, total)
            asked = [q for q in group.questions if q.category not in exclude_categories]
            skipped += group.skipped + len(group.questions) - len(asked)
            answered += [_answer(space, question, group, scorer) for question in asked]
    if per_question is not None:
        _write_rankings(per_question, answered)
    return _report(answered, skipped=skipped)


@contextmanager
def _memory(settings: Settings | None) -> Iterator[Memory]:
    with (
        tempfile.TemporaryDirectory(prefix="simonides-bench-") as home,
        Memory(home, settings=settings or Settings(timezone="UTC", durability="relaxed")) as memory,
    ):
        yield memory


def _answer(memory: Memory, question: Question, group: Group, scorer: str) -> _Answered:
    now = question.at or max(
        (item.happened_at for item in group.items if item.happened_at), default=FIXED_NOW
    )
    started = time.perf_counter()
    result = memory.search(question.text, limit=DEPTH, now=now, scorer=scorer)
    took_ms = 1000.0 * (time.perf_counter() - started)
    ranking = [hit.item.source_id for hit in result]
    return _Answered(
        question=question,
        ranking=ranking,
        measures=judged(ranking, question.evidence),
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
    if not answered:
        return {}
    rows = [one.measures for one in answered]
    return {
        **averages(rows),
        "interval_95": intervals(rows, group_of=lambda i: answered[i].question.group),
        f"tokens@{TOKENS_AT}": sum(one.tokens for one in answered) / len(answered),
        "ms_per_question_p50": percentile([one.took_ms for one in answered], 0.5),
    }


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
