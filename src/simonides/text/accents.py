"""Names without accents: `Dvořák` as somebody without the keys for it types it.

For comparing names alone: in texts an accent may tell two words apart. Only marks over letters of
scripts that can do without are dropped (U+0300 to U+036F); vowels of Indic scripts are marks, too.
"""

import unicodedata

from simonides.text.word_patterns import lazy_pattern

_MARKS = lazy_pattern("[\u0300-\u036f]")
_LETTERS = str.maketrans(
    dict(zip("øłđðħ\u0131", "olddhi", strict=True)) | {"æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that have no accent to drop, as they are usually typed without them."""
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe"})
_UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü"}
_DIGRAPH = lazy_pattern("(?<![aeq])(?:ae|oe|ue)")
"""Not in "neue", "Frauen", "bequem"."""


def typed_plain(text: str) -> str:
    """Return a text as it is typed without the keys for marks; "й" is a key of its own."""
    return "й".join(map(without_accents, text.split("й")))


def with_digraphs(text: str) -> str:
    """Return a text with its umlauts as they are typed without the keys for them: ö as oe."""
    return text.translate(_DIGRAPHS)


def with_umlauts(word: str) -> str:
    """Return a folded word with umlauts for its digraphs: "koeln" as "köln"."""
    return _DIGRAPH.sub(lambda match: _UMLAUTS[match[0]], word)


def without_accents(word: str) -> str:
    """Return a folded word without accents."""
    if word.isascii():
        return word
    plain = _MARKS.sub("", unicodedata.normalize("NFD", word)).translate(_LETTERS)
    return unicodedata.normalize("NFC", plain)
