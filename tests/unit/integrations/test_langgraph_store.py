"""The LangGraph store: what LangGraph's own stores do, and what they leave out."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

pytest.importorskip("langgraph.store.base")

from langgraph.store.base import (
    GetOp,
    IndexConfig,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)

from simonides import Memory
from simonides.errors import InvalidInput
from simonides_integrations.langgraph import SimonidesStore


@pytest.fixture
def store(memory: Memory) -> SimonidesStore:
    return SimonidesStore(memory)


def keys(found: Any) -> list[str]:
    return [one.key for one in found]


def test_what_was_put_is_got_as_it_was(store: SimonidesStore) -> None:
    value = {"text": "Ana likes tea", "deep": {"n": [1, 2.5, None, {"é": True}]}}
    store.put(("users", "ana"), "k1", value)

    item = store.get(("users", "ana"), "k1")

    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "k1", ("users", "ana"))
    assert store.get(("users", "ana"), "k2") is store.get(("users", "bo"), "k1") is None


def test_a_new_value_keeps_when_the_first_was_made(store: SimonidesStore) -> None:
    store.put(("a",), "k", {"n": 1})
    first = store.get(("a",), "k")
    store.put(("a",), "k", {"n": 2})
    second = store.get(("a",), "k")

    assert first is not None
    assert second is not None
    assert (second.value, second.created_at) == ({"n": 2}, first.created_at)
    assert second.updated_at >= first.updated_at


def test_what_was_deleted_is_gone_and_can_be_put_again(store: SimonidesStore) -> None:
    store.put(("a",), "k", {"text": "the quay"})
    store.delete(("a",), "k")
    store.delete(("a",), "never")

    assert store.get(("a",), "k") is None
    assert store.search(("a",), query="quay") == []
    store.put(("a",), "k", {"text": "the quay"})
    assert keys(store.search(("a",), query="quay")) == ["k"]


def test_reads_of_a_batch_see_the_state_before_its_writes(store: SimonidesStore) -> None:
    store.put(("a",), "k", {"n": 1})

    got, _, _, found, _, spaces = store.batch([
        GetOp(("a",), "k"), PutOp(("a",), "k", {"n": 2}), PutOp(("b",), "new", {"n": 0}),
        SearchOp(("b",)), PutOp(("a",), "k", {"n": 3}), ListNamespacesOp(),
    ])  # fmt: skip

    assert got is not None
    assert (got.value, found, spaces) == ({"n": 1}, [], [("a",)])  # type: ignore[union-attr]
    last = store.get(("a",), "k")
    assert last is not None
    assert last.value == {"n": 3}


def test_a_query_ranks_and_the_limit_is_filled_up(store: SimonidesStore) -> None:
    store.put(("m",), "tea", {"text": "Ana drinks green tea in the morning"})
    store.put(("m",), "boat", {"text": "The boat lies in the northern harbour"})
    store.put(("m",), "raw", {"text": "never to be found"}, index=False)

    found = store.search(("m",), query="what does she drink?", limit=3)

    assert keys(found)[0] == "tea"
    assert set(keys(found)) == {"tea", "boat", "raw"}
    assert found[0].score is not None
    assert 0 < found[0].score <= 1
    assert found[-1].score is None
    assert (
        keys(store.search(("m",), query="what does she drink?", limit=2, offset=1))
        == keys(found)[1:]
    )


def test_only_the_fields_of_the_index_are_found(memory: Memory) -> None:
    store = SimonidesStore(memory, index=["notes[*].text"])
    store.put(("m",), "a", {"title": "harbour", "notes": [{"text": "tea"}, {"text": "cake"}]})
    store.put(("m",), "b", {"title": "tea", "notes": [{"text": "harbour"}]}, index=["title"])

    assert keys(store.search(("m",), query="tea cake"))[0] == "a"
    assert {one.content for one in memory.list().items} == {"tea\ncake", "tea"}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"n": 1}, "a"),
        ({"n": {"$gt": 1}}, "bc"),
        ({"n": {"$gte": 2, "$lt": 3}}, "b"),
        ({"n": {"$ne": 1}}, "bcd"),
        ({"user": {"level": "high"}}, "ab"),
        ({"user.level": "high"}, "ab"),
        ({"user.level": {"$ne": "high"}, "n": 3}, "c"),
        ({"tags": ["x", "y"]}, "c"),
        ({"gone": None}, "abcd"),
        ({"user": {"level": {"$eq": "low"}}}, "c"),
        ({"n": 9}, ""),
    ],
)
def test_a_filter_compares_values_also_within_others(
    store: SimonidesStore, wanted: dict[str, Any], expected: str
) -> None:
    store.put(("f",), "a", {"n": 1, "user": {"level": "high"}})
    store.put(("f",), "b", {"n": 2, "user": {"level": "high"}})
    store.put(("f",), "c", {"n": 3, "user": {"level": "low"}, "tags": ["x", "y"]})
    store.put(("f",), "d", {"text": "nothing else"})

    assert "".join(sorted(keys(store.search(("f",), filter=wanted)))) == expected


@pytest.mark.parametrize("wanted", [{"a'; DROP": 1}, {"a..b": 1}, {"": 1}, {"n": {"$like": "x"}}])
def test_a_filter_that_is_none_is_refused(store: SimonidesStore, wanted: dict[str, Any]) -> None:
    store.put(("f",), "a", {"n": 1})

    with pytest.raises(ValueError, match=r"Invalid filter key|Unsupported operator"):
        store.search(("f",), filter=wanted)


def test_a_namespace_is_no_pattern_and_no_prefix_of_a_label(store: SimonidesStore) -> None:
    for namespace in [("a_b",), ("axb",), ("a%",), ("ab",), ("a/b",), ("a", "b"), ("ä ö", "c")]:
        store.put(namespace, "k", {"n": 1})

    assert {one.namespace for one in store.search(("a_b",))} == {("a_b",)}
    assert {one.namespace for one in store.search(("a%",))} == {("a%",)}
    assert {one.namespace for one in store.search(("a",))} == {("a", "b")}
    assert {one.namespace for one in store.search(("ä ö",))} == {("ä ö", "c")}
    assert len(store.search((), limit=20)) == 7


def test_namespaces_are_listed_by_their_beginning_end_and_depth(store: SimonidesStore) -> None:
    for namespace in [("u", "ana", "notes"), ("u", "bo", "notes"), ("u", "bo", "x", "y"), ("t",)]:
        store.put(namespace, "k", {"n": 1})

    def listed(**given: Any) -> list[tuple[str, ...]]:
        return store.list_namespaces(**given)

    assert listed(prefix=("u",), max_depth=2) == [("u", "ana"), ("u", "bo")]
    assert listed(suffix=("notes",)) == [("u", "ana", "notes"), ("u", "bo", "notes")]
    assert listed(prefix=("u", "*", "notes")) == [("u", "ana", "notes"), ("u", "bo", "notes")]
    assert listed(limit=1, offset=1) == [("u", "ana", "notes")]
    [found] = store.batch([ListNamespacesOp((MatchCondition("suffix", ("*", "y")),))])
    assert found == [("u", "bo", "x", "y")]


def test_what_has_a_time_to_live_ends(store: SimonidesStore) -> None:
    store.put(("a",), "k", {"text": "the quay"}, ttl=1e-9)
    store.put(("a",), "l", {"text": "the quay is long"}, ttl=60)

    assert store.get(("a",), "k") is None
    assert keys(store.search(("a",), query="quay")) == keys(store.search(("a",))) == ["l"]


def test_reading_makes_it_live_longer_where_that_is_asked_for(
    store: SimonidesStore, memory: Memory
) -> None:
    def ends_at() -> datetime:
        [item] = memory.list().items
        assert item.traits is not None
        assert item.traits.expires_at is not None
        return item.traits.expires_at

    store.put(("a",), "k", {"text": "the quay"}, ttl=60)
    first = ends_at()
    store.get(("a",), "k", refresh_ttl=False)
    assert ends_at() == first
    store.search(("a",), refresh_ttl=True)
    assert ends_at() > first > datetime.now(UTC)


def test_reading_undoes_no_value_that_was_put_meanwhile(
    store: SimonidesStore, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(("a",), "k", {"n": 1}, ttl=60)
    plain = type(memory).get

    def overtaken(self: Memory, *given: Any, **named: Any) -> Any:
        found = plain(self, *given, **named)
        monkeypatch.setattr(type(memory), "get", plain)
        store.put(("a",), "k", {"n": 2}, ttl=60)
        return found

    monkeypatch.setattr(type(memory), "get", overtaken)
    first, second = store.get(("a",), "k"), store.get(("a",), "k")

    assert first is not None
    assert second is not None
    assert (first.value, second.value) == ({"n": 1}, {"n": 2})


def test_what_has_ended_can_be_swept(store: SimonidesStore, memory: Memory) -> None:
    store.put(("a",), "k", {"text": "the quay"}, ttl=1e-9)
    store.put(("a",), "l", {"text": "the boat"})

    assert (store.sweep_ttl(), store.sweep_ttl()) == (1, 0)
    assert memory.counts(filter={"expired": True}).items == 1


def test_the_configuration_of_langgraph_names_the_fields(memory: Memory) -> None:
    configuration = IndexConfig(dims=4, embed=lambda _: [], fields=["title"])
    store = SimonidesStore(memory, index=configuration)
    store.put(("m",), "a", {"title": "harbour", "text": "tea"})

    assert [one.content for one in memory.list().items] == ["harbour"]


def test_it_works_from_a_loop_and_from_threads_at_once(store: SimonidesStore) -> None:
    async def both() -> None:
        await asyncio.gather(*(store.aput(("a",), f"k{n}", {"n": n}) for n in range(8)))
        assert len(await store.asearch(("a",), limit=20)) == 8

    asyncio.run(both())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: store.put(("b",), f"k{n}", {"n": n}), range(8)))
    assert len(store.search(("b",), limit=20)) == 8


def test_every_value_is_a_version_and_other_doors_find_it(
    store: SimonidesStore, memory: Memory
) -> None:
    store.put(("a",), "k", {"text": "the quay is open"})
    store.put(("a",), "k", {"text": "the quay is closed"})

    [hit] = memory.search("is the quay open?").hits
    assert [one.item.content for one in memory.history(hit.id)] == [
        "the quay is open", "the quay is closed",
    ]  # fmt: skip


def test_reads_of_one_batch_find_nothing_where_nothing_was_written(store: SimonidesStore) -> None:
    ops: list[Op] = [GetOp(("a",), "k"), SearchOp(("a",), query="ferry"), ListNamespacesOp()]
    assert store.batch(ops) == [None, [], []]


def test_what_is_indexed_always_has_a_score_and_what_is_not_comes_last(
    store: SimonidesStore,
) -> None:
    store.put(("a",), "ferry", {"text": "The ferry leaves at nine."})
    store.put(("a",), "crane", {"text": "Crane 7 needs a cable."})
    store.put(("a",), "plain", {"text": "The ferry leaves at ten."}, index=False)
    found = store.search(("a",), query="xyzzy ferry")

    assert [one.key for one in found] == ["ferry", "crane", "plain"]
    assert found[0].score is not None
    assert found[1].score is not None
    assert found[0].score > found[1].score >= 0.0
    assert found[2].score is None


def test_a_blank_query_is_none_and_of_a_very_long_one_the_end_counts(store: SimonidesStore) -> None:
    store.put(("a",), "quay", {"text": "The quay is closed until May."})
    store.put(("a",), "lunch", {"text": "Lunch at noon."})

    assert keys(store.search(("a",), query=" \n")) == keys(store.search(("a",)))
    long = "= " * 60_000 + "when does the quay open?"
    assert keys(store.search(("a",), query=long, limit=1)) == ["quay"]


@pytest.mark.parametrize("ttl", [float("inf"), 1e300, 6e9])
def test_what_would_outlive_all_years_never_ends(store: SimonidesStore, ttl: float) -> None:
    store.put(("a",), "k", {"n": 1}, ttl=ttl)

    assert store.get(("a",), "k", refresh_ttl=True)
    [kept] = store.memory.list().items
    assert kept.traits is not None
    assert kept.traits.expires_at is None


@pytest.mark.parametrize("part", [datetime.now(UTC), float("nan"), {1}])
def test_the_part_of_a_value_that_is_no_json_is_named(store: SimonidesStore, part: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^value\.deep\.when: "):
        store.put(("a",), "k", {"deep": {"when": part}})
