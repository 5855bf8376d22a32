"""The files of a home: their types, and the spaces whose bytes they may contain.

The one place that knows. Erasing, its proof, `doctor` and the sweep at the start ask here. A name
belongs to one space at most: names are matched whole, never by how they begin.

Knows names and folders. Must not open a file of a space: closing a descriptor of it would drop
this process's locks on it.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from simonides.disk import (
    is_of_dead_process,
    remove_durably,
    remove_folder_durably,
    remove_if_abandoned,
)
from simonides.ports.maintenance import SearchedFiles
from simonides.storage.names import NAME, UPLOADS, is_name
from simonides.storage.sqlite.error_mapping import translate_removal_errors
from simonides.storage.sqlite.file_names import (
    ACCESS_FILE,
    ERASING,
    MADE_SUFFIX,
    SET_ASIDE,
    SETTINGS_FILE,
    SNAPSHOT_SUFFIX,
    SPACES,
    SUFFIX,
    mark_file,
    space_file,
)


class HomeFileSort(StrEnum):
    """What a file under a home is."""

    SPACE = "space"
    MARK = "mark of a space that was made"
    SNAPSHOT = "index snapshot"
    PARTIAL_SNAPSHOT = "index snapshot that is being written"
    SET_ASIDE = "set aside by a repair"
    TEMPORARY = "temporary"
    UPLOAD = "upload"
    ERASURE = "record of an erasure"
    SETTINGS = "settings or keys"
    REPLICA = "changes that Litestream keeps beside a space"
    UNKNOWN = "not of Simonides"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFile:
    """One file: its path, its type, and its space, which is empty if unknown.

    `unit` is what is removed with it: the folder that is there for its sake, or the file itself.
    """

    path: Path
    sort: HomeFileSort
    unit: Path
    space: str = ""


_OF_SQLITE = "(-wal|-shm|-journal)"
_RANDOM = "[a-z0-9_]{8}"
"""What `tempfile` puts at the end of a name."""

_IN_SPACES = {
    HomeFileSort.SPACE: rf"(?P<space>{NAME}){re.escape(SUFFIX)}{_OF_SQLITE}?",
    HomeFileSort.MARK: rf"(?P<space>{NAME}){re.escape(MADE_SUFFIX)}",
    HomeFileSort.SNAPSHOT: rf"(?P<space>{NAME}){re.escape(SNAPSHOT_SUFFIX)}",
    HomeFileSort.SET_ASIDE: (
        rf"(?P<space>{NAME}){re.escape(SUFFIX + SET_ASIDE)}[1-9][0-9]*{_OF_SQLITE}?"
    ),
    HomeFileSort.PARTIAL_SNAPSHOT: rf"\{SNAPSHOT_SUFFIX}-(?P<space>{NAME})-[a-z0-9_]+",
}
_ANYWHERE = re.compile(rf"\.simonides-(?P<space>{NAME})-{_RANDOM}")
"""A folder in which a space's file is being made: by a repair, or beside a backup."""

_FIRST_FORM = re.compile(rf"\.simonides-(?P<space>){_RANDOM}{_OF_SQLITE}?")
"""What such a folder was before it was one: a file that does not say of which space it is."""

_REPLICA = re.compile(rf"\.(?P<space>{NAME}){re.escape(SUFFIX)}-litestream")
"""The folder in which Litestream keeps what it copies out of a space, also once it copied it."""

_UPLOAD = re.compile(r"[0-9]+-[0-9a-f]{8}-[0-9a-f]{16}")
_ACCESS = re.compile(rf"{re.escape(ACCESS_FILE)}{_OF_SQLITE}?|{mark_file(Path(ACCESS_FILE))}")
_PATTERNS = {sort: re.compile(text) for sort, text in _IN_SPACES.items()}


def temporary_prefix_of(space: str) -> str:
    """Return how the folder begins in which a file of this space is being made."""
    return f".simonides-{space}-"


# ── what a file is ────────────────────────────────────────────────────────────────────────────


