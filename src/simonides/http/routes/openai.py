"""`/openai/v1/…`: a memory proxy for clients of OpenAI's Chat Completions and Responses.

The request goes on to the configured endpoint with a brief of what the user's last message finds;
the answer comes back untouched; both messages are kept in the session.
"""

import json
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any
from uuid import uuid4

from msgspec import Meta
from starlette.responses import Response

from simonides.assistant.prompt import break_template_tokens
from simonides.assistant.reasoning import without_reasoning
from simonides.assistant.sessions import check_session_id
from simonides.codec.schema import record
from simonides.errors import ModelError
from simonides.http.errors import RequestRefused, refusal
from simonides.http.proxy_conversation import (
    HEAD,
    LOOKED_AT,
    TAIL,
    Conversation,
    Turn,
    derive_id,
    in_words,
    read,
    with_context,
)
from simonides.http.proxy_dialects import COMPLETIONS, NO_REPLY, RESPONSES, Dialect, Reply
from simonides.http.proxy_upstream import (
    EVENTS,
    Gathered,
    LeftError,
    Relay,
    read_upstream,
    unless_left,
    whole,
)
from simonides.http.route import Answer, Call, Route, Way
from simonides.model.access import Permission
from simonides.model.brief import Brief
from simonides.model.filter import Filter
from simonides.text.analyse import words
from simonides.text.questions import asks_nothing
from simonides.text.tokens import count

CONTEXT, SESSION, RECEIPT = "X-Simonides-Context", "X-Session-Id", "X-Simonides-Receipt"
MIN_RELEVANCE, SPACES = "X-Simonides-Min-Relevance", "X-Simonides-Spaces"

QUESTION_CHARS_MAX = 8_000
"""The end of a long message is what is asked: what is pasted into it stands before."""

OURS = ("", "simonides")
"""Names of a model that stand for the configured one."""

