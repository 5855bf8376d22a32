"""Whether a text asks: questions by their mark or their first word, in six languages."""

from simonides.text.sentences import sentences
from simonides.text.word_patterns import lazy_pattern

_WORDS = lazy_pattern(r"\w+")
_ASKING = frozenset(
    """
    who what when where which why how whose whom is are was were do does did can could will would
    wer was wann wo welche welcher welches warum wieso wie wem wen ist sind hat haben kann
    qui que quoi quand où quel quelle pourquoi comment combien est
    quién qué cuándo dónde cuál cuáles cómo cuánto cuánta
    quem quando onde qual quais como quanto
    chi cosa dove quale quali come perché quanto
    """.split()
)
"""Words with which questions begin, in the languages that are supported."""


def is_question(text: str) -> bool:
    """Return whether a text is put as a question: by its mark, or by its first word."""
    words = _WORDS.findall(text.casefold())
    return text.rstrip().endswith(("?", "\uff1f")) or bool(words and words[0] in _ASKING)


def only_asks(text: str) -> bool:
    """Return whether every sentence of a text is a question: it tells nothing."""
    return all(is_question(text[start:stop]) for start, stop in sentences(text))
