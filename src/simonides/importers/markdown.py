"""Notes and other text files: one document for each.

Knows the first heading, and the front matter between two `---` lines as far as notes use YAML
(`key: value`, and lists). Must not know folders.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from simonides.importers.charset import decode_noted
from simonides.importers.file_item import file_event, moment
from simonides.importers.header import one_line
from simonides.model.metadata_keys import OPEN_TASKS_KEY
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import printable
from simonides.text.markdown import CODE, list_open_boxes

Value = str | int | float | bool | list[str]
"""What a key of a front matter may hold."""

_KEY = re.compile(r"^([A-Za-z][\w .-]{0,63}):(?:\s+(.*))?$")
_ENTRY = re.compile(r"^\s*-\s+(.+)$")
_NUMBER = re.compile(r"^-?\d{1,15}(\.\d{1,15})?$")
_LISTED = re.compile(r"""(?:[^,"']++|"[^"]*+"|'[^']*+'|["'])++""")
"""One entry of `[a, "b, c"]`; a quote that is never closed is a mark like any other."""
_LINES_MAX = 200
"""A front matter that is longer is taken for text."""
_LINE_CHARS_MAX = 2000
"""A longer line of a front matter is left out."""


def split(text: str) -> tuple[dict[str, Value], str]:
    """Return (front matter by lower-case key, the text after it).

    Without one, or without its closing line, the front matter is empty and the text whole.
    Lines that are neither `key: value` nor an entry of a list are left out.
    """
    first, *lines = text.split("\n", _LINES_MAX)
    if first.rstrip() != "---":
        return {}, text
    end = next((n for n, line in enumerate(lines) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return {}, text
    return _read(lines[:end]), "\n".join(lines[end + 1 :]).lstrip("\n")


def _read(lines: list[str]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    key = ""
    for line in lines:
        if len(line) > _LINE_CHARS_MAX:
            continue
        pair, entry = _KEY.match(line.rstrip()), _ENTRY.match(line)
        if pair:
            key = pair[1].lower()
            found[key] = _value((pair[2] or "").strip())
        elif entry and key:
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else []), _bare(entry[1])]
    return found


def _value(text: str) -> Value:
    if text.startswith("[") and text.endswith("]"):
        return [_bare(one) for one in _LISTED.findall(text[1:-1]) if one.strip()]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _NUMBER.match(text):
        return float(text) if "." in text else int(text)
    return _bare(text)


def _bare(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def texts(value: Value) -> list[str]:
    """Return a value as a list of texts; one text may hold several, parted by commas."""
    if isinstance(value, list):
        return [one for one in value if one]
    return [one.strip() for one in str(value).split(",") if one.strip()]


LINKS_MAX = 500
"""Most links of one note that are kept."""

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
    return _each_once(one for one in _WIKI.findall(CODE.sub("", text)) if not _PICTURE.search(one))


def page_links(text: str) -> list[str]:
    """Return the notes that a note links to as `[words](Note.md)`, by name without the suffix."""
    found = (unquote(one) for one in _PAGE.findall(CODE.sub("", text)))
    return _each_once(one.rpartition("/")[2].rpartition(".")[0] for one in found)


def inline_tags(text: str) -> list[str]:
    """Return the tags in a text: `#boat/repair`, not in code."""
    return _each_once(_TAG.findall(CODE.sub("", text)))


def _each_once(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(one_line, found))))[:LINKS_MAX]


FILE_BYTES_MAX = 5 << 20
"""Most bytes of one file that are kept; a note in the metadata says how long it was."""

_DATES = ("date", "happened_at", "created", "created_at")
_AUTHORS = ("author", "authors")
_TAGS = ("tags", "tag", "keywords")


def read_markdown(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the file as one document, or why it is passed over."""
    with file.path.open("rb") as stream:
        text, note = decode_noted(stream.read(FILE_BYTES_MAX))
    front, content = split(printable(text).strip())
    known = {"title", *_DATES, *_AUTHORS, *_TAGS}
    notes: dict[str, Value] = {name: one for name, one in front.items() if name not in known}
    linked = wiki_links(content)
    links = [*linked, *(one for one in page_links(content) if one not in linked)]
    if links:
        notes.setdefault("links", links)
    if left := list_open_boxes(content):
        notes.setdefault(OPEN_TASKS_KEY, len(left))
    if file.size_bytes > FILE_BYTES_MAX:
        notes["_cut_from_bytes"] = file.size_bytes
    yield file_event(
        file,
        content=content,
        title=str(front.get("title", "")),
        tags=[tag.lstrip("#") for tag in _texts(front, _TAGS)] + _inline(content, front, linked),
        authors=_texts(front, _AUTHORS),
        dates=[moment(front[name], file.timezone) for name in _DATES if name in front],
        metadata=notes,
    )
    if note:
        yield file.skip(note, bytes_done=file.size_bytes)


def _inline(content: str, front: dict[str, Value], linked: list[str]) -> list[str]:
    """Return the tags in a text, of a note that links or tags otherwise, as those of Obsidian do.

    Elsewhere a word behind `#` may be anything, such as a channel.
    """
    known = linked or not front.keys().isdisjoint((*_TAGS, "aliases"))
    return inline_tags(content) if known else []


def _texts(front: dict[str, Value], names: tuple[str, ...]) -> list[str]:
    """Return all texts under these keys of the front matter."""
    return [one for name in names if name in front for one in texts(front[name])]
