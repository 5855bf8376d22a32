"""Notes and other text files: one document for each.

Knows the first heading, and the front matter between two `---` lines as far as notes use YAML
(`key: value`, and lists). Must not know folders.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator
from datetime import datetime
from urllib.parse import unquote

from simonides.importers.charset import decode_noted
from simonides.importers.file_item import file_event, moment, say_cut
from simonides.importers.header import one_line
from simonides.importers.local_dates import local_moment, puts_day_first
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import printable
from simonides.text.markdown import CODE

Value = str | int | float | bool | list[str]
"""What a key of a front matter may hold."""

_KEY = re.compile(r"^([A-Za-z][\w .-]{0,63}):(?:\s+(.*))?$")
_NAMED = re.compile(r"""^["']?[^\W\d][\w /@&()+.-]{0,63}["']?:(?:\s|$)""")
"""The beginning of a line with a key, also of one that is not kept."""
_AT_MARGIN = re.compile(rf"{_NAMED.pattern}|-(?:\s|$)|[\]}}]")
_ENTRY = re.compile(r"^\s*-\s+(.+)$")
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?")
"""What announces a text in indented lines."""
_NUMBER = re.compile(r"^-?\d{1,15}(\.\d{1,15})?$")
_LISTED = re.compile(r"""(?:[^,"']++|"[^"]*+"|'[^']*+'|["'])++""")
"""One entry of `[a, "b, c"]`; a quote that is never closed is a mark like any other."""
_LINES_MAX = 200
"""A front matter that is longer is taken for text."""
_LINE_CHARS_MAX = 2000
"""A longer line of a front matter is left out."""


def split(text: str) -> tuple[dict[str, Value], str]:
    """Return (front matter by lower-case key, the text after it).

    Without one, or without its closing line, the front matter is empty and the text whole; so it
    is where the first line is no rule of a front matter but one between sections.
    Lines that are neither `key: value`, an entry of a list nor of a text are left out.
    """
    first, *lines = text.split("\n", _LINES_MAX)
    if first.rstrip() != "---":
        return {}, text
    end = next((n for n, line in enumerate(lines) if line.rstrip() in ("---", "...")), None)
    if end is None or not _are_front_matter(lines[:end]):
        return {}, text
    return _read(lines[:end]), "\n".join(lines[end + 1 :]).lstrip("\n")


def _are_front_matter(lines: list[str]) -> bool:
    """Return whether lines are a front matter: a key first, and no plain words at the margin."""
    said = [line for line in lines if line.strip() and not line.startswith("#")]
    at_margin = (line for line in said[1:] if not line[0].isspace())
    if not said:
        return not any(map(str.strip, lines))
    return bool(_NAMED.match(said[0])) and all(map(_AT_MARGIN.match, at_margin))


def _read(lines: list[str]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    blocks: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        if len(line) > _LINE_CHARS_MAX:
            continue
        if key in blocks and (line[:1].isspace() or not line):
            blocks[key].append(line.rstrip())
            continue
        pair, entry = _KEY.match(line.rstrip()), _ENTRY.match(line)
        if pair:
            key = pair[1].lower()
            found[key] = _value((pair[2] or "").strip())
            blocks.pop(key, None)
            if _BLOCK.fullmatch(str(found[key])):
                blocks[key] = []
        elif entry and key:
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else []), _bare(entry[1])]
    return found | {name: _text(str(found[name]), rows) for name, rows in blocks.items()}


def _text(mark: str, rows: list[str]) -> str:
    """Return the text below a key: with its lines behind `|`, as paragraphs behind `>`."""
    text = textwrap.dedent("\n".join(rows)).strip("\n")
    return text if mark[0] == "|" else re.sub(r"\n(\n*)", lambda gap: gap[1] or " ", text)


def _value(text: str) -> Value:
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
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
    dates = {name: _moment(front[name], file.timezone) for name in _DATES if name in front}
    known = {"title", *_AUTHORS, *_TAGS, *(name for name, one in dates.items() if one)}
    notes: dict[str, Value] = {name: one for name, one in front.items() if name not in known}
    linked = wiki_links(content)
    links = [*linked, *(one for one in page_links(content) if one not in linked)]
    if links:
        notes.setdefault("links", links)
    if file.size_bytes > FILE_BYTES_MAX:
        notes["_cut_from_bytes"] = file.size_bytes
    yield file_event(
        file,
        content=content,
        title=str(front.get("title", "")),
        tags=[tag.lstrip("#") for tag in _texts(front, _TAGS)] + _inline(content, front, linked),
        authors=_texts(front, _AUTHORS),
        dates=dates.values(),
        metadata=notes,
    )
    yield from say_cut(file, FILE_BYTES_MAX)
    if note:
        yield file.skip(note, bytes_done=file.size_bytes)


def _inline(content: str, front: dict[str, Value], linked: list[str]) -> list[str]:
    """Return the tags in a text, of a note that links or tags otherwise, as those of Obsidian do.

    Elsewhere a word behind `#` may be anything, such as a channel.
    """
    known = linked or not front.keys().isdisjoint((*_TAGS, "aliases"))
    return inline_tags(content) if known else []


def _texts(front: dict[str, Value], names: tuple[str, ...]) -> list[str]:
    """Return all texts under these keys of the front matter, of links their words."""
    found = (one for name in names if name in front for one in texts(front[name]))
    return [_LINKED.sub(r"\1", one) for one in found]


_LINKED = re.compile(
    r"\[\[(?:[^\[\]\n]{0,300}[|/])?([^\[\]|/#\n]{1,300})(?:#[^\[\]|\n]{0,300})?\]\]"
)
"""`[[Sarah Okafor]]`, `[[people/Sarah Okafor]]`, `[[people/sarah|Sarah Okafor]]`."""


def _moment(value: Value, timezone: str) -> datetime | None:
    """Return a date as people write it; None for what is none, or may be either of two days."""
    text = _LINKED.sub(r"\1", str(value))
    if found := moment(text, timezone):
        return found
    first, second = (
        local_moment(text, day_first=one, timezone=timezone)[0] for one in (True, False)
    )
    return first if first == second or puts_day_first([text]) else None
