"""Office files rewritten before kreuzberg sees them, so that it leaves out no words (4.10.4).

It drops `&`, `<`, `>`, tabs and line breaks of Word files, puts blanks between the runs of a
slide, where a word may be half bold, marks emphasis inside of words, drops what follows a text
box in its paragraph and the text of a span inside a span. The XML is changed by patterns in one
pass each. Must not know what becomes of the text.
"""

import html
import io
import re
import zipfile
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass

from simonides_formats.documents.office_margins import (
    move_into_open_document,
    move_into_slides,
    move_into_word,
)

SLIDE_BEGINS, SLIDE_NUMBER_ENDS = "\U0010ff01", "\U0010ff02"
LINE_BREAK, TAB = "\U0010ff0a", "\U0010ff09"
"""Stand-ins from a plane for private use, where no font has characters."""

_MARKS = {ord(one): chr(0x10FF00 + ord(one)) for one in "&<>\"'"}
_MARKS_BACK = {ord(mark): chr(one) for one, mark in _MARKS.items()} | {ord(TAB): "\t"}

UNPACKED_BYTES_MAX = 100 << 20
"""As much as the library itself unpacks."""

_UNREADABLE = (OSError, ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True)
class _Rule:
    """Which members of a kind of file are needed and which hold text, and the changes of those.

    `move` first brings what stands beside the text into it.
    """

    needed: re.Pattern[str]
    text: re.Pattern[str]
    changes: tuple[tuple[re.Pattern[bytes], bytes | Callable[[re.Match[bytes]], bytes]], ...]
    move: Callable[[MutableMapping[str, bytes]], None] | None = None


def _mark(reference: re.Match[bytes]) -> bytes:
    text = html.unescape(reference[0].decode("ascii"))
    return text.translate(_MARKS).encode("utf-8", "ignore")


_REFERENCE = re.compile(rb"""(?<=\shref=)("[^"<>]*+"|'[^'<>]*+')""")
_QUOTED_BYTE = re.compile(rb"%(?![01]|2[267]|3[ceCE])([0-9a-fA-F]{2})")
"""A byte of an address, unless it would mean something in XML."""


def _name_chapters(members: MutableMapping[str, bytes]) -> None:
    """Refer to the chapters of a book by the names of their files, which addresses quote."""
    for name in [one for one in members if one.lower().endswith(".opf")]:
        members[name] = _REFERENCE.sub(_unquote, members[name])


def _unquote(reference: re.Match[bytes]) -> bytes:
    return _QUOTED_BYTE.sub(lambda one: bytes.fromhex(one[1].decode("ascii")), reference[0])


_RUN_PROPERTIES = rb"(?:<a:rPr[^<>]*+(?:(?<=/)>|(?<!/)>(?s:.*?)</a:rPr>))?+"


def _element(name: bytes) -> re.Pattern[bytes]:
    """Return a pattern of whole elements of this name that hold none of their own name."""
    tag = name + rb"(?:\s[^<>]*+)?+(?<!/)>"
    return re.compile(rb"<%b(?:[^<]++|<(?!/?%b))*</%b>" % (tag, tag, name))


_OPEN_INLINE = re.compile(
    rb"</?text:(?:span|a|ruby|ruby-base|meta|meta-field|placeholder|text-input|drop-down|date|time"
    rb"|title|subject|author-name|author-initials|creator|initial-creator|description|keywords"
    rb"|chapter|sequence|[a-z-]+-ref|variable-[a-z]+|user-field-[a-z]+|user-defined|expression"
    rb"|conditional-text|sender-[a-z-]+|bookmark(?:-start|-end)?)(?:\s[^<>]*)?>"
)
"""Elements inside a paragraph whose text the library drops where they lie in one another."""

