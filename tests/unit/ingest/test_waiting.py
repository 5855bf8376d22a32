"""Embedding what waits: in slices, newest first, each text once, and on from wherever it ended."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from simonides import Item, Memory, Settings
from simonides.errors import EmbedderError, InvalidInput
from simonides.ingest import waiting
from simonides.ingest.keep import keep
from simonides.ingest.waiting import SLICE_CHUNKS, KnownVectors
from simonides_bench.testing.hashing import CountingEmbedder

START: Final = datetime(2026, 3, 12, tzinfo=UTC)


def a_day_apart(texts: Sequence[str]) -> list[Item]:
    return [
        Item(content=text, id=f"id-{n}", happened_at=START + timedelta(days=n))
        for n, text in enumerate(texts)
    ]


@pytest.fixture
def later(memory: Memory) -> Callable[..., None]:
    """Return a function that keeps items of texts, a day apart, without their vectors."""

    def add(*texts: str) -> None:
        keep(a_day_apart(texts), memory._opened, vectors=False)

    return add


def test_the_newest_come_first_and_each_slice_takes_a_revision(
    memory: Memory, later: Callable[..., None], embedder: CountingEmbedder
) -> None:
    later(*(f"text {n}" for n in range(SLICE_CHUNKS * 2 + 1)))
    reported: list[tuple[int, int]] = []
    report = memory.embed(on_progress=lambda done, total: reported.append((done, total)))

    all_of_them = SLICE_CHUNKS * 2 + 1
    assert (report.embedded, report.waiting) == (all_of_them, 0)
    assert reported == [(n, all_of_them) for n in (SLICE_CHUNKS, SLICE_CHUNKS * 2, all_of_them)]
    assert embedder.texts == [f"text {n}" for n in reversed(range(all_of_them))]
    assert memory.stats().revision == 4
    assert memory.embed().embedded == 0
    assert memory.stats().revision == 4


def test_limits_end_it_and_the_next_call_goes_on(
    memory: Memory, later: Callable[..., None], embedder: CountingEmbedder
) -> None:
    later(*(f"text {n}" for n in range(100)))

    assert memory.embed(chunks_max=10).waiting == 90
    assert embedder.texts == [f"text {n}" for n in range(99, 89, -1)]
    assert memory.embed(time_max_s=1e-9).embedded == 0
    assert memory.embed().embedded == 90
    assert len(embedder.texts) == 100


def test_a_model_that_fails_loses_nothing_that_was_made(
    memory: Memory, later: Callable[..., None], embedder: CountingEmbedder
) -> None:
    later(*(f"text {n}" for n in range(SLICE_CHUNKS + 10)))
    embedder.fails_after = SLICE_CHUNKS
    with pytest.raises(EmbedderError, match="no model"):
        memory.embed()
    assert memory.stats().waiting == 10

    embedder.fails_after = None
    assert memory.embed().embedded == 10
    assert all(one.sound for one in memory.verify())


def test_equal_texts_are_embedded_once(
    memory: Memory, later: Callable[..., None], embedder: CountingEmbedder
) -> None:
    later(*(["the same words"] * (SLICE_CHUNKS + 5)), "others")
    assert memory.embed().embedded == SLICE_CHUNKS + 6
    assert sorted(embedder.texts) == ["others", "the same words"]

    memory.add([Item(content="now said twice", id=name) for name in ("x", "y")])
    assert embedder.texts.count("now said twice") == 1


def test_only_so_many_texts_are_remembered(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "TEXTS_KNOWN_MAX", 2)
    known = KnownVectors(embedder)
    first = known.of(["a", "b"])
    assert known.of(["b", "c", "b"])[0] == first[1]
    assert known.of(["a"]) == first[:1]

    assert embedder.texts == ["a", "b", "c", "a"]
    assert known.of([]) == []


def test_it_makes_the_vectors_that_would_have_come_with_the_items(
    memory: Memory,
    later: Callable[..., None],
    tmp_path: Path,
    embedder: CountingEmbedder,
    now: datetime,
) -> None:
    texts = [f"harbor number {n} and the lunch" for n in range(20)]
    later(*texts)
    memory.embed()
    with Memory(tmp_path / "at once", embedder=embedder, clock=lambda: now) as other:
        other.add(a_day_apart(texts))
        found = [[(hit.id, hit.score) for hit in one.search("harbor 7")] for one in (memory, other)]
    assert found[0] == found[1]


def test_nothing_waits_where_there_is_no_space_or_no_embedder(tmp_path: Path) -> None:
    for name in ("none", "minilm"):
        settings = Settings(embedder=name)
        embedder = CountingEmbedder() if name == "minilm" else None
        with Memory(tmp_path / name, settings=settings, embedder=embedder) as memory:
            assert memory.embed().embedded == 0
            assert memory.spaces() == ()
    with Memory(tmp_path / "none", settings=Settings(embedder="none")) as memory:
        memory.add("words")
        assert (memory.embed().waiting, memory.stats().waiting) == (0, 0)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"chunks_max": 0}, "chunks_max"),
        ({"time_max_s": 0.0}, "time_max_s"),
        ({"time_max_s": float("nan")}, "time_max_s"),
    ],
)
def test_limits_out_of_range_are_refused(
    memory: Memory, given: dict[str, float], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        memory.embed(**given)  # type: ignore[arg-type]
    assert refused.value.field == field
