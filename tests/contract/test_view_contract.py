"""What a view promises whoever else writes: other objects, other processes, other threads."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Filter, Item, Kind, Memory, Person, Settings
from simonides.index import snapshot
from simonides.model.answer import SearchResult
from simonides.model.filter import Compare, Operator
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
QUESTIONS: Final = ("alpha harbor", "what did Sarah say", "zebra", "latest budget", "first")


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens one more memory on the same home, as a process would."""
    opened: list[Memory] = []

    def open_one(**settings: Any) -> Memory:
        chosen = Settings(timezone="UTC", durability="relaxed", **settings)
        memory = Memory(tmp_path, settings=chosen, embedder=HashingEmbedder(16), clock=lambda: NOW)
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        memory.close()


def hits(result: SearchResult) -> list[tuple[str, float, str]]:
    return [(hit.id, hit.score, hit.item.content) for hit in result]


def answers(memory: Memory) -> list[list[tuple[str, float, str]]]:
    return [
        hits(memory.search(question, scorer=scorer, limit=1000))
        for question in QUESTIONS
        for scorer in ("fused", "rrf", "classic")
    ]


def test_what_another_object_writes_is_seen_by_the_next_question(
    open_memory: Callable[..., Memory],
) -> None:
    one, other = open_memory(), open_memory()
    one.add("alpha harbor", id="a")
    seen = [[h.id for h in other.search("alpha")]]
    other.add("alpha zebra", id="b")
    seen.append([h.id for h in one.search("zebra", mode="text")])
    one.update("b", content="alpha lunch")
    seen.append([h.id for h in other.search("zebra", mode="text")])
    other.forget("a")
    seen.append([h.id for h in one.search("alpha", mode="text")])

    assert seen == [["a"], ["b"], [], ["b"]]
    assert answers(one) == answers(other)


def test_what_another_process_writes_is_seen_by_the_next_question(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory()
    memory.add("alpha harbor", id="a")
    before = [h.id for h in memory.search("alpha")]
    program = (
        "import sys\n"
        "from simonides import Memory, Settings\n"
        "from simonides_bench.testing.hashing import HashingEmbedder\n"
        "with Memory(sys.argv[1], settings=Settings(timezone='UTC'),"
        " embedder=HashingEmbedder(16)) as memory:\n"
        "    memory.add('alpha of another process', id='b')\n"
        "    memory.forget('a')\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=60)

    assert before == ["a"]
    assert [h.id for h in memory.search("alpha")] == ["b"]
    assert [item.id for item in memory.list().items] == ["b"]


@pytest.mark.parametrize("damage", ["none", "flip", "cut", "gone"])
def test_a_reopened_space_answers_the_same_with_or_without_its_snapshot(
    open_memory: Callable[..., Memory],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: str,
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)
    warm = open_memory()
    warm.add([item(n) for n in range(40)])
    warm.search("alpha")
    warm.forget("i3", "i4")
    warm.add("zebra", id="i5")
    asked = answers(warm)
    warm.close()
    file = next((tmp_path / "spaces").glob("*index*"))
    whole = file.read_bytes()
    broken = {"flip": whole[:50] + b"?" + whole[51:], "cut": whole[: len(whole) // 2], "gone": b""}
    file.write_bytes(broken.get(damage, whole))

    assert answers(open_memory()) == asked


def test_a_snapshot_written_by_one_serves_what_another_wrote_since(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)
    first, second = open_memory(), open_memory()
    first.add([item(n) for n in range(20)])
    first.search("alpha")
    first.close()
    second.forget("i1")
    second.add(item(77))
    third = open_memory()

    assert answers(third) == answers(second)


def item(number: int) -> Item:
    return Item(
        id=f"i{number}",
        kind=Kind.MESSAGE if number % 2 else Kind.DOCUMENT,
        content=f"alpha harbor number {number} " + ("budget" if number % 3 else "lunch"),
        people=(Person(name="Sarah Lindqvist" if number % 4 else "Tom Berger"),),
        session=f"s{number % 5}" if number % 2 else "",
        tags=(f"t{number % 3}",),
        metadata={"n": number},
    )


THREADS: Final = 4
ROUNDS: Final = 150


class Busy:
    """Two threads that write through two objects, and two that ask and check what comes back."""

    def __init__(self, writers: list[Memory]) -> None:
        self.memories = writers
        self.start = threading.Barrier(THREADS)

    def run(self) -> None:
        """Let all four go at once, and wait for them."""
        jobs = [self.write, self.write, self.ask, self.look]
        with ThreadPoolExecutor(THREADS) as pool:
            for done in [pool.submit(job, n) for n, job in enumerate(jobs)]:
                done.result(timeout=120)

    def write(self, worker: int) -> None:
        """Add, replace and forget items of one's own."""
        memory = self.memories[worker % 2]
        self.start.wait()
        for n in range(ROUNDS):
            own = 1000 * worker + n % 12
            memory.add(item(own))
            if n % 3 == 0:
                memory.update(f"i{own}", tags=["t9"], language="de" if n % 2 else "fr")
            if n % 5 == 0:
                memory.forget(f"i{own}")

    def ask(self, worker: int) -> None:
        """Search both objects; revisions never go back, and what comes is what was asked for."""
        self.start.wait()
        revisions = [0, 0]
        for n in range(ROUNDS):
            which = n % 2
            wanted = Filter(tags=("t9",), people=("Sarah",)) if n % 3 else Filter(sources=("note",))
            result = self.memories[which].search(QUESTIONS[n % 5], filter=wanted, limit=50)
            assert result.diagnostics.revision >= revisions[which], worker
            revisions[which] = result.diagnostics.revision
            ids = [hit.id for hit in result]
            assert len(set(ids)) == len(ids)
            if n % 3:
                assert all(h.item.tags == ("t9",) for h in result)

    def look(self, worker: int) -> None:
        """List by metadata, page by page; every number comes at most once."""
        self.start.wait()
        for n in range(ROUNDS):
            low = Compare(key="n", operator=Operator.LT, value=1000)
            memory = self.memories[(n + worker) % 2]
            page = memory.list(filter=Filter(where=low), limit=7)
            rest = (
                memory.list(filter=Filter(where=low), cursor=page.cursor) if page.cursor else page
            )
            for one in (*page.items, *rest.items):
                assert one.metadata["n"] < 1000


@pytest.fixture
def _eager_threads() -> Iterator[None]:
    """Let threads take turns a hundred times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 100)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.slow
@pytest.mark.usefixtures("_eager_threads")
def test_readers_and_writers_do_not_disturb_each_other(open_memory: Callable[..., Memory]) -> None:
    busy = Busy([open_memory(timeout_s=60.0), open_memory(timeout_s=60.0)])
    busy.memories[0].add([item(n) for n in range(5000, 5030)])
    busy.run()

    anew = open_memory()
    expected = answers(anew)
    assert answers(busy.memories[0]) == expected
    assert answers(busy.memories[1]) == expected
    assert all(finding.sound for finding in busy.memories[0].doctor())
