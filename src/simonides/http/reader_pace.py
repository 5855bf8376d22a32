"""How far the reader of an answer may fall behind, and when it has to be cut off.

Pure: it is told the time and what happened. Must not know sockets.
"""

from simonides.http.request_body import BYTES_PER_S_MIN


class ReaderPace:
    """The time that a reader has left, in seconds that it keeps the server waiting.

    It begins with `pause_s`, shrinks while the server waits to be read, and grows with every byte
    read, by as long as that may take at `BYTES_PER_S_MIN`; never past `pause_s`. So a stall may
    last `pause_s`, and whoever reads more slowly than the minimum is cut off in the end, however
    fast it read before.
    """

    def __init__(self, *, pause_s: float) -> None:
        self._most_s = pause_s
        self._left_s = pause_s
        self._since_s = 0.0
        self._unread = 0

    def wait(self, now_s: float, *, unread: int) -> float:
        """Begin to wait with so many bytes unread; return how many seconds are left for that."""
        self._since_s, self._unread = now_s, unread
        return self._left_s

    def look(self, now_s: float, *, unread: int) -> float:
        """Return how many seconds are left after what was read since; 0 or less: cut it off."""
        read = max(0, self._unread - unread)
        left_s = self._left_s - (now_s - self._since_s) + read / BYTES_PER_S_MIN
        self._left_s = min(self._most_s, left_s)
        return self.wait(now_s, unread=unread)
