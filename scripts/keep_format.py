"""Keep a small space in the present format of files and of databases, for later versions to open.

    python scripts/keep_format.py

Writes `tests/released/format-N.sqlite3.xz` and `postgres-N.sql.xz`, a dump of a database, and what
each holds as JSON beside it. Run it on the commit before a format changes; what is there stays.
"""

import json
import lzma
import subprocess
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from simonides import Database, Memory, Person, ProposedMemory, Role, Settings
from simonides.storage.sqlite.meta import FORMAT
from simonides.version import __version__
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres.migrations import FORMAT as DATABASE_FORMAT

FOLDER = Path(__file__).parents[1] / "tests" / "released"
START = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
NOTES = {
    "ferry": "The ferry leaves at nine.",
    "cafe": "Café Größe: naïve 東京 — a note in several scripts.",
    "long": "The lighthouse keeper writes a page for each storm. " * 12,
    "mistake": "Written by mistake.",
}
DID = (
    "add", "update", "forget", "background", "usage", "surrogates", "receipt", "remember",
    "proposal", "erase",
)  # fmt: skip


def ticking() -> Callable[[], datetime]:
    """Return a clock that goes on by a minute whenever it is asked."""
    minutes = count(1)
    return lambda: START + timedelta(minutes=next(minutes))


def fill(memory: Memory) -> dict[str, Any]:
    """Write one of everything into a space; return what it holds then."""
    for name, text in NOTES.items():
        memory.add(text, id=name, source="note")
    sarah = Person(name="Sarah Lee", address="sarah@example.com", role=Role.AUTHOR)
    memory.add(
        "Sarah sends the report for ALPHA-7.", id="mail", source="gmail", source_id="17",
        kind="email", title="The report", tags=("work",), people=(sarah,),
    )  # fmt: skip
    memory.update("ferry", content="The ferry leaves at ten.")
    memory.forget("mistake")
    memory.background.put("Ana plans a voyage.")
    memory.background.put("Ana is on a voyage.")
    memory.record_usage("ferry")
    memory.surrogates.build()
    brief = memory.brief("When does the ferry leave?", keep_receipt=True)
    memory.remember("Ana's favourite tea is mint.")
    memory.proposals.propose(
        ProposedMemory(text="Ana sails on Fridays.", evidence=("ferry",)), by="tester"
    )
    memory.add("A secret word.", id="secret")
    memory.erase("secret")
    items = {item.id: item.content for item in memory.list(limit=100).items}
    return {"items": items, "receipt": brief.receipt.id, "brief": brief.text, "did": DID}


def keep_file() -> None:
    """Make the file of the present format, unless it is there."""
    file = FOLDER / f"format-{FORMAT}.sqlite3.xz"
    if file.exists():
        print(f"{file.name} is there already")
        return
    with tempfile.TemporaryDirectory() as home:
        held = filled(home)
        data = (Path(home) / "spaces" / "ana.sqlite3").read_bytes()
    keep(file, data, held | {"format": FORMAT})


def keep_database() -> None:
    """Make the dump of a database of the present format, unless it is there."""
    file = FOLDER / f"postgres-{DATABASE_FORMAT}.sql.xz"
    if file.exists():
        print(f"{file.name} is there already")
        return
    with PostgresServer() as server, tempfile.TemporaryDirectory() as home:
        name = server.make_database()
        server.run("CREATE EXTENSION vector", database=name)
        with Database(server.dsn(name)) as database:
            database.upgrade()
        held = filled(home, store=server.dsn(name))
        data = dumped(server, name).encode()
    keep(file, data, held | {"format": DATABASE_FORMAT})


def filled(home: str, *, store: str = "") -> dict[str, Any]:
    """Fill a space of a home, or of a database; return what it holds."""
    settings = Settings(embedder="none", timezone="UTC", store=store)
    with Memory(
        home, space="ana", settings=settings, embedder=HashingEmbedder(8), clock=ticking()
    ) as memory:
        return fill(memory)


def dumped(server: PostgresServer, database: str) -> str:
    """Return the statements that make a database anew, for any superuser to run."""
    file = server.data / "dump.sql"
    server.call(
        "pg_dump", "--username=postgres", f"--dbname={database}", f"--file={file}", "--inserts",
        "--rows-per-insert=100", "--no-owner", "--no-privileges",
    )  # fmt: skip
    lines = file.read_text("utf-8").splitlines()
    return "\n".join(one for one in lines if one and not one.startswith(("\\", "--")))


def keep(file: Path, data: bytes, held: dict[str, Any]) -> None:
    """Write packed data, and what it holds beside it."""
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], text=True)
    held |= {"commit": commit.strip(), "version": __version__}
    file.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    text = json.dumps(held, ensure_ascii=False, indent=1, sort_keys=True)
    beside = file.with_name(f"{file.name.partition('.')[0]}.json")
    beside.write_text(f"{text}\n", encoding="utf-8")
    print(f"{file.name}: {len(data):,} bytes, packed {file.stat().st_size:,}")


if __name__ == "__main__":
    keep_file()
    keep_database()
