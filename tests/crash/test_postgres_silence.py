"""A PostgreSQL server that takes connections and says nothing any more: every call ends, clearly.

What is waited for is a time-out of the store's own: that of a connection is two seconds at least.
"""

import select
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
import pytest
from psycopg import errors
from tests.crash.cutting_proxy import CuttingProxy

from simonides import Database
from simonides.errors import StoreBusy, StoreError
from simonides.model.item import Item, digest
from simonides.model.stored import NO_EMBEDDER, Prepared
from simonides.ports.space import Space
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres import PostgresStore, pool
from simonides_postgres.pool import Pool

pytestmark = pytest.mark.slow

NOON: Final = datetime(2026, 3, 6, tzinfo=UTC)
SHORT_S: Final = 0.05
READERS: Final = 6


def is_commit(query: object) -> bool:
    """Return whether a statement is the one with which a write is committed."""
    return isinstance(query, bytes) and query.endswith(b"; COMMIT")


def one(name: str) -> list[Prepared]:
    item = Item(id=name, content=name)
    return [Prepared(item=item, digest=digest(item), chunks=(), mentions=())]


@pytest.fixture
def proxy(postgres_server: PostgresServer) -> Iterator[CuttingProxy]:
    """A proxy before the server."""
    with CuttingProxy(postgres_server.port) as made:
        yield made


@pytest.fixture
def dsn(postgres_server: PostgresServer, served_dsn: str, proxy: CuttingProxy) -> str:
    """The address of a database behind the proxy."""
    return served_dsn.replace(f":{postgres_server.port}/", f":{proxy.port}/")


@pytest.fixture
def store(dsn: str) -> Iterator[PostgresStore]:
    made = PostgresStore(dsn, timeout_s=SHORT_S, connections_max=READERS)
    yield made
    made.close()


def test_all_who_ask_a_hanging_server_are_told_and_free_their_connections(
    store: PostgresStore, proxy: CuttingProxy
) -> None:
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    together = threading.Barrier(READERS + 1)
    reported: list[Exception] = []

    def read() -> None:
        try:
            with space.read() as reader:
                together.wait()
                together.wait()
                reader.waiting_count()
        except (StoreError, threading.BrokenBarrierError) as error:
            reported.append(error)

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    together.wait()
    proxy.hush()
    together.wait()
    for reader in readers:
        reader.join()

    assert len(reported) == READERS
    assert all(isinstance(error, StoreBusy) for error in reported), reported
    assert store.load() == (1, 0, 0, 0)
    proxy.speak()
    assert space.stats().items == 0  # it goes on where the server does


