"""The scrub in idle time: which spaces are due, that it waits for requests, and what it tells."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.http import background_work
from simonides.http.background_work import EVERY, Scrubbing
from simonides.http.telemetry import Metrics
from simonides.model.scrub import Scrub

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)


@dataclass
class World:
    """A home, its clock, whether requests run, and what was told."""

    memory: Memory
    now: datetime = NOON
    idle: Callable[[], bool] = lambda: True
    reported: list[Scrub] = field(default_factory=list)

    def is_idle(self) -> bool:
        return self.idle()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    settings = Settings(embedder="none", durability="relaxed")
    clock: list[World] = []
    memory = Memory(tmp_path, space="ana", settings=settings, clock=lambda: clock[0].now)
    made = World(memory)
    clock.append(made)
    for name in ("ana", "bob"):
        made.memory.in_space(name).add(f"the harbor of {name}")
    yield made
    made.memory.close()


@pytest.fixture
def idle_scrub(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scrubbing]:
    """A scrub whose own thread waits for ever, so that a test says when there is a round."""
    monkeypatch.setattr(background_work, "LOOK_S", 3600.0)
    monkeypatch.setattr(background_work, "SLICE_S", 0.0)
    made = Scrubbing(
        world.memory, is_idle=world.is_idle, now=lambda: world.now, on_done=world.reported.append
    )
    yield made
    made.close()


def test_each_space_is_looked_at_and_again_a_week_later(
    world: World, idle_scrub: Scrubbing
) -> None:
    assert idle_scrub.round() == 2
    assert idle_scrub.round() == 0
    assert world.memory.stats().scrubbed_at == NOON

    world.now = NOON + EVERY - timedelta(seconds=1)
    assert idle_scrub.round() == 0
    world.now = NOON + EVERY

    assert idle_scrub.round() == 2
    assert [one.damaged for one in world.reported] == [()] * 4


def test_what_a_server_before_looked_at_is_not_due(world: World, idle_scrub: Scrubbing) -> None:
    world.memory.scrub()

    assert idle_scrub.round() == 1


def test_it_waits_while_requests_run(world: World, idle_scrub: Scrubbing) -> None:
    asked = iter([False, False, True, True, True])
    world.idle = lambda: next(asked)

    assert idle_scrub.round() == 2
    assert next(asked, None) is True  # it was asked four times: thrice for the first space


def test_it_ends_at_once_and_notes_nothing_of_a_look_broken_off(
    world: World, idle_scrub: Scrubbing
) -> None:
    def stop() -> bool:
        idle_scrub._ended.set()
        return False

    world.idle = stop

    assert idle_scrub.round() == 0
    assert world.memory.stats().scrubbed_at is None
    assert world.reported == []


def test_a_space_that_cannot_be_looked_at_does_not_stop_the_others(
    world: World, idle_scrub: Scrubbing, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "spaces" / "aaa.sqlite3").write_bytes(b"no space at all" * 400)

    assert idle_scrub.round() == 2
    assert idle_scrub.round() == 0
    assert caplog.text.count("scrub of aaa") == 1
    assert len(world.reported) == 2


def test_damage_is_reported_by_the_log_and_by_the_metrics(
    world: World, idle_scrub: Scrubbing, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world.memory.in_space("ana").add(["words " * 300 + str(n) for n in range(30)])
    world.memory.close()
    file = tmp_path / "spaces" / "ana.sqlite3"
    content = bytearray(file.read_bytes())
    content[-2000] ^= 1
    file.write_bytes(bytes(content))
    world.memory = Memory(tmp_path, space="ana", settings=Settings(embedder="none"))
    idle_scrub._memory = world.memory
    metrics = Metrics()
    idle_scrub._on_done = metrics.record_scrub

    idle_scrub.round()

    text = metrics.text().decode()
    assert "1 damaged pages" in caplog.text
    assert "simonides_scrub_damaged_pages_total 1.0" in text
