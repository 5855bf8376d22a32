"""What a space and a folder of a home may be called, wherever spaces are kept."""

import re

from simonides.errors import InvalidSpaceName

UPLOADS = "uploads"
"""The folder of a home for what is uploaded and unpacked, wherever its spaces are kept."""

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
