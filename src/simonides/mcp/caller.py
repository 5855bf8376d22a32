"""The caller of a tool: the memory of their space, and their permissions.

Knows shapes. Must not know MCP, nor how anybody is let in: over HTTP the server's own rules say
that, on stdio whoever started the program is asked nothing.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, TypeVar

import anyio
import anyio.to_thread

from simonides.api.memory import Memory
from simonides.errors import AccessDenied
from simonides.model.access import Permission

Result = TypeVar("Result")

THREADS = 4
"""Calls at once on stdio: one client, whose calls seldom overlap."""


class ToolCaller(Protocol):
    """One caller. The space is that of their memory, and no argument of a tool can name another."""

    @property
    def memory(self) -> Memory:
        """The memory of their space."""
        ...

    def allows(self, permission: Permission) -> bool:
        """Return whether the caller has a permission."""
        ...

    def now(self) -> datetime:
        """Return the time (aware) that relative times refer to."""
        ...

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call, run in a thread."""
        ...

    def note(self, verb: str, *, permission: Permission, status: int, count: int) -> None:
        """Log a call or a refusal; `status` is that of HTTP, `count` the number of items."""
        ...


class ToolHost:
    """The person who started the program: has all permissions, in the one space it was given."""

    def __init__(self, memory: Memory, *, now: Callable[[], datetime]) -> None:
        self.memory = memory
        self._now = now
        self._threads = anyio.CapacityLimiter(THREADS)

    def allows(self, permission: Permission) -> bool:  # noqa: ARG002  they could run any verb
        """Return True."""
        return True

    def now(self) -> datetime:
        """Return the time."""
        return self._now()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call, run in one of a few threads."""
        return await anyio.to_thread.run_sync(call, limiter=self._threads)

    def note(self, verb: str, *, permission: Permission, status: int, count: int) -> None:
        """Do nothing: without a key there is no audit log."""


def check_allowed(caller: ToolCaller, *permissions: Permission) -> None:
    """Raise `AccessDenied` unless the caller has all these permissions."""
    for one in permissions:
        if not caller.allows(one):
            raise AccessDenied(f"this key does not allow to {one}: make one that does")
