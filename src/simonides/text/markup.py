"""HTML as readable text: headings, paragraphs, list bullets, quotes and table rows as lines.

Knows elements and how they read. Must not know mail or documents. The owner of `selectolax`.
"""

import functools
import html as entities
import re
from typing import Any

from simonides.text.nesting import is_sane
from simonides.text.script import without_surrogates

_FRAMES_MAX = 24
"""Quotes and lists nested deeper are not indented any further, so that output stays linear."""
_ROW_CHARS_MAX = 1_000
"""A longer table row is layout, not data: its cells are paragraphs."""

_DROPPED = frozenset(
    "head script style template svg math iframe object embed noembed noframes audio video canvas "
    "title meta link base datalist -comment".split()
)
_HEADINGS = {f"h{n}": "#" * n + " " for n in range(1, 7)}
_PARAGRAPHS = frozenset(
    "p ul ol dl table blockquote pre h1 h2 h3 h4 h5 h6 hr figure form fieldset".split()
)
_BLOCKS = _PARAGRAPHS | frozenset(
    "div section article aside header footer main nav address center li dt dd tr caption details "
    "summary figcaption option legend body html tbody thead tfoot".split()
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
_MAY_HIDE = re.compile(r"display|visibility|mso-hide|hidden", re.IGNORECASE)
_LINK = re.compile(r"(?:https?://|mailto:|tel:)", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\n\r\f\u00a0]+")
_TAG = re.compile(r"<(?:!--.*?(?:-->|\Z)|/?([a-zA-Z][a-zA-Z0-9]*)[^<>]*>?|[!?/][^<>]*>?)", re.DOTALL)
_RAW = re.compile(r"<(script|style|title)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def from_html(html: str) -> str:
    """Return what a reader sees of an HTML text.

    Headings as Markdown's, list entries with `- ` or their number, rows of a table as cells with
    ` | ` between, quoted blocks with `> ` before each line, links by their text (by their address
    if they have none), images by theirs. Scripts, styles, the head and hidden elements are left
    out. Never raises: HTML nested beyond reason is stripped of its tags instead.
    """
    html = without_surrogates(html).replace("\x00", "")
    if not is_sane(html):
        return _stripped(html)
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  heavy

    body = LexborHTMLParser(html).body
    if body is None:
        return ""
    page = _Page(may_hide=bool(_MAY_HIDE.search(html)))
    page.walk(body)
    return "\n".join(page.lines()).strip("\n")


def _stripped(html: str) -> str:
    """Return the text between the tags, a line for each block."""
    bare = _TAG.sub(lambda tag: "\n" if (tag[1] or "").lower() in _BLOCKS else " ", _RAW.sub("", html))
    lines = (" ".join(entities.unescape(line).split()) for line in bare.split("\n"))
    return "\n".join(line for line in lines if line)


class _Frame:
    """The lines of one element, whose lines are changed as a whole when it ends."""

    __slots__ = ("cells", "gap", "inline", "lines", "nested", "number", "tag")

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.lines: list[str] = []
        self.inline: list[str] = []
        self.gap = False
        self.cells: list[list[str]] = []
        self.nested = False
        self.number = 0

    def end_line(self, *, gap: bool = False) -> None:
        """Close the line being written; `gap` asks for a blank one before the next."""
        line = _SPACES.sub(" ", "".join(self.inline)).strip(" ")
        self.inline.clear()
        if line.strip("#"):
            self.add([line])
        self.gap = self.gap or gap

    def end_verbatim_line(self) -> None:
        """Close a line of preformatted text, whose spaces stand."""
        line = "".join(self.inline).replace("\u00a0", " ").rstrip()
        self.inline.clear()
        if line or self.lines:
            self.add([line])

    def add(self, lines: list[str]) -> None:
        """Append lines, after the blank one that was asked for."""
        if lines and self.gap and self.lines and self.lines[-1]:
            self.lines.append("")
        self.gap = self.gap and not lines
        self.lines += lines


class _Page:
    """The page being read; the frames of the open elements, innermost last."""

    def __init__(self, *, may_hide: bool) -> None:
        self.may_hide = may_hide
        self.frames = [_Frame("body")]
        self.written = 0
        self.verbatim = 0
        self.links: list[int] = []

    def lines(self) -> list[str]:
        """Return the lines of the whole page."""
        self.frames[0].end_line()
        return self.frames[0].lines

    def walk(self, root: Any) -> None:
        """Read everything under `root`, without recursion."""
        opened: list[tuple[Any, str]] = []
        node = root.first_child
        while node is not None:
            tag = node.tag
            child = None
            if tag == "-text":
                self.text(node.text_content or "")
            elif self.enter(node, tag):
                child = node.first_child
                opened.append((node, tag))
            node = child or self.next_after(node, opened, entered=bool(opened) and opened[-1][0] is node)

    def next_after(self, node: Any, opened: list[tuple[Any, str]], *, entered: bool) -> Any:
        """Return the node that follows in reading order, leaving the elements that end before."""
        if not entered:
            following = node.next
            if following is not None:
                return following
        while opened:
            node, tag = opened.pop()
            self.leave(node, tag)
            following = node.next
            if following is not None:
                return following
        return None

    def text(self, raw: str) -> None:
        """Write the text of one node."""
        self.written += bool(raw.strip())
        frame = self.frames[-1]
        if not self.verbatim:
            frame.inline.append(raw)
            return
        *whole, last = raw.split("\n")
        for line in whole:
            frame.inline.append(line)
            frame.end_verbatim_line()
        frame.inline.append(last)

    def enter(self, node: Any, tag: str) -> bool:
        """Begin an element; false if what it holds is not read."""
        if tag in _DROPPED or tag[0] == "-" or (self.may_hide and _is_hidden(node)):
            return False
        frame = self.frames[-1]
        if tag in _BLOCKS:
            frame.end_line(gap=self.is_apart(tag))
        begin = _ENTER.get(tag)
        if begin is not None:
            begin(self, node, tag)
        return True

    def leave(self, node: Any, tag: str) -> None:
        """End an element that was begun."""
        end = _LEAVE.get(tag)
        if end is not None:
            end(self, node, tag)
        if tag in _BLOCKS:
            self.frames[-1].end_line(gap=self.is_apart(tag))

    def is_apart(self, tag: str) -> bool:
        """Say whether a blank line stands around the element; not around a list within a list."""
        if tag in {"ul", "ol"}:
            return all(frame.tag != "li" for frame in self.frames)
        return tag in _PARAGRAPHS

    def push(self, _node: Any, tag: str) -> None:
        """Open a frame."""
        if tag == "table":
            self.nearest_row().nested = True
        elif len(self.frames) < _FRAMES_MAX:
            self.frames.append(_Frame(tag))

    def nearest_row(self) -> _Frame:
        """Return the frame of the innermost table row, or of the page."""
        return next((f for f in reversed(self.frames) if f.tag == "tr"), self.frames[0])

    def popped(self, tag: str) -> list[str]:
        """Close the element's frame, if it was given one, and return its lines."""
        frame = self.frames[-1]
        if frame.tag != tag or len(self.frames) == 1:
            return []
        frame.end_line()
        self.frames.pop()
        return frame.lines


def _is_hidden(node: Any) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))
