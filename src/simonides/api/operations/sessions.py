"""The operations on sessions and their messages."""

from dataclasses import dataclass
from typing import Literal

from simonides.api.operations.fields import (
    Content,
    Cursor,
    Limit,
    ListPage,
    Metadata,
    NewSessionId,
    SessionId,
    Time,
    Title,
)
from simonides.api.operations.operation import Operation
from simonides.model.access import Permission
from simonides.model.answer import Page
from simonides.model.chat import Session, SessionPage
from simonides.model.item import Item
from simonides.model.stored import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateSession:
    """A conversation to begin; its id is made unless it is given."""

    session_id: NewSessionId = ""
    title: Title = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetSession:
    """A session."""

    session_id: SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMessages:
    """A page of a session's messages."""

    session_id: SessionId
    limit: Limit = 50
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastMessages:
    """A session, and the number of its last messages."""

    session_id: SessionId
    n: Limit = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMessage:
    """A message, added at the end of its session."""

    session_id: SessionId
    role: Literal["user", "assistant"]
    content: Content
    metadata: Metadata | None = None
    happened_at: Time | None = None


OPERATIONS = (
    Operation(
        name="sessions.create", subject="sessions", method="POST", path="/v1/sessions",
        summary="Start a session; it is listed once its first message is stored.",
        request=CreateSession, result=Session,
        permission=Permission.WRITE, shows=True, writes=True, is_new=True,
        example={"title": "About Alpha"},
    ),
    Operation(
        name="sessions.list", subject="sessions", method="GET", path="/v1/sessions",
        summary="List the sessions, last used first.",
        request=ListPage, result=SessionPage,
    ),
    Operation(
        name="sessions.get", subject="sessions", method="GET", path="/v1/sessions/{id}",
        summary="Return one session.",
        request=GetSession, positional=("session_id",), result=Session, problems=(404,),
    ),
    Operation(
        name="sessions.messages", subject="sessions", method="GET",
        path="/v1/sessions/{id}/messages",
        summary="List the messages of a session, oldest first.",
        request=ListMessages, positional=("session_id",), result=Page,
    ),
    Operation(
        name="sessions.last", subject="sessions", method="GET", path="/v1/sessions/{id}/last",
        summary="Return the last messages of a session, oldest first.",
        request=LastMessages, positional=("session_id", "n"), result=tuple[Item, ...],
        result_name="messages",
    ),
    Operation(
        name="sessions.add", subject="sessions", method="POST",
        path="/v1/sessions/{id}/messages",
        summary="Add a message at the end of a session.",
        request=AddMessage, positional=("session_id", "role", "content"), result=Outcome,
        permission=Permission.WRITE, writes=True, is_new=True,
        example={"role": "user", "content": "When is Alpha due?"},
    ),
    Operation(
        name="sessions.forget", subject="sessions", method="DELETE", path="/v1/sessions/{id}",
        summary="Forget the messages of a session.",
        request=GetSession, positional=("session_id",), result=tuple[str, ...],
        result_name="forgotten", permission=Permission.WRITE, missing="session", problems=(404,),
    ),
)  # fmt: skip
