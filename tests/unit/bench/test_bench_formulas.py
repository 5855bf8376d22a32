"""Each figure of `bench speed` is the formula that the reference gives, by a clock of our own."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simonides.api.memory import Memory
from simonides.errors import SimonidesError
from simonides.model.answer import Diagnostics, LaneReport, Mode, Plan, Scorer, SearchResult
from simonides.model.stored import NO_EMBEDDER
from simonides.text.chunk import ChunkRule
from simonides_bench import adding, asking, filling, limits, speed
from simonides_bench.adding import analyse_chunks_per_s, import_mail_per_s, single_figures
from simonides_bench.asking import Asker
from simonides_bench.corpus import Passage
from simonides_bench.filling import Batch, batches
from simonides_bench.limits import Took
from simonides_bench.replay import Blend, ReplayEmbedder
from simonides_bench.speed import Effort
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.writing import BEGINNING, Writer

Filled = tuple[Memory, ReplayEmbedder, Blend]


def stopped(times: Iterator[float]) -> Callable[[Callable[[], object]], float]:
    """Return a stop watch that runs the work and says one of `times`."""

    def once(work: Callable[[], object]) -> float:
        work()
        return next(times)

    return once


def watch(times: Iterator[float]) -> Callable[[Callable[[], object]], Took]:
    """Return one that tells processor time too: a tenth of the clock's."""
    once = stopped(times)

    def timed(work: Callable[[], object]) -> Took:
        wall_ms = once(work)
        return Took(wall_ms=wall_ms, cpu_ms=wall_ms / 10.0)

    return timed


# ── the watches themselves ────────────────────────────────────────────────────────────────────


def test_times_are_told_in_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, processor = iter([10.0, 10.25]), iter([1.0, 1.125])
    told = SimpleNamespace(perf_counter=lambda: next(clock), thread_time=lambda: next(processor))
    monkeypatch.setattr(limits, "time", told)

    assert limits.timed(lambda: None) == Took(wall_ms=250.0, cpu_ms=125.0)


def test_a_median_leaves_the_first_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    monkeypatch.setattr(limits, "once_ms", stopped(iter([9.0, 1.0, 2.0])))

    assert limits.median_ms(lambda: ran.append(1), repeats=3) == 2.0
    assert len(ran) == 4


def test_a_scan_goes_over_every_row_by_the_kernel_of_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[tuple[int, ...], tuple[int, ...], Any]] = []

    def dots(query: Any, matrix: Any) -> None:
        seen.append((query.shape, matrix.shape, matrix.dtype))

    monkeypatch.setattr(limits, "dots", dots)
    limits.scan_ms(rows=17, dimension=64, repeats=2)

    assert seen == [((64,), (17, 64), np.dtype(np.int8))] * 3


@pytest.mark.parametrize(("bytes_read", "words"), [(0, 1), (7, 1), (8, 1), (8_000, 1_000)])
def test_reading_sums_as_many_bytes_as_asked_for(
    monkeypatch: pytest.MonkeyPatch, bytes_read: int, words: int
) -> None:
    sums: list[Any] = []

    def median_ms(work: Callable[[], object], *, repeats: int) -> float:
        sums.append((work(), repeats))
        return 1.0

    monkeypatch.setattr(limits, "median_ms", median_ms)

    assert limits.read_ms(bytes_read=bytes_read, repeats=5) == 1.0
    assert sums == [(words, 5)]


# ── keeping ───────────────────────────────────────────────────────────────────────────────────


def test_mails_a_second_are_mails_over_the_time_of_the_import(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, corpus: list[Passage]
) -> None:
    monkeypatch.setattr(adding, "once_ms", stopped(iter([500.0])))

    assert import_mail_per_s(tmp_path, corpus, mails=6) == 12.0


