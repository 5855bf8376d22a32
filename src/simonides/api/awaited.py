"""Methods of a plain object as coroutines, each made of the method itself."""

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, cast

THREADS_MAX = 8
"""Calls that run at once; more wait their turn. The work is native code that frees the lock."""

_POOL = ThreadPoolExecutor(max_workers=THREADS_MAX, thread_name_prefix="simonides-aio")

Plain = TypeVar("Plain")
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Awaitable(Generic[Plain]):
    """The verbs of a plain object, each run in a thread of the pool."""

    def __init__(self, plain: Plain) -> None:
        self._plain = plain


if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    class _Verb(Generic[Arguments, Answer]):
        """A verb as type checkers see it: with the arguments of the plain one, to be awaited."""

        def __get__(
            self, awaited: Awaitable[Any] | None, kind: type | None = None
        ) -> Callable[Arguments, Coroutine[object, object, Answer]]: ...


def awaited(verb: "Callable[Concatenate[Plain, Arguments], Answer]") -> "_Verb[Arguments, Answer]":
    """Return a verb of a plain object as a coroutine function with the same name and arguments."""

    @functools.wraps(verb)
    async def call(self: Awaitable[Any], *arguments: Any, **named: Any) -> Answer:
        bound = functools.partial(verb, self._plain, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(_POOL, bound)

    return cast("_Verb[Arguments, Answer]", call)