def classify(home: Path, path: Path) -> HomeFile:
    """Return the type of a file in the home, by its name."""
    parts = path.relative_to(home).parts
    for depth, part in enumerate(parts, start=1):
        found = _ANYWHERE.fullmatch(part) or (depth == len(parts) and _FIRST_FORM.fullmatch(part))
        if found and (not found["space"] or is_name(found["space"])):
            unit = home.joinpath(*parts[:depth])
            return HomeFile(path=path, sort=HomeFileSort.TEMPORARY, unit=unit, space=found["space"])
    match parts:
        case (folder, name, *below) if folder == SPACES:
            return _list_replicas(path, home / SPACES / name) if below else _in_spaces(path, name)
        case (folder, made, _) if folder == UPLOADS and _UPLOAD.fullmatch(made):
            return HomeFile(path=path, sort=HomeFileSort.UPLOAD, unit=path.parent)
        case (folder, _) if folder == ERASING:
            return HomeFile(path=path, sort=HomeFileSort.ERASURE, unit=path)
        case (name,) if name == SETTINGS_FILE or _ACCESS.fullmatch(name):
            return HomeFile(path=path, sort=HomeFileSort.SETTINGS, unit=path)
    return HomeFile(path=path, sort=HomeFileSort.UNKNOWN, unit=path)


def _in_spaces(path: Path, name: str) -> HomeFile:
    for sort, pattern in _PATTERNS.items():
        found = pattern.fullmatch(name)
        if found is not None and is_name(found["space"]):
            return HomeFile(path=path, sort=sort, unit=path, space=found["space"])
    return HomeFile(path=path, sort=HomeFileSort.UNKNOWN, unit=path)


def _list_replicas(path: Path, folder: Path) -> HomeFile:
    found = _REPLICA.fullmatch(folder.name)
    if found is None or not is_name(found["space"]):
        return HomeFile(path=path, sort=HomeFileSort.UNKNOWN, unit=path)
    return HomeFile(path=path, sort=HomeFileSort.REPLICA, unit=folder, space=found["space"])


# ── which files there are ─────────────────────────────────────────────────────────────────────


def home_of(file: Path) -> Path:
    """Return the home of a space's file."""
    return file.parent.parent


def files_of(file: Path) -> tuple[HomeFile, ...]:
    """Return the files of one space: SQLite's, existing or not, and other existing ones."""
    return _own(file, files_in(home_of(file)))


def _own(file: Path, every: Iterable[HomeFile]) -> tuple[HomeFile, ...]:
    home, space = home_of(file), file.name.removesuffix(SUFFIX)
    always = [file.with_name(file.name + end) for end in ("", "-wal", "-shm", "-journal")]
    named = {one: classify(home, one) for one in (*always, file.with_suffix(SNAPSHOT_SUFFIX))}
    others = (one for one in every if one.space == space and one.path not in named)
    return (*named.values(), *others)


def files_in(home: Path) -> list[HomeFile]:
    """Return every file of the home, sorted; only links to its own files are included.

    A folder that cannot be read has none.
    """
    roots = [home, *(home / name for name in (SPACES, UPLOADS, ERASING))]
    paths = {path for root in roots if root is home or root.is_symlink() for path in _below(root)}
    found = (classify(home, path) for path in sorted(paths))
    return [one for one in found if _is_file(one)]


