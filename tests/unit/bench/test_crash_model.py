"""The model of a trial in plain Python: its words, its states, its streams."""

from collections import Counter
from itertools import islice

import pytest

from simonides.text.analyse import analyse
from simonides_bench.crash import words
from simonides_bench.crash.operation import Add, Close, Erase, Forget, Restore, Update
from simonides_bench.crash.state import Kept, State
from simonides_bench.crash.stream import Plan, Stream


def test_every_number_has_a_word_that_no_other_is_taken_for() -> None:
    numbers = [*range(2000), *range(100_000, 102_000), 30_000_000]
    made = [words.word(number) for number in numbers]
    terms = {tuple(analyse(word, "en")) for word in made}

    assert len(set(made)) == len(terms) == len(numbers)


def test_a_word_tells_all_of_its_text() -> None:
    item = words.item("a", "babadu")

    assert words.word_of(item) == "babadu"
    assert words.COMMON in item.content
    assert item == words.item("a", "babadu")


@pytest.mark.parametrize("field", ["title", "tags", "metadata", "people", "content"])
def test_an_item_of_two_texts_has_no_word(field: str) -> None:
    mixed = {**words.fields("babadu"), field: words.fields("xbabagu")[field]}
    item = words.item("a", "babadu")
    broken = type(item)(**{"kind": item.kind, "id": "a", "language": "en", **mixed})

    assert words.word_of(broken) == ""


def test_long_and_bulky_texts_are_that() -> None:
    long, bulky = (words.fields(words.word(1, lead=lead)) for lead in (words.LONG, words.BULKY))

    assert len(long["content"].split()) > 300
    assert len(bulky["quoted"]) > 300_000
    assert not words.fields(words.word(1))["quoted"]


def test_putting_adds_replaces_and_counts_versions() -> None:
    state = State().put([("a", "x"), ("b", "y")]).put([("a", "z"), ("b", "y")])

    assert state.present == {"a": Kept(2, "z", 2), "b": Kept(1, "y", 1)}
    assert state.archive == {("a", 1): "x"}
    assert state.dead_words == {"x"}


def test_what_was_forgotten_comes_back_as_the_next_version() -> None:
    gone = State().put([("a", "x")]).without(["a", "nobody"])
    back = gone.put([("a", "x")])

    assert (gone.present, gone.archive) == ({}, {("a", 1): "x"})
    assert back.present == {"a": Kept(2, "x", 3)}
    assert back.dead_words == set()


def test_what_was_erased_leaves_nothing_and_begins_anew() -> None:
    state = State().put([("a", "x")]).put([("a", "y")]).engaging(["a"]).erase(["a"])

    assert (state.present, state.archive, state.engaged) == ({}, {}, {})
    assert state.dead_words == {"x", "y"}
    assert state.put([("a", "z")]).present["a"].version == 1


def test_only_present_items_are_engaged_with() -> None:
    state = State().put([("a", "x")]).engaging(["a", "b"]).engaging(["a"])

    assert state.engaged == {"a": 2}


def test_a_snapshot_that_is_hidden_shows_no_more() -> None:
    state = State().showing("x").showing("y").hiding("x")

    assert state.backgrounds == frozenset({"y"})
    assert state.hidden == frozenset({"x"})


def test_a_stream_is_the_same_every_time() -> None:
    plan = Plan(number=3, seed=7, alone=True)
    one, other = Stream(plan), Stream(plan)

    assert list(islice(one, 60)) == list(islice(other, 60))
    assert one.states == other.states
    assert list(islice(Stream(Plan(number=3, seed=8, alone=True)), 60)) != list(
        islice(Stream(plan), 60)
    )


def test_a_stream_does_everything_and_only_what_can_be_done() -> None:
    stream = Stream(Plan(number=1, seed=1, alone=True))
    seen: Counter[str] = Counter()
    for operation in islice(stream, 400):
        before = stream.states[-2]
        seen[type(operation).__name__] += 1
        if isinstance(operation, Update):
            assert operation.item_id in before.present
        if isinstance(operation, Forget):
            assert set(operation.ids) <= set(before.present)
        if isinstance(operation, Restore):
            assert operation.item_id not in before.present

    assert set(seen) == {
        "Add", "Update", "Forget", "Erase", "Restore", "RecordUsage", "PutBackground",
        "DeleteBackground", "KeepReceipt", "BuildSurrogates", "Ask", "Close", "Compact",
    }  # fmt: skip


def test_a_stream_among_others_neither_closes_nor_erases() -> None:
    kinds = {type(one) for one in islice(Stream(Plan(number=1, seed=1)), 400)}

    assert not kinds & {Close, Erase}


def test_streams_share_no_id_and_no_word() -> None:
    one, other = (Stream(Plan(number=number, seed=1)).state(100) for number in (1, 2))

    assert not set(one.present) & set(other.present)
    assert not set(one.words.values()) & set(other.words.values())


def test_a_bulky_stream_fills_pages() -> None:
    texts = [
        word
        for one in islice(Stream(Plan(number=0, seed=1, bulky=True)), 40)
        if isinstance(one, Add)
        for _, word in one.pairs
    ]

    assert sum(word.startswith(words.BULKY) for word in texts) >= len(texts) // 4
