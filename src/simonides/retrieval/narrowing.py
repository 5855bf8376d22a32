"""The items of a large space that a question is held against, found by the lanes of its store.

Each lane brings its best: words, meaning, and what fits the people, the sources and the time that a
question names. These are read, with what stands before and after each in its session, and scored
as ever. So a score is that of a search in memory. Must not know any store.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.index.partial_view import partial_view
from simonides.model.answer import Direction, Mode, TaskState
from simonides.model.query import cap_terms
from simonides.model.times import microseconds
from simonides.ports.lanes import Lanes, Matches, Wanted
from simonides.ports.space import Reader
from simonides.retrieval.evidence import PlannedQuery, keywords, list_searched_terms
from simonides.retrieval.named_days import days_asked, terms_of
from simonides.retrieval.people import owner_entities
from simonides.retrieval.query_vector import QueryVector
from simonides.retrieval.wanted import (
    agenda,
    all_of,
    letters_of,
    list_steering,
    open_lists,
    wanted_of,
    without_times,
)
from simonides.scoring.formulas import gains, idf, length_norms
from simonides.scoring.quantise import centred_query, rounded_mean
from simonides.text.analyse import query_terms
from simonides.text.dates.day_names import DayNames

DEPTH_MIN, DEPTH_FACTOR = 100, 4
"""Each lane brings so many, or so many times what is asked for if that is more (measured:
docs/reference/benchmarks.md, Parity)."""

STEPS = 1
"""Items read before and after each in its session: those next to it are scored with theirs."""

AGENDA_MAX = 2_000
"""Events and tasks that are looked through for an agenda, mails for those without an answer."""

Term = tuple[int, ...]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """The reader and the view of the candidates, and what is to be said of them."""

    reader: Reader
    view: IndexView
    note: str


@dataclass(slots=True, kw_only=True)
class Search:
    """One question to the lanes; `frame` says what holds for the whole space.

    `matches` are the chunks of the space that hold any term, and `tallies` how often each of them
    holds each, once words were looked up.
    """

    asked: PlannedQuery
    question: QueryVector
    frame: IndexView
    reader: Reader
    lanes: Lanes
    matches: Matches | None = None
    tallies: Mapping[Term, Floats] = field(default_factory=dict)

    def narrow(self, owner: tuple[str, ...]) -> Narrowed:
        """Return the candidates."""
        found = sorted(set(self._choose()))
        keys = set(self.lanes.around(found, steps=STEPS))
        if owner:
            people = owner_entities(owner, self.frame.names)
            keys.update(self.lanes.find_written_to(people, found))
        if self.frame.item_count:
            keys.update(self.frame.items.keys.rows(self.frame.item_count).tolist())
        among = self.lanes.among(sorted(keys))
        note = f"answered in the database: {len(found):,} items that its lanes brought were scored"
        held = {keys: int(np.count_nonzero(tally)) for keys, tally in self.tallies.items()}
        view = partial_view(among, self.frame, held=held, matches=self.matches)
        return Narrowed(reader=among, view=view, note=note)

    @property
    def _depth(self) -> int:
        return max(DEPTH_MIN, DEPTH_FACTOR * self.asked.query.limit)

    def _choose(self) -> Iterator[int]:
        """Yield the keys of what each lane brings; some come more than once."""
        query, plan = self.asked.query, self.asked.plan
        wanted = wanted_of(
            query.filter, now=query.now, names=self.frame.names, reader=self.reader,
            lanes=self.lanes,
        )  # fmt: skip
        by_words = self._by_words(wanted)
        yield from by_words
        yield from self._by_days(wanted)
        yield from self._by_meaning(wanted)
        yield from self._by_steering(wanted)
        if query.mode is not Mode.VECTOR:
            yield from self._by_phrases(wanted)
            if not by_words and (parts := keywords(self.asked)):
                yield from self.lanes.saying(parts, wanted, limit=self._depth)
        if plan.reply_state:
            owner = owner_entities(self.asked.owner, self.frame.names)
            for way in letters_of(owner, plan.kinds, wanted):
                yield from self.lanes.read_ordered(way, limit=AGENDA_MAX)
        elif plan.asks_list or plan.direction is Direction.NEXT:
            yield from self.lanes.read_ordered(agenda(wanted), limit=AGENDA_MAX)
        lists_tasks = plan.task_state in (TaskState.OPEN, TaskState.OVERDUE)
        if lists_tasks and (lists := open_lists(wanted, self.reader)):
            yield from self.lanes.read_ordered(lists, limit=AGENDA_MAX)

    def _by_words(self, wanted: Wanted) -> list[int]:
        """Return the items of the best chunks by words, among those that are wanted."""
        terms: list[Term] = []
        phrased: list[Term] = []
        if self.asked.query.mode is not Mode.VECTOR:
            terms = [one.keys for one in cap_terms(list_searched_terms(self.asked))]
            phrased = [keys for one in self.asked.plan.phrases for keys in self._terms_of(one)]
        dated = [keys for of in self._terms_of_days() for keys in of]
        every = list(dict.fromkeys(key for keys in (*terms, *phrased, *dated) for key in keys))
        if not every:
            return []
        self.matches = matches = self.lanes.holding(every)
        counts = _counts(matches, every)
        self.tallies = tallies = {keys: _tally(keys, counts) for keys in (*terms, *phrased, *dated)}
        values = self._bm25(matches, {keys: tallies[keys] for keys in terms})
        found = np.flatnonzero(values > 0.0)
        order = found[np.lexsort((matches.item_keys[found], -values[found]))]
        return self._put_wanted_first(matches.item_keys[order].tolist(), wanted)

    def _by_phrases(self, wanted: Wanted) -> Iterator[int]:
        """Yield the latest items that say what is quoted, among those that hold its words.

        What is quoted of stop words alone is looked for in all items.
        """
        for phrase in self.asked.plan.phrases:
            among = wanted
            if terms := self._terms_of(phrase):
                held = self._holding_all(terms)
                if not held:
                    continue
                among = replace(wanted, keys=(*wanted.keys, held))
            yield from self.lanes.saying([phrase], among, limit=self._depth)

    def _by_days(self, wanted: Wanted) -> Iterator[int]:
        """Yield the latest items with words of the days to come that are asked for."""
        months, weekdays, numbers, dates, near = self._terms_of_days()
        if not months:
            return
        numbered = self._holding_any([*months, *weekdays])
        in_full = np.intersect1d(numbered, self._holding_any(numbers))
        texts = without_times(wanted, self.reader)
        for keys in (in_full, self._holding_any(dates), self._holding_any(near)):
            if len(keys):
                held = (*wanted.keys, tuple(keys.tolist()))
                yield from self.lanes.read_ordered(replace(texts, keys=held), limit=self._depth)

    def _terms_of_days(self) -> Sequence[Sequence[Term]]:
        """Return the terms of the words of the days asked for, in the order of `DayNames`."""
        days = days_asked(self.asked.plan, self.asked.query, language=self.asked.languages[0])
        if days is None or days.without_date:
            return [()] * len(DayNames._fields)
        return [terms_of(words, tuple(self.asked.languages)) for words in days.names]

    def _holding_any(self, terms: Sequence[Term]) -> npt.NDArray[np.int64]:
        """Return the items that hold any of some terms."""
        assert self.matches is not None  # noqa: S101  these terms were looked up
        owners = [self.matches.item_keys[self.tallies[keys] > 0.0] for keys in terms]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *owners]))

    def _terms_of(self, phrase: str) -> list[Term]:
        return [one.keys for one in query_terms(phrase, self.asked.languages)]

    def _holding_all(self, terms: Sequence[Term]) -> tuple[int, ...]:
        """Return the items that hold every one of some terms, in any of their chunks."""
        assert self.matches is not None  # noqa: S101  these terms were looked up
        owners = [self.matches.item_keys[self.tallies[keys] > 0.0] for keys in terms]
        return tuple(reduce(np.intersect1d, map(np.unique, owners)).tolist())

    def _put_wanted_first(self, keys: list[int], wanted: Wanted) -> list[int]:
        """Return the first wanted ones; where some are not, all of them are looked at."""
        unwanted = self.lanes.find_unwanted(sorted({*keys[: self._depth]}), wanted)
        if unwanted and len(keys) > self._depth:
            unwanted = self.lanes.find_unwanted(sorted({*keys}), wanted)
        return [key for key in keys if key not in unwanted][: self._depth]

    def _bm25(self, matches: Matches, tallies: Mapping[Term, Floats]) -> Floats:
        """Return the lexical score of each match, up to a constant factor."""
        frame = self.frame
        lengths = np.minimum(matches.lengths, 65535).astype(np.uint16)
        mean_length = frame.length_total / max(frame.chunks_alive, 1)
        norms = length_norms(lengths, mean_length=mean_length)
        values = np.zeros(len(lengths))
        for tally in tallies.values():
            values += gains(idf(int(np.count_nonzero(tally)), frame.chunks_alive), tally, norms)
        return values

    def _by_meaning(self, wanted: Wanted) -> list[int]:
        vector, frame = self.question.vector, self.frame
        if vector is None:
            return []
        asked = centred_query(vector, rounded_mean(frame.vector_total, frame.vectors_alive))
        return self.lanes.nearest(asked.tolist(), wanted, limit=self._depth)

    def _by_steering(self, wanted: Wanted) -> Iterator[int]:
        """Yield what fits all that the question names, and by time what fits each of it."""
        direction, now_us = self.asked.plan.direction, microseconds(self.asked.query.now)
        ways = list(list_steering(self.asked.plan, wanted, self.frame.names))
        fitting = all_of(ways, wanted)
        if ways:
            yield from self._by_meaning(fitting)
            for one in ways if fitting in ways else (*ways, fitting):  # filters hold lists: no hash
                yield from self.lanes.read_ordered(one, limit=self._depth)
        if direction is Direction.NEWEST:
            for one in (wanted, fitting):
                past = replace(one, until_us=min(one.until_us or now_us + 1, now_us + 1))
                yield from self.lanes.read_ordered(past, limit=self._depth)
        elif direction is not Direction.NONE:
            is_next = direction is Direction.NEXT
            coming = replace(fitting, since_us=now_us) if is_next else fitting
            yield from self.lanes.read_ordered(coming, limit=self._depth, latest=False)


def _counts(matches: Matches, terms: Sequence[int]) -> dict[int, Floats]:
    """Return by term how often each match holds it."""
    stops = np.cumsum(matches.sizes)
    found = {}
    for term in terms:
        at = np.flatnonzero(matches.terms == np.uint64(term))
        found[term] = np.zeros(len(stops))
        found[term][np.searchsorted(stops, at, side="right")] = matches.counts[at]
    return found


def _tally(keys: Term, counts: Mapping[int, Floats]) -> Floats:
    """Return how often each match holds any of a term's keys, as `IndexView.term` counts it."""
    total: Floats = np.add.reduce([counts[key] for key in keys])
    return np.minimum(total, 255.0) if len(keys) > 1 else total
