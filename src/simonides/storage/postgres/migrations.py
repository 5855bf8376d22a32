"""The numbered scripts by which a database gets the tables of the present format.

Several servers may start at once: an advisory lock lets one of them at a time look and migrate.
"""

from importlib.resources import files
from typing import Any

import psycopg
from psycopg import errors

from simonides.errors import NewerFormat, StoreError

_LOCK = 0x53494D4F
"""The number of the advisory lock: "SIMO"."""

_UPGRADE = "run `simonides db upgrade` with the role that migrates"

_NOTE_TABLE = """CREATE TABLE IF NOT EXISTS simonides_format (
  format integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()
)"""


def scripts() -> tuple[tuple[int, str], ...]:
    """Return the number and text of each script, in order."""
    found = sorted((files(__package__) / "migrations").iterdir(), key=lambda one: one.name)
    return tuple(
        (int(one.name[:4]), one.read_text(encoding="utf-8"))
        for one in found
        if one.name.endswith(".sql")
    )


FORMAT = scripts()[-1][0]
"""The format that this engine reads and writes."""


def found_format(connection: "psycopg.Connection[Any]") -> int:
    """Return the format of a database; 0 for one without tables of ours."""
    row = connection.execute("SELECT to_regclass('simonides_format') IS NULL").fetchone()
    if row is None or row[0]:
        return 0
    row = connection.execute("SELECT coalesce(max(format), 0) FROM simonides_format").fetchone()
    return 0 if row is None else int(row[0])


def upgrade(connection: "psycopg.Connection[Any]") -> int:
    """Bring a database to the present format; return the one that it had.

    Raises:
        NewerFormat: A newer engine made its tables.
        StoreError: The role may not make tables.
    """
    found = check_format(connection)
    if found == FORMAT:
        return found
    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            found = check_format(connection)
            connection.execute(_NOTE_TABLE)
            for number, script in scripts()[found:]:
                connection.execute(script.encode())
                connection.execute("INSERT INTO simonides_format (format) VALUES (%s)", (number,))
    except errors.InsufficientPrivilege as error:
        problem = f"the database has format {found}, and this role may not bring it to {FORMAT}"
        raise StoreError(f"{problem}; {_UPGRADE}") from error
    return found


def check_format(connection: "psycopg.Connection[Any]") -> int:
    """Return the format of a database.

    Raises:
        NewerFormat: A newer engine made its tables.
    """
    found = found_format(connection)
    if found > FORMAT:
        problem = f"the database has format {found}, this engine reads up to {FORMAT}"
        raise NewerFormat(f"{problem}; use the newer simonides")
    return found
