"""`memory.aio`: every public verb of a memory as a coroutine, made of the verb itself."""

import asyncio
import functools
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    overload,
)

from simonides.api.background import Backgrounds
from simonides.api.keys import Keys
from simonides.api.memories import Proposals
from simonides.api.memory import Memory
from simonides.api.preferences import Preferences
from simonides.api.sessions import Sessions
from simonides.api.surrogates import Surrogates
from simonides.model.chat import ChatEvent, ChatReply

if TYPE_CHECKING:
    from typing import Unpack

    from simonides.api.fields import ChatFields
    from simonides.model.item import Item, ItemFields
    from simonides.model.stored import Outcome

THREADS_MAX = 8
"""Calls that run at once; more wait their turn. The work is native code that frees the lock."""

_POOL = ThreadPoolExecutor(max_workers=THREADS_MAX, thread_name_prefix="simonides-aio")

Plain = TypeVar("Plain")
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class _Awaitable(Generic[Plain]):
    """The verbs of a plain object, each run in a thread of the pool."""

    def __init__(self, plain: Plain) -> None:
        self._plain = plain


if TYPE_CHECKING:

    class _Verb(Generic[Arguments, Answer]):
        """A verb as type checkers see it: with the arguments of the plain one, to be awaited."""

        def __get__(
            self, awaited: _Awaitable[Any] | None, kind: type | None = None
        ) -> Callable[Arguments, Coroutine[object, object, Answer]]: ...


