"""How fast documents are read: the files that are made, and the figures."""

import random
from pathlib import Path

import pytest

from simonides.importers import read
from simonides.model.item import Kind
from simonides_bench import import_formats
from simonides_bench.import_formats import BARE, MAKERS, PAGES, SUFFIXES, run


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_formats, "PAGE_WORDS", 30)
    monkeypatch.setattr(import_formats, "ROUNDS", 1)


def test_every_format_is_read_and_measured() -> None:
    steps: list[tuple[int, int]] = []
    figures = run(files=2, on_progress=lambda done, total: steps.append((done, total)))

    assert (figures["files"], figures["pages"]) == (2, PAGES)
    paged = dict.fromkeys(["pdf", "pptx", "zip"], 2 * PAGES)
    paged |= dict.fromkeys(["chatgpt", "slack", "whatsapp"], 2 * PAGES * 2)  # two on a page
    assert {kind: one["items"] for kind, one in figures["formats"].items()} == {
        kind: paged.get(kind, 2) for kind in MAKERS
    }
    assert all(one["mb_per_s"] > 0 for one in figures["formats"].values())
    assert steps == [(number, len(MAKERS)) for number in range(len(MAKERS))]


@pytest.mark.parametrize("kind", MAKERS)
def test_the_same_seed_makes_the_same_file(kind: str) -> None:
    assert MAKERS[kind](random.Random(1)) == MAKERS[kind](random.Random(1))
    assert MAKERS[kind](random.Random(1)) != MAKERS[kind](random.Random(2))


@pytest.mark.parametrize("kind", SUFFIXES)
def test_a_chat_is_read_as_one(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"a.{SUFFIXES[kind]}").write_bytes(MAKERS[kind](random.Random(1)))

    steps = list(read(tmp_path))
    found = [step.item for step in steps if step.item]

    assert {(one.source, one.kind) for one in found} == {(kind, Kind.MESSAGE)}
    assert all(one.people and one.happened_at for one in found)
    assert len({one.id for one in found}) == len(found) == 2 * PAGES


def test_every_format_has_a_bare_parser() -> None:
    assert set(BARE) == set(MAKERS)
