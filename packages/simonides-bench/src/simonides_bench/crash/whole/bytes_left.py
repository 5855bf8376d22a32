"""What lies in a folder, seen from outside: names, and files that hold certain words.

Reads every file raw. Must not be used on a home that this process has open: closing a database file
would drop SQLite's locks.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.whole.facts import HOME, OUT

_KNOWN = (
    r"config\.toml",
    r"access\.(?:made|sqlite3)(-wal|-shm|-journal)?",
    r"spaces/[^/.]+\.sqlite3(-wal|-shm|-journal)?",
    r"spaces/[^/.]+\.sqlite3\.damaged-\d+(-wal)?",
    r"spaces/[^/.]+\.index",
    r"spaces/[^/.]+\.made",
)
"""Files that a home may have at any time. Everything else is temporary."""

_PATTERN = re.compile("|".join(f"(?:{one})" for one in _KNOWN))
_SET_ASIDE = re.compile(r"spaces/[^/.]+\.sqlite3\.damaged-.*")
"""What a repair sets aside: only erasing the whole space takes it (docs/how-to/erase.md)."""

_RECORD = re.compile(r"erasing/[^/.]+")
"""What an erasure of a whole space writes first and removes last."""


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file below a folder with its relative path, sorted."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path


def bytes_left(
    root: Path, gone: Iterable[str], *, when: str, spares_set_aside: bool = False
) -> Iterator[Fault]:
    """Yield a fault for each file of the home that holds a word that should be gone.

    Where `spares_set_aside`, what a repair set aside does not count.
    """
    wanted = [(word, word.encode()) for word in sorted(gone)]
    for name, path in files_below(root / HOME):
        if spares_set_aside and _SET_ASIDE.fullmatch(name):
            continue
        content = path.read_bytes().lower()
        found = [word for word, raw in wanted if raw in content]
        if found:
            seen = f"{when}, {name} holds {', '.join(found[:3])}"
            yield Fault(wrong=Wrong.LEFT_BYTES, seen=seen)


def files_left(root: Path, usual: frozenset[str], *, when: str) -> Iterator[Fault]:
    """Yield a fault for each file of the home that is not one of those that a home has.

    `usual` are those besides that a home has after the same steps without any fault.
    """
    for name, _path in files_below(root / HOME):
        if not _PATTERN.fullmatch(name) and name not in usual:
            yield Fault(wrong=Wrong.LEFT_FILES, seen=f"{when}, {name} is still there")


def erasure_records(root: Path) -> frozenset[str]:
    """Return the names of the files that record an erasure of a whole space as broken off."""
    found = {name: path.read_bytes() for name, path in files_below(root / HOME)}
    return frozenset(name for name, said in found.items() if _RECORD.fullmatch(name) and said)


def temporary_copies(root: Path, *, when: str) -> Iterator[Fault]:
    """Yield a fault for each temporary file where backups and exports go."""
    for name, path in files_below(root / OUT):
        if path.name.startswith("."):
            yield Fault(wrong=Wrong.LEFT_FILES, seen=f"{when}, {name} is still there")
