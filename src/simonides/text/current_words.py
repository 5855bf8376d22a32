"""Words of a question that ask how things stand now, or how they ended.

"these days", "in the end", "aktuell", "finalement": what was said before and is said anew later is
not what such a question is after. Knows words; must not know what is kept.
"""

import re

from simonides.text.unicode_version import masked
from simonides.text.vocabulary import found_words
from simonides.text.word_patterns import lazy_pattern

_CURRENT = lazy_pattern(lambda: f"{found_words('present')}|{found_words('outcome')}", re.IGNORECASE)


def asks_for_current(text: str) -> bool:
    """Return whether a question asks how things stand now, or what came of them in the end."""
    return _CURRENT.search(masked(text).replace("\u2019", "'")) is not None
