"""An import dies on one machine, or is cut off, and another one takes it over.

Nothing is lost, nothing doubled, and the one that lost its lease writes no more.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.errors import WorkTaken
from simonides.importers import run
from simonides.ingest import at_work, waiting
from simonides.model.lease import Work
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.testing.servers.postgres import PostgresServer

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
MAILS = 22
MAIL = (
    "From a@b Thu Jan  1 00:00:00 2026\nFrom: a@x.example\nTo: b@x.example\n"
    "Message-ID: <{0}@x>\nDate: {1} Jan 2026 10:00:00 +0000\nSubject: Mail {0}\n\n{2}\n\n"
)

IMPORT = """
import socket, sys
from datetime import UTC, datetime
from pathlib import Path

from simonides import Memory, Settings
from simonides.importers import run
from simonides.ingest import waiting
from simonides_bench.testing.hashing import HashingEmbedder

run.BATCH_ITEMS, waiting.SLICE_CHUNKS = 4, 5
home, store, mbox, machine = sys.argv[1:]
if machine:
    socket.gethostname = lambda: machine
now = datetime(2026, 3, 12, 9, tzinfo=UTC)
settings = Settings(timezone="UTC", store=store)
with Memory(Path(home), settings=settings, embedder=HashingEmbedder(), clock=lambda: now) as memory:
    memory.import_(mbox, on_progress=lambda at: print(at.read, at.embedded, flush=True) or input())
"""
"""Imports, and goes on after each batch once it is told so."""


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> str:
    """The setting `store` of a home of files, and of a database."""
    if request.param == "sqlite":
        return ""
    address: str = request.getfixturevalue("served_dsn")
    return address


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "BATCH_ITEMS", 4)
    monkeypatch.setattr(waiting, "SLICE_CHUNKS", 5)


@pytest.fixture
def mbox(tmp_path: Path) -> Path:
    """A mailbox of some batches."""
    path = tmp_path / "all.mbox"
    bodies = [f"word{n % 20} harbor lunch. " * (1 + 200 * (n % 7 == 0)) for n in range(MAILS)]
    path.write_text("".join(MAIL.format(n, 1 + n % 28, body) for n, body in enumerate(bodies)))
    return path


@pytest.fixture
def opened(store: str, tmp_path: Path) -> Callable[..., Memory]:
    """Return a function that opens the memory of a server; all of them share their spaces."""

    def open_memory(timeout_s: float = 10.0) -> Memory:
        settings = Settings(timezone="UTC", store=store, timeout_s=timeout_s)
        home = tmp_path / "home"
        return Memory(home, settings=settings, embedder=HashingEmbedder(), clock=lambda: NOW)

    return open_memory


@pytest.fixture
def undisturbed(mbox: Path, tmp_path: Path) -> list[str]:
    """The export of an import that nobody disturbs."""
    with Memory(
        tmp_path / "undisturbed", settings=Settings(timezone="UTC"), embedder=HashingEmbedder(),
        clock=lambda: NOW,
    ) as memory:  # fmt: skip
        memory.import_(mbox)
        return exported(memory, tmp_path / "undisturbed.jsonl")


def exported(memory: Memory, path: Path) -> list[str]:
    """Return the lines of the space's export, without its random uuid and the hash over that.

    Nor the log of imports: it tells what each attempt read.
    """
    assert all(one.sound for one in memory.verify())
    assert memory.stats().waiting == 0
    memory.export(path)
    head, *lines, _hash = path.read_text("utf-8").splitlines()
    kept = [one for one in lines if not one.startswith('{"receipt":{"id":"import:')]
    return [head.replace(json.loads(head)["uuid"], ""), *kept]


def killed_import(where: Path, store: str, mbox: Path, *, batches: int, machine: str = "") -> None:
    """Import in a process that is killed in the middle, after so many batches."""
    command = [sys.executable, "-c", IMPORT, str(where / "home"), store, str(mbox), machine]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(batches):
            assert process.stdout.readline()
            process.stdin.write("\n")
            process.stdin.flush()
        assert process.stdout.readline()
        process.kill()
    assert process.returncode == -9


@pytest.mark.slow
@pytest.mark.parametrize("batches", [0, 3])
def test_an_import_killed_here_is_taken_over_at_once(
    *, tmp_path: Path, store: str, mbox: Path, opened: Any, undisturbed: list[str], batches: int
) -> None:
    killed_import(tmp_path, store, mbox, batches=batches)
    with opened() as memory:
        [held] = memory._opened.space.leases()
        assert held.work == Work.IMPORT
        assert "work under way" not in [one.check for one in memory.doctor()]
        done = memory.import_(mbox)

        assert done.unchanged == (batches + 1) * 4
        assert done.added == MAILS - done.unchanged
        assert exported(memory, tmp_path / "all.jsonl") == undisturbed
        assert memory._opened.space.leases() == []


@pytest.mark.slow
def test_an_import_killed_elsewhere_is_taken_over_once_its_lease_ran_out(
    tmp_path: Path,
    served_dsn: str,
    mbox: Path,
    undisturbed: list[str],
    postgres_server: PostgresServer,
) -> None:
    killed_import(tmp_path, served_dsn, mbox, batches=2, machine="elsewhere")
    settings = Settings(timezone="UTC", store=served_dsn, timeout_s=0.05)
    with Memory(
        tmp_path / "other", settings=settings, embedder=HashingEmbedder(), clock=lambda: NOW
    ) as memory:
        with pytest.raises(WorkTaken, match=r"import by process \d+ of elsewhere.*try again"):
            memory.import_(mbox)
        database = served_dsn.rpartition("/")[2]
        postgres_server.run("UPDATE leases SET expires_us = 0", database=database)
        memory.import_(mbox)

        assert exported(memory, tmp_path / "all.jsonl") == undisturbed


@pytest.fixture
def _unrenewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases are not renewed, as where a machine stands still."""
    monkeypatch.setattr(at_work, "keep_renewed", lambda *_: None)


