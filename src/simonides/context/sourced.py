"""The `sourced` layout: `[GMAIL] title`, who and when, the words; then known entities, the request.

Text of items is data: it cannot open or close a section or forge a header, because every line
that could is moved in by a mark that the layout itself never begins a line with.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime

from simonides.model.answer import Hit

SEPARATOR = "\n---\n"
CONTEXT_HEADER = "## Available Context:"
ENTITIES_HEADER = "## Known Entities:"
REQUEST_HEADER = "## User Request:"

_STRUCTURE = re.compile(
    r"^(?=\s{0,3}(?:#{1,6}\s|-{3,}\s*$|={3,}\s*$|\*{3,}\s*$|_{3,}\s*$|\[|```|~~~))", re.MULTILINE
)
_QUOTE = "| "
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co"})
"""Unicode categories that show nothing but may change how a line is read."""
_SHOWN = frozenset("\n\t\u200c\u200d")
"""What of them is kept: line ends, tabs, and the joiners that emoji and some scripts need."""
_LINE_BREAKS = re.compile(r"\r\n?|[\u2028\u2029\x85\x0b\x0c]")


def tamed(text: str) -> str:
    """Return text that cannot pass for the layout's own.

    Control and direction marks are dropped, and every line that looks like a header, a rule, a
    fence or a citation is moved in by a bar.
    """
    lines = _LINE_BREAKS.sub("\n", text)
    visible = "".join(c for c in lines if c in _SHOWN or unicodedata.category(c) not in _HIDDEN)
    return _STRUCTURE.sub(_QUOTE, visible).strip()


def block(hit: Hit, *, text: str, is_excerpt: bool) -> str:
    """Return one item as the layout shows it."""
    item = hit.item
    title = one_line(item.title) or one_line(item.content)[:80]
    head = f"[{one_line(item.source).upper()}] {title}"
    about = " · ".join(part for part in (_who(hit), _when(item.happened_at)) if part)
    mark = "(excerpt) " if is_excerpt else ""
    body = tamed(text)
    lines = [head, about, f"{mark}{body}" if body else ""]
    return "\n".join(line for line in lines if line)


def one_line(text: str) -> str:
    """Return `text` tamed, on one line."""
    return " ".join(tamed(text).split())


def _who(hit: Hit) -> str:
    author = hit.item.author
    return one_line(author.name or author.address) if author else ""


def _when(happened_at: datetime | None) -> str:
    return f"{happened_at:%Y-%m-%d}" if happened_at else ""


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
