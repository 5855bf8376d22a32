"""A PostgreSQL server is killed, connections are cut, transactions are undone by the server.

What was acknowledged is there, and what was not is there whole or not at all.
"""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
import pytest
from tests.crash.cutting_proxy import CuttingProxy

from simonides.errors import StoreBusy, StoreError
from simonides.model.item import Item, digest
from simonides.model.stored import NO_EMBEDDER, Prepared, PreparedChunk
from simonides.ports.space import Space
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_bench.testing.servers.process import HOST
from simonides_postgres import PostgresStore

pytestmark = pytest.mark.slow

NOON: Final = datetime(2026, 3, 6, tzinfo=UTC)
PARTS: Final = 3
THREADS: Final = 3
CHUNK: Final = PreparedChunk(
    start=0, stop=4, words=1, dated=False, length=1, terms=bytes(9), vector=b""
)


def group(name: str) -> list[Prepared]:
    """Return the items of one write, each with one chunk more than the one before."""
    made = []
    for part in range(PARTS):
        item = Item(id=f"{name}-{part}", content=f"text of {name} {'x' * 3000}")
        chunks = (CHUNK,) * (part + 1)
        made.append(Prepared(item=item, digest=digest(item), chunks=chunks, mentions=()))
    return made


def kept(space: Space) -> set[str]:
    """Return the names of the writes that are there, all of which must be whole."""
    with space.read() as reader:
        rows = {row.id: row.key for row in reader.item_rows(0)}
        torn = [
            one for one, key in rows.items() if len(reader.chunk_spans(key)) != int(one[-1]) + 1
        ]
    names = {one.rpartition("-")[0] for one in rows}

    assert torn == []
    assert set(rows) == {f"{name}-{part}" for name in names for part in range(PARTS)}
    assert [one for one in space.check() if not one.sound] == []
    return names


class Writers:
    """Threads that write to one space until the store fails them."""

    def __init__(self, space: Space, *, names: str) -> None:
        self.tried: set[str] = set()
        self.reported: set[str] = set()
        self._space = space
        self._enough = threading.Event()
        self._threads = [
            threading.Thread(target=self._write, args=(f"{names}.{thread}",))
            for thread in range(THREADS)
        ]
        for one in self._threads:
            one.start()

    def wait_for(self, count: int) -> None:
        """Return once so many writes were acknowledged."""
        self._least = count
        if len(self.reported) < count:
            self._enough.wait()

    def ended(self) -> None:
        """Return once every thread was failed."""
        for one in self._threads:
            one.join()

    _least = 0

    def _write(self, name: str) -> None:
        for n in range(10**6):
            self.tried.add(f"{name}.{n}")
            try:
                self._space.commit(group(f"{name}.{n}"), stored_at=NOON)
            except StoreError:
                return
            self.reported.add(f"{name}.{n}")
            if len(self.reported) >= self._least > 0:
                self._enough.set()


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    """A server that may be killed."""
    with PostgresServer() as server:
        yield server


def test_what_was_acknowledged_outlives_a_kill_of_the_server(
    own_server: PostgresServer, make_served: Callable[[PostgresServer], str]
) -> None:
    store = PostgresStore(make_served(own_server), timeout_s=2.0)
    space = store.open("s", embedder=NO_EMBEDDER, create=True)
    reported: set[str] = set()
    tried: set[str] = set()
    for turn, least in enumerate((1, 7, 25)):
        writers = Writers(space, names=f"r{turn}")
        writers.wait_for(least)
        own_server.kill()
        writers.ended()
        reported |= writers.reported
        tried |= writers.tried

        own_server.start()

        found = kept(space)  # the store that was open all the time goes on
        assert reported <= found <= tried
    assert len(reported) >= 33
    store.close()


