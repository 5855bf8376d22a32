"""What only a store in PostgreSQL promises: walls between spaces, and lost connections."""

import threading
from collections.abc import Callable
from datetime import datetime

import psycopg
import pytest

from simonides import Memory
from simonides.model.stored import EmbedderIdentity, Prepared
from simonides.storage.postgres import PostgresStore

Prepare = Callable[..., Prepared]


def filled(dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime) -> PostgresStore:
    store = PostgresStore(dsn)
    for name in ("ana", "bo"):
        space = store.open(name, embedder=tiny, create=True)
        space.commit([prepare(f"of {name}", id="x")], stored_at=noon)
    return store


def test_a_connection_that_forgot_its_space_sees_no_row(
    postgres_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    filled(postgres_dsn, tiny, prepare, noon).close()
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS walled; CREATE ROLE walled")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO walled")
        connection.execute("SET ROLE walled")
        count = "SELECT count(*), min(content) FROM knowledge_items"

        assert connection.execute(count).fetchone() == (0, None)
        with connection.transaction():
            connection.execute("SET LOCAL simonides.space = '2'")
            assert connection.execute(count).fetchone() == (1, "of bo")
        assert connection.execute(count).fetchone() == (0, None)


def test_a_write_outlives_the_cut_of_every_idle_connection(
    postgres_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    store = filled(postgres_dsn, tiny, prepare, noon)
    space = store.open("ana", embedder=tiny, create=False)
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )

    space.commit([prepare("after the cut", id="y")], stored_at=noon)

    with space.read() as reader:
        assert reader.revision == 2
    store.close()


def test_memory_adds_and_finds_in_postgres(
    postgres_dsn: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMONIDES_STORE", postgres_dsn)
    monkeypatch.setenv("SIMONIDES_EMBEDDER", "none")
    with Memory(f"{tmp_path}/home", space="ana") as memory:
        memory.add("The hall of Scopas fell", source="notes")
        found = memory.search("hall").hits

    assert [hit.text for hit in found] == ["The hall of Scopas fell"]


def test_who_waits_for_a_connection_is_counted(
    postgres_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    filled(postgres_dsn, tiny, prepare, noon).close()
    store = PostgresStore(postgres_dsn, connections_max=1)
    space = store.open("ana", embedder=tiny, create=False)
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
    store.close()
