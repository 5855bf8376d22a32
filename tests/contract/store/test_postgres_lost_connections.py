"""What a store in PostgreSQL promises where connections are cut."""

import socket
import threading
from collections.abc import Callable
from datetime import datetime
from multiprocessing import get_context

import pytest

from simonides import Database, StoreBusy, StoreError
from simonides.model.stored import EmbedderIdentity, Prepared
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres import PostgresStore, pool

Prepare = Callable[..., Prepared]


def test_a_write_outlives_the_cut_of_every_idle_connection(
    postgres_server: PostgresServer,
    served_dsn: str,
    tiny: EmbedderIdentity,
    prepare: Prepare,
    noon: datetime,
) -> None:
    store = PostgresStore(served_dsn)
    space = store.open("ana", embedder=tiny, create=True)
    space.commit([prepare("before the cut", id="x")], stored_at=noon)
    postgres_server.cut_connections(served_dsn.rpartition("/")[2])

    space.commit([prepare("after the cut", id="y")], stored_at=noon)

    with space.read() as reader:
        assert reader.revision == 2
    store.close()


def test_a_pool_with_no_connection_left_says_what_to_do(
    served_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    store = PostgresStore(served_dsn, timeout_s=0.05, connections_max=1)
    space = store.open("ana", embedder=tiny, create=True)
    with (
        space.read(),
        pytest.raises(StoreBusy, match=r"\(1\) were in use for 0.05 seconds.*try again"),
    ):
        space.commit([prepare("no room", id="x")], stored_at=noon)

    space.commit([prepare("room again", id="x")], stored_at=noon)

    store.close()


def test_a_server_that_takes_no_more_connections_says_so(
    postgres_server: PostgresServer, served_dsn: str, tiny: EmbedderIdentity
) -> None:
    name = served_dsn.rpartition("/")[2]
    postgres_server.run(f"ALTER DATABASE {name} CONNECTION LIMIT 0")
    store = PostgresStore(served_dsn, timeout_s=0.05)

    with pytest.raises(StoreBusy, match=r"no connection left.*max_connections"):
        store.open("ana", embedder=tiny, create=True)
    store.close()


def test_a_pool_that_cannot_connect_says_why(
    postgres_server: PostgresServer, served_dsn: str, tiny: EmbedderIdentity
) -> None:
    store = PostgresStore(served_dsn, timeout_s=0.05)
    space = store.open("ana", embedder=tiny, create=True)
    postgres_server.drop_database(served_dsn.rpartition("/")[2])

    with pytest.raises(StoreError, match="does not exist"), space.read():
        pass
    store.close()


@pytest.mark.slow
def test_a_server_that_never_answers_is_given_up() -> None:
    with (
        socket.socket() as silent,
        Database(deaf(silent), timeout_s=0.05) as database,
        pytest.raises(StoreError, match="timeout"),
    ):
        database.check()


@pytest.mark.slow
def test_an_address_says_itself_how_long_it_is_waited_for() -> None:
    with socket.socket() as silent:
        address = f"{deaf(silent)}?connect_timeout=2"
        with (
            Database(address, timeout_s=3600) as database,
            pytest.raises(StoreError, match="timeout"),
        ):
            database.check()


def deaf(silent: socket.socket) -> str:
    """Return the address of a server that accepts connections and says nothing."""
    silent.bind(("127.0.0.1", 0))
    silent.listen()
    return f"postgresql://ana@127.0.0.1:{silent.getsockname()[1]}/none"


def test_a_connection_that_nobody_needs_is_closed(
    postgres_server: PostgresServer,
    served_dsn: str,
    tiny: EmbedderIdentity,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = served_dsn.rpartition("/")[2]
    asked = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608  a test's
    store = PostgresStore(served_dsn)
    space = store.open("ana", embedder=tiny, create=True)
    with space.read(), space.read():
        pass
    assert postgres_server.run(asked) == [(2,)]

    monkeypatch.setattr(pool, "IDLE_S_MAX", -1.0)
    with space.read():
        pass

    until(lambda: postgres_server.run(asked) == [(0,)])
    store.close()


def test_the_child_of_a_fork_has_connections_of_its_own(
    served_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    store = PostgresStore(served_dsn)
    space = store.open("ana", embedder=tiny, create=True)
    child = get_context("fork").Process(
        target=space.commit, args=([prepare("of the child", id="x")],), kwargs={"stored_at": noon}
    )
    child.start()
    child.join()
    space.commit([prepare("of the parent", id="y")], stored_at=noon)

    assert child.exitcode == 0
    with space.read() as reader:
        assert reader.revision == 2
    store.close()


def until(is_so: Callable[[], bool]) -> None:
    """Return once something is so: a server ends a connection a moment after its client."""
    while not is_so():
        pass


def test_who_waits_for_a_connection_is_counted(
    served_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    store = PostgresStore(served_dsn, connections_max=1)
    space = store.open("ana", embedder=tiny, create=True)
    space.commit([prepare("one", id="x")], stored_at=noon)
    read: list[int] = []

    def wait() -> None:
        with space.read() as reader:
            read.append(reader.revision)

    waiting = threading.Thread(target=wait)
    with space.read():
        waiting.start()
        while store.load().waiting == 0:
            assert waiting.is_alive()
        assert store.load() == (1, 1, 0, 1)
    waiting.join()

    assert read == [1]
    assert store.load() == (1, 0, 1, 0)
    store.close()
