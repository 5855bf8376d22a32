"""Whether a text only says what is remembered already: a memory that was recalled and fed back.

Pure. Knows the marks that a brief puts around a memory's words. A text is recalled only if each of
its sentences is, word for word, one of a memory: a sentence that differs in a single word may say
the opposite. Must not know where memories are kept, nor what is done about it.
"""

import re
from collections.abc import Iterator, Sequence

from simonides.memories.merge import text_of, wording
from simonides.model.item import Item
from simonides.text.sentences import sentences

_NUMBERS = r"[+-]?(?:\d+\.\d+|inf|nan)"
_MARKS = re.compile(
    r"""
      ^\s*(?:[-*•]|\[\d+\])\s+                                 # a bullet, or a citation
    | ^\s*(?:\|\s)?\((?:excerpt|summary)\)\s                   # how much of it is shown
    | \s*\((?:why:|score=)[^()\n]*\)                           # the reasons
    | \s*·\s(?:unknown\ sender|external)\s*$                   # how far it is trusted
    | ^\s*\|\s                                                 # the bar before a line like a mark
    | \s*\[\d+\]\s*$                                           # a citation behind the words
    """,
    re.VERBOSE,
)
_FRAME = re.compile(
    rf"""\s*(?:
      \#.*                                                     # a heading of a brief
    | (?:Artifact\ Notes|Recent\ Episodic|Workspace\ Policies|Session\ Context
        |User\ Preferences|Global\ Defaults):
    | (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\ \d\d?\ [A-Z][a-z]+\ \d+   # the day of what follows
    | \[[^\[\]]+\]|undated|\d{{4}}-\d\d-\d\d|-{{3,}}
    | \(why:\ score\ {_NUMBERS}.*\)
    )\s*""",
    re.VERBOSE,
)
"""A line of which nothing is a memory's own."""

_NUMBER = re.compile(r"^\s*\d+\s+")
"""The number of a line of a brief: only where something frames it, or `3 apples` lost its 3."""


def tellers(text: str, memories: Sequence[Item]) -> tuple[str, ...]:
    """Return the ids of the memories that say all of `text` between them; empty if they do not.

    In the order of `memories`, each of them says a sentence that none before it does.
    """
    wanted = list(dict.fromkeys(_sayings(text)))
    if not wanted:
        return ()
    missing, found = set(wanted), []
    for memory in memories:
        said = missing.intersection(_told(memory))
        if said:
            found.append(memory.id)
            missing -= said
    return () if missing else tuple(found)


def _told(memory: Item) -> Iterator[str]:
    text = text_of(memory)
    yield wording(text)
    for line in text.splitlines():
        yield wording(line)
    for span in sentences(text):
        yield wording(text[span.start : span.stop])


def _sayings(text: str) -> Iterator[str]:
    """Yield the sentences of a text as they are compared, without a brief's marks."""
    lines = text.splitlines()
    own = [line for line in lines if not _FRAME.fullmatch(line)]
    for line in own:
        bare = _bare(_NUMBER.sub("", line, count=1) if len(own) < len(lines) else line)
        for span in sentences(bare):
            said = wording(bare[span.start : span.stop])
            if any(map(str.isalnum, said)):
                yield said


def _bare(line: str) -> str:
    """Return a line without the marks at its ends, however many there are."""
    while (stripped := _MARKS.sub("", line)) != line:
        line = stripped
    return line
