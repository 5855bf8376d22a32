"""Laws of the pure arithmetic of finding, beside oracles in plain Python."""

import math
from fractions import Fraction
from random import Random
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.model.answer import Direction
from simonides.model.decay import IMPORTANCE_FLOOR, DecayConfig
from simonides.scoring.formulas import (
    K1,
    RRF_K,
    B,
    ClassicSignals,
    Lane,
    classic_parts,
    episodic,
    idf,
    length_norms,
    rank_shares,
    ranks,
)
from simonides.scoring.importance import (
    DAY_US,
    UNDATED,
    decayed_importance,
    time_agreement,
    time_nearness,
)
from simonides.scoring.quantise import PRIOR_ROWS, centred_query, quantise, rounded_mean, scale

# ── reciprocal ranks ─────────────────────────────────────────────────────────────────────────────

MISSING: Final = float("nan")
lane_values = st.lists(
    st.sampled_from([MISSING, 0.0, -1.0, 0.25, 0.5, 1e-300, 1e300]) | st.floats(allow_nan=False),
    max_size=12,
)


def naive_rank(values: list[float], place: int) -> float:
    if math.isnan(values[place]):
        return math.inf
    return 1.0 + sum(other > values[place] for other in values)


def ranked(values: list[float]) -> list[float]:
    found: list[float] = ranks(np.array(values, dtype=np.float64)).tolist()
    return found


@given(values=lane_values)
def test_a_rank_is_one_more_than_how_many_are_better(values: list[float]) -> None:
    assert ranked(values) == [naive_rank(values, place) for place in range(len(values))]


@given(values=lane_values, weight=st.floats(0.0, 1.0), k=st.integers(0, 100))
def test_a_share_is_the_weight_over_k_plus_rank_and_nothing_for_what_was_not_found(
    values: list[float], weight: float, k: int
) -> None:
    lane = Lane(name="any", weight=weight, values=np.array(values, dtype=np.float64))

    assert rank_shares(lane, k=k).tolist() == [
        weight / (k + naive_rank(values, place)) for place in range(len(values))
    ]


@given(values=lane_values, order=st.randoms(use_true_random=False))
def test_the_order_in_which_items_were_written_leaves_no_trace_in_their_ranks(
    values: list[float], order: Random
) -> None:
    places = list(range(len(values)))
    order.shuffle(places)

    assert ranked([values[place] for place in places]) == [ranked(values)[p] for p in places]


@given(values=lane_values)
def test_what_was_not_found_takes_no_rank_from_others(values: list[float]) -> None:
    assert ranked([*values, MISSING])[:-1] == ranked(values)


def test_the_constant_of_reciprocal_ranks_is_that_of_the_paper() -> None:
    assert RRF_K == 60


# ── classic ──────────────────────────────────────────────────────────────────────────────────────

SEED_SOURCES: Final = {
    "gmail": 0.10, "outlook": 0.10, "gdrive": 0.08, "onedrive": 0.08, "jira": 0.07,
    "calendar": 0.05,
}  # fmt: skip

signals = st.builds(
    ClassicSignals,
    semantic=st.floats(-1.0, 1.0),
    days=st.none() | st.integers(0, 800),
    entities=st.integers(0, 12),
    entity_explicit=st.booleans(),
    source=st.sampled_from([*SEED_SOURCES, "note", "", "Gmail"]),
    source_explicit=st.booleans(),
    text_rank=st.floats(0.0, 5.0),
)


def seed_score(one: ClassicSignals) -> float:
    """The formula as the seed writes it down (6.1 and 6.2), with no recency for the undated."""
    recency_score = 0.0 if one.days is None else max(0, 0.2 - (one.days / 365) * 0.2)
    entity_score = min(0.3, one.entities * 0.1)
    if one.entity_explicit:
        entity_score = max(entity_score, 0.2)
    source_score = SEED_SOURCES.get(one.source, 0.05)
    fts_score = min(0.1, one.text_rank * 0.05)
    explicit_source_boost = 0.4 if one.source_explicit else 0.0
    return (
        (one.semantic * 0.5)
        + recency_score
        + entity_score
        + source_score
        + fts_score
        + explicit_source_boost
    )