@pytest.mark.usefixtures("_unrenewed")
def test_who_was_taken_over_in_the_middle_writes_no_more(
    tmp_path: Path, mbox: Path, opened: Any, undisturbed: list[str]
) -> None:
    with opened() as slow, opened() as quick:
        seen: list[int] = []
        heirs: list[Any] = []

        def take_over(progress: Any) -> None:
            seen.append(progress.read)
            if len(seen) == 2:
                space = slow._opened.space
                [lease] = space.leases()
                space.renew_lease(lease, for_s=0.0)  # it stood still until then
                heirs.append(quick._opened.space.take_lease(Work.IMPORT, holder="b", for_s=60.0))

        with pytest.raises(WorkTaken, match="taken over"):
            slow.import_(mbox, on_progress=take_over)

        assert (len(seen), quick.stats().items) == (2, 8)
        quick._opened.space.release_lease(heirs[0])
        quick.import_(mbox)
        assert exported(quick, tmp_path / "all.jsonl") == undisturbed


@pytest.mark.usefixtures("_unrenewed")
def test_vectors_are_made_by_one_and_taken_over_by_another(
    tmp_path: Path, mbox: Path, opened: Any, undisturbed: list[str]
) -> None:
    with opened() as slow, opened() as quick:
        waits = slow.import_(mbox, wait=False).waiting
        found: list[Any] = []

        def meanwhile(done: int, _all: int) -> None:
            space = slow._opened.space
            if done == 5:
                in_thread(lambda: found.append(quick.embed()))
                [lease] = space.leases()
                space.renew_lease(lease, for_s=0.0)
                in_thread(lambda: found.append(quick.embed()))

        with pytest.raises(WorkTaken, match="taken over the work 'vectors'"):
            slow.embed(on_progress=meanwhile)

        assert [(one.embedded, one.waiting) for one in found] == [(0, waits - 5), (waits - 5, 0)]
        assert exported(quick, tmp_path / "all.jsonl") == undisturbed


def in_thread(work: Callable[[], object]) -> None:
    one = threading.Thread(target=work)
    one.start()
    one.join()
