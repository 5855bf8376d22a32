"""Who asks through a door that is mounted on a server: MCP, or the pages; who learns nothing.

Must not know how anybody is let in, nor what is asked for.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol, TypeVar

from simonides.api.memory import Memory
from simonides.errors import Conflict, NotFound
from simonides.model.access import Permission

Result = TypeVar("Result")


class Caller(Protocol):
    """One caller. The space is that of their memory, and nothing that they send names another."""

    @property
    def memory(self) -> Memory:
        """The memory of their space."""
        ...

    @property
    def shared(self) -> tuple[str, ...]:
        """The other spaces that the caller may read."""
        ...

    def allows(self, permission: Permission) -> bool:
        """Return whether the caller has a permission."""
        ...

    def denial(self, permission: Permission) -> str:
        """Return the message for a permission that is lacking: what to do to have it."""
        ...

    def now(self) -> datetime:
        """Return the time (aware) that relative times refer to."""
        ...

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call, run in a thread."""
        ...

    def announce(self, verb: str) -> None:
        """Log a call before it is carried out, because nothing can bring back what it takes."""
        ...

    def note(self, verb: str, *, permission: Permission, status: int, count: int) -> None:
        """Log a call or a refusal; `status` is that of HTTP, `count` the number of items."""
        ...


def key_denial(permission: Permission) -> str:
    """Return the message for a permission that a key does not have."""
    return f"this key does not allow to {permission}: make one that does"


ACCEPTED: dict[str, Any] = {"accepted": True}
"""The whole answer to a write of who may not read, whatever became of it."""


class Permitted(Protocol):
    """Whoever has permissions: a caller, or a key."""

    def allows(self, permission: Permission) -> bool:
        """Return whether they have a permission."""
        ...


def only_writes(caller: Permitted) -> bool:
    """Return whether a caller may write but not read, so that answers must not reveal content."""
    return caller.allows(Permission.WRITE) and not caller.allows(Permission.READ)


def count_hidden(write: Callable[[], int]) -> int:
    """Return the number of items of a write whose caller only writes, for the audit log.

    What does not fit in itself is reported; what is not there, is there already or has changed is
    not.
    """
    try:
        return write()
    except (NotFound, Conflict):
        return 0
