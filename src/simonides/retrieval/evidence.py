"""The lanes: each searches the whole space in its own way and reports its results.

Every lane works over arrays of all chunks or items of the space, so a filter is a mask laid over
the result and can lose nothing. Must not weigh lanes against each other: scorers do that.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simonides.errors import EmbedderError
from simonides.index.facets import author_key, entity_key, part_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.answer import Direction, LaneReport, Mode, Plan, Query, TimeRange
from simonides.model.decay import DecayConfig
from simonides.model.filter import Filter
from simonides.model.item import Kind, Role
from simonides.model.query import QUERY_TERMS_MAX, cap_terms
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.amounts import find_amounts
from simonides.retrieval.asked_agenda import TO_DO, find_begins, time_of_agenda
from simonides.retrieval.named_days import IN_WORDS, days_asked, find_naming
from simonides.retrieval.namesakes import of_namesakes
from simonides.retrieval.people import words_called
from simonides.retrieval.pointed import find_pointed
from simonides.retrieval.query_vector import QueryVector, ms_since
from simonides.scoring.expected import expected_cosine
from simonides.scoring.importance import (
    PLAIN_DECAY,
    UNDATED,
    time_agreement,
    time_nearness,
    within,
)
from simonides.text.analyse import QueryTerm, query_terms
from simonides.text.compounds import COMPOUNDING, compound_parts
from simonides.text.stopwords import stop_words

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


VECTOR_WAITING = "vector waiting"
"""What explanations say where a part stands for a vector that is not there yet."""


class AskedWord(NamedTuple):
    """A word of a question: how rare it is, and bool[items]: the items that hold it."""

    text: str
    idf: float
    items: Bools


@dataclass(slots=True, kw_only=True)
class Evidence:
    """The results of the lanes, as arrays over the view's slots; None for a lane that did not run.

    Per chunk: `lexical` in [0, 1], `semantic` centred cosine, `matching` how many of the
    question's words a chunk holds. Per item: `authors`, `owner` and `people` 0 or 1, `namesakes`
    1 for what has to do only with others of a name that is asked for, `mentions` a count,
    `agreement` and `nearness` of time in [0, 1], `within` the time that is named, `pointed` 1 for
    a source or kind that is named, `takes_place` 1 for events and due tasks within the time, ½
    for what names it in words, and `starts` when (the first of them), `cancelled` events,
    `keywords` the share of words found as parts, `phrases` that of quoted phrases, `lanes` which
    items each lane found. `words` are the question's words and what holds them, `called` those of
    the people it names. `waiting` are the
    chunks whose `semantic` is what their words let expect; None where every vector is there.
    `is_bare` says that the question has no word besides those that steer.
    """

    lexical: Floats | None = None
    matching: npt.NDArray[np.uint16] | None = None
    semantic: Floats | None = None
    query_vector: npt.NDArray[np.float32] | None = None
    authors: Floats | None = None
    owner: Floats | None = None
    people: Floats | None = None
    namesakes: Bools | None = None
    mentions: Floats | None = None
    agreement: Floats | None = None
    within: Bools | None = None
    nearness: Floats | None = None
    keywords: Floats | None = None
    phrases: Floats | None = None
    pointed: Floats | None = None
    takes_place: Floats | None = None
    starts: npt.NDArray[np.int64] | None = None
    cancelled: Bools | None = None
    is_bare: bool = False
    waiting: Bools | None = None
    called: frozenset[str] = frozenset()
    words: list[AskedWord] = field(default_factory=list)
    lanes: dict[str, Bools] = field(default_factory=dict)
    mode: Mode = Mode.HYBRID
    reports: list[LaneReport] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    notes_on_state: dict[str, str] = field(default_factory=dict)
    """What a lane that ran has to say of it."""

    def is_called(self, word: str) -> bool:
        """Return whether a word is of the name of somebody whom the question names."""
        return word.removesuffix("'s") in self.called

    def meaning_of(self, chunks: npt.NDArray[np.intp]) -> str:
        """Return the note on the meaning of chunk slots."""
        is_waiting = self.waiting is not None and bool(self.waiting[chunks].any())
        return VECTOR_WAITING if is_waiting else ""

    def words_of(self, slot: int) -> str:
        """Return the question's words in an item slot, in their order."""
        return ", ".join([word.text for word in self.words if word.items[slot]])

    def mark_found(self, view: IndexView) -> Bools:
        """Return bool[items]: the present items that at least one lane found."""
        found = np.zeros(view.item_count, dtype=bool)
        for items in self.lanes.values():
            found |= items
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuery:
    """A question in the form that lanes read; `corrected` are notes on its misspelled words."""

    query: Query
    plan: Plan
    languages: Sequence[str]
    corrected: tuple[str, ...] = ()
    decay: DecayConfig = PLAIN_DECAY
    owner: tuple[str, ...] = ()


