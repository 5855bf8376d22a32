"""`/v1/chat`, `/v1/retrieve`: a turn of a conversation, and what it would find.

Answered as one JSON object, or as server-sent events: each thing that the turn tells, then the
reply. Whoever leaves has the turn end.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from simonides.codec.write import to_line
from simonides.http.bodies.chat import ChatBody, RetrieveBody
from simonides.http.errors import RETRY_S, RequestRefused, refusal, told_of
from simonides.http.idempotency import key_of
from simonides.http.pipeline import done, done_once
from simonides.http.route import Answer, Call, Route, Way
from simonides.http.schema import record, schema_of
from simonides.http.streaming import StreamedResponse, seen
from simonides.model.access import Permission
from simonides.model.chat import ChatEvent, ChatReply, Retrieved, Stop

EVENTS = "text/event-stream"
BEAT_S = 15.0
"""After so long without a word a comment is sent: it keeps proxies from hanging up."""

OnEvent = Callable[[ChatEvent], None]


async def chat(call: Call) -> Response:
    """Run one turn, in a thread of those for what takes long."""
    is_gone = threading.Event()
    if call.body.stream or EVENTS in call.header("accept"):
        return await _streamed(call, is_gone)
    leaving = asyncio.ensure_future(_left(call.request, is_gone))
    try:
        work = _work(call, is_gone, on_event=None)
        return await call.server.streams.run(work, key=call.who)
    finally:
        leaving.cancel()


def _work(
    call: Call, is_gone: threading.Event, *, on_event: OnEvent | None
) -> Callable[[], Response]:
    """Return the turn as a call of a thread: done once where the caller sent a key for that."""

    def run(asked: Call) -> Answer:
        body: ChatBody = asked.body
        reply = asked.memory.chat(
            body.message,
            session_id=body.session_id,
            sources=body.sources,
            time_filter=body.time_filter or "",
            mode=body.mode,
            on_event=on_event,
            is_cancelled=lambda: is_gone.is_set() or asked.server.is_stopping,
        )
        if reply.stop is Stop.CANCELLED:  # half an answer is none that may be given again
            raise RequestRefused(503, "the turn was broken off; ask again", retry_s=RETRY_S)
        return Answer(record=reply, count=len(reply.items))

    def work() -> Response:
        made = done_once(call, ROUTES[0], run) if key_of(call) else done(call, run)
        return made[0]

    return work


async def _left(request: Request, is_gone: threading.Event) -> None:
    """Note that the caller has hung up; the body has been read, so nothing else can come."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    is_gone.set()


async def _streamed(call: Call, is_gone: threading.Event) -> Response:
    """Answer as events; what is wrong before the first of them is told as ever."""
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[bytes] = asyncio.Queue()

    def on_event(event: ChatEvent) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(told.put_nowait, _event(event.kind, to_line(event)))

    streams, work = call.server.streams, _work(call, is_gone, on_event=on_event)
    turn = asyncio.ensure_future(streams.run(work, key=call.who))
    turn.add_done_callback(seen)
    first = asyncio.ensure_future(told.get())
    try:
        await asyncio.wait({turn, first}, return_when=asyncio.FIRST_COMPLETED)
        if turn.done() and turn.exception() is not None and not first.done():
            await turn
    except BaseException:
        is_gone.set()
        first.cancel()
        raise
    return StreamedResponse(
        _pieces(turn, first, told), streams=streams, on_end=is_gone.set, media_type=EVENTS,
        headers={"X-Accel-Buffering": "no"},
    )  # fmt: skip


async def _pieces(
    turn: "asyncio.Future[Response]",
    first: "asyncio.Future[bytes]",
    told: "asyncio.Queue[bytes]",
) -> AsyncGenerator[bytes, None]:
    """Yield what is told, then the reply."""
    waiting = first
    try:
        while not (turn.done() and told.empty() and not waiting.done()):
            both: set[asyncio.Future[Any]] = {turn, waiting}
            ready, _ = await asyncio.wait(both, timeout=BEAT_S, return_when=asyncio.FIRST_COMPLETED)
            if waiting in ready:
                yield waiting.result()
                waiting = asyncio.ensure_future(told.get())
                await asyncio.sleep(0)  # one that is there already is taken before we look again
            elif not ready:
                yield b": still here\n\n"
        yield _last(turn)
    finally:
        waiting.cancel()


def _last(turn: "asyncio.Future[Response]") -> bytes:
    error = turn.exception()
    if not isinstance(error, Exception):
        return _event("reply", bytes(turn.result().body).decode())
    return _event("problem", to_line(told_of(refusal(error))))


def _event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()


def retrieve(call: Call) -> Answer:
    """Return what a question finds among items and conversations."""
    body: RetrieveBody = call.body
    found = call.memory.retrieve(
        body.query, session_id=body.session_id, sources=body.sources,
        time_filter=body.time_filter or "", entity_filter=body.entity_filter,
        include_episodic=body.include_episodic, limit=body.limit,
    )  # fmt: skip
    return Answer(record=found, count=found.found)


ROUTES = (
    Route(
        method="POST", path="/v1/chat", verb="chat", tag="questions", run=chat, way=Way.ASYNC,
        told="Say something to the assistant; both messages are kept in the session.",
        shows=True, permission=Permission.WRITE, body=ChatBody, answers={200: schema_of(ChatReply)},
        writes=True, example={"message": "What did Sarah send me last week?"},
        more_media={EVENTS: record(event=str, data=str)},
    ),
    Route(
        method="POST", path="/v1/retrieve", verb="retrieve", tag="questions", run=retrieve,
        told="Find among items and conversations what a turn would be given.",
        body=RetrieveBody, answers={200: schema_of(Retrieved)},
        example={"query": "the Alpha deadline", "time_filter": "last_week"},
    ),
)  # fmt: skip
