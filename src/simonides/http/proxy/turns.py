"""Turns that went through, kept behind the answer: nobody waits for it but who asks next.

One thread keeps them one after the other, so that what is sent twice is seen to be there. Must
not know where an answer came from.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

from simonides.api.memory import Memory
from simonides.errors import SimonidesError
from simonides.http.errors import RETRY_S, RequestRefused
from simonides.http.proxy.conversation import in_words
from simonides.model.chat import ChatRole
from simonides.model.item import Item

LOG = logging.getLogger("simonides.http")

WAITING_MAX = 1_000
"""Turns that may wait to be kept; past that a request is refused before it is sent on."""

LOOKED_AT = 50
"""The last messages of a session, among which those of a turn are looked for."""

TURN = "_turn"
"""Names in a message's metadata the turn that it belongs to; it is no word to be found by."""


class Turns:
    """Keeps turns in a thread of its own, in their order; closing keeps those that wait."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="simonides-turns")
        self._lock = Lock()
        self._last: dict[str, Future[None]] = {}
        self._waiting = 0

    def check(self) -> None:
        """Raise `RequestRefused` where too many wait to be kept."""
        if self._waiting >= WAITING_MAX:
            raise RequestRefused(503, "too many turns wait to be kept; try again", retry_s=RETRY_S)

    def later(self, space: str, keep: Callable[[], None]) -> None:
        """Have a turn kept; what goes wrong is logged, without a word of it."""
        with self._lock:
            try:
                self._last[space] = self._pool.submit(self._kept, keep)
            except RuntimeError:
                LOG.error("a turn was not kept: the server has stopped")  # noqa: TRY400  as below
                return
            self._waiting += 1

    async def settled(self, space: str) -> None:
        """Wait until what was said before in a space is kept, so that it can be found."""
        last = self._last.get(space)
        if last is not None:
            await asyncio.wait([asyncio.wrap_future(last)])

    def close(self) -> None:
        """Keep what waits."""
        self._pool.shutdown(wait=True)

    def _kept(self, keep: Callable[[], None]) -> None:
        try:
            keep()
        except SimonidesError as error:
            LOG.error("a turn was not kept: %s", error.code)  # noqa: TRY400  a trace says no more
        except Exception as error:  # noqa: BLE001  the thread has to live on
            LOG.error("a turn was not kept: %s", type(error).__name__)  # noqa: TRY400  as above
        with self._lock:
            self._waiting -= 1
            if self._waiting == 0:
                self._last.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the user said in a session; `name` is the same however often it is sent."""

    memory: Memory
    session_id: str
    name: str
    asked: str

    def keep(self, answer: str) -> None:
        """Keep what was said and, unless empty, the answer; neither of them twice."""
        sessions = self.memory.sessions
        there = [one for one in sessions.last(self.session_id, LOOKED_AT) if self._is_of(one)]
        metadata = {TURN: self.name}
        if not there:
            sessions.add(self.session_id, ChatRole.USER, self.asked, metadata=metadata)
        if answer.strip() and in_words(answer) not in {in_words(one.content) for one in there[1:]}:
            sessions.add(self.session_id, ChatRole.ASSISTANT, answer, metadata=metadata)

    def _is_of(self, message: Item) -> bool:
        return message.metadata.get(TURN) == self.name
