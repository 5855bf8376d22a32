"""The benches of briefs and of churn see an engine that writes nothing, or loses something."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bench.labelled import SUBJECTS, WORDS_ONLY, explained, item, question, written

from simonides.api.memory import Memory
from simonides_bench import budget, churn
from simonides_bench.neutral import SOURCE, read_groups
from simonides_bench.recall import Told, keep_group, now_of, thrown_away
from simonides_bench.standing import Said, stands_in
from simonides_bench.steady import NEW, UNRELATED, prefix_share, steadiness

if TYPE_CHECKING:
    from simonides.model.item import Item


# ── budget ────────────────────────────────────────────────────────────────────────────────────


def test_an_engine_whose_briefs_are_empty_is_seen_beside_plain_joining(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = Memory.brief

    def empty(self: Memory, *asked: Any, **how: Any) -> Any:
        return replace(brief(self, *asked, **how), text="")

    monkeypatch.setattr(Memory, "brief", empty)
    figures = budget.run(data, budgets=(300,), settings=WORDS_ONLY)

    assert figures["budgets"]["300"] == {
        "brief": 0.0, "sourced": 0.0, "scoped": 0.0, "plain": 1.0, "plain_content": 1.0,
    }  # fmt: skip
    assert figures["tokens"]["300"]["brief"] == 0.0
    assert figures["interval_95"]["300"]["brief less plain"] == [-1.0, -1.0]


def test_every_figure_of_budget_is_told_in_the_reference(data: Path) -> None:
    figures = budget.run(data, budgets=(300,), settings=WORDS_ONLY)

    assert explained("Budget") == set(figures)


def test_an_item_of_the_data_is_not_taken_for_the_one_that_is_added(tmp_path: Path) -> None:
    path = written(
        tmp_path / "data.jsonl", item("g", "new", "The ferry leaves at seven."),
        question("g", "q", "When does the ferry leave?", "new"),
    )  # fmt: skip
    [group] = read_groups(path)

    with thrown_away(WORDS_ONLY) as memory:
        keep_group(memory, group, Told(total=1, on_progress=None))
        list(steadiness(memory, group.questions, now=now_of(group), budget=100))
        kept = [one.source_id for one in memory.list().items]

    assert kept == ["new"]
    assert NEW != "new"


def test_what_is_added_is_newer_than_all_else_and_stands_in_the_brief(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, brief = Memory.add, Memory.brief
    added: list[Item] = []
    texts: list[str] = []

    def noted(self: Memory, what: Any, **rest: Any) -> Any:
        if not isinstance(what, list):
            added.append(what)
        return add(self, what, **rest)

    def read(self: Memory, text: str, **how: Any) -> Any:
        made = brief(self, text, **how)
        texts.append(made.text)
        return made

    monkeypatch.setattr(Memory, "add", noted)
    monkeypatch.setattr(Memory, "brief", read)
    [group] = read_groups(data)
    with thrown_away(WORDS_ONLY) as memory:
        keep_group(memory, group, Told(total=6, on_progress=None))
        shares = list(steadiness(memory, group.questions, now=now_of(group), budget=700))

    assert len(shares) == 3  # of six questions the first three
    assert {one.happened_at for one in added} == {now_of(group) + timedelta(seconds=1)}
    assert {one.source for one in added} == {SOURCE}
    assert {one.content for one in added} == {UNRELATED} | {
        f"Who opened the {one}: I know it since today." for one in SUBJECTS[:3]
    }
    layouts = len(shares[0]["answering"])
    assert ["since today" in text for text in texts] == 3 * (
        [False] * layouts + [True] * layouts + [False] * layouts
    )


@given(before=st.text(max_size=8), after=st.text(max_size=8))
def test_a_prefix_is_a_share_of_what_was_there_before(before: str, after: str) -> None:
    share = prefix_share(before, after)
    same = round(share * len(before))

    assert 0.0 <= share <= 1.0
    assert before[:same] == after[:same]
    assert same == len(before) or before[same : same + 1] != after[same : same + 1]


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


def test_every_figure_of_churn_is_told_in_the_reference_and_is_there() -> None:
    figures = churn.run(updates=3, items=4)

    assert explained("Churn") - {"relaxed"} == set(figures)
    assert figures["same_answers"] == 1.0


def spaces(folder: Path) -> tuple[Path, Path, Iterator[str]]:
    texts = churn._texts(random.Random(0), [f"The {one} was opened." for one in SUBJECTS])
    churn._churn(folder / "churned", texts, updates=5, items=6, on_progress=None)
    return folder / "churned", folder / "fresh", texts


def test_a_copy_has_the_same_items_and_answers(tmp_path: Path) -> None:
    churned, fresh, texts = spaces(tmp_path)
    churn._copy(churned, fresh)

    with churn._opened(churned) as one, churn._opened(fresh) as other:
        assert {item.content for item in one.list().items} == {
            item.content for item in other.list().items
        }
    assert churn._search_figures(churned, fresh, texts)["same_answers"] == 1.0


def test_a_compaction_that_takes_items_along_is_seen(tmp_path: Path) -> None:
    churned, fresh, texts = spaces(tmp_path)
    churn._copy(churned, fresh)
    with churn._opened(churned) as memory:
        memory.forget(*(one.id for one in memory.list().items[:3]))

    assert churn._search_figures(churned, fresh, texts)["same_answers"] < 1.0


def test_a_copy_reads_every_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(churn, "PAGE_ITEMS", 2)
    churned, fresh, _ = spaces(tmp_path)
    churn._copy(churned, fresh)

    with churn._opened(fresh) as memory:
        assert memory.stats().items == 6


def test_ratios_of_searches_are_of_each_questions_own_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    churned, fresh, texts = spaces(tmp_path)
    churn._copy(churned, fresh)
    times = iter([(2.0, 1.0), (30.0, 20.0), (4.0, 4.0)] * 20)
    pending: list[float] = []

    def fastest(_memory: Memory, _text: str) -> float:
        if not pending:
            pending.extend(next(times))
        return pending.pop(0)

    monkeypatch.setattr(churn, "_fastest_ms", fastest)
    monkeypatch.setattr(churn, "QUESTIONS", 3)
    figures = churn._search_figures(churned, fresh, texts)

    assert (figures["search_ms_p50"], figures["fresh_search_ms_p50"]) == (4.0, 4.0)
    assert figures["search_ratio"] == 1.5


def test_texts_never_repeat_and_are_the_same_in_every_run() -> None:
    def first(count: int) -> list[str]:
        texts = churn._texts(random.Random(0), ["The ferry.", "The bridge."])
        return [next(texts) for _ in range(count)]

    assert first(50) == first(50)
    assert len(set(first(50))) == 50
