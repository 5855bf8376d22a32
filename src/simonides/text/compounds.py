"""Compounds of languages that write them as one word: their last words, and how they are split.

Knows where a syllable may begin, and the joints between parts. Must not know where words are
looked up.
"""

from collections.abc import Callable, Iterator

from simonides.text.word_patterns import lazy_pattern

COMPOUNDING = frozenset("da de fi nl no sv".split())
"""Languages that write compounds as one word (ISO 639-1)."""

PART_CHARS_MIN = 4
"""Shorter parts are found in every other word: "ter" and "min" in "termin"."""

_JOINTS = ("", "s", "es", "n", "en", "e")
"""What may stand between the parts, the most frequent first: "arbeit(s)vertrag"."""


def compound_parts(word: str, is_known: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the two parts of a folded word that are both known, the most even split; else none."""
    for left, right in _splits(word):
        if is_known(right) and is_known(left):
            return left, right
    return ()


def _splits(word: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to split a word, the most even first, each without a joint first."""
    places = range(PART_CHARS_MIN, len(word) - PART_CHARS_MIN + 1)
    for place in sorted(places, key=lambda one: (abs(2 * one - len(word)), one)):
        left, right = word[:place], word[place:]
        for joint in _JOINTS:
            bare = left.removesuffix(joint)
            if left.endswith(joint) and len(bare) >= PART_CHARS_MIN:
                yield bare, right


COMPOUND_CHARS_MIN = 8
"""Compounds that matter are this long ("hautarzt"); shorter words are seldom any."""

_HEAD_CHARS_MIN = 3
"""Prefixes of two letters ("be", "ge", "an") make no compounds."""

_ONSETS = frozenset(
    "b bl br c ch chr cl d dr dw f fl fr g gl gr h hj hv j k kl kn kr kv l m n p pf pfl pfr ph pl "
    "pr ps q r s sch schl schm schn schr schw sj sk sl sm sn sp spl spr st str sv sw t th tj tr ts "
    "v vl vr w wr y z zw".split()
)
"""The consonants with which a word of these languages may begin."""

_VOWELS = "aeiou\u00e4\u00f6\u00fc\u00e5\u00e6\u00f8\u00e1\u00e9\u00eb\u00ef\u00f3"
_BEGINNING = lazy_pattern(rf"([^{_VOWELS}]*)[{_VOWELS}]+[^{_VOWELS}]")
_END = lazy_pattern(
    rf"[{_VOWELS}](?:([bdfgklmnprstz])\1|h?r?[lmn]?(?:sch|ch|ck|pf|tz|[bdfgkpstvwxz])?)(?:st|[stz])?$"
)
"""The consonants with which a word of these languages may end, a joint with it."""

_SUFFIX = lazy_pattern(r"(?:ung|heit|keit|schaft|lich|isch|ing|heid|het|hed)(?:e|en|er|es|s)?$")


def last_words(word: str) -> Iterator[str]:
    """Yield what may be the last word of a folded compound, the longest first.

    "mietvertrag" gives "vertrag", but "ertrag" and "trag" as well: without a list of words none
    knows which are words, and one that is none is never asked for.
    """
    if len(word) < COMPOUND_CHARS_MIN or not word.isalpha():
        return
    for place in range(_HEAD_CHARS_MIN, len(word) - PART_CHARS_MIN + 1):
        before, last = word[:place], word[place:]
        is_word = len(_SUFFIX.sub("", last)) >= PART_CHARS_MIN  # "rechnung", not "erung"
        if is_word and _END.search(before) and _may_begin(last, before):
            yield last


def _may_begin(last: str, before: str) -> bool:
    """Return whether the consonants at which a word is cut, if any, may begin the last one.

    It takes all that it may: in "unterschrift" none begins with "r". But an s may be a joint.
    """
    begun = _BEGINNING.match(last)
    if not begun or not begun[1]:
        return begun is not None and before[-1] not in _VOWELS
    onset = begun[1]
    longer = {before[-chars:] + onset for chars in (1, 2, 3)} & _ONSETS
    is_joined = before[-1] == "s" and not onset.startswith("ch")
    return onset in _ONSETS and longer <= ({"s" + onset} if is_joined else set())
