"""The upstream endpoint of forwarded requests, and its answers, which are passed on unchanged.

Where it is, its key, and the connections to it. What goes there is the body and few headers; the
caller's key never does. Of an answer is read what the model said. Owns `httpx2` in this room. Must
not know what a body says.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from simonides.config import Settings
from simonides.errors import ModelError, ModelTimeout
from simonides.http.errors import RETRY_S, RequestRefused, openai_fields
from simonides.http.proxy_dialects import NO_REPLY, Dialect, Reply
from simonides.http.streaming import StreamedResponse, Streams, wait_for_disconnect
from simonides.models.chat import connection
from simonides.models.chat.openai import BASE_URL
from simonides.models.http_client import CHAT_KEY, Address, address

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from httpx2 import AsyncClient
    from httpx2 import Response as Answer

CONNECT_S = 10.0
POOL_S = 1.0
CONNECTIONS_MAX = 64
"""Requests that are on their way at once; what comes then is asked to try again."""

_SENT_ON = ("accept", "openai-beta")
"""Headers of the client that go on; what it names of an organisation is not this key's."""

_SENT_BACK = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
_SENT_BACK_BEGIN = ("openai-", "x-ratelimit-")

HOW = (
    'no endpoint is configured to answer: set chat_provider = "openai", chat_base_url and'
    " chat_model in config.toml (or SIMONIDES_CHAT_…), and its key as SIMONIDES_CHAT_API_KEY"
)


class LeftError(Exception):
    """The client has disconnected."""


class Upstream:
    """The connections of one server to its upstream endpoint, opened with the first request."""

    def __init__(self) -> None:
        self._client: AsyncClient | None = None

    async def ask(
        self, request: Request, body: bytes, *, path: str, settings: Settings
    ) -> "tuple[Address, Answer]":
        """Forward a body to a path of the endpoint; return the response as soon as it begins.

        Raises:
            Refused: None is configured, or too many requests are on their way.
            LeftError: The caller has hung up meanwhile; so have we, upstream.
            ModelError: It can not be reached, or sends us elsewhere.
            ModelTimeout: It did not answer in time.
        """
        from httpx2 import PoolTimeout, RequestError, TimeoutException

        where = read_upstream(settings)
        client = self._open(where, settings.chat_timeout_s)
        url = f"{where.base_url}/{path}"
        sent = client.build_request("POST", url, content=body, headers=_headers(request, where))
        try:
            answer = await unless_left(request, client.send(sent, stream=True))
        except PoolTimeout as error:
            raise RequestRefused(
                503, "too many requests are on their way; try again", retry_s=RETRY_S
            ) from error
        except TimeoutException as error:
            raise ModelTimeout(f"{where.host} did not answer in time; ask again") from error
        except RequestError as error:
            problem = where.redact(str(error) or type(error).__name__)
            raise ModelError(f"{where.host} can not be reached: {problem}") from error
        if answer.is_redirect:  # nobody is to be sent elsewhere with what a person keeps
            await answer.aclose()
            raise ModelError(f"{where.host} answers from elsewhere; set chat_base_url to its place")
        return where, answer

    async def close(self) -> None:
        """Close the connections to the upstream endpoint."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _open(self, where: Address, timeout_s: float) -> "AsyncClient":
        from httpx2 import AsyncClient, Limits, Timeout

        if self._client is None:
            self._client = AsyncClient(
                timeout=Timeout(timeout_s, connect=min(CONNECT_S, timeout_s), pool=POOL_S),
                limits=Limits(max_connections=CONNECTIONS_MAX),
                trust_env=not where.is_loopback,
            )
        return self._client


def read_upstream(settings: Settings) -> Address:
    """Return the configured upstream endpoint.

    Raises:
        Refused: The settings name no endpoint of that kind.
    """
    if settings.chat_provider != "openai":
        raise _none(HOW)
    if find_spec("httpx2") is None:
        raise _none("this door needs its extra: pip install 'simonides[openai]'")
    base_url = settings.chat_base_url or BASE_URL
    return address(base_url, None, own=BASE_URL, keys=(CHAT_KEY, "OPENAI_API_KEY"))


def _none(how: str) -> RequestRefused:
    headers = {"X-Should-Retry": "false"}  # OpenAI's clients would try again
    return RequestRefused(501, how, code="no_upstream", headers=headers)


def select_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of an upstream answer for the client; in HTTP they are ASCII."""
    return {
        name: value
        for name, value in headers.items()
        if value.isascii()
        and (name.lower() in _SENT_BACK or name.lower().startswith(_SENT_BACK_BEGIN))
    }


