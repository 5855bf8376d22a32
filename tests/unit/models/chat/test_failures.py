"""What both HTTP adapters do when the endpoint is slow, busy, down or broken."""

import gc
import logging
import socket
import threading
import time as real
import traceback
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from threading import Event
from typing import Any

import pytest

from simonides.errors import ModelError, ModelTimeout
from simonides.model.chat import ModelReply, ToolCall
from simonides.models.chat.anthropic import AnthropicChatModel
from simonides.models.chat.cancellable_call import JOIN_S
from simonides.models.chat.openai import OpenAIChatModel
from simonides_bench.testing.chat_script import AskedOver, Broken, Held, Raw, Refusal
from simonides_bench.testing.chat_server import ChatServer
from simonides_bench.testing.chat_wires import Completions, Messages

KEY = "sk-very-secret-0123"
YES = ModelReply(content="Yes, it was on Thursday.")

Model = OpenAIChatModel | AnthropicChatModel
Make = Callable[..., Model]


def silent(_: str) -> None:
    """Listen without a word."""


@pytest.fixture(params=["openai", "anthropic"])
def make(request: pytest.FixtureRequest, time: Any) -> Iterator[Make]:
    """Return a maker of models of a server, whose waits are noted; all are closed at the end."""
    made: list[Model] = []

    def model(server: ChatServer, **options: Any) -> Model:
        options = time.options(**options)
        if request.param == "openai":
            made.append(OpenAIChatModel(server.base_url, "tiny", KEY, **options))
        else:
            url = server.anthropic_url
            made.append(AnthropicChatModel("tiny", KEY, base_url=url, **options))
        return made[-1]

    yield model
    for each in made:
        each.close()


def test_a_busy_endpoint_is_asked_again_not_before_it_wishes(
    make: Make, ask: Any, time: Any
) -> None:
    with ChatServer([Refusal(status=429, retry_after_s=7), YES]) as server:
        assert make(server).complete(ask()).content == YES.content
        assert time.slept_s == pytest.approx(7.0)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_passes_is_tried_again_after_growing_waits(
    make: Make, ask: Any, time: Any, status: int
) -> None:
    with ChatServer([Refusal(status=status)] * 3 + [YES]) as server:
        assert make(server).complete(ask(), on_text=silent).content == YES.content
        assert time.slept_s == pytest.approx(0.25 + 0.5 + 1.0)


OVERLOADED = b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'
STREAM = "text/event-stream"


@pytest.mark.parametrize(
    "error", [OVERLOADED, b'{"type": "error", "error": {"code": 503, "message": "no provider"}}']
)
@pytest.mark.parametrize("on_text", [None, silent])
def test_an_overload_that_comes_as_a_success_is_tried_again(
    make: Make, ask: Any, time: Any, error: bytes, on_text: Any
) -> None:
    stream = Raw(chunks=[b"data: ", error, b"\n\n"], content_type=STREAM)
    with ChatServer([stream if on_text else Raw(chunks=[error]), YES]) as server:
        assert make(server).complete(ask(), on_text=on_text).content == YES.content
        assert time.slept_s == pytest.approx(0.25)


def test_an_overload_is_an_error_where_text_was_delivered_or_attempts_end(
    make: Make, ask: Any
) -> None:
    reported: list[str] = []
    failing = Raw(chunks=[b"data: ", OVERLOADED, b"\n\n"], content_type=STREAM)
    with ChatServer([Broken(reply=YES, pieces=4, garbage=OVERLOADED.decode()), failing]) as server:
        with pytest.raises(ModelError, match=r"127\.0\.0\.1:\d+ answered .* Overloaded"):
            make(server).complete(ask(), on_text=reported.append)
        assert reported
        assert len(server.requests) == 1

        with pytest.raises(ModelError, match=r"127\.0\.0\.1:\d+ answered .* Overloaded"):
            make(server, retries=0).complete(ask(), on_text=silent)


@pytest.mark.parametrize("on_text", [None, silent])
@pytest.mark.parametrize("said", ["", "Mix the"])
def test_a_refusal_of_the_provider_is_known(make: Make, ask: Any, said: str, on_text: Any) -> None:
    with ChatServer([ModelReply(content=said, is_refused=True), YES]) as server:
        model = make(server)
        refused, answered = (model.complete(ask(), on_text=on_text) for _ in range(2))

    assert (refused.content, refused.is_refused) == (said, True)
    assert not answered.is_refused


def test_attempts_are_bounded(make: Make, ask: Any) -> None:
    with ChatServer([Refusal(status=500, message="out of memory")] * 9) as server:
        with pytest.raises(ModelError, match=r"answered 500: out of memory"):
            make(server, retries=2).complete(ask())

        assert len(server.requests) == 3


