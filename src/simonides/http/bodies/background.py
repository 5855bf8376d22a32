"""What the routes of `/v1/background` take.

They give a `Background`, a `BackgroundPage`, and each `ScoredBackground` of a question.
"""

from typing import Annotated

from pydantic import Field

from simonides.http.bodies.form import Asked, Body, Limit, PageAsked, Question, Time


class BackgroundBody(Body):
    """A collection's background from now on."""

    text: Annotated[str, Field(min_length=1, max_length=65_536)]
    collection: Annotated[str, Field(min_length=1)] = "main"


class BestBody(Body):
    """A question to the snapshots of a collection."""

    query: Question
    collection: Annotated[str, Field(min_length=1)] = "main"
    limit: Limit = 2


class CollectionAsked(Asked):
    """Which collection, and when."""

    collection: Annotated[str, Field(min_length=1, max_length=256)] = "main"
    as_of: Time | None = None


class HistoryAsked(PageAsked):
    """Which page of which collection's snapshots."""

    collection: Annotated[str, Field(min_length=1, max_length=256)] = "main"