def _awaited(verb: "Callable[Concatenate[Plain, Arguments], Answer]") -> "_Verb[Arguments, Answer]":
    """Return a verb of a plain object as a coroutine function with the same name and arguments."""

    @functools.wraps(verb)
    async def call(self: _Awaitable[Any], *arguments: Any, **named: Any) -> Answer:
        bound = functools.partial(verb, self._plain, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(_POOL, bound)

    return cast("_Verb[Arguments, Answer]", call)


class AsyncBackgrounds(_Awaitable[Backgrounds]):
    """The background of each collection, awaited: `await memory.aio.background.get()`."""

    put = _awaited(Backgrounds.put)
    get = _awaited(Backgrounds.get)
    history = _awaited(Backgrounds.history)
    delete = _awaited(Backgrounds.delete)
    best = _awaited(Backgrounds.best)


class AsyncSurrogates(_Awaitable[Surrogates]):
    """The surrogates of long items, awaited: `await memory.aio.surrogates.build()`."""

    build = _awaited(Surrogates.build)
    build_in_background = _awaited(Surrogates.build_in_background)
    get = _awaited(Surrogates.get)


class AsyncProposals(_Awaitable[Proposals]):
    """What others propose to remember, awaited: `await memory.aio.proposals.accept(…)`."""

    make = _awaited(Proposals.make)
    propose = _awaited(Proposals.propose)
    list = _awaited(Proposals.list)
    get = _awaited(Proposals.get)
    accept = _awaited(Proposals.accept)
    reject = _awaited(Proposals.reject)
    undo = _awaited(Proposals.undo)


class AsyncSessions(_Awaitable[Sessions]):
    """Conversations, awaited: `await memory.aio.sessions.last("…")`."""

    create = _awaited(Sessions.create)
    list = _awaited(Sessions.list)
    get = _awaited(Sessions.get)
    messages = _awaited(Sessions.messages)
    last = _awaited(Sessions.last)
    add = _awaited(Sessions.add)
    forget = _awaited(Sessions.forget)


class AsyncPreferences(_Awaitable[Preferences]):
    """How the user wants things to be, awaited: `await memory.aio.preferences.set("…", "…")`."""

    list = _awaited(Preferences.list)
    get = _awaited(Preferences.get)
    set = _awaited(Preferences.set)
    infer = _awaited(Preferences.infer)
    forget = _awaited(Preferences.forget)


class AsyncKeys(_Awaitable[Keys]):
    """The keys of the home, awaited: `await memory.aio.keys.check(…)`."""

    create = _awaited(Keys.create)
    list = _awaited(Keys.list)
    revoke = _awaited(Keys.revoke)
    check = _awaited(Keys.check)
    exist = _awaited(Keys.exist)
    note = _awaited(Keys.note)
    audit = _awaited(Keys.audit)


class AsyncMemory(_Awaitable[Memory]):
    """A memory whose verbs are awaited: `await memory.aio.search("…")`.

    A call that was begun runs to its end even if its task is cancelled: a write is never half
    done. One that still waits for a thread is not begun any more. `async with` closes the memory.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def background(self) -> AsyncBackgrounds:
        """The background of each collection: put, get, history, delete, best."""
        return AsyncBackgrounds(self._plain.background)

    @property
    def surrogates(self) -> AsyncSurrogates:
        """Shorter stand-ins of long items, built ahead: build, build_in_background, get."""
        return AsyncSurrogates(self._plain.surrogates)

    @property
    def proposals(self) -> AsyncProposals:
        """What others propose to remember: make, propose, list, get, accept, reject, undo."""
        return AsyncProposals(self._plain.proposals)

    @property
    def sessions(self) -> AsyncSessions:
        """Conversations: create, list, get, messages, last, add, forget."""
        return AsyncSessions(self._plain.sessions)

    @property
    def preferences(self) -> AsyncPreferences:
        """How the user wants things to be: list, get, set, infer, forget."""
        return AsyncPreferences(self._plain.preferences)

    @property
    def keys(self) -> AsyncKeys:
        """The keys of the home: create, list, revoke, check, exist, note, audit."""
        return AsyncKeys(self._plain.keys)

    async def chat_stream(
        self, message: str, **arguments: "Unpack[ChatFields]"
    ) -> AsyncGenerator[ChatEvent | ChatReply, None]:
        """Yield what a turn of chat tells while it runs, and at the end its `ChatReply`.

        Takes what `chat` takes and raises what it raises. Who leaves the loop ends the turn; then
        no answer is kept.
        """
        loop, told = asyncio.get_running_loop(), asyncio.Queue[ChatEvent | None]()
        is_left = threading.Event()

        def tell(event: ChatEvent) -> None:
            if not is_left.is_set():
                loop.call_soon_threadsafe(told.put_nowait, event)

        turn = asyncio.ensure_future(
            self.chat(message, **arguments, on_event=tell, is_cancelled=is_left.is_set)
        )
        turn.add_done_callback(lambda _: told.put_nowait(None))
        try:
            while (event := await told.get()) is not None:
                yield event
            yield await turn
        finally:
            is_left.set()
            turn.cancel()

    if TYPE_CHECKING:  # overloads are lost where a verb is made of another

        @overload
        async def add(  # type: ignore[overload-overlap]  # a text is not meant as its letters
            self, content: str, **fields: Unpack[ItemFields]
        ) -> Outcome: ...

        @overload
        async def add(self, content: Item) -> Outcome: ...

        @overload
        async def add(
            self, content: Iterable[str | Item], **fields: Unpack[ItemFields]
        ) -> tuple[Outcome, ...]: ...

        async def add(
            self, content: str | Item | Iterable[str | Item], **fields: Unpack[ItemFields]
        ) -> Outcome | tuple[Outcome, ...]:
            """Keep one text or item, or many in one transaction; see `Memory.add`."""
            ...

    else:
        add = _awaited(Memory.add)

    forget = _awaited(Memory.forget)
    engage = _awaited(Memory.engage)
    import_ = _awaited(Memory.import_)
    search = _awaited(Memory.search)
    brief = _awaited(Memory.brief)
    explain = _awaited(Memory.explain)
    replay = _awaited(Memory.replay)
    diff = _awaited(Memory.diff)
    engagement = _awaited(Memory.engagement)
    list = _awaited(Memory.list)
    entities = _awaited(Memory.entities)
    close = _awaited(Memory.close)
    erasure_mark = _awaited(Memory.erasure_mark)
    search_across = _awaited(Memory.search_across)
    chat = _awaited(Memory.chat)
    retrieve = _awaited(Memory.retrieve)
    remember = _awaited(Memory.remember)
    update = _awaited(Memory.update)
    get = _awaited(Memory.get)
    history = _awaited(Memory.history)
    restore = _awaited(Memory.restore)
    compact = _awaited(Memory.compact)
    stats = _awaited(Memory.stats)
    spaces = _awaited(Memory.spaces)
    doctor = _awaited(Memory.doctor)
    reembed = _awaited(Memory.reembed)
    erase = _awaited(Memory.erase)
    export = _awaited(Memory.export)
    backup = _awaited(Memory.backup)
    verify = _awaited(Memory.verify)
    scrub = _awaited(Memory.scrub)
    repair = _awaited(Memory.repair)
    erasable = _awaited(Memory.erasable)
