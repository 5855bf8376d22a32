"""Keep a dump of a small database of the present format, to be opened by later versions.

    python scripts/keep_database.py

Writes `tests/released/postgres-N.sql.xz` and what it holds as JSON beside it. Run it on the commit
before the format changes; a dump that is there stays.
"""

import json
import lzma
import subprocess
import tempfile

from keep_format import FOLDER, fill, ticking

from simonides import Database, Memory, Settings
from simonides.storage.postgres.migrations import FORMAT
from simonides.version import __version__
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.testing.servers.postgres import PostgresServer


def dumped(server: PostgresServer, database: str) -> str:
    """Return the statements that make a database anew, for any superuser to run."""
    file = server.data / "dump.sql"
    server.call(
        "pg_dump", "--username=postgres", f"--dbname={database}", f"--file={file}", "--inserts",
        "--rows-per-insert=100", "--no-owner", "--no-privileges",
    )  # fmt: skip
    lines = file.read_text("utf-8").splitlines()
    return "\n".join(one for one in lines if not one.startswith(("\\", "--")) and one)


def main() -> None:
    """Make the dump of the present format, unless it is there."""
    file = FOLDER / f"postgres-{FORMAT}.sql.xz"
    if file.exists():
        print(f"{file.name} is there already")
        return
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], text=True)  # noqa: S607
    with PostgresServer() as server, tempfile.TemporaryDirectory() as home:
        name = server.make_database()
        server.run("CREATE EXTENSION vector", database=name)
        with Database(server.dsn(name)) as database:
            database.upgrade()
        settings = Settings(embedder="none", timezone="UTC", store=server.dsn(name))
        with Memory(
            home, space="ana", settings=settings, embedder=HashingEmbedder(8), clock=ticking()
        ) as memory:
            held = fill(memory)
        statements = dumped(server, name)
    held |= {"format": FORMAT, "commit": commit.strip(), "version": __version__}
    file.write_bytes(lzma.compress(statements.encode(), preset=9 | lzma.PRESET_EXTREME))
    text = json.dumps(held, ensure_ascii=False, indent=1, sort_keys=True)
    file.with_name(f"postgres-{FORMAT}.json").write_text(f"{text}\n", encoding="utf-8")
    print(f"{file.name}: {len(statements):,} characters, packed {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
