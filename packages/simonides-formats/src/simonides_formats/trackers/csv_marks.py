"""The columns by which CSV files of trackers are recognised.

Imports no library. Must not know what becomes of a column.
"""

from pathlib import Path

from simonides.importers.csv_rows import header_of

JIRA_KEY = ("issue key", "key", "vorgangsschlüssel", "schlüssel", "clé de ticket", "clé")
JIRA_TITLE = ("summary", "zusammenfassung", "résumé", "resumen")
"""Names of Jira's columns in lower case; they follow the language of the user."""

_LINEAR = frozenset(["id", "team", "title", "status", "creator"])
_ASANA = frozenset(["task id", "created at", "completed at", "name", "section/column"])
_TODOIST = frozenset(["type", "content", "priority", "indent", "responsible"])


def _names(sample: bytes) -> frozenset[str]:
    start = sample[:1]
    return frozenset() if start in (b"{", b"[", b"<", b"%") else frozenset(header_of(sample))


def is_jira_csv(_path: Path, sample: bytes) -> bool:
    """Return whether the first row names the columns of Jira."""
    names = _names(sample)
    return not names.isdisjoint(JIRA_KEY) and not names.isdisjoint(JIRA_TITLE)


def is_linear_csv(_path: Path, sample: bytes) -> bool:
    """Return whether the first row names the columns of Linear."""
    return _names(sample) >= _LINEAR


def is_asana_csv(_path: Path, sample: bytes) -> bool:
    """Return whether the first row names the columns of Asana."""
    return _names(sample) >= _ASANA


def is_todoist(_path: Path, sample: bytes) -> bool:
    """Return whether the first row names the columns of Todoist."""
    return _names(sample) >= _TODOIST
