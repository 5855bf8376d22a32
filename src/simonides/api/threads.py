"""The thread pool of coroutine methods, and a chat turn as an asynchronous stream."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from simonides.model.chat import ChatEvent, ChatReply

THREADS_MAX = 8
"""Calls that run at once; more wait their turn. The work is native code that frees the lock."""

_POOL = ThreadPoolExecutor(max_workers=THREADS_MAX, thread_name_prefix="simonides-aio")

Answer = TypeVar("Answer")


async def in_thread(call: Callable[[], Answer]) -> Answer:
    """Return the result of a call in a thread of the pool."""
    return await asyncio.get_running_loop().run_in_executor(_POOL, call)


async def chat_stream(
    chat: Callable[..., Coroutine[object, object, ChatReply]], message: str, **arguments: object
) -> AsyncGenerator[ChatEvent | ChatReply, None]:
    """Yield the events of a chat turn while it runs, and at the end its `ChatReply`."""
    loop, events = asyncio.get_running_loop(), asyncio.Queue[ChatEvent | None]()
    is_left = threading.Event()

    def tell(event: ChatEvent) -> None:
        if not is_left.is_set():
            loop.call_soon_threadsafe(events.put_nowait, event)

    turn = asyncio.ensure_future(
        chat(message, **arguments, on_event=tell, is_cancelled=is_left.is_set)
    )
    turn.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield await turn
    finally:
        is_left.set()
        turn.cancel()