def test_no_wait_outlasts_the_requests_seconds(make: Make, ask: Any, time: Any) -> None:
    with ChatServer([Refusal(status=429, retry_after_s=30, message="slow down")]) as server:
        with pytest.raises(ModelError, match="429: slow down; ask less often"):
            make(server).complete(ask(timeout_s=20))

        assert time.slept_s == 0


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "check the API key"), (404, "the model's name"), (418, "418: no")]
)
def test_other_refusals_are_errors_at_once(make: Make, ask: Any, status: int, advice: str) -> None:
    with ChatServer([Refusal(status=status)]) as server:
        with pytest.raises(ModelError, match=advice) as refused:
            make(server).complete(ask())

        assert f"127.0.0.1:{server.port} answered {status}" in str(refused.value)
        assert len(server.requests) == 1


def test_an_endpoint_that_is_not_there_can_not_be_reached(make: Make, ask: Any, time: Any) -> None:
    with ChatServer([]) as server:
        pass
    with pytest.raises(ModelError, match=r"can not be reached.*is it running") as failed:
        make(server, retries=1).complete(ask())

    assert f"127.0.0.1:{server.port}" in str(failed.value)
    assert time.slept_s == pytest.approx(0.25)


def test_silence_ends_at_the_requests_seconds(make: Make, ask: Any) -> None:
    until = Event()
    with ChatServer([Held(until=until)] * 2) as server:
        model = make(server, clock=real.monotonic)
        for on_text in (None, silent):
            begin_s = real.monotonic()
            with pytest.raises(ModelTimeout, match=r"did not answer within 0\.3 s"):
                model.complete(ask(timeout_s=0.3), on_text=on_text)

            assert real.monotonic() - begin_s < 0.3 + 1.0


@pytest.mark.parametrize("on_text", [None, silent])
def test_an_endless_drip_ends_at_the_requests_seconds(
    make: Make, ask: Any, on_text: Callable[[str], None] | None
) -> None:
    stop = Event()

    def drip() -> Iterator[bytes]:
        while not stop.wait(0.02):
            yield b": still here\n\n"

    with ChatServer([Raw(chunks=drip(), content_type="text/event-stream")]) as server:
        model = make(server, clock=real.monotonic)
        begin_s = real.monotonic()
        with pytest.raises(ModelTimeout):
            model.complete(ask(timeout_s=0.3), on_text=on_text)
        took_s = real.monotonic() - begin_s
        stop.set()

    assert 0.3 <= took_s < 0.3 + 1.0


def test_a_stream_cut_in_the_middle_is_an_error_that_says_so(make: Make, ask: Any) -> None:
    reported: list[str] = []
    with ChatServer([Broken(reply=YES, pieces=4)]) as server:
        with pytest.raises(ModelError, match="broke off in the middle of its answer"):
            make(server).complete(ask(), on_text=reported.append)

        assert reported
        assert len(server.requests) == 1


def test_a_stream_that_just_stops_is_an_error_too(make: Make, ask: Any) -> None:
    kind = "text/event-stream"
    with (
        ChatServer([Raw(chunks=[b""], content_type=kind)]) as server,
        pytest.raises(ModelError, match="its stream ended early"),
    ):
        make(server).complete(ask(), on_text=silent)


def test_a_body_cut_in_the_middle_is_an_error_that_says_so(make: Make, ask: Any) -> None:
    with (
        ChatServer([Broken(reply=YES)]) as server,
        pytest.raises(ModelError, match="broke off in the middle"),
    ):
        make(server).complete(ask())


def test_a_piece_that_is_no_json_is_an_error_that_shows_it(make: Make, ask: Any) -> None:
    with ChatServer([Broken(reply=YES, garbage='{"choices": [')]) as server:
        with pytest.raises(ModelError, match=r"no JSON object.*choices") as failed:
            make(server).complete(ask(), on_text=silent)

        assert f"127.0.0.1:{server.port}" in str(failed.value)


@pytest.mark.parametrize("body", [b"<!doctype html><p>Hello", b"[1, 2]", b"null", b"", b"\xff\xfe"])
@pytest.mark.parametrize("on_text", [None, silent])
def test_a_page_that_is_no_answer_is_an_error(
    make: Make, ask: Any, body: bytes, on_text: Callable[[str], None] | None
) -> None:
    with (
        ChatServer([Raw(chunks=[body], content_type="text/html")]) as server,
        pytest.raises(ModelError, match="no JSON object"),
    ):
        make(server).complete(ask(), on_text=on_text)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "the model is loading"}}', "the model is loading"),
        (b'{"error": "bare words"}', "bare words"),
        (b'{"detail": "not here"}', "not here"),
        (b'{"hello": 1}', "hello"),
    ],
)
def test_an_error_that_comes_as_a_success_is_an_error(
    make: Make, ask: Any, body: bytes, said: str
) -> None:
    with ChatServer([Raw(chunks=[body])]) as server, pytest.raises(ModelError, match=said):
        make(server).complete(ask())


@pytest.mark.parametrize(
    ("body", "said"),
    [(b'{"message": "bad"}', "400: bad"), (b"plain words", "400: plain words"), (b"", "400: ")],
)
def test_an_errors_words_are_found_whatever_its_form(
    make: Make, ask: Any, body: bytes, said: str
) -> None:
    with (
        ChatServer([Raw(chunks=[body], status=400)]) as server,
        pytest.raises(ModelError, match=said),
    ):
        make(server).complete(ask())