@given(one=signals)
def test_the_classic_parts_add_up_to_the_seeds_formula(one: ClassicSignals) -> None:
    total = sum(value for _, value in classic_parts(one))

    assert total == pytest.approx(seed_score(one), abs=1e-12)


@given(one=signals)
def test_every_classic_part_keeps_within_the_range_that_the_seed_gives_it(
    one: ClassicSignals,
) -> None:
    parts = dict(classic_parts(one))

    assert list(parts) == ["semantic", "recency", "entity", "source", "text", "explicit source"]
    assert -0.5 <= parts["semantic"] <= 0.5
    assert 0.0 <= parts["recency"] <= 0.2
    assert 0.0 <= parts["entity"] <= 0.3
    assert 0.05 <= parts["source"] <= 0.10
    assert 0.0 <= parts["text"] <= 0.1
    assert parts["explicit source"] in (0.0, 0.4)


def seed_relevance(similarity: float, *, is_current: bool, days_old: int | None) -> float | None:
    """The episodic relevance as the seed writes it down (7.3)."""
    session_weight = 1.0 if is_current else 0.5
    if similarity < 0.3:
        return None
    recency_score = 0.0 if days_old is None else max(0, 1 - days_old / 30)
    return min(0.5, similarity * session_weight * 0.6 + recency_score * 0.2)


@given(
    similarity=st.floats(-1.0, 1.0) | st.sampled_from([0.3, 0.29999]),
    same=st.booleans(),
    days=st.none() | st.integers(0, 60),
)
def test_a_message_is_as_relevant_as_the_seed_says(
    similarity: float, same: bool, days: int | None
) -> None:
    found = episodic(similarity, same_session=same, days=days)
    expected = seed_relevance(similarity, is_current=same, days_old=days)

    assert (found is None) == (expected is None)
    if expected is not None:
        assert found == pytest.approx(expected, abs=1e-12)


@given(similarity=st.floats(0.3, 1.0), days=st.integers(0, 60))
def test_a_message_of_another_session_is_never_more_relevant(similarity: float, days: int) -> None:
    here = episodic(similarity, same_session=True, days=days)
    there = episodic(similarity, same_session=False, days=days)

    assert here is not None
    assert there is not None
    assert there <= here <= 0.5


# ── BM25's pieces ────────────────────────────────────────────────────────────────────────────────


@given(total=st.integers(0, 5000), data=st.data())
def test_rarer_words_say_more_and_none_says_less_than_nothing(
    total: int, data: st.DataObject
) -> None:
    holding = data.draw(st.integers(0, total))

    found = idf(holding, total)

    assert found == pytest.approx(math.log(1 + (total - holding + 0.5) / (holding + 0.5)))
    assert found > 0.0
    assert holding == total or idf(holding + 1, total) < found


@given(lengths=st.lists(st.integers(0, 65535), min_size=1, max_size=8), mean=st.floats(0.5, 500.0))
def test_length_norms_are_those_of_plain_arithmetic_and_grow_with_the_length(
    lengths: list[int], mean: float
) -> None:
    found = length_norms(np.array(lengths, dtype=np.uint16), mean_length=mean).tolist()

    assert found == pytest.approx([K1 * (1 - B + B * length / mean) for length in lengths])
    assert [found[i] for i in np.argsort(lengths, kind="stable")] == sorted(found)


def test_without_a_mean_length_each_word_counts_as_one() -> None:
    found = length_norms(np.array([3], dtype=np.uint16), mean_length=0.0)

    assert found.tolist() == pytest.approx([K1 * (1 - B + 3 * B)])


# ── decay ────────────────────────────────────────────────────────────────────────────────────────

shares = st.floats(0.0, 1.0)
hours = st.floats(0.0, 1e6)
half_lives = st.floats(0.01, 1e5)


def plainly_faded(base: float, half_life: float | None, age: float) -> float:
    factor = 1.0
    if half_life is not None:
        factor = 0.0 if half_life == 0.0 else 2.0 ** (-max(age, 0.0) / half_life)
    return min(max(min(max(base, 0.0), 1.0) * factor, IMPORTANCE_FLOOR), 1.0)


