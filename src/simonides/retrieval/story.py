"""How something came to be as it is: the best hits of a question in the order of time.

Knows hits, and which of them say that something is otherwise than it was. Must not search.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from simonides.model.answer import Hit
from simonides.model.filter import Filter
from simonides.model.item import Kind, Status
from simonides.model.metadata_keys import SUPERSEDED_BY_KEY, SUPERSEDES_KEY
from simonides.model.story import Story, StoryStep
from simonides.text.questions import says_changed

STEP_SHARE = 0.6
"""What belongs to a story has at least this share of the best score: as much as what replaces
another has of that one's (`retrieval.current`)."""

STATUSES = (Status.ACTIVE, Status.SUPERSEDED)
"""The memories of a story: also those whose place another one took."""


_SAID_BY_TITLE = (Kind.EVENT, Kind.TASK)


def with_superseded(wanted: Filter) -> Filter:
    """Return a filter that lets superseded memories pass too, unless it names other statuses."""
    is_default = set(wanted.statuses) <= {Status.ACTIVE}
    return replace(wanted, statuses=STATUSES) if is_default else wanted


def story_of(query: str, hits: Sequence[Hit]) -> Story:
    """Return the story in the hits of a question, the earliest first.

    Those that fit nearly as well as the best, and memories that one of these replaced.
    """
    best = max((hit.score for hit in hits), default=0.0)
    chosen = {hit.key: hit for hit in hits if hit.score >= STEP_SHARE * best > 0.0}
    linked = {one for hit in chosen.values() for one in _find_linked(hit)}
    chosen |= {hit.key: hit for hit in hits if hit.id in linked}
    return Story(query=query, steps=tuple(map(_step, _by_time(chosen.values()))))


def _find_linked(hit: Hit) -> list[str]:
    found = (hit.item.metadata.get(key) for key in (SUPERSEDES_KEY, SUPERSEDED_BY_KEY))
    return [one for one in found if isinstance(one, str)]


def _by_time(hits: Iterable[Hit]) -> list[Hit]:
    dated = (hit for hit in hits if hit.item.dated_at)
    return sorted(dated, key=lambda hit: (hit.item.dated_at, hit.key))


def _step(hit: Hit) -> StoryStep:
    traits = hit.item.traits
    is_superseded = traits is not None and traits.status is Status.SUPERSEDED
    title = hit.title if hit.item.kind in _SAID_BY_TITLE else ""  # that of a reply is another's
    says_so = SUPERSEDES_KEY in hit.item.metadata or says_changed(f"{title} {hit.passage}")
    return StoryStep(
        hit=hit,
        changes=bool(hit.replaces) or says_so,
        replaced=hit.replaced_by is not None or is_superseded,
    )
