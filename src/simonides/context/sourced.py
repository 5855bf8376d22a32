"""The `sourced` layout: `[GMAIL] title`, who and when, the words; then known entities, the request.

Text of items is data: it can not open or close a section or forge a header. A title stands behind
its source, who and when are always the second line, and every line of the words that could pass
for the layout's own is moved in by a bar that the layout itself never begins a line with.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from simonides.model.item import Item

SEPARATOR = "\n---\n"
CONTEXT_HEADER = "## Available Context:"
ENTITIES_HEADER = "## Known Entities:"
REQUEST_HEADER = "## User Request:"
EXCERPT_MARK = "(excerpt) "
UNDATED = "undated"
BAR = "| "

_STRUCTURE = re.compile(
    r"""\#(?:\#|\s|$)  # a header
    | \[               # the head of an item, or a citation
    | ```|~~~          # a fence
    | (?:[-=*_\u2010-\u2015\u2212\u2500\u2501\u2550]\s*){3}  # a rule, of whatever dashes
    | \(excerpt\)      # the mark of a part
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LINE_BREAKS = re.compile(r"\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co"})
"""Unicode categories that show nothing but may change how a line is read."""
_KEPT = frozenset("\t\u200c\u200d")
"""What of them is kept: tabs, and the joiners that emoji and some scripts need."""
_UNSHOWN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""What no eye sees: Default_Ignorable_Code_Point of Unicode 14, and the blank Braille pattern."""


def tamed(text: str) -> str:
    """Return text that cannot pass for the layout's own.

    Control and direction marks are dropped, and every line that looks like a header, a rule, a
    fence, the head of an item or the mark of an excerpt is moved in by a bar.
    """
    return "\n".join(map(_barred, _visible(text).split("\n")))


def one_line(text: str) -> str:
    """Return `text` without control and direction marks, on one line; it must not begin a line."""
    return " ".join(_visible(text).split())


def block(item: Item, *, text: str, is_excerpt: bool, timezone: str = "UTC") -> str:
    """Return one item as the layout shows it: a head, who and when, the words (if any)."""
    source = one_line(item.source).upper().translate({ord("["): "(", ord("]"): ")"})
    head = f"[{source}] {one_line(item.title)}".rstrip()
    mark = EXCERPT_MARK if is_excerpt else ""
    lines = [head, _about(item, timezone)] + ([f"{mark}{text}"] if text else [])
    return "\n".join(lines)


def render(blocks: Sequence[str], *, entities: Sequence[str], request: str) -> str:
    """Return the whole text: context, known entities, and the request last (seed 004, 8.3)."""
    sections = []
    if blocks:
        sections.append(f"{CONTEXT_HEADER}\n{SEPARATOR.join(blocks)}")
    if entities:
        lines = "\n".join(f"- {one_line(entity)}" for entity in entities)
        sections.append(f"{ENTITIES_HEADER}\n{lines}")
    sections.append(f"{REQUEST_HEADER}\n{tamed(request)}")
    return "\n\n".join(sections)


def _visible(text: str) -> str:
    lines = _LINE_BREAKS.sub("\n", text).split("\n")
    return "\n".join(line if line.isprintable() else _shown(line) for line in lines).strip()


def _shown(line: str) -> str:
    return "".join(c for c in line if c in _KEPT or unicodedata.category(c) not in _HIDDEN)


def _barred(line: str) -> str:
    """Return the line, moved in if it looks like structure to whoever sees only what shows."""
    bare = line if line.isascii() else _UNSHOWN.sub("", unicodedata.normalize("NFKC", line))
    return BAR + line if _STRUCTURE.match(bare.lstrip()) else line


def _about(item: Item, timezone: str) -> str:
    author = item.author
    who = one_line(author.name or author.address) if author else ""
    return tamed(" · ".join(part for part in (who, _when(item.happened_at, timezone)) if part))


def _when(happened_at: datetime | None, timezone: str) -> str:
    """Return the day in the user's own days."""
    if happened_at is None:
        return UNDATED
    try:
        return f"{happened_at.astimezone(ZoneInfo(timezone)):%Y-%m-%d}"
    except OverflowError:  # the first and last days that can be told
        return f"{happened_at:%Y-%m-%d}"
