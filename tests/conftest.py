"""What holds for every test: no network but loopback, no home but a thrown-away one, one seed.

Warnings are errors by pyproject.toml.
"""

import gc
import os
import signal
import socket
import ssl
from collections.abc import Callable, Generator, Iterator
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from simonides_bench.testing.servers.postgres import PostgresServer
    from simonides_bench.testing.servers.valkey import ValkeyServer

settings.register_profile(
    "same", derandomize=True, deadline=None, database=None, print_blob=True, max_examples=15
)
settings.register_profile("deep", settings.get_profile("same"), max_examples=50)
settings.register_profile(
    "search", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell starts what runs in its background so; the programs under test must hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

GUARDED: Final = ("connect", "connect_ex", "sendto")
LOCAL_NAMES: Final = frozenset({"localhost", "", None})
END_OTHERS: Final = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)
"""Ends the other connections to a database and waits until they are gone, with their locks."""


class NetworkUsed(AssertionError):
    """A test reached for an address outside this machine."""


def is_local(host: str | bytes | None) -> bool:
    """Return whether `host` names this machine without asking anyone."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in LOCAL_NAMES:
        return True
    try:
        return ip_address(str(name)).is_loopback
    except ValueError:
        return False


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the socket method, refusing addresses outside this machine."""

    def call(self: socket.socket, *args: Any) -> Any:
        address = args[-1]
        if self.family in {socket.AF_INET, socket.AF_INET6} and not is_local(address[0]):
            raise NetworkUsed(f"a test tried to reach {address[0]}; tests stay on this machine")
        return method(self, *args)

    return call


def guarded_lookup(lookup: Callable[..., Any]) -> Callable[..., Any]:
    """Return `getaddrinfo`, refusing names outside this machine."""

    def call(host: str | bytes | None, *args: Any, **options: Any) -> Any:
        if not is_local(host):
            raise NetworkUsed(f"a test tried to look up {host!r}; tests stay on this machine")
        return lookup(host, *args, **options)

    return call


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the many thousand tests out of the sight of the garbage collector: none is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in GUARDED:
            patch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
        patch.setattr(socket, "getaddrinfo", guarded_lookup(socket.getaddrinfo))
        # nobody far away is to be recognised: reading their certificates takes each client 30 ms
        patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the spaces and settings of whoever runs the tests out of reach."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("SIMONIDES_")]:
            patch.delenv(name)
        patch.setenv("SIMONIDES_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator["PostgresServer"]:
    """A PostgreSQL of this process, started by the first test that asks; ready in half a second."""
    from simonides_bench.testing.servers.postgres import PostgresServer

    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_dsn(postgres_server: "PostgresServer") -> Iterator[str]:
    """The address of a new empty database, for its superuser."""
    name = postgres_server.make_database()
    yield postgres_server.dsn(name)
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def make_served() -> Callable[["PostgresServer"], str]:
    """Return a function that makes a database with tables of `migrates`, for `serves` to use.

    It returns the address for `serves`.
    """
    from simonides import Database

    def make(server: "PostgresServer") -> str:
        name = server.make_database()
        for role in ("migrates", "serves"):
            server.make_role(role)
        server.run("GRANT CREATE, USAGE ON SCHEMA public TO migrates", database=name)
        server.run("CREATE EXTENSION vector", database=name)
        server.run("ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF", database=name)
        with Database(server.dsn(name, user="migrates")) as database:
            database.upgrade(grant="serves")
        return server.dsn(name, user="serves")

    return make


@pytest.fixture(scope="session")
def postgres_template(
    postgres_server: "PostgresServer", make_served: Callable[["PostgresServer"], str]
) -> str:
    """The name of a database with tables and without a row."""
    return make_served(postgres_server).rpartition("/")[2]


@pytest.fixture(scope="session")
def one_database(postgres_server: "PostgresServer", postgres_template: str) -> tuple[str, str]:
    """The name of a database for many tests, and the statements that empty it again.

    Tables that are not empty from the start stay: the upgrade wrote of itself there.
    """
    name = postgres_server.make_database(template=postgres_template)
    every = postgres_server.run(
        "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
        " AND relnamespace = 'public'::regnamespace",
        database=name,
    )
    empty = [
        f'"{table}"'
        for (table,) in every
        if not postgres_server.run(f'TABLE "{table}" LIMIT 1', database=name)
    ]
    tables = ", ".join(empty)
    return (
        name,
        f"{END_OTHERS}; SET lock_timeout = '5s'; TRUNCATE {tables} RESTART IDENTITY CASCADE",
    )


@pytest.fixture
def pooled_dsn(postgres_server: "PostgresServer", one_database: tuple[str, str]) -> str:
    """The address of a database with empty tables that others used before.

    For tests that change no table and no role there. It is emptied before the test: what an
    earlier one left, open transactions and locks too, is gone however that one ended.
    """
    name, empty = one_database
    postgres_server.run(empty, database=name)
    return postgres_server.dsn(name, user="serves")


@pytest.fixture
def served_dsn(postgres_server: "PostgresServer", postgres_template: str) -> Iterator[str]:
    """The address of a new database with empty tables, for a role that only reads and writes."""
    name = postgres_server.make_database(template=postgres_template)
    yield postgres_server.dsn(name, user="serves")
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def valkey_server() -> Iterator["ValkeyServer"]:
    """A Valkey of this process, started by the first test that asks."""
    from simonides_bench.testing.servers.valkey import ValkeyServer

    with ValkeyServer() as server:
        yield server


@pytest.fixture
def valkey_url(valkey_server: "ValkeyServer") -> str:
    """The address of an empty Valkey."""
    valkey_server.clear()
    return valkey_server.url
