"""`/v1/chat`: a turn of a conversation.

Answered as one JSON object, or as server-sent events: each thing that the turn tells, then the
reply. Whoever leaves has the turn end.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from starlette.responses import Response

from simonides.api.operations.chat import ChatRequest
from simonides.api.operations.remote import REMOTE
from simonides.codec.schema import record, schema_of, text
from simonides.codec.write import to_line
from simonides.http.errors import RETRY_S, RequestRefused, problem_fields, refusal
from simonides.http.pipeline import run_verb
from simonides.http.route import Answer, Call, Way, answer_to, route_of
from simonides.http.streaming import Pipe, stream, wait_for_disconnect
from simonides.model.chat import ChatEvent, ChatReply, Stop

EVENTS = "text/event-stream"
PROBLEM_REF = "#/components/schemas/Problem"
OnEvent = Callable[[ChatEvent], None]


async def chat(call: Call) -> Response:
    """Run one turn in a thread for long calls."""
    asked, streams = call.read_request(), call.server.streams
    if asked.stream or EVENTS in call.header("accept"):
        return await stream(
            partial(_tell, call, asked), streams=streams, caller=call.who, media_type=EVENTS,
            headers={"X-Accel-Buffering": "no"}, beat=b": still here\n\n",
        )  # fmt: skip
    is_gone = threading.Event()
    leaving = asyncio.ensure_future(wait_for_disconnect(call.request))
    leaving.add_done_callback(lambda _: is_gone.set())
    try:
        return await streams.run(partial(_turn, call, asked, is_gone.is_set), caller=call.who)
    finally:
        leaving.cancel()


def _turn(
    call: Call, asked: ChatRequest, is_gone: Callable[[], bool], on_event: OnEvent | None = None
) -> Response:
    """Return the response of a turn, executed once for each Idempotency-Key."""

    def run(call: Call) -> Answer:
        made = answer_to(
            REMOTE["chat"], call, asked, on_event=on_event,
            is_cancelled=lambda: is_gone() or call.server.is_stopping,
        )  # fmt: skip
        reply: ChatReply = made.record
        if reply.stop is Stop.CANCELLED:  # half an answer is none that may be given again
            raise RequestRefused(503, "the turn was broken off; ask again", retry_s=RETRY_S)
        return made

    return run_verb(call, run)[0]


def _tell(call: Call, asked: ChatRequest, pipe: Pipe) -> None:
    """Write the events of a turn, then its reply; an error before the first one is raised."""
    has_begun = False

    def on_event(event: ChatEvent) -> None:
        nonlocal has_begun
        has_begun = True
        with suppress(BrokenPipeError):  # nobody listens any more: the turn ends as cancelled
            pipe.write(_event(event.kind, to_line(event)))
            pipe.push()

    try:
        reply = _turn(call, asked, lambda: pipe.is_left, on_event)
        last = _event("reply", bytes(reply.body).decode())
    except Exception as error:
        if not has_begun:
            raise
        last = _event("problem", to_line(problem_fields(refusal(error))))
    with suppress(BrokenPipeError):
        pipe.write(last)


def _event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()


_DATA = {"anyOf": [*map(schema_of, (ChatEvent, ChatReply)), {"$ref": PROBLEM_REF}]}
_STREAMED = record(
    "One server-sent event: of the kind of a `ChatEvent`, then `reply` or `problem`.",
    event=str, data=text(contentMediaType="application/json", contentSchema=_DATA),
)  # fmt: skip

CHAT = route_of("chat", run=chat, way=Way.ASYNC, more_media={EVENTS: _STREAMED})
