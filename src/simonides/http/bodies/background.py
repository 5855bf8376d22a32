"""What the routes of `/v1/background` take.

They give a `Background`, a `BackgroundPage`, and each `ScoredBackground` of a question.
"""

from typing import Annotated

from simonides.http.bodies.form import (
    Asked,
    Body,
    Collection,
    Limit,
    PageAsked,
    Question,
    Time,
    within,
)
from simonides.model.bounds import BACKGROUND


class BackgroundBody(Body):
    """A collection's background from now on."""

    text: Annotated[str, within(BACKGROUND, min_length=1)]
    collection: Collection = "main"


class BestBody(Body):
    """A question to the snapshots of a collection."""

    query: Question
    collection: Collection = "main"
    limit: Limit = 2


class CollectionAsked(Asked):
    """Which collection, and when."""

    collection: Collection = "main"
    as_of: Time | None = None


class HistoryAsked(PageAsked):
    """Which page of which collection's snapshots."""

    collection: Collection = "main"
