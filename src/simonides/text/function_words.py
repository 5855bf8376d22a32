"""Function words of questions; of Japanese, Chinese and Korean those that stick to others.

What they say is grammar: in pairs of characters they make up half of a question, and fit every
text. Knows the lists `function`, `function_han`, `okurigana` and `endings` of these languages; must
not know how a text is indexed.
"""

import re
from functools import cache

from simonides.text.stopwords import stop_words
from simonides.text.unicode_script import HAN, HANGUL
from simonides.text.vocabulary import typed_in, word_set
from simonides.text.word_patterns import lazy_pattern

_ANY_HAN = lazy_pattern(f"[{HAN}]")
_KANA_RUN = lazy_pattern(r"[\u3041-\u309f]+")
_KANA = lazy_pattern(r"[\u3041-\u30ff]")
_LONE_BEFORE = lazy_pattern(rf"(?<![{HAN}\u30a0-\u30ff\w])[{HAN}]$")
_LONE_AFTER = lazy_pattern(rf"[{HAN}](?![{HAN}\u30a0-\u30ff])")
_RUN_CHARS_MAX = 3
"""A longer run of hiragana of which one character is left is grammar as a whole."""


def _list_words(language: str, table: str, *, backwards: bool = False) -> str:
    """Return a pattern of the words of a table, the longest first."""
    listed = word_set(table, languages=(language,))
    found = sorted(listed, key=lambda word: (-len(word), word))
    return "|".join(word[::-1] if backwards else word for word in found)


_BEGINNING = lazy_pattern(lambda: rf"(?:{_list_words('ja', 'function')})*+")
_INFLECTION = lazy_pattern(lambda: rf"(?:{_list_words('ja', 'okurigana')})")
_END = lazy_pattern(lambda: rf"[おご]?(?:{_list_words('ja', 'function', backwards=True)})*+")
"""Of a run read backwards; what is polite before a word stands at its very end."""
_ASKING_HAN = lazy_pattern(
    lambda: rf"(?<![{HAN}])(?:{_list_words('ja', 'function_han')})(?![{HAN}])"
)
_CHINESE = lazy_pattern(lambda: _list_words("zh", "function"))
_HANGUL_RUN = lazy_pattern(f"[{HANGUL}]+")
_KOREAN = lazy_pattern(
    lambda: rf"(?:{_list_words('ko', 'function')})++(?:{_list_words('ko', 'endings')})*+"
)
_KOREAN_END = lazy_pattern(lambda: rf"(?:{_list_words('ko', 'endings', backwards=True)})*+")
"""Of a word read backwards."""
_STEM_CHARS_MIN = 2
"""What is left of a Korean word without its endings: a pair. Our own choice."""


@cache
def quiet_words(language: str) -> frozenset[str]:
    """Return the words of a question in a language that say nothing of what is looked for.

    Its stop words, and words such as "actually" and "nog eens", which are not left out of texts.
    """
    listed = typed_in(language, stop_words(language))
    return listed | word_set("function", languages=(language,))


def without_function_words(text: str) -> str:
    """Return a text with blanks for its Japanese, Chinese or Korean function words.

    Han characters are read as Japanese where kana stand among them. What has a single character
    between two function words keeps its neighbour, without which it would be no pair: of 宿はどこ
    宿は is left. A text in other scripts is returned as it is.
    """
    if text.isascii():
        return text
    text = _HANGUL_RUN.sub(_cut_hangul, text)
    if _KANA.search(text):
        return _KANA_RUN.sub(_cut_kana, _ASKING_HAN.sub(" ", text))
    return _CHINESE.sub(" ", text) if _ANY_HAN.search(text) else text


def _cut_kana(match: re.Match[str]) -> str:
    """Return a run of hiragana with blanks for what is no word of its own."""
    (start, stop), text, run = match.span(), match.string, match[0]
    before, after = text[max(0, start - 2) : start], text[stop : stop + 2]
    is_inflected = _ANY_HAN.search(before[-1:]) is not None
    own = _cut_ends(run)
    if is_inflected and own and (inflection := _INFLECTION.match(run)):
        own = min(own, _cut_ends(run[inflection.end() :]), key=len)
    if len(own) == 1:
        own = "" if is_inflected or len(run) > _RUN_CHARS_MAX else run
    first = run[0] if _LONE_BEFORE.search(before) and not own.startswith(run[0]) else ""
    last = run[-1] if _LONE_AFTER.match(after) and not own.endswith(run[-1]) else ""
    return f"{first} {own} {last}"


def _cut_hangul(match: re.Match[str]) -> str:
    """Return a Korean word without its endings, or a blank for one that is all grammar."""
    word = match[0]
    if word in word_set("endings", languages=("ko",)) or _KOREAN.fullmatch(word):
        return " "
    ended = _KOREAN_END.match(word[_STEM_CHARS_MIN:][::-1])
    return word[: len(word) - (ended.end() if ended else 0)]


def _cut_ends(run: str) -> str:
    """Return a run of hiragana without the function words that it begins and ends with.

    Word by word from both ends, the longest first, so that it takes time in proportion.
    """
    begun = _BEGINNING.match(run)
    rest = run[begun.end() if begun else 0 :]
    ended = _END.match(rest[::-1])
    return rest[: len(rest) - (ended.end() if ended else 0)]
