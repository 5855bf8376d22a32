"""The `brief` layout: the fewest tokens for models to read.

One line for each item, the most relevant first, with its number, its source and day, who, and the
words: who reads only the beginning loses least. Continued lines are moved in by two blanks, and no
line of the layout begins with one: text of items can not pass for the layout's own.

Receipts of older formats have the same lines by section and day.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from simonides.context import labels, names
from simonides.context.confusables import is_visible
from simonides.context.details import (
    clock_of,
    details_of,
    notes_of,
    occurrence_mark,
    people_shown,
    replacement_marks,
)
from simonides.context.labels import Block, RenderContext, RenderItem, plain
from simonides.context.names import LEVELS
from simonides.context.safety import indent_lines, one_line, replace_lookalikes
from simonides.model.brief import Form
from simonides.model.chat import CHAT_SOURCE
from simonides.model.item import NOTE_SOURCE, Item, Kind, Person, Role, Status
from simonides.text.word_patterns import lazy_pattern

INDENT = "  "
UNSURE_BELOW = 0.5
"""A memory of less confidence is marked as unsure."""

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NAMES_MAX = 3
"""Recipients of a mail, and lines on one subject, that are named."""


def brief_blocks(parts: Sequence[RenderItem], context: RenderContext) -> tuple[Block, ...]:
    """Return the blocks: a head, known entities, and a line for each part in the order given.

    Where nothing answers clearly, a line before the first says so.
    """
    if not context.around:
        context.around.extend(around_blocks(context))
    blocks = [*context.around, *labels.doubt(parts, context)]
    subjects, shared = _by_subject(parts), _shared_names(parts, context)
    is_alone = not shared and max(map(len, subjects.values()), default=1) == 1
    for place, part in enumerate(parts):
        kept = context.lines.get(id(part)) if is_alone else None
        line = kept[1] if kept else _with_head(part, context, subjects=subjects, shared=shared)
        if is_alone:
            context.lines[id(part)] = part, line
        blocks.append(Block(name="item", text=f"{place + 1}{line}\n", part=place))
    return tuple(blocks)


def _with_head(
    part: RenderItem,
    context: RenderContext,
    *,
    subjects: dict[str, list[tuple[int, str]]],
    shared: frozenset[str],
) -> str:
    """Return the text after the number of a line."""
    line = _line(part, context, subjects=subjects, shared=shared)
    head = " ".join(("", *_source_and_day(part.item, context)))
    return f"{head}{line if line.startswith(':') else f' {line}'}"


def _source_and_day(item: Item, context: RenderContext) -> list[str]:
    """Return `gmail` and `Tue 3 Mar`: the source, or else the kind, and the day if it is known.

    What is said in a chat needs no source: its line begins with the day and who said it.
    """
    shown, kind = [], item.kind
    if (kind, item.source) != (Kind.MESSAGE, CHAT_SOURCE):
        is_plain = item.source == NOTE_SOURCE and kind is not Kind.DOCUMENT
        is_plain |= kind is Kind.MEMORY
        shown.append(("" if is_plain else context.cache(names.name, item.source)) or kind.value)
    when = item.happened_at if kind is Kind.TASK else item.dated_at
    if when is not None:
        clock = clock_of(item, when, context.timezone) if kind is Kind.EVENT else ""
        shown.append(context.cache(_short_day, when, context.now, context.timezone) + clock)
    return shown


SECTIONS: tuple[tuple[Kind, str], ...] = (
    (Kind.MEMORY, "Memories"),
    (Kind.DOCUMENT, "Documents"),
    (Kind.TASK, "Tasks"),
    (Kind.EMAIL, "Mail"),
    (Kind.EVENT, "Events"),
    (Kind.MESSAGE, "Conversations"),
)
"""The sections of older receipts in their order."""


def brief_blocks_by_section(
    parts: Sequence[RenderItem], context: RenderContext
) -> tuple[Block, ...]:
    """Return the blocks of a brief as receipts up to format 3 have them: by section and day."""
    blocks = list(around_blocks(context))
    if not parts:
        return (*blocks, *labels.doubt(parts, context))
    ordered = sorted(range(len(parts)), key=lambda place: _section_order(parts[place]))
    subjects = _by_subject([parts[place] for place in ordered])
    shared = _shared_names(parts, context)
    numbers = itertools.count(1)
    for heading, under in groupby(ordered, key=lambda place: _heading(parts[place])):
        if context.headers:
            blocks.append(Block(name="section", text=f"## {heading}\n"))
        for day, on in groupby(under, key=lambda place: _section_day(parts[place].item, context)):
            blocks.append(Block(name=f"day in {heading}", text=f"{day}\n"))
            for place in on:
                line = _line(parts[place], context, subjects=subjects, shared=shared)
                text = f"{next(numbers)} {line.removeprefix(': ')}\n"
                blocks.append(Block(name="item", text=text, part=place))
    return tuple(blocks)


def _section_order(part: RenderItem) -> tuple[Any, ...]:
    """Return the sort key of a part: section, time (undated by storage time), id."""
    item = part.item
    when = item.dated_at
    rank = next(rank for rank, (kind, _) in enumerate(SECTIONS) if kind is item.kind)
    moment = "" if when is None else when.isoformat()
    return (
        rank, _heading(part), moment, item.session, item.position or 0, part.space, item.id,
    )  # fmt: skip


def _heading(part: RenderItem) -> str:
    """Return the heading of an item: its kind and its source."""
    kind = part.item.kind
    name = dict(SECTIONS)[kind]
    return name if kind is Kind.MEMORY else f"{name} ({names.name(part.item.source)})"


def _section_day(item: Item, context: RenderContext) -> str:
    when = item.dated_at
    return "Undated" if when is None else context.cache(_day, when, context.timezone)


def around_blocks(context: RenderContext) -> Iterator[Block]:
    """Yield the head, the background and the known entities, as far as there are any."""
    yield from _head(context)
    yield from _background(context)
    yield from _write_known(context)


def _head(context: RenderContext) -> Iterator[Block]:
    if context.headers:
        text = f"# As of {context.cache(_day, context.now, context.timezone)}; cite line n as [n]\n"
        yield Block(name="head", text=text)


def _background(context: RenderContext) -> Iterator[Block]:
    """Yield the background of the collection, its lines moved in as an item's are."""
    if is_visible(context.background):
        yield Block(name="background", text=f"Background: {_words(context.background)}\n")


