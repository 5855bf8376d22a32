"""What is current: of statements of the same thing, the later one ranks above the earlier one.

What the owner says of themselves may say the same in no word: "I moved to Berlin" replaces "I live
in Hamburg". There the matter of their life that both are of decides, or that the later one tells of
a change.

The later one rises to the middle between the two, and the earlier one ranks below it. So both stay
among the best, and a change that is said in other words than those of the question comes with what
it changed. Where the beginning is asked for, the earlier one ranks above the later. A score depends
on what else is kept, never on the filter or the limit. Knows arrays; must not know what was found.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from simonides.index.exact import dots_of_all
from simonides.index.facets import entity_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.answer import Contribution, Direction
from simonides.model.filter import Filter
from simonides.model.item import TRUST_KEY, Kind, Trust
from simonides.ports.space import Reader
from simonides.retrieval.evidence import Evidence, PlannedQuery
from simonides.retrieval.originals import MARGIN
from simonides.retrieval.scores import Scores
from simonides.scoring.importance import DAY_US, UNDATED
from simonides.text.questions import asks_for_current
from simonides.text.statements import matter_of, tells_own_change

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Slots = npt.NDArray[np.intp]

STATEMENTS_MAX = 64
"""So many of the best dated items are held against each other (measured: no more helps)."""

RISE = 0.5
"""How far of the way to the earlier one the later one rises; both lose least in the middle."""

FACETS_MIN = 0.5
"""Items that share half of their people, topics and tags are of one matter."""


COSINE_MIN = 0.55
"""Two passages of this cosine say the same."""

COSINE_LESS = 0.1
"""How much less is enough for each reason to expect that they do: they are of one thread or
matter, both are memories, the question asks how things stand now, the earlier one was cancelled."""

OWN_SHARE_MIN = 0.3
"""The same of two statements of the owner about themselves: those of one matter share few words."""

CHANGES_COSINE_MIN = 0.7
"""Two changes of this cosine are of the same: "I quit smoking" is not of "I stopped drinking"."""

OWN_MAX = 16
"""So many of the best memories are read for what they say of the owner."""

SHARE_MIN = 0.6
"""What replaces another has at least this share of its score (all measured:
docs/explanation/ranking.md)."""


FROM_OTHERS = Filter(where={TRUST_KEY: {"in": [Trust.UNKNOWN.value, Trust.EXTERNAL.value]}})
"""What strangers sent, as the memories in a file that is attached to their mail."""


def current_first(
    asked: PlannedQuery, scores: Scores, *, evidence: Evidence, view: IndexView, reader: Reader
) -> Scores:
    """Return the scores with what is current above what it replaces."""
    if evidence.is_bare and asked.plan.asks_list:
        return scores  # two appointments, or two tasks, of much the same words are two
    sense = _sense(asked)
    said = view.items.happened.rows(view.item_count)
    if asked.plan.first_person:  # what they remember of themselves was so when it was remembered
        undated = (said == UNDATED) & view.of_kind(Kind.MEMORY)
        said = np.where(undated, view.items.stored.rows(view.item_count), said)
    slots = _statements(scores.values, said, view)
    if not sense or not len(slots) or not view.vectors.dimension:
        return scores  # without vectors nothing tells what says the same
    values = scores.values[slots]
    times = sense * said[slots]
    own = _own_statements(slots, view, reader) if asked.plan.first_person else _Own()
    foreign = mask_of(FROM_OTHERS, view=view, reader=reader)[slots]
    replaced = _Statements(slots, scores, asked, evidence, view, own=own).mark_replaced(
        values, times
    )
    replaced &= ~np.logical_and.outer(~foreign, foreign)  # a stranger knows nothing better
    if not replaced.any():
        return scores
    moved, stands_for = _move_below(values, replaced, order=np.argsort(times, kind="stable"))
    named = {int(slots[one]): tuple(int(x) for x in slots[of]) for one, of in stands_for.items()}
    changed = _with_changes(scores, slots, moved - values, sense=sense)
    return replace(changed, stands_for=named)


def _sense(asked: PlannedQuery) -> int:
    """Return 1 where the later ones are wanted, -1 for the earlier ones, 0 where neither is."""
    plan = asked.plan
    if plan.direction is Direction.NEXT:
        return 0  # what comes after the next one does not replace it
    if plan.direction is Direction.OLDEST and not asks_for_current(asked.query.text):
        return -1  # "the date of the first move that was agreed in the end" wants the later one
    until = None if plan.time is None else plan.time.until
    return 0 if until is not None and until <= asked.query.now else 1


def _statements(values: Floats, said: npt.NDArray[np.int64], view: IndexView) -> Slots:
    """Return the slots of the best dated items, best first; none if all are said in chats."""
    slots = np.flatnonzero(view.alive & (said != UNDATED) & (values > 0.0))
    if len(slots) > STATEMENTS_MAX:
        cut = np.partition(values[slots], -STATEMENTS_MAX)[-STATEMENTS_MAX]
        slots = slots[values[slots] >= cut]
    best = slots[np.argsort(-values[slots], kind="stable")][:STATEMENTS_MAX]
    return best[:0] if view.of_kind(Kind.MESSAGE)[best].all() else best


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """What the owner says of themselves, by its place among the statements.

    `matters` are those that it is of, `changes` where it tells of a change.
    """

    matters: Mapping[int, str] = field(default_factory=dict)
    changes: frozenset[int] = frozenset()


def _own_statements(slots: Slots, view: IndexView, reader: Reader) -> _Own:
    """Return the matters and changes that the best memories among some items tell of."""
    places = np.flatnonzero(view.of_kind(Kind.MEMORY)[slots])[:OWN_MAX].tolist()
    if len(places) <= 1:
        return _Own()
    keys = view.items.keys.rows(view.item_count)[slots[places]].tolist()
    items = reader.items(keys)
    said = {place: items[key].content for place, key in zip(places, keys, strict=True)}
    matters = {place: matter for place, text in said.items() if (matter := matter_of(text))}
    changes = frozenset(place for place, text in said.items() if tells_own_change(text))
    return _Own(matters=matters, changes=changes)


class _Statements:
    """The best items of a question, and which of them say the same."""

    def __init__(
        self,
        slots: Slots,
        scores: Scores,
        asked: PlannedQuery,
        evidence: Evidence,
        view: IndexView,
        *,
        own: _Own,
    ) -> None:
        self._slots, self._view, self._own = slots, view, own
        self._people, self._pointed = asked.plan.people, evidence.pointed
        self._namesakes = evidence.namesakes
        self._text = asked.query.text
        off = evidence.cancelled
        self._cancelled = np.zeros(len(slots), dtype=bool) if off is None else off[slots]
        self._cosines = view.likenesses(scores.best_chunks(slots))

    def mark_replaced(self, values: Floats, times: npt.NDArray[np.int64]) -> Bools:
        """Return bool[n, n]: whether the second replaces the first.

        What is said in a chat replaces nothing: it may be any aside. Nor does what was cancelled.
        Two appointments, or two tasks, are two: of one that is moved there is a later version.
        """
        later = times[np.newaxis, :] > times[:, np.newaxis] + DAY_US
        later &= ~(self._view.of_kind(Kind.MESSAGE)[self._slots] | self._cancelled)
        for kind in (Kind.EVENT, Kind.TASK):
            of_kind = self._view.of_kind(kind)[self._slots]
            later &= ~np.logical_and.outer(of_kind & ~self._cancelled, of_kind)
        shares = values[np.newaxis, :] / values[:, np.newaxis]
        return self._same(shares, among=later & self._fits_as_well())

    def _same(self, shares: Floats, *, among: Bools) -> Bools:
        is_memory = self._view.of_kind(Kind.MEMORY)[self._slots]
        reasons = np.logical_and.outer(is_memory, is_memory).astype(np.float64)
        reasons += self._cancelled[:, np.newaxis]
        reasons += asks_for_current(self._text)
        may = among & (shares >= SHARE_MIN)
        needed = COSINE_MIN - COSINE_LESS * reasons
        if self._own.changes:
            may &= ~self._two_changes()
        same = may & (self._cosines >= needed)
        same |= self._own_same(shares, needed, among=among)
        near = may & (self._cosines >= needed - COSINE_LESS)
        if (near & ~same).any():
            same |= near & self._of_one_thread()
        left = near & ~same
        if left.any():
            same |= left & self._of_one_matter(left)
        return same

    def _two_changes(self) -> Bools:
        """Return bool[n, n]: whether the owner tells of two changes that are not plainly one's."""
        both = np.zeros(self._cosines.shape, dtype=bool)
        announced = sorted(self._own.changes)
        both[np.ix_(announced, announced)] = (
            self._cosines[np.ix_(announced, announced)] < CHANGES_COSINE_MIN
        )
        return both

    def _own_same(self, shares: Floats, needed: Floats, *, among: Bools) -> Bools:
        """Return bool[n, n]: whether two statements of the owner are of one matter of their life.

        Or of nearly one sense, where the later one tells of a change.
        """
        same = np.zeros(shares.shape, dtype=bool)
        if not (self._own.matters or self._own.changes):
            return same
        near = (self._cosines >= needed - COSINE_LESS / 2) & ~self._two_changes()
        for new in {*self._own.matters, *self._own.changes}:
            same[:, new] = self._of_matter(self._own.matters.get(new))
            if new in self._own.changes:
                same[:, new] |= near[:, new]
        return np.asarray(same & among & (shares >= OWN_SHARE_MIN))

    def _of_matter(self, matter: str | None) -> Bools:
        """Return bool[n]: whether the owner says something of a matter."""
        places = [place for place, one in self._own.matters.items() if one == matter]
        return np.isin(np.arange(len(self._slots)), places)

    def _of_one_thread(self) -> Bools:
        column = self._view.items.codes["session"]
        codes = column.column.rows(self._view.item_count)[self._slots]
        known = np.array([bool(column.values[int(code)]) for code in codes], dtype=bool)
        same: Bools = np.equal.outer(codes, codes) & known
        return same

    def _of_one_matter(self, pairs: Bools) -> Bools:
        """Return bool[n, n]: whether two, of the pairs, share half of people, topics and tags."""
        places = np.flatnonzero(pairs.any(axis=0) | pairs.any(axis=1))
        held = self._view.facets.mark_held_keys(self._slots[places]).view(np.int8)
        both, own = dots_of_all(held, held), held.sum(axis=1, dtype=np.float64)
        either = np.add.outer(own, own) - both
        same = np.zeros(pairs.shape, dtype=bool)
        same[np.ix_(places, places)] = (both > 0.0) & (both >= FACETS_MIN * either)
        return same

    def _fits_as_well(self) -> Bools:
        """Return bool[n, n]: whether the second is of a person and source named if the first is."""
        fits = np.ones((len(self._slots), len(self._slots)), dtype=bool)
        for met in self._list_named():
            fits &= np.less_equal.outer(met[self._slots], met[self._slots])
        return fits

    def _list_named(self) -> Iterator[Bools]:
        """Yield by item whether it has to do with the people, and is of the source, named."""
        if self._people:
            classes = self._view.names.classes(self._people)
            same = [one for names in classes for one in names]
            yield self._view.having(map(entity_key, sorted(same)))
        if self._namesakes is not None:
            yield ~self._namesakes
        if self._pointed is not None:
            yield self._pointed > 0.0


