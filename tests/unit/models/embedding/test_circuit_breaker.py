"""The circuit breaker: closed, open, half-open, and back."""

import pytest

from simonides.errors import EmbedderError
from simonides.models.http_client import Breaker


class Down(Exception):
    """What counts as a failure here."""


class Seconds:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Seconds:
    return Seconds()


@pytest.fixture
def breaker(clock: Seconds) -> Breaker:
    return Breaker(Down, clock=clock)


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(Down), breaker.call():
            raise Down


def succeed(breaker: Breaker) -> None:
    with breaker.call():
        pass


def test_four_failures_leave_it_closed() -> None:
    breaker = Breaker(Down)
    fail(breaker, 4)

    assert not breaker.is_open
    succeed(breaker)


def test_the_fifth_failure_in_a_row_opens_it_and_calls_are_refused(breaker: Breaker) -> None:
    fail(breaker, 5)

    assert breaker.is_open
    with pytest.raises(EmbedderError, match=r"failed 5 times .* next try is in 60 s"):
        succeed(breaker)


def test_a_success_in_between_starts_the_count_anew(breaker: Breaker) -> None:
    fail(breaker, 4)
    succeed(breaker)
    fail(breaker, 4)

    assert not breaker.is_open


def test_other_exceptions_neither_count_nor_clear(breaker: Breaker) -> None:
    fail(breaker, 4)
    with pytest.raises(KeyError), breaker.call():
        raise KeyError

    assert not breaker.is_open
    fail(breaker)
    assert breaker.is_open


def test_it_stays_open_for_sixty_seconds(breaker: Breaker, clock: Seconds) -> None:
    fail(breaker, 5)
    clock.now += 59.5

    with pytest.raises(EmbedderError, match="circuit open"):
        succeed(breaker)


def test_a_probe_that_succeeds_closes_it(breaker: Breaker, clock: Seconds) -> None:
    fail(breaker, 5)
    clock.now += 60.0
    succeed(breaker)

    assert not breaker.is_open
    fail(breaker, 4)
    assert not breaker.is_open


def test_a_probe_that_fails_opens_it_for_another_minute(breaker: Breaker, clock: Seconds) -> None:
    fail(breaker, 5)
    clock.now += 60.0
    fail(breaker)
    clock.now += 59.0
    with pytest.raises(EmbedderError, match="next try is in 1 s"):
        succeed(breaker)
    clock.now += 1.0

    succeed(breaker)


def test_only_one_probe_is_let_through_at_a_time(breaker: Breaker, clock: Seconds) -> None:
    fail(breaker, 5)
    clock.now += 60.0

    with breaker.call(), pytest.raises(EmbedderError, match="circuit open"):
        succeed(breaker)

    assert not breaker.is_open


def test_a_probe_that_ends_otherwise_makes_way_for_the_next(
    breaker: Breaker, clock: Seconds
) -> None:
    fail(breaker, 5)
    clock.now += 60.0
    with pytest.raises(KeyboardInterrupt), breaker.call():
        raise KeyboardInterrupt

    assert breaker.is_open
    succeed(breaker)
    assert not breaker.is_open


def test_the_limits_can_be_chosen(clock: Seconds) -> None:
    breaker = Breaker(Down, failures_max=1, open_s=5.0, clock=clock)
    fail(breaker)
    clock.now += 5.0

    succeed(breaker)
