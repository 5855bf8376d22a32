"""The one sentence that names the extra of a library that is not installed."""

from importlib.util import find_spec

from simonides.errors import ImportFailed


def needs(extra: str, title: str) -> ImportFailed:
    """Return the error for files (`title`) of a format whose extra is missing."""
    return ImportFailed(f"{title} are read by the extra {extra}: pip install 'simonides[{extra}]'")


def check_installed(module: str, *, extra: str, title: str) -> None:
    """Check that a library is installed, without importing it.

    Raises:
        ImportFailed: It is not; names the extra that brings it.
    """
    if find_spec(module) is None:
        raise needs(extra, title)
