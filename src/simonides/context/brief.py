"""The `brief` layout: what a model reads best for the fewest tokens.

Sections by kind, inside them days in their order, inside a day one line for each item with its
number, who, and the words. What comes later is added behind, so that the beginning stays as it is
when a new item comes in. Continued lines are moved in by two blanks, and no line of the layout
begins with one: text of items can not pass for the layout's own.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from simonides.context.part import Block, Frame, Part
from simonides.context.safety import one_line, tamed
from simonides.model.brief import Form
from simonides.model.item import Item, Kind, Role, Status, Trust

SECTIONS: tuple[tuple[Kind, str], ...] = (
    (Kind.MEMORY, "Memories"),
    (Kind.DOCUMENT, "Documents"),
    (Kind.TASK, "Tasks"),
    (Kind.EMAIL, "Mail"),
    (Kind.EVENT, "Events"),
    (Kind.MESSAGE, "Conversations"),
)
"""The sections in their order: what changes least comes first."""
_NAMES = dict(SECTIONS)

NOTHING = "Nothing in memory answers this.\n"
INDENT = "  "
UNSURE_BELOW = 0.5
"""A memory of less confidence is told to be unsure."""

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NAMES_MAX = 3
"""Recipients of a mail that are named."""


def brief_blocks(parts: Sequence[Part], frame: Frame) -> tuple[Block, ...]:
    """Return the blocks: a head, who is known, and the sections; nothing found is said so."""
    order = _ordered(parts)
    numbers = {place: number for number, place in enumerate(order, start=1)}
    blocks = [*_head(frame), *_known(frame)]
    if not parts:
        return (*blocks, Block(name="nothing found", text=NOTHING))
    for heading, places in groupby(order, key=lambda place: _heading(parts[place].item)):
        blocks += _section(heading, list(places), parts, numbers, frame)
    return tuple(blocks)


def _head(frame: Frame) -> Iterator[Block]:
    if frame.headers:
        text = f"# As of {_day(frame.now, frame.timezone)}; cite line n as [n]\n"
        yield Block(name="head", text=text)


def _known(frame: Frame) -> Iterator[Block]:
    """Yield a line of those known entities of whom there is more to tell than the name."""
    telling = [one_line(line) for line in frame.entities if ": " in line]
    if telling:
        yield Block(name="known entities", text=f"Known: {'; '.join(telling)}\n")


def _ordered(parts: Sequence[Part]) -> list[int]:
    """Return the places of parts by section, then time (undated by when they were kept), id."""
    rank = {kind: number for number, (kind, _) in enumerate(SECTIONS)}

    def key(place: int) -> tuple[object, ...]:
        item = parts[place].item
        when = item.happened_at or item.stored_at
        day = "" if when is None else when.isoformat()
        place_in_day = (day, item.session, item.position or 0, item.id)
        return (rank[item.kind], _heading(item), when is not None, *place_in_day)

    return sorted(range(len(parts)), key=key)


def _section(
    heading: str,
    places: Sequence[int],
    parts: Sequence[Part],
    numbers: dict[int, int],
    frame: Frame,
) -> Iterator[Block]:
    if frame.headers:
        yield Block(name="section", text=f"## {heading}\n")
    day = ""
    for place in places:
        this_day = _day_of(parts[place].item, frame.timezone)
        if this_day != day:
            yield Block(name=f"day in {heading}", text=f"{this_day}\n")
            day = this_day
        line = _line(parts[place], numbers=numbers, parts=parts, frame=frame)
        yield Block(name="item", text=f"{numbers[place]} {line}\n", part=place)


def _heading(item: Item) -> str:
    """Return what the item stands under: its kind, and where it comes from."""
    name = _NAMES[item.kind]
    return name if item.kind is Kind.MEMORY else f"{name} ({_spoken(item.source)})"


def _line(part: Part, *, numbers: dict[int, int], parts: Sequence[Part], frame: Frame) -> str:
    item = part.item
    head = [who for who in (_who(item), _title(item)) if who]
    marks = [*_marks(part), *_conflicts(part, parts, numbers)]
    if marks:
        head.append(f"({'; '.join(marks)})")
    words = _moved_in(part.text)
    why = _why(part) if frame.why else ""
    said = " ".join(head)
    return f"{said}: {words}{why}" if said and words else f"{said}{words}{why}"


def _who(item: Item) -> str:
    author = item.author
    if author is None or item.kind not in (Kind.EMAIL, Kind.MESSAGE, Kind.EVENT):
        return ""
    who = _spoken(author.name or author.address)
    to = [_spoken(p.name or p.address) for p in item.people if p.role is Role.TO]
    if item.kind is not Kind.EMAIL or not to:
        return who
    more = f" and {len(to) - _NAMES_MAX} more" if len(to) > _NAMES_MAX else ""
    return f"{who} to {', '.join(to[:_NAMES_MAX])}{more}"


def _spoken(name: str) -> str:
    return tamed(one_line(name), citations=True)


def _title(item: Item) -> str:
    title = _spoken(item.title)
    return f'"{title}"' if title and item.kind is not Kind.MESSAGE else ""


def _marks(part: Part) -> Iterator[str]:
    item, traits = part.item, part.item.traits
    if part.trust in (Trust.UNKNOWN, Trust.EXTERNAL):
        yield "unknown sender" if part.trust is Trust.UNKNOWN else "from outside"
    if part.form is Form.SUMMARY:
        yield "summary"
    if traits is not None and traits.status is not Status.ACTIVE:
        yield traits.status.value
    if traits is not None and traits.confidence < UNSURE_BELOW:
        yield f"unsure, confidence {traits.confidence:.1f}"
    if item.happened_at is None and item.kind is not Kind.MEMORY and item.stored_at is not None:
        yield "undated, day of keeping"


def _conflicts(part: Part, parts: Sequence[Part], numbers: dict[int, int]) -> Iterator[str]:
    """Yield what else is said of the same subject, in other words, by a memory that is shown."""
    subject = _subject(part.item)
    if not subject:
        return
    others = [
        numbers[place]
        for place, other in enumerate(parts)
        if _subject(other.item) == subject and other.item.content != part.item.content
    ]
    if others:
        yield f"differs from {', '.join(f'[{number}]' for number in sorted(others))}"


def _subject(item: Item) -> str:
    traits = item.traits
    if traits is None or traits.status is not Status.ACTIVE:
        return ""
    return " ".join(traits.entity.casefold().split())


def _moved_in(text: str) -> str:
    """Return the words so that no line but the first begins where the layout's own lines do."""
    return f"\n{INDENT}".join(line for line in tamed(text, citations=True).split("\n") if line)


def _why(part: Part) -> str:
    told = ", ".join(f"{name} {value:.2f}" for name, value in _largest(part.why))
    return f" (why: {told})" if told else ""


_WHY_MAX = 3


def _largest(why: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    return sorted(why, key=lambda one: (-one[1], one[0]))[:_WHY_MAX]


def _day_of(item: Item, timezone: str) -> str:
    when = item.happened_at or item.stored_at
    return "Undated" if when is None else _day(when, timezone)


def _day(when: datetime, timezone: str) -> str:
    """Return a day as `Sat 21 Nov 2026`, in the user's own days and in no machine's language."""
    try:
        local = when.astimezone(ZoneInfo(timezone))
    except OverflowError:  # the first and last days that can be told
        local = when
    return f"{_DAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]} {local.year}"
