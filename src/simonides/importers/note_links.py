"""Links between notes, and tags in their text, as programs for notes write them in Markdown.

Must not know which program wrote a note.
"""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from simonides.importers.header import one_line

LINKS_MAX = 500
"""Most links of one note that are kept."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,500}`", re.DOTALL)
_WIKI = re.compile(
    r"\[\[([^\[\]|#^\n]{1,300})(?:[#^][^\[\]|\n]{0,300})?(?:\|[^\[\]\n]{0,300})?\]\]"
)
_PAGE = re.compile(
    r"\]\(<?(?![a-z][a-z0-9+.-]{1,20}:)([^()<>\n]{1,500}?\.(?:md|markdown))(?:#[^()\n]{0,300})?>?\)"
)
_TAG = re.compile(r"(?<![^\s(])#([^\W\d_][\w/-]{0,99})")
_PICTURE = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|pdf|mp[34]|m4a|mov|webm|wav)$", re.IGNORECASE
)


def wiki_links(text: str) -> list[str]:
    """Return the notes that a note links to as `[[Note]]`; embedded files are none."""
    return _each_once(one for one in _WIKI.findall(_CODE.sub("", text)) if not _PICTURE.search(one))


def page_links(text: str) -> list[str]:
    """Return the notes that a note links to as `[words](Note.md)`, by name without the suffix."""
    found = (unquote(one) for one in _PAGE.findall(_CODE.sub("", text)))
    return _each_once(one.rpartition("/")[2].rpartition(".")[0] for one in found)


def inline_tags(text: str) -> list[str]:
    """Return the tags in a text: `#boat/repair`, not in code."""
    return _each_once(_TAG.findall(_CODE.sub("", text)))


def _each_once(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(one_line, found))))[:LINKS_MAX]
