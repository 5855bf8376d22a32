"""What `/v1/chat`, `/v1/retrieve` and the routes of `/v1/sessions` take.

They give a `ChatReply` or its events, a `Retrieved`, each `Session`, and messages as items.
"""

from typing import Annotated, Literal

from pydantic import Field

from simonides.http.bodies.form import (
    Body,
    Question,
    SessionId,
    Texts,
    TimeName,
)


class ChatBody(Body):
    """What is said to the assistant."""

    message: Question
    session_id: SessionId = ""
    """The conversation that it belongs to; a new one unless told."""
    sources: Texts = Field([])
    time_filter: TimeName | None = None
    mode: Literal["native", "json_schema", "prefetch"] | None = None
    stream: bool = False
    """Answer as server-sent events, as `Accept: text/event-stream` does."""


class RetrieveBody(Body):
    """A question to items and conversations together."""

    query: Question
    session_id: SessionId = ""
    sources: Texts = Field([])
    time_filter: TimeName | None = None
    entity_filter: Texts = Field([])
    include_episodic: bool = True
    limit: Annotated[int, Field(ge=1, le=100)] = 10
