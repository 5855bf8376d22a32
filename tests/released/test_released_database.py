"""Databases as each released format left them are upgraded, complete, and can be worked with.

`scripts/keep_format.py` makes the dump of the present format, to be kept before the next one.
"""

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Database, Memory, Settings
from simonides.errors import StoreError
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres.migrations import FORMAT, table_names

HERE: Final = Path(__file__).parent
KEPT: Final = sorted(int(file.stem.partition("-")[2]) for file in HERE.glob("postgres-*.json"))
BYTES_MAX: Final = 100_000


@pytest.fixture(params=KEPT)
def number(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


@pytest.fixture
def stored_fields(number: int) -> dict[str, Any]:
    """What the database of a format holds, as the code that made it said."""
    found: dict[str, Any] = json.loads((HERE / f"postgres-{number}.json").read_text("utf-8"))
    return found


@pytest.fixture
def database(postgres_server: PostgresServer, number: int) -> Iterator[str]:
    """The name of a database with the dump of a format, as it was left."""
    name = postgres_server.make_database()
    postgres_server.make_role("serves")
    packed = (HERE / f"postgres-{number}.sql.xz").read_bytes()
    postgres_server.run(lzma.decompress(packed).decode(), database=name)
    yield name
    postgres_server.drop_database(name)


@pytest.fixture
def memory(postgres_server: PostgresServer, database: str, tmp_path: Path) -> Iterator[Memory]:
    """The space of an upgraded database, for the role that serves."""
    with Database(postgres_server.dsn(database)) as tables:
        tables.upgrade(grant="serves")
    dsn = postgres_server.dsn(database, user="serves")
    settings = Settings(embedder="none", timezone="UTC", store=dsn)
    with Memory(tmp_path, space="ana", settings=settings, embedder=HashingEmbedder(8)) as opened:
        yield opened


def contents(memory: Memory) -> dict[str, str]:
    return {item.id: item.content for item in memory.list(limit=100).items}


def test_the_first_released_dump_is_kept_and_small() -> None:
    assert KEPT[0] == 3
    assert sum(file.stat().st_size for file in HERE.glob("postgres-*")) < BYTES_MAX


def test_an_upgrade_brings_every_table_and_wall(
    postgres_server: PostgresServer, database: str, number: int
) -> None:
    with Database(postgres_server.dsn(database)) as tables:
        assert tables.check().format == number
        done = tables.upgrade(grant="serves")
        again = tables.upgrade()
    with Database(postgres_server.dsn(database, user="serves")) as tables:
        problems = [one.check for one in tables.check().findings if not one.sound]

    assert (done.before, done.format, again.before) == (number, FORMAT, FORMAT)
    assert problems == ["commits outlive a power cut"]  # as on every server of the tests
    made = postgres_server.run(
        "SELECT relname FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace = 'public'::regnamespace AND relname <> 'simonides_format'",
        database=database,
    )
    assert sorted(str(name) for (name,) in made) == sorted(table_names())


def test_a_server_that_may_not_migrate_says_what_to_run(
    postgres_server: PostgresServer, database: str, number: int, tmp_path: Path
) -> None:
    if number == FORMAT:
        pytest.skip("there is nothing to upgrade")
    postgres_server.run("GRANT SELECT ON simonides_format TO serves", database=database)
    dsn = postgres_server.dsn(database, user="serves")
    with (
        Memory(tmp_path, settings=Settings(embedder="none", store=dsn)) as memory,
        pytest.raises(StoreError, match="simonides db upgrade"),
    ):
        memory.spaces()


def test_everything_is_there_and_sound(memory: Memory, stored_fields: dict[str, Any]) -> None:
    assert contents(memory) == stored_fields["items"]
    assert [finding for finding in memory.verify() if not finding.sound] == []
    assert memory.stats().waiting == 0
    assert memory.get("mail").people[0].name == "Sarah Lee"
    assert [one.item.content for one in memory.history("ferry")] == [
        "The ferry leaves at nine.", "The ferry leaves at ten.",
    ]  # fmt: skip
    background = memory.background.get()
    assert background is not None
    assert background.text == "Ana is on a voyage."
    assert len(memory.proposals.list().proposals) == 1


@pytest.mark.parametrize("mode", ["text", "vector", "hybrid"])
def test_it_is_found_by_words_and_by_meaning(memory: Memory, mode: str) -> None:
    found = memory.search("When does the ferry leave?", mode=mode)

    assert found.hits[0].item.id == "ferry"
    assert found.diagnostics.mode_used == mode


def test_a_kept_brief_is_rebuilt_byte_for_byte(
    memory: Memory, stored_fields: dict[str, Any]
) -> None:
    again = memory.replay(stored_fields["receipt"])

    assert (again.exact, again.text) == (True, stored_fields["brief"])


def test_it_is_written_to_and_erased_from(memory: Memory, stored_fields: dict[str, Any]) -> None:
    memory.add("The ferry was sold.", id="new")
    memory.update("cafe", content="Closed.")
    memory.erase("long")
    memory.compact()
    items = {**stored_fields["items"], "new": "The ferry was sold.", "cafe": "Closed."}
    del items["long"]

    assert contents(memory) == items
    assert all(finding.sound for finding in memory.verify())
