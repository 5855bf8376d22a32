"""Widening: how far it goes, when it stops, and what it hands back. The index is a fake."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.index.hnsw import CAP_FACTOR, Places, Widened, widen


class Fake:
    """An index whose nearest are 0, 1, 2 …, of which some survive."""

    def __init__(self, survives: list[bool]) -> None:
        self.survives = np.array(survives, dtype=bool)
        self.fetches: list[int] = []

    def __call__(self, fetch: int) -> Places:
        self.fetches.append(fetch)
        return np.flatnonzero(self.survives[:fetch])

    def widened(self, wanted: int) -> Widened:
        return widen(self, wanted=wanted, total=len(self.survives))


def test_where_all_survive_one_round_is_enough() -> None:
    fake = Fake([True] * 100)
    found = fake.widened(10)

    assert fake.fetches == [10]
    assert found.survivors.tolist() == list(range(10))
    assert (found.rounds, found.enough) == (1, True)


def test_each_round_fetches_twice_as_many() -> None:
    fake = Fake([False, False, False, True] * 25)
    found = fake.widened(10)

    assert fake.fetches == [10, 20, 40]
    assert found.enough
    assert len(found.survivors) == 10


def test_it_stops_at_eight_times_what_is_wanted() -> None:
    fake = Fake(([False] * 3 + [True]) * 5 + [False] * 980)
    found = fake.widened(10)

    assert fake.fetches[-1] <= 8 * 10
    assert (found.enough, len(found.survivors)) == (False, 5)


def test_the_cap_is_the_total_where_there_is_little() -> None:
    fake = Fake([True] * 7 + [False] * 9)
    found = fake.widened(10)

    assert fake.fetches == [10, 16]
    assert (found.enough, len(found.survivors)) == (False, 7)


def test_it_gives_up_where_too_small_a_share_survives() -> None:
    fake = Fake(([True] + [False] * 9) * 100)
    found = fake.widened(10)

    assert fake.fetches == [10]
    assert not found.enough


def test_an_empty_index_is_not_asked() -> None:
    fake = Fake([])
    found = fake.widened(10)

    assert fake.fetches == []
    assert (found.survivors.tolist(), found.rounds, found.enough) == ([], 0, False)


def test_an_index_that_returns_fewer_than_asked_is_not_enough() -> None:
    found = widen(lambda fetch: np.arange(min(fetch, 3)), wanted=5, total=100)

    assert not found.enough


@given(
    survives=st.lists(st.booleans(), max_size=200),
    wanted=st.integers(min_value=1, max_value=30),
)
def test_it_never_returns_too_few_without_saying_so(survives: list[bool], wanted: int) -> None:
    fake = Fake(survives)
    found = fake.widened(wanted)

    assert found.enough == (len(found.survivors) >= wanted)
    assert found.rounds == len(fake.fetches)
    assert all(fetch <= min(CAP_FACTOR * wanted, len(survives)) for fetch in fake.fetches)
    assert fake.fetches == sorted(set(fake.fetches))
    assert found.survivors.tolist() == (fake(fake.fetches[-1]).tolist() if fake.fetches else [])


@pytest.mark.parametrize("wanted", [1, 2, 7, 50])
def test_a_share_of_an_eighth_or_more_is_always_served_if_evenly_spread(wanted: int) -> None:
    fake = Fake(([True] + [False] * 7) * 8 * wanted)

    assert fake.widened(wanted).enough