def _headers(request: Request, where: Address) -> dict[str, str]:
    made = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
    headers = {name: request.headers.get(name, "") for name in _SENT_ON}
    made |= {name: value for name, value in headers.items() if value and value.isascii()}
    return made | ({"Authorization": f"Bearer {where.key}"} if where.key else {})


async def unless_left(request: Request, work: "Coroutine[Any, Any, Any]") -> Any:
    """Return the result of a coroutine, which is cancelled if the caller disconnects.

    Raises:
        LeftError: They did.
    """
    doing, leaving = (
        asyncio.ensure_future(work),
        asyncio.ensure_future(wait_for_disconnect(request)),
    )
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise LeftError
        return doing.result()
    finally:
        leaving.cancel()
        if not doing.done():
            doing.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await doing


# ── what comes back ──────────────────────────────────────────────────────────────────────────

GATHERED_MAX = 4 << 20
"""Bytes of an answer that are looked at; a longer one goes through, and is not kept."""

WHOLE_BYTES_MAX = 32 << 20
"""Bytes of an answer that is no stream: an endless one would fill the memory."""

EVENTS = "text/event-stream"
_LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line of a stream of events, and nothing else does."""


class Gathered:
    """The bytes of an answer, to be read when complete."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Add a piece of the answer."""
        self._size += len(piece)
        if self._size <= GATHERED_MAX:
            self._pieces.append(piece)

    def reply(self, *, streams: bool) -> Reply:
        """Return the model's reply; an empty one if the answer is incomplete."""
        if self._size > GATHERED_MAX:
            return NO_REPLY
        text = b"".join(self._pieces).decode("utf-8", "replace")
        datas = connection.data_of(iter(_LINE_END.split(text))) if streams else (text,)
        try:
            return self._dialect.read_reply(datas)
        except ModelError:
            return NO_REPLY


async def whole(answer: "Answer", where: Address, headers: Mapping[str, str]) -> Response:
    """Return an answer that is not streamed, with its own status.

    Raises:
        ModelError: It broke off, or does not end.
    """
    from httpx2 import RequestError, StreamError

    try:
        body = await _read(answer, where)
    except (RequestError, StreamError) as error:
        raise ModelError(_broke_off(where, error)) from error
    finally:
        await answer.aclose()
    return Response(body, answer.status_code, {**select_headers(answer.headers), **headers})


async def _read(answer: "Answer", where: Address) -> bytes:
    pieces, size = [], 0
    async for piece in answer.aiter_bytes():
        size += len(piece)
        if size > WHOLE_BYTES_MAX:
            problem = f"answered with more than {WHOLE_BYTES_MAX >> 20} MiB"
            raise ModelError(f"{where.host} {problem}; ask for less, or as a stream")
        pieces.append(piece)
    return b"".join(pieces)


class Relay(StreamedResponse):
    """A streamed answer; `on_end` gets its reply when it has ended or failed."""

    def __init__(
        self, answer: "Answer", where: Address, headers: Mapping[str, str],
        *, dialect: Dialect, streams: Streams, on_end: Callable[[Reply], None],
    ) -> None:  # fmt: skip
        self._answer = answer
        self._where = where
        self._gathered = Gathered(dialect)
        super().__init__(
            self._pieces(), streams=streams, status_code=answer.status_code,
            on_end=lambda: on_end(self._gathered.reply(streams=True)),
            headers={**select_headers(answer.headers), **headers, "X-Accel-Buffering": "no"},
        )  # fmt: skip

    async def release(self) -> None:
        """Close the upstream answer as well."""
        await self._answer.aclose()

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        from httpx2 import RequestError, StreamError

        try:
            async for piece in self._answer.aiter_bytes():
                self._gathered.add(piece)
                yield piece
                await asyncio.sleep(0)  # many may have come at once: others have their turn
        except (RequestError, StreamError) as error:
            problem = _broke_off(self._where, error)
            refused = RequestRefused(HTTPStatus.BAD_GATEWAY, problem, code=ModelError.code)
            failed = openai_fields(refused)  # which their clients raise as an error
            yield f"\n\ndata: {json.dumps(failed)}\n\n".encode()


def _broke_off(where: Address, error: Exception) -> str:
    problem = where.redact(str(error) or type(error).__name__)
    return f"{where.host} broke off in the middle of its answer: {problem}"
