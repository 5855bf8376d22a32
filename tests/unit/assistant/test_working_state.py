"""What an assistant keeps for minutes: under which key, for how long, and what it is without it."""

import pytest

from simonides.assistant.working_state import (
    PREFERENCES_TTL_S,
    RECENT_TTL_S,
    SESSION_TTL_S,
    WorkingState,
)
from simonides.working_memory.in_process import InProcessWorkingMemory


class Stopwatch:
    """Seconds that pass when a test says so."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Stopwatch:
    return Stopwatch()


@pytest.fixture
def state(clock: Stopwatch) -> WorkingState:
    return WorkingState(working=InProcessWorkingMemory(clock), space="default")


def test_without_anything_kept_every_value_says_so(state: WorkingState) -> None:
    assert (state.session("a"), state.pending("a"), state.recent("a")) == ({}, (), ())
    assert state.preferences() == {}
    assert state.take_pending("a") == ()


def test_the_times_are_those_of_the_seeds() -> None:
    assert (SESSION_TTL_S, PREFERENCES_TTL_S, RECENT_TTL_S) == (1800.0, 3600.0, 900.0)


def test_each_lives_for_its_time(state: WorkingState, clock: Stopwatch) -> None:
    state.keep_session("a", {"title": "Trip"})
    state.keep_pending("a", [{"question": "which Sarah?"}])
    state.note_recent("a", ["x"])
    state.keep_preferences({"of": [1]})

    def there() -> list[bool]:
        found = (state.recent("a"), state.session("a"), state.pending("a"), state.preferences())
        return [bool(one) for one in found]

    for now_s, expected in (
        (899.0, [True] * 4),
        (900.0, [False, True, True, True]),
        (1800.0, [False, False, False, True]),
        (3600.0, [False] * 4),
    ):
        clock.now_s = now_s
        assert there() == expected


def test_recent_items_are_the_last_twenty_each_once_latest_first(state: WorkingState) -> None:
    state.note_recent("a", ["x", "y"])
    assert state.note_recent("a", ["z", "y"]) == state.recent("a") == ("z", "y", "x")

    state.note_recent("a", [str(n) for n in range(19)])
    assert state.recent("a") == (*map(str, range(19)), "z")


def test_what_is_pending_is_taken_once(state: WorkingState) -> None:
    state.keep_pending("a", [{"question": "which Sarah?"}, {"tool": "remember"}])

    assert state.take_pending("a") == ({"question": "which Sarah?"}, {"tool": "remember"})
    assert state.take_pending("a") == state.pending("a") == ()


def test_nothing_pending_ends_the_wait(state: WorkingState) -> None:
    state.keep_pending("a", [{"question": "?"}])
    state.keep_pending("a", [])

    assert state.pending("a") == ()


def test_no_session_sees_another_whatever_its_id(state: WorkingState) -> None:
    state.keep_session("a", {"n": 1})
    state.keep_session("a:state", {"n": 2})
    state.keep_session("state:a", {"n": 3})

    assert [state.session(one)["n"] for one in ("a", "a:state", "state:a")] == [1, 2, 3]
    assert state.session("b") == {}


def test_a_dropped_session_leaves_nothing_and_takes_nothing_else(state: WorkingState) -> None:
    for one in ("a", "b"):
        state.keep_session(one, {"n": 1})
        state.keep_pending(one, [{"n": 1}])
        state.note_recent(one, ["x"])
    state.keep_preferences({"of": []})
    state.drop_session("a")

    assert (state.session("a"), state.pending("a"), state.recent("a")) == ({}, (), ())
    assert (state.session("b"), state.pending("b")) == ({"n": 1}, ({"n": 1},))
    assert state.recent("b") == ("x",)
    assert state.preferences() == {"of": []}


def test_dropped_preferences_are_not_cached_any_more(state: WorkingState) -> None:
    state.keep_preferences({"of": []})
    state.drop_preferences()

    assert state.preferences() == {}


def test_two_spaces_on_one_memory_do_not_meet() -> None:
    working = InProcessWorkingMemory()
    one, other = (WorkingState(working=working, space=name) for name in ("a", "b"))
    one.keep_session("s", {"n": 1})

    assert other.session("s") == {}


@pytest.mark.parametrize("odd", [3, "text", [1, {"a": 1}], {"a": 1}])
def test_what_somebody_else_put_there_breaks_nothing(state: WorkingState, odd: object) -> None:
    for key in ("session:state:a", "session:pending:a", "session:recent:a", "preferences"):
        state.working.put("default", key, odd, ttl_s=60)

    assert isinstance(state.session("a"), dict)
    assert all(isinstance(one, dict) for one in state.pending("a"))
    assert all(isinstance(one, str) for one in state.recent("a"))
    assert isinstance(state.preferences(), dict)
