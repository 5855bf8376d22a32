"""Words by which a text asks, and words of a question that ask rather than name.

"What time did Ana say …", "zeig mir …", "qué día …": they say what is wanted of an answer, stand in
every other mail and are not worth a search. Knows words; must not know what is kept, nor who is
meant.
"""

import re
from collections.abc import Iterable, Sequence

from simonides.text.sentences import sentences
from simonides.text.unicode_script import HAN, HANGUL, UNSPACED_CHAR
from simonides.text.unicode_version import lower_in_place, mask
from simonides.text.vocabulary import (
    SPACED,
    UNSPACED,
    list_pattern,
    patterns,
    word_set,
    words_pattern,
)
from simonides.text.word_patterns import lazy_pattern

Span = tuple[int, int]

_WORDS = lazy_pattern(r"\w+")


def is_question(text: str) -> bool:
    """Return whether a text is put as a question: by its mark, or by its first word."""
    words = _WORDS.findall(text.casefold())
    begins = bool(words) and words[0] in word_set("question_words")
    return begins or text.rstrip().endswith(("?", "\uff1f"))


def only_asks(text: str) -> bool:
    """Return whether every sentence of a text is a question: it tells nothing."""
    return all(is_question(text[start:stop]) for start, stop in sentences(text))


def asks_nothing(words: Iterable[str]) -> bool:
    """Return whether folded words say nothing but a greeting, thanks or agreement."""
    return word_set("greetings").issuperset(words)


_ASKING = lazy_pattern(
    lambda: (
        rf"""(?<![\w-])(?:
      (?:(?:at|on|by|in|an|um|zu|à|a|en)\s+)?
        (?:what|which|welche[rmns]?|quel(?:le)?s?|qué|que|cuál|qual|quale|che|welke?)
        (?:\s+(?:is|was|are|were|the|exact|exactly))*\s+(?:{list_pattern("time_nouns")})
    | {list_pattern("requests")}
    )(?![\w-])"""
    ),
    re.VERBOSE,
)


def asking_spans(text: str) -> list[Span]:
    """Return the characters [start, stop) of the words that only ask, in order."""
    return [match.span() for match in _ASKING.finditer(lower(text))]


def without_spans(text: str, spans: list[Span]) -> str:
    """Return a text without some stretches of it, and with single spaces."""
    kept, stop = [], 0
    for start, end in sorted(spans):
        kept.append(text[stop : max(start, stop)])
        stop = max(stop, end)
    return " ".join(" ".join([*kept, text[stop:]]).split())


_LETTERS = lazy_pattern(lambda: words_pattern("letters"))
"""What names mails or messages."""


def letter_spans(text: str) -> list[Span]:
    """Return where a question names mails or messages."""
    return [match.span() for match in _LETTERS.finditer(lower(text))]


def asks_received(words: Sequence[str]) -> bool:
    """Return whether folded words ask for what came to the one who asks: "got", "wrote to me"."""
    received = word_set("received", languages=SPACED)
    return not received.isdisjoint(words) or is_addressed(words)


def is_addressed(words: Sequence[str]) -> bool:
    """Return whether folded words ask for what others said: "who wrote", "what came to me"."""
    said = {*words}
    if not (words and said.isdisjoint(word_set("i"))):
        return False
    spoke = not said.isdisjoint(word_set("spoke", languages=SPACED))
    if said.isdisjoint(word_set("me")):
        return spoke and words[0] in word_set("who")
    return spoke or not said.isdisjoint(word_set("received", languages=SPACED))


_I_SAID = lazy_pattern(lambda: _with_edges(*patterns("own_words")))
_ASSISTANT_SAID = lazy_pattern(lambda: _with_edges(*patterns("assistant_words")))


_CURRENT = lazy_pattern(lambda: f"{words_pattern('present')}|{words_pattern('outcome')}")
_CHANGED = lazy_pattern(lambda: words_pattern("changed"))


def _with_edges(*given: str) -> str:
    return rf"(?<![\w-])(?:{'|'.join(given)})(?![\w-])"


