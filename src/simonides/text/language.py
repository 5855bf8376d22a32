"""Which language a text is in, as far as stop words and scripts tell, and which have a stemmer.

Cheap and deterministic: looks at the head of the text, and prefers to say nothing new (the
default) when the signs are weak. Must not know how texts are indexed.
"""

import functools
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.text.script import fold
from simonides.text.stopwords import LISTED, stop_words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""ISO 639-1 code → Snowball's name. A language without a stemmer is indexed as it is written."""

_HEAD_WORDS = 400
_HEAD_CHARS = 4_000
_WORDS_MIN = 6
"""Fewer words tell too little: `was` is English and German, `die` is a German article."""
_SHARE_MIN = 0.12
"""Running text has 30 to 50 % stop words of its own language, and under 10 % of a foreign one."""
_DISTINCT_MIN = 2
"""One alone may be a name: `tom` is a stop word in Czech."""
_MARGIN = 1.25
"""The winner's score over the next one's; Danish and Norwegian lie 1.4 apart on a paragraph."""
_SCRIPT_SHARE_MIN = 0.3
_CLAIM = 1_000
"""What a stop word counts, shared out among the languages that have it; whole, to be exact."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_APART = str.maketrans({chr(c): " " for c in range(128) if not chr(c).isalpha() and c != ord("'")})
"""In ASCII, what is between words as `_WORD` has them; the apostrophe may be in one."""
_NOT_INSIDE = re.compile(r"'(?:(?<![a-z]')|(?![a-z]))")
_SCRIPTS = {
    "kana": "\u3041-\u30ff",
    "han": "\u3400-\u4dbf\u4e00-\u9fff",
    "ko": "\u1100-\u11ff\uac00-\ud7a3",
    "th": "\u0e01-\u0e5b",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "cyrillic": "\u0400-\u04ff",
    "arabic": "\u0600-\u06ff",
    "he": "\u0590-\u05ff",
    "hy": "\u0530-\u058f",
    "ka": "\u10a0-\u10ff",
    "hi": "\u0900-\u097f",
    "ta": "\u0b80-\u0bff",
    "bn": "\u0980-\u09ff",
}
_NOT_LATIN = re.compile("[\u0370-\u1fff\u3041-\u9fff\uac00-\ud7ff]+")
_ANY_SCRIPT = re.compile("|".join(f"([{chars}])" for chars in _SCRIPTS.values()))
_SCRIPT_NAMES = tuple(_SCRIPTS)
_KEY_LETTERS = {
    "cyrillic": (("sr", "ђјљњћџ"), ("uk", "іїєґ"), ("ru", "")),
    "arabic": (("fa", "پچژگی"), ("ar", "")),
}
"""Letters that only one of the languages of a script has; the last one is the rest."""


def detect(text: str, *, default: str = "en") -> str:
    """Return the ISO 639-1 code of the text's language, or `default` where the signs are weak.

    The script decides where it can (kana → ja, Hangul → ko, Cyrillic → ru, uk or sr, …), at any
    length. Among languages in Latin letters it takes at least six words, stop words of the winner
    among one in eight of them, and a clear margin over the next. At most 400 words are read.
    """
    head = fold(text[:_HEAD_CHARS])
    return _by_script(head) or _by_stop_words(head) or default


def _by_script(head: str) -> str:
    """Return the language of the script that most letters belong to, or nothing for Latin."""
    foreign = "" if head.isascii() else "".join(_NOT_LATIN.findall(head))
    counts = Counter(_SCRIPT_NAMES[(m.lastindex or 1) - 1] for m in _ANY_SCRIPT.finditer(foreign))
    if not counts:
        return ""
    letters = sum(map(str.isalpha, head))
    if counts.total() < _SCRIPT_SHARE_MIN * letters:
        return ""
    if counts["kana"] + counts["han"] >= max(counts.values()):
        return "ja" if counts["kana"] else "zh"
    script = min(counts, key=lambda name: (-counts[name], name))
    for language, letters_of in _KEY_LETTERS.get(script, ()):
        if not letters_of or any(letter in head for letter in letters_of):
            return language
    return script


def _by_stop_words(head: str) -> str:
    """Return the language whose stop words stand out, or nothing."""
    words = _words(head)[:_HEAD_WORDS]
    if len(words) < _WORDS_MIN:
        return ""
    owners = _owners()
    rows = [owners.rows[word] for word in words if word in owners.rows]
    if len(rows) < _SHARE_MIN * len(words):
        return ""
    distinct = list(set(rows))  # a name said thrice is no better sign than said once
    scores = owners.claims[distinct].sum(axis=0)
    second, best = sorted(scores.tolist())[-2:]
    if best < max(1, _MARGIN * second):
        return ""
    winner = scores.argmax()
    hits = (owners.claims[rows, winner] > 0).sum()
    several = (owners.claims[distinct, winner] > 0).sum() >= _DISTINCT_MIN
    return LISTED[winner] if several and hits >= _SHARE_MIN * len(words) else ""


def _words(head: str) -> list[str]:
    """Return what `_WORD` finds; in plain text by splitting, which is three times as fast.

    There `rock'n'roll` is one word, not two.
    """
    if not head.isascii():
        return _WORD.findall(head)
    return _NOT_INSIDE.sub(" ", head).translate(_APART).split()


@dataclass(frozen=True, slots=True)
class _Owners:
    """Which languages have which stop words: a row each in `claims`, whole[words, languages]."""

    rows: dict[str, int]
    claims: "npt.NDArray[np.int64]"


@functools.cache
def _owners() -> _Owners:
    """Return each stop word in Latin letters with what it claims for each listed language."""
    import numpy as np

    rows: dict[str, int] = {}
    owned = [
        (rows.setdefault(w, len(rows)), n)
        for n, code in enumerate(LISTED)
        for w in stop_words(code)
    ]
    has = np.zeros((len(rows), len(LISTED)), dtype=np.int64)
    has[tuple(zip(*owned, strict=True))] = 1
    return _Owners(rows, has * (_CLAIM // has.sum(axis=1, keepdims=True)))
