"""The fuzzer of the readers, and the samples that it damages."""

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simonides.importers import ImportEvent, read
from simonides.model.import_report import Skipped
from simonides_bench import fuzz
from simonides_bench.odd_files import odd_files
from simonides_bench.odd_samples import SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_valid(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(SAMPLES[name])
    steps = list(read(path))

    assert [one.skipped for one in steps if one.skipped] == []
    assert any(one.item for one in steps)
    assert len(SAMPLES[name]) < 20_000


def test_the_same_seed_makes_the_same_files() -> None:
    first, again, other = (dict(odd_files(seed)) for seed in (1, 1, 2))

    assert first == again != other
    assert len(set(first.values())) >= 500


def test_a_damaged_file_is_the_same_for_one_seed() -> None:
    raw = SAMPLES["parts.eml"]
    made = [fuzz.damage(raw, random.Random(seed)) for seed in (1, 1, 2)]

    assert made[0] == made[1] != made[2]


def figures(monkeypatch: pytest.MonkeyPatch, step_s: float, read_one: Any = read) -> dict[str, Any]:
    """Return the figures of rounds over two formats; each look at the clock moves it on."""
    monkeypatch.setattr(fuzz, "SAMPLES", {"a.md": b"Oars.", "b.csv": b"a,b\n1,2\n"})
    monkeypatch.setattr(fuzz, "read", read_one)
    ticks = itertools.count(0.0, step_s)
    reported: list[tuple[int, int]] = []
    found = fuzz.run(
        seconds=5, seed=1, clock=lambda: next(ticks), on_progress=lambda *one: reported.append(one)
    )
    assert reported[0][1] == 5
    return found


def test_readers_that_hold_are_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    found = figures(monkeypatch, 1.0)

    assert (found["files"], found["raised"], found["examples"]) == (2, 0, [])
    assert fuzz.is_sound(found)


def _raising(path: Path) -> Iterator[ImportEvent]:
    raise KeyError(path.name)


def _reporting(reason: str) -> Callable[[Path], list[ImportEvent]]:
    return lambda path: [ImportEvent(skipped=Skipped(where=path.name, reason=reason))]


@pytest.mark.parametrize(
    ("what", "read_one"),
    [
        ("raised", _raising),
        ("raised", _reporting("the importer 'a' failed: KeyError: 'b'")),
        ("raised", _reporting("can not be read: OverflowError: too large")),
        ("crashed", _reporting("what reads it ran out of memory or crashed")),
        ("silent", lambda _: []),
    ],
)
def test_what_fails_is_counted_and_shown(
    monkeypatch: pytest.MonkeyPatch, what: str, read_one: Any
) -> None:
    found = figures(monkeypatch, 1.0, read_one)

    assert (found["files"], found[what]) == (2, 2)
    assert [(one["name"], one["found"]) for one in found["examples"]] == [
        ("a.md", what), ("b.csv", what),
    ]  # fmt: skip
    assert not fuzz.is_sound(found)


def test_what_takes_long_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "SLOW_S", 0.5)

    assert figures(monkeypatch, 1.0)["slow"] == 2


def test_a_report_of_damage_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "ParsingError: the file is damaged"

    assert fuzz.is_sound(figures(monkeypatch, 1.0, _reporting(reason)))
