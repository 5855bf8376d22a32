"""Working memory does what a plain dict with times would, whatever is asked in whatever order."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides.working_memory.in_process import InProcessWorkingMemory

names = st.sampled_from("ab")
lives = st.integers(1, 5)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), names, names, lives),
        st.tuples(st.just("put_new"), names, names, lives),
        st.tuples(st.just("delete"), names, names, st.just(0)),
        st.tuples(st.just("clear"), names, st.just(""), st.just(0)),
        st.tuples(st.just("wait"), st.just(""), st.just(""), st.integers(0, 3)),
    ),
    max_size=40,
)


class Model:
    """Values and their ends in a dict."""

    def __init__(self) -> None:
        self.now = 0.0
        self.kept: dict[tuple[str, str], tuple[float, int]] = {}

    def there(self) -> dict[tuple[str, str], int]:
        return {at: value for at, (ends, value) in self.kept.items() if ends > self.now}

    def do(self, what: str, space: str, key: str, number: int, *, value: int) -> Any:
        there = self.there()
        match what:
            case "put":
                self.kept[space, key] = (self.now + number, value)
                return None
            case "put_new":
                if (space, key) in there:
                    return False
                self.kept[space, key] = (self.now + number, value)
                return True
            case "delete":
                self.kept.pop((space, key), None)
                return (space, key) in there
            case "clear":
                gone = [at for at in there if at[0] == space]
                self.kept = {at: one for at, one in self.kept.items() if at[0] != space}
                return len(gone)
            case _:
                self.now += number
                return None


@given(steps)
def test_it_answers_as_a_dict_with_times_would(done: list[tuple[str, str, str, int]]) -> None:
    model = Model()
    memory = InProcessWorkingMemory(clock=lambda: model.now)
    for value, (what, space, key, number) in enumerate(done):
        got: Any = None
        if what in ("put", "put_new"):
            got = getattr(memory, what)(space, key, value, ttl_s=number)
        elif what == "delete":
            got = memory.delete(space, key)
        elif what == "clear":
            got = memory.clear(space)

        assert got == model.do(what, space, key, number, value=value)
        assert len(memory) == len(model.there())
        for at in ((one, other) for one in "ab" for other in "ab"):
            assert memory.get(*at) == model.there().get(at)


@given(st.lists(st.tuples(names, st.sampled_from("abcdef"), lives), max_size=40), st.integers(1, 4))
def test_it_never_holds_more_than_it_may_and_what_came_last_is_there(
    puts: list[tuple[str, str, int]], most: int
) -> None:
    memory = InProcessWorkingMemory(clock=lambda: 0.0, entries_max=most)
    for value, (space, key, ttl_s) in enumerate(puts):
        memory.put(space, key, value, ttl_s=ttl_s)

        assert len(memory) <= most
        assert memory.get(space, key) == value


@pytest.mark.parametrize("ttl_s", [0, -1, float("nan"), float("inf"), True, "5", None])
def test_a_life_that_is_none_is_refused_and_leaves_what_was_there(ttl_s: Any) -> None:
    memory = InProcessWorkingMemory(clock=lambda: 0.0)
    memory.put("a", "k", 1, ttl_s=5)
    for put in (memory.put, memory.put_new):
        with pytest.raises(InvalidInput, match="ttl_s"):
            put("a", "k", 2, ttl_s=ttl_s)

    assert memory.get("a", "k") == 1


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object(), b"x"])
def test_a_value_that_has_no_json_is_refused_and_leaves_what_was_there(value: Any) -> None:
    memory = InProcessWorkingMemory(clock=lambda: 0.0)
    memory.put("a", "k", 1, ttl_s=5)
    with pytest.raises(InvalidInput, match="JSON"):
        memory.put("a", "k", value, ttl_s=5)

    assert memory.get("a", "k") == 1


def test_what_is_handed_out_is_a_copy() -> None:
    memory = InProcessWorkingMemory(clock=lambda: 0.0)
    given = {"a": [1]}
    memory.put("a", "k", given, ttl_s=5)
    given["a"].append(2)
    memory.get("a", "k")["a"].append(3)  # type: ignore[index]  # it is there

    assert memory.get("a", "k") == {"a": [1]}
