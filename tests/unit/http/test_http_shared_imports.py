"""Imports of several processes: each status is known to all, and each can be cancelled by all."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.http.test_http_imports import PROGRESS, Acted

from simonides import Memory, Settings
from simonides.api.operations.home import ImportRequest
from simonides.errors import NotFound
from simonides.http.import_board import ALIVE_S, GONE, ImportBoard
from simonides.http.import_process import Order
from simonides.http.import_status import State
from simonides.http.shared_imports import SharedImports
from simonides.model.import_report import ImportReport, Skipped
from simonides.working_memory.in_process import InProcessWorkingMemory

WAIT_S = 30.0


class Clock:
    """Seconds that pass when a test says so."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Process:
    """One of several processes with imports of its own."""

    def __init__(self, home: Path, shared: InProcessWorkingMemory, clock: Clock) -> None:
        import queue

        self.at_work: queue.Queue[Acted] = queue.Queue()
        self.told: tuple[Any, ...] = (
            PROGRESS, ImportReport(added=1, skipped=(Skipped(where="a", reason="empty"),)),
        )  # fmt: skip
        self.memory = Memory(home, settings=Settings(embedder="none"))
        numbers = iter(range(1, 100))
        self.imports = SharedImports(
            self.memory, uploads=home / "uploads", start=self._start, running_max=2,
            waiting_max=4, yield_s=20.0, clock=clock,
            board=ImportBoard(shared, now_ns=lambda: next(numbers)),
        )  # fmt: skip

    def _start(self, order: Order) -> Acted:
        return Acted(order, self.at_work, self.told)

    def begin(self, name: str = "a.md", key_id: str = "k") -> str:
        path = self.imports.folder() / name
        path.write_text("# Alpha\n")
        asked = ImportRequest(paths=(str(path),))
        return self.imports.begin(path, space="s", asked=asked, key_id=key_id).id


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shared(clock: Clock) -> InProcessWorkingMemory:
    return InProcessWorkingMemory(clock)


@pytest.fixture
def two(tmp_path: Path, shared: InProcessWorkingMemory, clock: Clock) -> Any:
    made = [Process(tmp_path, shared, clock) for _ in range(2)]
    yield made
    for one in made:
        one.imports.stop()
        assert one.imports.wait(left_s=WAIT_S)
        one.memory.close()


def test_each_process_knows_how_far_the_import_of_another_is(two: Any) -> None:
    here, there = two
    begun = here.begin()
    acted = here.at_work.get(timeout=WAIT_S)
    here.imports.tell()
    running = there.imports.get(begun, space="s")
    acted.go_on.set()
    assert here.imports.wait(left_s=WAIT_S)
    ended = there.imports.get(begun, space="s")

    assert (running.state, running.progress) == (State.RUNNING, PROGRESS)
    assert ended == here.imports.get(begun, space="s")
    assert ended.state is State.DONE
    assert [one.id for one in there.imports.list(space="s")] == [begun]


def test_each_process_may_cancel_the_import_of_another(two: Any) -> None:
    here, there = two
    begun = here.begin()
    here.at_work.get(timeout=WAIT_S)
    there.imports.cancel(begun, space="s")
    here.imports.tell()
    assert here.imports.wait(left_s=WAIT_S)

    assert there.imports.get(begun, space="s").state is State.CANCELLED


def test_of_another_space_or_key_nothing_is_known(two: Any) -> None:
    here, there = two
    begun = here.begin(key_id="mine")

    assert there.imports.get(begun, space="s", only_of="mine").id == begun
    assert there.imports.list(space="s", only_of="other") == ()
    for asked in ({"space": "t"}, {"space": "s", "only_of": "other"}):
        with pytest.raises(NotFound):
            there.imports.get(begun, **asked)
        with pytest.raises(NotFound):
            there.imports.cancel(begun, **asked)


def test_an_import_whose_process_is_gone_has_failed(
    two: Any, shared: InProcessWorkingMemory, clock: Clock
) -> None:
    _, there = two
    board = ImportBoard(shared)
    status = there.imports.list(space="s")
    assert status == ()
    lost = _running("lost")
    board.begin(lost, space="s", key_id="k")
    assert there.imports.get("lost", space="s").state is State.RUNNING

    clock.now_s = ALIVE_S
    found = there.imports.get("lost", space="s")

    assert (found.state, found.code, found.detail) == (State.FAILED, "import_failed", GONE)
    assert there.imports.cancel("lost", space="s").state is State.FAILED


def _running(import_id: str) -> Any:
    from simonides.http.import_status import ImportStatus

    return ImportStatus(id=import_id, state=State.RUNNING, file="a.md", progress=PROGRESS)


def test_a_status_is_renewed_while_the_import_runs(two: Any, clock: Clock) -> None:
    here, there = two
    begun = here.begin()
    acted = here.at_work.get(timeout=WAIT_S)
    for _ in range(5):
        clock.now_s += ALIVE_S - 1.0
        here.imports.tell()

    assert there.imports.get(begun, space="s").state is State.RUNNING
    acted.go_on.set()


def test_those_of_all_processes_are_listed_latest_first(
    two: Any, shared: InProcessWorkingMemory
) -> None:
    here, there = two
    first = here.begin("a.md")
    for n, name in ((50, "b"), (60, "c")):
        ImportBoard(shared, now_ns=lambda n=n: n).begin(_running(name), space="s", key_id="k")  # type: ignore[misc]  # bound now

    assert [one.id for one in there.imports.list(space="s")] == ["c", "b", first]
    assert [one.id for one in here.imports.list(space="s")] == ["c", "b", first]
