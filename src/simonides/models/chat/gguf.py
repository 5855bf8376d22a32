"""A language model on this machine: the user's own GGUF file, served by llama.cpp in-process.

Knows the package `xllamacpp`, its server's connections, and when to break them off. Must not know
a wire format: it asks its own server through `OpenAIChatModel`.
"""

import socket
from collections.abc import Generator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from time import monotonic
from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import finalize

from simonides.errors import InvalidInput, ModelError, ModelTimeout
from simonides.model.chat import ModelReply, ModelRequest
from simonides.models.chat.cancellable_call import POLL_S, CallTimeout, CancellableCalls
from simonides.models.chat.connection import EndpointRefusal
from simonides.models.chat.openai import OpenAIChatModel
from simonides.ports.models import IsCancelled, OnText

if TYPE_CHECKING:
    from httpx2 import Client, Request

HOST = "127.0.0.1"

CONTEXT_TOKENS = 16_384
"""Tokens that prompt and answer share: what a turn takes by default. 4,000 each of context, of what
one tool returns and, about, of history; the rest is for words of ours and the answer."""

ANSWER_TOKENS = 1_024
"""Longest answer where the request bounds none, some 700 words: a small model that repeats itself
does not end before its context is full, and the turn's time is over then."""

BATCH_TOKENS = 256
"""Tokens of a prompt that are read at a go: llama.cpp gives a request up only between two. Half of
it costs a twelfth more time, twice as many save none (measured, one thread)."""

THREADS = 1
"""Two threads on a busy machine were up to fifty times slower: they wait for each other spinning
(measured, two cores, Qwen2.5-Coder-0.5B)."""

SEED = 1
"""Any will do; a fixed one, so that the same prompt draws the same words."""

_ERRORS = 1
"""What llama.cpp writes to stderr: its errors, not its prompts and progress."""


class LocalChatModel:
    """A local model from a GGUF file, without a network. An adapter of `ChatModel`.

    The first request loads the model and starts llama.cpp's server on a free port of 127.0.0.1,
    which takes seconds of that request's `timeout_s`; if it takes all of them, the next request
    finds the server started. One request is answered at a time, the others wait. An answer whose
    request bounds none gets 1,024 tokens. What is not closed is stopped when Python ends. Needs the
    extra `local`.

    Args:
        path: The file; llama.cpp has to know its architecture.
        threads: Threads that compute.
        context_tokens: Tokens that a prompt and its answer share.
        runtime: Takes the place of `xllamacpp`, for tests.

    Raises:
        InvalidInput: There is no such file, an argument is out of its range, or the extra is not
            installed.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        threads: int = THREADS,
        context_tokens: int = CONTEXT_TOKENS,
        runtime: ModuleType | Any | None = None,
    ) -> None:
        if runtime is None:
            _check_installed()
        self._path = _check_file(path)
        for name, value in (("threads", threads), ("context_tokens", context_tokens)):
            if value < 1:
                raise InvalidInput(name, f"must be at least 1, got {value}")
        self._threads = threads
        self._context_tokens = context_tokens
        self._runtime = runtime
        self._lock = Lock()
        self._turn = Lock()
        self._loads = CancellableCalls(monotonic)
        self._running = _Running()
        self._stop = finalize(self, self._running.stop)
        self._is_closed = False

    def __repr__(self) -> str:
        return f"LocalChatModel({self._path.name!r})"

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self._path.stem

    def complete(
        self,
        request: ModelRequest,
        *,
        on_text: OnText | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> ModelReply:
        """Return the answer to one request; with `on_text`, stream it there as well.

        Raises:
            ModelError: The model can not be loaded, its server failed, or the prompt is longer than
                its context.
            ModelTimeout: It did not answer within the request's seconds.
        """
        deadline_s = monotonic() + request.timeout_s
        is_cancelled = is_cancelled or _never
        client = self._start_server(deadline_s, is_cancelled)
        if client is None or not self._has_turn(deadline_s, is_cancelled):
            return ModelReply(model=self.name)
        try:
            fields = _bound(request, left_s=deadline_s - monotonic())
            reply = client.complete(fields, on_text=on_text, is_cancelled=is_cancelled)
        except (ModelError, RuntimeError) as failure:  # that of a client which was closed
            raise self._explain(failure) from None
        finally:
            client.break_off()
            self._turn.release()
        return replace(reply, model=self.name)  # llama.cpp calls itself by the file's whole path

    def close(self) -> None:
        """Stop the server and free the model's memory; a running request is aborted."""
        with self._lock:
            self._is_closed = True
            self._stop()
        self._loads.close()

    def _has_turn(self, deadline_s: float, is_cancelled: IsCancelled) -> bool:
        """Return True once no other request is running, and False if cancelled before."""
        while not is_cancelled():
            left_s = deadline_s - monotonic()
            if left_s <= 0:
                raise ModelTimeout(f"{self._path.name} still answers others; ask again")
            if self._turn.acquire(timeout=min(left_s, POLL_S)):
                return True
        return False

    def _explain(self, failure: Exception) -> Exception:
        """Return the error with a remedy, for a closed model or a prompt that is too long."""
        if self._is_closed:
            return ModelError(f"{self!r} was closed while it answered; open another")
        if not isinstance(failure, EndpointRefusal) or _TOO_LONG not in str(failure):
            return failure
        problem = f"the prompt is longer than the {self._context_tokens} tokens of context"
        advice = "set chat_context_tokens lower, or begin a new session"
        return ModelError(f"{problem} of {self._path.name}: {advice}")

    def _start_server(self, deadline_s: float, is_cancelled: IsCancelled) -> "_OwnClient | None":
        """Return the client of the running server; None if it was cancelled before it ran."""
        if (client := self._running.client) is not None:
            return client
        starting = self._loads.pieces(self._start, deadline_s=deadline_s, is_cancelled=is_cancelled)
        try:
            with closing(starting):
                return next(starting, None)
        except CallTimeout:
            problem = f"{self._path.name} is still being loaded; ask again, or allow more time"
            raise ModelTimeout(problem) from None

    def _start(self) -> "Generator[_OwnClient, None, None]":
        """Yield the client, once there is one; nothing can stop llama.cpp while it loads."""
        with self._lock:
            if self._is_closed:
                raise ModelError(f"{self!r} was closed; open another")
            if self._running.client is None:
                self._running.server = server = self._serve()
                self._running.client = _OwnClient(_base_url(server), self.name)
            client = self._running.client
        yield client

    def _serve(self) -> Any:
        runtime = self._runtime or import_module("xllamacpp")
        parameters = runtime.CommonParams()
        parameters.model.path = str(self._path)
        parameters.hostnames = [HOST]
        parameters.port = 0  # any that is free
        parameters.n_ctx = self._context_tokens
        parameters.n_batch = BATCH_TOKENS
        parameters.n_parallel = 1
        parameters.cpuparams.n_threads = self._threads
        parameters.cpuparams_batch.n_threads = self._threads
        parameters.use_jinja = True
        parameters.sampling.seed = SEED
        parameters.verbosity = _ERRORS
        try:
            return runtime.Server(parameters)
        except (RuntimeError, ValueError, OSError) as failure:
            problem = f"llama.cpp can not load {self._path.name}: {failure}"
            raise ModelError(f"{problem}; is it a whole GGUF file of a chat model?") from failure


