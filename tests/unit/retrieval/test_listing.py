"""Lists: every item exactly once over pages of any size, newest first, whatever the ids."""

import base64
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simonides import Filter, Item, Kind, Memory
from simonides.errors import InvalidInput
from simonides_bench.testing.depth import examples


def pages(memory: Memory, *, limit: int, wanted: Filter | None = None) -> list[list[str]]:
    found, cursor = [], ""
    while True:
        page = memory.list(limit=limit, cursor=cursor, filter=wanted)
        found.append([item.id for item in page.items])
        cursor = page.cursor
        if not cursor:
            return found


def flat(found: list[list[str]]) -> list[str]:
    return [one for page in found for one in page]


def cursor_of(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.fixture
def mixed(memory: Memory, now: datetime) -> Memory:
    """Nine items: some share a time, some have none, some lie ahead."""
    days = {"a": 1, "b": 1, "c": 5, "d": -3, "e": None, "f": None, "g": 1, "h": 400, "i": 0}
    memory.add(
        [
            Item(id=name, content=name, happened_at=None if d is None else now - timedelta(days=d))
            for name, d in days.items()
        ]
    )
    return memory


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 8, 9, 10, 1000])
def test_pages_of_any_size_hold_every_item_once_newest_first(mixed: Memory, limit: int) -> None:
    found = pages(mixed, limit=limit)

    assert flat(found) == ["d", "e", "f", "i", "a", "b", "g", "c", "h"]
    assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)


def test_a_last_page_that_is_full_has_no_cursor(mixed: Memory) -> None:
    assert len(pages(mixed, limit=3)) == 3


def test_what_is_undated_stands_where_it_was_kept(memory: Memory, now: datetime) -> None:
    memory.add("later", id="later", happened_at=now + timedelta(seconds=1))
    memory.add("undated", id="undated")
    memory.add("earlier", id="earlier", happened_at=now - timedelta(seconds=1))

    assert pages(memory, limit=9) == [["later", "undated", "earlier"]]


@pytest.mark.parametrize("limit", [1, 3, 7, 40])
def test_long_ids_with_one_beginning_and_one_time_are_each_listed_once(
    memory: Memory, limit: int
) -> None:
    ids = [f"a-folder/of-long-names/document-{n:02}" for n in range(20)]
    ids += [f"a-folder/of-long-names/dö-{n}" for n in range(5)] + ["a", "z", "a-folder/of-long-nam"]
    memory.add([Item(id=one, content="alpha") for one in reversed(ids)])

    assert flat(pages(memory, limit=limit)) == sorted(ids)


@given(ids=st.sets(st.text("ab/", min_size=1, max_size=9), min_size=2, max_size=8))
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ids_of_any_length_are_listed_in_order(memory: Memory, ids: set[str]) -> None:
    long = sorted("eighteen-bytes-all" + one * 2 for one in ids)
    memory.forget(*(item.id for item in memory.list(limit=1000).items))
    memory.add([Item(id=one, content="alpha") for one in long])

    assert flat(pages(memory, limit=3)) == long
    assert [hit.id for hit in memory.search("alpha", mode="text")] == long


def test_a_cut_inside_of_a_character_keeps_the_order(memory: Memory) -> None:
    ids = ["x" * 25 + "é", "x" * 25 + "è", "x" * 25 + "é!", "x" * 25 + "z", "x" * 25]
    memory.add([Item(id=one, content="alpha") for one in ids])

    assert flat(pages(memory, limit=2)) == sorted(ids)


def test_a_filter_holds_over_all_pages(mixed: Memory) -> None:
    mixed.add("task", id="t", kind=Kind.TASK)

    assert pages(mixed, limit=2, wanted=Filter(kinds=(Kind.TASK,))) == [["t"]]
    assert len(flat(pages(mixed, limit=2, wanted=Filter(kinds=(Kind.MEMORY,))))) == 9


def test_writes_between_pages_neither_skip_nor_repeat_what_stays(
    mixed: Memory, now: datetime
) -> None:
    first = mixed.list(limit=4)
    mixed.add("new", id="new", happened_at=now + timedelta(days=9))
    mixed.add("past", id="past", happened_at=now - timedelta(days=2))
    mixed.forget("i", "b")
    rest = mixed.list(limit=100, cursor=first.cursor)

    assert [item.id for item in first.items] == ["d", "e", "f", "i"]
    assert [item.id for item in rest.items] == ["a", "g", "past", "c", "h"]


def test_a_cursor_of_an_item_that_is_gone_goes_on_behind_its_place(mixed: Memory) -> None:
    first = mixed.list(limit=5)
    mixed.forget("a")

    assert [i.id for i in mixed.list(cursor=first.cursor).items] == ["b", "g", "c", "h"]


@pytest.mark.parametrize(
    "cursor",
    [
        "garbage", "ä", "=", " ", "AAAA", "\x00", "e30", "W10", "x" * 10_000,
        cursor_of([]), cursor_of(5), cursor_of(None), cursor_of([1]), cursor_of([1, "a", 2]),
        cursor_of(["a", "b"]), cursor_of([1, 2]), cursor_of([1.5, "a"]), cursor_of([10**30, "a"]),
        cursor_of([-(10**30), "a"]), cursor_of([float("inf"), "a"]), cursor_of([0, "\ud800"]),
        cursor_of({"a": 1, "b": 2}), cursor_of([None, None]), cursor_of([0, ""]),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
    ],
)  # fmt: skip
def test_a_cursor_that_no_list_gave_is_refused(mixed: Memory, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        mixed.list(cursor=cursor)


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_range_is_refused(mixed: Memory, limit: int) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        mixed.list(limit=limit)


def test_a_space_without_items_has_one_empty_page(open_memory: Callable[..., Memory]) -> None:
    never, emptied = open_memory(home="never"), open_memory(home="emptied")
    emptied.add("alpha", id="a")
    emptied.forget("a")

    assert pages(never, limit=5) == [[]]
    assert pages(emptied, limit=5) == [[]]
