"""API keys, their permissions, and the audit log.

Knows the records and their ranges. Must not know how a key is made, checked or stored.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from simonides.errors import InvalidInput
from simonides.model.result import Result

NAME_CHARS_MAX = 100
"""Longest label of a key, in characters."""

SHARED_MAX = 100
"""Most spaces that one key may read besides its own."""


class Permission(StrEnum):
    """The permissions of a key in its space."""

    READ = "read"
    """Ask, list, look into the past, export."""
    WRITE = "write"
    """Add, change, forget, restore, import, chat."""
    ERASE = "erase"
    """Erase for good."""
    METRICS = "metrics"
    """See the counts of the server, and nothing of any space."""
    ADMIN = "admin"
    """All of that; administer the space, its keys and its audit log; list all spaces."""


DEFAULT_PERMISSIONS = (Permission.READ, Permission.WRITE)
"""The default permissions of a key: nothing irreversible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey(Result):
    """A key without its secret.

    It is bound to one `space`; those of `shared` it may read besides. `prefix` is the part of the
    key that may be shown. A key that has expired or was revoked lets nobody in.
    """

    id: str
    prefix: str
    space: str
    created_at: datetime
    name: str = ""
    shared: tuple[str, ...] = ()
    permissions: tuple[Permission, ...] = DEFAULT_PERMISSIONS
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def __post_init__(self) -> None:
        if len(self.name) > NAME_CHARS_MAX or not (self.name.isprintable()):
            raise InvalidInput("name", f"must have at most {NAME_CHARS_MAX} printable characters")
        if len(self.shared) > SHARED_MAX:
            raise InvalidInput("shared", f"must be at most {SHARED_MAX} spaces")
        if not self.permissions:
            raise InvalidInput("permissions", "must not be empty: a key allows something")

    def allows(self, permission: Permission) -> bool:
        """Return whether the key has a permission; `admin` includes the others."""
        return permission in self.permissions or Permission.ADMIN in self.permissions

    def is_valid(self, *, now: datetime) -> bool:
        """Return whether the key is neither revoked nor expired."""
        if self.revoked_at is not None:
            return False
        return self.expires_at is None or now < self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey(Result):
    """A new key; `key` is its full text, which is shown this once and never stored."""

    key: str = field(repr=False)
    id: str
    prefix: str
    space: str
    created_at: datetime
    name: str = ""
    shared: tuple[str, ...] = ()
    permissions: tuple[Permission, ...] = DEFAULT_PERMISSIONS
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry(Result):
    """One audited action, done or refused, without any content.

    `key_id` is empty where no key was needed, or none was known. `status` is that of HTTP;
    `count` is how many items it concerned, where that is known. `number` rises with time.
    """

    at: datetime
    verb: str
    status: int
    key_id: str = ""
    space: str = ""
    count: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage(Result):
    """One page of the audit log, latest first; `cursor` asks for the next, empty at the end."""

    entries: tuple[AuditEntry, ...]
    cursor: str = ""
