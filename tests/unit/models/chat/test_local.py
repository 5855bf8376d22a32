"""The adapter of a local GGUF file: what it tells llama.cpp, and when it starts and stops it.

`xllamacpp` is stood in for; with a file in `SIMONIDES_TEST_GGUF` the real one answers too.
"""

import gc
import json
import os
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from simonides.errors import InvalidInput, ModelError, ModelTimeout
from simonides.model.chat import ModelReply
from simonides.models.chat.connection import EndpointRefusal
from simonides.models.chat.gguf import (
    ANSWER_TOKENS,
    BATCH_TOKENS,
    CONTEXT_TOKENS,
    SEED,
    LocalChatModel,
)
from simonides_bench.testing.chat_script import Held, Refusal
from simonides_bench.testing.chat_server import ChatServer

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
        n_batch=2048,
        n_parallel=1,
        cpuparams=Fields(n_threads=-1),
        cpuparams_batch=Fields(n_threads=-1),
        use_jinja=True,
        sampling=Fields(seed=2**32 - 1),
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

    def Server(self, options: Any) -> Served:  # noqa: N802 - the name in xllamacpp
        self.parameters.append(options)
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


def test_llama_cpp_is_reported_file_place_and_threads(
    file: Path, server: ChatServer, ask: Any
) -> None:
    runtime = Runtime(server)
    model = LocalChatModel(file, threads=3, runtime=runtime)
    model.complete(ask())
    model.close()
    (reported,) = runtime.parameters

    assert reported.model.path == str(file)
    assert reported.hostnames == ["127.0.0.1"]
    assert reported.port == 0  # llama.cpp takes one that is free
    assert reported.n_ctx == CONTEXT_TOKENS
    assert reported.n_batch == BATCH_TOKENS
    assert reported.n_parallel == 1
    assert reported.cpuparams.n_threads == reported.cpuparams_batch.n_threads == 3
    assert reported.use_jinja is True
    assert reported.sampling.seed == SEED
    assert reported.verbosity == 1


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


def test_a_reply_names_the_file_and_not_where_it_lies(file: Path, ask: Any) -> None:
    with ChatServer([ModelReply(content="Here.", model=str(file))]) as server:
        model = LocalChatModel(file, runtime=Runtime(server))

        assert model.complete(ask()).model == "tiny-chat.q4"
        model.close()


def test_an_answer_is_bounded_where_its_request_bounds_none(
    file: Path, server: ChatServer, ask: Any
) -> None:
    model = LocalChatModel(file, runtime=Runtime(server))
    model.complete(ask())
    model.complete(ask(tokens_max=7))
    model.close()

    assert [request.body["max_tokens"] for request in server.requests] == [ANSWER_TOKENS, 7]


def test_a_prompt_beyond_the_context_is_refused_with_what_to_do(file: Path, ask: Any) -> None:
    said = "request (17415 tokens) exceeds the available context size (16384 tokens)"
    with ChatServer(lambda _: Refusal(status=400, message=said)) as server:
        model = LocalChatModel(file, runtime=Runtime(server))
        with pytest.raises(
            ModelError, match=r"the 16384 tokens of context .* set chat_context_tokens"
        ):
            model.complete(ask())
        model.close()


def test_another_refusal_stays_as_it_is(file: Path, ask: Any) -> None:
    with ChatServer(lambda _: Refusal(status=400, message="no such template")) as server:
        model = LocalChatModel(file, runtime=Runtime(server))
        with pytest.raises(EndpointRefusal, match="no such template"):
            model.complete(ask())

        model.close()


def calls_under_way() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "simonides-model-call"]


def test_a_silent_request_that_is_cancelled_is_broken_off(file: Path, ask: Any) -> None:
    asked = Event()
    held = Held(until=Event(), reply=ModelReply(content="Late."))

    def script(_: Any) -> Any:
        asked.set()
        return held

    before = calls_under_way()
    with ChatServer(script) as server:
        model = LocalChatModel(file, runtime=Runtime(server))
        reply = model.complete(ask(timeout_s=60), is_cancelled=asked.is_set)
        for thread in calls_under_way():
            if thread not in before:
                thread.join(10)

        assert [one for one in calls_under_way() if one not in before] == []
        assert reply == ModelReply(model=model.name)
        model.close()


def test_a_second_request_waits_for_its_turn_no_longer_than_it_may(file: Path, ask: Any) -> None:
    asked, free = Event(), Event()
    replies: list[ModelReply] = []

    def script(_: Any) -> Any:
        asked.set()
        return Held(until=free, reply=ModelReply(content="First."))

    with ChatServer(script) as server:
        model = LocalChatModel(file, runtime=Runtime(server))
        first = threading.Thread(target=lambda: replies.append(model.complete(ask())))
        first.start()
        asked.wait(10)
        with pytest.raises(ModelTimeout, match="still answers others"):
            model.complete(ask(timeout_s=0.1))
        assert model.complete(ask(), is_cancelled=lambda: True) == ModelReply(model=model.name)
        free.set()
        first.join(10)
        model.close()

    assert [reply.content for reply in replies] == ["First."]
    assert len(server.requests) == 1


