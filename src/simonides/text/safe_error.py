"""Error messages for other machines and for models: without this machine's absolute paths.

The one place where an error becomes text for an interface.
"""

import re

from simonides.errors import Conflict, InvalidInput, NotFound, SimonidesError

_PATH = re.compile(r"(?<![\w./:~-])(?:file:/|~?/|[A-Za-z]:[\\/]|\\\\)(?:[^;\n]*[/\\])?")
"""Where a path begins, up to its last separator: folders may have spaces in their names, so within
a clause of a sentence all that stands before the last separator goes."""


def without_folders(text: str) -> str:
    """Return a text with absolute paths cut to their last part; web addresses stay."""
    return _PATH.sub("", text)


UNEXPECTED = "a mistake of ours; the server's log says where"

_OWN_WORDS = (NotFound, Conflict, InvalidInput)
"""Errors that quote what the caller sent, which may look like a path and is none of ours."""


def public_message(error: Exception) -> str:
    """Return the message of an error, with every path cut to its last part."""
    if isinstance(error, _OWN_WORDS):
        return str(error)
    if not isinstance(error, SimonidesError):
        return UNEXPECTED
    return without_folders(str(error))