LANES = ("semantic", "lexical", "entity", "temporal", "source", "keyword", "phrase")
"""The lanes in the order of their reports. Words are looked up first: where the semantic lane is
approximate, it looks closely at what they found."""


def gather(
    asked: PlannedQuery, question: QueryVector, *, view: IndexView, reader: Reader
) -> Evidence:
    """Return the results of all lanes; those that could not run are in the reports (law 10)."""
    evidence = Evidence(mode=asked.query.mode)
    lanes: dict[str, Callable[[], str | Bools]] = {
        "lexical": lambda: _lexical(evidence, asked, view),
        "semantic": lambda: _semantic(evidence, asked, question, view, reader),
        "entity": lambda: _entity(evidence, asked, view),
        "temporal": lambda: _temporal(evidence, asked, view, reader),
        "source": lambda: _source(evidence, asked, view, reader),
        "keyword": lambda: _keyword(evidence, asked, view, reader),
        "phrase": lambda: _phrase(evidence, asked, view, reader),
    }
    for name, lane in lanes.items():
        before_ms = question.took_ms if name == "semantic" else 0.0
        evidence.reports.append(_run(name, lane, evidence=evidence, view=view, before_ms=before_ms))
    evidence.reports.sort(key=lambda report: LANES.index(report.name))
    evidence.lanes = {name: evidence.lanes[name] for name in LANES if name in evidence.lanes}
    return evidence


def _run(
    name: str,
    lane: Callable[[], str | Bools],
    *,
    evidence: Evidence,
    view: IndexView,
    before_ms: float,
) -> LaneReport:
    """Run a lane; it returns bool[items], its results, or a text: why it did not run.

    `before_ms` is what was done for it before.
    """
    started = time.perf_counter()
    answer = lane()
    ran = not isinstance(answer, str)
    if not isinstance(answer, str):
        evidence.lanes[name] = answer & view.alive
    return LaneReport(
        name=name,
        ran=ran,
        found=int(np.count_nonzero(evidence.lanes[name])) if ran else 0,
        note=evidence.notes_on_state.get(name, "") if ran else str(answer),
        took_ms=round(before_ms + ms_since(started), 3),
    )


def _semantic(
    evidence: Evidence, asked: PlannedQuery, question: QueryVector, view: IndexView, reader: Reader
) -> str | Bools:
    if asked.query.mode is Mode.TEXT:
        return "not asked for (mode text)"
    evidence.query_vector = question.vector
    if evidence.query_vector is None:
        return _without_vectors(evidence, asked, question.why_not)
    if view.near is None:
        own = view.semantic(evidence.query_vector)
    else:
        from simonides.index.approximate import near_semantic

        own, evidence.notes_on_state["semantic"] = near_semantic(
            view,
            evidence.query_vector,
            lexical=evidence.lexical,
            allowed=lambda: mask_of(
                asked.query.filter, view=view, reader=reader, now=asked.query.now
            ),
            limit=asked.query.limit,
        )
    if view.waiting is not None:
        _expect(own, evidence, view)
    evidence.semantic = own
    near = own > 0.0
    return view.any_chunk(near if view.waiting is None else near & ~view.waiting)


