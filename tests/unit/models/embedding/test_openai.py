"""The HTTP embedder against scripted endpoints: what it sends, when it asks again, what it says."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import numpy as np
import pytest

from simonides.errors import EmbedderError, EmbedderTimeout, InvalidInput
from simonides.models.embedding.openai import OpenAIEmbedder

KEY = "sk-very-secret-0123"
Step = httpx2.Response | httpx2.RequestError | Callable[[httpx2.Request], httpx2.Response]


def inputs(request: httpx2.Request) -> list[str]:
    texts: list[str] = json.loads(request.content)["input"]
    return texts


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def answered(request: httpx2.Request) -> httpx2.Response:
    """Answer as a good endpoint does, last vector first."""
    entries = [{"index": n, "embedding": vector(text)} for n, text in enumerate(inputs(request))]
    return httpx2.Response(200, json={"object": "list", "data": entries[::-1]})


def refused(status: int, said: str = "no", **headers: str) -> httpx2.Response:
    return httpx2.Response(status, json={"error": {"message": said}}, headers=headers)


class Endpoint:
    """Follows a script, one step per request; then answers well. Notes requests and waits."""

    def __init__(self, *script: Step) -> None:
        self.script = list(script)
        self.requests: list[httpx2.Request] = []
        self.waits_s: list[float] = []
        self.now_s = 0.0

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        step = self.script.pop(0) if self.script else answered
        if isinstance(step, httpx2.RequestError):
            raise step
        return step if isinstance(step, httpx2.Response) else step(request)

    def embedder(self, **options: Any) -> OpenAIEmbedder:
        fixed: dict[str, Any] = {
            "dimension": 3,
            "transport": httpx2.MockTransport(self),
            "sleep": self.waits_s.append,
            "random": lambda: 0.5,
            "clock": lambda: self.now_s,
        }
        return OpenAIEmbedder("https://vectors.example/v1", KEY, **(fixed | options))


def down(times: int) -> Endpoint:
    return Endpoint(*[refused(500) for _ in range(times)])


def test_a_request_names_model_texts_and_key() -> None:
    endpoint = Endpoint()
    endpoint.embedder(model="tiny").embed(["one"])
    request = endpoint.requests[0]

    assert str(request.url) == "https://vectors.example/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.content) == {
        "model": "tiny",
        "input": ["one"],
        "encoding_format": "float",
    }


def test_openais_third_models_are_asked_for_the_dimension() -> None:
    endpoint = Endpoint()
    endpoint.embedder(model="text-embedding-3-small").embed(["one"])

    assert json.loads(endpoint.requests[0].content)["dimensions"] == 3


def test_an_empty_key_sends_none() -> None:
    endpoint = Endpoint()
    transport = httpx2.MockTransport(endpoint)
    OpenAIEmbedder("http://localhost:1", "", dimension=3, transport=transport).embed(["one"])

    assert "authorization" not in endpoint.requests[0].headers


def test_rows_come_in_the_order_of_the_texts_whatever_the_order_of_the_reply() -> None:
    rows = Endpoint().embedder().embed(["a", "bbbb", "cc"])

    expected = np.array([vector("a"), vector("bbbb"), vector("cc")])
    assert rows == pytest.approx(expected / np.linalg.norm(expected, axis=1, keepdims=True))


def test_blank_texts_are_not_sent_and_get_zero_rows() -> None:
    endpoint = Endpoint()
    rows = endpoint.embedder().embed(["", "a", " \n", "bb"])

    assert inputs(endpoint.requests[0]) == ["a", "bb"]
    assert rows.any(axis=1).tolist() == [False, True, False, True]


def test_nothing_is_sent_when_there_is_nothing_to_say() -> None:
    endpoint = Endpoint()

    assert endpoint.embedder().embed([]).shape == (0, 3)
    assert endpoint.embedder().embed([" "]).tolist() == [[0, 0, 0]]
    assert endpoint.requests == []


def test_texts_are_squeezed_cut_and_sent_in_batches() -> None:
    endpoint = Endpoint()
    rows = endpoint.embedder(batch_texts=2, chars_max=5).embed(["a \n b", "abcdefg", "c"])

    assert [inputs(request) for request in endpoint.requests] == [["a b", "abcde..."], ["c"]]
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3))


def test_a_question_asked_again_is_not_sent_again() -> None:
    endpoint = Endpoint()
    embedder = endpoint.embedder()

    assert embedder.embed_query("who?") is embedder.embed_query("who?")
    assert len(endpoint.requests) == 1


def test_too_many_requests_wait_as_long_as_the_endpoint_asks() -> None:
    endpoint = Endpoint(refused(429, **{"retry-after": "7"}))

    assert endpoint.embedder().embed(["a"]).any()
    assert endpoint.waits_s == [7.0]


def test_a_wish_for_a_very_long_wait_is_an_error_at_once() -> None:
    endpoint = Endpoint(refused(429, "quota used up", **{"retry-after": "3600"}))

    with pytest.raises(EmbedderError, match="429: quota used up"):
        endpoint.embedder().embed(["a"])
    assert endpoint.waits_s == []


def test_server_errors_are_tried_again_after_growing_waits() -> None:
    endpoint = down(3)

    assert endpoint.embedder().embed(["a"]).any()
    assert endpoint.waits_s == [0.25, 0.5, 1.0]


def test_the_last_server_error_is_told_when_the_attempts_are_used_up() -> None:
    endpoint = Endpoint(refused(503, "first"), refused(502, "second"))

    with pytest.raises(EmbedderError, match="502: second"):
        endpoint.embedder(retries=1).embed(["a"])
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("status", [302, 400, 401, 404, 413])
def test_other_refusals_are_not_tried_again_and_say_why(status: int) -> None:
    endpoint = Endpoint(refused(status, "the model is unknown"))

    with pytest.raises(EmbedderError, match=f"{status}: the model is unknown"):
        endpoint.embedder().embed(["a"])
    assert len(endpoint.requests) == 1


def test_time_outs_are_tried_again_and_then_told_as_such() -> None:
    endpoint = Endpoint(httpx2.ReadTimeout("slow"), httpx2.ConnectTimeout("slow"))

    with pytest.raises(EmbedderTimeout, match="did not answer within 30 s"):
        endpoint.embedder(retries=1).embed(["a"])
    assert len(endpoint.requests) == 2


def test_a_broken_connection_is_tried_again() -> None:
    endpoint = Endpoint(httpx2.ConnectError("refused"), httpx2.ReadError(""))

    assert endpoint.embedder().embed(["a"]).any()


def test_a_connection_that_stays_broken_says_so() -> None:
    endpoint = Endpoint(httpx2.ReadError(""))

    with pytest.raises(EmbedderError, match="can not be reached: ReadError"):
        endpoint.embedder(retries=0).embed(["a"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"data": [{"index": 0, "embe', "not JSON"),
        (b'{"data": []}', "0 vectors for 1"),
        (b'{"data": [{"index": 0, "embedding": [1, 2]}]}', "2 numbers, not 3"),
        (b'{"data": [{"index": 0, "embedding": [NaN, 1, 1]}]}', "not finite"),
    ],
)
def test_a_reply_that_is_nonsense_is_an_error_and_not_tried_again(
    content: bytes, says: str
) -> None:
    endpoint = Endpoint(httpx2.Response(200, content=content))

    with pytest.raises(EmbedderError, match=says):
        endpoint.embedder().embed(["a"])
    assert len(endpoint.requests) == 1


def test_five_failures_in_a_row_leave_the_endpoint_alone_for_a_minute() -> None:
    endpoint = down(5)
    embedder = endpoint.embedder()
    with pytest.raises(EmbedderError, match="500"):
        embedder.embed(["a"])
    with pytest.raises(EmbedderError, match="circuit open"):
        embedder.embed(["a"])
    assert len(endpoint.requests) == 5
    endpoint.now_s = 60.0

    assert embedder.embed(["a"]).any()


def test_the_probe_after_a_minute_is_a_single_attempt_while_it_fails() -> None:
    endpoint = down(6)
    embedder = endpoint.embedder()
    for now_s in (0.0, 60.0):
        endpoint.now_s = now_s
        with pytest.raises(EmbedderError, match="500"):
            embedder.embed(["a"])

    assert len(endpoint.requests) == 6


def test_an_attempt_that_opens_the_breaker_is_the_last() -> None:
    endpoint = down(5)
    embedder = endpoint.embedder(retries=2)
    for _ in range(2):
        with pytest.raises(EmbedderError, match="500"):
            embedder.embed(["a"])

    assert len(endpoint.requests) == 5
    assert len(endpoint.waits_s) == 3


def test_busy_is_not_down() -> None:
    endpoint = Endpoint(*[refused(429) for _ in range(8)])

    assert endpoint.embedder(retries=8).embed(["a"]).any()


def test_the_key_is_in_no_error_and_no_repr() -> None:
    endpoint = Endpoint(refused(401, f"wrong key {KEY}"), httpx2.ConnectError(f"at {KEY}"))
    embedder = endpoint.embedder(retries=0)
    with pytest.raises(EmbedderError, match=r"wrong key \[key\]") as refusal:
        embedder.embed(["a"])
    with pytest.raises(EmbedderError, match=r"at \[key\]") as failure:
        embedder.embed(["a"])

    shown = (repr(embedder), str(refusal.value), str(failure.value))
    assert [text for text in shown if KEY in text] == []


def test_the_endpoints_words_are_cut_and_put_on_one_line() -> None:
    endpoint = Endpoint(refused(400, "too\nlong " * 1000))

    with pytest.raises(EmbedderError) as refusal:
        endpoint.embedder().embed(["a"])
    assert len(str(refusal.value)) < 400
    assert "\n" not in str(refusal.value)


def test_the_key_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMONIDES_OPENAI_API_KEY", "sk-mine\n")
    endpoint = Endpoint()
    transport = httpx2.MockTransport(endpoint)
    OpenAIEmbedder("http://localhost:1", dimension=3, transport=transport).embed(["one"])

    assert endpoint.requests[0].headers["authorization"] == "Bearer sk-mine"


def test_openais_key_goes_to_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-theirs")
    endpoint = Endpoint()
    transport = httpx2.MockTransport(endpoint)
    OpenAIEmbedder(dimension=3, transport=transport).embed(["one"])
    OpenAIEmbedder("https://elsewhere.example", dimension=3, transport=transport).embed(["one"])

    assert [request.headers.get("authorization") for request in endpoint.requests] == [
        "Bearer sk-theirs",
        None,
    ]


def test_without_httpx2_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)

    with pytest.raises(EmbedderError, match=r"pip install 'simonides\[openai\]'"):
        OpenAIEmbedder("http://localhost:1", "").embed(["one"])


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "localhost:80",
        "ftp://a.example",
        "http://",
        "http://a.example:x",
        "http://a.example:0",
        "http://me:pw@a.example",
        "http://a.example/v1?key=1",
        "http://[",
    ],
)
def test_an_address_that_can_not_be_used_is_refused(base_url: str) -> None:
    with pytest.raises(InvalidInput, match="base_url"):
        OpenAIEmbedder(base_url)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"dimension": 0}, "dimension"),
        ({"window_words": 0}, "window_words"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": float("nan")}, "timeout_s"),
        ({"chars_max": 0}, "chars_max"),
        ({"batch_texts": 0}, "batch_texts"),
        ({"batch_texts": 2049}, "batch_texts"),
        ({"retries": -1}, "retries"),
        ({"questions_max": -1}, "questions_max"),
        ({"api_key": "sk-\u00e9"}, "api_key"),
        ({"api_key": "sk-a\nb"}, "api_key"),
    ],
)
def test_a_setting_out_of_range_is_refused(options: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        OpenAIEmbedder(**options)


def test_after_closing_the_next_call_connects_anew() -> None:
    embedder = Endpoint().embedder()
    embedder.close()
    embedder.embed(["a"])
    embedder.close()

    assert embedder.embed(["b"]).any()


class Cut(BaseHTTPRequestHandler):
    """Promises more bytes than it sends, or on /slow says nothing until let go."""

    let_go = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        if self.path.startswith("/slow"):
            self.let_go.wait(10)
            return
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"data": [')

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Cut.let_go.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Cut)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    Cut.let_go.set()
    server.shutdown()
    server.server_close()
    thread.join()


def over_a_socket(base_url: str, **options: Any) -> EmbedderError:
    transport = httpx2.HTTPTransport()
    embedder = OpenAIEmbedder(base_url, KEY, retries=0, transport=transport, **options)
    with pytest.raises(EmbedderError) as failure:
        embedder.embed(["a"])
    embedder.close()
    return failure.value


def test_a_reply_cut_off_on_the_wire_is_an_error(address: str) -> None:
    assert "can not be reached" in str(over_a_socket(address))


def test_silence_on_the_wire_is_a_time_out(address: str) -> None:
    assert isinstance(over_a_socket(f"{address}/slow", timeout_s=0.05), EmbedderTimeout)
