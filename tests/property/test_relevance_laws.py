"""The fused score beside an oracle that takes one item after another, in plain Python."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simonides.scoring.relevance import Parts, Relevance, ScorePart, Threads, Weights, relevance

WEIGHTS: Final = Weights(session=0.35, before=0.05, after=0.15)
NUMBERS: Final = st.sampled_from([0.0, 0.1, -0.3, 0.5, 1.0]) | st.floats(-4.0, 4.0)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A small space: chunks of each item, the threads of those present, and weighted parts."""

    sizes: list[int]
    threads: list[list[int]]
    of_chunks: list[tuple[float, list[float]]]
    of_items: list[tuple[float, list[float]]]
    adjustments: list[tuple[float, list[float]]]


def weighted(draw: st.DrawFn, *, size: int, least: int = 0) -> list[tuple[float, list[float]]]:
    values = st.lists(NUMBERS, min_size=size, max_size=size)
    return draw(st.lists(st.tuples(NUMBERS, values), min_size=least, max_size=3))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=9))
    present = draw(
        st.lists(st.sampled_from(range(len(sizes))), min_size=1, unique=True).flatmap(
            st.permutations
        )
    )
    cuts = sorted(draw(st.sets(st.integers(1, len(present)))) | {0, len(present)})
    return Case(
        sizes=sizes,
        threads=[present[a:b] for a, b in pairwise(cuts)],
        of_chunks=weighted(draw, size=sum(sizes), least=1),
        of_items=weighted(draw, size=len(sizes)),
        adjustments=weighted(draw, size=len(sizes)),
    )


def parts(name: str, given_parts: list[tuple[float, list[float]]]) -> tuple[ScorePart, ...]:
    return tuple(
        ScorePart(name=f"{name} {i}", weight=weight, values=np.array(values, dtype=np.float64))
        for i, (weight, values) in enumerate(given_parts)
    )


def threads_of(case: Case) -> Threads:
    order = [item for thread in case.threads for item in thread]
    heads = np.cumsum([0, *(len(thread) for thread in case.threads)])[:-1]
    follows = np.ones(len(order), dtype=bool)
    follows[heads] = False
    return Threads(
        items=np.array(order, dtype=np.int32), starts=heads.astype(np.int64), follows=follows
    )


def scored(case: Case) -> Relevance:
    starts = np.cumsum([0, *case.sizes])[:-1]
    return relevance(
        Parts(
            of_chunks=parts("chunk", case.of_chunks),
            of_items=parts("item", case.of_items),
            adjustments=parts("adjustment", case.adjustments),
        ),
        threads=threads_of(case),
        item_starts=starts.astype(np.int32),
        chunk_items=np.repeat(np.arange(len(case.sizes)), case.sizes).astype(np.int32),
        weights=WEIGHTS,
    )


def summed(given_parts: list[tuple[float, list[float]]], slot: int, *, start: float) -> float:
    for weight, values in given_parts:
        start += weight * values[slot]
    return start


def chunks_of(case: Case, item: int) -> range:
    first = sum(case.sizes[:item])
    return range(first, first + case.sizes[item])


def naive_passage(case: Case, chunk: int) -> float:
    weight, values = case.of_chunks[0]
    return summed(case.of_chunks[1:], chunk, start=weight * values[chunk])


def naive_own(case: Case, item: int) -> float:
    best = max(naive_passage(case, chunk) for chunk in chunks_of(case, item))
    return summed(case.of_items, item, start=best)


def naive_score(case: Case, thread: list[int], at: int) -> float:
    lift = WEIGHTS.session * max(naive_own(case, item) for item in thread)
    threaded = [naive_own(case, item) + lift for item in thread]
    score = threaded[at]
    score += WEIGHTS.before * (threaded[at - 1] if at else 0.0)
    score += WEIGHTS.after * (threaded[at + 1] if at + 1 < len(thread) else 0.0)
    return summed(case.adjustments, thread[at], start=score)


@given(case=cases())
def test_every_score_is_the_formula_worked_out_for_one_item(case: Case) -> None:
    expected = [
        naive_score(case, thread, at) for thread in case.threads for at in range(len(thread))
    ]

    assert scored(case).scores.tolist() == expected


