"""What one running server has: the memory, its threads, rates, counts and notes.

Made by `app`, closed when the server stops. Must not know any route.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from simonides.access.rates import Rates
from simonides.engine.memory import Memory
from simonides.http.audit import AuditLog
from simonides.http.imports import Imports
from simonides.http.limits import Limits
from simonides.http.metrics import Metrics
from simonides.http.once import Once
from simonides.http.proxy.turns import Turns
from simonides.http.proxy.upstream import Upstream
from simonides.http.reading import Held
from simonides.http.scrubbing import Scrubbing
from simonides.http.threads import Threads

HELD_BODIES = 16
"""So many bodies of the longest sort may be in memory at once; what comes then has to wait."""


STRANGERS_PER_S, STRANGERS_BURST = 1.0, 100
"""Notes a second, and at once, of those who are not let in: at most some 5 MB a day."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True, kw_only=True)
class Server:
    """The parts that all requests share.

    `space` is whose memory those see who come without a key, while there is none. Uploads lie in
    `uploads` as long as they are read. `monotonic_s` is a clock that only ever rises, `now` one
    that tells the time; tests hand in their own.
    """

    memory: Memory
    limits: Limits
    space: str
    uploads: Path
    monotonic_s: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _utc_now
    threads: Threads = field(init=False)
    streams: Threads = field(init=False)
    rates: Rates = field(init=False)
    strangers: Rates = field(init=False)
    metrics: Metrics = field(init=False)
    audit: AuditLog = field(init=False)
    once: Once = field(init=False)
    imports: Imports = field(init=False)
    held: Held = field(init=False)
    uploading: Held = field(init=False)
    turns: Turns = field(init=False)
    upstream: Upstream = field(init=False)
    scrubbing: Scrubbing = field(init=False)
    is_stopping: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        limits = self.limits
        self.threads = Threads(limits.threads, waiting_max=limits.waiting_max, name="http")
        self.streams = Threads(limits.streams_max, waiting_max=limits.streams_max, name="stream")
        self.rates = Rates(per_s=limits.rate_per_s, burst=limits.rate_burst)
        self.strangers = Rates(per_s=STRANGERS_PER_S, burst=STRANGERS_BURST)
        self.metrics = Metrics()
        self.audit = AuditLog(self.memory.keys.note)
        self.once = Once(self.memory.working)
        self.imports = Imports(self.memory, uploads=self.uploads, running_max=limits.streams_max)
        self.held = Held(HELD_BODIES * limits.body_bytes_max)
        self.uploading = Held(limits.streams_max)
        self.turns = Turns()
        self.upstream = Upstream()
        self.scrubbing = Scrubbing(
            self.memory, is_idle=lambda: not self.threads.taken, now=self.now,
            on_done=self.metrics.scrubbed,
        )  # fmt: skip

    def close(self) -> None:
        """End what runs, write the last notes, and close the memory."""
        self.is_stopping = True
        self.scrubbing.close()
        self.imports.close()
        self.threads.close()
        self.streams.close()
        self.turns.close()
        self.audit.close()
        self.memory.close()
