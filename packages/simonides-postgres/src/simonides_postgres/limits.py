"""How long a transaction that locks may wait for others, and hold what it locked while it is idle.

A process that vanished or was stopped says nothing: the server itself must end its transaction,
lest others wait until TCP gives up, after hours. While the server reads or sends, only TCP can tell
that the other end is gone: it is set to ask. Must not know what is locked.
"""

_IDLE_S_MIN = 1.0
"""A process that is merely slow for a moment keeps its transaction, whatever the time-out."""

STREAMED_S_MIN = 300.0
"""So long rows may take to be made that are written in one transaction as they come."""

_ASKS = (
    "SET LOCAL tcp_keepalives_idle = 30; SET LOCAL tcp_keepalives_interval = 10; "
    "SET LOCAL tcp_keepalives_count = 3; SET LOCAL tcp_user_timeout = '60s'"
)
"""The server's TCP gives a client up that has not been heard of for a minute."""


def limits(timeout_s: float, *, wait_s: float | None = None, is_streamed: bool = False) -> str:
    """Return the script that sets both: `wait_s` for others, and twice the time-out while idle."""
    wait_ms = max(round((timeout_s if wait_s is None else wait_s) * 1000), 1)
    idle_s = max(2 * timeout_s, STREAMED_S_MIN if is_streamed else _IDLE_S_MIN)
    return (
        f"SET LOCAL lock_timeout = '{wait_ms:d}ms'; "
        f"SET LOCAL idle_in_transaction_session_timeout = '{round(idle_s * 1000):d}ms'; {_ASKS}"
    )
