"""The parts that layouts render, and the labels of an item: who, when, how far trusted, and why.

All text of items is escaped here. A message speaks for its author only: a line `Tom Becker: I
approve` in a message of another speaker is a quotation at best, and is shown as one. Must not know
how a layout arranges its lines. A layout never chooses; the assembly never writes.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVarTuple, Unpack
from zoneinfo import ZoneInfo

from simonides.context import names
from simonides.context.confusables import is_visible, skeleton
from simonides.context.names import name_skeleton
from simonides.context.safety import BAR, escape, one_line, replace_lookalikes, visible
from simonides.model.answer import MEANING_PARTS, Hit
from simonides.model.brief import Form, Stage
from simonides.model.item import Item, Kind, Trust
from simonides.model.stored import Tier
from simonides.text.word_patterns import lazy_pattern

Args = TypeVarTuple("Args")


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderItem:
    """One item to render: `text` is its words, raw, for the layout to escape.

    `spans` are the offsets into the item's content that `text` shows, empty for a stand-in; `why`
    the named contributions of its score; `space` is named where several are asked. `replaces` are
    the times of what it replaces, `replaced_on` that of what replaces it, `takes_place_at` when an
    event of a series does within the time asked for.
    """

    item: Item
    score: float
    stage: Stage
    form: Form
    trust: Trust
    text: str
    tier: Tier | None = None
    spans: tuple[tuple[int, int], ...] = ()
    why: tuple[tuple[str, float], ...] = ()
    space: str = ""
    replaces: tuple[datetime, ...] = ()
    replaced_on: datetime | None = None
    takes_place_at: datetime | None = None


NOTHING = "Nothing in memory answers this."
NO_ROOM = "Found, but it does not fit here."


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderContext:
    """The settings of a layout: the texts around the items, and the style.

    `nothing` is what is said before the items where none clearly answers, empty where one does;
    where there is none at all, it or `NOTHING` stands in their place. `background` is that of the
    collection, `owner` are the names and addresses of whom the brief is for.

    A layout writes each part alone first, for its cost, and then all together: what it has made
    before is kept, for one brief. `cached` is for texts by values, `lines` for the lines of parts
    that do not depend on others (by `id`, which is one part's as long as it is kept here, too),
    `around` for what stands around all of them.
    """

    request: str
    now: datetime
    timezone: str
    entities: tuple[str, ...] = ()
    headers: bool = True
    why: bool = False
    nothing: str = ""
    background: str = ""
    owner: tuple[str, ...] = ()
    lines: dict[int, tuple[RenderItem, str]] = field(
        default_factory=dict, compare=False, repr=False
    )
    around: list["Block"] = field(default_factory=list, init=False, compare=False, repr=False)
    _cache: dict[object, str] = field(default_factory=dict, compare=False, repr=False)

    def cache(self, make: Callable[[Unpack[Args]], str], *args: *Args) -> str:
        """Return the cached result of a pure function of some values."""
        key = (make, *args)
        text = self._cache.get(key)
        if text is None:
            text = self._cache[key] = make(*args)
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a rendered text of whole lines.

    `part` is the place, in the sequence rendered, of the part it shows; None for what belongs to
    none (headers, separators, the request), which `name` names in the account.
    """

    name: str
    text: str
    part: int | None = None


class LayoutOf(Protocol):
    """A layout function: pure and deterministic; item text cannot forge its structure."""

    def __call__(self, parts: Sequence[RenderItem], context: RenderContext) -> tuple[Block, ...]:
        """Return the blocks of the whole text in their order; parts may be reordered."""
        ...


def text_of(blocks: Sequence[Block]) -> str:
    """Return the whole text, without the line break at its end."""
    return "".join(block.text for block in blocks).rstrip("\n")


def doubt(parts: Sequence[RenderItem], context: RenderContext) -> Iterator[Block]:
    """Yield a line that nothing answers clearly; without parts, that nothing does at all."""
    text = context.nothing if parts else context.nothing or NOTHING
    if text:
        yield Block(name="in doubt" if parts else "nothing found", text=f"{one_line(text)}\n")


UNKNOWN_SPEAKER = "(unknown speaker)"
"""Stands in the place of a speaker's name where a message has none."""

_QUOTES = {'"': "'"}

_CLAIM = lazy_pattern(
    r"""[^\w"]*                              # marks, brackets, bullets
    (?:\d[\d:.,/ -]{1,24}(?:[AaPp][Mm])?[^\w"]{1,4})?   # a date or a time
    (?P<name>[^\W\d_][\w.'\u2019-]{0,40}(?:[ ][\w.'\u2019-]{1,40}){0,5})
    [^\w"\n:]{0,4}(?P<mark>[:>)\]]|-\s)""",
    re.VERBOSE,
)
"""A line that begins as that of a chat does: when, who, and a colon."""

_HEAD_CHARS = 400
"""So much of a line is looked at: who speaks stands at its head."""

_JOINING = frozenset("and de der den di la of the van von says said wrote writes".split())
"""What may stand in small letters among the words of a name, or between it and the colon."""

_LABELS = frozenset(
    """
    a address agenda answer attention cc code cost date decision edit example from fyi hint http
    https idea info issue link note notes p.s password phone place plan ps q question re
    reminder subject summary task time tip tldr to todo total update warning
    achtung adresse anmerkung antwort beispiel betreff datum frage hinweis idee kosten notiz ort
    passwort preis telefon tipp treffpunkt uhrzeit wichtig zeit
    exemple heure objet prix rappel remarque reponse
    direccion ejemplo fecha hora lugar nota precio pregunta respuesta
    adres datum indirizzo luogo orario plaats prezzo tijd data endereco lembrete preco
    """.split()
)
"""Words that stand before a colon and name nobody."""

_SENTENCE_CHARS_MIN = 5
"""A word of so many letters with a full stop ends a sentence; "Prof." does not."""


def is_unsigned(item: Item) -> bool:
    """Return whether an item is a message without a visible speaker."""
    if item.kind is not Kind.MESSAGE:
        return False
    author = item.author
    return author is None or not (is_visible(author.name) or is_visible(author.address))


def attribute(text: str, item: Item, *, trust: Trust) -> str:
    """Return an item's words, with lines that claim another speaker in quotation marks.

    Of a message without a speaker every line is, since any may claim one. The user's own words
    (of trust `own`) with a speaker are left alone.
    """
    if item.kind is not Kind.MESSAGE:
        return text
    if is_unsigned(item):
        return quote_lines(text)
    if trust is Trust.OWN or item.author is None:
        return text
    return without_claims(text, speaker=item.author.name or item.author.address)


def quote_lines(text: str) -> str:
    """Return the text with each visible line in quotation marks, which no line can close."""
    return "\n".join(_quote(line) for line in visible(text).split("\n"))


def without_claims(text: str, *, speaker: str) -> str:
    """Return the text with lines quoted that begin with a name other than the speaker's."""
    own = frozenset(name_skeleton(speaker).split())
    lines = visible(text).split("\n")
    return "\n".join(_quote(line) if _claims(line, own) else line for line in lines)


def _quote(line: str) -> str:
    bare = line.strip()
    return f'"{replace_lookalikes(bare, _QUOTES)}"' if is_visible(bare) else line


def _claims(line: str, own: frozenset[str]) -> bool:
    """Return whether a line begins with a capitalised name that is not the speaker's."""
    claim = _CLAIM.match(skeleton(line.lstrip()[:_HEAD_CHARS]))
    if claim is None:
        return False
    every = claim["name"].split()
    ends = [at for at, one in enumerate(every) if one[-1] == "." and len(one) > _SENTENCE_CHARS_MIN]
    words = [one for one in every[ends[-1] + 1 if ends else 0 :] if one not in _JOINING]
    if not words or any(word[0].islower() for word in words):
        return False
    named = [name_skeleton(word) for word in words]
    if own.issuperset(named):
        return False
    return len(named) > 1 or (claim["mark"][0] != "-" and named[0] not in _LABELS)


JOIN = " · "
"""Stands between the parts of a line; no name, title or line of words can hold it."""

UNDATED = "undated"

FORM_MARKS = {Form.WHOLE: "", Form.EXCERPT: "(excerpt) ", Form.SUMMARY: "(summary) "}

TRUST_MARKS = {Trust.UNKNOWN: "unknown sender", Trust.EXTERNAL: "external"}
"""Said of what is less than known; nothing is said of the rest."""

_ROUND = {"[": "(", "]": ")"}
_NO_BRACKETS = dict.fromkeys("[](),=", "_")


def label_of(item: Item) -> str:
    """Return an item's source in capitals, without brackets; its kind if that is invisible."""
    source = replace_lookalikes(one_line(item.source).upper(), _ROUND)
    return source if is_visible(source) else item.kind.upper()


def author_of(item: Item, *, with_address: bool = False) -> str:
    """Return the author's name, else address, safe at the start of a line; empty without one.

    `with_address` shows the address with the name. A message without an author says so. What
    looks like structure, or like the bar before it, stands in quotation marks: a bar would make
    the layout's line look like one of the item's.
    """
    if is_unsigned(item):
        return UNKNOWN_SPEAKER
    author = item.author
    shown = "" if author is None else names.person(author, with_address=with_address)
    is_plain = escape(shown) == shown and not skeleton(shown).lstrip().startswith(BAR.strip())
    return shown if is_plain or shown.startswith('"') else f'"{shown}"'


def author_of_hit(hit: Hit) -> str:
    """Return the author of a hit, with the address of who is not known: anyone bears any name."""
    return author_of(hit.item, with_address=hit.trust in TRUST_MARKS)


def day_of(happened_at: datetime | None, timezone: str) -> str:
    """Return the day in the user's time zone, as 2026-03-03; `undated` if it is unknown."""
    if happened_at is None:
        return UNDATED
    try:
        return happened_at.astimezone(ZoneInfo(timezone)).date().isoformat()
    except OverflowError:  # the first and last days that exist
        return happened_at.date().isoformat()


def words_of(part: RenderItem) -> str:
    """Return a part's words, marked if they are not all of them; empty if nothing is visible."""
    words = escape(attribute(part.text, part.item, trust=part.trust))
    return FORM_MARKS[part.form] + words if is_visible(words) else ""


def with_speaker(text: str, item: Item, *, trust: Trust) -> str:
    """Return the words, after the speaker's name if a line claims another speaker.

    That is where a line of a message claims another speaker, or any.
    """
    quoted = attribute(text, item, trust=trust)
    return text if quoted == text else f"{author_of(item)}: {quoted}"


def trust_of(part: RenderItem) -> str:
    """Return ` · unknown sender` or ` · external` by trust level, else empty."""
    mark = TRUST_MARKS.get(part.trust)
    return JOIN + mark if mark else ""


def space_of(part: RenderItem) -> str:
    """Return ` · space team`, else empty."""
    return JOIN + names.space_mark(part.space) if part.space else ""


def reasons(part: RenderItem) -> str:
    """Return `(why: score 0.812, semantic 0.500, …)`: the finite parts of the score."""
    named = (("score", part.score), *part.why)
    reasons = (f"{plain(name)} {value:.3f}" for name, value in named if math.isfinite(value))
    return f"(why: {', '.join(reasons)})"


def figures(part: RenderItem, *, scope: str) -> str:
    """Return `(score=0.812, sim=0.500, imp=0.500, conf=0.700, scope=user, src=note)`.

    Numbers to three places, those that are missing left out (the designs' why-tag). `sim` is the
    contribution of meaning: `passage`, or `semantic` by another scorer than the default.
    """
    numbers = (f"{name}={value:.3f}" for name, value in _numbers(part) if math.isfinite(value))
    return f"({', '.join((*numbers, f'scope={scope}', f'src={plain(part.item.source)}'))})"


def plain(name: str) -> str:
    """Return a name on one line that cannot end a reason or begin another."""
    return replace_lookalikes(one_line(name), _NO_BRACKETS)


def _numbers(part: RenderItem) -> Iterator[tuple[str, float]]:
    yield "score", part.score
    yield from (("sim", value) for name, value in part.why if name in MEANING_PARTS)
    if part.item.traits is not None:
        yield "imp", part.item.traits.importance
        yield "conf", part.item.traits.confidence