class _Running:
    """The running server and its client; apart, so that garbage collection can stop it."""

    def __init__(self) -> None:
        self.server: Any = None
        self.client: _OwnClient | None = None

    def stop(self) -> None:
        """Abort running requests, then stop: llama.cpp waits for open connections."""
        client, self.client = self.client, None
        if client is not None:
            client.close()
        self.server = None  # the last reference: llama.cpp stops when it goes


class _OwnClient(OpenAIChatModel):
    """A client of the own server. A cancelled request stops the computation as well.

    Without that it would read a prompt to its end, minutes for a long one, before it sees that
    nobody waits; and closing would take as long.
    """

    def __init__(self, base_url: str, model: str) -> None:
        super().__init__(base_url, model, "", retries=0)
        self._sockets: list[socket.socket] = []
        self._is_over = False

    def break_off(self) -> None:
        """Shut all connections; the next request opens its own."""
        while self._sockets:
            with suppress(OSError):  # it was closed before
                self._sockets.pop().shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Abort running requests and close the connections."""
        self._is_over = True
        self.break_off()
        super().close()

    def _http(self) -> "Client":
        http = super()._http()
        http.event_hooks = {"request": [*http.event_hooks["request"], self._watch]}
        return http

    def _watch(self, request: "Request") -> None:
        request.extensions["trace"] = self._watch_connection

    def _watch_connection(self, event: str, details: Mapping[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            self._sockets.append(details["return_value"].get_extra_info("socket"))
            if self._is_over:
                self.break_off()


_TOO_LONG = "available context size"
"""Part of what llama.cpp says of a prompt that its context does not hold."""


def _bound(request: ModelRequest, *, left_s: float) -> ModelRequest:
    return replace(request, timeout_s=left_s, tokens_max=request.tokens_max or ANSWER_TOKENS)


def _never() -> bool:
    return False


def _check_installed() -> None:
    if find_spec("xllamacpp") is None or find_spec("openai") is None:
        problem = "local needs xllamacpp and openai: pip install 'simonides[gguf]'"
        raise InvalidInput("chat_provider", problem)


def _check_file(path: str | Path) -> Path:
    file = Path(path).expanduser()
    if not str(path) or not file.is_file():
        raise InvalidInput(
            "chat_model_path", f"must name a GGUF file, there is none at {str(path)!r}"
        )
    return file


def _base_url(server: Any) -> str:
    answers_at: str = server.listening_address
    host = answers_at.removeprefix("http://").rstrip("/")
    return f"http://{host}/v1"
