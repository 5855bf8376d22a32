"""The layout of HTML elements as lines: line breaks, bullets, quotes, table rows.

Knows HTML's elements by name and their attributes. Must not know how they are parsed.
"""

import re
from collections.abc import Callable
from typing import Protocol

from simonides.text.word_patterns import lazy_pattern

_PARAGRAPHS = frozenset(
    "p table blockquote pre h1 h2 h3 h4 h5 h6 hr figure form fieldset dl ul ol".split()
)
BLOCKS = _PARAGRAPHS | frozenset(
    "div section article aside header footer main nav address center li dt dd tr td th caption "
    "details summary figcaption option legend body html tbody thead tfoot br".split()
)
"""The elements that begin a line of their own."""
_FRAMED = frozenset("blockquote li tr td th ol ul".split())
_FRAMES_MAX = 24
"""What is nested deeper is not indented any further, so that the output stays linear."""
_ROW_CHARS_MAX = 600
"""A longer table row is layout, not data: its cells are paragraphs."""
_SPACES = lazy_pattern(r"[ \t\n\r\f\u00a0]+")
_LINK = lazy_pattern(r"(?:https?://|mailto:)(?=\S)", re.IGNORECASE)


class Element(Protocol):
    """The attributes of a parsed element."""

    @property
    def attributes(self) -> dict[str, str | None]:
        """Return the attributes by name; None for one without a value."""
        ...


class _Frame:
    """The lines of one element, whose lines are changed as a whole when it ends."""

    __slots__ = ("cells", "entries", "gap", "inline", "lines", "nested", "tag")

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.lines: list[str] = []
        self.inline: list[str] = []
        self.gap = False
        self.entries = 0
        self.cells: list[list[str]] = []
        self.nested = False

    def end_line(self, *, gap: bool = False) -> None:
        """Close the line being written; `gap` asks for a blank one before the next."""
        line = _SPACES.sub(" ", "".join(self.inline)).strip(" ")
        self.inline.clear()
        if line.strip("# "):
            self.add([line])
        self.gap = self.gap or gap

    def end_verbatim_line(self) -> None:
        """Close a line of preformatted text, which keeps its spaces."""
        line = "".join(self.inline).replace("\u00a0", " ").rstrip()
        self.inline.clear()
        if line or self.lines:
            self.add([line])

    def add(self, lines: list[str]) -> None:
        """Append lines, after a blank one if one was requested."""
        if lines and self.gap and self.lines and self.lines[-1]:
            self.lines.append("")
        self.gap = self.gap and not lines
        self.lines += lines


