"""HTML as readable text: headings, paragraphs, list bullets, quotes and table rows as lines.

Knows elements and how they read. Must not know mail or documents. The owner of `selectolax`.
"""

import html as entities
import re
from collections.abc import Iterator
from typing import Any

from simonides.text.layout import BLOCKS, Page
from simonides.text.nesting import is_sane
from simonides.text.script import without_surrogates

_DROPPED = frozenset(
    "head script style template svg math iframe object embed noembed noframes audio video canvas "
    "title meta link base datalist".split()
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE
)
_MAY_HIDE = re.compile(r"display|visibility|mso-hide|hidden", re.IGNORECASE)
_TAG = re.compile(
    r"<(?:!--.*?(?:-->|\Z)|/?([a-zA-Z][a-zA-Z0-9]*)[^<>]*>?|[!?/][^<>]*>?)", re.DOTALL
)
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
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(html).body
    if body is None:
        return ""
    may_hide = bool(_MAY_HIDE.search(html))
    page = Page()
    for begins, tag, node in _reading_order(body, may_hide=may_hide):
        if tag == "-text":
            page.text(node.text_content or "")
        elif begins:
            page.enter(tag, node)
        else:
            page.leave(tag, node)
    return "\n".join(page.lines()).strip("\n")


def _reading_order(root: Any, *, may_hide: bool) -> Iterator[tuple[bool, str, Any]]:
    """Yield (begins, tag, node) of all that is read under `root`, elements at both their ends."""
    opened: list[tuple[str, Any]] = []
    node = root.first_child
    while node is not None:
        tag = node.tag
        if tag[0] == "-" or (may_hide and _is_hidden(node)) or tag in _DROPPED:
            if tag == "-text":
                yield True, tag, node
        else:
            yield True, tag, node
            opened.append((tag, node))
            child = node.first_child
            if child is not None:
                node = child
                continue
            tag, node = opened.pop()
            yield False, tag, node
        following = node.next
        while following is None and opened:
            tag, node = opened.pop()
            yield False, tag, node
            following = node.next
        node = following


def _is_hidden(node: Any) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


def _stripped(html: str) -> str:
    """Return the text between the tags, a line for each block."""
    bare = _TAG.sub(
        lambda tag: "\n" if (tag[1] or "").lower() in BLOCKS else " ", _RAW.sub("", html)
    )
    lines = (" ".join(entities.unescape(line).split()) for line in bare.split("\n"))
    return "\n".join(line for line in lines if line)