def plain(text: str) -> str:
    """Return a text as its words are looked for: masked, with the straight apostrophe."""
    return mask(text).replace("\u2019", "'")


def lower(text: str) -> str:
    """Return a text as its words are looked for, in small letters that stand where they stood.

    A pattern that ignores case takes three times as long.
    """
    return lower_in_place(plain(text))


def asks_for_current(text: str) -> bool:
    """Return whether a question asks how things stand now, or what came of them in the end.

    "these days", "finalement": it is not after what was said before and is said anew later.
    """
    return _CURRENT.search(lower(text)) is not None


def says_changed(text: str) -> bool:
    """Return whether a text says that something is otherwise than it was ("no longer", "reporté").

    It replaces what an earlier one said, where another may only add to it.
    """
    return _CHANGED.search(lower(text)) is not None


def asks_own_words(text: str) -> bool:
    """Return whether a question is after what the one who asks said or wrote."""
    return _I_SAID.search(lower(text)) is not None


def asks_assistant(text: str) -> bool:
    """Return whether a question is after what the assistant said, suggested or recommended."""
    return _ASSISTANT_SAID.search(lower(text)) is not None


_KIND_OF_TASK = frozenset("open done overdue pending remaining finished closed jira".split())
"""What may stand between "Sarah's" and the tasks that are hers."""

SPEECH_REACH = 3
"""So many words after a name may stand before the verb that makes it the one who spoke."""


def role_of_name(words: tuple[str, ...], start: int, stop: int, *, language: str) -> str:
    """Return the role that the words around a name at [start, stop) ask for, or an empty text.

    `words` are folded, in a question of a language. Roles: author, to, attendee (takes part in any
    way), assignee, mentioned.
    """
    if UNSPACED_CHAR.match(words[start]):
        return _role_between(words, start, stop)
    if _has_tasks(words, start, stop):
        return "assignee"
    if from_endings := tuple(word_set("from_endings", languages=(language,))):
        return _role_by_ending(words[stop - 1], words[stop:], from_endings)
    among = (language,) if language in _APART else _TOGETHER
    before, first = words[start - 1] if start else "", words[start - 2] if start > 1 else ""
    # "von der Schule", "od pani Anny"
    has_article = before in word_set("articles", languages=among)
    role = _role_after(before, among) or (_role_after(first, among) if has_article else "")
    if role and role != "to":
        return role
    spoke, own = word_set("spoke"), word_set("i", languages=among)
    is_after = not spoke.isdisjoint(words[stop : stop + SPEECH_REACH])
    is_mine = not own.isdisjoint(words[max(0, start - 3) : start - 1])
    if role or (before in spoke and is_mine) or (is_after and before in own):
        return "to"
    verb = first if has_article else before
    return "author" if is_after or verb in word_set("spoke", languages=INVERTING) else ""


def _role_after(preposition: str, languages: tuple[str, ...]) -> str:
    """Return the role of a name after a preposition of some languages; empty for other words."""
    roles = (("author", "by"), ("attendee", "together"), ("mentioned", "about"), ("to", "to"))
    asked = (role for role, table in roles if preposition in word_set(table, languages=languages))
    return next(asked, "")


def _role_by_ending(name: str, after: tuple[str, ...], from_endings: tuple[str, ...]) -> str:
    """Return the role of a name that says it by its ending, in a language with verbs at the end.

    "Ali'den gelen mail" came from Ali, "Ali'ye ne dedim" was to him.
    """
    is_from = name.endswith(from_endings)
    if asks_own_words(" ".join(after)):
        return "author" if is_from else "to"
    tables = ("spoke", "received", "mail") if is_from else ("spoke",)
    is_said = any(not word_set(one).isdisjoint(after) for one in tables)
    return "author" if is_said else ""


_APART = ("pl", "tr")
"""Languages whose small words are others in other languages: "do" is "to", "o" is "about"."""
_TOGETHER = tuple(one for one in SPACED if one not in _APART)

