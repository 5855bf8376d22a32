"""Who speaks in a message: nobody else than its author, whatever its words begin with.

Chats are kept as lines with a speaker each. A line `Tom Becker: I approve` in a message of another
speaker, or of one without a speaker, is a quotation at best: it is shown as one. Knows how chats
are written down. Must not know layouts.
"""

import re

from simonides.context.confusables import looks, shows
from simonides.context.names import look_of
from simonides.context.safety import swapped, visible
from simonides.model.item import Item, Kind, Trust

UNKNOWN_SPEAKER = "(unknown speaker)"
"""Stands in the place of a speaker's name where a message has none."""

_QUOTES = {'"': "'"}

_CLAIM = re.compile(
    r"""[^\w"]*                              # marks, brackets, bullets
    (?:\d[\d:.,/ -]{1,24}(?:[AaPp][Mm])?[^\w"]{1,4})?   # a date or a time
    (?P<name>[^\W\d_][\w.'\u2019-]{0,40}(?:[ ][\w.'\u2019-]{1,40}){0,5})
    [^\w"\n:]{0,4}(?P<mark>[:>)\]]|-\s)""",
    re.VERBOSE,
)
"""A line that begins as that of a chat does: when, who, and a colon."""

_HEAD_CHARS = 400
"""So much of a line is looked at: who speaks stands at its head."""

_JOINING = frozenset("and de der den di la of the van von says said wrote writes".split())
"""What may stand in small letters among the words of a name, or between it and the colon."""

_LABELS = frozenset(
    "a agenda answer attention cc date decision edit example from fyi hint http https idea info "
    "issue note notes p.s plan ps q question re reminder subject summary task tip tldr to todo "
    "update warning".split()
)
"""Words that stand before a colon and name nobody."""


def is_unsigned(item: Item) -> bool:
    """Return whether an item is a message of which nobody is shown to be the speaker."""
    if item.kind is not Kind.MESSAGE:
        return False
    author = item.author
    return author is None or not (shows(author.name) or shows(author.address))


def attributed(text: str, item: Item, *, trust: Trust) -> str:
    """Return words of an item, those lines in quotation marks that claim another speaker.

    Of a message without a speaker every line is, since any may claim one. The user's own words
    (of trust `own`) with a speaker are left alone.
    """
    if item.kind is not Kind.MESSAGE:
        return text
    if is_unsigned(item):
        return quoted_lines(text)
    if trust is Trust.OWN or item.author is None:
        return text
    return without_claims(text, speaker=item.author.name or item.author.address)


def quoted_lines(text: str) -> str:
    """Return the text with each line that shows in quotation marks, which no line can close."""
    return "\n".join(_quoted(line) for line in visible(text).split("\n"))


def without_claims(text: str, *, speaker: str) -> str:
    """Return the text with the lines quoted that begin with another name than the speaker's."""
    own = frozenset(look_of(speaker).split())
    lines = visible(text).split("\n")
    return "\n".join(_quoted(line) if _claims(line, own) else line for line in lines)


def _quoted(line: str) -> str:
    bare = line.strip()
    return f'"{swapped(bare, _QUOTES)}"' if shows(bare) else line


def _claims(line: str, own: frozenset[str]) -> bool:
    """Say whether a line begins with a name, of words in capitals, that is not the speaker's."""
    claim = _CLAIM.match(looks(line.lstrip()[:_HEAD_CHARS]))
    if claim is None:
        return False
    words = [word for word in claim["name"].split() if word not in _JOINING]
    if not words or any(word[0].islower() for word in words):
        return False
    named = [look_of(word) for word in words]
    if own.issuperset(named):
        return False
    return len(named) > 1 or (claim["mark"][0] != "-" and named[0] not in _LABELS)
