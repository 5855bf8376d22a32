"""The format of a space's file, and how an older one becomes the present one.

Knows the numbered scripts in `migrations/`. Must not know what is kept in the tables, except
that a new space is given its first values by `meta`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files

import apsw

from simonides.errors import NewerFormat
from simonides.storage.sqlite.connection import APPLICATION_ID, Handle, pragma, writing


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step: the script that turns format `number` - 1 into format `number`."""

    number: int
    script: str


def _load() -> tuple[Migration, ...]:
    scripts = sorted((files(__package__) / "migrations").iterdir(), key=lambda one: one.name)
    return tuple(
        Migration(number=int(one.name[:4]), script=one.read_text(encoding="utf-8"))
        for one in scripts
        if one.name.endswith(".sql")
    )


MIGRATIONS = _load()
"""Every step from an empty file to the present format, in order."""

FORMAT = MIGRATIONS[-1].number
"""The format that this engine reads and writes; SQLite's `user_version`."""


def check_format(handle: Handle, *, newest: int = FORMAT) -> int:
    """Return the file's format; 0 for one whose making was cut short.

    Raises:
        NewerFormat: A newer engine wrote it.
    """
    found = int(pragma(handle.sqlite, "user_version"))
    if found > newest:
        problem = f"{handle.file} has format {found}, this engine reads up to {newest}"
        raise NewerFormat(f"{problem}; use the newer simonides")
    return found


def migrate(
    handle: Handle,
    *,
    begin: Callable[[apsw.Connection], None],
    migrations: Sequence[Migration] = MIGRATIONS,
) -> None:
    """Bring the file to the newest format in one transaction, or leave it as it was.

    `begin` is called inside it after the steps of a file that was empty, to give a new space its
    first values. Of two processes that come at once, one does it and the other finds it done.
    """
    newest = migrations[-1].number
    with writing(handle) as sqlite:
        found = check_format(handle, newest=newest)
        for step in migrations[found:]:
            sqlite.execute(step.script)
        sqlite.execute(f"PRAGMA application_id={APPLICATION_ID}")
        sqlite.execute(f"PRAGMA user_version={newest}")
        if found == 0:
            begin(sqlite)
