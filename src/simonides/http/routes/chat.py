"""`/v1/chat`: a turn of a conversation.

Answered as one JSON object, or as server-sent events: each thing that the turn tells, then the
reply. Whoever leaves has the turn end.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response

from simonides.api.operations.chat import ChatRequest
from simonides.api.operations.remote import REMOTE
from simonides.codec.schema import record, schema_of, text
from simonides.codec.write import to_line
from simonides.http.errors import RETRY_S, RequestRefused, problem_fields, refusal
from simonides.http.pipeline import run_verb
from simonides.http.route import Answer, Call, Way, answer_to, route_of
from simonides.http.streaming import StreamedResponse, seen
from simonides.model.chat import ChatEvent, ChatReply, Stop

EVENTS = "text/event-stream"
PROBLEM_REF = "#/components/schemas/Problem"
BEAT_S = 15.0
"""After so long without a word a comment is sent: it keeps proxies from hanging up."""

OnEvent = Callable[[ChatEvent], None]


async def chat(call: Call) -> Response:
    """Run one turn in a thread for long calls."""
    is_gone = threading.Event()
    asked = call.asked()
    if asked.stream or EVENTS in call.header("accept"):
        return await _streamed(call, asked, is_gone)
    leaving = asyncio.ensure_future(_left(call.request, is_gone))
    try:
        work = _work(call, asked, is_gone, on_event=None)
        return await call.server.streams.run(work, caller=call.who)
    finally:
        leaving.cancel()


def _work(
    call: Call, asked: ChatRequest, is_gone: threading.Event, *, on_event: OnEvent | None
) -> Callable[[], Response]:
    """Return the turn as a call for a thread, executed once for each Idempotency-Key."""

    def run(call: Call) -> Answer:
        made = answer_to(
            REMOTE["chat"], call, asked, on_event=on_event,
            is_cancelled=lambda: is_gone.is_set() or call.server.is_stopping,
        )  # fmt: skip
        reply: ChatReply = made.record
        if reply.stop is Stop.CANCELLED:  # half an answer is none that may be given again
            raise RequestRefused(503, "the turn was broken off; ask again", retry_s=RETRY_S)
        return made

    def work() -> Response:
        return run_verb(call, CHAT, run)[0]

    return work


async def _left(request: Request, is_gone: threading.Event) -> None:
    """Wait until the caller disconnects: nothing else can follow the body."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    is_gone.set()


async def _streamed(call: Call, asked: ChatRequest, is_gone: threading.Event) -> Response:
    """Stream the events of a turn; an error before the first one is a problem."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[bytes | None] = asyncio.Queue()

    def on_event(event: ChatEvent) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(events.put_nowait, _event(event.kind, to_line(event)))

    def ended(turn: "asyncio.Future[Response]") -> None:
        seen(turn)
        events.put_nowait(None)

    streams, work = call.server.streams, _work(call, asked, is_gone, on_event=on_event)
    turn = asyncio.ensure_future(streams.run(work, caller=call.who))
    turn.add_done_callback(ended)
    try:
        first = await events.get()
        if first is None:
            turn.result()
    except BaseException:
        is_gone.set()
        raise
    return StreamedResponse(
        _pieces(turn, first, events), streams=streams, on_end=is_gone.set, media_type=EVENTS,
        headers={"X-Accel-Buffering": "no"},
    )  # fmt: skip


async def _pieces(
    turn: "asyncio.Future[Response]", first: bytes | None, events: "asyncio.Queue[bytes | None]"
) -> AsyncGenerator[bytes, None]:
    """Yield the events, then the reply."""
    event = first
    while event is not None:
        yield event
        try:
            event = await asyncio.wait_for(events.get(), BEAT_S)
        except TimeoutError:
            event = b": still here\n\n"
    yield _last(turn)


def _last(turn: "asyncio.Future[Response]") -> bytes:
    error = turn.exception()
    if not isinstance(error, Exception):
        return _event("reply", bytes(turn.result().body).decode())
    return _event("problem", to_line(problem_fields(refusal(error))))


def _event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()


_DATA = {"anyOf": [*map(schema_of, (ChatEvent, ChatReply)), {"$ref": PROBLEM_REF}]}
_STREAMED = record(
    "One server-sent event: of the kind of a `ChatEvent`, then `reply` or `problem`.",
    event=str, data=text(contentMediaType="application/json", contentSchema=_DATA),
)  # fmt: skip

CHAT = route_of("chat", run=chat, way=Way.ASYNC, more_media={EVENTS: _STREAMED})
