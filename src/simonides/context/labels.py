"""What layouts say of an item beside its words: who, when, how far trusted, how much of it, why.

Every text of an item is tamed here. Must not know how a layout puts its lines.
"""

import math
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from simonides.context import names, speakers
from simonides.context.confusables import looks, shows
from simonides.context.render_context import RenderItem
from simonides.context.safety import BAR, one_line, swapped, tamed
from simonides.model.brief import Form
from simonides.model.item import Item, Trust

JOIN = " · "
"""Stands between the parts of a line; no name, title or line of words can hold it."""

UNDATED = "undated"

FORM_MARKS = {Form.WHOLE: "", Form.EXCERPT: "(excerpt) ", Form.SUMMARY: "(summary) "}

TRUST_MARKS = {Trust.UNKNOWN: "unknown sender", Trust.EXTERNAL: "external"}
"""Said of what is less than known; nothing is said of the rest."""

_ROUND = {"[": "(", "]": ")"}
_NO_BRACKETS = dict.fromkeys("[](),=", "_")


def label_of(item: Item) -> str:
    """Return an item's source in capitals, without brackets; its kind where nothing of it shows."""
    source = swapped(one_line(item.source).upper(), _ROUND)
    return source if shows(source) else item.kind.upper()


def author_of(item: Item, *, beside: bool = False) -> str:
    """Return the author's name, else address, fit to begin a line; empty without one.

    `beside` shows the address with the name. A message without an author says so. What looks like
    structure, or like the bar before it, stands in quotation marks: a bar would make the layout's
    line look like one of the item's.
    """
    if speakers.is_unsigned(item):
        return speakers.UNKNOWN_SPEAKER
    author = item.author
    shown = "" if author is None else names.person(author, beside=beside)
    is_plain = tamed(shown) == shown and not looks(shown).lstrip().startswith(BAR.strip())
    return shown if is_plain or shown.startswith('"') else f'"{shown}"'


def day_of(happened_at: datetime | None, timezone: str) -> str:
    """Return the day in the user's own days, as 2026-03-03; `undated` where it is not known."""
    if happened_at is None:
        return UNDATED
    try:
        return happened_at.astimezone(ZoneInfo(timezone)).date().isoformat()
    except OverflowError:  # the first and last days that can be told
        return happened_at.date().isoformat()


def words_of(part: RenderItem) -> str:
    """Return a part's words, marked where they are not all of them; empty if nothing shows."""
    words = tamed(speakers.attributed(part.text, part.item, trust=part.trust))
    return FORM_MARKS[part.form] + words if shows(words) else ""


def with_speaker(text: str, item: Item, *, trust: Trust) -> str:
    """Return words for where nothing else says who speaks, the speaker before them if need be.

    That is where a line of a message claims another speaker, or any.
    """
    quoted = speakers.attributed(text, item, trust=trust)
    return text if quoted == text else f"{author_of(item)}: {quoted}"


def trust_of(part: RenderItem) -> str:
    """Return ` · unknown sender` or ` · external` for what is so, else nothing."""
    mark = TRUST_MARKS.get(part.trust)
    return JOIN + mark if mark else ""


def reasons(part: RenderItem) -> str:
    """Return `(why: score 0.812, semantic 0.500, …)`: what adds up to the score, where a number."""
    named = (("score", part.score), *part.why)
    told = (f"{plain(name)} {value:.3f}" for name, value in named if math.isfinite(value))
    return f"(why: {', '.join(told)})"


def figures(part: RenderItem, *, scope: str) -> str:
    """Return `(score=0.812, sim=0.500, imp=0.500, conf=0.700, scope=user, src=note)`.

    Numbers to three places, those that are missing left out (the seeds' why-tag). `sim` is the
    contribution named `semantic`.
    """
    numbers = (f"{name}={value:.3f}" for name, value in _numbers(part) if math.isfinite(value))
    return f"({', '.join((*numbers, f'scope={scope}', f'src={plain(part.item.source)}'))})"


def plain(name: str) -> str:
    """Return a name on one line that can not end a reason or begin another."""
    return swapped(one_line(name), _NO_BRACKETS)


def _numbers(part: RenderItem) -> Iterator[tuple[str, float]]:
    yield "score", part.score
    yield from (("sim", value) for name, value in part.why if name == "semantic")
    if part.item.traits is not None:
        yield "imp", part.item.traits.importance
        yield "conf", part.item.traits.confidence