def _expect(own: Floats, evidence: Evidence, view: IndexView) -> None:
    """Write what words let expect where a vector is waited for: no more, and no less, than that."""
    evidence.waiting = view.waiting
    words = np.zeros(view.chunk_count) if evidence.lexical is None else evidence.lexical
    own[view.waiting] = expected_cosine(words[view.waiting])
    waiting = f"{view.waiting_count:,} of {view.chunks_alive:,} chunks wait for their vectors"
    evidence.notes_on_state["semantic"] = waiting
    evidence.notes.append(f"{waiting} and are found by their words until then")


def _without_vectors(evidence: Evidence, asked: PlannedQuery, reason: str) -> str:
    if asked.query.mode is Mode.VECTOR:
        raise EmbedderError(f"mode vector needs vectors, but {reason}; use mode hybrid or text")
    evidence.mode = Mode.TEXT
    evidence.notes.append(f"answered without vectors: {reason}")
    return reason


def _lexical(evidence: Evidence, asked: PlannedQuery, view: IndexView) -> str | Bools:
    if asked.query.mode is Mode.VECTOR:
        return "not asked for (mode vector)"
    evidence.is_bare = not asked.plan.searched
    terms = list_searched_terms(asked)
    if not terms:
        return "the question has only stop words"
    if len(terms) > QUERY_TERMS_MAX:
        note = f"of the question's {len(terms):,} terms the first and the last count"
        evidence.notes.append(f"{note}, {QUERY_TERMS_MAX} in all")
        terms = cap_terms(terms)
    terms = _with_compounds_split(terms, asked.languages, view)
    found = [view.term(term.keys) for term in terms]
    evidence.lexical = view.lexical(found)
    if asked.plan.people:
        evidence.called = words_called(asked.plan.people, names=view.names)
    names_all = all(evidence.is_called(term.text) for term in terms)
    evidence.is_bare |= names_all
    if asked.plan.searched:  # otherwise these words steer, and nothing has to hold them
        evidence.words = [
            AskedWord(term.text, word.idf, view.with_chunks(word.docs))
            for term, word in zip(terms, found, strict=True)
        ]
    evidence.matching = np.zeros(view.chunk_count, dtype=np.uint16)
    for term in found:
        evidence.matching[term.docs] += 1
    if view.chunk_alive is not None:
        evidence.matching[~view.chunk_alive] = 0
    return view.any_chunk(evidence.matching > 0)


def _with_compounds_split(
    terms: Sequence[QueryTerm], languages: Sequence[str], view: IndexView
) -> list[QueryTerm]:
    """Return the terms, with the two parts of a compound that no item has in its place."""
    if languages[0] not in COMPOUNDING:
        return list(terms)

    def is_held(term: QueryTerm) -> bool:
        return len(view.term(term.keys).docs) > 0

    def is_known(text: str) -> bool:
        return any(map(is_held, query_terms(text, languages)))

    split: list[QueryTerm] = []
    for term in terms:
        parts = () if is_held(term) else compound_parts(term.text, is_known)
        split += query_terms(" ".join(parts), languages) if parts else (term,)
    return split


def list_searched_terms(asked: PlannedQuery) -> Sequence[QueryTerm]:
    """Return the terms that are searched: of the whole question where none is left of it."""
    terms = query_terms(asked.plan.searched, asked.languages)
    return terms or query_terms(asked.query.text, asked.languages)


def _entity(evidence: Evidence, asked: PlannedQuery, view: IndexView) -> str | Bools:
    plan, wanted = asked.plan, asked.query.filter
    named = {*plan.people, *plan.owner, *plan.entities}
    for name in wanted.entities:
        named |= view.names.matching(name)
    if not named:
        return "the question names nobody known"
    if plan.people:
        _parts_of_people(evidence, plan, view)
    if plan.owner:
        evidence.owner = view.having(map(author_key, plan.owner)).astype(np.float64)
    if plan.role is Role.TO and evidence.owner is not None and evidence.people is not None:
        evidence.owner *= np.maximum(evidence.people, view.of_kind(Kind.MESSAGE))
    evidence.mentions = np.zeros(view.item_count)
    for same in view.names.classes(named):
        evidence.mentions += view.having(map(entity_key, sorted(same)))
    evidence.namesakes = of_namesakes(plan, view, asked.languages)
    return np.asarray(evidence.mentions > 0.0)


