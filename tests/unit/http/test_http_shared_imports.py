"""Imports of several processes: each status is known to all, and each can be cancelled by all."""

import queue
from pathlib import Path
from typing import Any

import pytest
from tests.unit.http.test_http_imports import PROGRESS, Acted

from simonides import Memory, Settings
from simonides.api.operations.home import ImportRequest
from simonides.errors import NotFound
from simonides.http.import_process import Order
from simonides.http.import_status import ALIVE_S, GONE, State
from simonides.http.imports import Imports
from simonides.http.limits import Limits
from simonides.model.import_report import ImportReport, Skipped
from simonides.working_memory.in_process import InProcessWorkingMemory

WAIT_S = 30.0


class Clock:
    """Seconds that pass when a test says so."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Process:
    """One of several processes with imports of its own; it says nothing by itself."""

    def __init__(self, home: Path, shared: InProcessWorkingMemory) -> None:
        self.at_work: queue.Queue[Acted] = queue.Queue()
        self.reported: tuple[Any, ...] = (
            PROGRESS, ImportReport(added=1, skipped=(Skipped(where="a", reason="empty"),)),
        )  # fmt: skip
        self.memory = Memory(home, settings=Settings(embedder="none"))
        self.imports = Imports(
            self.memory, uploads=home / "uploads", limits=Limits(), shared=shared,
            start=self._start, clock=Clock(),
        )  # fmt: skip
        self.imports._is_watched = True

    def _start(self, order: Order) -> Acted:
        return Acted(order, self.at_work, self.reported)

    def begin(self, name: str = "a.md", key_id: str = "k", space: str = "s") -> str:
        path = self.imports.folder() / name
        path.write_text("# Alpha\n")
        asked = ImportRequest(paths=(str(path),))
        return self.imports.begin(path, space=space, asked=asked, key_id=key_id).id


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shared(clock: Clock) -> InProcessWorkingMemory:
    return InProcessWorkingMemory(clock)


@pytest.fixture
def two(tmp_path: Path, shared: InProcessWorkingMemory) -> Any:
    made = [Process(tmp_path, shared) for _ in range(2)]
    yield made
    for one in made:
        one.imports.stop()
        assert one.imports.wait(left_s=WAIT_S)
        one.memory.close()


def test_each_process_knows_how_far_the_import_of_another_is(two: Any) -> None:
    here, there = two
    begun = here.begin()
    acted = here.at_work.get(timeout=WAIT_S)
    here.imports.look()
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
    here.imports.look()
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


def test_an_import_whose_process_is_gone_has_failed(two: Any, clock: Clock) -> None:
    here, there = two
    begun = here.begin()
    here.at_work.get(timeout=WAIT_S)
    here.imports.look()
    clock.now_s = ALIVE_S
    found = there.imports.get(begun, space="s")

    assert (found.state, found.code, found.detail) == (State.FAILED, "import_failed", GONE)
    assert found.progress == PROGRESS
    assert there.imports.cancel(begun, space="s").state is State.FAILED


def test_an_import_is_known_while_its_process_says_that_it_is_there(two: Any, clock: Clock) -> None:
    here, there = two
    begun = here.begin()
    acted = here.at_work.get(timeout=WAIT_S)
    for _ in range(5):
        clock.now_s += ALIVE_S - 1.0
        here.imports.look()

    assert there.imports.get(begun, space="s").state is State.RUNNING
    acted.go_on.set()


def test_those_of_all_processes_are_listed_latest_first(two: Any) -> None:
    here, there = two
    begun = [one.begin() for one in (here, there, here)]

    for one in two:
        assert [each.id for each in one.imports.list(space="s")] == begun[::-1]


def test_an_import_that_ended_is_not_known_once_another_program_erased_its_space(two: Any) -> None:
    here, there = two
    here.memory.in_space("s").add("the crane")
    begun = here.begin()
    here.at_work.get(timeout=WAIT_S).go_on.set()
    assert here.imports.wait(left_s=WAIT_S)
    assert [one.id for one in there.imports.list(space="s")] == [begun]
    there.memory.in_space("s").erase(everything=True)

    assert here.imports.list(space="s") == there.imports.list(space="s") == ()
