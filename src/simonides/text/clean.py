"""Makes a text fit to keep: printable, without ragged white space, HTML as readable lines.

Must not know what the text is for.
"""

import re

from simonides.text.markup import from_html
from simonides.text.unicode_script import without_surrogates
from simonides.text.unicode_version import masked

__all__ = ["from_html", "printable", "squeeze", "title_of"]

TITLE_CHARS_MAX = 120

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BLANK_LINES = re.compile("\n{4,}")
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_EMPHASIS = re.compile(r"\*\*|__|`")
_VISIBLE = re.compile(r"[^\W_]")
_TITLE_HEAD_CHARS = 4_000


def printable(text: str) -> str:
    """Return the text without control marks but tab and newline, and without lone surrogates.

    Every kind of line end (CRLF, CR, form feed, NEL) becomes a newline, a lone surrogate U+FFFD;
    nothing else of Unicode is touched.
    """
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", without_surrogates(text)))


def squeeze(text: str) -> str:
    """Return the text without white space at line ends, and one blank line for more than two."""
    return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in text.split("\n")))


def title_of(text: str) -> str:
    """Return the first Markdown heading of a text's head, else its first line that says anything.

    At most 120 characters, cut after a word with `…`; empty if no line holds a letter or digit.
    """
    head = text[:_TITLE_HEAD_CHARS]
    heading = _HEADING.search(head)
    if heading and _VISIBLE.search(masked(heading[1])):
        return _shortened(heading[1].strip().rstrip("#").rstrip())
    line = next((line for line in head.split("\n") if _VISIBLE.search(masked(line))), "")
    return _shortened(line.strip().strip("#*_>`-\u2022 \t"))


def _shortened(line: str) -> str:
    line = " ".join(_EMPHASIS.sub("", line).split())
    if len(line) <= TITLE_CHARS_MAX:
        return line
    cut = line[: TITLE_CHARS_MAX - 1]
    words, _, rest = cut.rpartition(" ")
    return (words if len(rest) < TITLE_CHARS_MAX // 2 and words else cut).rstrip(
        " ,;:.-"
    ) + "\u2026"