@given(base=st.floats(-2.0, 2.0), half_life=st.none() | hours, age=st.floats(-1e6, 1e6))
def test_importance_fades_as_plain_arithmetic_says(
    base: float, half_life: float | None, age: float
) -> None:
    found = decayed_importance(base, half_life_hours=half_life, age_hours=age)

    assert found == pytest.approx(plainly_faded(base, half_life, age))
    assert IMPORTANCE_FLOOR <= found <= 1.0


@given(base=shares, half_life=half_lives, age=hours, later=hours)
def test_importance_never_grows_with_age(
    base: float, half_life: float, age: float, later: float
) -> None:
    now = decayed_importance(base, half_life_hours=half_life, age_hours=age)
    then = decayed_importance(base, half_life_hours=half_life, age_hours=age + later)

    assert then <= now


@given(base=shares, half_life=half_lives, longer=half_lives, age=hours)
def test_a_longer_half_life_never_fades_sooner(
    base: float, half_life: float, longer: float, age: float
) -> None:
    short = decayed_importance(base, half_life_hours=half_life, age_hours=age)
    long = decayed_importance(base, half_life_hours=half_life + longer, age_hours=age)

    assert short <= long
    assert long <= decayed_importance(base, half_life_hours=None, age_hours=age)


@given(base=shares, half_life=half_lives, age=hours)
def test_one_half_life_more_halves_what_is_above_the_floor(
    base: float, half_life: float, age: float
) -> None:
    whole = DecayConfig(floor=0.0)
    later = age + half_life
    now = decayed_importance(base, half_life_hours=half_life, age_hours=age, config=whole)
    then = decayed_importance(base, half_life_hours=half_life, age_hours=later, config=whole)

    assert then == pytest.approx(now / 2)


# ── time ─────────────────────────────────────────────────────────────────────────────────────────

NOW: Final = 20_000 * DAY_US
LENGTHS: Final = (1, 7, 8, 9, 30, 31, 32, 92, 93, 94, 366)
moments = st.one_of(
    st.just(UNDATED),
    st.integers(-500, 500).map(lambda days: NOW + days * DAY_US),
    st.integers(NOW - 40 * DAY_US, NOW + 40 * DAY_US),
)


def plain_agreement(happened: int, since: int | None, until: int | None) -> float:
    if happened == UNDATED:
        return 0.0
    grade = 0.2
    if since is not None and until is not None:
        days = (until - since) / DAY_US
        grade = 1.0 if days <= 8 else 0.6 if days <= 31 else 0.4 if days <= 93 else 0.2
    if (since is None or happened >= since) and (until is None or happened < until):
        return grade
    reported_later = until is not None and until <= happened < until + 31 * DAY_US
    return 0.2 if reported_later and grade > 0.2 else 0.0


@given(
    happened=st.lists(moments, max_size=8),
    since=st.none() | st.integers(-60, 60).map(lambda days: NOW + days * DAY_US),
    length=st.none() | st.sampled_from(LENGTHS),
)
def test_agreement_with_a_time_is_what_its_sentence_says(
    happened: list[int], since: int | None, length: int | None
) -> None:
    until = None if length is None else (NOW if since is None else since) + length * DAY_US

    found = time_agreement(np.array(happened, dtype=np.int64), since=since, until=until)

    assert found.tolist() == [plain_agreement(one, since, until) for one in happened]


@pytest.mark.parametrize("length", LENGTHS)
def test_both_ends_of_a_range_and_of_its_aftermath_are_half_open(length: int) -> None:
    until, month = NOW + length * DAY_US, 31 * DAY_US
    edges = [NOW - 1, NOW, until - 1, until, until + month - 1, until + month]

    found = time_agreement(np.array(edges, dtype=np.int64), since=NOW, until=until).tolist()

    assert found == [plain_agreement(one, NOW, until) for one in edges]
    assert found[0] == found[5] == 0.0
    assert found[1] == found[2] > 0.0
    assert found[3] == found[4]


