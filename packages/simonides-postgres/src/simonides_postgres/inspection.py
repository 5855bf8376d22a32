"""Checks of a database for spaces: versions, tables, row-level security, the role.

Knows what of it is a problem and what to do. Must not write.
"""

from collections.abc import Callable, Iterable
from typing import Any

import psycopg
from psycopg import errors

from simonides.model.answer import Finding
from simonides.model.database import DatabaseCheck
from simonides.model.lease import Lease
from simonides_postgres.distribution import TELL_NODES
from simonides_postgres.migrations import FORMAT, NOTE_TABLE, check_format, table_names

SERVER_MIN = 15
"""Views ask the rights of who reads them (`security_invoker`) since PostgreSQL 15."""

USES = ("SELECT", "INSERT", "UPDATE", "DELETE")
"""What the role that serves does with the tables."""

REMEDY = "run `ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF`"

_LISTED_MAX = 5
"""So many names stand in a sentence."""

_KNOWN = "relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"

_BARE = f"""SELECT relname FROM pg_class WHERE {_KNOWN} AND relname = ANY(%s)
AND NOT (relrowsecurity AND relforcerowsecurity AND EXISTS (
  SELECT FROM pg_policy WHERE polrelid = pg_class.oid)) ORDER BY relname"""  # noqa: S608  own names

_FORBIDDEN = f"""SELECT format('%%s of %%I', one, relname)
FROM pg_class CROSS JOIN unnest(%s::text[]) AS one WHERE {_KNOWN} AND relname = ANY(%s)
AND NOT has_table_privilege(oid, one) ORDER BY relname, one"""  # noqa: S608  own names

_OWNED = f"""SELECT count(*) FROM pg_class WHERE {_KNOWN} AND relname = ANY(%s)
AND pg_has_role(relowner, 'MEMBER')"""  # noqa: S608  own names

_PRESENT = f"SELECT relname FROM pg_class WHERE {_KNOWN}"  # noqa: S608  own names

_HAS_HALVES = "SELECT 1 WHERE to_regtype('halfvec') IS NOT NULL"

_NAMES = "SELECT space_id, name FROM space_names ORDER BY name"

_LEASES = """SELECT space_id, work, token, holder, expires_us / 1e6 - extract(epoch FROM now())
FROM leases WHERE holder <> '' AND expires_us > extract(epoch FROM now()) * 1000000"""
"""The leases of all spaces that stand: what the policy `all_names` lets be read.

Asked for apart from the names: with Citus these are on one node, leases on all.
"""

Connection = psycopg.Connection[Any]


def inspect(connection: Connection) -> DatabaseCheck:
    """Return the state of a database, for the role of this connection.

    Raises:
        NewerFormat: A newer engine made its tables.
    """
    found = check_format(connection)
    looks: tuple[Callable[[Connection], Finding], ...] = (
        _server, _encoding, _durable, _vectors, _words,
    )  # fmt: skip
    if found == FORMAT:
        looks += (_tables, _walls, _role, _privileges, _at_work)
    findings = (*(look(connection) for look in looks), _format(found))
    return DatabaseCheck(
        sound=all(one.sound for one in findings),
        format=found,
        needs=FORMAT,
        server=_text(connection, "SHOW server_version"),
        pgvector=_pgvector(connection),
        role=_text(connection, "SELECT current_user"),
        findings=findings,
    )


def _format(found: int) -> Finding:
    if found == FORMAT:
        return _sound("format", f"{found}")
    said = f"has format {found}" if found else "has no tables"
    return _problem(
        "format",
        f"the database {said}, this engine needs {FORMAT}; "
        "run `simonides db upgrade` with the role that migrates",
    )


def _server(connection: Connection) -> Finding:
    version = _text(connection, "SHOW server_version")
    if connection.info.server_version // 10_000 >= SERVER_MIN:
        return _sound("server", f"PostgreSQL {version}")
    return _problem("server", f"PostgreSQL {version}; {SERVER_MIN} or newer is needed")


def _encoding(connection: Connection) -> Finding:
    encoding = _text(connection, "SHOW server_encoding")
    if encoding == "UTF8":
        return _sound("encoding", encoding)
    return _problem("encoding", f"{encoding}; make the database with ENCODING 'UTF8'")


def _durable(connection: Connection) -> Finding:
    """Return whether what is acknowledged outlives a power cut of the server."""
    names = ("fsync", "full_page_writes")
    off = [name for name in names if _text(connection, f"SHOW {name}") != "on"]
    if not off:
        return _sound("commits outlive a power cut")
    return _problem("commits outlive a power cut", f"switch on {' and '.join(off)} of the server")


