"""What hostile files cost: the files, and the figures."""

from pathlib import Path

import pytest

from simonides_bench import hostile
from simonides_bench.hostile import HEAD, HOSTILE, run
from simonides_bench.peak_memory import peak_mb

pytestmark = pytest.mark.slow

MEMORY_MB_MAX = 150
"""What reading 100 KB may take: libraries of documents, and at most 16 million characters."""


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_is_about_as_large_as_asked_and_the_same_each_time(kind: str) -> None:
    _, make = HOSTILE[kind]
    raw = make(20_000)

    assert raw == make(20_000)
    assert 10_000 < len(raw) < 32_000
    assert len(make(40_000)) > 1.5 * len(raw)


def test_each_kind_is_measured_at_two_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def make(size: int) -> bytes:
        asked.append(size)
        return HEAD + b"From: z@x.example\n\nHello."

    monkeypatch.setattr(hostile, "HOSTILE", {"plain": ("a.eml", make), "none": ("a.x", make)})
    reported: list[tuple[int, int]] = []
    figures = run(size_bytes=500, on_progress=lambda done, total: reported.append((done, total)))

    assert asked == [1000, 500, 1000, 1000, 500, 1000]
    assert reported == [(0, 2), (1, 2)]
    assert figures["size_bytes"] == 500
    assert figures["worst_read_ratio"] == 0.0
    assert figures["kinds"]["plain"]["reported"] == 1
    assert figures["kinds"]["plain"]["memory_mb"] > 10.0
    assert figures["worst_memory_ratio"] == pytest.approx(1.0, abs=0.3)
    assert figures["kinds"]["plain"]["import_ms"] > figures["kinds"]["plain"]["read_ms"] > 0.0


def test_the_worst_ratio_is_that_of_what_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = {("a", 1): 100.0, ("a", 2): 250.0, ("b", 1): 1.0, ("b", 2): 9.0}

    def cost(name: str, size: int) -> dict[str, float]:
        return {"read_ms": costs[name, size], "import_ms": 1.0, "reported": 0}

    monkeypatch.setattr(hostile, "HOSTILE", {"a": "a", "b": "b"})
    monkeypatch.setattr(hostile, "_cost", cost)
    monkeypatch.setattr(hostile, "_memory_mb", lambda kind, _: 300.0 if kind == "a" else 100.0)
    figures = run(size_bytes=1, on_progress=lambda *_: None)

    assert figures["worst_read_ratio"] == 2.5
    assert figures["worst_memory_ratio"] == 3.0
    assert figures["kinds"]["b"]["read_ratio"] == 9.0


@pytest.mark.parametrize(
    "kind",
    ["nested JSON", "long names in JSON", "zones of a calendar", "zips in a mail",
     "repeated rows in a mail"],
)  # fmt: skip
def test_no_small_file_takes_much_memory(tmp_path: Path, kind: str) -> None:
    name, make = HOSTILE[kind]
    (tmp_path / name).write_bytes(make(100_000))
    (tmp_path / "plain.eml").write_bytes(HEAD + b"\n" + b"plain words\n" * 8_000)

    assert peak_mb(tmp_path / name) < MEMORY_MB_MAX + peak_mb(tmp_path / "plain.eml")
