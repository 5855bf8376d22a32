"""How connections are set up, and how long they wait for others: SQLite's busy handler.

Must not know files.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_POLL_S = 0.0005
"""Between two tries for a lock. Constant: a waiter that slept longer each time would starve."""

ALONE_S = 1.0
"""How long to wait for others to let go of a file, in seconds: they do soon, or not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How connections are set up: `durability` is `full` or `relaxed`.

    `checksums` says whether the pages of a new file get them; only trials want one without.
    """

    durability: str = "full"
    timeout_s: float = 10.0
    checksums: bool = True


class BusyHandler:
    """SQLite's busy handler: tries again every half millisecond until `timeout_s` have passed.

    `make_way` is called before each try: it may end what stands in the way.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.make_way: Callable[[], object] | None = None
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        """Return whether to try once more, after a short pause."""
        now = time.monotonic()
        if tries == 0:
            self._until = now + self.timeout_s
        if now >= self._until:
            return False
        if self.make_way is not None:
            self.make_way()
        time.sleep(_POLL_S)
        return True
