"""Shared state whose other end goes away and comes back: it goes on, and tells what it missed."""

import logging
from typing import Any

import pytest

from simonides.ports.shared_state import Refill, Sharing
from simonides.working_memory.fallback import JOURNAL_MAX, FallbackState, Unreachable

MINUTE = 60.0


class Elsewhere:
    """What is shared: texts that stay until it loses them. It can be away."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}
        self.is_away = False
        self.loses_answer = False
        self.calls = 0

    def _reach(self) -> None:
        self.calls += 1
        if self.is_away:
            raise Unreachable

    def get(self, space: str, key: str) -> str | None:
        self._reach()
        return self.texts.get((space, key))

    def put(self, space: str, key: str, text: str, *, ttl_s: float) -> None:
        self._reach()
        assert ttl_s > 0
        self.texts[space, key] = text

    def put_new(self, space: str, key: str, text: str, *, ttl_s: float) -> bool:
        self._reach()
        assert ttl_s > 0
        is_new = (space, key) not in self.texts
        self.texts.setdefault((space, key), text)
        if self.loses_answer:
            raise Unreachable
        return is_new

    def delete(self, space: str, key: str) -> bool:
        self._reach()
        return self.texts.pop((space, key), None) is not None

    def clear(self, space: str) -> int:
        self._reach()
        gone = [one for one in self.texts if one[0] == space]
        for one in gone:
            del self.texts[one]
        return len(gone)

    def names(self, space: str) -> tuple[str, ...]:
        self._reach()
        return tuple(sorted(key for of, key in self.texts if of == space))

    def spend(self, name: str, amount: float, refill: Refill) -> float:
        self._reach()
        return refill.size - amount if name else 0.0

    def ping(self) -> None:
        self._reach()

    def close(self) -> None:
        self.calls += 1


class Seconds:
    """A clock that goes on when a test says so."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def elsewhere() -> Elsewhere:
    return Elsewhere()


@pytest.fixture
def clock() -> Seconds:
    return Seconds()


def process(elsewhere: Elsewhere, clock: Any) -> FallbackState:
    made = FallbackState(elsewhere, watches=False, clock=clock)
    made.look()
    return made


@pytest.fixture
def state(elsewhere: Elsewhere, clock: Seconds) -> FallbackState:
    return process(elsewhere, clock)


def test_it_goes_on_within_the_process_and_says_so_once(
    state: FallbackState, elsewhere: Elsewhere, caplog: pytest.LogCaptureFixture
) -> None:
    state.put("s", "before", 1, ttl_s=MINUTE)
    elsewhere.is_away = True
    with caplog.at_level(logging.WARNING, logger="simonides.http"):
        for n in range(3):
            state.put("s", "k", n, ttl_s=MINUTE)

    assert (state.get("s", "k"), state.get("s", "before")) == (2, None)
    assert state.names("s") == ("k",)
    assert state.delete("s", "k") is True
    assert state.clear("s") == 0
    assert state.sharing is Sharing.LOST
    assert [one.message.partition(":")[0] for one in caplog.records] == [
        "what the processes of the server share does not answer"
    ]


def test_while_it_is_away_no_request_waits_for_it(
    state: FallbackState, elsewhere: Elsewhere
) -> None:
    elsewhere.is_away = True
    state.get("s", "k")
    before = elsewhere.calls
    for n in range(10):
        state.put("s", "k", n, ttl_s=MINUTE)
        state.get("s", "k")

    assert elsewhere.calls == before


def test_what_was_changed_meanwhile_is_reported_when_it_answers_again(
    state: FallbackState, elsewhere: Elsewhere, clock: Seconds
) -> None:
    for key in ("kept", "changed", "deleted"):
        state.put("s", key, "old", ttl_s=MINUTE)
    elsewhere.is_away = True
    state.put("s", "changed", "new", ttl_s=MINUTE)
    state.put("s", "over", "new", ttl_s=1)
    state.delete("s", "deleted")
    state.look()
    assert state.sharing.value == "lost"

    elsewhere.is_away = False
    clock.now_s = 2.0
    state.look()
    other = process(elsewhere, clock)

    assert state.sharing is Sharing.SHARED
    assert other.names("s") == ("changed", "kept")
    assert other.get("s", "changed") == "new"


def test_a_space_that_was_erased_meanwhile_is_cleared_there(
    state: FallbackState, elsewhere: Elsewhere
) -> None:
    state.put("s", "words", "xyzzy", ttl_s=MINUTE)
    elsewhere.is_away = True
    state.put("s", "more", "xyzzy", ttl_s=MINUTE)
    state.clear("s")
    state.put("s", "after", "plain", ttl_s=MINUTE)

    elsewhere.is_away = False
    state.look()

    assert state.names("s") == ("after",)
    assert "xyzzy" not in str(elsewhere.texts)


def test_meanwhile_a_claim_is_of_this_process_and_told_later(
    state: FallbackState, elsewhere: Elsewhere, clock: Seconds
) -> None:
    assert state.put_new("s", "before", 1, ttl_s=MINUTE)
    elsewhere.is_away = True

    assert state.put_new("s", "k", 1, ttl_s=MINUTE)
    assert state.put_new("s", "k", 2, ttl_s=MINUTE) is False
    assert state.get("s", "k") == 1
    elsewhere.is_away = False
    state.look()

    assert process(elsewhere, clock).put_new("s", "k", 3, ttl_s=MINUTE) is False
    assert state.get("s", "before") == 1


def test_a_claim_whose_answer_was_lost_is_its_own(
    state: FallbackState, elsewhere: Elsewhere, clock: Seconds
) -> None:
    elsewhere.loses_answer = True
    assert state.put_new("s", "k", 1, ttl_s=MINUTE)
    elsewhere.loses_answer = False
    state.look()

    assert process(elsewhere, clock).put_new("s", "k", 2, ttl_s=MINUTE) is False
    assert state.get("s", "k") == 1


def test_what_waits_to_be_told_is_bounded(state: FallbackState, elsewhere: Elsewhere) -> None:
    elsewhere.is_away = True
    for n in range(JOURNAL_MAX + 1):
        state.delete("s", str(n))

    assert len(state._journal) == JOURNAL_MAX


def test_what_waits_is_reported_at_the_end(state: FallbackState, elsewhere: Elsewhere) -> None:
    elsewhere.is_away = True
    state.put("s", "k", 1, ttl_s=MINUTE)
    elsewhere.is_away = False
    state.close()

    assert list(elsewhere.texts) == [("s", "k")]