def _below(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        for name in names:
            yield Path(folder, name)


def _is_file(one: HomeFile) -> bool:
    """Return whether bytes can be read of it without end or waiting: no pipe, no device."""
    try:
        is_followed = one.sort is not HomeFileSort.UNKNOWN
        return stat.S_ISREG(one.path.stat(follow_symlinks=is_followed).st_mode)
    except OSError:
        return False


def list_searched(file: Path) -> SearchedFiles:
    """Return the files in which bytes of a space can be: its own, and those of no other space.

    A space whose file is not there is none: what lies there under its name can be of anybody.
    """
    every = files_in(home_of(file))
    own = _own(file, every)
    taken = {one.path for one in own}
    others = {one.space for one in every if one.path.name == one.space + SUFFIX}
    found = (*own, *(one for one in every if one.path not in taken and one.space not in others))
    return SearchedFiles(
        paths=tuple(str(one.path) for one in found),
        settings=_paths(found, HomeFileSort.SETTINGS),
        uploads=_paths(found, HomeFileSort.UPLOAD),
        set_aside=_paths(own, HomeFileSort.SET_ASIDE),
        replicas=tuple(
            dict.fromkeys(str(one.unit) for one in own if one.sort is HomeFileSort.REPLICA)
        ),
        foreign=_foreign(home_of(file), every),
    )


def _paths(files: Iterable[HomeFile], sort: HomeFileSort) -> tuple[str, ...]:
    return tuple(str(one.path) for one in files if one.sort is sort)


def foreign_files(home: Path) -> tuple[str, ...]:
    """Return the foreign files in the engine's folders, by their paths in the home."""
    return _foreign(home, files_in(home))


def _foreign(home: Path, every: Iterable[HomeFile]) -> tuple[str, ...]:
    paths = (one.path.relative_to(home) for one in every if one.sort is HomeFileSort.UNKNOWN)
    return tuple(one.as_posix() for one in paths if one.parts[0] in (SPACES, UPLOADS, ERASING))


# ── what goes ─────────────────────────────────────────────────────────────────────────────────


def remove_snapshot(file: Path) -> tuple[str, ...]:
    """Remove the index snapshot of the space at `file`, durably, and any that is being written.

    Returns what was removed.

    Raises:
        StoreFull: The system refuses it.
    """
    space = file.name.removesuffix(SUFFIX)
    partial = (
        one for one in _list_hidden(file.parent) if one.sort is HomeFileSort.PARTIAL_SNAPSHOT
    )
    paths = (one.path for one in partial if one.space == space)
    snapshot = file.with_suffix(SNAPSHOT_SUFFIX)
    with translate_removal_errors(snapshot):
        return tuple(map(str, remove_durably(snapshot, *paths)))


def remove_sidecars(file: Path) -> tuple[str, ...]:
    """Remove all files of a space except those of SQLite, durably; return those that existed.

    Raises:
        OSError: The system refuses it.
    """
    removed = list(remove_snapshot(file))
    own = [one for one in files_of(file) if one.sort is not HomeFileSort.SPACE]
    removed += map(str, remove_durably(*(one.path for one in own if one.unit == one.path)))
    for unit in dict.fromkeys(one.unit for one in own if one.unit != one.path):
        remove_folder_durably(unit)
        removed.append(str(unit))
    return tuple(removed)


def remove_left_behind(home: Path) -> tuple[str, ...]:
    """Remove the temporary files of dead processes, durably; return those removed.

    Temporary files that nobody holds, uploads that nobody reads, and index snapshots of spaces
    that are not there.
    """
    quickly = remove_temporaries(home)
    units = {one.unit: one for one in files_in(home) if _is_left_behind(home, one)}
    return (*quickly, *(str(one) for one in units if remove_if_abandoned(one)))


def _is_left_behind(home: Path, one: HomeFile) -> bool:
    """Return whether a file is a temporary one of a process that may be dead."""
    match one.sort:
        case HomeFileSort.TEMPORARY | HomeFileSort.PARTIAL_SNAPSHOT:
            return True
        case HomeFileSort.UPLOAD:
            return is_of_dead_process(one.unit.name)
        case HomeFileSort.SNAPSHOT | HomeFileSort.MARK:
            return not os.path.lexists(space_file(home, one.space))
    return False


def remove_temporaries(home: Path) -> tuple[str, ...]:
    """Remove the temporary files of spaces that nobody holds; return those removed.

    The quick part of `remove_left_behind`, for the start: only the names in one folder are read.
    """
    sorts = (HomeFileSort.TEMPORARY, HomeFileSort.PARTIAL_SNAPSHOT)
    units = [one.unit for one in _list_hidden(home / SPACES) if one.sort in sorts]
    return tuple(str(one) for one in units if remove_if_abandoned(one))


def _list_hidden(folder: Path) -> list[HomeFile]:
    """Return the entries of the folder of spaces whose names begin with a dot."""
    try:
        with os.scandir(folder) as entries:
            names = [one.name for one in entries if one.name.startswith(".")]
    except OSError:
        return []
    return [classify(folder.parent, folder / name) for name in sorted(names)]
