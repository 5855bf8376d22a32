"""What may be unpacked and extracted out of one mail or archive, so that no bomb fills a disk.

Must not know a format.
"""

from dataclasses import dataclass

from simonides.errors import ImportFailed
from simonides.ports.importer import Allowance

RATIO_MAX = 150
"""How many times its own size an archive may unpack to, with all archives in it. Text shrinks to a
tenth, bombs to a thousandth (the most that deflate can do is 1,032)."""

FREE_BYTES = 64 << 20
"""What an archive may unpack to in any case: small files that repeat themselves are no bomb."""

TOO_LARGE = f"unpacks to more than {RATIO_MAX} times the size of its archive or mail, as bombs do"

MAIL_FREE_BYTES = 8 << 20
"""What the attachments of one mail may unpack to in any case: a book has one million characters."""

MAIL_ZONE_RULES_MAX = 200
"""How many rules that repeat the time zones of all calendars in one mail may have: a hundred
invitations bring two each."""


@dataclass(slots=True)
class UnpackingBudget:
    """What may still be taken out of one archive or mail, and of the `outer` one it lies in."""

    own: int
    outer: Allowance | None = None

    @classmethod
    def of(
        cls, size_bytes: int, *, free_bytes: int | None = None, outer: Allowance | None = None
    ) -> "UnpackingBudget":
        """Return the budget of an archive or mail of this size."""
        free = FREE_BYTES if free_bytes is None else free_bytes
        return cls(max(free, size_bytes * RATIO_MAX), outer)

    @property
    def left(self) -> int:
        """How many bytes or characters are left."""
        return self.own if self.outer is None else min(self.own, self.outer.left)

    def take(self, size: int) -> None:
        """Count unpacked bytes, or characters of documents.

        Raises:
            ImportFailed: They are too many.
        """
        self.own -= size
        if self.outer is not None:
            self.outer.take(size)
        if self.own < 0:
            raise ImportFailed(TOO_LARGE)
