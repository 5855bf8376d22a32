"""What is current: of statements of the same thing, the later one ranks above the earlier one.

What the owner says of themselves may say the same in no word: "I moved to Berlin" replaces "I live
in Hamburg". There the matter of their life that both are of decides, or that the later one tells of
a change.

The later one rises to the middle between the two, and the earlier one ranks below it. So both stay
among the best, and a change that is said in other words than those of the question comes with what
it changed. Where the beginning is asked for, the earlier one ranks above the later. A score depends
on what else is kept, never on the filter or the limit. Knows arrays; must not know what was found.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from simonides.index.facets import entity_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.answer import Contribution, Direction
from simonides.model.filter import Filter
from simonides.model.item import TRUST_KEY, Kind, Trust
from simonides.ports.space import Reader
from simonides.retrieval.best import foremost
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
    own = _own_statements(slots, view, reader) if asked.plan.first_person else None
    foreign = mask_of(FROM_OTHERS, view=view, reader=reader)[slots]
    statements = _Statements(slots, scores, asked, evidence, view, foreign=foreign)
    pairs = statements.find_replaced(times, own)
    if not len(pairs[0]):
        return scores
    moved, stands_for = _move_below(values, pairs, order=np.argsort(times, kind="stable"))
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
    dated = np.flatnonzero(view.alive & (said != UNDATED) & (values > 0.0))
    slots = foremost(values, dated, count=STATEMENTS_MAX)
    best = slots[np.argsort(-values[slots], kind="stable")][:STATEMENTS_MAX]
    return best[:0] if view.of_kind(Kind.MESSAGE)[best].all() else best


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """What the owner says of themselves, by the places of statements.

    matters: int[n], a number for each matter of their life, -1 for none; changes: bool[n], whether
    it tells of a change.
    """

    matters: npt.NDArray[np.intp]
    changes: Bools


def _own_statements(slots: Slots, view: IndexView, reader: Reader) -> _Own | None:
    """Return the matters and changes that the best memories tell of; None for less than two."""
    places = np.flatnonzero(view.of_kind(Kind.MEMORY)[slots])[:OWN_MAX]
    if len(places) <= 1:
        return None
    keys = view.items.keys.rows(view.item_count)[slots[places]].tolist()
    items = reader.items(keys)
    texts = [items[key].content for key in keys]
    numbers = {"": -1}
    own = _Own(matters=np.full(len(slots), -1), changes=np.zeros(len(slots), dtype=bool))
    own.matters[places] = [numbers.setdefault(matter_of(text), len(numbers)) for text in texts]
    own.changes[places] = [tells_own_change(text) for text in texts]
    return own


class _Statements:
    """The best items of a question by their places, and pairs of them that say the same."""

    def __init__(
        self,
        slots: Slots,
        scores: Scores,
        asked: PlannedQuery,
        evidence: Evidence,
        view: IndexView,
        *,
        foreign: Bools,
    ) -> None:
        self._slots, self._view, self._foreign = slots, view, foreign
        self._values = scores.values[slots]
        self._cosines = view.likenesses(scores.best_chunks(slots))
        self._is_memory = view.of_kind(Kind.MEMORY)[slots]
        off = evidence.cancelled
        self._cancelled = np.zeros(len(slots), dtype=bool) if off is None else off[slots]
        self._is_current = asks_for_current(asked.query.text)
        self._named = [met[slots] for met in _list_named(asked, evidence, view)]

    def find_replaced(self, times: npt.NDArray[np.int64], own: _Own | None) -> tuple[Slots, Slots]:
        """Return the places of what is replaced and of what replaces it, pair by pair.

        What is said in a chat replaces nothing: it may be any aside. Nor does what was cancelled,
        or what a stranger sent, who knows nothing better.
        """
        may = times[np.newaxis, :] > times[:, np.newaxis] + DAY_US
        may &= ~(self._view.of_kind(Kind.MESSAGE)[self._slots] | self._cancelled)
        reasons = 1 + self._is_current + self._cancelled.any() + self._is_memory.any()
        near = self._cosines >= COSINE_MIN - COSINE_LESS * reasons
        if own is not None:
            near |= np.logical_and.outer(own.matters >= 0, own.matters >= 0)
        old, new = (may & near).nonzero()
        replaced = self._fits_as_well(old, new) & ~self._is_two(old, new)
        replaced &= self._foreign[old] | ~self._foreign[new]
        replaced[replaced] = self._says_same(old[replaced], new[replaced], own)
        return old[replaced], new[replaced]

    def _is_two(self, old: Slots, new: Slots) -> Bools:
        """Return bool[pairs]: whether both are appointments, or tasks, which are two.

        Of one that is moved there is a later version.
        """
        two = np.zeros(len(old), dtype=bool)
        for kind in (Kind.EVENT, Kind.TASK):
            of_kind = self._view.of_kind(kind)[self._slots]
            two |= of_kind[old] & of_kind[new]
        return np.asarray(two & ~self._cancelled[old])

    def _fits_as_well(self, old: Slots, new: Slots) -> Bools:
        """Return bool[pairs]: whether the later is of the person and source named, if the other."""
        fits = np.ones(len(old), dtype=bool)
        for met in self._named:
            fits &= met[old] <= met[new]
        return fits

    def _says_same(self, old: Slots, new: Slots, own: _Own | None) -> Bools:
        """Return bool[pairs]: whether two say the same, for any of the reasons to expect it."""
        shares = self._values[new] / self._values[old]
        cosines = self._cosines[old, new]
        both_memories = self._is_memory[old] & self._is_memory[new]
        reasons = np.add(both_memories, self._cancelled[old], dtype=np.intp) + self._is_current
        needed = COSINE_MIN - COSINE_LESS * reasons
        may = shares >= SHARE_MIN
        if own is None:
            same = np.asarray(may & (cosines >= needed))
        else:
            both = own.changes[old] & own.changes[new]
            is_apart = both & (cosines < CHANGES_COSINE_MIN)
            may &= ~is_apart
            same = may & (cosines >= needed)
            of_matter = (own.matters[old] == own.matters[new]) & (own.matters[new] >= 0)
            is_change = own.changes[new] & (cosines >= needed - COSINE_LESS / 2) & ~is_apart
            same |= (of_matter | is_change) & (shares >= OWN_SHARE_MIN)
        for is_reason in (self._of_one_thread, self._of_one_matter):
            left = (may & (cosines >= needed - COSINE_LESS) & ~same).nonzero()[0]
            if len(left):
                same[left] = is_reason(old[left], new[left])
        return same

    def _of_one_thread(self, old: Slots, new: Slots) -> Bools:
        column = self._view.items.codes["session"]
        codes = column.column.rows(self._view.item_count)[self._slots]
        known = np.array([bool(column.values[code]) for code in codes.tolist()], dtype=bool)
        return np.asarray((codes[old] == codes[new]) & known[new])

    def _of_one_matter(self, old: Slots, new: Slots) -> Bools:
        """Return bool[pairs]: whether two share half of their people, topics and tags."""
        held = self._view.facets.mark_held_keys(self._slots)
        both = (held[old] & held[new]).sum(axis=1)
        either = (held[old] | held[new]).sum(axis=1)
        return np.asarray((both > 0) & (both >= FACETS_MIN * either))


def _list_named(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> Iterator[Bools]:
    """Yield bool[items]: whether each has to do with the people, and is of the source, named."""
    if asked.plan.people:
        same = [one for names in view.names.classes(asked.plan.people) for one in names]
        yield view.having(map(entity_key, sorted(same)))
    if evidence.namesakes is not None:
        yield ~evidence.namesakes
    if evidence.pointed is not None:
        yield evidence.pointed > 0.0


def _move_below(
    values: Floats, pairs: tuple[Slots, Slots], *, order: Slots
) -> tuple[Floats, dict[int, list[int]]]:
    """Return values with what is replaced below what replaces it, and what each of these replaces.

    `pairs` are the places of both; `order` has the earliest first. The best of what replaces an
    item rises; the item then ranks below the least of them.
    """
    moved: list[float] = values.tolist()
    later: dict[int, list[int]] = {}
    for one, other in zip(pairs[0].tolist(), pairs[1].tolist(), strict=True):
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
