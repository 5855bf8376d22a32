"""`simonides bench budget`: how much of the labelled evidence stands in the text of a brief.

Through the public API, with the default settings: what is measured is what a model would read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simonides.api.memory import Memory
from simonides.codec.lossless import time_text
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.model.brief import Layout
from simonides.model.item import Item
from simonides.text.tokens import count_batch
from simonides_bench.metrics import intervals
from simonides_bench.neutral import Group, Question, read_groups
from simonides_bench.recall import Progress, ProgressCounter, keep_group, now_of, open_throwaway
from simonides_bench.standing import Said, stands_in
from simonides_bench.steady import Shares, steadiness

BUDGETS = (300, 700, 1500)
"""Tokens of a text (issue 3 asks for these)."""

STEADY_BUDGET = 700
"""Tokens of the briefs that are asked for once more with something new in memory."""

TOKENS_LEAST = 8
"""No item costs less: so deep goes the ranking that `plain` joins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    question: Question
    shares: Mapping[tuple[int, str], float]
    tokens: Mapping[tuple[int, str], int]


def run(
    data: Path,
    *,
    budgets: Sequence[int] = BUDGETS,
    settings: Settings | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return which share of the evidence is in the text, by budget and way of writing it.

    `budgets` → {tokens → {`brief`, `sourced`, `scoped`, `plain`, `plain_content` → share}}, and
    the mean tokens that each text took. `plain` joins the hits of the same search, whole, with
    their time and author, until the next one does not fit; `plain_content` the bare contents.
    `prefix` → {`answering`, `unrelated` → {layout → mean share}} of a brief of 700 tokens that
    stays its beginning when one such thing is added which is newer than all else (`steady`).

    Raises:
        InvalidInput: The file is not of the neutral format, or leaves no question to ask.
    """
    groups = read_groups(data)
    if not any(group.questions for group in groups):
        raise InvalidInput(data.name, "leaves no question whose evidence is among its items")
    progress = ProgressCounter(
        total=sum(len(group.items) for group in groups), on_progress=on_progress
    )
    asked: list[_Asked] = []
    prefixes: list[dict[str, Shares]] = []
    with open_throwaway(settings or Settings()) as memory:
        for number, group in enumerate(groups):
            space = memory.in_space(f"group-{number}")
            asked += _ask(space, group, budgets, progress)
            now = now_of(group)
            prefixes += steadiness(space, group.questions, now=now, budget=STEADY_BUDGET)
    return {**_report(asked, budgets), "prefix": _prefix(prefixes)}


def _ask(
    space: Memory, group: Group, budgets: Sequence[int], progress: ProgressCounter
) -> Iterator[_Asked]:
    if not group.questions:
        return
    keep_group(space, group, progress)
    said = {item.source_id: Said.of(item.content) for item in group.items}
    for question in group.questions:
        texts = dict(_texts(space, question, group, budgets))
        counts = count_batch(list(texts.values()))
        evidence = [said[one] for one in sorted(question.evidence)]
        yield _Asked(
            question=question,
            shares={way: _share(evidence, text) for way, text in texts.items()},
            tokens=dict(zip(texts, counts, strict=True)),
        )


def _texts(
    space: Memory, question: Question, group: Group, budgets: Sequence[int]
) -> Iterator[tuple[tuple[int, str], str]]:
    now = question.at or now_of(group)
    found = space.search(question.text, limit=max(budgets) // TOKENS_LEAST, now=now)
    items = [hit.item for hit in found]
    for budget in budgets:
        for layout in Layout:
            made = space.brief(question.text, budget_tokens=budget, layout=layout, now=now)
            yield (budget, layout.value), made.text
        yield (budget, "plain"), plain([whole_line(item) for item in items], budget)
        yield (budget, "plain_content"), plain([item.content for item in items], budget)


def whole_line(item: Item) -> str:
    """Return all of an item as one who joins hits would write it: when, who, title, content."""
    when = time_text(item.happened_at) if item.happened_at else ""
    who = (item.author.name or item.author.address) if item.author else ""
    said = f"{item.title}\n{item.content}" if item.title else item.content
    head = " ".join(part for part in (when, who) if part)
    return f"{head}: {said}" if head else said


def plain(lines: Sequence[str], budget: int) -> str:
    """Return the lines joined, best first, until the next one does not fit any more."""
    costs = count_batch([f"{line}\n" for line in lines])
    total = 0
    for place, cost in enumerate(costs):
        total += cost
        if total > budget:
            return "\n".join(lines[:place])
    return "\n".join(lines)


def _share(evidence: Sequence[Said], text: str) -> float:
    return sum(stands_in(text, one) for one in evidence) / len(evidence)


def _report(asked: Sequence[_Asked], budgets: Sequence[int]) -> dict[str, Any]:
    ways = [*(layout.value for layout in Layout), "plain", "plain_content"]
    return {
        "questions": len(asked),
        "budgets": {
            str(budget): {way: _mean(asked, budget, way) for way in ways} for budget in budgets
        },
        "tokens": {
            str(budget): {
                way: sum(one.tokens[budget, way] for one in asked) / len(asked) for way in ways
            }
            for budget in budgets
        },
        "interval_95": {str(budget): _gain(asked, budget) for budget in budgets},
    }


def _mean(asked: Sequence[_Asked], budget: int, way: str) -> float:
    return sum(one.shares[budget, way] for one in asked) / len(asked)


def _gain(asked: Sequence[_Asked], budget: int) -> Any:
    """Return the interval of `brief` less `plain`, by resampling groups."""
    rows = [
        {"brief less plain": one.shares[budget, "brief"] - one.shares[budget, "plain"]}
        for one in asked
    ]
    return intervals(rows, group_of=lambda place: asked[place].question.group)


def _prefix(prefixes: Sequence[dict[str, Shares]]) -> dict[str, Shares]:
    return {
        news: {
            layout.value: sum(one[news][layout.value] for one in prefixes) / len(prefixes)
            for layout in Layout
        }
        for news in prefixes[0]
    }
