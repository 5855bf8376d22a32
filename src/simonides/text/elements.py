"""HTML tags, and the stack of open elements: which tag begins, ends or implies which.

As browsers read them, in linear time: the patterns never go back over what they have taken
(`++`, `*+`), the stack is bounded, and a tag is only looked for where it is. Must not know what an
element means to a reader.
"""

import html as entities
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from simonides.text.layout import BLOCKS, LayoutPage
from simonides.text.word_patterns import lazy_pattern

ATTRIBUTES_MAX = 256
"""Most attributes of one tag that are looked at."""

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
"""The elements that have no content."""

_QUOTED = r"""(?:[^>=]++|=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]*+))*+"""
"""The attributes of a tag: a quote counts only after `=`."""

_UNQUOTED = r"[^<>]*+"
"""The same where a quote was never closed: there it is a mark like any other."""


def _tokens(attributes: str) -> re.Pattern[str]:
    # No negative look-ahead stands in a possessive group: Python before 3.11.4 goes on behind it.
    return lazy_pattern(
        r"(?P<text>[^<]++)"
        r"|<(?P<raw>(?i:script|style|title|textarea|xmp|iframe|noembed|noframes))(?=[\s/>])"
        rf"(?:{attributes})>(?P<content>(?s:.*?))(?=</(?i:(?P=raw))[\s/>]|\Z)"
        rf"|<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/<>]*+)(?P<attributes>{attributes})(?P<end>>?)"
        r"|<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
        r"|<[!?/][^>]*+>?"
        r"|(?P<mark><)"
    )


_STRICT, _LENIENT = _tokens(_QUOTED), _tokens(_UNQUOTED)
_TEXT, _CONTENT, _END = (_STRICT.groupindex[name] for name in ("text", "content", "end"))
_TAG = tuple(_STRICT.groupindex[name] for name in ("slash", "name", "attributes", "end"))
_ATTRIBUTE = lazy_pattern(r"""([^\s=/>]++)\s*+(?:=\s*+("[^"]*+"?|'[^']*+'?|[^\s>]*+))?""")
_LONG_NUMBER = lazy_pattern(r"&#[xX]?[0-9a-fA-F]{9,}+;?")
"""A character by a number that no character has; Python refuses to read very long ones."""


class Tag(NamedTuple):
    """A start or end tag: its lower-case name, and its attributes as written."""

    name: str
    written: str
    is_end: bool

    @property
    def attributes(self) -> dict[str, str | None]:
        """Return the first attributes by lower-case name; None for one without a value."""
        found: dict[str, str | None] = {}
        for match in islice(_ATTRIBUTE.finditer(self.written), ATTRIBUTES_MAX):
            value = match[2]
            if value and value[0] in "\"'":
                value = value[1:].removesuffix(value[0])
            found.setdefault(match[1].lower(), value and unescape(value))
        return found


def tags_and_text(html: str) -> Iterator[Tag | str]:
    """Yield the tags of a page and the text between them, in order.

    Comments, scripts and the like are left out; the text of an entry field is not. Where a tag
    never ends, what follows it is cut anew as if quotes meant nothing, so that no text is lost.
    """
    for match in _STRICT.finditer(html):
        kind = match.lastindex
        if kind == _TEXT:
            yield unescape(match[_TEXT])
        elif kind == _END:
            slash, name, written, end = match.group(*_TAG)
            if not end:
                yield from filter(None, map(_token, _LENIENT.finditer(html, match.start())))
                return
            yield Tag(name.lower(), written, slash == "/")
        elif kind:
            yield _token(match)


def _token(match: re.Match[str]) -> Tag | str:
    """Return the tag or text of a match; empty for comments, scripts and the like."""
    kind = match.lastindex
    if kind == _TEXT:
        return unescape(match[_TEXT])
    if kind == _END:
        slash, name, written, _ = match.group(*_TAG)
        return Tag(name.lower(), written, slash == "/")
    if kind == _CONTENT:
        return unescape(match[_CONTENT]) if match["raw"].lower() == "textarea" else ""
    return "<" if kind else ""


def unescape(text: str) -> str:
    """Return the text with its character references replaced by their characters."""
    if "&" not in text:
        return text
    return entities.unescape(_LONG_NUMBER.sub("\ufffd", text))


DEPTH_MAX = 512
"""Where Blink and WebKit stop nesting; a deeper element begins and ends on the spot."""

_NEAR = 16
"""How far up an open list entry is looked for."""

_NOTHING: frozenset[str] = frozenset()
_PARAGRAPH, _LINK, _OPTION = frozenset(["p"]), frozenset(["a"]), frozenset(["option"])
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_CELLS = frozenset("td th caption".split())
_SECTIONS = frozenset("tbody thead tfoot".split())
_TABLE_PARTS = _CELLS | _SECTIONS | {"tr"}
_BARRIERS = _CELLS | {"table"}
"""No end tag inside of one ends anything outside."""
_ENTRIES = {"li": frozenset(["li"]), "dt": frozenset(["dt", "dd"]), "dd": frozenset(["dt", "dd"])}
_MAY_STAND_IN_ENTRY = frozenset("a p div address".split())
_KEPT = (BLOCKS - VOID - {"html", "body"}) | {"a"}
"""The elements that are held open."""

MATTERING = _KEPT | {"br", "hr", "img"}
"""The elements reported to the page; of all others only the text matters."""

_LEAVES_PARAGRAPH = _KEPT - _TABLE_PARTS - {"a", "option"} | {"hr"}


