"""A memory that lies, and what is kept in one that does not."""

from collections.abc import Callable
from typing import Any

from simonides.api.memory import Memory
from simonides_bench.crash.operation import Operation
from simonides_bench.crash.state import State


class Lying:
    """A memory that does what it is told, but for what a test has it do otherwise."""

    def __init__(self, memory: Memory, **lies: Callable[..., Any]) -> None:
        self._memory, self._lies = memory, lies

    def __getattr__(self, verb: str) -> Any:
        return self._lies.get(verb) or getattr(self._memory, verb)


def kept(memory: Memory, *operations: Operation) -> State:
    """Do these; return what the model says of them."""
    state = State()
    for one in operations:
        one.do(memory)
        state = one.after(state)
    return state
