"""The files beside a file, which formats of many files ask for again and again: each read once.

Must not know folders, archives or formats.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

HELD_BYTES_MAX = 128 << 20
"""Most bytes held for one folder or archive; lists of 200,000 people take half of it."""


@dataclass(slots=True)
class FolderNeighbours:
    """What was read of the neighbours in one container, as far as it can be held."""

    _held: dict[str, bytes | None] = field(default_factory=dict)
    _bytes_left: int = HELD_BYTES_MAX

    def read(self, where: str, read: Callable[[], bytes | None]) -> bytes | None:
        """Return the content at `where`, by calling `read` the first time."""
        if where in self._held:
            return self._held[where]
        raw = read()
        cost = len(raw or b"") + len(where)
        if cost <= self._bytes_left:
            self._bytes_left -= cost
            self._held[where] = raw
        return raw
