"""What a space may be called, and where its files lie.

Knows the rule of names and the layout of a home. Must not know what is in the files.
"""

import re
from pathlib import Path

from simonides.errors import InvalidSpaceName, StoreError

SPACES = "spaces"
UPLOADS = "uploads"
ERASING = "erasing"
"""The folders of a home; `erasing` is there while a space is being erased."""

SETTINGS_FILE = "config.toml"
ACCESS_FILE = "access.sqlite3"

SUFFIX = ".sqlite3"
SNAPSHOT_SUFFIX = ".index"
SET_ASIDE = ".damaged-"
"""What a repair puts between the name of a file it sets aside and a number."""
MADE_SUFFIX = ".made"

NAME = "[a-z0-9][a-z0-9._@+-]{0,99}"
_NAME = re.compile(NAME)
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
"""Names that Windows gives to devices, with any ending (learn.microsoft.com, Naming Files)."""

RULE = (
    "a space's name has 1 to 100 of the characters a-z 0-9 . _ @ + -, begins with a letter or "
    "digit, holds no '..', does not end in '.', and is not a device of Windows such as 'con'; "
    "capitals are refused because on some file systems Alice and alice are one file"
)


def check_name(name: str) -> None:
    """Raise `InvalidSpaceName`, saying the rule, unless `name` can be a space on every system."""
    if not is_name(name):
        raise InvalidSpaceName("space", f"{name!r} cannot be a space; {RULE}")


def is_name(name: str) -> bool:
    """Return whether `name` can be a space on every system."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or ".." in name or name.endswith("."):
        return False
    return not _DEVICE.fullmatch(name)


def space_file(home: Path, name: str) -> Path:
    """Return where the space lies: `<home>/spaces/<name>.sqlite3`."""
    check_name(name)
    return home / SPACES / (name + SUFFIX)


def snapshot_file(home: Path, name: str) -> Path:
    """Return where the space's disposable snapshot lies: `<home>/spaces/<name>.index`."""
    check_name(name)
    return home / SPACES / (name + SNAPSHOT_SUFFIX)


def space_names(home: Path) -> list[str]:
    """Return the names of the spaces under `home`, sorted; none where there is no home yet.

    Raises:
        StoreError: `home` is a file.
    """
    if home.exists() and not home.is_dir():
        raise StoreError(f"{home} is a file, and a home is a directory; name another")
    folder = home / SPACES
    if not folder.is_dir():
        return []
    found = (one.name.removesuffix(SUFFIX) for one in folder.iterdir() if _is_space(one))
    return sorted(found)


def _is_space(path: Path) -> bool:
    name = path.name
    return name.endswith(SUFFIX) and is_name(name.removesuffix(SUFFIX)) and path.is_file()
