"""What stands beside the text of office files, moved into it: comments, headers, boxes, charts.

kreuzberg reads the text alone, so a reviewer's comment and a letterhead's telephone number would
be lost. A comment is put where it was made, in brackets with its author; headers, footers, charts
and diagrams end the document or the slide. The text is changed by patterns in one pass each.
"""

import html
import re
from collections.abc import Iterable, MutableMapping

from simonides_formats.documents.office_parts import (
    chart_lines,
    comments_of,
    lines_of,
    slide_authors,
    slide_comments,
    targets_of,
)

_PAGE_NUMBER = re.compile(r"\W*(?:\d{1,3}\W*){0,2}")
"""A line of a header or footer that says at most "3" or "3 / 12"."""

Members = MutableMapping[str, bytes]

_FALLBACK = re.compile(rb"<mc:Fallback(?:[^<]++|<(?!/?mc:Fallback))*</mc:Fallback>")
"""What older programs show in place of a shape: the same again."""
_CHOICE = re.compile(rb"</?mc:(?:AlternateContent|Choice)(?:\s[^<>]*+)?>")

_WORD_BODY = "word/document.xml"
_WORD_ENDS = ("header", "footer", "charts/chart", "diagrams/data")
_WORD_REFERENCE = re.compile(
    rb"<w:commentReference\s(?:(?!w:id=)[^<>])*w:id=[\"']([^\"'<>]*+)[\"'][^<>]*+>"
)
_WORD_BOX = re.compile(
    rb"<w:txbxContent>((?:[^<]++|<(?!/?w:txbxContent))*)</w:txbxContent>|(</w:p>)"
)

_NUMBERED = re.compile(r"^ppt/|\d*\.xml$")
_SLIDE_ENDS = ("charts/chart", "diagrams/data")
_SLIDE = re.compile(r"ppt/slides/[^/]+\.xml")
_SLIDE_NUMBER = re.compile(
    rb"<a:fld\s(?:(?!slidenum)[^<>])*slidenum(?:[^<]++|<(?!/?a:fld))*</a:fld>"
)
_SLIDE_FIELD = re.compile(rb"<(/?+)a:fld(?:\s[^<>]*+)?>")

_OPEN_BODY, _OPEN_STYLES = "content.xml", "styles.xml"
_OPEN_MARGIN = re.compile(
    rb"<style:(header|footer)(?:-left|-first)?(?:\s[^<>]*+)?(?<!/)>"
    rb"((?:[^<]++|<(?!/?style:(?:header|footer)))*)</style:(?:header|footer)"
)
_OPEN_PARAGRAPH = re.compile(
    rb"<text:[ph](?:\s[^<>]*+)?(?<!/)>((?:[^<]++|<(?!/?text:[ph][\s>]))*)</text:[ph]>"
)
_OPEN_COMMENT = re.compile(
    rb"<office:annotation(?:\s[^<>]*+)?(?<!/)>"
    rb"((?:[^<]++|<(?!/?office:annotation[\s>]))*)</office:annotation>"
)
_OPEN_AUTHOR = re.compile(rb"<dc:creator>([^<]*+)</dc:creator>")
_OPEN_PAGE = re.compile(rb"<text:page-(?:number|count)(?:\s[^<>]*+)?>[^<]*+</text:page-[a-z]++>")
_OPEN_BLANK = re.compile(rb"<text:(?:s|tab|line-break)(?:\s[^<>]*+)?/>")
_TAG = re.compile(rb"<[^<>]*+>")


def move_into_word(members: Members) -> None:
    """Put the comments, headers, footers, charts and diagrams of a Word file into its text."""
    comments = comments_of(members.get("word/comments.xml", b""))
    body = _WORD_REFERENCE.sub(
        lambda match: _word_run(" " + comments.pop(match[1].decode("utf-8", "replace"), "")),
        _boxes_after_their_paragraphs(_FALLBACK.sub(b"", members.get(_WORD_BODY, b""))),
    )
    ends = [*comments.values()]
    for kind in _WORD_ENDS:
        for name in sorted(members):
            if name.startswith(f"word/{kind}") and name.endswith(".xml"):
                ends += _lines(kind, members[name])
    paragraphs = (b"<w:p>%b</w:p>" % _word_run(line) for line in dict.fromkeys(ends))
    members[_WORD_BODY] = _before(body, b"</w:body>", paragraphs)