def _source(
    evidence: Evidence, asked: PlannedQuery, view: IndexView, reader: Reader
) -> str | Bools:
    """Find the items of the sources and kinds that a question names; note what is cancelled."""
    plan = asked.plan
    cancelled = mask_of(CANCELLED, view=view, reader=reader)
    evidence.cancelled = cancelled if cancelled.any() else None
    if not plan.sources and not plan.kinds:
        return "the question names no source"
    evidence.pointed = find_pointed(plan, asked.query, owner=asked.owner, view=view, reader=reader)
    return np.asarray(evidence.pointed > 0.0)


CANCELLED = Filter(kinds=(Kind.EVENT,), where={"status": "cancelled"})


def _parts_of_people(evidence: Evidence, plan: Plan, view: IndexView) -> None:
    """Note who wrote what and who takes part in it, in the role that the question asks for."""
    authors = view.having(map(author_key, plan.people)).astype(np.float64)
    part = view.having(map(part_key, plan.people)).astype(np.float64)
    others = np.maximum(part - authors, 0.0)
    evidence.authors = authors * (plan.role not in NOT_AUTHORS)
    evidence.people = others * (plan.role not in (Role.AUTHOR, Role.MENTIONED))


NOT_AUTHORS = (Role.TO, Role.ASSIGNEE, Role.MENTIONED)
"""Roles in which a named person is not looked for as an author."""


def _take_place(evidence: Evidence, asked: PlannedQuery, view: IndexView, reader: Reader) -> None:
    """Note the events that take place, and the tasks that are due, within the time asked for.

    Of tasks in a state, where no time is named, only when: those that are not due count, too.
    """
    plan = asked.plan
    if (between := time_of_agenda(plan, asked.query)) is None:
        return
    starts = find_begins(  # "the next violin lesson" names no kind
        between, plan.kinds or (Kind.EVENT,), state=plan.task_state, owner=asked.owner, view=view,
        reader=reader, is_last=plan.direction is Direction.NEWEST,
    )  # fmt: skip
    evidence.starts = np.full(view.item_count, UNDATED)
    for key, item in reader.items(reader.keys(tuple(starts))).items():
        evidence.starts[view.item_slots([key])] = starts[item.id]
    is_known = bool(starts) or plan.task_state in TO_DO  # few lists say when a task was done
    on = evidence.starts != UNDATED
    if plan.asks_agenda or (plan.time and plan.task_state and is_known):
        evidence.takes_place = on.astype(np.float64)
    elif evidence.within is not None and evidence.agreement is not None:  # "when is it this week"
        evidence.within[on], evidence.agreement[on] = True, 1.0


def _temporal(
    evidence: Evidence, asked: PlannedQuery, view: IndexView, reader: Reader
) -> str | Bools:
    plan = asked.plan
    if plan.time is None and plan.direction is Direction.NONE and not plan.task_state:
        return "the question names no time"
    happened = np.where(view.alive, view.items.happened.rows(view.item_count), UNDATED)
    if plan.time is not None:
        tables = find_amounts(plan.words, asked.languages, view)
        _agree(evidence, plan.time, plan.other_time, happened, tables=tables)
    if plan.direction is not Direction.NONE:
        now_us = microseconds(asked.query.now)
        evidence.nearness = time_nearness(happened, direction=plan.direction, now_us=now_us)
    _take_place(evidence, asked, view, reader)
    _name_days(evidence, asked, view, reader)
    touched = np.zeros(view.item_count, dtype=bool)
    for values in (evidence.agreement, evidence.within, evidence.nearness, evidence.takes_place):
        if values is not None:
            touched |= values > 0.0
    return touched