_TO_BEFORE = lazy_pattern(lambda: "|".join(patterns("said_to", languages=("zh",))))
_TO_AFTER = lazy_pattern(lambda: "|".join(patterns("said_to", languages=("ja", "ko"))))
_BY_AFTER = lazy_pattern(lambda: "|".join(patterns("said_by", languages=UNSPACED)))
_NEAR = 16
"""So many characters beside a name are looked at in scripts without spaces."""


def _role_between(words: tuple[str, ...], start: int, stop: int) -> str:
    """Return the role of a name in a script without spaces, by the pairs of characters around it.

    "大輔から" asks for what 大輔 said, "我给郑总" for what was said to 郑总.
    """
    first, last = words[start], words[stop - 1]
    said_before = _join_pairs(words[max(0, start - _NEAR) : start + 1]).removesuffix(first)
    said_after = _join_pairs(words[stop - 1 : stop + _NEAR]).removeprefix(last)
    if _TO_BEFORE.search(said_before) or _TO_AFTER.match(said_after):
        return "to"
    return "author" if _BY_AFTER.match(said_after) else ""


def _join_pairs(pairs: Sequence[str]) -> str:
    """Return the text that pairs of characters overlap in; a word of its own as a whole."""
    return "".join(
        pair[1:] if before[-1:] == pair[:1] else pair
        for before, pair in zip(("", *pairs), pairs, strict=False)
    )


_HONOURED = lazy_pattern(
    lambda: (
        rf"(?P<name>[{HAN}])(?:{'|'.join(patterns('honorific', languages=('ja', 'zh')))})"
        rf"|[小老阿](?P<short>[{HAN}])"
        rf"|(?<![{HANGUL}])(?P<korean>[{HANGUL}])(?:{list_pattern('titles', languages=('ko',))})"
    )
)


def find_honoured(text: str) -> list[tuple[str, str]]:
    """Return the single characters that are surnames by what stands beside them, and both as said.

    "林" of "林さん", "郑" of "郑总", "王" of "小王", "박" of "박과장님".
    """
    return [
        (one["name"] or one["short"] or one["korean"], one[0]) for one in _HONOURED.finditer(text)
    ]


def without_speech(text: str, called: Iterable[str], *, language: str) -> str:
    """Return a question in a script without spaces without who spoke and that they did."""
    names = "|".join(sorted(map(re.escape, called), key=len, reverse=True))
    honorific = "|".join(patterns("honorific", languages=(language,)))
    spoke = list_pattern("spoke", languages=(language,))
    return re.sub(rf"(?:{names})(?:{honorific})?|{spoke}", " ", text)


INVERTING = tuple(one for one in SPACED if one != "en")
"""Languages whose questions name the speaker after the verb: "qu'a dit Ana", "was sagte Ana"."""


def _has_tasks(words: tuple[str, ...], start: int, stop: int) -> bool:
    """Return whether tasks of the named are meant: assigned to Sarah, tasks of Sarah, her tasks."""
    before, after = words[max(0, start - 2) : start], words[stop : stop + 2]
    tasks = word_set("their_tasks")
    if "_".join(before) in word_set("assigned_to"):
        return True
    if before and before[-1] in word_set("of") and before[0] in tasks:
        return True
    return bool(after) and after[-1 if after[0] in _KIND_OF_TASK else 0] in tasks


_AGENDA = lazy_pattern(lambda: words_pattern("agenda"))
_PLANS = lazy_pattern(lambda: words_pattern("plans"))
_DUE = lazy_pattern(lambda: words_pattern("due"))


def agenda_spans(text: str) -> list[Span]:
    """Return where a question asks what takes place, or whether there is time."""
    return [match.span() for match in _AGENDA.finditer(lower(text))]


def plans_spans(text: str) -> list[Span]:
    """Return where a question asks for plans, which of a time that lies ahead are an agenda."""
    return [match.span() for match in _PLANS.finditer(lower(text))]


def due_spans(text: str) -> list[Span]:
    """Return where a question asks what is due."""
    return [match.span() for match in _DUE.finditer(lower(text))]
