"""`simonides bench speed`: how fast this machine keeps and finds, beside its own limits.

Through the public API, on converted text of real length, in a space that is thrown away. Every
figure is explained in docs/reference/benchmarks.md.
"""

import os
import platform
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Self

from simonides.api.memory import DEFAULT_SPACE, Memory
from simonides.config import Settings
from simonides.models.embedding.minilm import MiniLMEmbedder
from simonides.ports.models import Embedder
from simonides.storage.sqlite.file_names import snapshot_file, space_file
from simonides.text.chunk import rule_for
from simonides_bench.adding import analyse_chunks_per_s, import_mail_per_s, single_figures
from simonides_bench.asking import Asker
from simonides_bench.filling import add, batches
from simonides_bench.fresh import Kept, Noted, cold_figures, memory_figures, sync_figures
from simonides_bench.limits import once_ms, read_ms, scan_ms
from simonides_bench.material import Material, gather
from simonides_bench.writing import BEGINNING, BETWEEN, questions

VECTORS = (
    "{embedded} passages embedded by {model}; a recombined passage has the mean of its parts' "
    "vectors, weighted by length, plus noise of length 0.3 drawn from its own text; replayed, so "
    "that no other figure than embed_query_ms_p50 holds any embedding"
)

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much of each thing is measured: in all, about a minute and what filling takes."""

    passages_max: int = 2500
    embedded_max: int = 1200
    questions: int = 240
    fresh_texts: int = 60
    singles: int = 200
    analysed_items: int = 1000
    mails: int = 2000
    scans: int = 51
    cold_starts: int = 3
    traced_adds: int = 20

    @classmethod
    def fitting(cls, chunks: int) -> Self:
        """Return the full effort, or less of what would outweigh a small space."""
        full = cls()
        return replace(
            full,
            passages_max=min(full.passages_max, max(chunks, 50)),
            singles=min(full.singles, max(chunks // 5, 10)),
            analysed_items=min(full.analysed_items, max(chunks, 50)),
            mails=min(full.mails, max(chunks, 20)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """What all measurements of one run share."""

    home: Path
    chunks: int
    effort: Effort
    material: Material

    def memory(self) -> Memory:
        """Open the space that is measured."""
        return Memory(self.home, settings=Settings(timezone="UTC"), embedder=self.material.embedder)


def run(
    *,
    chunks: int,
    on_progress: Progress | None = None,
    effort: Effort | None = None,
    model: Embedder | None = None,
) -> dict[str, Any]:
    """Return every figure of one run in a space of just `chunks` chunks.

    `model` embeds the corpus and the questions (default: MiniLM). Progress is counted in chunks.

    Raises:
        NotFound: Python came without its documentation, of which the corpus is made.
        EmbedderError: The model failed.
    """
    machine = _machine()
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        bench = _prepare(
            Path(folder),
            chunks=chunks,
            effort=effort or Effort.fitting(chunks),
            model=model or MiniLMEmbedder(),
        )
        limits = _limits(bench)
        embed_query_ms = _embed_query_ms(bench)
        warm = _fill_and_ask(bench, on_progress or (lambda _done, _total: None))
        weights = _disk_figures(bench)
        fresh, notes = _fresh_figures(bench)
        kept = _keeping_figures(bench)
    return {
        "chunks": chunks,
        **warm,
        "embed_query_ms_p50": embed_query_ms,
        **fresh,
        **kept,
        **weights,
        **limits,
        "search_to_scan_ratio": warm["search_ms_p50"] / limits["limit_scan_ms"],
        "machine": machine,
        "vectors": VECTORS.format(
            embedded=bench.material.embedded, model=bench.material.model.identity.model
        ),
        "notes": notes,
    }


def _prepare(home: Path, *, chunks: int, effort: Effort, model: Embedder) -> _Bench:
    material = gather(
        model=model, passages_max=effort.passages_max, embedded_max=effort.embedded_max,
        questions_count=effort.questions,
    )  # fmt: skip
    return _Bench(home=home, chunks=chunks, effort=effort, material=material)


def _machine() -> dict[str, Any]:
    """Return what the figures were measured on; `load_1m` above 0 says that others worked too."""
    has_load = hasattr(os, "getloadavg")
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": platform.machine(),
        "load_1m": os.getloadavg()[0] if has_load else None,
    }


def _limits(bench: _Bench) -> dict[str, float]:
    dimension, scans = bench.material.model.identity.dimension, bench.effort.scans
    return {
        "limit_scan_ms": scan_ms(rows=bench.chunks, dimension=dimension, repeats=scans),
        "limit_read_ms": read_ms(bytes_read=bench.chunks * dimension, repeats=scans),
    }


def _fill_and_ask(bench: _Bench, on_progress: Progress) -> dict[str, Any]:
    """Fill the space and ask it while it is warm; return what both took."""
    made = bench.material
    rule = rule_for(made.model.identity.window_words)
    took_ms, done = 0.0, 0
    with bench.memory() as memory:
        for batch in batches(made.writer, rule=rule, chunks=bench.chunks):
            took_ms += add(
                memory, batch, embedder=bench.material.embedder, blend=bench.material.blend
            ).wall_ms
            done += len(batch.texts)
            on_progress(done, bench.chunks)
        now = BEGINNING + bench.chunks * BETWEEN
        asked = Asker(memory=memory, questions=bench.material.asked, now=now).figures()
    return {**asked, "add_grouped_per_s": 1000.0 * bench.chunks / took_ms}


def _disk_figures(bench: _Bench) -> dict[str, float]:
    """Return the bytes on disk per chunk of the closed space, and of its snapshot beside it."""
    file = space_file(bench.home, DEFAULT_SPACE)
    snapshot = snapshot_file(bench.home, DEFAULT_SPACE)
    main = sum(one.stat().st_size for one in file.parent.glob(f"{file.name}*"))
    beside = snapshot.stat().st_size if snapshot.exists() else 0
    return {
        "disk_bytes_per_chunk": main / bench.chunks,
        "snapshot_bytes_per_chunk": beside / bench.chunks,
    }


def _fresh_figures(bench: _Bench) -> Noted:
    """Return what processes of their own say: cold starts, memory, syncs."""
    question = bench.material.asked[0]
    kept = Kept(
        home=bench.home,
        space=DEFAULT_SPACE,
        question=question,
        vector=bench.material.embedder.embed_query(question),
        identity=bench.material.model.identity,
        has_snapshot=snapshot_file(bench.home, DEFAULT_SPACE).exists(),
    )
    figures: dict[str, Any] = {}
    notes: list[str] = []
    for found, said in (
        cold_figures(kept, repeats=bench.effort.cold_starts),
        memory_figures(kept, chunks=bench.chunks),
        sync_figures(adds=bench.effort.traced_adds),
    ):
        figures |= found
        notes += said
    return figures, notes


def _keeping_figures(bench: _Bench) -> dict[str, float]:
    """Return what writes cost: single adds to the full space, analysis, import."""
    made = bench.material
    rule = rule_for(made.model.identity.window_words)
    singles = (
        batch
        for _ in range(bench.effort.singles)
        for batch in batches(made.writer, rule=rule, chunks=1)
    )
    with bench.memory() as memory:
        memory.search(made.asked[0])  # warms the space
        single = single_figures(
            memory, singles, embedder=made.embedder, blend=made.blend, question=made.asked[0],
            folder=bench.home,
        )  # fmt: skip
    items = [one.item for one in islice(made.writer, bench.effort.analysed_items)]
    return {
        **single,
        "analyse_chunks_per_s": analyse_chunks_per_s(items, identity=made.model.identity),
        "import_mail_per_s": import_mail_per_s(bench.home, made.corpus, mails=bench.effort.mails),
    }


def _embed_query_ms(bench: _Bench) -> float:
    """Return the median time to embed a question that was never asked before."""
    fresh = questions(bench.material.corpus, count=bench.effort.fresh_texts, seed=1)
    return median(once_ms(partial(bench.material.model.embed_query, one)) for one in fresh)
