"""Follow-up questions: what a message means after the turn before it.

"And when?" asks when of what was asked before, "and Tom?" asks it of somebody else, "what did he
answer?" is about the person of the turn before, "the second one" is the second line of its answer,
and after a question back the message is its answer. Pure over texts; must not know where the turn
before is kept.
"""

import re
from dataclasses import dataclass
from functools import cache

from simonides.assistant.swaps import Swaps
from simonides.model.answer import TaskState
from simonides.text.stopwords import stop_words
from simonides.text.task_states import read_asked_tasks
from simonides.text.unicode_version import fold_case
from simonides.text.vocabulary import SPACED, word_file, word_set
from simonides.text.word_patterns import lazy_pattern

QUESTION_CHARS_MAX = 1_000
"""Characters of what was asked before that are searched for once more."""

WORDS_MAX = 8
"""A message of more words says by itself what it is about."""

_NUMBERED = lazy_pattern(
    r"\[(\d{1,2})\]|#(\d{1,2})\b"
    r"|\b(?:number|no\.|nr\.|nummer|numéro|número|numero)\s*(\d{1,2})\b",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"[^\W_]+(?:'\w+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBefore:
    """What is known of the turn before: all of it may be missing.

    `question` is as it was understood, `people` are the names of whom it was about, `shown` the ids
    of what it showed, in the order of their numbers, `pending` the question that it put back.
    """

    question: str = ""
    people: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    pending: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A message as it is searched for, and the ids of what it names by its number.

    `topic` is what the next message may lean on: the question that this one leans on itself, if it
    does, so that follow-ups of follow-ups speak of the first.
    """

    question: str
    meant: tuple[str, ...] = ()
    topic: str = ""


def understand(message: str, before: TurnBefore, swaps: Swaps | None = None) -> Understood:
    """Return the meaning of a message after the turn before; by itself, if it says so.

    With `swaps`, a person or a time in it may take the place of the one asked about before.
    """
    meant = _find_named_lines(message, before.shown)
    words = [fold_case(word) for word in _WORD.findall(message)]
    if meant or not before.question or not words:
        return Understood(question=message, meant=meant)
    if before.pending:
        return _leaning(message, before)
    if len(words) > WORDS_MAX:
        return Understood(question=message)
    if swaps is not None and (swapped := swaps.swap(message, before.question)):
        return Understood(question=swapped)
    named = _with_people(message, before.people)
    content = [word for word in words if word not in _empty_words()]
    if not _is_whole(message, words) and _leans_on(words, content, has_name=named != message):
        return _leaning(named, before)
    return Understood(question=named)


def _leaning(message: str, before: TurnBefore) -> Understood:
    return Understood(question=join_question(message, before.question), topic=before.question)


def _leans_on(words: list[str], content: list[str], *, has_name: bool) -> bool:
    """Return whether a message says too little without what was asked before."""
    if not content:
        return True
    is_continued = words[0] in word_set("connectives") and words[0] != words[-1]
    speaks_of = has_name or not word_set("things").isdisjoint(words)
    return len(content) <= 1 and (is_continued or speaks_of)


def _is_whole(message: str, words: list[str]) -> bool:
    """Return whether a message asks by itself for tasks in a state: "and what is overdue?"."""
    asks = any(word.partition("'")[0] in word_set("question_words") for word in words)
    points_back = not word_set("things").isdisjoint(words)
    return asks and not points_back and read_asked_tasks(message).state is not TaskState.ANY


def join_question(message: str, question: str) -> str:
    """Return the message with what was asked before it in parentheses."""
    return f"{message.strip()} ({question.strip()[:QUESTION_CHARS_MAX]})"


def _with_people(message: str, people: tuple[str, ...]) -> str:
    """Return the message with the person of the turn before in the place of a pronoun."""
    if not people:
        return message
    for match in _WORD.finditer(message):
        if fold_case(match[0]) in word_set("persons"):
            return f"{message[: match.start()]}{people[0]}{message[match.end() :]}"
    return message


def _find_named_lines(message: str, shown: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ids of the lines that a message names: `the second one`, `number 3`, `[1]`."""
    numbers = [int(next(filter(None, groups))) for groups in _NUMBERED.findall(message)]
    words = [fold_case(word) for word in _WORD.findall(message)]
    rest, ordinals = set(words) - _empty_words() - word_set("shown"), _ordinals()
    if not numbers and rest and rest <= ordinals.keys() and len(words) <= WORDS_MAX:
        numbers = [ordinals[word] for word in words if word in rest]
    places = [len(shown) if number == -1 else number for number in numbers]
    return tuple(dict.fromkeys(shown[at - 1] for at in places if 0 < at <= len(shown)))


@cache
def _ordinals() -> dict[str, int]:
    """Return the number that each ordinal means, in all languages; -1 is the last."""
    return {
        word: int(number)
        for language in SPACED
        for number, words in word_file(language).get("ordinal", {}).items()
        for word in words.split()
    }


@cache
def _empty_words() -> frozenset[str]:
    """Return the words that say nothing by themselves, in all languages, less the ordinals."""
    tables = ("connectives", "question_words", "asks_more", "persons", "things")
    return frozenset().union(*map(stop_words, SPACED), *map(word_set, tables)) - _ordinals().keys()