GONE = 499
"""The status of what nobody waits for any more; it is only ever counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """A request of Chat Completions; other fields are passed on unchanged.

    `model` is the endpoint's name of it; none, or `simonides`, is the configured one.
    """

    messages: Annotated[tuple[dict[str, Any], ...], Meta(min_length=1)]
    model: str | None = None
    stream: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRequest:
    """A request of Responses; other fields are passed on unchanged.

    `input` is a text, or messages and other entries. `previous_response_id` names the response
    that it goes on from, `conversation` the one that the endpoint keeps.
    """

    input: str | tuple[dict[str, Any], ...] | None = None
    previous_response_id: str | None = None
    conversation: str | dict[str, Any] | None = None
    model: str | None = None
    stream: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """The request to forward, and the turn to store: None without a message of the user."""

    body: bytes
    headers: dict[str, str]
    turn: Turn | None = None


async def forward(dialect: Dialect, call: Call) -> Response:
    """Forward a request with context, and return its answer; unknown fields are passed on."""
    server = call.server
    call.read_request()
    read_upstream(call.memory.settings)
    server.turns.check()
    with ExitStack() as place:
        place.enter_context(server.relays.room(1, caller=call.who))
        await server.turns.wait_until_stored(call.caller.space)
        prepared = await server.threads.run(partial(_prepare, call, dialect), caller=call.who)
        return await _answer(call, prepared, dialect, place)


async def _answer(
    call: Call, prepared: PreparedRequest, dialect: Dialect, place: ExitStack
) -> Response:
    server = call.server

    def keep(reply: Reply) -> None:
        if prepared.turn is not None:
            answer = replace(reply, text=without_reasoning(reply.text))
            server.turns.later(call.caller.space, partial(prepared.turn.keep, answer))

    try:
        where, answer = await server.upstream.ask(
            call.request, prepared.body, path=dialect.path, settings=call.memory.settings
        )
        if answer.headers.get("content-type", "").startswith(EVENTS):
            held = place.pop_all()  # a stream gives its place back at its own end

            def relay(reply: Reply) -> None:
                held.close()
                keep(reply)

            return Relay(
                answer, where, prepared.headers,
                dialect=dialect, streams=server.streams, on_end=relay,
            )  # fmt: skip
        response: Response = await unless_left(call.request, whole(answer, where, prepared.headers))
    except LeftError:
        keep(NO_REPLY)
        return Response(status_code=GONE)
    except (ModelError, RequestRefused) as error:
        keep(NO_REPLY)
        refused = refusal(error)
        refused.headers |= prepared.headers  # the message was kept, and this says where
        raise refused from error
    except BaseException:  # also where the server stops meanwhile
        keep(NO_REPLY)
        raise
    keep(_reply(response, dialect))
    return response


def _reply(response: Response, dialect: Dialect) -> Reply:
    if response.status_code != 200:  # noqa: PLR2004  HTTP's own number
        return NO_REPLY
    gathered = Gathered(dialect)
    gathered.add(bytes(response.body))
    return gathered.reply(streams=False)


def _prepare(call: Call, dialect: Dialect) -> PreparedRequest:
    """Return the request to forward; without a change, its original bytes."""
    sent: dict[str, Any] = call.body()
    before = sent.get("previous_response_id") or ""
    last = Turn.of_response(before, call.memory) if before else None
    if not before and sent.get("conversation"):
        before = uuid4().hex  # what was said there is not known here: no message is a repeated one
    conversation = read(dialect.messages(sent), after=before)
    named = _with_model(sent, call)
    if conversation is None:
        return PreparedRequest(body=_as_bytes(named, sent, call), headers={}, turn=last)
    session_id = _session_id(call, sent, conversation, last)
    turn = Turn(
        memory=call.memory, session_id=session_id, name=conversation.turn, asked=conversation.asked
    )
    headers = {"X-Simonides-Session": session_id, "X-Simonides-Context-Items": "0"}
    made = _brief(call, conversation, session_id, is_continued=bool(before))
    if made is not None:
        headers |= {"X-Simonides-Context-Items": str(len(made.items)), RECEIPT: made.receipt.id}
        if made.items or (made.receipt.background and not asks_nothing(words(conversation.asked))):
            messages = with_context(
                conversation, break_template_tokens(made.text), part=dialect.part
            )
            named = dialect.with_messages(named, messages)
    return PreparedRequest(body=_as_bytes(named, sent, call), headers=headers, turn=turn)


def _session_id(
    call: Call, sent: dict[str, Any], conversation: Conversation, last: Turn | None
) -> str:
    """Return the session: named by the client, that of the response before, or derived."""
    given = call.header(SESSION)
    if given:
        return check_session_id(given)
    if last is not None:
        return last.session_id
    kept = sent.get("conversation")
    named = kept.get("id") if isinstance(kept, dict) else kept
    if named:
        return derive_id(call.caller.id, "conversation", named)
    return conversation.session_of(call.caller.id)


def _with_model(sent: dict[str, Any], call: Call) -> dict[str, Any]:
    ours = call.memory.settings.chat_model
    return {**sent, "model": ours} if (sent.get("model") or "") in OURS and ours else sent


def _as_bytes(made: dict[str, Any], sent: dict[str, Any], call: Call) -> bytes:
    if made is sent:
        return call.sent
    try:
        return json.dumps(made, allow_nan=False).encode()
    except ValueError:
        raise RequestRefused(
            400, "the body is no JSON: it holds a number that none can be"
        ) from None


def _brief(
    call: Call, conversation: Conversation, session_id: str, *, is_continued: bool
) -> Brief | None:
    """Return the brief for the last message; None if the caller wants none.

    What the client sends along is left out: it is there already. So is the session's end where the
    request goes on from a response: the endpoint has that.
    """
    wish = call.header(CONTEXT).strip().lower()
    if wish == "off":
        return None
    if wish not in ("", "on"):
        raise RequestRefused(422, f"{CONTEXT}: must be on or off")
    memory, texts = call.memory, conversation.texts
    known = memory.sessions.last(session_id, LOOKED_AT)
    repeated = tuple(one.id for one in known if is_continued or in_words(one.content) in texts)
    return memory.brief(
        conversation.asked[-QUESTION_CHARS_MAX:],
        preset="chat",
        budget_tokens=memory.settings.chat_context_tokens,
        items_max=memory.settings.chat_context_items,
        reserve=count(HEAD) + count(TAIL),
        filter=replace(Filter(), without_ids=repeated),
        session_id=session_id,
        min_relevance=_least(call.header(MIN_RELEVANCE)),
        spaces=tuple(filter(None, map(str.strip, call.header(SPACES).split(",")))),
        keep_receipt=call.header(RECEIPT).strip().lower() == "keep",
    )


def _least(given: str) -> float | None:
    """Return the least relevance that is asked for, if any; whether it is a share is seen later."""
    try:
        return float(given) if given.strip() else None
    except ValueError:
        raise RequestRefused(422, f"{MIN_RELEVANCE}: must be a number from 0 to 1") from None


def models(call: Call) -> Answer:
    """Return the configured model in the format of OpenAI's clients."""
    settings = call.memory.settings
    read_upstream(settings)
    named = [settings.chat_model] if settings.chat_model else []
    data = [{"id": one, "object": "model", "created": 0, "owned_by": "simonides"} for one in named]
    return Answer(record={"object": "list", "data": data})


_MODEL = record(id=str, object=str, created=int, owned_by=str)

_FORWARDS = partial(
    Route,
    method="POST", verb="chat", tag="openai", way=Way.ASYNC, is_open=True,
    shows=True, permission=Permission.WRITE, problems=(501,),
    answers={200: {"type": "object"}}, more_media={EVENTS: {"type": "string"}},
    headers=(SESSION, CONTEXT, RECEIPT, MIN_RELEVANCE, SPACES),
)  # fmt: skip

ROUTES = (
    _FORWARDS(
        path="/openai/v1/chat/completions", run=partial(forward, COMPLETIONS),
        request=CompletionRequest,
        summary="Forward a Chat Completions request with context, and store both messages.",
        example={"model": "simonides", "messages": [{"role": "user", "content": "When is it?"}]},
    ),
    _FORWARDS(
        path="/openai/v1/responses", run=partial(forward, RESPONSES), request=ResponseRequest,
        summary="Forward a Responses request with context, and store both messages.",
        example={"model": "simonides", "input": "When is it?"},
    ),
    Route(
        method="GET", path="/openai/v1/models", verb="settings", tag="openai", run=models,
        summary="Return the name of the configured model.", problems=(501,),
        answers={200: record(object=str, data={"type": "array", "items": _MODEL})},
    ),
)  # fmt: skip
