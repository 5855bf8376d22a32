"""Words of a question that ask for mails by their answers: those that wait for one.

"which mails have I not answered", "do I owe anyone a reply", "who hasn't replied to me",
"unbeantwortete Mails". Knows words; must not know what is kept.
"""

from functools import partial
from typing import NamedTuple

from simonides.model.answer import ReplyState
from simonides.text.questions import Span, letter_spans, lower
from simonides.text.vocabulary import words_pattern
from simonides.text.word_patterns import lazy_pattern

_ASKED = [
    (state, lazy_pattern(partial(words_pattern, f"reply_{state.value}")))
    for state in (ReplyState.AWAITED, ReplyState.OWED)
]
"""In the order in which they are looked for; each has a pattern of its name in the languages."""

_REQUESTS = lazy_pattern(partial(words_pattern, "requests_reply"))
_QUESTION = lazy_pattern(r"\?(?![\w/=&%])|[\uff1f\u061f]")
"""A mark of a question; one inside of an address is none."""


class AskedReplies(NamedTuple):
    """Whose answers a question asks for, and where its words say so, and name mails."""

    state: ReplyState = ReplyState.ANY
    spans: tuple[Span, ...] = ()


def read_asked_replies(text: str) -> AskedReplies:
    """Return which mails a question asks for by their answers; `ReplyState.ANY` for none."""
    said = lower(text)
    for state, pattern in _ASKED:
        if spans := tuple(found.span() for found in pattern.finditer(said)):
            return AskedReplies(state, (*spans, *letter_spans(text)))
    return AskedReplies()


def requests_reply(text: str) -> bool:
    """Return whether a text asks its reader for something: a question, "please", "let me know"."""
    return bool(_QUESTION.search(text) or _REQUESTS.search(lower(text)))
