"""The operations that search."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from simonides.api.operations.arguments import FilterRequest, Sent
from simonides.api.operations.fields import (
    AsOf,
    Limit,
    Name,
    Question,
    Score,
    Share,
    Spaces,
    Time,
    Zone,
)
from simonides.api.operations.operation import Operation
from simonides.errors import InvalidInput
from simonides.model.answer import Mode, MultiSpaceResult, PlanPart, Scorer, SearchResult
from simonides.model.story import Story

if TYPE_CHECKING:
    from simonides.api.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class _SearchFields:
    """A question, and what restricts the search for it."""

    query: Question
    mode: Mode | None = None
    scorer: Scorer | None = None
    filter: FilterRequest | None = None
    now: Time | None = None
    timezone: Zone | None = None
    session_id: Name | None = None
    min_score: Score | None = None
    min_relevance: Share | None = None
    as_of: AsOf | None = None
    ignore: tuple[PlanPart, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest(_SearchFields):
    """A question, to the own space or to each of `spaces`."""

    limit: Limit | None = 10
    mode: Mode | None = Mode.HYBRID
    scorer: Scorer | None = Scorer.FUSED
    session_id: Name | None = ""
    ignore: tuple[PlanPart, ...] | None = ()
    best_context: bool = False
    spaces: Annotated[Spaces, Meta(min_length=1)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRequest(_SearchFields):
    """What is asked after, and of how many hits the story is made."""

    limit: Limit = 50


def search(memory: "Memory", sent: Sent) -> "SearchResult | MultiSpaceResult":
    """Return the hits of a question in the own space, or in each of several."""
    query = sent.pop("query")
    if "spaces" not in sent:
        return memory.search(query, **sent)
    if sent.pop("best_context", False):
        problem = "is that of one space; ask each by itself"
        raise InvalidInput("best_context", problem)
    return memory.search_across(query, **sent)


OPERATIONS = (
    Operation(
        name="search", subject="questions", method="POST", path="/v1/search",
        summary="Search for a question; return the hits, best first, each with its explanation.",
        request=SearchRequest, call=search, result=SearchResult | MultiSpaceResult,
        problems=(410,),
        example={"query": "When is Alpha due?", "limit": 5, "filter": {"kinds": ["email"]}},
    ),
    Operation(
        name="story", subject="questions", method="POST", path="/v1/story",
        summary="Return what was said over time of what is asked for, and what changed.",
        request=StoryRequest, positional=("query",), result=Story, problems=(410,),
        example={"query": "When is Alpha due?"},
    ),
)  # fmt: skip
