"""`memory.keys`: the API keys for HTTP and MCP.

Keys belong to the home, not to a space: each names the space that it opens. Brings the rules of
`access` together with the file that keeps them; decides nothing itself.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from simonides.access.callers import (
    admit,
    digest_of,
    new_key_id,
    new_secret,
    prefix_of,
    whole_key,
)
from simonides.api.arguments import check_is, check_texts
from simonides.api.runtime import Runtime
from simonides.errors import InvalidInput, NotFound, StoreError
from simonides.model.access import (
    DEFAULT_PERMISSIONS,
    ApiKey,
    AuditEntry,
    AuditPage,
    NewKey,
    Permission,
)
from simonides.model.answer import Finding
from simonides.model.bounds import show_value
from simonides.model.coercion import one_of, page_of, tuple_of
from simonides.model.times import TimeLike, as_time

if TYPE_CHECKING:
    from simonides.ports.access import AccessStore

DAYS_MAX = 36_500
"""A hundred years: a key that is to hold longer holds until it is revoked."""


class Keys:
    """The API keys of one home."""

    def __init__(self, parts: Runtime) -> None:
        self._parts = parts

    def create(
        self,
        *,
        space: str,
        shared: Sequence[str] = (),
        permissions: Sequence[Permission | str] = DEFAULT_PERMISSIONS,
        expires: TimeLike | float | None = None,
        name: str = "",
    ) -> NewKey:
        """Create a key for a space and return it; it is shown only this once.

        It may read `shared` spaces besides. `expires` is a time, or days from now; without
        it the key holds until it is revoked. `name` says whose it is, for the list. A space need
        not be there yet.

        Raises:
            InvalidSpaceName: A name cannot be a space.
            InvalidInput: Another argument is out of range.
        """
        besides = tuple_of(str, shared, field="shared")
        allowed = tuple_of(str, permissions, field="permissions")
        check_texts(name, field="name")
        for one in (space, *besides):
            self._parts.store.snapshot_path(one)  # raises where the name is none
        key_id, now = new_key_id(), self._parts.clock()
        made = ApiKey(
            id=key_id, prefix=prefix_of(key_id), space=space, created_at=now, name=name,
            shared=tuple(one for one in dict.fromkeys(besides) if one != space),
            permissions=tuple(
                dict.fromkeys(one_of(Permission, one, field="permission") for one in allowed)
            ),
            expires_at=_expiry(expires, now=now, timezone=self._parts.timezone),
        )  # fmt: skip
        whole = whole_key(key_id, new_secret())
        self._store.add(made, digest_of(whole))
        return NewKey(
            key=whole, id=made.id, prefix=made.prefix, space=made.space, created_at=now,
            name=made.name, shared=made.shared, permissions=made.permissions,
            expires_at=made.expires_at,
        )  # fmt: skip

    def list(self) -> tuple[ApiKey, ...]:
        """Return every key without its secret, including revoked ones, oldest first."""
        return self._store.keys()

    def revoke(self, key_id: str, /) -> ApiKey:
        """Revoke a key permanently; return it.

        The id is that of the list, or the prefix, or the whole key. What runs already ends.

        Raises:
            NotFound: There is no such key.
        """
        wanted = _read_key_id(key_id)
        found = self._store.revoke(wanted, at=self._parts.clock()) and self._store.find(wanted)
        if not found:
            raise NotFound("key", wanted)
        return found[0]

    def check(self, key: str, /) -> ApiKey:
        """Return the key of a text, if it is valid now.

        Raises:
            AccessDenied: It is no key, or unknown, revoked or expired.
        """
        check_texts(key, field="key")
        return admit(key, store=self._store, now=self._parts.clock())

    def exist(self) -> bool:
        """Return whether a key was ever created: from then on every request needs one."""
        return self._store.has_keys()

    def note(self, *entries: AuditEntry) -> None:
        """Add entries to the audit log; durable when it returns."""
        for one in entries:
            check_is(one, AuditEntry, field="entries")
        if entries:
            self._store.note(entries)

    def audit(
        self, *, limit: int = 50, cursor: str = "", key_id: str = "", space: str = ""
    ) -> AuditPage:
        """Return a page of the audit log, latest first, of one key or space, or of all.

        Raises:
            InvalidInput: The limit or the cursor is malformed.
        """
        check_texts(space, field="space")
        wanted = _read_key_id(key_id) if key_id else ""
        entries, more = page_of(
            lambda limit, before: self._store.read_log(
                limit=limit, before=before, key_id=wanted, space=space
            ),
            limit=limit, cursor=cursor, by="number", first=0,
        )  # fmt: skip
        return AuditPage(entries=entries, cursor=more)

    @property
    def _store(self) -> "AccessStore":
        return self._parts.access


def key_findings(keys: Keys) -> list[Finding]:
    """Return a finding if the file of keys, or the audit log in it, cannot be read."""
    try:
        keys.list()
        keys.audit(limit=1)
    except StoreError as error:
        return [Finding(check="keys", sound=False, detail=str(error))]
    return []


def _read_key_id(given: str) -> str:
    """Return the id in a key, in its prefix, or as it is; a secret never gets into an error."""
    check_texts(given, field="key_id")
    parts = given.strip().split("_")
    return parts[1] if parts[0].lower() == "sim" and len(parts) > 1 else given


def _expiry(expires: TimeLike | float | None, *, now: datetime, timezone: str) -> datetime | None:
    if expires is None:
        return None
    if isinstance(expires, str | date):
        until = as_time(expires, field="expires", timezone=timezone)
    elif not isinstance(expires, int | float):
        raise InvalidInput("expires", f"must be a time or days, got {show_value(expires)}")
    elif 0 < expires <= DAYS_MAX:
        until = now + timedelta(days=expires)
    else:
        raise InvalidInput("expires", f"must lie in 0 to {DAYS_MAX} days, got {expires}")
    if until <= now:
        raise InvalidInput("expires", f"{until} is past; give a time that is to come")
    return until