@given(case=cases())
def test_the_parts_told_of_add_up_to_the_score_to_the_last_bit(case: Case) -> None:
    found = scored(case)
    for place, score in enumerate(found.scores.tolist()):
        total = 0.0
        for part in found.contributions(place):
            total += part.value

        assert total == score


@given(case=cases())
def test_each_part_told_of_is_its_weight_times_what_the_item_has(case: Case) -> None:
    found = scored(case)
    for place, item in enumerate(found.threads.items.tolist()):
        told = {part.name: part.value for part in found.contributions(place)}
        best = found.best_chunk(item)
        expected = {
            f"{name} {i}": weight * values[slot]
            for name, slot, given_parts in (
                ("chunk", best, case.of_chunks),
                ("item", item, case.of_items),
                ("adjustment", item, case.adjustments),
            )
            for i, (weight, values) in enumerate(given_parts)
        }

        assert {name: value for name, value in expected.items() if value} == {
            name: value for name, value in told.items() if " " in name
        }


@given(case=cases())
def test_what_a_thread_adds_is_told_apart_as_the_best_the_one_before_and_the_one_after(
    case: Case,
) -> None:
    found = scored(case)
    place = 0
    for thread in case.threads:
        own = [naive_own(case, item) for item in thread]
        threaded = [one + WEIGHTS.session * max(own) for one in own]
        for at in range(len(thread)):
            told = {part.name: part.value for part in found.contributions(place)}
            place += 1

            assert told.get("session", 0.0) == WEIGHTS.session * max(own)
            assert told.get("before", 0.0) == (WEIGHTS.before * threaded[at - 1] if at else 0.0)
            assert told.get("after", 0.0) == (
                WEIGHTS.after * threaded[at + 1] if at + 1 < len(thread) else 0.0
            )


@given(case=cases())
def test_the_first_best_passage_speaks_for_each_item(case: Case) -> None:
    found = scored(case)
    for item in range(len(case.sizes)):
        chunks = chunks_of(case, item)

        assert found.best_chunk(item) == max(
            chunks, key=lambda chunk: (naive_passage(case, chunk), -chunk)
        )


@given(case=cases())
def test_a_score_depends_on_nothing_outside_its_thread(case: Case) -> None:
    whole = iter(scored(case).scores.tolist())
    for thread in case.threads:
        alone = Case(
            sizes=case.sizes,
            threads=[thread],
            of_chunks=case.of_chunks,
            of_items=case.of_items,
            adjustments=case.adjustments,
        )

        assert scored(alone).scores.tolist() == [next(whole) for _ in thread]


@given(case=cases())
def test_scoring_leaves_what_it_was_given_as_it_was(case: Case) -> None:
    found = scored(case)
    for part, (_, values) in zip(found.parts.of_chunks, case.of_chunks, strict=True):
        assert part.values.tolist() == values
    for part, (_, values) in zip(found.parts.of_items, case.of_items, strict=True):
        assert part.values.tolist() == values
    for part, (_, values) in zip(found.parts.adjustments, case.adjustments, strict=True):
        assert part.values.tolist() == values


@given(case=cases())
def test_neighbours_never_reach_over_the_edge_of_a_thread(case: Case) -> None:
    threads = threads_of(case)
    values = np.arange(1.0, len(threads.items) + 1)
    before, after, best = (
        move(values).tolist() for move in (threads.before, threads.after, threads.best)
    )
    at = 0
    for thread in case.threads:
        own = values[at : at + len(thread)].tolist()

        assert before[at : at + len(thread)] == [0.0, *own[:-1]]
        assert after[at : at + len(thread)] == [*own[1:], 0.0]
        assert best[at : at + len(thread)] == [own[-1]] * len(thread)
        at += len(thread)


def test_the_bytes_of_threads_are_those_of_their_arrays() -> None:
    case = Case(sizes=[1] * 3, threads=[[0, 1], [2]], of_chunks=[], of_items=[], adjustments=[])

    assert threads_of(case).nbytes == 3 * 4 + 2 * 8 + 3 * 1


def test_a_part_of_no_value_says_nothing_of_where_it_comes_from() -> None:
    part = ScorePart(
        name="lexical", weight=0.5, values=np.array([0.0, 1.0]), detail=lambda _: "alpha"
    )

    found: list[Any] = []
    for slot in (0, 1):
        part.add_to(found, slot)

    assert [one.detail for one in found] == ["alpha"]
