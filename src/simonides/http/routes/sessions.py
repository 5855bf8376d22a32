"""`/v1/sessions`: conversations, and the messages in them."""

from simonides.errors import NotFound
from simonides.http.bodies.chat import MessageBody, SessionBody
from simonides.http.bodies.form import PageAsked
from simonides.http.route import Answer, Call, Route
from simonides.http.schema import array, record, schema_of
from simonides.model.access import Permission
from simonides.model.answer import Page
from simonides.model.chat import Session
from simonides.model.stored import Outcome
from simonides.model.times import read_time


def create(call: Call) -> Answer:
    """Return a session to speak in."""
    body: SessionBody = call.body
    made = call.memory.sessions.create(session_id=body.session_id, title=body.title)
    return Answer(record=made, status=200 if made.messages else 201)


def list_sessions(call: Call) -> Answer:
    """Return a page of sessions, last used first."""
    asked: PageAsked = call.query
    page = call.memory.sessions.list(limit=asked.limit, cursor=asked.cursor)
    return Answer(record=page, count=len(page.sessions))


def get(call: Call) -> Session:
    """Return one session."""
    return call.memory.sessions.get(call.ids["id"])


def messages(call: Call) -> Answer:
    """Return a page of a session's messages, the first first."""
    asked: PageAsked = call.query
    session = call.memory.sessions.get(call.ids["id"])
    page = call.memory.sessions.messages(session.id, limit=asked.limit, cursor=asked.cursor)
    return Answer(record=page, count=len(page.items))


def add(call: Call) -> Answer:
    """Keep one message at the end of a session."""
    body: MessageBody = call.body
    zone = call.memory.settings.timezone
    when = body.happened_at
    outcome = call.memory.sessions.add(
        call.ids["id"],
        body.role,
        body.content,
        metadata=body.metadata,
        happened_at=read_time(when, name="happened_at", timezone=zone) if when else None,
    )
    return Answer(record=outcome, status=201, count=1)


def forget(call: Call) -> Answer:
    """Take a session's messages out of the present."""
    gone = call.memory.sessions.forget(call.ids["id"])
    if not gone:
        raise NotFound("session", call.ids["id"])
    return Answer(record={"forgotten": gone}, count=len(gone))


_SESSION = schema_of(Session)
_PAGE = record(sessions=array(Session), cursor=str)

ROUTES = (
    Route(
        method="POST", path="/v1/sessions", verb="sessions.create", tag="sessions", run=create,
        told="Return a session to speak in; it shows once its first message is kept.",
        shows=True, permission=Permission.WRITE, body=SessionBody, writes=True,
        answers={201: _SESSION, 200: _SESSION}, example={"title": "About Alpha"},
    ),
    Route(
        method="GET", path="/v1/sessions", verb="sessions.list", tag="sessions",
        run=list_sessions, told="List the sessions, last used first.", query=PageAsked,
        answers={200: _PAGE},
    ),
    Route(
        method="GET", path="/v1/sessions/{id}", verb="sessions.get", tag="sessions", run=get,
        told="Return one session.", answers={200: _SESSION}, problems=(404,),
    ),
    Route(
        method="DELETE", path="/v1/sessions/{id}", verb="sessions.forget", tag="sessions",
        run=forget, told="Forget a session's messages.", permission=Permission.WRITE,
        answers={200: record(forgotten=array(str))}, problems=(404,),
    ),
    Route(
        method="GET", path="/v1/sessions/{id}/messages", verb="sessions.messages",
        tag="sessions", run=messages, told="List a session's messages, the first first.",
        query=PageAsked, answers={200: schema_of(Page)}, problems=(404,),
    ),
    Route(
        method="POST", path="/v1/sessions/{id}/messages", verb="sessions.add", tag="sessions",
        run=add, told="Keep one message at the end of a session.", permission=Permission.WRITE,
        body=MessageBody, answers={201: schema_of(Outcome)}, writes=True,
        example={"role": "user", "content": "When is Alpha due?"},
    ),
)  # fmt: skip
