"""An embedder behind any OpenAI-compatible HTTP endpoint (`POST {base_url}/embeddings`).

Knows httpx2, the API key, the limits of a request, the JSON of a reply, and when to try again. Must
not know what the texts are, nor how vectors are kept. The key is sent to the endpoint and shown
nowhere.
"""

import json
import random as chance
import time
from collections.abc import Callable, Iterator, Sequence
from math import hypot, inf
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from simonides.errors import EmbedderError, EmbedderTimeout, InvalidInput
from simonides.model.stored import EmbedderIdentity
from simonides.models.embedding.query_cache import QUESTIONS_MAX, QueryCache, Vector
from simonides.models.http_client import (
    EMBEDDING_KEY,
    Breaker,
    RetryableFailure,
    address,
    backoff_s,
    retry_after_s,
)
from simonides.scoring.quantise import QUANTISER
from simonides.text.unicode_script import encodable

if TYPE_CHECKING:
    from httpx2 import BaseTransport, Client, Response

INPUTS_MAX = 2048
"""Most texts that one request may hold (OpenAI's API reference, 2025)."""

REQUEST_BYTES_MAX = 750_000
"""Most UTF-8 bytes of text in one request: 250,000 tokens of 3 bytes, below OpenAI's 300,000."""


def squeeze(text: str, *, chars_max: int) -> str:
    """Return the text with runs of white space as one blank, cut with "..." at `chars_max`.

    Lone surrogates, which no JSON can carry, become "?".
    """
    words = encodable(" ".join(text.split()))
    return words if len(words) <= chars_max else words[:chars_max] + "..."


def batches(texts: Sequence[str], *, texts_max: int) -> Iterator[list[str]]:
    """Yield the texts in order, in lists that each fit one request; a large text stands alone."""
    batch: list[str] = []
    size_bytes = 0
    for text in texts:
        text_bytes = len(text.encode())
        if batch and (len(batch) == texts_max or size_bytes + text_bytes > REQUEST_BYTES_MAX):
            yield batch
            batch, size_bytes = [], 0
        batch.append(text)
        size_bytes += text_bytes
    if batch:
        yield batch


def read_vectors(body: bytes, *, count: int, dimension: int) -> Vector:
    """Return float32[count, dimension], rows of unit length, in the order of their `index`.

    Raises:
        EmbedderError: The body is not such a reply; says what is wrong with it.
    """
    entries = _entries(body)
    if len(entries) != count:
        raise EmbedderError(f"the endpoint answered {len(entries)} vectors for {count} texts")
    by_index = {_index(entry): entry for entry in entries}
    if by_index.keys() != set(range(count)):
        raise EmbedderError(f"the reply's indexes are not 0 to {count - 1}, each once")
    rows = [_row(by_index[number].get("embedding"), dimension) for number in range(count)]
    return np.array(rows, dtype=np.float32)


def error_message(body: bytes) -> str:
    """Return the endpoint's error message: `error.message` if it is there, else the body."""
    text = body.decode("utf-8", "replace")
    try:
        message = json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return text
    return message if isinstance(message, str) else text


def _entries(body: bytes) -> list[Any]:
    try:
        entries = json.loads(body)["data"]
    except (ValueError, KeyError, TypeError, RecursionError) as failure:
        raise EmbedderError(f"the reply is not JSON with a list `data`: {failure!r}") from failure
    if not isinstance(entries, list):
        raise EmbedderError(f"the reply's `data` is a {type(entries).__name__}, not a list")
    return entries


def _index(entry: Any) -> int | None:
    index = entry.get("index") if isinstance(entry, dict) else None
    return index if type(index) is int else None


def _row(embedding: Any, dimension: int) -> npt.NDArray[np.float64]:
    """Return float64[dimension] of unit length."""
    numbers = embedding if isinstance(embedding, list) else []
    if not numbers or not {type(number) for number in numbers} <= {int, float}:
        raise EmbedderError("a vector of the reply is not a list of numbers")
    if len(numbers) != dimension:
        raise EmbedderError(
            f"the endpoint's vectors have {len(numbers)} numbers, not {dimension}; set the "
            "dimension to that of the model"
        )
    length = _length(numbers)
    if not 0.0 < length < inf:  # NaN compares false
        raise EmbedderError("a vector of the reply is zero or holds a number that is not finite")
    return np.array(numbers, dtype=np.float64) / length


