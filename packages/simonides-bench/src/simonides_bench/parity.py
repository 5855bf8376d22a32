"""`simonides bench parity`: the same data in the embedded store and in PostgreSQL, asked by turns.

Through the public API: what is compared is what users get, to the byte.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from simonides.api.memory import Memory
from simonides.codec.write import to_line
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.model.answer import SearchResult
from simonides_bench.desk.reading import read_labelled_data
from simonides_bench.desk.spaces import LabelledData, Part
from simonides_bench.metrics import agree_in_order
from simonides_bench.neutral import Question
from simonides_bench.recall import FIXED_NOW, Progress
from simonides_postgres import PostgresStore

DEPTH = 10

EMBEDDED, WARM, DATABASE = "sqlite", "postgresql", "database"
"""The ways to answer: from the embedded store, from an index that PostgreSQL's rows fill, and by
the lanes of PostgreSQL itself."""


@dataclass(slots=True, kw_only=True)
class _Seen:
    """What one way gave: for each question its recall and whether it agreed, and how long."""

    recalls: list[float] = field(default_factory=list)
    agreed: list[bool] = field(default_factory=list)
    same: list[bool] = field(default_factory=list)
    took_ms: list[float] = field(default_factory=list)


def run(
    data: Sequence[Path],
    *,
    dsn: str,
    settings: Settings | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return how far answers agree (see docs/reference/benchmarks.md).

    Each of `data` is the folder of a desk or a file of the neutral format. The database must hold
    no spaces; those that are made go in the end. Progress is counted in questions.

    Raises:
        InvalidInput: Data cannot be read or leave no question, or the database holds spaces.
        StoreError: The database cannot be reached.
    """
    sets = [read_labelled_data(path) for path in data]
    total = sum(one.count for one in sets)
    if not total:
        raise InvalidInput("data", "leave no question to ask")
    seen = {name: _Seen() for name in (EMBEDDED, WARM, DATABASE)}
    for one in sets:
        with _fill(one, dsn=dsn, settings=settings or Settings(timezone="UTC")) as parts:
            for of_way in zip(*parts.values(), strict=True):
                ways = dict(zip(parts, of_way, strict=True))
                for question in ways[EMBEDDED].questions:
                    _ask(question, ways, seen)
                    if on_progress is not None:
                        on_progress(len(seen[EMBEDDED].took_ms), total)
    return _figures(seen)


@contextmanager
def _fill(
    data: LabelledData, *, dsn: str, settings: Settings
) -> Iterator[dict[str, Sequence[Part]]]:
    """Yield the spaces of each way, filled with the same data at the same time of their clocks."""
    used = replace(settings, durability="relaxed", lanes="memory")
    with _empty(dsn), ExitStack() as stack:

        def open_memory(how: Settings) -> Memory:
            home = stack.enter_context(tempfile.TemporaryDirectory(prefix="simonides-parity-"))
            return stack.enter_context(Memory(home, settings=how, clock=lambda: FIXED_NOW))

        memories = {EMBEDDED: open_memory(used), WARM: open_memory(replace(used, store=dsn))}
        for memory in memories.values():
            data.fill(memory)
        asked = replace(used, store=dsn, lanes="database", owner=memories[WARM].owner)
        memories[DATABASE] = open_memory(asked)
        yield {way: list(data.parts(memory)) for way, memory in memories.items()}


@contextmanager
def _empty(dsn: str) -> Iterator[None]:
    """Remove every space in the end of a database that holds none in the beginning."""
    store = PostgresStore(dsn)
    try:
        if store.names():
            raise InvalidInput("dsn", "names a database that holds spaces; give an empty one")
        try:
            yield
        finally:
            for name in store.names():
                store.remove(name)
    finally:
        store.close()


def _ask(question: Question, ways: Mapping[str, Part], seen: Mapping[str, _Seen]) -> None:
    """Ask one question every way, each time another one first, and hold the answers together."""
    order = list(ways)
    turn = len(seen[EMBEDDED].took_ms) % len(order)
    found = {}
    for way in order[turn:] + order[:turn]:
        found[way], took_ms = _answer(ways[way], question)
        seen[way].took_ms.append(took_ms)
    expected = found[EMBEDDED]
    for way, result in found.items():
        seen[way].agreed.append(agree_in_order(_ranking(expected), _ranking(result), depth=DEPTH))
        seen[way].same.append(_bytes(result) == _bytes(expected))
        if question.evidence:
            seen[way].recalls.append(_recall(ways[way], question, result))


def _answer(part: Part, question: Question) -> tuple[SearchResult, float]:
    started = time.perf_counter()
    result = part.space.search(question.text, limit=DEPTH, now=question.at or part.now)
    return result, 1000.0 * (time.perf_counter() - started)


def _ranking(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in result]


def _recall(part: Part, question: Question, result: SearchResult) -> float:
    found = frozenset[str]().union(*(part.names.get(hit.id, frozenset()) for hit in result))
    return len(found & question.evidence) / len(question.evidence)


def _bytes(result: SearchResult) -> str:
    """Return an answer as interfaces give it, but for its times."""
    said = result.diagnostics
    lanes = tuple(replace(one, took_ms=0.0) for one in said.lanes)
    return to_line(replace(result, diagnostics=replace(said, lanes=lanes, took_ms=0.0)))


def _figures(seen: Mapping[str, _Seen]) -> dict[str, Any]:
    agreement = {way: _share(one.agreed) for way, one in seen.items() if way != EMBEDDED}
    ms = {way: median(one.took_ms) for way, one in seen.items()}
    return {
        "questions": len(seen[EMBEDDED].took_ms),
        "order_agreement": min(agreement.values()),
        "warm_ratio": ms[WARM] / ms[EMBEDDED],
        "agreement": agreement,
        "same_bytes": {way: _share(one.same) for way, one in seen.items() if way != EMBEDDED},
        f"recall@{DEPTH}": {way: _share(one.recalls) for way, one in seen.items()},
        "search_ms_p50": ms,
    }


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 1.0