def test_a_cut_at_any_message_leaves_a_write_whole(
    own_server: PostgresServer, make_served: Callable[[PostgresServer], str]
) -> None:
    dsn = make_served(own_server)
    outcomes = set()
    for heard in (False, True):
        for at in range(1, 40):
            with CuttingProxy(own_server.port) as proxy:
                store = PostgresStore(dsn.replace(f":{own_server.port}/", f":{proxy.port}/"))
                space = store.open("s", embedder=NO_EMBEDDER, create=True)
                name = f"{'heard' if heard else 'unheard'}.{at}"
                proxy.cut(at=at, heard=heard)
                is_reported = True
                try:
                    space.commit(group(name), stored_at=NOON)
                except StoreError:
                    is_reported = False
                was_cut = proxy.was_cut
                proxy.cut(at=0, heard=heard)  # the look at what is kept is cut no more
                found = kept(space)
                store.close()
            outcomes.add((was_cut, is_reported))

            assert (name in found) or not is_reported
            if not was_cut:
                break
        else:
            pytest.fail("a write has more messages than were cut")
    assert (True, True) in outcomes  # it was cut, and run again
    assert (False, True) in outcomes


UNDO: Final = """
CREATE SEQUENCE undone;
CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  IF nextval('public.undone') <= {times} THEN
    RAISE EXCEPTION 'undone by the test' USING ERRCODE = '{code}';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER undo AFTER INSERT ON revisions
  DEFERRABLE INITIALLY {when} FOR EACH ROW EXECUTE FUNCTION undo();
"""
"""Undoes the first transactions that write, at their last statement or at their commit."""


@pytest.mark.parametrize(
    "how",
    [
        {"code": code, "when": when}
        for code in ("40001", "40P01")  # a serialization failure, a deadlock
        for when in ("IMMEDIATE", "DEFERRED")
    ],
    ids=lambda how: f"{how['code']}-{how['when']}",
)
@pytest.mark.parametrize(("times", "is_kept"), [(2, True), (3, False)])
def test_what_the_server_undoes_is_run_again_a_few_times(
    postgres_server: PostgresServer,
    served_dsn: str,
    how: dict[str, str],
    times: int,
    is_kept: bool,
) -> None:
    statements = UNDO.format(times=times, **how)
    postgres_server.run(statements, database=served_dsn.rpartition("/")[2])
    store = PostgresStore(served_dsn)
    space = store.open("s", embedder=NO_EMBEDDER, create=True)

    if is_kept:
        space.commit(group("a"), stored_at=NOON)
    else:
        with pytest.raises(StoreBusy, match="undone by the test"):
            space.commit(group("a"), stored_at=NOON)

    assert kept(space) == ({"a"} if is_kept else set())
    space.commit(group("b"), stored_at=NOON)
    assert "b" in kept(space)
    store.close()


def test_a_failover_to_a_synchronous_standby_loses_nothing_acknowledged(
    make_served: Callable[[PostgresServer], str],
) -> None:
    with PostgresServer() as primary, PostgresServer(standby_of=primary) as standby:
        follows_in_step(primary)
        one = f"@{HOST}:{primary.port}/"
        both = f"@{HOST}:{primary.port},{HOST}:{standby.port}/"
        dsn = f"{make_served(primary).replace(one, both)}?target_session_attrs=read-write"
        store = PostgresStore(dsn, timeout_s=5.0)
        space = store.open("s", embedder=NO_EMBEDDER, create=True)
        writers = Writers(space, names="before")
        writers.wait_for(20)

        primary.kill()
        writers.ended()
        standby.promote()

        found = kept(space)  # the store that was open all the time finds the new primary
        assert writers.reported <= found <= writers.tried
        assert len(writers.reported) >= 20
        space.commit(group("after"), stored_at=NOON)
        assert kept(space) == found | {"after"}
        store.close()


def follows_in_step(primary: PostgresServer) -> None:
    """Let every commit wait for the standby; return once it does."""
    primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    primary.run("SELECT pg_reload_conf()")
    while primary.run("SELECT sync_state FROM pg_stat_replication") != [("sync",)]:
        pass