def _write_known(context: RenderContext) -> Iterator[Block]:
    """Yield a line for each known entity with more than its name."""
    known = [one_line(line, citations=True) for line in context.entities if ": " in line]
    if known:
        yield Block(name="known entities", text="".join(f"Known: {line}\n" for line in known))


def _line(
    part: RenderItem,
    context: RenderContext,
    *,
    subjects: dict[str, list[tuple[int, str]]],
    shared: frozenset[str],
) -> str:
    """Return the line of an item: author, title, labels and words."""
    words = context.cache(_words, labels.attribute(part.text, part.item, trust=part.trust))
    who = _who(part.item, context, shared=shared)
    head = list(filter(None, (who, _title(part.item, context, words=words))))
    marks = [*_marks(part, context, shared), *(_conflicts(part.item, subjects) if subjects else ())]
    if marks:
        head.append(f"({'; '.join(marks)})")
    reasons = _why(part) if context.why else ""
    said = f": {words}" if words else ""
    return f"{' '.join(head)}{said}{reasons}"


def _words(text: str) -> str:
    return indent_lines(unwrap(text), indent=INDENT)


def _who(item: Item, context: RenderContext, *, shared: frozenset[str]) -> str:
    if labels.is_unsigned(item):
        return labels.UNKNOWN_SPEAKER
    author = item.author
    if author is None or item.kind not in _AUTHORED:
        return ""
    who = context.cache(names.person_among, author, shared)
    if item.kind is not Kind.EMAIL:
        return who
    to = _recipients(item)
    if not to:
        return who
    named = ", ".join(context.cache(names.person_among, one, shared) for one in to[:_NAMES_MAX])
    more = f" and {len(to) - _NAMES_MAX} more" if len(to) > _NAMES_MAX else ""
    return f"{who} to {named}{more}"


_TIMELESS = frozenset({Kind.MEMORY, Kind.TASK})
"""The kinds that need no time: a memory is of when it was kept, a task is due, or not."""

_AUTHORED = frozenset({Kind.EMAIL, Kind.MESSAGE, Kind.EVENT})
"""The kinds whose lines begin with who wrote them."""

_NAMING = _AUTHORED | {Kind.TASK}
"""The kinds whose lines name people."""


def _recipients(item: Item) -> list[Person]:
    return [person for person in item.people if person.role is Role.TO]


def _shared_names(parts: Sequence[RenderItem], context: RenderContext) -> frozenset[str]:
    """Return the shown names that belong to people of several addresses."""
    shown: list[Person] = []
    for part in parts:
        if part.item.kind in _NAMING:
            shown += people_shown(part.item)
    return names.shared_names(shown, context.owner)


def _title(item: Item, context: RenderContext, *, words: str) -> str:
    """Return the title in safe quotation marks; a message's only if it has no words.

    The title of a message is its conversation's.
    """
    if item.kind is Kind.MESSAGE and words:
        return ""
    return context.cache(_quote, item.title)


