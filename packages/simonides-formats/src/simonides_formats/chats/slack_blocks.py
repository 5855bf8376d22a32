"""What a message of Slack says beside its text: in blocks, cards and files.

Everything is returned in the markup of Slack's texts, in which names are ids: `<@U1>`. Must not
know names or messages.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape, unescape
from typing import Any

from simonides.importers.json_values import each, fields_of, lines, objects, words

Fields = Mapping[str, Any]

PIECES_MAX = 1_000
"""So many pieces of a message are compared with each other; further ones are taken as they are."""

_MARKED = re.compile(
    r"<[@!#][^<>\n]{0,4000}>|[*`]|:skin-tone-\d:|^[ \t]{0,40}\w{1,4}\.[ \t]", re.MULTILINE
)
"""What a text and its blocks write in different ways: names, emphasis, tones, numbers of lists."""
_WORD = re.compile(r"[^\W_]+")


def whole_text(message: Fields) -> str:
    """Return all that a message says, nothing twice; its text may be no more than a notice."""
    text = lines(message.get("text"))
    said = list(_blocks(message.get("blocks")))
    is_notice = bool(said) and _Said(said).holds(_uncut(text))
    included = _Said([] if is_notice else [text])
    parts = [] if is_notice or not text else [text]
    parts += ["\n".join(new) for one in said if (new := included.new([one]))]
    if is_notice and _Said([text]).holds("\n".join(said)):
        parts = [text]
    for pieces in (*map(_card, objects(message.get("attachments"))), *_files(message)):
        parts += ["\n".join(new)] if (new := included.new(pieces)) else []
    return "\n\n".join(parts)


def _uncut(text: str) -> str:
    """Return a text without its last word, if that was cut off."""
    return " ".join(text.split()[:-1]) if text.endswith(("...", "…")) else text


class _Said:
    """The words that were said before, in their order; marks and names of people do not count."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [_words(one) for one in texts]
        self._texts.append("".join(self._texts).replace("  ", " "))

    def holds(self, text: str) -> bool:
        """Return whether this was said already; a text without a word says nothing new."""
        return any(_words(text) in one for one in self._texts)

    def new(self, pieces: Iterable[str]) -> list[str]:
        """Return the pieces that were not said, which count as said from now on."""
        found = []
        for one in pieces:
            if len(self._texts) > PIECES_MAX:
                found.append(one)
            elif not self.holds(one):
                found.append(one)
                self._texts.append(_words(one))
        return found


def _words(text: str) -> str:
    """Return the words of a text, each between two blanks."""
    found = _WORD.findall(unescape(_MARKED.sub(" ", text)).casefold())
    return f" {' '.join(found)} " if found else ""


def _card(card: Fields) -> list[str]:
    """Return the texts of a card below a message; its fallback where it says nothing else."""
    said = [lines(card.get(name)) for name in ("pretext", "author_name", "title", "text")]
    for one in objects(card.get("fields")):
        field = (lines(one.get("title")), lines(one.get("value")))
        said += [": ".join(filter(None, field))]
    said.extend(_blocks(card.get("blocks")))
    for one in objects(card.get("message_blocks")):
        said.extend(_blocks(fields_of(one.get("message")).get("blocks")))
    return list(filter(None, said)) or [one for one in [lines(card.get("fallback"))] if one]


def _files(message: Fields) -> Iterator[list[str]]:
    """Yield what stands of each file in the message itself: a comment, a mail, its first lines."""
    for one in objects(message.get("files")):
        comment = lines(fields_of(one.get("initial_comment")).get("comment"))
        shown = lines(one.get("plain_text")) or lines(one.get("preview"))
        yield [comment] * bool(comment) + [escape(shown, quote=False)] * bool(shown)


def _blocks(blocks: Any) -> Iterator[str]:
    """Yield what each part of each block says."""
    for block in objects(blocks):
        found = _READERS.get(words(block.get("type")), _section)(block)
        yield from (one for one in map(str.strip, found) if one)


def _rich_text(block: Fields) -> Iterator[str]:
    for part in objects(block.get("elements")):
        match words(part.get("type")):
            case "rich_text_list":
                yield "\n".join(_read_list(part))
            case "rich_text_quote":
                yield "\n".join(f"&gt; {line}" for line in _inline(part).split("\n"))
            case "rich_text_preformatted":
                yield f"```\n{_inline(part)}\n```"
            case _:
                yield _inline(part)


def _read_list(part: Fields) -> Iterator[str]:
    """Yield the lines of a list, indented and numbered as it is."""
    indent, offset = (one if type(one) is int else 0 for one in map(part.get, _NUMBERED))
    for number, one in enumerate(objects(part.get("elements")), start=offset + 1):
        sign = f"{number}." if part.get("style") == "ordered" else "-"
        yield f"{'  ' * max(0, min(indent, _INDENT_MAX))}{sign} {_inline(one)}"


_NUMBERED = ("indent", "offset")
_INDENT_MAX = 8


def _inline(part: Fields) -> str:
    return "".join(map(_element, objects(part.get("elements"))))


def _element(one: Fields) -> str:
    """Return a piece of a line as Slack's own texts write it."""
    text, kind = one.get("text"), words(one.get("type"))
    shown = escape(text, quote=False) if isinstance(text, str) else ""
    if kind == "link":
        address = words(one.get("url"), chars_max=4_000)
        return f"<{address}|{shown}>" if shown and shown != address else f"<{address}>"
    name, form = _FORMS.get(kind, ("", ""))
    value = escape(words(one.get(name)), quote=False)
    return form.format(value) if value else shown


_FORMS = {
    "user": ("user_id", "<@{}>"),
    "channel": ("channel_id", "<#{}>"),
    "usergroup": ("usergroup_id", "<!subteam^{}>"),
    "broadcast": ("range", "<!{}>"),
    "date": ("fallback", "<!date^|{}>"),
    "emoji": ("name", ":{}:"),
    "color": ("value", "{}"),
}
"""The field in which an element of each kind has its value, and how texts write that."""


def _section(block: Fields) -> Iterator[str]:
    """Yield the texts of a section, a header, or a block of a kind that is not known."""
    yield _object(block.get("text"))
    yield from map(_object, each(block.get("fields")))


def _context(block: Fields) -> Iterator[str]:
    yield "  ".join(filter(None, map(_object, each(block.get("elements")))))


def _picture(block: Fields) -> Iterator[str]:
    yield _object(block.get("title")) or lines(block.get("alt_text"))
    yield _object(block.get("description"))


def _table(block: Fields) -> Iterator[str]:
    for row in each(block.get("rows")):
        cells = (" ".join(_cell(one)) for one in objects(each(row)))
        yield " | ".join(cells)


def _cell(cell: Fields) -> Iterator[str]:
    is_rich = words(cell.get("type")) == "rich_text"
    yield from _rich_text(cell) if is_rich else [_object(cell.get("text"))]


def _object(value: Any) -> str:
    """Return a text object, or a text; one that is plain has its angle brackets written out."""
    if isinstance(value, str):
        return lines(value)
    text = lines(fields_of(value).get("text"))
    is_marked = fields_of(value).get("type") == "mrkdwn"
    return text if is_marked else text.replace("<", "&lt;").replace(">", "&gt;")


_READERS: dict[str, Callable[[Fields], Iterator[str]]] = {
    "rich_text": _rich_text,
    "context": _context,
    "image": _picture,
    "video": _picture,
    "table": _table,
    "actions": lambda _: iter(()),
    "input": lambda _: iter(()),
    "divider": lambda _: iter(()),
}
"""What reads a block of each kind; buttons and fields to fill in say nothing of a message."""
