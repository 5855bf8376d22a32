"""The numbered scripts by which a database gets the tables of the present format.

Several servers may start at once: an advisory lock lets one of them at a time look and migrate.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Any

import psycopg
from psycopg import errors, sql

from simonides.errors import InvalidInput, NewerFormat, StoreError
from simonides_postgres.limits import limits

_LOCK = 0x53494D4F
"""The number of the advisory lock: "SIMO"."""

_UPGRADE = "run `simonides db upgrade` with the role that migrates"

NOTE_TABLE = "simonides_format"
"""The table that notes the format; it holds nothing of any space."""

_MAKE_NOTE_TABLE = f"""CREATE TABLE IF NOT EXISTS {NOTE_TABLE} (
  format integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()
)"""

_HAS_NOTE = f"""SELECT FROM pg_class JOIN pg_namespace AS own ON own.oid = relnamespace
WHERE relname = '{NOTE_TABLE}' AND nspname = ANY(current_schemas(false))"""
"""Asks for the table by a look at the catalogue: what `to_regclass` remembers may be older than the
lock that was waited for."""

_MADE_TABLE = re.compile(r"^CREATE TABLE (?:IF NOT EXISTS )?(\w+)", re.MULTILINE)
_MADE_VIEW = re.compile(r"^CREATE VIEW (\w+)", re.MULTILINE)

_WAIT_S = 10.0
"""How long a script waits for readers of a table, who queue behind it meanwhile: as long as a
writer waits for another one by default (`config.Settings.timeout_s`)."""


def scripts() -> tuple[tuple[int, str], ...]:
    """Return the number and text of each script, in order."""
    found = sorted((files(__package__) / "migrations").iterdir(), key=lambda one: one.name)
    return tuple(
        (int(one.name[:4]), one.read_text(encoding="utf-8"))
        for one in found
        if one.name.endswith(".sql")
    )


@cache
def table_names() -> tuple[str, ...]:
    """Return the names of the tables of spaces, in the order in which they are made."""
    return tuple(name for _, text in scripts() for name in _MADE_TABLE.findall(text))


@cache
def _view_names() -> tuple[str, ...]:
    return tuple(name for _, text in scripts() for name in _MADE_VIEW.findall(text))


FORMAT = scripts()[-1][0]
"""The format that this engine reads and writes."""


def read_format(connection: "psycopg.Connection[Any]") -> int:
    """Return the format of a database; 0 for one without tables of ours."""
    if connection.execute(_HAS_NOTE).fetchone() is None:
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
            connection.execute(limits(_WAIT_S).encode())
            connection.execute(_MAKE_NOTE_TABLE)
            for number, script in (one for one in scripts() if one[0] > found):
                connection.execute(script.encode())
                connection.execute("INSERT INTO simonides_format (format) VALUES (%s)", (number,))
    except errors.InsufficientPrivilege as error:
        problem = f"the database has format {found}, and this role may not bring it to {FORMAT}"
        raise StoreError(f"{problem}; {_UPGRADE}") from error
    return found


def grant(connection: "psycopg.Connection[Any]", role: str) -> None:
    """Let a role use the tables of the present format: read and write rows, and nothing else.

    Raises:
        InvalidInput: There is no such role.
        StoreError: The role of the connection may not grant it.
    """
    tables = sql.SQL(", ").join(map(sql.Identifier, table_names()))
    read = sql.SQL(", ").join(map(sql.Identifier, (NOTE_TABLE, *_view_names())))
    to = sql.Identifier(role)
    try:
        with connection.transaction():
            for text, what in (
                ("GRANT USAGE ON SCHEMA {} TO {}", sql.Identifier(_schema(connection))),
                ("GRANT SELECT ON {} TO {}", read),
                ("GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO {}", tables),
            ):
                connection.execute(sql.SQL(text).format(what, to))
    except errors.UndefinedObject as error:
        raise InvalidInput("grant", f"there is no role {role!r}; make it first") from error
    except errors.InsufficientPrivilege as error:
        problem = f"this role may not grant the tables to {role!r}"
        raise StoreError(f"{problem}; {_UPGRADE}") from error


def _schema(connection: "psycopg.Connection[Any]") -> str:
    row = connection.execute("SELECT current_schema()").fetchone()
    return "public" if row is None else str(row[0])


def check_current(connection: "psycopg.Connection[Any]", *, needed_to: str) -> None:
    """Refuse tables that are not of the present format.

    Raises:
        NewerFormat: A newer engine made the tables.
        StoreError: They are older, or there are none; `needed_to` is what cannot be done.
    """
    found = check_format(connection)
    if found != FORMAT:
        said = f"has format {found}" if found else "has no tables"
        problem = f"the database {said}, this engine can {needed_to} format {FORMAT}"
        raise StoreError(
            f"{problem}; run `simonides db upgrade` first, with the role that migrates"
        )


def check_format(connection: "psycopg.Connection[Any]") -> int:
    """Return the format of a database.

    Raises:
        NewerFormat: A newer engine made its tables.
    """
    found = read_format(connection)
    if found > FORMAT:
        problem = f"the database has format {found}, this engine reads up to {FORMAT}"
        raise NewerFormat(f"{problem}; use the newer simonides")
    return found
