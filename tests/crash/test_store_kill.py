"""A process is killed in the middle of its commits: what it was told is kept, nothing is torn."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore

WRITER = """
import sys, threading
from datetime import UTC, datetime
from pathlib import Path

from simonides.model.item import Item, digest
from simonides.model.stored import NO_EMBEDDER, Prepared, PreparedChunk
from simonides.storage.sqlite import SQLiteStore

home, who, threads, commits = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
noon = datetime(2026, 3, 6, tzinfo=UTC)
space = SQLiteStore(home, timeout_s=60.0).open("s", embedder=NO_EMBEDDER, create=True)
chunk = PreparedChunk(start=0, stop=4, words=1, dated=False, length=1, terms=bytes(9), vector=b"")
PARTS = 3


def item(name, n, part):
    padding = "x" * 9000 if n % 7 == 0 else ""
    made = Item(id=f"{name}-{part}", content=f"{n:04d} of {name} {padding}")
    return Prepared(item=made, digest=digest(made), chunks=(chunk,) * (part + 1), mentions=())


def write(thread):
    for n in range(commits):
        name = f"{who}.{thread}.{n}"
        space.commit([item(name, n, part) for part in range(PARTS)], stored_at=noon)
        tell(f"kept {name}")
        last = f"{who}.{thread}"
        (outcome,) = space.commit([item(last, n, 0)], stored_at=noon)
        tell(f"last {last} {n} {outcome.revision}")
        if n % 3 == 2:
            space.forget([f"{name}-{part}" for part in range(PARTS)], at=noon)
            tell(f"gone {name}")


said = threading.Lock()


def tell(line):
    with said:
        print(line, flush=True)


for thread in range(threads):
    threading.Thread(target=write, args=(thread,)).start()
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join()
print("done", flush=True)
"""


@contextmanager
def writer(home: Path, who: str, *, threads: int, commits: int) -> Iterator["Writer"]:
    """Run a writing process; kill it without warning at the end of the `with` block."""
    command = [sys.executable, "-c", WRITER, str(home), who, str(threads), str(commits)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Writer(process)
        finally:
            process.kill()


class Writer:
    """A writing process and what it says was acknowledged."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self._process = process
        self._lines = process.stdout

    def reported(self, count: int) -> list[list[str]]:
        """Return the next `count` lines, in words."""
        return [self._lines.readline().split() for _ in range(count)]

    def killed(self) -> list[list[str]]:
        """Kill the process now; return what else it had said."""
        self._process.kill()
        return self.rest()

    def rest(self) -> list[list[str]]:
        """Return all else that it says in whole lines until its end."""
        return [line.split() for line in self._lines if line.endswith("\n")]


def opened(home: Path) -> Space:
    """Return the space as the next process finds it."""
    return SQLiteStore(home).open_any("s")


def missing(space: Space, reported: list[list[str]]) -> list[str]:
    """Return what was acknowledged and is not so: lost, torn, resurrected or out of date."""
    with space.read() as reader:
        kept = {row.id: row.key for row in reader.item_rows(0)}
        items = reader.items(list(kept.values()))
        chunks = {key: len(reader.chunk_spans(key)) for key in items}
    content = {item.id: item.content for item in items.values()}
    gone = {words[1] for words in reported if words[0] == "gone"}
    wrong = [f"torn {one}" for one, key in kept.items() if chunks[key] != int(one[-1]) + 1]
    for what, name, *more in reported:
        parts = [f"{name}-{part}" in kept for part in range(3)]
        if what == "kept" and name not in gone and not (all(parts) or _may_be_going(name)):
            wrong.append(f"lost {name}")
        if what == "gone" and any(parts):
            wrong.append(f"back {name}")
        if what == "last" and int(content[f"{name}-0"][:4]) < int(more[0]):
            wrong.append(f"old {name}")
    groups: dict[str, int] = {}
    for one in kept:
        groups[one[:-2]] = groups.get(one[:-2], 0) + 1
    wrong += [f"half {g}" for g, count in groups.items() if g.count(".") == 2 and count != 3]
    return wrong


def _may_be_going(name: str) -> bool:
    """Return whether the writer forgets this one next, so that it may be gone untold."""
    return int(name.split(".")[2]) % 3 == 2


@pytest.mark.parametrize("threads", [1, 4])
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, threads: int) -> None:
    reported: list[list[str]] = []
    for round_number, count in enumerate((1, 7, 40, 95)):
        with writer(tmp_path, f"r{round_number}", threads=threads, commits=10**6) as victim:
            reported += victim.reported(count)
            reported += victim.killed()

        space = opened(tmp_path)
        assert missing(space, reported) == []
        assert [one for one in space.check() if not one.sound] == []
        space.close()
    assert len(reported) >= 143


def test_two_processes_write_one_file(tmp_path: Path) -> None:
    with (
        writer(tmp_path, "a", threads=2, commits=12) as a,
        writer(tmp_path, "b", threads=2, commits=12) as b,
    ):
        reported = [*a.rest(), *b.rest()]

    space = opened(tmp_path)
    revisions = [int(words[3]) for words in reported if words[0] == "last"]
    assert [words[0] for words in reported].count("done") == 2
    assert len(set(revisions)) == len(revisions) == 48
    assert missing(space, [words for words in reported if words[0] != "done"]) == []
    assert [one for one in space.check() if not one.sound] == []
    space.close()


def test_a_killed_writer_does_not_stop_the_other(tmp_path: Path) -> None:
    with writer(tmp_path, "a", threads=2, commits=15) as survivor:
        with writer(tmp_path, "b", threads=2, commits=10**6) as victim:
            reported = victim.reported(30)
            reported += victim.killed()
        reported += [words for words in survivor.rest() if words[0] != "done"]

    space = opened(tmp_path)
    assert sum(words[0] == "last" and words[1].startswith("a") for words in reported) == 30
    assert missing(space, reported) == []
    assert [one for one in space.check() if not one.sound] == []
    space.close()
