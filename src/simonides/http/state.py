"""The shared parts of one running server: memory, threads, rates, metrics and audit log.

Made by `app`, closed when the server stops. Must not know any route.
"""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from simonides.access.callers import Costs, Rates
from simonides.api.memory import Memory
from simonides.api.shared_state import as_shared_state
from simonides.http.background_work import AuditLog, Scrubbing, VectorWorker
from simonides.http.gauges import readings
from simonides.http.idempotency import IdempotencyStore
from simonides.http.imports import Imports
from simonides.http.limits import Limits
from simonides.http.proxy_conversation import Turns
from simonides.http.proxy_upstream import CONNECTIONS_MAX, Upstream
from simonides.http.request_body import CapacityLimiter
from simonides.http.streaming import TOO_MANY, Streams, half
from simonides.http.telemetry import Metrics
from simonides.http.threads import Threads
from simonides.model.access import ApiKey, AuditEntry

HELD_BODIES = 16
"""So many bodies of the longest sort may be in memory at once; what comes then has to wait."""


STRANGERS_PER_S, STRANGERS_BURST = 1.0, 100
"""Notes a second, and at once, of those who are not let in: at most some 5 MB a day."""


def utc_now() -> datetime:
    """Return the time of this machine's clock, in UTC."""
    return datetime.now(UTC)


class Server:
    """The parts that all requests share.

    `space` is whose memory those see who come without a key, while there is none; `needs_key` says
    that nobody comes in so, because others can reach the server, as through a proxy. Uploads lie in
    `uploads` as long as they are read. `monotonic_s` is a clock that only ever rises, `now` one
    that tells the time; tests hand in their own.
    """

    def __init__(
        self,
        *,
        memory: Memory,
        limits: Limits,
        space: str,
        uploads: Path,
        monotonic_s: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.memory, self.limits, self.space = memory, limits, space
        self.uploads, self.monotonic_s, self.now = uploads, monotonic_s, now
        self.is_stopping = self.has_ended = False
        self._stop_by_s: float | None = None
        self.needs_key = bool(limits.hosts)
        self.threads = Threads(
            limits.threads + 1, each_max=limits.threads, waiting_max=limits.waiting_max,
            name="http", on_cost=self._charge,
        )  # fmt: skip
        self.shared = as_shared_state(memory.working)
        buckets = self.shared.buckets
        self.rates = Rates(per_s=limits.rate_per_s, burst=limits.rate_burst, buckets=buckets)
        self.costs = Costs(per_s=limits.cost_per_s, burst_s=limits.cost_burst_s, buckets=buckets)
        self.strangers = Rates(
            per_s=STRANGERS_PER_S, burst=STRANGERS_BURST, buckets=buckets, name="strangers"
        )
        self.metrics = Metrics()
        self.streams = Streams(
            limits.streams_max, wait_s=limits.pause_s, stream_s=limits.stream_s,
            count_cut_off=self.metrics.cut_off,
        )  # fmt: skip
        self.relays = CapacityLimiter(
            CONNECTIONS_MAX, each_max=half(CONNECTIONS_MAX), refusal=TOO_MANY
        )
        self.audit = AuditLog(memory.keys.note)
        self.once = IdempotencyStore(memory.working)
        self.vectors = VectorWorker(memory, is_idle=lambda: not self.threads.taken)
        self.imports = Imports(
            memory, uploads=uploads, limits=limits, shared=self.shared,
            clock=monotonic_s, on_waiting=self.vectors.ask,
        )  # fmt: skip
        held_max = HELD_BODIES * limits.body_bytes_max
        self.held = CapacityLimiter(held_max, each_max=half(held_max))
        self.uploading = CapacityLimiter(limits.streams_max, each_max=half(limits.streams_max))
        self.metrics.add(lambda: readings(self))
        self.turns = Turns()
        self.upstream = Upstream()
        self.scrubbing = Scrubbing(
            memory, is_idle=lambda: not self.threads.taken, now=now,
            on_done=self.metrics.record_scrub,
        )  # fmt: skip

    def _charge(self, caller: str, cost_s: float) -> None:
        self.costs.charge(caller, cost_s, now_s=self.monotonic_s())

    def announce(self, caller: ApiKey, verb: str) -> None:
        """Write an audit entry to disk before an operation that cannot be undone.

        Raises:
            StoreError: It cannot be written.
        """
        entry = AuditEntry(at=self.now(), verb=verb, status=0, key_id=caller.id, space=caller.space)
        self.audit.now(entry)

    def begin_stop(self) -> None:
        """Start to stop: imports end, and the time for the stop runs.

        Calling it again does nothing.
        """
        if self._stop_by_s is None:
            self._stop_by_s = self.monotonic_s() + self.limits.drain_s
            self.imports.stop()

    @property
    def is_draining(self) -> bool:
        """Whether the stop has begun, though what runs may still end."""
        return self._stop_by_s is not None

    def cut_off(self) -> None:
        """End the running streams and turns, and refuse what waits; on the event loop."""
        self.is_stopping = True
        self.threads.stop()
        self.streams.stop()

    @property
    def left_s(self) -> float:
        """The seconds left until the server has to end, 0 or more."""
        self.begin_stop()
        assert self._stop_by_s is not None  # noqa: S101  set by now
        return max(0.0, self._stop_by_s - self.monotonic_s())

    def close(self) -> bool:
        """End running work, write the last audit entries and close the memory; return if all ended.

        What does not end in time is left behind: nothing acknowledged depends on it.
        """
        self.begin_stop()
        self.is_stopping = True
        self.has_ended = all([
            ends_within(self.left_s, self.scrubbing.close),
            ends_within(self.left_s, self.vectors.close),
            self.imports.wait(left_s=self.left_s),
            ends_within(self.left_s, self.streams.close),
            ends_within(self.left_s, self.threads.close),
            ends_within(self.left_s, self.turns.close),
            ends_within(self.left_s, self.audit.close),
        ])  # fmt: skip
        if self.has_ended:
            self.has_ended = ends_within(self.left_s, self.memory.close)
        return self.has_ended


def ends_within(left_s: float, wait: Callable[[], object]) -> bool:
    """Return whether a call returned within a number of seconds; it is not awaited longer."""
    waiting = threading.Thread(target=wait, name="simonides-closing", daemon=True)
    waiting.start()
    waiting.join(max(0.0, left_s))
    return not waiting.is_alive()