def _quote(title: str) -> str:
    shown = replace_lookalikes(one_line(title, citations=True), {'"': "'"})
    return f'"{shown}"' if is_visible(shown) else ""


def _marks(part: RenderItem, context: RenderContext, shared: frozenset[str]) -> Iterator[str]:
    item, traits = part.item, part.item.traits

    def day(when: datetime) -> str:
        return context.cache(_short_day, when, context.now, context.timezone)

    yield from replacement_marks(part.replaces, part.replaced_on, day)
    if part.takes_place_at is not None:
        at = part.takes_place_at
        yield occurrence_mark(at, day) + clock_of(item, at, context.timezone)
    if part.space:
        yield names.space_mark(part.space)
    is_mail = item.kind is Kind.EMAIL  # whose line begins with its people
    yield from notes_of(item) if is_mail else details_of(item, beside=part.text, shared=shared)
    if part.trust in LEVELS:
        yield LEVELS[part.trust]
    if part.form is Form.SUMMARY:
        yield "summary"
    if traits is not None and traits.status is not Status.ACTIVE:
        yield traits.status.value
    if traits is not None and traits.confidence < UNSURE_BELOW:
        yield f"unsure, confidence {traits.confidence:.1f}"
    if item.happened_at is None and item.kind not in _TIMELESS and item.stored_at is not None:
        yield "undated, day of keeping"


def _by_subject(parts: Sequence[RenderItem]) -> dict[str, list[tuple[int, str]]]:
    """Return the line numbers and contents of the memories of each subject."""
    words: dict[str, list[tuple[int, str]]] = {}
    for number, part in enumerate(parts, start=1):
        subject = subject_of(part.item)
        if subject:
            words.setdefault(subject, []).append((number, part.item.content))
    return words


def _conflicts(item: Item, subjects: dict[str, list[tuple[int, str]]]) -> Iterator[str]:
    """Yield a reference to shown memories of the same subject with other words."""
    others = [n for n, content in subjects.get(subject_of(item), ()) if content != item.content]
    if others:
        named = ", ".join(f"[{number}]" for number in others[:_NAMES_MAX])
        more = f" and {len(others) - _NAMES_MAX} more" if len(others) > _NAMES_MAX else ""
        yield f"differs from {named}{more}"


def subject_of(item: Item) -> str:
    """Return the folded subject of an active memory; empty for other items."""
    traits = item.traits
    if traits is None or traits.status is not Status.ACTIVE:
        return ""
    return " ".join(traits.entity.casefold().split())


WRAPPED_CHARS_MIN = 50
"""A line of at least so many characters that does not end a sentence goes on in the next one."""

_GOES_ON = lazy_pattern(r"[^\W_]|[\"'(\u00ab\u2018\u201c]")
_ENDED = lazy_pattern(r"[.!?:;|\u2026\u3002\uff01\uff1f][\"')\]\u2019\u201d]*$")


def unwrap(text: str) -> str:
    """Return text without the line breaks of plain mail that only keep lines short."""
    if "\n" not in text:
        return text
    lines = text.split("\n")
    joined = lines[:1]
    for line in lines[1:]:
        before = joined[-1].rstrip()
        last = before.rpartition("\n")[2]
        goes_on = len(last) >= WRAPPED_CHARS_MIN and not _ENDED.search(last)
        if goes_on and _GOES_ON.match(line.lstrip()[:1]):
            joined[-1] = f"{before} {line.lstrip()}"
        else:
            joined.append(line)
    return "\n".join(joined)


def _why(part: RenderItem) -> str:
    reasons = ", ".join(f"{plain(name)} {value:.2f}" for name, value in _largest(part.why))
    return f" (why: {reasons})" if reasons else ""


_WHY_MAX = 3


def _largest(why: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    numbers = [(name, value) for name, value in why if math.isfinite(value)]
    return sorted(numbers, key=lambda one: (-one[1], one[0]))[:_WHY_MAX]


def _day(when: datetime, timezone: str) -> str:
    """Return a day as `Sat 21 Nov 2026`, in the user's time zone, always in English."""
    try:
        local = when.astimezone(ZoneInfo(timezone))
    except OverflowError:  # the first and last days that exist
        local = when
    return f"{_DAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]} {local.year}"


def _short_day(when: datetime, now: datetime, timezone: str) -> str:
    """Return a day as `Sat 21 Nov`, with its year if that is another one than today's."""
    day, today = _day(when, timezone), _day(now, timezone)
    return day.rpartition(" ")[0] if day[-5:] == today[-5:] else day
