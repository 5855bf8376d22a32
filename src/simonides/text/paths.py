"""A sentence without the folders that it names. Must not know why it is said, nor to whom."""

import re

_PATH = re.compile(r"(?<![\w./:~-])(?:file:/|~?/|[A-Za-z]:[\\/]|\\\\)(?:[^;\n]*[/\\])?")
"""Where a path begins, up to its last separator: folders may have spaces in their names, so within
a clause of a sentence all that stands before the last separator goes."""


def without_folders(text: str) -> str:
    """Return a text whose absolute paths are cut to their last part; addresses of the web stay."""
    return _PATH.sub("", text)