@dataclass(slots=True)
class _Table:
    """An open table: its place among the open elements, and its row and cell, if any."""

    at: int
    section: int = 0
    row: int = 0
    cell: int = 0


class Elements:
    """The stack of open elements; reports their start and end to the page."""

    def __init__(self, page: LayoutPage) -> None:
        self._page = page
        self._opened: list[Tag] = []
        self._scopes: list[dict[str, int]] = [{}]
        self._tables: list[_Table] = []

    def begin(self, tag: Tag) -> None:
        """Begin an element, ending those that cannot contain it."""
        name = tag.name
        if name in _LEAVES_PARAGRAPH and self._scopes[-1].get("p"):
            self._end_near(_PARAGRAPH, below=_LINK)
        if name not in MATTERING:
            return
        if name in VOID:
            self._page.enter(name, tag)
            self._page.leave(name, tag)
        elif name in _TABLE_PARTS:
            self._begin_table_part(tag)
        else:
            self._make_room(name)
            self._push(tag)

    def end(self, tag: Tag) -> None:
        """End an element with everything open in it; an end tag without a start ends nothing."""
        name = tag.name
        if name == "a":
            self._end_link()
        elif name not in _KEPT and name != "br":
            return
        elif name in _TABLE_PARTS or name == "table":
            self._end_table_part(name)
        elif name in _ENTRIES:
            self._end_near(frozenset([name]), below=_MAY_STAND_IN_ENTRY)
        elif name in _HEADINGS:
            self._end_near(_HEADINGS, below=_LINK | _PARAGRAPH)
        elif self._scopes[-1].get(name):
            while self._pop() != name:
                pass
        elif name in ("p", "br"):
            self.begin(Tag(name, "", is_end=False))

    def close(self) -> None:
        """End all open elements."""
        self._pop_to(0)

    def holds(self, name: str) -> bool:
        """Return whether an end tag of this name would end an element."""
        if name in _TABLE_PARTS or name == "table":
            return bool(self._tables)
        return bool(self._scopes[-1].get(name))

    def _make_room(self, name: str) -> None:
        """End the elements that a new element of this name implicitly closes."""
        if name in _ENTRIES:
            self._end_near(_ENTRIES[name], below=_MAY_STAND_IN_ENTRY)
        elif name == "a":
            self._end_link()
        elif name in _HEADINGS:
            self._end_near(_HEADINGS, below=_NOTHING)
        elif name == "option":
            self._end_near(_OPTION, below=_NOTHING)
        elif name == "table" and self._tables and not self._tables[-1].cell:
            self._pop_to(self._tables[-1].at)

    def _begin_table_part(self, tag: Tag) -> None:
        if not self._tables:  # outside of a table it only begins a line
            self._page.enter("div", tag)
            self._page.leave("div", tag)
            return
        table = self._tables[-1]
        if tag.name == "caption" or tag.name in _SECTIONS:
            self._pop_to(table.at + 1)
        elif tag.name == "tr":
            self._pop_to(max(table.at, table.section) + 1)
        else:
            self._pop_to(max(table.at, table.section, table.row) + 1)
            if not table.row:
                self._push(Tag("tr", "", is_end=False))
        self._push(tag)

    def _end_table_part(self, name: str) -> None:
        if not self._tables:
            return
        table = self._tables[-1]
        if name == "table":
            self._pop_to(table.at)
        elif name in _SECTIONS:
            self._pop_to(table.section or len(self._opened))
        elif name == "tr":
            self._pop_to(table.row or len(self._opened))
        else:
            self._pop_to(table.cell or len(self._opened))

    def _end_near(self, names: frozenset[str], *, below: frozenset[str]) -> None:
        """End the nearest element of these names, if only elements of `below` are open in it."""
        for place in range(len(self._opened) - 1, max(-1, len(self._opened) - 1 - _NEAR), -1):
            found = self._opened[place].name
            if found in names:
                self._pop_to(place)
            if found in names or found not in below:
                return

    def _end_link(self) -> None:
        """End the open link; elements begun in it stay open."""
        if not self._scopes[-1].get("a"):
            return
        place = next(n for n in range(len(self._opened) - 1, -1, -1) if self._opened[n].name == "a")
        self._scopes[-1]["a"] -= 1
        self._page.leave("a", self._opened.pop(place))

    def _push(self, tag: Tag) -> None:
        self._page.enter(tag.name, tag)
        if len(self._opened) >= DEPTH_MAX:
            self._page.leave(tag.name, tag)
            return
        name, place = tag.name, len(self._opened)
        self._scopes[-1][name] = self._scopes[-1].get(name, 0) + 1
        self._opened.append(tag)
        if name in _BARRIERS:
            self._scopes.append({})
        if name == "table":
            self._tables.append(_Table(place))
        elif name in _TABLE_PARTS:
            self._note(name, place)

    def _pop_to(self, count: int) -> None:
        while len(self._opened) > count:
            self._pop()

    def _pop(self) -> str:
        """End the innermost element; return its name."""
        tag = self._opened.pop()
        name = tag.name
        if name in _BARRIERS:
            self._scopes.pop()
        if name == "table":
            self._tables.pop()
        elif name in _TABLE_PARTS:
            self._note(name, 0)
        self._scopes[-1][name] -= 1
        self._page.leave(name, tag)
        return name

    def _note(self, name: str, place: int) -> None:
        """Store the place of the innermost table's section, row or cell; 0 for none."""
        table = self._tables[-1]
        if name in _SECTIONS:
            table.section = place
        elif name == "tr":
            table.row = place
        else:
            table.cell = place
