"""Whether a text asks: questions by their mark, or by their first word in many languages."""

from simonides.text.sentences import sentences
from simonides.text.vocabulary import word_set
from simonides.text.word_patterns import lazy_pattern

_WORDS = lazy_pattern(r"\w+")


def is_question(text: str) -> bool:
    """Return whether a text is put as a question: by its mark, or by its first word."""
    words = _WORDS.findall(text.casefold())
    begins = bool(words) and words[0] in word_set("question_words")
    return begins or text.rstrip().endswith(("?", "\uff1f"))


def only_asks(text: str) -> bool:
    """Return whether every sentence of a text is a question: it tells nothing."""
    return all(is_question(text[start:stop]) for start, stop in sentences(text))