class LayoutPage:
    """A page that is read in order: text, and elements at their start and end."""

    def __init__(self) -> None:
        self._frames = [_Frame("body")]
        self._framed: list[bool] = []
        self._links: list[int] = []
        self._written = 0
        self._verbatim = 0

    def lines(self) -> list[str]:
        """Return the lines of the whole page."""
        self._frames[0].end_line()
        return self._frames[0].lines

    def text(self, raw: str) -> None:
        """Write a run of text."""
        self._written += bool(raw.strip())
        frame = self._frames[-1]
        if self._verbatim:
            *whole, raw = raw.split("\n")
            for line in whole:
                frame.inline.append(line)
                frame.end_verbatim_line()
        frame.inline.append(raw)

    def enter(self, tag: str, element: Element) -> None:
        """Begin an element."""
        if tag in BLOCKS:
            self._end_line(tag)
        if tag in _FRAMED:
            self._framed.append(len(self._frames) < _FRAMES_MAX)
            if self._framed[-1]:
                self._frames.append(_Frame(tag))
        elif tag in _ENTER:
            _ENTER[tag](self, element)

    def leave(self, tag: str, element: Element) -> None:
        """End an element that was entered."""
        if tag == "a":
            self._leave_link(element)
        elif tag == "pre":
            self._verbatim -= 1
            self._frames[-1].end_verbatim_line()
        if tag in BLOCKS and tag != "br":
            self._end_line(tag)
        if tag in _FRAMED and self._framed.pop():
            frame = self._frames.pop()
            _CLOSE.get(tag, _Frame.add)(self._frames[-1], _CONTENT.get(tag, _own_lines)(frame))
            self._frames[-1].gap |= self._is_apart(tag)

    def _end_line(self, tag: str) -> None:
        frame = self._frames[-1]
        again = tag == "br" and not "".join(frame.inline).strip()
        frame.end_line(gap=again or self._is_apart(tag))

    def _is_apart(self, tag: str) -> bool:
        """Return whether a blank line surrounds the element; not for a list within a list."""
        if tag in {"ul", "ol"}:
            return all(frame.tag != "li" for frame in self._frames)
        return tag in _PARAGRAPHS

    def _enter_table(self, _: Element) -> None:
        row = next((f for f in reversed(self._frames) if f.tag == "tr"), self._frames[0])
        row.nested = True

    def _enter_pre(self, _: Element) -> None:
        self._verbatim += 1

    def _enter_link(self, _: Element) -> None:
        self._links.append(self._written)

    def _leave_link(self, element: Element) -> None:
        """Write the address of a link that has no text."""
        if self._links.pop() != self._written:
            return
        address = (element.attributes.get("href") or "").strip()
        if _LINK.match(address):
            self.text(" " + re.sub("^mailto:", "", address, flags=re.IGNORECASE) + " ")

    def _enter_image(self, element: Element) -> None:
        self.text(element.attributes.get("alt") or "")

    def _enter_heading(self, level: int) -> None:
        self._frames[-1].inline.append("#" * level + " ")


def _heading(level: int) -> Callable[[LayoutPage, Element], None]:
    return lambda page, _: page._enter_heading(level)  # noqa: SLF001  the table is the class's own


_ENTER: dict[str, Callable[[LayoutPage, Element], None]] = {
    "table": LayoutPage._enter_table,  # noqa: SLF001
    "pre": LayoutPage._enter_pre,  # noqa: SLF001
    "a": LayoutPage._enter_link,  # noqa: SLF001
    "img": LayoutPage._enter_image,  # noqa: SLF001
    **{f"h{level}": _heading(level) for level in range(1, 7)},
}


def _own_lines(frame: _Frame) -> list[str]:
    return frame.lines


def _quote(frame: _Frame) -> list[str]:
    return [f"> {line}".rstrip() for line in frame.lines]


def _row(frame: _Frame) -> list[str]:
    """Return a data row as one line, its cells separated; of a layout table, its cells' lines."""
    filled = [cell for cell in frame.cells if cell]
    size = sum(len(line) for cell in filled for line in cell)
    if len(filled) < 2 or frame.nested or size > _ROW_CHARS_MAX:  # noqa: PLR2004  one is no row
        return frame.lines + [line for cell in filled for line in cell]
    joined = " | ".join(" ".join(filter(None, cell)) for cell in frame.cells)
    return [*frame.lines, joined.strip(" |")]


_CONTENT: dict[str, Callable[[_Frame], list[str]]] = {"blockquote": _quote, "tr": _row}


def _add_entry(parent: _Frame, lines: list[str]) -> None:
    """Add a list entry: its bullet or number before it, its other lines indented."""
    if lines:
        parent.entries += 1
        mark = f"{parent.entries}. " if parent.tag == "ol" else "- "
        parent.add([mark + lines[0], *(f"  {line}".rstrip() for line in lines[1:])])


def _add_cell(parent: _Frame, lines: list[str]) -> None:
    if parent.tag == "tr":
        parent.cells.append(lines)
    else:
        parent.add(lines)


_CLOSE: dict[str, Callable[[_Frame, list[str]], None]] = {
    "li": _add_entry,
    "td": _add_cell,
    "th": _add_cell,
}
