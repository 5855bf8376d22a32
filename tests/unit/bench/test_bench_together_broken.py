"""The bench of many at once, with a memory or a process that breaks what is promised."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.bench.lying import Lying

from simonides.api.memory import Memory
from simonides.errors import InvalidInput, NotFound
from simonides_bench.together import process, run
from simonides_bench.together.process import open_memory
from simonides_bench.together.work import COMMON, COUNTERS, Seen, Worker, counter_id

PAGE = Path(__file__).parents[3] / "docs/reference/benchmarks.md"
FAULTS = ("lost_updates", "stale_reads", "lock_errors", "errors", "starved", "unsound")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path, timeout_s=5.0) as found:
        for number in range(COUNTERS):
            found.add("A counter of the harbor.", title="counted to 0", id=counter_id(number))
        yield found


def worker(memory: Any, name: str = "p0t0") -> Worker:
    return Worker(memory, name=name, chance=random.Random(7))


# ── what one thread sees ──────────────────────────────────────────────────────────────────────


def test_an_index_that_still_knows_the_old_words_is_a_stale_read(memory: Memory) -> None:
    old_words: dict[str, str] = {}

    def lagging(text: str, **how: Any) -> Any:
        return memory.search(old_words.get(text, text), **how)

    lying = worker(Lying(memory, search=lagging))
    lying._add()
    [(item_id, word)] = lying.seen.kept.items()
    old_words[word] = COMMON + " p0t0"  # finds the item by what it no longer says
    lying._replace()

    assert lying.seen.faults == [f"p0t0: stale read: {item_id} is found by what it said before"]


def test_an_add_that_keeps_nothing_is_seen(memory: Memory) -> None:
    lying = worker(Lying(memory, add=lambda *_, **__: None))

    with pytest.raises(NotFound):
        lying._add()


def test_an_add_that_keeps_other_words_is_a_stale_read(memory: Memory) -> None:
    def altered(_text: str, **rest: Any) -> Any:
        return memory.add("Something else altogether.", **rest)

    lying = worker(Lying(memory, add=altered))
    lying._add()

    assert lying.seen.faults == [
        "p0t0: stale read: p0t0-1 is not as it was written",
        "p0t0: stale read: p0t0-1 is not found right after it was written",
    ]
    assert lying.seen.done["stale read"] == 2


def test_a_brief_beyond_its_budget_is_an_error(memory: Memory) -> None:
    class Long:
        tokens, budget = 201, 200

    lying = worker(Lying(memory, brief=lambda *_, **__: Long()))
    lying._brief()

    assert lying.seen.faults == ["p0t0: error: a brief has 201 tokens"]
    assert lying.seen.done["briefs"] == 1


def test_nothing_is_replaced_or_forgotten_where_nothing_was_added(memory: Memory) -> None:
    revision = memory.stats().revision
    idle = worker(memory)
    idle._replace()
    idle._forget()

    assert idle.seen == Seen()
    assert memory.stats().revision == revision


def test_an_error_of_the_engine_names_what_was_done(memory: Memory) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise InvalidInput("query", "is not liked")

    lying = worker(Lying(memory, search=refused))
    turns = iter([False] * 20)
    seen = lying.work(lambda: next(turns, True))

    assert seen.done["error"] > 0
    assert any(fault == "p0t0: error: ask: query: is not liked" for fault in seen.faults)


def test_a_count_is_made_on_top_of_the_version_that_was_read(memory: Memory) -> None:
    given: list[int] = []

    def noted(item_id: str, *, if_version: int, title: str) -> Any:
        given.append(if_version)
        return memory.update(item_id, if_version=if_version, title=title)

    counting = worker(Lying(memory, update=noted))
    for _ in range(30):
        counting._count()

    assert len(given) == counting.seen.done["counts"] == counting.seen.counted.total() == 30
    for key, count in counting.seen.counted.items():
        assert memory.get(key).title == f"counted to {count}"
        assert memory.get(key).version == count + 1
    assert max(given) == max(counting.seen.counted.values())


def test_no_word_of_one_thread_is_a_word_of_another(memory: Memory) -> None:
    first, second = worker(memory, "p1t1"), worker(memory, "p11t1")
    words = [one._fresh() for one in (first, second) for _ in range(200)]

    assert len({item_id for item_id, _ in words}) == len({word for _, word in words}) == 400


def test_what_a_thread_did_not_expect_is_reported_as_a_fault(memory: Memory) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise KeyError("title")

    lying = worker(Lying(memory, get=broken, search=broken, brief=broken, add=broken))
    process._guard(lying, lambda: False)

    assert lying.seen.done["error"] == 1
    assert lying.seen.faults == ["unexpected KeyError: 'title'"]


# ── what processes say ────────────────────────────────────────────────────────────────────────


# ── figures ───────────────────────────────────────────────────────────────────────────────────


def figures(seen: Sequence[Seen], *, lost: Sequence[str] = ()) -> dict[str, Any]:
    return run._figures(run.Load(processes=1, threads=2), seen, lost=lost, unsound=[])


BUSY = Seen(
    done=Counter({"adds": 3, "counts": 1, "searches": 5, "lock error": 2}),
    write_ms=[1.0, 2.0, 3.0, 10.0],
    faults=["p0t0: lock error: busy", "p0t0: lock error: busy"],
)
IDLE = Seen(done=Counter({"searches": 9}), write_ms=[4.0])


def test_figures_add_up_over_threads() -> None:
    reported = figures([BUSY, IDLE], lost=["a", "b"])

    assert (reported["adds"], reported["counts"], reported["searches"], reported["briefs"]) == (
        3,
        1,
        14,
        0,
    )
    assert (reported["lost_updates"], reported["lock_errors"], reported["stale_reads"]) == (2, 2, 0)
    assert reported["faults"] == ["a", "b", *BUSY.faults]
    assert reported["slowest_write_ms"] == 10.0
    assert reported["write_ms_p50"] == 3.0


def test_the_least_share_is_that_of_the_thread_that_wrote_least() -> None:
    assert figures([BUSY, IDLE])["least_share"] == 1 / 2.5
    assert figures([BUSY, BUSY])["least_share"] == 1.0
    assert figures([BUSY, BUSY, Seen()])["least_share"] == 0.0


def test_a_run_without_a_write_has_no_times_and_is_not_sound() -> None:
    reported = figures([Seen(done=Counter(searches=50)), Seen()])

    assert (reported["write_ms_p50"], reported["slowest_write_ms"], reported["least_share"]) == (
        0.0,
        0.0,
        0.0,
    )
    assert not any(reported[name] for name in FAULTS)
    assert not run.is_sound(reported)


def test_one_write_alone_is_each_of_its_times() -> None:
    reported = figures([IDLE])

    assert (reported["write_ms_p50"], reported["write_ms_p99"], reported["slowest_write_ms"]) == (
        4.0,
        4.0,
        4.0,
    )


def test_only_the_first_faults_are_told_and_all_are_counted() -> None:
    reported = figures([IDLE], lost=[str(number) for number in range(100)])

    assert reported["lost_updates"] == 100
    assert reported["faults"] == [str(number) for number in range(run.FAULTS_SHOWN)]


def test_what_was_counted_by_nobody_and_stands_there_is_told(memory: Memory) -> None:
    memory.update(counter_id(3), title="counted to 1")

    assert list(run._find_lost(memory, [Seen()])) == [
        "counter-3 was counted 0 times and says 'counted to 1'"
    ]


def test_an_item_that_is_gone_and_was_not_forgotten_is_lost(memory: Memory) -> None:
    assert list(run._find_lost(memory, [Seen(kept={"p0t0-1": "word"})])) == [
        "p0t0-1 does not say word"
    ]


def test_a_counter_of_the_right_count_and_another_version_was_overwritten(memory: Memory) -> None:
    seen = Seen(counted=Counter({counter_id(0): 1}))
    memory.update(counter_id(0), title="counted to 1")
    assert list(run._find_lost(memory, [seen])) == []
    memory.update(counter_id(0), title="counted to 2")
    memory.update(counter_id(0), title="counted to 1")

    assert len(list(run._find_lost(memory, [seen]))) == 1


def test_every_figure_is_reported_in_the_reference() -> None:
    section = PAGE.read_text("utf-8").split("## Together\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)

    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(figures([IDLE]))
