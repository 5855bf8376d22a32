"""A reranker behind an HTTP endpoint of the common form, `POST {address}` with query and documents.

Cohere, Jina, vLLM, llama.cpp's server and text-embeddings-inference answer so. Knows httpx2, the
API key, the JSON of a reply, and when an endpoint is left alone. Must not know what the texts are.
The key is sent to the endpoint and shown nowhere.
"""

import json
import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from simonides.errors import ModelError, ModelTimeout
from simonides.models.http_client import Breaker, address
from simonides.text.unicode_script import encodable

if TYPE_CHECKING:
    from httpx2 import BaseTransport, Client, Response

RERANKER_KEY = "SIMONIDES_RERANKER_API_KEY"
"""The environment's key for the configured endpoint."""


class EndpointReranker:
    """A client of a `/rerank` endpoint. An adapter of `Reranker`.

    A search waits for it, so nothing is tried again; after five failures in a row the endpoint is
    left alone for a minute.

    Args:
        url: The whole address, such as `http://localhost:8080/v1/rerank`.
        api_key: By default `SIMONIDES_RERANKER_API_KEY` of the environment. Empty: none is sent.
        model: As the endpoint calls it; empty where it serves one.
        transport: Takes the place of the network, for tests.
        clock: The breaker's seconds.

    Raises:
        InvalidInput: The address or the key cannot be used.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        model: str = "",
        transport: "BaseTransport | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = address(url, api_key, own="", keys=(RERANKER_KEY, RERANKER_KEY))
        self._model = model
        self._transport = transport
        self._breaker = Breaker(ModelError, label="reranking", error=ModelError, clock=clock)
        self._lock = Lock()
        self._client: Client | None = None

    @property
    def name(self) -> str:
        """The model's name; the endpoint's host where none is set."""
        return self._model or self._address.host

    def score(self, question: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        """Return the endpoint's score of each text.

        Raises:
            ModelError: The endpoint refused, answered nonsense, or is left alone for now.
            ModelTimeout: It did not answer in time.
        """
        client = self._open()
        body = {"query": encodable(question), "documents": [*map(encodable, texts)]}
        if self._model:
            body["model"] = self._model
        with self._breaker.call():
            response = self._post(client, body, timeout_s)
            if not response.is_success:
                message = self._address.redact(response.text)
                host, status = self._address.host, response.status_code
                raise ModelError(f"{host} answered {status}: {message}")
            return read_scores(response.content, count=len(texts))

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _post(self, client: "Client", body: dict[str, Any], timeout_s: float) -> "Response":
        from httpx2 import RequestError, TimeoutException  # of an optional extra

        host = self._address.host
        try:
            return client.post(self._address.base_url, json=body, timeout=timeout_s)
        except TimeoutException as failure:
            raise ModelTimeout(f"{host} did not answer within {timeout_s:g} s") from failure
        except RequestError as failure:
            message = self._address.redact(str(failure) or type(failure).__name__)
            raise ModelError(f"{host} can not be reached: {message}") from failure

    def _open(self) -> "Client":
        try:
            from httpx2 import Client  # of an optional extra
        except ImportError as failure:
            extra = "pip install 'simonides[openai]'"
            raise ModelError(f"a reranking endpoint needs httpx2: {extra}") from failure
        with self._lock:
            if self._client is None:
                key, is_here = self._address.key, self._address.is_loopback
                headers = {"Authorization": f"Bearer {key}"} if key else {}
                self._client = Client(
                    headers=headers, transport=self._transport, trust_env=not is_here
                )
            return self._client


def read_scores(body: bytes, *, count: int) -> list[float]:
    """Return float[count], in the order of the entries' `index`.

    Raises:
        ModelError: The body is not such a reply; says what is wrong with it.
    """
    try:
        reply = json.loads(body)
        entries = reply["results"] if isinstance(reply, dict) else reply
        scores = {entry["index"]: _score(entry) for entry in entries}
    except (ValueError, KeyError, TypeError, RecursionError) as failure:
        problem = f"the reply has no list `results` with `index` and `relevance_score`: {failure!r}"
        raise ModelError(problem) from failure
    if scores.keys() != set(range(count)):
        raise ModelError(f"the reply's indexes are not 0 to {count - 1}, each once")
    return [scores[place] for place in range(count)]


def _score(entry: dict[str, Any]) -> float:
    return float(entry["relevance_score"] if "relevance_score" in entry else entry["score"])
