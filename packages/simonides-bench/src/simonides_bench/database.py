"""`simonides bench database`: questions answered in PostgreSQL, in a database of many spaces.

It starts a throwaway server of its own, fills a large space and one of a tenth of it, and puts
copies of the large one beside them. It asks as a role that row-level security holds for, through
the public API.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.model.answer import SearchResult
from simonides.models.embedding.minilm import MiniLMEmbedder
from simonides.ports.models import Embedder
from simonides.text.chunk import rule_for
from simonides_bench.filling import add, batches
from simonides_bench.limits import measure
from simonides_bench.material import Material, gather
from simonides_bench.metrics import agree_in_order, percentile
from simonides_bench.recall import Progress
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_bench.writing import BEGINNING, BETWEEN
from simonides_postgres import PostgresStore

SERVER = {
    "shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "1h", "autovacuum": "off",
    "shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "top",
}  # fmt: skip
"""As a server of a few GB has it, with nothing beside the questions but what they cause."""

DATABASE, ROLE = "bench", "serves"

WAYS = ("memory", "database")
"""The ways to answer, by the setting `lanes`."""

SMALL_SHARE = 10
"""The small space has so many times fewer chunks."""

SLICE_KEYS = 512
"""Items of each copy that lie together, as in spaces that grow side by side."""

PASSAGES_MAX, EMBEDDED_MAX, LIMIT = 2500, 600, 10

_KEYS = {
    "knowledge_items": ("key",), "chunks": ("item_key", "ordinal"),
    "embeddings": ("item_key", "ordinal"), "entity_mentions": ("item_key", "ordinal"),
    "lane_vectors": ("item_key", "ordinal"),
}  # fmt: skip
"""The tables of which slices are copied, and their keys within a space."""

_COUNTED = "SELECT sum(calls) FROM pg_stat_statements"


@dataclass(slots=True, kw_only=True)
class _Asked:
    """What one way gave in one space: its statements a question, each time and answer."""

    statements: float
    took_ms: list[float] = field(default_factory=list)
    found: list[SearchResult] = field(default_factory=list)

    def add(self, ask: Callable[[], SearchResult]) -> None:
        """Ask a question and note what came of it."""
        took = measure(lambda: self.found.append(ask()))
        self.took_ms.append(took.wall_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """What is asked, of which server."""

    material: Material
    server: PostgresServer
    home: Path
    chunks: int

    @property
    def sizes(self) -> tuple[int, int]:
        """Chunks of the large space and of the small one, which are called by them."""
        return self.chunks, max(self.chunks // SMALL_SHARE, 1)

    def memory(self, way: str) -> Memory:
        """Open the store as the role that serves."""
        settings = Settings(
            timezone="UTC", store=self.server.dsn(DATABASE, user=ROLE), lanes=way,
            durability="relaxed",
        )  # fmt: skip
        return Memory(self.home / way, settings=settings, embedder=self.material.embedder)

    def fill(self) -> None:
        """Fill the large and the small space, and let the server count their rows."""
        made = self.material
        rule = rule_for(made.model.identity.window_words)
        with self.memory("memory") as memory:
            for chunks in self.sizes:
                space = memory.in_space(f"of-{chunks}")
                for batch in batches(made.writer, rule=rule, chunks=chunks):
                    add(space, batch, embedder=made.embedder, blend=made.blend)

    def copy(self, *, spaces: int) -> Iterator[int]:
        """Copy the large space, slice by slice, until there are so many spaces; yield how many."""
        if spaces > len(self.sizes):
            self._run(_NAMED.format(first=len(self.sizes) + 1, last=spaces))
            ((last,),) = self._run("SELECT last_key FROM spaces WHERE space_id = 1")
            last_key = int(str(last))
            for first in range(0, last_key + 1, SLICE_KEYS):
                for table in _KEYS:
                    self._run(self._copy(table, first=first))
                yield min(spaces, spaces * (first + SLICE_KEYS) // (last_key + 1))
        self._run("ANALYZE")
        self._run("VACUUM")

    def _copy(self, table: str, *, first: int) -> str:
        """Return the statement that copies a slice of the first space to all copies."""
        found = self._run(
            "SELECT attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped "  # noqa: S608
            f"AND attrelid = '{table}'::regclass ORDER BY attnum"
        )
        names = [str(name) for (name,) in found]
        of_copy = {"space_id": "other.space_id", "tsv": "terms_words(other.space_id, terms)"}
        values = ", ".join(of_copy.get(name, f"own.{name}") for name in names)
        key = _KEYS[table]
        return (
            "SET session_replication_role = replica; "  # noqa: S608  our names; needs no checks
            f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} "
            f"FROM {table} AS own CROSS JOIN spaces AS other "
            f"WHERE own.space_id = 1 AND other.space_id > {len(self.sizes)} "
            f"AND {key[0]} >= {first} AND {key[0]} < {first + SLICE_KEYS} "
            f"ORDER BY other.space_id, {', '.join(key)}"
        )

    def _run(self, statement: str) -> list[tuple[object, ...]]:
        return self.server.run(statement, database=DATABASE)

    def ask(self, chunks: int) -> dict[str, _Asked]:
        """Ask a space every question both ways, by turns, after a round that only warms."""
        now = BEGINNING + self.chunks * BETWEEN
        with ExitStack() as stack:
            ask = {
                way: partial(
                    stack.enter_context(self.memory(way)).in_space(f"of-{chunks}").search,
                    limit=LIMIT, now=now,
                )
                for way in WAYS
            }  # fmt: skip
            seen = {way: _Asked(statements=self._warm(ask[way])) for way in WAYS}
            for turn, question in enumerate(self.material.asked):
                for way in WAYS if turn % 2 else reversed(WAYS):
                    seen[way].add(partial(ask[way], question))
        return seen

    def _warm(self, ask: Callable[[str], SearchResult]) -> float:
        """Ask every question once; return how many statements that took, for each."""
        ask(self.material.asked[0])  # a new connection, and a first look at the space
        before = self._statements()
        for question in self.material.asked:
            ask(question)
        return (self._statements() - before) / len(self.material.asked)

    def _statements(self) -> float:
        """Return how many statements the server has run for the role so far."""
        ((count,),) = self._run(f"{_COUNTED} WHERE userid = '{ROLE}'::regrole")
        return float(str(count))


_NAMED = """SET session_replication_role = replica;
INSERT INTO space_names (name) SELECT 'copy-' || n FROM generate_series({first}, {last}) AS n;
INSERT INTO spaces SELECT (jsonb_populate_record(own, jsonb_build_object('space_id', n))).*
  FROM spaces AS own, generate_series({first}, {last}) AS n WHERE own.space_id = 1;
