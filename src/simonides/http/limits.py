"""The limits of one server: one frozen record. Must not know what enforces them."""

import os
import re
from dataclasses import dataclass, fields

from simonides.errors import InvalidInput

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names of this machine that no other machine can answer to."""

BACKLOG = 2048
"""Connections that may wait for a server or a worker to take them (uvicorn's default)."""

_MAY_BE_NOTHING = ("threads", "audit_reads", "hosts", "origins")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?", re.IGNORECASE)
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#@*\s]+/?", re.IGNORECASE)
_SAMPLES = {
    "hosts": "give a name alone, such as memory.example.com",
    "origins": "give a scheme and a name, such as https://app.example.com",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server, and the callers that it accepts.

    At work: `threads` verbs of one caller run at once (one thread more is there, so that another's
    need not wait for them), and `waiting_max` more wait; what comes then is asked to try again.
    `streams_max` chats, exports and uploads run besides, half of them of one caller at most; each
    is cut off after `stream_s`. `imports_running_max` imports run besides those, one of each space,
    and `imports_waiting_max` of each space wait; each may take `import_s`, `import_pause_s` without
    getting on, or `import_yield_s` while others wait for its place, and `import_memory_max` bytes.
    Each caller may send `rate_per_s` requests a second, `rate_burst` at once, and cost `cost_per_s`
    seconds of processor a second, `cost_burst_s` at once, as measured in the threads of their
    requests. The server has ended `drain_s` after it was asked to stop.

    Connections: there are `connections_max`, `connections_each_max` of one address, each to ask
    within `head_s` by a head of at most `head_bytes_max`; it may fall behind by `pause_s` while it
    sends a body or takes an answer. Behind a proxy all come from one address: its. Sizes are in
    bytes. `hosts` are the names by which the server may be called besides those of this machine,
    `origins` the pages that may call it from a browser besides its own.
    """

    threads: int = 0
    waiting_max: int = 64
    streams_max: int = 16
    stream_s: float = 3600.0
    imports_running_max: int = 2
    imports_waiting_max: int = 4
    import_s: float = 6 * 3600.0
    import_pause_s: float = 600.0
    import_yield_s: float = 20.0
    import_memory_max: int = 2 << 30
    body_bytes_max: int = 8 << 20
    upload_bytes_max: int = 2 << 30
    rate_per_s: float = 200.0
    rate_burst: int = 400
    cost_per_s: float = 1.0
    cost_burst_s: float = 60.0
    drain_s: float = 30.0
    head_s: float = 20.0
    pause_s: float = 30.0
    connections_max: int = 500
    connections_each_max: int = 100
    head_bytes_max: int = 16 << 10
    audit_reads: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (one.name for one in fields(self) if one.name not in _MAY_BE_NOTHING):
            if not getattr(self, name) > 0:
                raise InvalidInput(name, f"must be above 0, got {getattr(self, name)}")
        for field, known in (("hosts", _HOST), ("origins", _ORIGIN)):
            for one in getattr(self, field):
                if not known.fullmatch(one):
                    raise InvalidInput(field, f"{one!r} matches nothing; {_SAMPLES[field]}")
        if self.threads < 0:
            raise InvalidInput("threads", f"must be 0 or more, got {self.threads}")
        if self.threads == 0:
            object.__setattr__(self, "threads", min(8, 2 * (os.cpu_count() or 1)))
