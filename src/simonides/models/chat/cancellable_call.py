"""Cancellable calls: run in a thread, so that deadlines and cancellation take effect at once.

Knows threads and a deadline. Must not know what is called. A call that is no longer waited for
ends at its next piece or at its own time-out, whichever comes first.
"""

from collections.abc import Callable, Generator
from contextlib import closing
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any

from simonides.ports.models import IsCancelled

POLL_S = 0.05
"""How often a silent call is looked at for cancellation, in seconds."""

WAITING_MAX = 64
"""Pieces that wait to be taken: a call that is faster than its listener waits for it."""

JOIN_S = 1.0
"""How long closing waits for a call that is no longer waited for, in seconds."""


class CallTimeout(Exception):
    """The deadline passed before the call ended."""


class CancellableCalls:
    """The running calls of one model. Safe to use from several threads.

    Args:
        clock: Seconds that never run backwards.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._threads: set[Thread] = set()

    def pieces(
        self,
        call: Callable[[], Generator[Any, None, None]],
        *,
        deadline_s: float,
        is_cancelled: IsCancelled,
    ) -> Generator[Any, None, None]:
        """Yield what `call` yields as it comes, raise its exceptions; end early if cancelled.

        Raises:
            CallTimeout: The clock passed `deadline_s`.
        """
        queue: Queue[Any] = Queue(WAITING_MAX)
        over = Event()
        self._begin(call, queue, over)
        try:
            while not is_cancelled():
                left_s = deadline_s - self._clock()
                if left_s <= 0:
                    raise CallTimeout
                try:
                    piece = queue.get(timeout=min(left_s, POLL_S))
                except Empty:
                    continue
                if isinstance(piece, _End):
                    piece.raise_failure()
                    return
                yield piece
        finally:
            over.set()

    def close(self) -> None:
        """Wait a moment for abandoned calls to end."""
        for thread in tuple(self._threads):
            thread.join(JOIN_S)

    def _begin(
        self,
        call: Callable[[], Generator[Any, None, None]],
        queue: "Queue[Any]",
        over: Event,
    ) -> None:
        def work() -> None:
            _put(_End(_run_call(call, queue, over)), queue, over)
            self._threads.discard(thread)

        thread = Thread(target=work, name="simonides-model-call", daemon=True)
        self._threads.add(thread)
        thread.start()


class _End:
    """The end of a call, with its failure, if any."""

    def __init__(self, failure: BaseException | None) -> None:
        self.failure = failure

    def raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure


def _run_call(
    call: Callable[[], Generator[Any, None, None]], queue: "Queue[Any]", over: Event
) -> BaseException | None:
    try:
        with closing(call()) as pieces:
            for piece in pieces:
                if not _put(piece, queue, over):
                    break
    except BaseException as failure:  # noqa: BLE001 - raised anew where the call is waited for
        return failure
    return None


def _put(piece: Any, queue: "Queue[Any]", over: Event) -> bool:
    """Hand a piece over once there is room; return whether anybody still listens."""
    while not over.is_set():
        try:
            queue.put(piece, timeout=POLL_S)
        except Full:
            continue
        return True
    return False