def _length(numbers: list[float]) -> float:
    try:
        return hypot(*numbers)
    except OverflowError:  # a whole number beyond what a float holds
        return inf


BASE_URL = "https://api.openai.com/v1"
CHARS_MAX = 30_000
"""Longest text sent, in characters: about 8,000 tokens of English (the designs' own cut)."""

WINDOW_WORDS = 600
"""Words of a chunk for this model: about 800 tokens (the designs' own chunk)."""

WAIT_S_MAX = 60.0
"""Longest `Retry-After` that is waited for; a longer one is an error at once."""

_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500


class _EndpointDown(RetryableFailure):
    """A failure of the endpoint as a whole, not of one request."""


class OpenAIEmbedder:
    """A client of an embeddings endpoint, many texts per request. An adapter of `ports.Embedder`.

    Time-outs, broken connections, 429 and 5xx are tried again, after exponential waits with full
    jitter and never before the `Retry-After` of the reply; other refusals are errors at once.
    After five failures in a row the endpoint is left alone for a minute (`Breaker`). That a text
    gives the same vector every time is up to the endpoint.

    Args:
        base_url: Up to and without `/embeddings`.
        api_key: By default `SIMONIDES_OPENAI_API_KEY` of the environment, or else, for OpenAI's
            own address only, `OPENAI_API_KEY`. An empty key sends none, as local servers like it.
        model: As the endpoint calls it.
        dimension: Length of the model's vectors. The models `text-embedding-3-…` are asked for it.
        window_words: About how many words the model reads at once; chunks are sized by it.
        timeout_s: For each step of a request (connecting, sending, each part of the reply).
        batch_texts: Texts per request, 1 to 2048; requests are also kept below 750 kB.
        chars_max: Characters of a text that are sent.
        retries: Further attempts after the first.
        questions_max: Question vectors kept for asking again.
        transport: Takes the place of the network, for tests.
        sleep, random, clock: The waiting, the jitter's draw in [0, 1), and the breaker's seconds.

    Raises:
        InvalidInput: An argument is out of its range.
    """

    def __init__(
        self,
        base_url: str = BASE_URL,
        api_key: str | None = None,
        *,
        model: str = "text-embedding-3-small",
        dimension: int = 1536,
        window_words: int = WINDOW_WORDS,
        timeout_s: float = 30.0,
        batch_texts: int = 100,
        chars_max: int = CHARS_MAX,
        retries: int = 4,
        questions_max: int = QUESTIONS_MAX,
        transport: "BaseTransport | None" = None,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = chance.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        keys = (EMBEDDING_KEY, "OPENAI_API_KEY")
        self._address = address(base_url, api_key, own=BASE_URL, keys=keys)
        _check_ranges(
            dimension=dimension, window_words=window_words, timeout_s=timeout_s, chars_max=chars_max
        )
        if not 1 <= batch_texts <= INPUTS_MAX:
            raise InvalidInput("batch_texts", f"1 to {INPUTS_MAX}, got {batch_texts}")
        if retries < 0:
            raise InvalidInput("retries", f"must not be negative, got {retries}")
        self._identity = EmbedderIdentity(
            model=model,
            dimension=dimension,
            window_words=window_words,
            quantiser=QUANTISER,
        )
        self._timeout_s = timeout_s
        self._batch_texts = batch_texts
        self._chars_max = chars_max
        self._retries = retries
        self._questions = QueryCache(questions_max)
        self._transport = transport
        self._sleep = sleep
        self._random = random
        self._breaker = Breaker(_EndpointDown, clock=clock)
        self._lock = Lock()
        self._client: Client | None = None

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._address.base_url!r}, model={self._identity.model!r})"

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity stored with the vectors and checked when a space is opened."""
        return self._identity

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return float32[len(texts), dimension], rows of unit length, zero for a blank text.

        Raises:
            EmbedderError: The endpoint refused, answered nonsense, or is left alone for now; or
                the extra `openai` is not installed.
            EmbedderTimeout: It did not answer in time, in any attempt.
        """
        rows = np.zeros((len(texts), self._identity.dimension), dtype=np.float32)
        words = [squeeze(text, chars_max=self._chars_max) for text in texts]
        places = [place for place, text in enumerate(words) if text]
        done = 0
        for batch in batches([words[p] for p in places], texts_max=self._batch_texts):
            rows[places[done : done + len(batch)]] = self._with_retries(batch)
            done += len(batch)
        return rows

    def embed_query(self, text: str) -> Vector:
        """Return float32[dimension] for a question, read-only.

        Raises:
            EmbedderError: As for `embed`.
            EmbedderTimeout: As for `embed`.
        """
        return self._questions.get(text, self._embed_one)

    def forget_questions(self) -> None:
        """Clear the cached vectors of recent questions."""
        self._questions.clear()

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _embed_one(self, text: str) -> Vector:
        row: Vector = self.embed([text])[0]
        return row

    def _with_retries(self, texts: list[str]) -> Vector:
        """Retry until success, the last attempt, or an error that a retry cannot mend."""
        attempt = 0
        while True:
            try:
                return self._attempt(texts)
            except RetryableFailure as failure:
                hopeless = self._breaker.is_open or failure.wait_s > WAIT_S_MAX
                if attempt == self._retries or hopeless:
                    raise failure.error from failure.__cause__
                wait_s = max(failure.wait_s, backoff_s(attempt, draw=self._random()))
            self._sleep(wait_s)
            attempt += 1

    def _attempt(self, texts: list[str]) -> Vector:
        client = self._open()
        with self._breaker.call():
            response = self._post(client, texts)
            self._check_status(response)
            return read_vectors(
                response.content, count=len(texts), dimension=self._identity.dimension
            )

    def _post(self, client: "Client", texts: list[str]) -> "Response":
        from httpx2 import RequestError, TimeoutException  # of an optional extra

        url = f"{self._address.base_url}/embeddings"
        try:
            return client.post(url, json=self._body(texts))
        except TimeoutException as failure:
            error = EmbedderTimeout(f"{url} did not answer within {self._timeout_s:g} s")
            raise _EndpointDown(error) from failure
        except RequestError as failure:
            message = self._address.redact(str(failure) or type(failure).__name__)
            raise _EndpointDown(EmbedderError(f"{url} can not be reached: {message}")) from failure

    def _body(self, texts: list[str]) -> dict[str, Any]:
        model = self._identity.model
        body: dict[str, Any] = {"model": model, "input": texts, "encoding_format": "float"}
        if model.startswith("text-embedding-3-"):
            body["dimensions"] = self._identity.dimension
        return body

    def _check_status(self, response: "Response") -> None:
        if response.is_success:
            return
        status = response.status_code
        message = self._address.redact(error_message(response.content))
        error = EmbedderError(f"{self._address.base_url}/embeddings answered {status}: {message}")
        if status >= _SERVER_ERROR:
            raise _EndpointDown(error, wait_s=retry_after_s(response.headers))
        if status == _TOO_MANY_REQUESTS:
            raise RetryableFailure(error, wait_s=retry_after_s(response.headers))
        raise error

    def _open(self) -> "Client":
        try:
            from httpx2 import Client  # of an optional extra
        except ImportError as failure:
            raise EmbedderError(
                "the OpenAI embedder needs httpx2: pip install 'simonides[openai]'"
            ) from failure
        with self._lock:
            if self._client is None:
                headers = (
                    {"Authorization": f"Bearer {self._address.key}"} if self._address.key else {}
                )
                self._client = Client(
                    headers=headers, timeout=self._timeout_s, transport=self._transport
                )
            return self._client


def _check_ranges(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise InvalidInput(name, f"must be above 0, got {value}")
