"""The server's worker: it makes the vectors that imports left, when nobody asks."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Memory, Settings
from simonides.errors import EmbedderError
from simonides.http import background_work
from simonides.http.background_work import VectorWorker
from simonides_bench.testing.hashing import HashingEmbedder


@dataclass
class World:
    """A home with vectors to make, and whether requests run."""

    memory: Memory
    folder: Path
    idle: Callable[[], bool] = lambda: True
    looks: list[bool] = field(default_factory=list)

    def is_idle(self) -> bool:
        self.looks.append(self.idle())
        return self.looks[-1]

    def leave(self, name: str, text: str) -> None:
        """Import a note into a space without its vector."""
        path = self.folder / f"{text}.txt"
        path.write_text(text)
        self.memory.in_space(name).import_(path, wait=False)

    def waiting(self) -> dict[str, int]:
        return {name: self.memory.in_space(name).stats().waiting for name in self.memory.spaces()}


class Failing(HashingEmbedder):
    """Fails where it is told to; says when it was asked."""

    fails = False

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked.set()
        if self.fails:
            raise EmbedderError("no model")
        return super().embed(texts)


@pytest.fixture
def embedder() -> Failing:
    return Failing()


@pytest.fixture
def world(tmp_path: Path, embedder: Failing) -> Iterator[World]:
    """Two spaces, each with an import whose vectors wait."""
    settings = Settings(durability="relaxed")
    with Memory(tmp_path / "home", settings=settings, embedder=embedder) as memory:
        made = World(memory, tmp_path)
        for name in ("ana", "bob"):
            made.leave(name, "a harbor")
        yield made


@pytest.fixture
def worker(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[VectorWorker]:
    """A worker whose own thread does nothing, so that a test says when there is a round."""
    monkeypatch.setattr(background_work, "BUSY_S", 0.0)
    monkeypatch.setattr(VectorWorker, "_run", lambda _: None)
    made = VectorWorker(world.memory, is_idle=world.is_idle)
    yield made
    made.close()


def test_every_space_has_its_turns(world: World, worker: VectorWorker) -> None:
    assert world.waiting() == {"ana": 1, "bob": 1}
    assert worker.round() == 2
    assert world.waiting() == {"ana": 0, "bob": 0}
    assert worker.round() == 0


def test_it_waits_while_requests_run_but_not_for_ever(world: World, worker: VectorWorker) -> None:
    world.idle = lambda: len(world.looks) >= 3
    assert worker.round() == 2

    world.leave("ana", "more words")
    world.looks.clear()
    world.idle = lambda: False
    assert worker.round() == 1
    assert len(world.looks) >= background_work.BUSY_LOOKS


def test_what_fails_is_reported_once_and_the_others_go_on(
    worker: VectorWorker, embedder: Failing, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.fails = True
    assert (worker.round(), worker.round()) == (0, 0)
    assert [one.getMessage() for one in caplog.records] == [
        "embed in ana: no model", "embed in bob: no model",
    ]  # fmt: skip

    embedder.fails = False
    assert worker.round() == 2


def test_it_says_how_many_chunks_were_left_also_where_the_model_fails(
    worker: VectorWorker, embedder: Failing
) -> None:
    assert worker.left == 0
    embedder.fails = True
    worker.round()
    assert worker.left == 2

    embedder.fails = False
    worker.round()
    assert worker.left == 0


def test_what_waited_in_an_erased_space_waits_no_more(
    world: World, worker: VectorWorker, embedder: Failing
) -> None:
    embedder.fails = True
    worker.round()
    world.memory.in_space("bob").erase(everything=True)
    worker.round()

    assert worker.left == 1


def test_its_thread_begins_at_once_and_ends_when_it_is_closed(
    world: World, embedder: Failing
) -> None:
    worker = VectorWorker(world.memory, is_idle=world.is_idle)
    worker.ask()
    assert embedder.asked.wait(30.0)
    worker.close()

    assert not worker._thread.is_alive()


def test_a_closed_one_begins_nothing(world: World, worker: VectorWorker) -> None:
    worker.close()
    assert worker.round() == 0
    assert world.waiting() == {"ana": 1, "bob": 1}
