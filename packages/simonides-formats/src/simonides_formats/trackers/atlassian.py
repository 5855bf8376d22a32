"""Atlassian's rich text as plain text: its document format (Cloud) and wiki markup (Data Center).

Headings, lists, quotes and code as in Markdown, rows of a table as cells with ` | ` between, as
HTML becomes text elsewhere. Must not know where the text stands.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from simonides.importers.json_values import each, fields_of, words
from simonides.text.clean import printable, squeeze

DEPTH_MAX = 50
"""How deep elements are looked at; of what lies deeper only the words are kept."""

NODES_MAX = 200_000
"""Most elements of one text; the rest is left out."""

HEADINGS = range(1, 7)
"""Levels of a heading, as in HTML."""


@dataclass(slots=True)
class RichText:
    """A text, and the people mentioned in it: (account id, name as it is shown)."""

    text: str = ""
    mentions: list[tuple[str, str]] = field(default_factory=list)


def read_rich(value: Any) -> RichText:
    """Return the readable text of a description or comment: a document or wiki markup."""
    if isinstance(value, str):
        return _from_wiki(value)
    if not isinstance(value, Mapping):
        return RichText()
    reader = _Reader()
    text = reader.block(value, 0)
    return RichText(text=squeeze(printable(text)).strip(), mentions=reader.mentions)


class _Reader:
    """The reader of one document; counts its elements."""

    def __init__(self) -> None:
        self.mentions: list[tuple[str, str]] = []
        self._left = NODES_MAX

    def block(self, node: Mapping[str, Any], depth: int) -> str:
        """Return the lines of an element that stands for itself."""
        self._left -= 1
        if self._left < 0:
            return ""
        if depth > DEPTH_MAX:
            return self._flat(node)
        writer = _BLOCKS.get(words(node.get("type")))
        if writer is not None:
            return writer(self, node, depth)
        if _is_inline(node):
            return self.inline(node)
        return self.children(node, depth)

    def children(self, node: Mapping[str, Any], depth: int, *, between: str = "\n\n") -> str:
        """Return the contents of an element: runs of inline elements as lines, blocks parted."""
        blocks: list[str] = []
        run: list[str] = []
        for one in map(fields_of, each(node.get("content"))):
            if _is_inline(one):
                run.append(self.inline(one))
                continue
            blocks += ["".join(run), self.block(one, depth + 1)]
            run.clear()
        return between.join(filter(str.strip, [*blocks, "".join(run)]))

    def inline(self, node: Mapping[str, Any]) -> str:
        """Return the words of an element inside of a line."""
        self._left -= 1
        kind, attrs = words(node.get("type")), fields_of(node.get("attrs"))
        if self._left < 0:
            return ""
        if kind == "mention":
            name = words(attrs.get("text")).lstrip("@")
            self.mentions.append((words(attrs.get("id")), name))
            return f"@{name or words(attrs.get('id'))}"
        writer = _INLINE.get(kind)
        return writer(attrs) if writer else _mark(node)

    def _flat(self, node: Mapping[str, Any]) -> str:
        """Return the words of an element and all inside of it, however deep they lie."""
        found, waiting = [], [node]
        while waiting and self._left >= 0:
            self._left -= 1
            one = waiting.pop()
            if isinstance(one.get("text"), str):
                found.append(one["text"])
            waiting += [fields_of(inner) for inner in reversed(each(one.get("content")))]
        return " ".join(found)


def _is_inline(node: Mapping[str, Any]) -> bool:
    kind = words(node.get("type"))
    return kind in ("text", "mention") or kind in _INLINE


def _file_name(attrs: Mapping[str, Any]) -> str:
    name = words(attrs.get("alt")) or words(attrs.get("__fileName"))
    return f"[{name}]" if name else ""


def _label(attrs: Mapping[str, Any]) -> str:
    return words(attrs.get("text")) or words(attrs.get("shortName"))


def _address(attrs: Mapping[str, Any]) -> str:
    return words(attrs.get("url"))


def _day(attrs: Mapping[str, Any]) -> str:
    try:
        return f"{datetime.fromtimestamp(int(attrs['timestamp']) / 1000, tz=UTC):%Y-%m-%d}"
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return ""


_INLINE: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "inlineCard": _address,
    "blockCard": _address,
    "embedCard": _address,
    "emoji": _label,
    "status": _label,
    "placeholder": _label,
    "inlineExtension": _label,
    "media": _file_name,
    "mediaInline": _file_name,
    "date": _day,
    "hardBreak": lambda _attrs: "\n",
}
"""How elements inside of a line are written, from their attributes."""


def _mark(node: Mapping[str, Any]) -> str:
    """Return the text of a node; code between backticks, a link by its text."""
    text = node.get("text")
    if not isinstance(text, str):
        return words(fields_of(node.get("attrs")).get("text"))
    kinds = {words(fields_of(mark).get("type")) for mark in each(node.get("marks"))}
    return f"`{text}`" if "code" in kinds else text


def _heading(reader: _Reader, node: Mapping[str, Any], depth: int) -> str:
    level = fields_of(node.get("attrs")).get("level")
    marks = "#" * (level if isinstance(level, int) and level in HEADINGS else 1)
    return f"{marks} {reader.children(node, depth, between=' ')}"


def _write_list(mark: str) -> Callable[[_Reader, Mapping[str, Any], int], str]:
    """Return the writer of a list whose entries begin with `mark`, or with their number."""

    def write(reader: _Reader, node: Mapping[str, Any], depth: int) -> str:
        entries = [fields_of(one) for one in each(node.get("content"))]
        return "\n".join(
            _entry(reader, one, depth, mark or f"{number}. ")
            for number, one in enumerate(entries, start=1)
        )

    return write


def _entry(reader: _Reader, node: Mapping[str, Any], depth: int, mark: str) -> str:
    if words(node.get("type")) in _LISTS:  # a list that stands straight in a list
        return _indent(reader.block(node, depth + 1), "  ")
    state = words(fields_of(node.get("attrs")).get("state"))
    if words(node.get("type")) == "taskItem":
        mark = "- [x] " if state == "DONE" else "- [ ] "
    text = reader.children(node, depth + 1, between="\n")
    return mark + _indent(text, " " * len(mark)).lstrip(" ")


def _indent(text: str, by: str) -> str:
    return "\n".join(f"{by}{line}" if line.strip() else line for line in text.split("\n"))


_LISTS = frozenset(["bulletList", "orderedList", "taskList", "decisionList"])


def _table(reader: _Reader, node: Mapping[str, Any], depth: int) -> str:
    rows = [fields_of(row) for row in each(node.get("content"))]
    return "\n".join(" | ".join(_cells(reader, row, depth + 1)) for row in rows)


def _cells(reader: _Reader, row: Mapping[str, Any], depth: int) -> Iterator[str]:
    for cell in map(fields_of, each(row.get("content"))):
        yield " ".join(reader.children(cell, depth + 1, between=" ").split())


def _code(reader: _Reader, node: Mapping[str, Any], depth: int) -> str:
    language = words(fields_of(node.get("attrs")).get("language"))
    return f"```{language}\n{reader.children(node, depth)}\n```"


def _quote(reader: _Reader, node: Mapping[str, Any], depth: int) -> str:
    return "\n".join(f"> {line}" for line in reader.children(node, depth).split("\n"))


def _expand(reader: _Reader, node: Mapping[str, Any], depth: int) -> str:
    title = words(fields_of(node.get("attrs")).get("title"))
    return "\n".join(filter(None, [title, reader.children(node, depth)]))


def _extension(reader: _Reader, node: Mapping[str, Any], depth: int) -> str:
    return words(fields_of(node.get("attrs")).get("text")) or reader.children(node, depth)


_BLOCKS: dict[str, Callable[[_Reader, Mapping[str, Any], int], str]] = {
    "heading": _heading,
    "bulletList": _write_list("- "),
    "orderedList": _write_list(""),
    "taskList": _write_list("- "),
    "decisionList": _write_list("- "),
    "table": _table,
    "codeBlock": _code,
    "blockquote": _quote,
    "expand": _expand,
    "nestedExpand": _expand,
    "extension": _extension,
    "bodiedExtension": _extension,
    "rule": lambda _reader, _node, _depth: "---",
}
"""How each kind of element is written; all others are what they hold."""


_MENTION = re.compile(r"\[~(?:accountid:)?([^\]\n|]{1,200})\]")
_TABLE_HEAD = re.compile(r"^\|\|.*$", re.MULTILINE)
_WIKI: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\{(?:code|noformat)(?::([a-z0-9+#]{1,20}))?[^}\n]{0,200}\}"), "```"),
    (re.compile(r"\{(?:color|panel|quote|anchor)(?::[^}\n]{0,200})?\}"), ""),
    (re.compile(r"^h([1-6])\.[ \t]+", re.MULTILINE), "# "),
    (re.compile(r"^bq\.[ \t]+", re.MULTILINE), "> "),
    (re.compile(r"\[([^\]\[|\n]{1,500})\|(?:[^\]\[|\n]{1,2000})(?:\|smart-[a-z]+)?\]"), r"\1"),
    (re.compile(r"!([^!\s|]{1,200}\.[A-Za-z0-9]{2,5})(?:\|[^!\n]{0,200})?!"), r"[\1]"),
)
"""Marks of the wiki markup that are no words, and what stands for them; all others stay."""


def _from_wiki(text: str) -> RichText:
    text = printable(text)
    mentions = [(name, name) for name in _MENTION.findall(text)]
    text = _MENTION.sub(r"@\1", text)
    for pattern, plain in _WIKI:
        text = pattern.sub(plain, text)
    text = _TABLE_HEAD.sub(lambda row: row[0].replace("||", "|"), text)
    return RichText(text=squeeze(text).strip(), mentions=mentions)
