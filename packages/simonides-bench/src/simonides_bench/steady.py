"""How much of a brief stays where it is when something new is kept: what a prompt cache can use.

A model's prompt cache holds the beginning of a text up to the first character that differs.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from simonides.api.memory import Memory
from simonides.model.brief import Layout
from simonides.model.item import Item, Kind
from simonides_bench.neutral import SOURCE, Question

QUESTIONS_MAX = 3
"""So many questions of each group are asked again."""

NEW = "(added by the bench)"
"""The id, in its source, of the item that is added: none that labelled data would have."""

UNRELATED = "The weather has been lovely all week, has it not."

Shares = dict[str, float]


def prefix_share(before: str, after: str) -> float:
    """Return which share of the characters of `before` `after` begins with; 1 for an empty one."""
    if not before:
        return 1.0
    pairs = enumerate(zip(before, after, strict=False))
    first = next((n for n, (one, other) in pairs if one != other), min(len(before), len(after)))
    return first / len(before)


def steadiness(
    space: Memory, questions: Sequence[Question], *, now: datetime, budget: int
) -> Iterator[dict[str, Shares]]:
    """Yield for each of the first questions, asked once more, the prefix share by layout.

    In between one thing newer than all else is kept: `answering` the question in its own words, so
    that it comes in as the best of all, or `unrelated`. It is forgotten again.
    """
    for question in questions[:QUESTIONS_MAX]:
        at = question.at or now
        before = _briefs(space, question, now=at, budget=budget)
        shares: dict[str, Shares] = {}
        for news, item in _newer(question, at=now + timedelta(seconds=1)).items():
            space.add(item)
            after = _briefs(space, question, now=at, budget=budget)
            space.forget(item.id)
            shares[news] = {name: prefix_share(text, after[name]) for name, text in before.items()}
        yield shares


def _newer(question: Question, *, at: datetime) -> dict[str, Item]:
    contents = {
        "answering": f"{question.text.rstrip('?')}: I know it since today.",
        "unrelated": UNRELATED,
    }
    return {
        news: Item(kind=Kind.MESSAGE, source=SOURCE, source_id=NEW, content=content, happened_at=at)
        for news, content in contents.items()
    }


def _briefs(space: Memory, question: Question, *, now: datetime, budget: int) -> dict[str, str]:
    return {
        layout.value: space.brief(question.text, budget_tokens=budget, layout=layout, now=now).text
        for layout in Layout
    }
