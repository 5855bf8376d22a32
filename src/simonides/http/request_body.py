"""The body of a request, read within limits of time, size and media type.

Must not know any route.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.requests import Request
from starlette.types import Message, Receive

from simonides.http.errors import RETRY_S, RequestRefused

BYTES_PER_S_MIN = 16 << 10
"""Whoever sends a body more slowly than this falls behind: a bad mobile line is still faster."""

TOO_SLOW = "the body comes too slowly; send it faster"
_JSON = "application/json"
_DIGITS_MAX = 18


class TooLarge(RequestRefused):
    """A request that is larger than its limit."""

    def __init__(self, bytes_max: int) -> None:
        super().__init__(413, f"must have at most {bytes_max:,} bytes")


def size_of(request: Request, *, most: int, has_body: object) -> int:
    """Return the maximum size of a request's body: its Content-Length, or `most`.

    Raises:
        TooLarge: It says itself that it is longer.
    """
    if not has_body:
        return 0
    length = content_length(request)
    if length is not None and length > most:
        raise TooLarge(most)
    return most if length is None else length


def content_length(request: Request) -> int | None:
    """Return the Content-Length of a request; None without one."""
    header = request.headers.get("content-length", "")
    if not (header.isascii() and header.isdigit()):
        return None
    return int(header[-_DIGITS_MAX:]) if len(header.lstrip("0")) <= _DIGITS_MAX else 10**_DIGITS_MAX


class SlowBodyGuard:
    """A receiver of a body with a limit of size and a minimum pace.

    `pause_s` is how far it may be behind `BYTES_PER_S_MIN`, in seconds on `clock` that were spent
    waiting for it. What comes after the body (that the caller hung up) may take as long as it does.
    """

    def __init__(
        self,
        receive: Receive,
        *,
        pause_s: float,
        bytes_max: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._receive = receive
        self._pause_s = pause_s
        self._bytes_max = bytes_max
        self._clock = clock
        self._waited_s = 0.0
        self._size = 0
        self._is_whole = False

    async def __call__(self) -> Message:
        """Return the next message of the body.

        Raises:
            Refused: It does not come in time, or it is too much.
        """
        if self._is_whole:
            return await self._receive()
        message = await self._in_time()
        self._size += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._size > self._bytes_max:
            raise TooLarge(self._bytes_max)
        return message

    async def _in_time(self) -> Message:
        left_s = self._pause_s + self._size / BYTES_PER_S_MIN - self._waited_s
        begun_s = self._clock()
        try:
            async with asyncio.timeout(left_s):
                message = await self._receive()
        except TimeoutError:
            raise RequestRefused(408, TOO_SLOW) from None
        self._waited_s += self._clock() - begun_s
        if message.get("more_body") and self._clock() - begun_s > left_s:
            raise RequestRefused(408, TOO_SLOW)
        return message


class CapacityLimiter:
    """A limit on the total in use: bytes of bodies in memory, uploads on disk, relayed answers.

    One caller holds at most `each_max` of them, so that there is room for others; who finds none is
    given `refusal`. Only ever used on the event loop.
    """

    def __init__(
        self,
        most: int,
        *,
        each_max: int = 0,
        refusal: str = "too much is being sent at once; try again",
    ) -> None:
        self._left = most
        self._each_max = each_max or most
        self._refusal = refusal
        self._of: Counter[str] = Counter()

    @contextmanager
    def room(self, size: int, *, caller: str = "") -> Iterator[None]:
        """Hold `size` units for a caller during a `with` block.

        Raises:
            Refused: There is no room for them now.
        """
        is_over = caller and self._of[caller] + size > self._each_max
        if size > self._left or is_over:
            raise RequestRefused(503, self._refusal, retry_s=RETRY_S)
        self._hold(caller, size)
        try:
            yield
        finally:
            self._hold(caller, -size)

    def _hold(self, caller: str, size: int) -> None:
        self._left -= size
        self._of[caller] += size
        if not self._of[caller]:
            del self._of[caller]


def check_media(request: Request) -> None:
    """Raise `RequestRefused` unless the body is JSON, which pages of other sites cannot send."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != _JSON and not media.endswith("+json"):
        raise RequestRefused(415, f"send {_JSON}, not {media or 'nothing'!r}")
