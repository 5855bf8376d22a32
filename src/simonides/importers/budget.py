"""What one message may hold, and what was left out of it.

Knows the limits of a message. Must not know how one is read. The limits are of sizes and counts,
never of time: every reader is linear in them, so they bound the time on any machine alike.
"""

from dataclasses import dataclass

RAW_BYTES_MAX = 96 << 20
"""Longest message that is held in memory; what follows in the file is stepped over."""

PARTS_MAX = 1_000
"""Most parts of one message that are read, mails inside of it and their parts included."""

DEPTH_MAX = 32
"""How deep parts are nested; a deeper one is not taken apart."""

HEADERS_MAX = 1_000
"""Most header lines of one part that are read."""

HEADER_BYTES_MAX = 65_536
"""Longest header value that is read; the rest of a longer one is left out."""

PARAMETERS_MAX = 100
"""Most parameters of one header that are read."""

TEXT_CHARS_MAX = 16 << 20
"""Most characters of text that one message keeps, its attachments included."""

LOSSES_MAX = 20
"""Most entries that one message adds to the report; the last one says how many more there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One thing that was left out of a message: the part it stood in, and why.

    `part` is numbered as IMAP does: `2.1` is the first part of the second; empty for the message.
    """

    part: str
    reason: str


class ParseBudget:
    """What a message may still hold while it is read, and what was left out so far."""

    def __init__(self) -> None:
        self._parts_left = PARTS_MAX
        self._chars_left = TEXT_CHARS_MAX
        self._losses: dict[Loss, None] = {}

    @property
    def losses(self) -> list[Loss]:
        """Return what was left out, in its order, at most `LOSSES_MAX` entries."""
        found = list(self._losses)
        if len(found) <= LOSSES_MAX:
            return found
        more = len(found) - LOSSES_MAX + 1
        return [*found[: LOSSES_MAX - 1], Loss(part="", reason=f"{more} more things were left out")]

    def lose(self, part: str, reason: str) -> None:
        """Note that something in `part` is not kept."""
        self._losses[Loss(part=part, reason=reason)] = None

    def take_part(self) -> bool:
        """Count one part; return False where the message has had all that it may have."""
        self._parts_left -= 1
        if self._parts_left < 0:
            self.lose("", f"more than {PARTS_MAX} parts; the rest is left out")
        return self._parts_left >= 0

    def take_text(self, text: str, *, part: str) -> str:
        """Return `text`, or empty where the message may not keep so much more."""
        if len(text) > self._chars_left:
            limit = f"{TEXT_CHARS_MAX} characters in all its parts"
            self.lose(part, f"the message has more than {limit}; this one is left out")
            return ""
        self._chars_left -= len(text)
        return text
