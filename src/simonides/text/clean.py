"""Text made fit to keep, and errors made fit to show.

Kept text is printable, without ragged white space, HTML as readable lines: read in one pass over
its tags, without a tree, so that no page is slow, however it is made. An error becomes text for an
interface here alone, without this machine's absolute paths. Must not know what the text is for.
"""

import re

from simonides.errors import Conflict, InvalidInput, NotFound, SimonidesError
from simonides.text.elements import MATTERING, VOID, Elements, Tag, tags_and_text
from simonides.text.layout import BLOCKS, LayoutPage
from simonides.text.unicode_script import without_surrogates
from simonides.text.unicode_version import mask
from simonides.text.word_patterns import lazy_pattern

_PATH = lazy_pattern(r"(?<![\w./:~-])(?:file:/|~?/|[A-Za-z]:[\\/]|\\\\)(?:[^;\n]*[/\\])?")
"""Where a path begins, up to its last separator: folders may have spaces in their names, so within
a clause of a sentence all that stands before the last separator goes."""


def without_folders(text: str) -> str:
    """Return a text with absolute paths cut to their last part; web addresses stay."""
    return _PATH.sub("", text)


UNEXPECTED = "a mistake of ours; the server's log says where"

_OWN_WORDS = (NotFound, Conflict, InvalidInput)
"""Errors that quote what the caller sent, which may look like a path and is none of ours."""


def public_message(error: Exception) -> str:
    """Return the message of an error, with every path cut to its last part."""
    if isinstance(error, _OWN_WORDS):
        return str(error)
    if not isinstance(error, SimonidesError):
        return UNEXPECTED
    return without_folders(str(error))


_DROPPED = frozenset(
    "template svg math object noembed noframes audio video canvas datalist".split()
)
"""The elements that are left out with all that is in them, beside those whose content is raw."""

_FOREIGN = frozenset(["svg", "math"])
_HIDDEN = lazy_pattern(
    r"display\s*+:\s*+none|visibility\s*+:\s*+hidden|mso-hide\s*+:\s*+all", re.IGNORECASE
)
_MAY_HIDE = lazy_pattern(r"display|visibility|mso-hide|hidden", re.IGNORECASE)


def from_html(html: str) -> str:
    """Return the visible text of an HTML page.

    Headings as Markdown's, list entries with `- ` or their number, rows of a table as cells with
    ` | ` between, quoted blocks with `> ` before each line, links by their text (by their address
    if they have none), images by theirs. Scripts, styles, the head and hidden elements are left
    out. Takes time in proportion to its length, and never raises.
    """
    html = without_surrogates(html).replace("\x00", "")
    html = html.replace("\r\n", "\n").replace("\r", "\n")
    may_hide = bool(_MAY_HIDE.search(html))
    reader = _PageReader()
    for one in tags_and_text(html):
        if isinstance(one, str):
            reader.text(one)
        elif reader.hidden and reader.stays_hidden(one):
            continue
        elif one.is_end:
            reader.end(one)
        elif one.name in _DROPPED or (may_hide and one.written and _is_hidden(one)):
            reader.hide(one)
        elif one.name in MATTERING:
            reader.begin(one)
    return reader.result()


class _PageReader:
    """The reader of a page, tag by tag; hidden elements are skipped.

    `hidden` is the name of the hidden element that is open; empty for none.
    """

    def __init__(self) -> None:
        self.hidden = ""
        self._inside: dict[str, int] = {}
        self._page = LayoutPage()
        self._elements = Elements(self._page)
        self._after_pre = False

    def result(self) -> str:
        """Return the text that was read so far."""
        self._elements.close()
        return "\n".join(self._page.lines()).strip("\n")

    def text(self, text: str) -> None:
        """Read a run of text."""
        if self.hidden:
            return
        if self._after_pre:
            text, self._after_pre = text.removeprefix("\n"), False
        self._page.text(text)

    def begin(self, tag: Tag) -> None:
        """Read a start tag."""
        self._after_pre = tag.name == "pre"
        self._elements.begin(tag)

    def end(self, tag: Tag) -> None:
        """Read an end tag."""
        self._after_pre = False
        self._elements.end(tag)

    def hide(self, tag: Tag) -> None:
        """Read the start tag of a hidden element."""
        if tag.name not in VOID and not (tag.name in _FOREIGN and tag.written.endswith("/")):
            self.hidden, self._inside = tag.name, {tag.name: 1}

    def stays_hidden(self, tag: Tag) -> bool:
        """Read a tag inside a hidden element; return False if it belongs outside of it."""
        name = tag.name
        if not tag.is_end and not self._is_ended_by(name):
            self._inside[name] = self._inside.get(name, 0) + (name not in VOID)
            return True
        if tag.is_end and self._inside.get(name):
            self._inside[name] -= 1
            self.hidden = self.hidden if self._inside[self.hidden] else ""
            return True
        if tag.is_end and not self._elements.holds(name):
            return True
        self.hidden = ""
        return False

    def _is_ended_by(self, name: str) -> bool:
        """Return whether this start tag implicitly ends the hidden element, as in browsers."""
        if self._inside[self.hidden] > 1 or any(self._inside.get(one) for one in _HOLDERS):
            return False
        if self.hidden in _FOREIGN:
            return name in BLOCKS
        return self.hidden in _ENDED_BY.get(name, ())


def _is_hidden(tag: Tag) -> bool:
    written = tag.written.lower()
    if not any(word in written for word in _HIDING_WORDS):
        return False
    attributes = tag.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


_HIDING_WORDS = ("hidden", "none", "mso-hide")
_HOLDERS = ("ul", "ol", "table", "foreignobject")
"""Elements that hold others: what begins in one of them ends nothing outside."""
_ENDED_BY = {
    "li": ("li", "p"),
    "p": ("p",),
    "div": ("p",),
    "table": ("p",),
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("tr", "td", "th"),
    "dt": ("dt", "dd", "p"),
    "dd": ("dt", "dd", "p"),
    "option": ("option",),
}
"""Begin tags, and the hidden elements that they end."""


TITLE_CHARS_MAX = 120

_LINE_ENDS = lazy_pattern("\r\n?|[\x0b\x0c\x85]")
_CONTROLS = lazy_pattern("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BLANK_LINES = lazy_pattern("\n{4,}")
_HEADING = lazy_pattern(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_EMPHASIS = lazy_pattern(r"\*\*|__|`")
_VISIBLE = lazy_pattern(r"[^\W_]")
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
    """Return the first Markdown heading in the head of a text, else its first line with a word.

    At most 120 characters, cut after a word with `…`; empty if no line holds a letter or digit.
    """
    head = text[:_TITLE_HEAD_CHARS]
    heading = _HEADING.search(head)
    if heading and _VISIBLE.search(mask(heading[1])):
        return _shorten(heading[1].strip().rstrip("#").rstrip())
    line = next((line for line in head.split("\n") if _VISIBLE.search(mask(line))), "")
    return _shorten(line.strip().strip("#*_>`-\u2022 \t"))


def _shorten(line: str) -> str:
    line = " ".join(_EMPHASIS.sub("", line).split())
    if len(line) <= TITLE_CHARS_MAX:
        return line
    cut = line[: TITLE_CHARS_MAX - 1]
    words, _, rest = cut.rpartition(" ")
    return (words if len(rest) < TITLE_CHARS_MAX // 2 and words else cut).rstrip(
        " ,;:.-"
    ) + "\u2026"
