"""A file put back from a backup and written to again must not be answered by the old snapshot."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.index import snapshot
from simonides_bench.testing.hashing import HashingEmbedder

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)


def opened(home: Path, *, hours: int) -> Memory:
    settings = Settings(timezone="UTC", durability="relaxed")
    when = NOON + timedelta(hours=hours)
    return Memory(home, settings=settings, embedder=HashingEmbedder(), clock=lambda: when)


def found(memory: Memory, question: str) -> list[str]:
    return [hit.item.content for hit in memory.search(question, mode="text")]


def test_a_snapshot_of_rows_that_were_put_back_is_not_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)
    file, backup = tmp_path / "spaces" / "default.sqlite3", tmp_path / "backup"
    with opened(tmp_path, hours=0) as memory:
        memory.add("a penguin on the ice")
    shutil.copy(file, backup)
    with opened(tmp_path, hours=1) as memory:
        memory.add("a walrus on the rock")
        assert found(memory, "walrus") == ["a walrus on the rock"]
    shutil.copy(backup, file)

    with opened(tmp_path, hours=2) as memory:
        memory.add("a zebra in the grass")

        assert found(memory, "walrus") == []
        assert found(memory, "zebra") == ["a zebra in the grass"]


def test_a_snapshot_whose_last_item_was_forgotten_since_is_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)
    with opened(tmp_path, hours=0) as memory:
        memory.add(["a penguin on the ice", "a walrus on the rock"])
        found(memory, "walrus")
    with opened(tmp_path, hours=1) as memory:
        last = memory.search("walrus", mode="text")[0].id
        memory.forget(last)

    with opened(tmp_path, hours=2) as memory:
        assert found(memory, "walrus") == []
        assert found(memory, "penguin") == ["a penguin on the ice"]