def test_a_redirect_is_not_followed_with_the_key(make: Make, ask: Any) -> None:
    with (
        ChatServer([Raw(chunks=[b"{}"], status=307)]) as server,
        pytest.raises(ModelError, match="answered 307"),
    ):
        make(server).complete(ask())


def test_a_silent_endpoint_is_cancelled_at_once(make: Make, ask: Any) -> None:
    until, cancelled = Event(), Event()

    def held(_: Any) -> Held:
        cancelled.set()
        return Held(until=until)

    with ChatServer(held) as server:
        reply = make(server).complete(ask(), on_text=silent, is_cancelled=cancelled.is_set)

    assert reply == ModelReply(model="tiny")


def test_a_wait_is_cancelled_too(make: Make, ask: Any, time: Any) -> None:
    with ChatServer([Refusal(status=429, retry_after_s=15)]) as server:
        reply = make(server).complete(ask(), is_cancelled=lambda: time.now_s > 1)

    assert reply == ModelReply(model="tiny")
    assert time.slept_s < 2


def test_cancelling_closes_the_stream(make: Make, ask: Any) -> None:
    closed = Event()
    reported: list[str] = []

    def endless(asked: AskedOver) -> Iterator[bytes]:
        wire = Messages() if asked.path.endswith("/messages") else Completions()
        head, *_, word, _, _, _ = wire.events(ModelReply(content="a b word "), asked)
        try:
            yield from (event.encode() for event in chain([head], repeat(word)))
        finally:
            closed.set()

    def script(asked: AskedOver) -> Raw:
        return Raw(chunks=endless(asked), content_type="text/event-stream")

    with ChatServer(script) as server:
        model = make(server)
        reply = model.complete(
            ask(), on_text=reported.append, is_cancelled=lambda: len(reported) > 2
        )
        model.close()

        assert closed.wait(5)
    assert reply.content == "".join(reported)
    assert len(reported) == 3
    assert [each.name for each in threading.enumerate() if "model-call" in each.name] == []


def test_a_listener_that_fails_ends_the_call_even_if_its_error_is_kept(
    make: Make, ask: Any
) -> None:
    def listener(_: str) -> None:
        raise LookupError("the listener's own")

    with ChatServer([ModelReply(content="word " * 50_000)]) as server:
        model = make(server)
        with pytest.raises(LookupError) as kept:
            model.complete(ask(), on_text=listener)
        model.close()

        assert [each.name for each in threading.enumerate() if "model-call" in each.name] == []
    assert kept.value.args == ("the listener's own",)


def test_an_answer_already_cancelled_asks_nobody(make: Make, ask: Any) -> None:
    with ChatServer([]) as server:
        reply = make(server).complete(ask(), is_cancelled=lambda: True)

        assert reply.content == ""
        assert server.requests == []


def test_no_thread_and_no_socket_is_left_behind(make: Make, ask: Any) -> None:
    with ChatServer([Held(until=Event())]) as server:
        model = make(server, clock=real.monotonic)
        with pytest.raises(ModelTimeout):
            model.complete(ask(timeout_s=0.2))
        model.close()
    gc.collect()

    assert JOIN_S > 0.2
    assert [each.name for each in threading.enumerate() if "model-call" in each.name] == []


def test_the_key_is_in_no_error_and_no_log(
    make: Make, ask: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = f"Incorrect API key provided: {KEY}"
    with (
        ChatServer([Refusal(status=401, message=said)]) as server,
        pytest.raises(ModelError, match=r"provided: \[key\]") as refused,
    ):
        make(server).complete(ask())

    reported = "".join(traceback.format_exception(refused.value)) + caplog.text
    assert KEY not in reported
    assert KEY not in repr(refused.value)


def test_many_calls_do_not_end_by_themselves(make: Make, ask: Any) -> None:
    call = ToolCall(id="c", name="search", arguments="{}")
    with ChatServer(lambda _: ModelReply(tool_calls=(call,))) as server:
        model = make(server)

        assert [model.complete(ask()).tool_calls for _ in range(12)] == [(call,)] * 12


def test_a_connection_that_is_dropped_is_tried_again(make: Make, ask: Any, time: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ChatServer([]) as server:
        server_port = listener.getsockname()[1]

        def drop() -> None:
            for _ in range(2):
                listener.accept()[0].close()

        dropping = threading.Thread(target=drop)
        dropping.start()
        at = type("At", (), {"base_url": f"http://127.0.0.1:{server_port}/v1"})()
        at.anthropic_url = f"http://127.0.0.1:{server_port}"
        with pytest.raises(ModelError, match="can not be reached"):
            make(at, retries=1).complete(ask())
        dropping.join(5)

    assert server.requests == []
    assert time.slept_s == pytest.approx(0.25)