ACTS: Final[dict[str, Callable[[PostgresStore, Space], object]]] = {
    "read": lambda _, space: space.stats(),
    "write": lambda _, space: space.commit(one("a"), stored_at=NOON),
    "open": lambda store, _: store.names(),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
def test_a_call_to_a_hanging_server_ends(
    store: PostgresStore, proxy: CuttingProxy, act: Callable[[PostgresStore, Space], object]
) -> None:
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    with space.read(), space.read():  # several idle connections: each of them hangs
        pass
    proxy.hush()
    with pytest.raises(StoreBusy, match=r"does not answer.*try again"):
        act(store, space)

    assert store.load() == (1, 0, 0, 0)


def test_a_server_that_hangs_at_the_commit_leaves_it_in_doubt(
    store: PostgresStore,
    served_dsn: str,
    proxy: CuttingProxy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    space.commit(one("a"), stored_at=NOON)
    execute = psycopg.Connection.execute

    def hushed(self: Any, query: Any, *rest: Any, **more: Any) -> Any:
        if is_commit(query):
            proxy.hush()
        return execute(self, query, *rest, **more)

    monkeypatch.setattr(psycopg.Connection, "execute", hushed)
    with pytest.raises(StoreError, match="kept, whole, or not at all"):
        space.commit(one("b"), stored_at=NOON)
    monkeypatch.undo()

    with_another = PostgresStore(served_dsn)
    with with_another.open("s", embedder=NO_EMBEDDER, create=False).read() as reader:
        assert {row.id for row in reader.item_rows(0)} <= {"a", "b"}
    with_another.close()


def test_a_check_of_a_hanging_server_ends(dsn: str, proxy: CuttingProxy) -> None:
    with Database(dsn, timeout_s=SHORT_S) as database:
        proxy.hush()
        with pytest.raises(StoreBusy, match="does not answer"):
            database.check()


def test_a_statement_that_takes_long_is_waited_for_while_the_server_answers(
    served_dsn: str,
) -> None:
    asked: list[bool] = []
    held, free = (Pool(served_dsn, timeout_s=SHORT_S, connections_max=2) for _ in range(2))
    is_at_work = free._is_at_work
    with held.connect() as holding, free.connect() as waiting:
        holding.execute("SELECT pg_advisory_lock(7)")

        def released(backend: int) -> bool:
            asked.append(is_at_work(backend))
            if len(asked) == 3:
                holding.execute("SELECT pg_advisory_unlock(7)")
            return asked[-1]

        waiting.watch(silent_s=SHORT_S, is_at_work=released)  # type: ignore[attr-defined]
        assert waiting.execute("SELECT pg_advisory_lock(7), 1").fetchone() == ("", 1)

    assert len(asked) >= 3
    assert all(asked)


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
def test_connections_swallowed_in_silence_are_given_up_for_new_ones(
    store: PostgresStore, proxy: CuttingProxy, act: Callable[[PostgresStore, Space], object]
) -> None:
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    with space.read(), space.read(), space.read():  # several idle connections
        pass
    proxy.swallow()

    act(store, space)

    assert store.load() == (1, 0, 1, 0)  # the others are taken for swallowed, too


def test_a_read_whose_connection_is_swallowed_ends(
    store: PostgresStore, proxy: CuttingProxy
) -> None:
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    with pytest.raises(StoreBusy, match="lost in silence"), space.read() as reader:  # noqa: PT012
        proxy.swallow()
        reader.waiting_count()

    assert space.stats().items == 0


def test_who_was_idle_for_long_is_not_lent(
    store: PostgresStore, proxy: CuttingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    proxy.swallow()
    silences: list[int] = []
    monkeypatch.setattr(Pool, "_is_at_work", lambda _, backend: silences.append(backend))
    monkeypatch.setattr(pool, "IDLE_S_MAX", -1.0)

    assert space.stats().items == 0
    assert silences == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", {"keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
              "tcp_user_timeout": "6000", "connect_timeout": "3"}),
        ("?keepalives_idle=5&tcp_user_timeout=7&connect_timeout=4",
         {"keepalives_idle": "5", "keepalives_interval": "10", "keepalives_count": "3",
          "tcp_user_timeout": "7", "connect_timeout": "4"}),
    ],
    ids=["by default", "as the address says"],
)  # fmt: skip
def test_tcp_asks_whether_the_other_end_is_there(
    served_dsn: str, said: str, expected: dict[str, str]
) -> None:
    with Pool(served_dsn + said, timeout_s=3.0, connections_max=1).connect() as connection:
        used = {one.keyword.decode(): one.val for one in connection.pgconn.info}

    assert {name: (used[name] or b"").decode() for name in expected} == expected


def test_a_writer_that_vanishes_holds_its_space_for_twice_the_time_out(
    store: PostgresStore,
    served_dsn: str,
    proxy: CuttingProxy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    execute, is_locked = psycopg.Connection.execute, threading.Event()

    def vanished(self: Any, query: Any, *rest: Any, **more: Any) -> Any:
        if query == "SAVEPOINT one" and not is_locked.is_set():
            proxy.hush()
            is_locked.set()
        return execute(self, query, *rest, **more)

    def write() -> None:
        with suppress(StoreError):
            space.commit(one("a"), stored_at=NOON)

    monkeypatch.setattr(psycopg.Connection, "execute", vanished)
    writer = threading.Thread(target=write)
    writer.start()
    assert is_locked.wait(60)

    another = PostgresStore(served_dsn, timeout_s=30.0)
    elsewhere = another.open("s", embedder=NO_EMBEDDER, create=False)
    elsewhere.commit(one("b"), stored_at=NOON)

    assert elsewhere.stats().items == 1
    writer.join()
    another.close()


def test_a_writer_that_stood_still_in_a_transaction_writes_once(
    postgres_server: PostgresServer, served_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PostgresStore(served_dsn, timeout_s=SHORT_S)
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    name = served_dsn.rpartition("/")[2]
    held = (
        f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND state LIKE 'idle in%'"  # noqa: S608  a test's
    )
    execute, pauses = psycopg.Connection.execute, [1]

    def paused(self: Any, query: Any, *rest: Any, **more: Any) -> Any:
        if query == "SAVEPOINT one" and pauses:
            pauses.clear()
            while postgres_server.run(held) != [(0,)]:
                pass
        return execute(self, query, *rest, **more)

    monkeypatch.setattr(psycopg.Connection, "execute", paused)
    space.commit(one("a"), stored_at=NOON)

    assert (space.stats().items, space.stats().revision) == (1, 1)
    store.close()


def test_the_server_counts_how_long_a_transaction_is_idle_after_a_pipeline(served_dsn: str) -> None:
    lent = Pool(served_dsn, timeout_s=60.0, connections_max=1)
    with lent.connect() as connection:
        connection.execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '50ms'")
        with pytest.raises(errors.IdleInTransactionSessionTimeout):  # noqa: PT012
            with connection.pipeline():
                connection.execute("SELECT pg_sleep(0.01)")
            select.select([connection.pgconn.socket], [], [], 60.0)
            connection.execute("SELECT 1")