@given(shorter=st.sampled_from(LENGTHS), longer=st.sampled_from(LENGTHS))
def test_a_finer_range_never_says_less_of_what_lies_inside(shorter: int, longer: int) -> None:
    inside = np.array([NOW], dtype=np.int64)
    fine, coarse = (
        time_agreement(inside, since=NOW, until=NOW + days * DAY_US)[0]
        for days in sorted((shorter, longer))
    )

    assert fine >= coarse > 0.0


def test_the_earliest_moment_there_is_lies_in_a_range_without_a_beginning() -> None:
    earliest = np.array([UNDATED + 1, UNDATED], dtype=np.int64)

    assert time_agreement(earliest, since=None, until=0).tolist() == [0.2, 0.0]


def plain_nearness(happened: int, direction: Direction, *, first: int) -> float:
    if happened == UNDATED or (direction is Direction.NEXT and happened < NOW):
        return 0.0
    end = first if direction is Direction.OLDEST else NOW
    return float(2.0 ** (-abs(happened - end) / DAY_US / 30.0))


@given(
    happened=st.lists(moments, max_size=8),
    direction=st.sampled_from([Direction.NEWEST, Direction.OLDEST, Direction.NEXT]),
)
def test_nearness_to_an_end_of_time_is_what_its_sentence_says(
    happened: list[int], direction: Direction
) -> None:
    first = min((one for one in happened if one != UNDATED), default=0)

    found = time_nearness(np.array(happened, dtype=np.int64), direction=direction, now_us=NOW)

    assert found.tolist() == pytest.approx(
        [plain_nearness(one, direction, first=first) for one in happened]
    )


@given(days=st.lists(st.floats(0.0, 400.0), min_size=2, max_size=6, unique=True))
def test_nearness_falls_with_the_distance_from_the_end_that_is_asked_for(days: list[float]) -> None:
    near_first = sorted(int(day * DAY_US) for day in days)
    for direction, sign in ((Direction.NEWEST, -1), (Direction.NEXT, 1), (Direction.OLDEST, 1)):
        happened = np.array([NOW + sign * one for one in near_first], dtype=np.int64)
        found = time_nearness(happened, direction=direction, now_us=NOW).tolist()

        assert found == sorted(found, reverse=True)
        assert all(0.0 < one <= 1.0 for one in found)


# ── quantisation ─────────────────────────────────────────────────────────────────────────────────

rows = st.lists(st.floats(-1.5, 1.5, width=32), min_size=1, max_size=40)


@given(values=rows)
def test_quantised_values_are_the_nearest_whole_ones_within_127(values: list[float]) -> None:
    row = np.array(values, dtype=np.float32)
    for value, found in zip(row, quantise(row), strict=True):
        exact = float(value) * scale(len(values))

        assert abs(min(max(exact, -127.0), 127.0) - int(found)) <= 0.5 + 1e-4


@given(values=rows)
def test_quantising_keeps_order_and_sign(values: list[float]) -> None:
    row = np.sort(np.array(values, dtype=np.float32))
    packed = quantise(row).astype(int)

    assert packed.tolist() == sorted(packed.tolist())
    assert quantise(-row).astype(int).tolist() == (-packed).tolist()


@given(total=st.lists(st.integers(-127_000, 127_000), min_size=1), count=st.integers(1000, 5000))
def test_the_mean_is_the_rounded_quotient_of_an_exact_sum(total: list[int], count: int) -> None:
    found = rounded_mean(np.array(total, dtype=np.int64), count).tolist()

    assert found == [round(Fraction(one, count + PRIOR_ROWS)) for one in total]


@given(values=rows)
def test_a_query_in_a_space_without_a_mean_is_only_quantised(values: list[float]) -> None:
    row = np.array(values, dtype=np.float32)
    nothing = np.zeros(len(values), dtype=np.int8)

    assert centred_query(row, nothing).tolist() == quantise(row).tolist()


def test_what_is_not_a_number_is_nothing_and_what_is_endless_saturates_by_its_sign() -> None:
    row = np.zeros(384, dtype=np.float32)
    row[:3] = [np.nan, np.inf, -np.inf]

    assert quantise(row)[:4].tolist() == [0, 127, -127, 0]
    assert centred_query(row, np.zeros(384, dtype=np.int8))[:4].tolist() == [0, 127, -127, 0]
