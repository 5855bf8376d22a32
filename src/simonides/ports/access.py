"""The port of the store of keys, with its laws.

Must not know any adapter.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from simonides.model.access import ApiKey, AuditEntry


@runtime_checkable
class AccessStore(Protocol):
    """The store of API keys, each with the hash of its text, and of the audit log.

    Laws: a key that `add` took is there after a crash; a revoked key stays, revoked; what other
    processes did is seen by the next call; notes are only ever added. All raise `StoreError`.
    """

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Store a key with the hash of its whole text; durable when it returns."""
        ...

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """Return a key and its hash; None if there is no key of that id."""
        ...

    def keys(self) -> tuple[ApiKey, ...]:
        """Return every key, including revoked ones, oldest first."""
        ...

    def has_keys(self) -> bool:
        """Return whether a key was ever created."""
        ...

    def revoke(self, key_id: str, *, at: datetime) -> bool:
        """Revoke a key; return whether there is one of that id."""
        ...

    def note(self, entries: Sequence[AuditEntry]) -> None:
        """Add entries to the audit log; durable when it returns."""
        ...

    def read_log(
        self, *, limit: int, before: int = 0, key_id: str = "", space: str = ""
    ) -> tuple[AuditEntry, ...]:
        """Return the audit log, latest first; below the number `before` unless that is 0.

        With a `key_id` or a `space` it is that of one key or of one space.
        """
        ...

    def close(self) -> None:
        """Close the file. Closing twice is no error."""
        ...
