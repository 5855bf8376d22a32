"""Words by which a text says that something is otherwise than it was.

"moved to 8 May", "no longer", "instead", "verschoben", "reporté": a later text with one of them
replaces what an earlier one said, where one without may only add to it. English, German, French,
Spanish, Portuguese and Italian. Knows words; must not know what is kept.
"""

import re

from simonides.text.unicode_version import masked
from simonides.text.vocabulary import found_words
from simonides.text.word_patterns import lazy_pattern

_CHANGED = lazy_pattern(lambda: found_words("changed"), re.IGNORECASE)


def says_changed(text: str) -> bool:
    """Return whether a text says that something is otherwise than it was."""
    return _CHANGED.search(masked(text).replace("\u2019", "'")) is not None
