"""The choice among memories found for one question: one for each entity, by scope.

Pure. The designs' `merge_scoped_candidates`: of what is said of one entity the narrower scope wins,
whatever the scores. Must not know how candidates were found.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from simonides.errors import InvalidInput
from simonides.memories.merge import traits_of
from simonides.model.answer import Hit
from simonides.model.filter import Viewer
from simonides.model.item import MemoryTraits, Scope
from simonides.model.result import Result
from simonides.text.unicode_version import mask
from simonides.text.word_patterns import lazy_pattern

TOP_K = 8
"""Memories kept at most, unless another number is asked for (the designs' `StoreManager`)."""

_RANKS = {scope: rank for rank, scope in enumerate(Scope)}
"""workspace, session, user, global: what is said for fewer wins."""

_WORDS = lazy_pattern(r"[^\W_]+[+#]*")
"""A word of a name; `C`, `C++` and `C#` are three."""


class SelectionReason(StrEnum):
    """Why a memory was kept: its scope, its score, its id, or no competing memory."""

    HIGHER_PRECEDENCE = "higher_precedence"
    HIGHER_SCORE = "higher_score"
    LOWER_ID = "lower_id"
    """Its rivals have its scope and its score."""
    NON_CONFLICTING = "non_conflicting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected(Result):
    """A kept memory, the reason, and the ids of those of its entity that lost to it."""

    hit: Hit
    reason: SelectionReason
    entity: str
    over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeStats(Result):
    """Counts of the candidates by their fate; the four add up to their number.

    `repeated` had an id that came before, `invisible` are not for this viewer,
    `filtered_candidates` lost to another of their entity or came after the last one kept.
    """

    repeated: int
    invisible: int
    filtered_candidates: int
    kept_candidates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopedMerge(Result):
    """The memories that were kept, by scope, falling score and id, and the account of the rest."""

    kept: tuple[Selected, ...]
    stats: MergeStats


def merge_scoped_candidates(
    candidates: Sequence[Hit],
    *,
    viewer: Viewer | None = None,
    top_k: int = TOP_K,
    reads_entity: bool = False,
) -> ScopedMerge:
    """Return the memories to show: for each entity the one of the narrowest scope.

    Of one scope the higher score wins, of one score the smaller id; NaN loses to every number.
    What names no entity contradicts nothing, unless `reads_entity` has it read out of the words
    (`entity_in`). Without `viewer` all are visible.

    Raises:
        InvalidInput: `top_k` is below 1.
    """
    if top_k < 1:
        raise InvalidInput("top_k", f"must be 1 or more, got {top_k}")
    first = list({hit.id: hit for hit in reversed(candidates)}.values())[::-1]
    seen = [hit for hit in first if viewer is None or is_visible(traits_of(hit.item), viewer)]
    groups: dict[tuple[str, str], list[Hit]] = {}
    for hit in sorted(seen, key=_rank):
        entity = _entity(hit, reads=reads_entity)
        groups.setdefault((entity, "" if entity else hit.id), []).append(hit)
    kept = [_select(rivals, entity=entity) for (entity, _), rivals in groups.items()][:top_k]
    return ScopedMerge(
        kept=tuple(kept),
        stats=MergeStats(
            repeated=len(candidates) - len(first),
            invisible=len(first) - len(seen),
            filtered_candidates=len(seen) - len(kept),
            kept_candidates=len(kept),
        ),
    )


def entity_key(name: str) -> str:
    """Return an entity's name in its form for comparison: its words, folded, with single spaces.

    `Alpha-Launch`, `alpha launch` and ` ALPHA  launch!` are one.
    """
    return " ".join(_WORDS.findall(mask(name).casefold()))


def entity_in(text: str) -> str:
    """Return the key of the text before " is " or a colon: a guess; empty for none."""
    ends = [at for mark in (" is ", ":") if (at := text.find(mark)) >= 0]
    return entity_key(text[: min(ends)]) if ends else ""


def is_visible(traits: MemoryTraits, viewer: Viewer) -> bool:
    """Return whether a memory is visible to a viewer: the rule of `Filter.viewer`.

    It is global, or one of its ids is the viewer's, or it carries no id of its scope.
    """
    if traits.scope is Scope.GLOBAL or not getattr(traits, f"{traits.scope}_id"):
        return True
    names = ("workspace_id", "user_id", "session_id")
    return any((own := getattr(viewer, n)) and own == getattr(traits, n) for n in names)


def _entity(hit: Hit, *, reads: bool) -> str:
    named = entity_key(traits_of(hit.item).entity)
    return named or (entity_in(hit.item.content) if reads else "")


def _rank(hit: Hit) -> tuple[int, float, str]:
    """Return scope, falling score (NaN last), id."""
    score = math.inf if math.isnan(hit.score) else -hit.score
    return _RANKS[traits_of(hit.item).scope], score, hit.id


def _select(rivals: Sequence[Hit], *, entity: str) -> Selected:
    """Return the first of an entity's ordered memories, with the reason."""
    first = rivals[0]
    if len(rivals) == 1:
        return Selected(hit=first, reason=SelectionReason.NON_CONFLICTING, entity=entity)
    (scope, score, _), (next_scope, next_score, _) = map(_rank, rivals[:2])
    if scope != next_scope:
        reason = SelectionReason.HIGHER_PRECEDENCE
    elif score != next_score:
        reason = SelectionReason.HIGHER_SCORE
    else:
        reason = SelectionReason.LOWER_ID
    over = tuple(hit.id for hit in rivals[1:])
    return Selected(hit=first, reason=reason, entity=entity, over=over)