def _vectors(connection: Connection) -> Finding:
    version = _pgvector(connection)
    if version and not _text(connection, _HAS_HALVES):
        return _sound("pgvector", f"{version}, 0.7 is needed: all is answered from memory")
    return _sound("pgvector", version or "not installed: all is answered from memory")


def _words(connection: Connection) -> Finding:
    """Return whether row-level security lets words be looked up in their index (for speed)."""
    marked = "SELECT 1 FROM pg_proc WHERE oid = 'ts_match_vq(tsvector, tsquery)'::regprocedure"
    is_marked = _text(connection, f"{marked} AND proleakproof")
    slow = "in no index: a question in the database reads all chunks of its space; a superuser can "
    return _sound("look-up of words", "in their index" if is_marked else f"{slow}{REMEDY}")


def _tables(connection: Connection) -> Finding:
    present = {name for (name,) in connection.execute(_PRESENT)}
    missing = [name for name in table_names() if name not in present]
    if missing:
        return _problem("tables", f"missing: {_list(missing)}; restore a backup")
    return _sound("tables", f"{len(table_names())}")


def _walls(connection: Connection) -> Finding:
    name = "rows are walled off by space"
    bare = _names(connection, _BARE, (list(table_names()),))
    if bare:
        return _problem(name, f"row-level security is not forced on {_list(bare)}")
    return _sound(name)


def _role(connection: Connection) -> Finding:
    """Return whether row-level security holds for the role at all."""
    name = "row-level security holds for the role"
    asked = "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    row = connection.execute(asked).fetchone()
    is_super, passes = (False, False) if row is None else row
    if is_super or passes:
        what = "a superuser" if is_super else "a role with BYPASSRLS"
        return _problem(name, f"it is {what}, which sees every row; serve with an ordinary role")
    row = connection.execute(_OWNED, (list(table_names()),)).fetchone()
    owned = 0 if row is None else row[0]
    return _sound(name, "it owns tables: keep it for upgrades, serve with another" * bool(owned))


def _privileges(connection: Connection) -> Finding:
    name = "the role may use the tables"
    refused = _names(connection, _FORBIDDEN, (list(USES), list(table_names())))
    may_read = "SELECT has_table_privilege(%s, 'SELECT')"
    row = connection.execute(may_read, (NOTE_TABLE,)).fetchone()
    if row is not None and not row[0]:
        refused.append(f"SELECT of {NOTE_TABLE}")
    if refused:
        remedy = "run `simonides db upgrade --grant ROLE` with the role that migrates"
        return _problem(name, f"not allowed: {_list(refused)}; {remedy}")
    return _sound(name)


def _at_work(connection: Connection) -> Finding:
    """Return who is at work in which space, by the leases that stand."""
    try:
        with connection.transaction():
            names = space_names(connection)
            found = connection.execute(_LEASES).fetchall()
    except (errors.InsufficientPrivilege, errors.UndefinedTable):  # which other findings tell
        return _sound("work under way", "not known")
    leases = [
        f"{names[space]}: {Lease(work=work, token=token, holder=holder, left_s=float(left_s))}"
        for space, work, token, holder, left_s in found
        if space in names
    ]
    return _sound("work under way", _list(sorted(leases)) or "none")


def space_names(connection: Connection) -> dict[int, str]:
    """Return the names of all spaces by their numbers, sorted by name; in a transaction."""
    for setting in (TELL_NODES, "SET LOCAL simonides.name = '*'"):
        connection.execute(setting.encode())
    return dict(connection.execute(_NAMES).fetchall())


def _pgvector(connection: Connection) -> str:
    return _text(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")


def _text(connection: Connection, statement: str) -> str:
    """Return the first value of the first row, empty if there is none."""
    row = connection.execute(statement.encode()).fetchone()
    return "" if row is None else str(row[0])


def _names(connection: Connection, statement: str, values: tuple[object, ...]) -> list[str]:
    return [name for (name,) in connection.execute(statement.encode(), values)]


def _list(names: Iterable[str]) -> str:
    """Return names as a list for people, the first few of many."""
    known = list(names)
    more = len(known) - _LISTED_MAX
    return ", ".join(known[:_LISTED_MAX]) + (f" and {more} more" if more > 0 else "")


def _sound(check: str, detail: str = "") -> Finding:
    return Finding(check=check, sound=True, detail=detail)


def _problem(check: str, detail: str) -> Finding:
    return Finding(check=check, sound=False, detail=detail)
