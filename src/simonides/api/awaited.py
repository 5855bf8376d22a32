"""The methods of a synchronous object as coroutines, each derived from the method."""

import functools
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, cast

from simonides import api

Plain = TypeVar("Plain")
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Awaitable(Generic[Plain]):
    """The methods of a synchronous object, each run in a thread of the pool."""

    def __init__(self, plain: Plain) -> None:
        self._plain = plain


if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    class _Verb(Generic[Arguments, Answer]):
        """A method for type checkers: the arguments of the synchronous one, as a coroutine."""

        def __get__(
            self, awaited: Awaitable[Any] | None, kind: type | None = None
        ) -> Callable[Arguments, Coroutine[object, object, Answer]]: ...


def make_coroutine(
    verb: "Callable[Concatenate[Plain, Arguments], Answer]",
) -> "_Verb[Arguments, Answer]":
    """Return a method as a coroutine function with the same name and arguments."""

    @functools.wraps(verb)
    async def call(self: Awaitable[Any], *arguments: Any, **named: Any) -> Answer:
        bound = functools.partial(verb, self._plain, *arguments, **named)
        return await api.threads.in_thread(bound)

    return cast("_Verb[Arguments, Answer]", call)
