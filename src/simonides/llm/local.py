"""A language model on this machine: the user's own GGUF file, served by llama.cpp in this process.

Knows the package `xllamacpp` and a free port. Must not know a wire format: it asks its own server
through `OpenAIChatModel`.
"""

import socket
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from time import monotonic
from types import ModuleType
from typing import Any

from simonides.errors import InvalidInput, ModelError, ModelTimeout
from simonides.llm.beside import Calls, TooLateError
from simonides.llm.openai import OpenAIChatModel
from simonides.model.chat import ModelReply, ModelRequest
from simonides.ports_chat import IsCancelled, OnText

HOST = "127.0.0.1"

CONTEXT_TOKENS = 8192
"""Tokens that prompt and answer share: twice the default context of a turn, and room for tools."""

THREADS = 1
"""Two threads on a busy machine were up to fifty times slower: they wait for each other spinning
(measured, two cores, Qwen2.5-Coder-0.5B)."""

_ERRORS = 1
"""What llama.cpp writes to stderr: its errors, not its prompts and progress."""


class LocalChatModel:
    """Answers from a GGUF file, without a network. An adapter of `ChatModel`.

    The first request loads the model and starts llama.cpp's server on a free port of 127.0.0.1,
    which takes seconds of that request's `timeout_s`; if it takes all of them, the next request
    finds the server started. One request is answered at a time. Needs the extra `local`.

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
        self._path = _checked_file(path)
        for name, value in (("threads", threads), ("context_tokens", context_tokens)):
            if value < 1:
                raise InvalidInput(name, f"must be at least 1, got {value}")
        self._threads = threads
        self._context_tokens = context_tokens
        self._runtime = runtime
        self._lock = Lock()
        self._loads = Calls(monotonic)
        self._server: Any = None
        self._client: OpenAIChatModel | None = None
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
            ModelError: The model can not be loaded, or its server failed.
            ModelTimeout: It did not answer within the request's seconds.
        """
        begin_s = monotonic()
        client = self._started(begin_s + request.timeout_s, is_cancelled or _never)
        if client is None:
            return ModelReply(model=self.name)
        left = replace(request, timeout_s=request.timeout_s - (monotonic() - begin_s))
        return client.complete(left, on_text=on_text, is_cancelled=is_cancelled)

    def close(self) -> None:
        """Stop the server and give back the model's memory."""
        with self._lock:
            client, self._client = self._client, None
            server, self._server = self._server, None
            self._is_closed = True
        self._loads.close()
        if client is not None:
            client.close()
        del server  # the last reference: llama.cpp stops when it goes

    def _started(self, deadline_s: float, is_cancelled: IsCancelled) -> OpenAIChatModel | None:
        """Return the client of the running server; None if it was cancelled before it ran."""
        if self._client is not None:
            return self._client
        starting = self._loads.pieces(self._start, deadline_s=deadline_s, is_cancelled=is_cancelled)
        try:
            with closing(starting):
                return next(starting, None)
        except TooLateError:
            problem = f"{self._path.name} is still being loaded; ask again, or allow more time"
            raise ModelTimeout(problem) from None

    def _start(self) -> Generator[OpenAIChatModel, None, None]:
        """Yield the client, once there is one; nothing can stop llama.cpp while it loads."""
        with self._lock:
            if self._is_closed:
                raise ModelError(f"{self!r} was closed; open another")
            if self._client is None:
                self._server = self._served()
                self._client = OpenAIChatModel(_base_url(self._server), self.name, "")
            client = self._client
        yield client

    def _served(self) -> Any:
        runtime = self._runtime or import_module("xllamacpp")
        parameters = runtime.CommonParams()
        parameters.model.path = str(self._path)
        parameters.hostnames = [HOST]
        parameters.port = _free_port()
        parameters.n_ctx = self._context_tokens
        parameters.n_parallel = 1
        parameters.cpuparams.n_threads = self._threads
        parameters.cpuparams_batch.n_threads = self._threads
        parameters.use_jinja = True
        parameters.verbosity = _ERRORS
        try:
            return runtime.Server(parameters)
        except (RuntimeError, ValueError, OSError) as failure:
            problem = f"llama.cpp can not load {self._path.name}: {failure}"
            raise ModelError(f"{problem}; is it a whole GGUF file of a chat model?") from failure


def _never() -> bool:
    return False


def _check_installed() -> None:
    if find_spec("xllamacpp") is None or find_spec("openai") is None:
        problem = "local needs xllamacpp and openai: pip install 'simonides[local]'"
        raise InvalidInput("chat_provider", problem)


def _checked_file(path: str | Path) -> Path:
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


def _free_port() -> int:
    """Return a port that is free now; who takes it in between makes the start fail."""
    with socket.create_server((HOST, 0)) as probe:
        port: int = probe.getsockname()[1]
    return port