def move_into_slides(members: Members) -> None:
    """Put the charts, diagrams and comments of each slide into its text; see to fields, too."""
    authors = slide_authors(members)
    for name in filter(_SLIDE.fullmatch, members):
        slide = _CHOICE.sub(b"", _FALLBACK.sub(b"", members[name]))
        slide = _SLIDE_FIELD.sub(rb"<\1a:r>", _SLIDE_NUMBER.sub(b"", slide))
        ends: list[str] = []
        for target in targets_of(members, name):
            kind, part = _NUMBERED.sub("", target), members.get(target, b"")
            if "comment" in kind.lower():
                ends += slide_comments(part, authors)
            elif kind in _SLIDE_ENDS:
                ends += _lines(kind, part)
        members[name] = _before(slide, b"</p:spTree>", map(_shape, ends))


def move_into_open_document(members: Members) -> None:
    """Put the comments, headers and footers of an OpenDocument text into its text."""
    body = _OPEN_COMMENT.sub(_open_comment, members.get(_OPEN_BODY, b""))
    said = (
        b"%b: %b" % (match[1].capitalize(), text)
        for match in _OPEN_MARGIN.finditer(members.get(_OPEN_STYLES, b""))
        for text in _open_lines(match[2])
        if not _PAGE_NUMBER.fullmatch(text.decode("utf-8", "replace"))
    )
    paragraphs = (b"<text:p>%b</text:p>" % text for text in dict.fromkeys(said))
    members[_OPEN_BODY] = _before(body, b"</office:text>", paragraphs)


def _before(body: bytes, end: bytes, added: Iterable[bytes]) -> bytes:
    """Return the text with something more before its end."""
    head, mark, rest = body.rpartition(end)
    return b"".join((head, *added, mark, rest)) if mark else body


def _lines(kind: str, part: bytes) -> list[str]:
    """Return the lines of a part, announced where they are not the text of a drawing."""
    if kind == "charts/chart":
        return chart_lines(part)
    if kind == "diagrams/data":
        return lines_of(part)
    return [
        f"{kind.capitalize()}: {one}" for one in lines_of(part) if not _PAGE_NUMBER.fullmatch(one)
    ]


def _word_run(line: str) -> bytes:
    text = html.escape(line, quote=False).encode("utf-8", "ignore")
    return b'<w:r><w:t xml:space="preserve">%b</w:t></w:r>' % text


def _shape(line: str) -> bytes:
    text = html.escape(line, quote=False).encode("utf-8", "ignore")
    return b"<p:sp><p:txBody><a:p><a:r><a:t>%b</a:t></a:r></a:p></p:txBody></p:sp>" % text


def _boxes_after_their_paragraphs(body: bytes) -> bytes:
    """Return the text with what boxes hold behind the paragraph each hangs on.

    A paragraph inside of another ends the outer one for the library.
    """
    boxes: list[bytes] = []

    def place(match: re.Match[bytes]) -> bytes:
        if not match[2]:
            boxes.append(match[1])
            return b""
        moved = b"".join((match[2], *boxes))
        boxes.clear()
        return moved

    return _WORD_BOX.sub(place, body)


def _open_comment(match: re.Match[bytes]) -> bytes:
    author, text = _OPEN_AUTHOR.search(match[1]), b" ".join(_open_lines(match[1]))
    by = b" by " + author[1] if author else b""
    return b" [Comment%b: %b]" % (by, text) if text else b""


def _open_lines(part: bytes) -> list[bytes]:
    """Return the text of each paragraph that has some, as XML."""
    paragraphs: list[bytes] = _OPEN_PARAGRAPH.findall(part)
    blanks = (_OPEN_BLANK.sub(b" ", _OPEN_PAGE.sub(b" ", one)) for one in paragraphs)
    lines = (b" ".join(_TAG.sub(b"", one).split()) for one in blanks)
    return [line for line in lines if line]