_OPEN_DOCUMENT = re.compile(r"mimetype|.*\.xml")
_RULES = {
    "docx": _Rule(
        needed=re.compile(r".*\.(?:xml|rels)"),
        text=re.compile(r"word/[^/]+\.xml"),
        move=move_into_word,
        changes=(
            (_element(b"w:del"), b""),
            (_element(b"w:moveFrom"), b""),
            (re.compile(rb"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});"), _mark),
            (re.compile(rb"<w:tab ?/>"), f"<w:t>{TAB}</w:t>".encode()),
            (re.compile(rb"<w:br ?/>"), f"<w:t>{LINE_BREAK}</w:t>".encode()),
            (re.compile(rb"<w:noBreakHyphen ?/>"), b"<w:t>-</w:t>"),
            (re.compile(rb"<w:(?:b|i|u|bCs|iCs|strike|dstrike)(?: [^<>]*)?/>"), b""),
        ),
    ),
    "pptx": _Rule(
        needed=re.compile(r".*\.(?:xml|rels)"),
        text=re.compile(r"ppt/(?:slides|notesSlides)/[^/]+\.xml"),
        move=move_into_slides,
        changes=(
            (re.compile(rb"</a:t></a:r>\s*<a:r>\s*" + _RUN_PROPERTIES + rb"\s*<a:t>"), b""),
            (re.compile(rb' (?:b|i|u|strike)="[^"<>]*+"'), b""),
        ),
    ),
    "odt": _Rule(
        needed=_OPEN_DOCUMENT,
        text=re.compile(r"content\.xml"),
        move=move_into_open_document,
        changes=(
            (_OPEN_INLINE, b""),
            (re.compile(rb"<text:ruby-text(?:\s[^<>]*)?>"), b" ("),
            (re.compile(rb"</text:ruby-text>"), b")"),
            (re.compile(rb"<text:note-citation[^<>]*>[^<]*</text:note-citation>"), b""),
            (re.compile(rb"<text:note-body>\s*<text:p(?:\s[^<>]*)?>"), b" ("),
            (re.compile(rb"</text:p>\s*</text:note-body>"), b")"),
            (re.compile(rb"</?text:note(?:\s[^<>]*)?>"), b""),
            (re.compile(rb"<text:s(?:\s[^<>]*)?/>"), b" "),
        ),
    ),
    "odp": _Rule(  # which the library does not know: as a text with a mark before each slide
        needed=_OPEN_DOCUMENT,
        text=re.compile(r"mimetype|content\.xml"),
        changes=(
            (re.compile(rb"opendocument\.presentation"), b"opendocument.text"),
            (re.compile(rb"(</?office:)presentation>"), rb"\1text>"),
            (
                re.compile(rb"<draw:page(?:\s[^<>]*)?>"),
                f"<text:p>{SLIDE_BEGINS}{SLIDE_NUMBER_ENDS}</text:p>".encode(),
            ),
            (re.compile(rb"<presentation:notes(?:\s[^<>]*)?>"), b"<text:p>Notes:</text:p>"),
            (re.compile(rb"</?(?:draw|presentation):[^<>]*>"), b""),
        ),
    ),
    "epub": _Rule(
        needed=re.compile(r"mimetype|.*\.(?:xml|opf|ncx|x?html?)", re.IGNORECASE),
        text=re.compile(r".*\.x?html?", re.IGNORECASE),
        move=_name_chapters,
        changes=(
            (
                re.compile(
                    rb"</?(?:b|strong|i|em|u|s|del|ins|span|small|big|mark|font|cite|code)"
                    rb"(?:\s[^<>]*+)?>"
                ),
                b"",
            ),
        ),
    ),
}


def rewritten(raw: bytes, kind: str) -> bytes:
    """Return the file with what is needed of it, changed so that the library keeps all words.

    A file that is damaged or too large stays as it is, for the library to say what is wrong.
    """
    rule = _RULES.get(kind)
    if rule is None:
        return raw
    written = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(written, "w") as new:
            needed = [one for one in old.infolist() if rule.needed.fullmatch(one.filename)]
            if sum(one.file_size for one in needed) > UNPACKED_BYTES_MAX:
                return raw
            members = {one.filename: old.read(one) for one in needed}
            if rule.move:
                rule.move(members)
            for name, content in members.items():
                new.writestr(name, _change(content, name, rule))
    except _UNREADABLE:
        return raw
    return written.getvalue()


def _change(content: bytes, name: str, rule: _Rule) -> bytes:
    if rule.text.fullmatch(name):
        for pattern, words in rule.changes:
            content = pattern.sub(words, content)
    return content


def restore(text: str) -> str:
    """Return text with the characters that were marked; rows of tables stay on their lines."""
    if LINE_BREAK in text:
        lines = (
            line.replace(LINE_BREAK, " " if line.startswith("|") else "\n")
            for line in text.split("\n")
        )
        text = "\n".join(lines)
    return text.translate(_MARKS_BACK)