def test_an_import_that_leaves_mails_out_has_no_rate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, corpus: list[Passage]
) -> None:
    import_ = Memory.import_

    def half(self: Memory, path: Path, **rest: Any) -> Any:
        mails = path.read_bytes().split(b"From ana@example.com")
        path.write_bytes(b"From ana@example.com".join(mails[: len(mails) // 2 + 1]))
        return import_(self, path, **rest)

    monkeypatch.setattr(Memory, "import_", half)

    with pytest.raises(SimonidesError, match="of 6 mails 3 were imported: no rate of that"):
        import_mail_per_s(tmp_path, corpus, mails=6)


def test_chunks_analysed_a_second_count_chunks_and_not_items(
    monkeypatch: pytest.MonkeyPatch, corpus: list[Passage], rule: ChunkRule
) -> None:
    batch = next(batches(Writer(corpus).items(), rule=rule, chunks=20))
    monkeypatch.setattr(adding, "once_ms", stopped(iter([2_000.0])))

    assert len(batch.items) < 20
    assert analyse_chunks_per_s(batch.items, identity=NO_EMBEDDER) == 10.0


def test_a_single_add_has_its_own_times_and_those_of_the_search_and_sync_beside_it(
    monkeypatch: pytest.MonkeyPatch, filled: Filled, corpus: list[Passage], rule: ChunkRule,
    tmp_path: Path,
) -> None:  # fmt: skip
    memory, embedder, blend = filled
    question = "where is the ferry?"
    embedder.learn([question], blend.of([question], [{0: 1.0}]))
    writer = Writer(corpus, seed=9).items()
    singles = [next(batches(writer, rule=rule, chunks=1)) for _ in range(3)]
    monkeypatch.setattr(limits, "timed", watch(iter([7.0, 5.0, 6.0])))  # syncs
    monkeypatch.setattr(filling, "timed", watch(iter([10.0, 40.0, 20.0])))  # adds
    monkeypatch.setattr(adding, "once_ms", stopped(iter([3.0, 1.0, 2.0])))  # searches

    figures = single_figures(
        memory, iter(singles), embedder=embedder, blend=blend, question=question, folder=tmp_path
    )

    assert figures == {
        "add_single_ms_p50": 20.0, "add_single_cpu_ms_p50": 2.0,
        "search_after_add_ms_p50": 2.0, "limit_fsync_ms": 6.0,
    }  # fmt: skip


def test_making_vectors_is_no_part_of_the_time_of_an_add(
    monkeypatch: pytest.MonkeyPatch, filled: Filled, corpus: list[Passage], rule: ChunkRule
) -> None:
    memory, embedder, blend = filled
    batch = next(batches(Writer(corpus, seed=9).items(), rule=rule, chunks=4))
    made: list[str] = []
    of = blend.of

    def noted(*given: Any) -> Any:
        made.append("vectors")
        return of(*given)

    def timed(work: Callable[[], object]) -> Took:
        made.append("clock")
        work()
        return Took(wall_ms=1.0, cpu_ms=1.0)

    monkeypatch.setattr(blend, "of", noted)
    monkeypatch.setattr(filling, "timed", timed)
    filling.add(memory, batch, embedder=embedder, blend=blend)

    assert made == ["vectors", "clock"]


# ── asking ────────────────────────────────────────────────────────────────────────────────────


class Scripted:
    """A memory that answers with what a test has it find, and notes what it was asked."""

    def __init__(self, *, hits: int = 1, lanes: Iterator[LaneReport] | None = None) -> None:
        self.asked: list[dict[str, Any]] = []
        self.briefed: list[dict[str, Any]] = []
        self._hits, self._lanes = hits, lanes

    def search(self, text: str, **how: Any) -> SearchResult:
        self.asked.append({"text": text, **how})
        seen = Diagnostics(
            revision=1, mode_requested=Mode.HYBRID, mode_used=Mode.HYBRID, scorer=Scorer.FUSED,
            lanes=(next(self._lanes),) if self._lanes else (),
        )  # fmt: skip
        hits: Any = (object(),) * self._hits
        return SearchResult(hits=hits, plan=Plan(), diagnostics=seen)

    def brief(self, text: str, **how: Any) -> None:
        self.briefed.append({"text": text, **how})


def asker(memory: Scripted, *questions: str) -> Asker:
    return Asker(memory=memory, questions=questions, now=BEGINNING)  # type: ignore[arg-type]


def test_the_first_round_only_warms(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_and_timed = [1_000.0, 1_000.0, 1.0, 2.0, 3.0, 40.0]
    rest = (50.0 for _ in count())
    times = iter([*warm_and_timed, *(next(rest) for _ in range(100))])
    monkeypatch.setattr(asking, "timed", watch(times))
    monkeypatch.setattr(asking, "once_ms", stopped(rest))

    figures = asker(Scripted(), "a", "b").figures()

    assert figures["search_ms_p50"] == 2.5
    assert figures["search_ms_p95"] == 40.0
    assert figures["search_cpu_ms_p50"] == 0.25


def test_a_brief_is_told_less_the_search_that_it_begins_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asking, "timed", watch(iter([10.0])))
    monkeypatch.setattr(asking, "once_ms", stopped(iter([13.5])))
    memory = Scripted()

    assert asker(memory)._brief_extra("a") == 3.5
    assert memory.asked == [{"text": "a", "limit": 24, "now": BEGINNING}]
    assert memory.briefed == [{"text": "a", "preset": "seed", "now": BEGINNING}]


def test_the_first_use_of_a_filter_is_told_apart_from_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asking, "timed", watch(iter([900.0, 1.0, 2.0, 6.0])))
    memory = Scripted()

    figures = asker(memory, "a", "b", "c")._filtered()

    assert figures == {"filtered_search_ms_p50": 2.0, "filter_first_use_ms": 900.0}
    assert len({one["filter"] for one in memory.asked}) == 1


def test_each_mode_is_asked_every_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "timed", watch(1.0 for _ in count()))
    monkeypatch.setattr(asking, "once_ms", stopped(1.0 for _ in count()))
    memory = Scripted()

    asker(memory, "a", "b").figures()
    modes = [(one["mode"], one["text"]) for one in memory.asked if "mode" in one]

    assert modes == [(mode, text) for mode in Mode for text in ("a", "b")]


def test_a_lane_is_timed_over_the_searches_in_which_it_ran() -> None:
    reports = iter(
        [LaneReport(name="semantic", ran=True, took_ms=4.0),
         LaneReport(name="semantic", ran=False, took_ms=0.0),
         LaneReport(name="semantic", ran=True, took_ms=8.0),
         LaneReport(name="temporal", ran=False)]
    )  # fmt: skip
    memory = Scripted(lanes=reports)
    results = [memory.search("a") for _ in range(4)]

    assert asking._by_lane(results) == {"semantic": 6.0}


@pytest.mark.parametrize(("hits", "without"), [(1, 0), (0, 2 * asking.ROUNDS)])
def test_an_engine_that_finds_nothing_is_fast_and_is_seen(hits: int, without: int) -> None:
    figures = asker(Scripted(hits=hits), "a", "b").figures()

    assert figures["searches_without_hits"] == without


# ── the whole ─────────────────────────────────────────────────────────────────────────────────


def bench_of(home: Path, corpus: list[Passage], *, chunks: int) -> Any:
    effort = Effort(passages_max=8, embedded_max=8, questions=3, scans=1)
    model = HashingEmbedder(64)
    embedder = ReplayEmbedder(model.identity)
    asked = ["where is the ferry?"]
    embedder.learn(asked, model.embed(asked))
    rows = model.embed([one.text for one in corpus])
    return speed._Bench(
        home=home, chunks=chunks, effort=effort, corpus=corpus, asked=asked, model=model,
        embedder=embedder, embedded=len(corpus), writer=Writer(corpus).items(), blend=Blend(rows),
    )  # fmt: skip


def test_grouped_adds_are_chunks_over_the_time_of_all_batches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, corpus: list[Passage]
) -> None:
    monkeypatch.setattr(filling, "BATCH_ITEMS", 10)
    monkeypatch.setattr(filling, "timed", watch(100.0 for _ in count()))
    bench = bench_of(tmp_path, corpus, chunks=40)
    told: list[tuple[int, int]] = []

    figures = speed._filled_and_asked(bench, lambda done, total: told.append((done, total)))

    assert figures["add_grouped_per_s"] == 1_000.0 * 40 / (100.0 * len(told))
    assert told[-1] == (40, 40)
    with bench.memory() as memory:
        assert memory.stats().chunks == 40