INSERT INTO space_statistics
  SELECT (jsonb_populate_record(own, jsonb_build_object('space_id', n))).*
  FROM space_statistics AS own, generate_series({first}, {last}) AS n WHERE own.space_id = 1"""


def run(
    *,
    spaces: int,
    chunks: int,
    questions: int,
    model: Embedder | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return what questions cost in a large and a small space, from memory and in the database.

    `model` embeds the corpus and the questions (default: MiniLM). Progress is counted in spaces.

    Raises:
        NotFound: Python came without its documentation, of which the corpus is made.
        EmbedderError: The model failed.
    """
    report = on_progress or (lambda _done, _total: None)
    material = gather(
        model=model or MiniLMEmbedder(), passages_max=min(PASSAGES_MAX, max(chunks, 50)),
        embedded_max=EMBEDDED_MAX, questions_count=questions,
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder,
        PostgresServer(SERVER) as server,
    ):
        _make_tables(server)
        bench = _Bench(material=material, server=server, home=Path(folder), chunks=chunks)
        bench.fill()
        for done in bench.copy(spaces=spaces):
            report(done, spaces)
        asked = {size: bench.ask(size) for size in bench.sizes}
    load_1m = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"spaces": spaces, "questions": questions, **_figures(asked), "load_1m": load_1m}


def _make_tables(server: PostgresServer) -> None:
    """Make a database with empty tables, for a role that only reads and writes rows."""
    server.make_role(ROLE)
    server.make_database(DATABASE)
    server.run("CREATE EXTENSION pg_stat_statements", database=DATABASE)
    store = PostgresStore(server.dsn(DATABASE))
    store.upgrade(grant_to=ROLE)
    store.close()


def _figures(asked: dict[int, dict[str, _Asked]]) -> dict[str, Any]:
    """Return each figure by the chunks of the space, and by the way where there are several."""
    by_size: dict[str, dict[str, Any]] = {}
    for size, ways in asked.items():
        for way, one in ways.items():
            by_size.setdefault(f"{way}_ms_p50", {})[str(size)] = median(one.took_ms)
            by_size.setdefault(f"{way}_ms_p95", {})[str(size)] = percentile(one.took_ms, 0.95)
            by_size.setdefault(f"{way}_statements", {})[str(size)] = one.statements
        by_size.setdefault("order_agreement", {})[str(size)] = _agreement(*ways.values())
    return by_size


def _agreement(expected: _Asked, seen: _Asked) -> float:
    pairs = zip(expected.found, seen.found, strict=True)
    agreed = [agree_in_order(_ranking(one), _ranking(other), depth=LIMIT) for one, other in pairs]
    return sum(agreed) / len(agreed)


def _ranking(result: SearchResult) -> Sequence[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in result]
