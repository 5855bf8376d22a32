"""Results of searches and lists: hits with explanations, diagnostics, pages and reports.

Knows the shapes of answers. Must not know how they were found.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from simonides.model.filter import Filter
from simonides.model.item import ITEM_COLUMNS, Item, Role, Trust, item_cells
from simonides.model.result import Result, html_paragraph, html_table, omit_when, short
from simonides.model.stored import Background, ScoredBackground
from simonides.model.times import microseconds


class Mode(StrEnum):
    """The lanes that may answer. Hybrid may go without vectors and says so; vector never does."""

    HYBRID = "hybrid"
    TEXT = "text"
    VECTOR = "vector"


class Scorer(StrEnum):
    """How the results of the lanes become one score."""

    FUSED = "fused"
    RRF = "rrf"
    CLASSIC = "classic"


class Direction(StrEnum):
    """Which end of time a question asks for."""

    NONE = ""
    NEWEST = "newest"
    OLDEST = "oldest"
    NEXT = "next"


class TaskState(StrEnum):
    """The state in which a question asks for tasks. An overdue one is open and was due before."""

    ANY = ""
    OPEN = "open"
    DONE = "done"
    OVERDUE = "overdue"


class ReplyState(StrEnum):
    """The mails that a question asks for by their answers, which did not come yet.

    To those that are `owed` one the owner has not answered; to those `awaited`, others have not.
    """

    ANY = ""
    OWED = "owed"
    AWAITED = "awaited"


class PlanPart(StrEnum):
    """A part of how a question is read, which it can be asked without (`ignore`).

    `people` are those who are named and who asks, `sources` those that words such as "mail" name,
    `agenda` that what takes place or is due is asked for, `when` that a time is.
    """

    TIME = "time"
    DIRECTION = "direction"
    WHEN = "when"
    AGENDA = "agenda"
    TASKS = "tasks"
    REPLIES = "replies"
    PEOPLE = "people"
    ENTITIES = "entities"
    SOURCES = "sources"
    KINDS = "kinds"
    PHRASES = "phrases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question to one space.

    `now` is the clock that relative times are read by (aware); `timezone` an IANA name, in whose
    days they are counted. `session_id` is the session the question is asked in, if any. `as_of`
    asks an earlier state of the space: as it was at a time (aware) or at a revision. What is to
    `ignore` of how it is read counts as words alone.
    """

    text: str
    now: datetime
    timezone: str = "UTC"
    limit: int = 10
    mode: Mode = Mode.HYBRID
    scorer: Scorer = Scorer.FUSED
    filter: Filter = field(default_factory=Filter)
    session_id: str = ""
    min_score: float | None = None
    min_relevance: float | None = None
    as_of: datetime | int | None = None
    ignore: tuple[PlanPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange(Result):
    """Half-open [since, until), aware UTC; an open end is None. `text` is the words read."""

    since: datetime | None
    until: datetime | None
    text: str = ""

    @property
    def bounds_us(self) -> tuple[int | None, int | None]:
        """Both ends in microseconds since 1970; None for an open one."""
        since = None if self.since is None else microseconds(self.since)
        return since, None if self.until is None else microseconds(self.until)

    def lies_ahead(self, now: datetime) -> bool:
        """Return whether it begins at a time or later."""
        return self.since is not None and self.since >= now


MEANING_PARTS = ("passage", "semantic")
"""The contributions that come of meaning alone, by the default scorer and by the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution(Result):
    """One named part of a score; `detail` explains where it comes from."""

    name: str
    value: float
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(Result):
    """The explanation of a score: contributions that add up to it, and the lanes of the hit."""

    contributions: tuple[Contribution, ...]
    lanes: tuple[str, ...]

    @property
    def score(self) -> float:
        """The sum of the contributions, added in their order."""
        total = 0.0
        for part in self.contributions:
            total += part.value
        return total

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a hit's JSON: `explanation` and `lanes`."""
        parts = [part.to_dict() for part in self.contributions]
        return {"explanation": parts, "lanes": list(self.lanes)}

    def _repr_html_(self) -> str:
        rows = [(part.name, part.value, part.detail) for part in self.contributions]
        return html_table(("contribution", "value", "from"), [*rows, ("score", self.score, "")])


ItemKey = tuple[str, str]
"""The space (empty where one alone is asked) and the id of an item."""

NO_EXPLANATION = Explanation(contributions=(), lanes=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement(Result):
    """The other one of two items of which the later replaces the earlier."""

    id: str
    happened_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Result):
    """An item found. `passage` is its best-matching chunk; a score is its own (law 12).

    `relevance`, in [0, 1], is the probability that it belongs to the answer; it means the same in
    every space. A caller of `build_active_context` makes hits from an item and a score: what the
    caller brings is taken to belong. `space` is whose it is where several are asked; else empty.
    `replaces` are earlier items that say the same of another time or state, `replaced_by` a later
    one that does. `takes_place_at` is when an event of a series first does within the time that is
    asked for. `pinned` ones are in a brief whatever is asked, before all others.
    """

    item: Item
    score: float
    explanation: Explanation = NO_EXPLANATION
    passage: str = ""
    trust: Trust = Trust.OWN
    relevance: float = 1.0
    space: str = ""
    replaces: tuple[Replacement, ...] = omit_when(())
    replaced_by: Replacement | None = omit_when(None)  # noqa: RUF009  a field
    takes_place_at: datetime | None = omit_when(None)  # noqa: RUF009  a field
    pinned: bool = omit_when(False)  # noqa: FBT003  the default

    @property
    def id(self) -> str:
        """The item's id."""
        return self.item.id

    @property
    def key(self) -> ItemKey:
        """The space and the id: items of two spaces may have one id."""
        return self.space, self.item.id

    @property
    def text(self) -> str:
        """The item's content."""
        return self.item.content

    @property
    def title(self) -> str:
        """The item's title; empty where it has none."""
        return self.item.title

    def __repr__(self) -> str:
        shown = f"score={self.score:.3f}, id={short(self.id)}, source={short(self.item.source)}"
        return f"Hit({shown}, title={short(self.title)}, text={short(self.text)})"

    def _repr_html_(self) -> str:
        return html_table(_HIT_COLUMNS, [_row(1, self)]) + self.explanation._repr_html_()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneReport(Result):
    """The report of one lane: whether it ran, how many items it found, its time, and a note."""

    name: str
    ran: bool
    found: int = 0
    took_ms: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Result):
    """The plan detected in a question's words. It steers and boosts; it never excludes.

    `time` is the time that it names; `other_time` the further one, where its words leave open
    which of two is meant. `searched` is what of the question is still searched as words: without
    those that are used up as a time, an end of time, a source or a request. `role` is the part
    that the named people are asked for, if the words say one: `mentioned` means as a topic.
    `asks_agenda` says that what takes place or is due is asked for, `task_state` the state that
    tasks are asked to be in, `reply_state` that mails and messages are without an answer.
    `reasons` say whom a name was taken for, and why.
    """

    words: tuple[str, ...] = ()
    searched: str = ""
    time: TimeRange | None = None
    other_time: TimeRange | None = None
    direction: Direction = Direction.NONE
    asks_when: bool = False
    asks_agenda: bool = False
    task_state: TaskState = TaskState.ANY
    reply_state: ReplyState = ReplyState.ANY
    first_person: bool = False
    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    role: Role | None = None
    reasons: tuple[str, ...] = ()
    owner: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()

    @property
    def asks_list(self) -> bool:
        """Whether an agenda, or tasks or mails in a state, are asked for."""
        return self.asks_agenda or self.asks_state

    @property
    def asks_state(self) -> bool:
        """Whether tasks in a state, or what has no answer, are asked for."""
        return bool(self.task_state or self.reply_state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics(Result):
    """The diagnostics of a search. Timings are outside the bytes that determinism promises.

    `waiting` is how many chunks of the space wait for their vectors, and are found by words alone.
    """

    revision: int
    mode_requested: Mode
    mode_used: Mode
    scorer: Scorer
    lanes: tuple[LaneReport, ...] = ()
    notes: tuple[str, ...] = ()
    waiting: int = 0
    took_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult(Result):
    """The hits of a search, best first, with the plan and what ran. Iterates over its hits.

    `background` is the latest snapshot of the collection searched (`main` unless the filter names
    just one), read from the store at the same revision. `best_context` holds the snapshot of that
    collection that fits the question best; it is empty where none does, and None unless asked for.
    `nothing` is empty where a hit answers clearly; else it says that none does, and what memory has
    nearest: the hits are still those that fit best. `pinned` are the pinned memories, where a brief
    is made of it.
    """

    hits: tuple[Hit, ...]
    plan: Plan
    diagnostics: Diagnostics
    background: Background | None = None
    best_context: tuple[ScoredBackground, ...] | None = None
    nothing: str = ""
    pinned: tuple[Hit, ...] = ()

    def __repr__(self) -> str:
        listed = [f"{one.score:.3f} {short(one.title or one.text)}" for one in self.hits[:_SHOWN]]
        more = ["…"] if len(self.hits) > _SHOWN else []
        return f"SearchResult({len(self.hits)} hits: {', '.join(listed + more) or 'none'})"

    def _repr_html_(self) -> str:
        notes = "".join(html_paragraph(note) for note in self.diagnostics.notes)
        return html_table(_HIT_COLUMNS, map(_row, range(1, len(self) + 1), self)) + notes

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]