def test_the_disk_of_a_space_is_its_file_and_its_snapshot_is_told_apart(
    tmp_path: Path, corpus: list[Passage]
) -> None:
    bench = bench_of(tmp_path, corpus, chunks=10)
    folder = tmp_path / "spaces"
    folder.mkdir()
    (folder / "default.sqlite3").write_bytes(b"x" * 1_000)

    assert speed._disk_figures(bench) == {
        "disk_bytes_per_chunk": 100.0, "snapshot_bytes_per_chunk": 0.0,
    }  # fmt: skip
    (folder / "default.sqlite3-wal").write_bytes(b"x" * 200)
    (folder / "default.index").write_bytes(b"x" * 50)
    assert speed._disk_figures(bench) == {
        "disk_bytes_per_chunk": 120.0, "snapshot_bytes_per_chunk": 5.0,
    }  # fmt: skip


def test_a_question_is_embedded_that_was_not_asked_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, corpus: list[Passage]
) -> None:
    monkeypatch.setattr(speed, "once_ms", stopped(iter(float(n) for n in range(60))))
    bench = bench_of(tmp_path, corpus, chunks=10)
    embedded: list[str] = []
    embed = bench.model.embed_query

    def noted(_model: HashingEmbedder, text: str) -> Any:
        embedded.append(text)
        return embed(text)

    monkeypatch.setattr(HashingEmbedder, "embed_query", noted)

    assert speed._embed_query_ms(bench) == 29.5
    assert len(set(embedded)) == len(embedded) == 60
    assert not set(embedded) & set(bench.asked)


def test_a_batch_ends_when_it_is_full_or_all_chunks_are_there(
    monkeypatch: pytest.MonkeyPatch, corpus: list[Passage], rule: ChunkRule
) -> None:
    monkeypatch.setattr(filling, "BATCH_ITEMS", 3)
    made = list(batches(Writer(corpus).items(), rule=rule, chunks=17))

    assert [len(one.items) for one in made[:-1]] == [3] * (len(made) - 1)
    assert sum(len(one.texts) for one in made) == 17
    assert all(isinstance(one, Batch) for one in made)
