"""`memory.aio`: every public verb of a memory as a coroutine, generated, not written again."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from simonides.api.background import Backgrounds
from simonides.api.keys import Keys
from simonides.api.memories import Proposals
from simonides.api.memory import Memory
from simonides.api.preferences import Preferences
from simonides.api.sessions import Sessions
from simonides.api.surrogates import Surrogates

THREADS_MAX = 8
"""Calls that run at once; more wait their turn. The work is native code that frees the lock."""

_POOL = ThreadPoolExecutor(max_workers=THREADS_MAX, thread_name_prefix="simonides-aio")


class _Awaitable:
    """The verbs of a plain object, each run in a thread of the pool."""

    def __init__(self, plain: Any) -> None:
        self._plain = plain

    if TYPE_CHECKING:  # the verbs are set below, where type checkers do not see them

        def __getattr__(self, verb: str) -> Callable[..., Coroutine[Any, Any, Any]]: ...


class AsyncBackgrounds(_Awaitable):
    """The background of each collection, awaited: `await memory.aio.background.get()`."""


class AsyncSurrogates(_Awaitable):
    """The surrogates of long items, awaited: `await memory.aio.surrogates.build()`."""


class AsyncProposals(_Awaitable):
    """What others propose to remember, awaited: `await memory.aio.proposals.accept(…)`."""


class AsyncSessions(_Awaitable):
    """Conversations, awaited: `await memory.aio.sessions.last("…")`."""


class AsyncPreferences(_Awaitable):
    """How the user wants things to be, awaited: `await memory.aio.preferences.set("…", "…")`."""


class AsyncKeys(_Awaitable):
    """The keys of the home, awaited: `await memory.aio.keys.check(…)`."""


class AsyncMemory(_Awaitable):
    """A memory whose verbs are awaited: `await memory.aio.search("…")`.

    A call that was begun runs to its end even if its task is cancelled: a write is never half
    done. One that still waits for a thread is not begun any more.
    """

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


def _awaited(verb: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    @functools.wraps(verb)
    async def call(self: _Awaitable, *arguments: Any, **named: Any) -> Any:
        bound = functools.partial(verb, self._plain, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(_POOL, bound)

    return call


def _set_verbs(awaited: type[_Awaitable], plain: type) -> None:
    """Give a class every public verb of a plain one; a space is entered without waiting."""
    for name, verb in inspect.getmembers(plain, inspect.isfunction):
        if not name.startswith("_") and name != "in_space":
            setattr(awaited, name, _awaited(verb))


_set_verbs(AsyncMemory, Memory)
_set_verbs(AsyncBackgrounds, Backgrounds)
_set_verbs(AsyncSurrogates, Surrogates)
_set_verbs(AsyncProposals, Proposals)
_set_verbs(AsyncSessions, Sessions)
_set_verbs(AsyncPreferences, Preferences)
_set_verbs(AsyncKeys, Keys)
