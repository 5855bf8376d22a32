"""The benches of briefs and of churn see an engine that writes nothing, or loses something."""

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bench.labelled import WORDS_ONLY, explained, item, question, written

from simonides_bench import budget, churn
from simonides_bench.neutral import read_groups
from simonides_bench.recall import ProgressCounter, keep_group, now_of, open_throwaway
from simonides_bench.standing import Said, stands_in
from simonides_bench.steady import NEW, steadiness

# ── budget ────────────────────────────────────────────────────────────────────────────────────


def test_every_figure_of_budget_is_reported_in_the_reference(data: Path) -> None:
    figures = budget.run(data, budgets=(300,), settings=WORDS_ONLY)

    assert explained("Budget") == set(figures)


def test_an_item_of_the_data_is_not_taken_for_the_one_that_is_added(tmp_path: Path) -> None:
    path = written(
        tmp_path / "data.jsonl", item("g", "new", "The ferry leaves at seven."),
        question("g", "q", "When does the ferry leave?", "new"),
    )  # fmt: skip
    [group] = read_groups(path)

    with open_throwaway(WORDS_ONLY) as memory:
        keep_group(memory, group, ProgressCounter(total=1, on_progress=None))
        list(steadiness(memory, group.questions, now=now_of(group), budget=100))
        kept = [one.source_id for one in memory.list().items]

    assert kept == ["new"]
    assert NEW != "new"


words = st.lists(st.sampled_from("one two three four five six".split()), max_size=12)


@given(said=words, other=words)
def test_an_item_stands_in_itself_and_in_what_holds_it_and_an_empty_one_nowhere(
    said: list[str], other: list[str]
) -> None:
    text, own = " ".join(said), Said.of(" ".join(said))

    assert stands_in(text, own) is bool(said)
    assert stands_in(f"{' '.join(other)}: {text.upper()}!", own) is bool(said)
    assert not stands_in("", own)


# ── churn ─────────────────────────────────────────────────────────────────────────────────────


def test_texts_never_repeat_and_are_the_same_in_every_run() -> None:
    def first(count: int) -> list[str]:
        texts = churn._texts(random.Random(0), ["The ferry.", "The bridge."])
        return [next(texts) for _ in range(count)]

    assert first(50) == first(50)
    assert len(set(first(50))) == 50
