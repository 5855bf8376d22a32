"""The questions of desks and other labelled data, asked through the public API, and judged.

Default settings: what is measured is what users get.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.model.answer import Hit
from simonides_bench.budget import plain
from simonides_bench.desk.answers import figures_and_names, words_in
from simonides_bench.desk.judged import (
    BriefShares,
    Judged,
    by_category,
    figures,
    is_must_not_before,
    ranks_of,
    share_of,
)
from simonides_bench.desk.reading import read_labelled_data
from simonides_bench.desk.spaces import LabelledData, Part, fill
from simonides_bench.neutral import Question
from simonides_bench.recall import DEPTH, Progress, ProgressCounter, check_writable

BUDGET = 700
"""Tokens of the brief of a question."""

WIDE_BUDGET = 1500
"""Tokens of a second brief, the default of users."""

PASTED_DEPTH = 60
"""Hits whose passages are pasted, more than fit."""

TITLE_CHARS = 70


def run(
    data: Sequence[Path],
    *,
    budget: int = BUDGET,
    keep: Path | None = None,
    misses: Path | None = None,
    settings: Settings | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the figures of all questions, and of each set (see docs/reference/benchmarks.md).

    Each of `data` is the folder of a desk or a file of the neutral format. Below `keep` their
    spaces stay for the next run, which must have the same model. `misses` is where each question
    is written whose evidence is not all among the first ten hits. Progress is counted in questions.

    Raises:
        InvalidInput: Data cannot be read or leave no question, two of them are called the same,
            `misses` cannot be written, or something else stands in the place of what is kept.
        ImportFailed: A file of a desk holds nothing that can be imported.
        EmbedderError: The embedder failed.
    """
    sets = [read_labelled_data(path) for path in data]
    _check(sets)
    if misses is not None:
        check_writable(misses)
    used = settings or Settings(timezone="UTC", durability="relaxed")
    progress = ProgressCounter(total=sum(one.count for one in sets), on_progress=on_progress)
    judged: dict[str, list[Judged]] = {}
    kept: dict[str, float] = {}
    for one in sets:
        with fill(one, settings=used, keep=keep) as memory:
            parts = list(one.parts(memory))
            kept[one.name] = _evidence_kept(parts)
            judged[one.name] = list(_ask(parts, budget=budget, progress=progress))
    if misses is not None:
        _write_misses(misses, judged)
    return _report(judged, kept)


def _check(sets: Sequence[LabelledData]) -> None:
    names = [one.name for one in sets]
    for one in sets:
        if not one.count:
            raise InvalidInput(one.name, "leaves no question to ask")
        if names.count(one.name) > 1:
            raise InvalidInput(one.name, "is the name of several sets of data; rename one of them")


def _ask(parts: Sequence[Part], *, budget: int, progress: ProgressCounter) -> Iterator[Judged]:
    for part in parts:
        for question in part.questions:
            yield _judge(part, question, budget=budget)
            progress.add(1)


def _judge(part: Part, question: Question, *, budget: int) -> Judged:
    now = question.at or part.now
    result = part.space.search(question.text, limit=DEPTH, now=now)
    hits = [part.names.get(hit.id, frozenset()) for hit in result]
    passages = [
        _paste(hit) for hit in part.space.search(question.text, limit=PASTED_DEPTH, now=now)
    ]
    return Judged(
        question=question,
        ranks=ranks_of(question.evidence, hits),
        is_first_right=bool(hits and hits[0] & (question.evidence | question.also_ok)),
        is_must_not_before=is_must_not_before(question, hits),
        certainty=result.hits[0].relevance if result.hits else 0.0,
        briefs={
            tokens: _shares(part, question, passages, budget=tokens, now=now)
            for tokens in dict.fromkeys((budget, WIDE_BUDGET))
        },
        titles=tuple((hit.title or hit.text)[:TITLE_CHARS] for hit in result),
    )


def _shares(
    part: Part, question: Question, passages: Sequence[str], *, budget: int, now: datetime
) -> BriefShares:
    brief = part.space.brief(question.text, budget_tokens=budget, now=now)
    shown = [part.names.get(item.id, frozenset()) for item in brief.items]
    wanted = figures_and_names(question.answer)
    return BriefShares(
        evidence=share_of(question.evidence, shown),
        answer=_share_in(brief.text, wanted),
        pasted=_share_in(plain(passages, budget), wanted),
        tokens=brief.tokens,
        is_denied=not brief.items,
        is_in_doubt=bool(brief.receipt.nothing),
    )


def _share_in(text: str, wanted: frozenset[str]) -> float | None:
    return len(wanted & words_in(text)) / len(wanted) if wanted else None


def _paste(hit: Hit) -> str:
    """Return the best passage of a hit under a head: kind, author, day and title."""
    item = hit.item
    who = (item.author.name or item.author.address) if item.author else ""
    day = item.happened_at.date().isoformat() if item.happened_at else ""
    return f"[{item.kind} · {who} · {day}] {item.title}\n{hit.passage}"


def _evidence_kept(parts: Sequence[Part]) -> float:
    """Return which share of the labelled evidence the importers made items of."""
    shares = [
        (one.evidence, frozenset().union(*part.names.values()))
        for part in parts
        for one in part.questions
    ]
    wanted = sum(len(evidence) for evidence, _ in shares)
    return sum(len(evidence & kept) for evidence, kept in shares) / wanted if wanted else 1.0


def _report(judged: Mapping[str, Sequence[Judged]], kept: Mapping[str, float]) -> dict[str, Any]:
    everything = [one for rows in judged.values() for one in rows]
    return {
        **figures(everything),
        "by_category": by_category(everything),
        "sets": {
            name: {"evidence_kept": kept[name], **figures(rows), "by_category": by_category(rows)}
            for name, rows in judged.items()
        },
    }


def _write_misses(path: Path, judged: Mapping[str, Sequence[Judged]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for name, rows in judged.items():
            for one in rows:
                if one.is_missed:
                    file.write(json.dumps(one.describe(name), ensure_ascii=False) + "\n")
