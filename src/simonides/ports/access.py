"""What the rules of access ask of where keys are kept, and by which laws.

Must not know any adapter.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from simonides.model.access import ApiKey, AuditEntry


@runtime_checkable
class AccessStore(Protocol):
    """Keeps keys, each with a hash of the whole of it, and what was noted of their use.

    Laws: a key that `add` took is there after a crash; a revoked key stays, revoked; what other
    processes did is seen by the next call; notes are only ever added. All raise `StoreError`.
    """

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a key beside the hash of its whole text; durable when it returns."""
        ...

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """Return a key and its hash; None where there is none of that id."""
        ...

    def keys(self) -> tuple[ApiKey, ...]:
        """Return every key, revoked ones too, the first made first."""
        ...

    def has_keys(self) -> bool:
        """Return whether a key was ever made."""
        ...

    def revoke(self, key_id: str, *, at: datetime) -> bool:
        """Note that a key lets nobody in any more; return whether there is one of that id."""
        ...

    def note(self, entries: Sequence[AuditEntry]) -> None:
        """Add what was done; durable when it returns."""
        ...

    def noted(self, *, limit: int, before: int = 0, key_id: str = "") -> tuple[AuditEntry, ...]:
        """Return what was noted, latest first; below the number `before` unless that is 0."""
        ...

    def close(self) -> None:
        """Let go of the file. Closing twice is no error."""
        ...
