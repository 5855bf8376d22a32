"""An error as it may be told to someone elsewhere: no absolute path of this machine is in it.

The one place where an error becomes words, for a door or for a model. Must not know either.
"""

from simonides.errors import Conflict, InvalidInput, NotFound, SimonidesError
from simonides.text.paths import without_folders

UNEXPECTED = "a mistake of ours; the server's log says where"

_OWN_WORDS = (NotFound, Conflict, InvalidInput)
"""Errors that quote what the caller sent, which may look like a path and is none of ours."""


def told_elsewhere(error: Exception) -> str:
    """Return what an error says, every path in it cut to its last part."""
    if isinstance(error, _OWN_WORDS):
        return str(error)
    if not isinstance(error, SimonidesError):
        return UNEXPECTED
    return without_folders(str(error))