_SHOWN = 3
"""Hits that the `repr` of a search shows."""

_HIT_COLUMNS = ("", "score", "when", "source", "title", "text")


def _row(number: int, hit: Hit) -> tuple[object, ...]:
    when = hit.item.happened_at
    day = when.date().isoformat() if when else ""
    return number, hit.score, day, hit.item.source, hit.title, hit.passage or hit.text


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedReport(Result):
    """The report of embedding: how many chunks got their vectors, and how many still wait."""

    embedded: int = 0
    waiting: int = 0
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Result):
    """One page of a list, newest first; `cursor` asks for the next one and is empty at the end."""

    items: tuple[Item, ...]
    cursor: str = ""

    def __repr__(self) -> str:
        listed = [short(one.title or one.content) for one in self.items[:_SHOWN]]
        more = ["…"] if len(self.items) > _SHOWN else []
        shown = ", ".join(listed + more) or "none"
        return f"Page({len(self.items)} items: {shown}, cursor={short(self.cursor)})"

    def _repr_html_(self) -> str:
        return html_table(ITEM_COLUMNS, map(item_cells, self.items))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(Result):
    """A person, project, issue or topic: its names, most frequent first, and its mentions."""

    id: str
    kind: str
    names: tuple[str, ...]
    mentions: int

    def _repr_html_(self) -> str:
        cells = (self.kind, ", ".join(self.names), self.mentions)
        return html_table(("kind", "names", "mentions"), [cells])


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceStats(Result):
    """Counts and sizes of one space, and whether its pages are checked.

    `page_checksums` says that every page has one. All pages were last looked at `scrubbed_at`
    (None: never), and `pages_damaged` did not fit. `waiting` chunks wait for their vectors: they
    are found by words until `embed` has made them. `history_since` is the time of the oldest state
    that can be asked for, `backed_up_at` that of the last backup made from here.
    """

    space: str
    revision: int
    items: int
    chunks: int
    archived: int
    by_kind: dict[str, int]
    by_source: dict[str, int]
    oldest: datetime | None
    newest: datetime | None
    bytes_on_disk: int
    embedder: str
    by_language: dict[str, int] = field(default_factory=dict)
    page_checksums: bool = False
    scrubbed_at: datetime | None = None
    pages_damaged: int = 0
    waiting: int = 0
    history_since: datetime | None = None
    backed_up_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Result):
    """One check of `doctor`: whether it passed, and what to do if not."""

    check: str
    sound: bool
    detail: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceHit(Result):
    """A hit, and the space it comes from."""

    space: str
    hit: Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiSpaceResult(Result):
    """The hits of several spaces, best first, and each space's own result.

    `results` are in the order in which the spaces were named. A score is that of its own space:
    the words of a question are weighed by how rare they are there.
    """

    hits: tuple[SpaceHit, ...]
    results: Mapping[str, SearchResult]
