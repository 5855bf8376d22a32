"""The adapter of a local GGUF file: what it tells llama.cpp, and when it starts and stops it.

`xllamacpp` is stood in for; with a file in `SIMONIDES_TEST_GGUF` the real one answers too.
"""

import gc
import os
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from simonides.errors import InvalidInput, ModelError, ModelTimeout
from simonides.llm.local import CONTEXT_TOKENS, LocalChatModel
from simonides.model.chat import ModelReply
from simonides.testing.chat_server import ChatServer

GGUF = os.environ.get("SIMONIDES_TEST_GGUF", "")
"""Read when the tests are collected: they run without any variable of that prefix."""


class Fields:
    """A group of parameters that takes no other name than xllamacpp 2026.10 does."""

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)

    def __setattr__(self, name: str, value: Any) -> None:
        assert hasattr(self, name), f"xllamacpp has no parameter {name}"
        vars(self)[name] = value


def parameters() -> Any:
    """Return xllamacpp's parameters as they are before anything is set."""
    return Fields(
        model=Fields(path=""),
        hostnames=["127.0.0.1"],
        port=0,
        n_ctx=0,
        n_parallel=1,
        cpuparams=Fields(n_threads=-1),
        cpuparams_batch=Fields(n_threads=-1),
        use_jinja=True,
        verbosity=3,
    )


class Served:
    """The server as xllamacpp has it: it runs until nothing refers to it."""

    def __init__(self, address: str) -> None:
        self.listening_address = address


class Runtime:
    """Stands in for `xllamacpp`."""

    CommonParams = staticmethod(parameters)

    def __init__(
        self,
        server: ChatServer,
        failure: Exception | None = None,
        loaded: Event | None = None,
    ) -> None:
        self.address = server.anthropic_url
        self.failure = failure
        self.loaded = loaded
        self.parameters: list[Any] = []
        self.served: list[weakref.ref[Served]] = []

    def Server(self, told: Any) -> Served:  # noqa: N802 - the name in xllamacpp
        self.parameters.append(told)
        if self.loaded is not None:
            self.loaded.wait(10)
        if self.failure is not None:
            raise self.failure
        served = Served(self.address)
        self.served.append(weakref.ref(served))
        return served


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny-chat.q4.gguf"
    path.write_bytes(b"GGUF")
    return path


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda _: ModelReply(content="Here.")) as server:
        yield server


def test_nothing_starts_before_the_first_request(file: Path, server: ChatServer) -> None:
    runtime = Runtime(server)
    model = LocalChatModel(file, runtime=runtime)

    assert runtime.parameters == []
    assert model.name == "tiny-chat.q4"
    assert repr(model) == "LocalChatModel('tiny-chat.q4.gguf')"
    model.close()


def test_one_server_answers_all_requests(file: Path, server: ChatServer, ask: Any) -> None:
    runtime = Runtime(server)
    model = LocalChatModel(file, runtime=runtime)
    replies = [model.complete(ask()).content for _ in range(2)]
    model.close()

    assert replies == ["Here.", "Here."]
    assert len(runtime.parameters) == 1
    assert [request.body["model"] for request in server.requests] == ["tiny-chat.q4"] * 2


def test_llama_cpp_is_told_file_place_and_threads(file: Path, server: ChatServer, ask: Any) -> None:
    runtime = Runtime(server)
    model = LocalChatModel(file, threads=3, runtime=runtime)
    model.complete(ask())
    model.close()
    (told,) = runtime.parameters

    assert told.model.path == str(file)
    assert told.hostnames == ["127.0.0.1"]
    assert 1024 < told.port < 65536
    assert told.n_ctx == CONTEXT_TOKENS
    assert told.n_parallel == 1
    assert told.cpuparams.n_threads == told.cpuparams_batch.n_threads == 3
    assert told.use_jinja is True
    assert told.verbosity == 1


def test_no_key_of_the_environment_goes_to_it(
    file: Path, server: ChatServer, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMONIDES_CHAT_API_KEY", "private")
    model = LocalChatModel(file, runtime=Runtime(server))
    model.complete(ask())
    model.close()

    assert "authorization" not in server.requests[0].headers


def test_closing_lets_the_server_go(file: Path, server: ChatServer, ask: Any) -> None:
    runtime = Runtime(server)
    model = LocalChatModel(file, runtime=runtime)
    model.complete(ask())
    served = runtime.served[0]
    assert served() is not None
    model.close()
    gc.collect()

    assert served() is None
    with pytest.raises(ModelError, match="was closed"):
        model.complete(ask())


def test_an_address_without_a_scheme_will_do(file: Path, server: ChatServer, ask: Any) -> None:
    runtime = Runtime(server)
    runtime.address = runtime.address.removeprefix("http://")
    model = LocalChatModel(file, runtime=runtime)

    assert model.complete(ask()).content == "Here."
    model.close()


def test_a_file_that_can_not_be_loaded_is_a_model_error(
    file: Path, server: ChatServer, ask: Any
) -> None:
    model = LocalChatModel(file, runtime=Runtime(server, RuntimeError("unknown architecture")))

    with pytest.raises(ModelError, match=r"can not load tiny-chat.q4.gguf: unknown architecture"):
        model.complete(ask())
    model.close()


def test_loading_counts_against_the_requests_seconds(
    file: Path, server: ChatServer, ask: Any
) -> None:
    loaded = Event()
    runtime = Runtime(server, loaded=loaded)
    model = LocalChatModel(file, runtime=runtime)
    with pytest.raises(ModelTimeout, match="still being loaded"):
        model.complete(ask(timeout_s=0.1))
    assert model.complete(ask(), is_cancelled=lambda: True) == ModelReply(model=model.name)
    loaded.set()

    assert model.complete(ask()).content == "Here."
    assert len(runtime.parameters) == 1
    model.close()


@pytest.mark.parametrize("path", ["", "nowhere.gguf", "."])
def test_a_path_without_a_file_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput, match="must name a GGUF file") as refused:
        LocalChatModel(path, runtime=object())

    assert refused.value.field == "chat_model_path"


@pytest.mark.parametrize("field", ["threads", "context_tokens"])
def test_numbers_below_one_are_refused(file: Path, field: str) -> None:
    options: dict[str, Any] = {field: 0}
    with pytest.raises(InvalidInput, match="at least 1"):
        LocalChatModel(file, runtime=object(), **options)


def test_the_missing_extra_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    with pytest.raises(InvalidInput, match=r"pip install 'simonides\[local\]'"):
        LocalChatModel(file)


@pytest.mark.skipif(not GGUF, reason="SIMONIDES_TEST_GGUF names no GGUF file of a chat model")
def test_a_real_model_answers_and_obeys_a_schema(ask: Any) -> None:
    model = LocalChatModel(GGUF, context_tokens=1024)
    told: list[str] = []
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    free = model.complete(ask("Say hello.", tokens_max=16, timeout_s=300), on_text=told.append)
    bound = model.complete(ask("Name a colour.", schema=schema, tokens_max=32, timeout_s=300))
    model.close()

    assert free.content == "".join(told) != ""
    assert bound.content.strip().startswith('{"colour"') or "colour" in bound.content