def _name_days(evidence: Evidence, asked: PlannedQuery, view: IndexView, reader: Reader) -> None:
    """Note what names, in words, the days to come that are asked for: something is on then."""
    days = days_asked(asked.plan, asked.query, language=asked.languages[0])
    if days is None:
        return
    named = find_naming(days, view, reader, languages=asked.languages, owner=asked.owner)
    if not named or evidence.agreement is None or evidence.within is None:
        return
    slots = list(named)
    evidence.within[slots] = True
    if days.without_date:  # many an old text names a day of any month
        return
    evidence.agreement[slots] = 1.0
    if evidence.takes_place is not None and evidence.starts is not None:
        evidence.takes_place[slots] = IN_WORDS
        evidence.starts[slots] = list(named.values())


OTHER_TIME = 0.5
"""How much the further of two times counts that a question may mean. Our own choice."""


def _agree(
    evidence: Evidence, time: TimeRange, other: TimeRange | None, happened: npt.NDArray[np.int64],
    *, tables: Bools,
) -> None:  # fmt: skip
    """Note what happened in the time that is named; in the further one, where the nearer is empty.

    Both agree with the question, the further one less. `tables` have rows of any time.
    """
    since, until = time.bounds_us
    evidence.agreement = np.maximum(time_agreement(happened, since=since, until=until), tables)
    evidence.within = within(happened, since=since, until=until) | tables
    if other is not None:
        since, until = other.bounds_us
        further = OTHER_TIME * time_agreement(happened, since=since, until=until)
        evidence.agreement = np.maximum(evidence.agreement, further)
        if not evidence.within.any():
            evidence.within = within(happened, since=since, until=until)


KEYWORDS_MAX, KEYWORD_CHARS_MIN = 5, 3
"""Words looked for as parts of others, the longest first (the design takes five)."""


def _keyword(
    evidence: Evidence, asked: PlannedQuery, view: IndexView, reader: Reader
) -> str | Bools:
    if asked.query.mode is Mode.VECTOR:
        return "not asked for (mode vector)"
    if evidence.matching is not None and evidence.matching.any():
        return "not needed: whole words were found"
    words = keywords(asked)
    if not words:
        return "the question has no words"
    evidence.keywords = _holding(words, view, reader)
    return np.asarray(evidence.keywords > 0.0)


def keywords(asked: PlannedQuery) -> list[str]:
    """Return the words of a question that are looked for as parts of others."""
    spoken = list(dict.fromkeys(asked.plan.words))
    telling = [word for word in spoken if word not in stop_words(asked.languages[0])]
    long = [word for word in telling or spoken if len(word) >= KEYWORD_CHARS_MIN]
    longest = sorted(long, key=lambda word: (-len(word), word))
    return longest[:KEYWORDS_MAX] or spoken[:KEYWORDS_MAX]


def _phrase(
    evidence: Evidence, asked: PlannedQuery, view: IndexView, reader: Reader
) -> str | Bools:
    if not asked.plan.phrases:
        return "the question quotes nothing"
    if asked.query.mode is Mode.VECTOR:
        return "not asked for (mode vector)"
    among = _phrase_candidates(asked, view)
    evidence.phrases = _holding(asked.plan.phrases, view, reader, among=among)
    return np.asarray(evidence.phrases > 0.0)


def _phrase_candidates(asked: PlannedQuery, view: IndexView) -> list[int] | None:
    """Return the keys of items with every word of a phrase; None if words cannot decide.

    A phrase of stop words alone is looked for in every item.
    """
    candidates = np.zeros(view.item_count, dtype=bool)
    for phrase in asked.plan.phrases:
        terms = query_terms(phrase, asked.languages)
        if not terms:
            return None
        holding = view.alive
        for term in terms:
            marked = np.zeros(view.chunk_count, dtype=bool)
            marked[view.term(term.keys).docs] = True
            holding = holding & view.any_chunk(marked)
        candidates |= holding
    return [int(key) for key in view.items.keys.rows(view.item_count)[candidates]]


def _holding(
    texts: Sequence[str], view: IndexView, reader: Reader, *, among: Sequence[int] | None = None
) -> Floats:
    """Return float64[items]: the share of `texts` that each item contains literally."""
    shares = np.zeros(view.item_count)
    found = list(reader.containing(texts, among=among))
    counts = np.array([count for _, count in found], dtype=np.float64)
    shares[view.item_slots([key for key, _ in found])] = counts / len(texts)
    return shares