def _move_below(
    values: Floats, replaced: Bools, *, order: Slots
) -> tuple[Floats, dict[int, list[int]]]:
    """Return values with what is replaced below what replaces it, and what each of these replaces.

    `order` has the earliest first. The best of what replaces an item rises; the item then ranks
    below the least of them.
    """
    moved: list[float] = values.tolist()
    later: dict[int, list[int]] = {}
    for one, other in np.argwhere(replaced).tolist():
        later.setdefault(one, []).append(other)
    rows = [one for one in order.tolist() if one in later]
    stands_for: dict[int, list[int]] = {}
    for one in rows:
        best = max(later[one], key=moved.__getitem__)
        moved[best] += RISE * max(moved[one] - moved[best], 0.0)
        stands_for.setdefault(best, []).extend([one, *stands_for.get(one, ())])
    for one in reversed(rows):
        moved[one] = min(moved[one], min(map(moved.__getitem__, later[one])) - MARGIN)
    return np.array(moved), stands_for


def _with_changes(scores: Scores, slots: Slots, changes: Floats, *, sense: int) -> Scores:
    """Return the scores with what each slot rose or sank by, as a contribution."""
    gains = np.zeros(len(scores.values))
    gains[slots] = changes
    return scores.with_gains(gains, lambda slot: _part(float(gains[slot]), sense=sense))


def _part(change: float, *, sense: int) -> Contribution:
    other = "a later one" if sense > 0 else "an earlier one"
    if change > 0.0:
        return Contribution(name="replaces", value=change, detail=f"{other} of what says the same")
    return Contribution(name="replaced", value=change, detail=f"{other} says much the same")