def is_commit(query: object) -> bool:
    """Return whether a statement is the one with which a write is committed."""
    return isinstance(query, bytes) and query.endswith(b"; COMMIT")


def test_a_commit_lost_in_a_crash_is_not_taken_for_a_later_one_of_its_number(
    make_served: Callable[[PostgresServer], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with PostgresServer({"wal_writer_delay": "10s", "wal_writer_flush_after": "0"}) as server:
        dsn = make_served(server)
        store = PostgresStore(dsn)
        space, other = (store.open(name, embedder=NO_EMBEDDER, create=True) for name in "so")
        space.commit(group("a"), stored_at=NOON)
        server.run("CHECKPOINT")
        execute, crashes = psycopg.Connection.execute, [1]

        def crashed(self: Any, query: Any, *rest: Any, **more: Any) -> Any:
            if is_commit(query) and crashes:
                crashes.clear()
                server.kill()
                server.start()
                for n in range(20):
                    other.commit(group(f"o{n}"), stored_at=NOON)
            return execute(self, query, *rest, **more)

        monkeypatch.setattr(psycopg.Connection, "execute", crashed)
        space.commit(group("b"), stored_at=NOON)

        assert kept(space) == {"a", "b"}
        store.close()


def test_a_commit_in_doubt_is_told_to_all_who_shared_it_and_never_done_again(
    own_server: PostgresServer,
    make_served: Callable[[PostgresServer], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dsn = make_served(own_server)
    name = dsn.rpartition("/")[2]
    with CuttingProxy(own_server.port) as proxy:
        store = PostgresStore(dsn.replace(f":{own_server.port}/", f":{proxy.port}/"))
        space = store.open("s", embedder=NO_EMBEDDER, create=True)
        execute, reported = psycopg.Connection.execute, []

        def cut_at_commit(self: Any, query: Any, *rest: Any, **more: Any) -> Any:
            if is_commit(query) and not proxy.was_cut:
                own_server.run(f"ALTER DATABASE {name} CONNECTION LIMIT 0")  # nobody can ask
                proxy.cut(at=1, heard=True)
            return execute(self, query, *rest, **more)

        def write(one: str) -> None:
            try:
                space.commit(group(one), stored_at=NOON)
            except StoreError as error:
                reported.append(str(error))

        monkeypatch.setattr(psycopg.Connection, "execute", cut_at_commit)
        writers = [threading.Thread(target=write, args=(f"w{n}",)) for n in range(THREADS)]
        with psycopg.connect(own_server.dsn(name)) as holding:
            holding.execute("SELECT FROM spaces FOR UPDATE")
            for one in writers:
                one.start()
            queue: Any = space._queue  # type: ignore[attr-defined]
            with queue._changed:
                while len(queue._waiting) < THREADS:
                    queue._changed.wait(0.001)
        for one in writers:
            one.join()

        own_server.run(f"ALTER DATABASE {name} CONNECTION LIMIT -1")

        assert ["whole, or not at all" in one for one in reported] == [True] * THREADS, reported
        with space.read() as reader:
            assert reader.revision == THREADS
        assert kept(space) == {f"w{n}" for n in range(THREADS)}
        store.close()


def test_each_process_has_a_mark_of_its_own_and_old_ones_are_taken_away(
    own_server: PostgresServer, make_served: Callable[[PostgresServer], str]
) -> None:
    dsn = make_served(own_server)
    name = dsn.rpartition("/")[2]
    for n in range(3):
        store = PostgresStore(dsn)
        space = store.open("s", embedder=NO_EMBEDDER, create=True)
        space.commit(group(f"a{n}"), stored_at=NOON)
        space.commit(group(f"b{n}"), stored_at=NOON)
        assert space.leases() == []
        if n == 1:
            own_server.run("UPDATE leases SET expires_us = 0", database=name)
        store.close()

    marks = own_server.run("SELECT work LIKE 'commit/%', holder FROM leases", database=name)
    assert marks == [(True, "")]
