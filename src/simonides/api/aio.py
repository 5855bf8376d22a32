"""The parts of `memory.aio`, the threads that they run in, and a turn of chat as a stream.

Each method as a coroutine, made of the method itself.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from simonides.api.awaited import Awaitable, awaited
from simonides.api.background import Backgrounds
from simonides.api.chat import Sessions
from simonides.api.keys import Keys
from simonides.api.memories import Preferences, Proposals
from simonides.api.surrogates import Surrogates
from simonides.model.chat import ChatEvent, ChatReply

THREADS_MAX = 8
"""Calls that run at once; more wait their turn. The work is native code that frees the lock."""

_POOL = ThreadPoolExecutor(max_workers=THREADS_MAX, thread_name_prefix="simonides-aio")

Answer = TypeVar("Answer")


async def in_thread(call: Callable[[], Answer]) -> Answer:
    """Return what a call returns, made in a thread of the pool."""
    return await asyncio.get_running_loop().run_in_executor(_POOL, call)


async def chat_stream(
    chat: Callable[..., Coroutine[object, object, ChatReply]], message: str, **arguments: object
) -> AsyncGenerator[ChatEvent | ChatReply, None]:
    """Yield the events of a turn of chat while it runs, and at the end its `ChatReply`."""
    loop, told = asyncio.get_running_loop(), asyncio.Queue[ChatEvent | None]()
    is_left = threading.Event()

    def tell(event: ChatEvent) -> None:
        if not is_left.is_set():
            loop.call_soon_threadsafe(told.put_nowait, event)

    turn = asyncio.ensure_future(
        chat(message, **arguments, on_event=tell, is_cancelled=is_left.is_set)
    )
    turn.add_done_callback(lambda _: told.put_nowait(None))
    try:
        while (event := await told.get()) is not None:
            yield event
        yield await turn
    finally:
        is_left.set()
        turn.cancel()


class AsyncBackgrounds(Awaitable[Backgrounds]):
    """The background of each collection, awaited: `await memory.aio.background.get()`."""

    put = awaited(Backgrounds.put)
    get = awaited(Backgrounds.get)
    history = awaited(Backgrounds.history)
    delete = awaited(Backgrounds.delete)
    best = awaited(Backgrounds.best)


class AsyncSurrogates(Awaitable[Surrogates]):
    """The surrogates of long items, awaited: `await memory.aio.surrogates.build()`."""

    build = awaited(Surrogates.build)
    build_in_background = awaited(Surrogates.build_in_background)
    get = awaited(Surrogates.get)


class AsyncProposals(Awaitable[Proposals]):
    """What others propose to remember, awaited: `await memory.aio.proposals.accept(…)`."""

    make = awaited(Proposals.make)
    propose = awaited(Proposals.propose)
    list = awaited(Proposals.list)
    get = awaited(Proposals.get)
    accept = awaited(Proposals.accept)
    reject = awaited(Proposals.reject)
    undo = awaited(Proposals.undo)


class AsyncSessions(Awaitable[Sessions]):
    """Conversations, awaited: `await memory.aio.sessions.last("…")`."""

    create = awaited(Sessions.create)
    list = awaited(Sessions.list)
    get = awaited(Sessions.get)
    messages = awaited(Sessions.messages)
    last = awaited(Sessions.last)
    add = awaited(Sessions.add)
    forget = awaited(Sessions.forget)


class AsyncPreferences(Awaitable[Preferences]):
    """How the user wants things to be, awaited: `await memory.aio.preferences.set("…", "…")`."""

    list = awaited(Preferences.list)
    get = awaited(Preferences.get)
    set = awaited(Preferences.set)
    infer = awaited(Preferences.infer)
    forget = awaited(Preferences.forget)


class AsyncKeys(Awaitable[Keys]):
    """The keys of the home, awaited: `await memory.aio.keys.check(…)`."""

    create = awaited(Keys.create)
    list = awaited(Keys.list)
    revoke = awaited(Keys.revoke)
    check = awaited(Keys.check)
    exist = awaited(Keys.exist)
    note = awaited(Keys.note)
    audit = awaited(Keys.audit)
