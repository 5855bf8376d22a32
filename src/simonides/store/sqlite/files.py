"""The files in which bytes of one space may lie.

Knows their names. Must not open any of them: closing a descriptor of the space's file would drop
this process's locks on it.
"""

from pathlib import Path

from simonides.store.sqlite.made import mark_file
from simonides.store.sqlite.names import SNAPSHOT_SUFFIX
from simonides.store.sqlite.removal import kept_aside


def files_of(file: Path) -> tuple[str, ...]:
    """Return the paths of a space's files: those of SQLite, the index, and what was left behind."""
    own = [file.with_name(file.name + end) for end in ("", "-wal", "-shm", "-journal")]
    index = file.with_suffix(SNAPSHOT_SUFFIX)
    left = sorted(file.parent.glob(f".index-{file.stem}-*"))
    return tuple(str(one) for one in (*own, index, mark_file(file), *left, *kept_aside(file)))
