"""HTML cut into tags and text, in linear time.

Knows how a tag, a comment and a script are written. Must not know what a tag means to a reader.
The patterns never go back over what they have taken (`++`, `*+`), so that no page is slow.
"""

import html as entities
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

ATTRIBUTES_MAX = 256
"""Most attributes of one tag that are looked at."""

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
"""The elements that have no content."""

_QUOTED = r"""(?:[^>=]++|=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]*+))*+"""
"""The attributes of a tag: a quote counts only after `=`."""

_UNQUOTED = r"[^<>]*+"
"""The same where a quote was never closed: there it is a mark like any other."""


def _tokens(attributes: str) -> re.Pattern[str]:
    return re.compile(
        r"(?P<text>[^<]++)"
        r"|<(?P<raw>(?i:script|style|title|textarea|xmp|iframe|noembed|noframes))(?=[\s/>])"
        rf"(?:{attributes})>(?P<content>(?:[^<]++|<(?!/(?i:(?P=raw))[\s/>]))*+)"
        rf"|<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/<>]*+)(?P<attributes>{attributes})(?P<end>>?)"
        r"|<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)"
        r"|<[!?/][^>]*+>?"
        r"|(?P<mark><)"
    )


_STRICT, _LENIENT = _tokens(_QUOTED), _tokens(_UNQUOTED)
_TEXT, _CONTENT, _END = (_STRICT.groupindex[name] for name in ("text", "content", "end"))
_TAG = tuple(_STRICT.groupindex[name] for name in ("slash", "name", "attributes", "end"))
_ATTRIBUTE = re.compile(r"""([^\s=/>]++)\s*+(?:=\s*+("[^"]*+"?|'[^']*+'?|[^\s>]*+))?""")
_LONG_NUMBER = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}+;?")
"""A character by a number that no character has; Python refuses to read very long ones."""


class Tag(NamedTuple):
    """A begin or end tag: its lower-case name, and its attributes as they are written."""

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
            found.setdefault(match[1].lower(), value and unescaped(value))
        return found


def tags_and_text(html: str) -> Iterator[Tag | str]:
    """Yield the tags of a page and the text between them, in their order.

    Comments, scripts and the like are left out; the text of an entry field is not. Where a tag
    never ends, what follows it is cut anew as if quotes meant nothing, so that no text is lost.
    """
    for match in _STRICT.finditer(html):
        kind = match.lastindex
        if kind == _TEXT:
            yield unescaped(match[_TEXT])
        elif kind == _END:
            slash, name, written, end = match.group(*_TAG)
            if not end:
                yield from filter(None, map(_token, _LENIENT.finditer(html, match.start())))
                return
            yield Tag(name.lower(), written, slash == "/")
        elif kind:
            yield _token(match)


def _token(match: re.Match[str]) -> Tag | str:
    """Return what was cut off: a tag, a text, or nothing for what is left out."""
    kind = match.lastindex
    if kind == _TEXT:
        return unescaped(match[_TEXT])
    if kind == _END:
        slash, name, written, _ = match.group(*_TAG)
        return Tag(name.lower(), written, slash == "/")
    if kind == _CONTENT:
        return unescaped(match[_CONTENT]) if match["raw"].lower() == "textarea" else ""
    return "<" if kind else ""


def unescaped(text: str) -> str:
    """Return the text with its character references as the characters they stand for."""
    if "&" not in text:
        return text
    return entities.unescape(_LONG_NUMBER.sub("\ufffd", text))