def test_closing_breaks_off_what_is_under_way(file: Path, ask: Any) -> None:
    asked = Event()
    failures: list[Exception] = []

    def script(_: Any) -> Any:
        asked.set()
        return Held(until=Event(), reply=ModelReply(content="Late."))

    def complete() -> None:
        try:
            model.complete(ask(timeout_s=60))
        except ModelError as failure:
            failures.append(failure)

    with ChatServer(script) as server:
        model = LocalChatModel(file, runtime=Runtime(server))
        caller = threading.Thread(target=complete)
        caller.start()
        asked.wait(10)
        model.close()
        caller.join(10)

    assert len(failures) == 1
    assert "was closed while it answered" in str(failures[0])


def test_a_model_that_nobody_has_any_more_stops_its_server(
    file: Path, server: ChatServer, ask: Any
) -> None:
    runtime = Runtime(server)
    model = LocalChatModel(file, runtime=runtime)
    model.complete(ask())
    del model
    gc.collect()

    assert runtime.served[0]() is None


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

    with pytest.raises(InvalidInput, match=r"pip install 'simonides\[gguf\]'"):
        LocalChatModel(file)


real = pytest.mark.skipif(not GGUF, reason="SIMONIDES_TEST_GGUF names no GGUF file of a chat model")


@real
def test_a_real_model_answers_and_obeys_a_schema(ask: Any) -> None:
    model = LocalChatModel(GGUF, context_tokens=1024)
    reported: list[str] = []
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    free = model.complete(ask("Say hello.", tokens_max=16, timeout_s=300), on_text=reported.append)
    bound = model.complete(ask("Name a colour.", schema=schema, tokens_max=256, timeout_s=300))
    model.close()

    assert free.content == "".join(reported) != ""
    assert json.loads(bound.content)["colour"] in {"red", "blue"}
    assert free.model == bound.model == Path(GGUF).stem
    assert free.usage is not None
    assert 0 < free.usage.completion_tokens <= 16


@real
def test_the_real_server_listens_on_this_machine_alone_until_it_is_closed(ask: Any) -> None:
    runtime = Watched()
    model = LocalChatModel(GGUF, context_tokens=1024, runtime=runtime)
    model.complete(ask("Say hello.", tokens_max=1, timeout_s=300))
    host, _, port = runtime.addresses[0].removeprefix("http://").partition(":")

    assert host == "127.0.0.1"
    assert runtime.threads == [(1, 1)]
    model.close()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((host, int(port)), timeout=5)


@real
def test_the_real_server_answers_again_after_a_request_was_cancelled(ask: Any) -> None:
    model = LocalChatModel(GGUF, context_tokens=1024)
    reported: list[str] = []
    cut = model.complete(
        ask("Count to a thousand.", timeout_s=300),
        on_text=reported.append,
        is_cancelled=lambda: bool(reported),
    )
    again = model.complete(ask("Say hello.", tokens_max=4, timeout_s=300))
    model.close()

    assert cut.content == "".join(reported)
    assert again.usage is not None


@real
def test_the_real_server_says_that_a_prompt_is_too_long(ask: Any) -> None:
    model = LocalChatModel(GGUF, context_tokens=512)
    with pytest.raises(ModelError, match="longer than the 512 tokens of context"):
        model.complete(ask("Say hello. " * 2000, timeout_s=300))
    model.close()


@real
def test_a_program_that_ends_without_closing_ends_well() -> None:
    program = (
        "import sys\n"
        "from simonides.models.chat.gguf import LocalChatModel\n"
        "from simonides.model.chat import ChatMessage, ChatRole, ModelRequest\n"
        "model, polls = LocalChatModel(sys.argv[1], context_tokens=8192), [*range(9)]\n"
        "told = [ChatMessage(role=ChatRole.USER, content='Count to a thousand. ' * 300)]\n"
        "asked = ModelRequest(messages=tuple(told), tokens_max=4000, timeout_s=300)\n"
        "model.complete(asked, is_cancelled=lambda: not polls or polls.pop() < 0)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, GGUF], capture_output=True, timeout=300, check=False
    )

    assert (ended.returncode, ended.stdout) == (0, b"")


class Watched:
    """The real runtime, whose addresses and threads are noted."""

    def __init__(self) -> None:
        self._real = import_module("xllamacpp")
        self.addresses: list[str] = []
        self.threads: list[tuple[int, int]] = []

    def CommonParams(self) -> Any:  # noqa: N802 - the name in xllamacpp
        return self._real.CommonParams()

    def Server(self, options: Any) -> Any:  # noqa: N802 - the name in xllamacpp
        self.threads.append((options.cpuparams.n_threads, options.cpuparams_batch.n_threads))
        server = self._real.Server(options)
        self.addresses.append(server.listening_address)
        return server
