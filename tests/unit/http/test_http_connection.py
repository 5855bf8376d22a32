"""A connection: it asks in time and in bounds, one request after the other, in HTTP alone."""

import json
from typing import Any

import pytest

from simonides.http.gate import HEADERS

GET = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = b"GET /v1/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def parts(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of one answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body


def problem(answer: bytes) -> dict[str, Any]:
    """Return the problem of an answer, checked for its form."""
    status, headers, body = parts(answer)
    told: dict[str, Any] = json.loads(body)

    assert headers["content-type"] == "application/problem+json"
    assert headers["x-request-id"] == told["request_id"]
    assert told["status"] == status
    assert all(headers[name.lower()] == value.lower() for name, value in HEADERS.items())
    return told


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"SSH-2.0-OpenSSH_9.0\r\n\r\n",
        b"GET / HTTP/x\r\nHost: localhost\r\n\r\n", b"GET  /\r\n\r\n", b"\r\n\r\nx\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ],
)  # fmt: skip
def test_what_is_no_http_is_told_as_a_problem_and_hung_up_on(live: Any, sent: bytes) -> None:
    told = problem(live.said(sent + b"\n" * 3))

    assert (told["status"], told["code"]) == (400, "malformed")


def test_a_head_without_end_is_refused(live: Any) -> None:
    endless = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 70_000
    told = problem(live.answer(endless))

    assert (told["status"], told["code"]) == (431, "head_too_large")


def test_a_request_may_be_sent_after_another_without_waiting(live: Any) -> None:
    said = live.said(GET + GET + LAST)

    assert said.count(b"HTTP/1.1 200") == 3
    assert said.index(b"live") < said.rindex(b'"live"') < said.index(b'"version"')


def test_a_body_that_is_told_twice_smuggles_no_second_request(live: Any) -> None:
    inner = b"DELETE /v1/items/x HTTP/1.1\r\nHost: localhost\r\n\r\n"
    said = live.said(
        b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n"
        % (5 + len(inner)) + inner
    )  # fmt: skip

    assert said.count(b"HTTP/1.1 ") == 1
    assert live.server.memory.keys.audit().entries == ()


def test_who_says_nothing_is_let_go(open_live: Any) -> None:
    assert open_live(head_s=0.05).said(b"") == b""


def test_who_dribbles_a_head_is_let_go(open_live: Any) -> None:
    live = open_live(head_s=0.3)

    assert live.said(b"GET / HTTP/1.1\r\nHost: local") == b""


def test_who_asked_once_and_dribbles_the_next_head_is_let_go(open_live: Any) -> None:
    said = open_live(head_s=0.3).said(GET + b"GET /health")

    assert said.count(b"HTTP/1.1 ") == 1
    assert parts(said)[0] == 200


def test_who_waits_for_a_slow_answer_is_not_let_go(open_live: Any, monkeypatch: Any) -> None:
    import threading

    from simonides import Memory

    live, never = open_live(head_s=0.05), threading.Event()

    def slow(_: Any) -> tuple[str, ...]:
        never.wait(0.3)
        return ()

    monkeypatch.setattr(Memory, "spaces", slow)
    said = live.said(LAST.replace(b"/v1/version", b"/health/ready"))

    assert parts(said)[0] == 200


def test_a_body_that_stops_coming_ends_in_a_problem(open_live: Any) -> None:
    live = open_live(pause_s=0.05)
    head = (
        b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{"
    )
    told = problem(live.answer(head))

    assert (told["status"], told["code"]) == (408, "request_timeout")


def test_an_upload_that_stops_coming_leaves_nothing(open_live: Any) -> None:
    live = open_live(pause_s=0.05)
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n# no'
    head = (
        b"POST /v1/imports HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n"
        b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    )
    told = problem(live.answer(head + form))

    assert told["status"] == 408
    assert not live.server.uploads.exists()


def test_the_one_connection_too_many_is_let_go_and_the_others_go_on(open_live: Any) -> None:
    live = open_live(connections_max=2)
    with live.connect() as first, live.connect() as second:
        before = [parts(live.exchange(one, GET))[0] for one in (first, second)]
        third = live.said(GET)
        after = [parts(live.exchange(one, GET))[0] for one in (first, second)]

    assert (before, third, after) == ([200, 200], b"", [200, 200])


def test_a_place_is_free_again_once_a_connection_has_ended(open_live: Any) -> None:
    live = open_live(connections_max=1)

    for _ in range(5):
        assert parts(live.said(LAST))[0] == 200


def test_nothing_stands_in_the_middle_of_another_answer(live: Any, monkeypatch: Any) -> None:
    import threading

    from simonides import Memory
    from simonides.model.chat import ChatEvent, ChatEventKind, ChatReply

    go_on = threading.Event()

    def slow(_: Any, message: str, *, on_event: Any, **__: Any) -> ChatReply:
        on_event(ChatEvent(kind=ChatEventKind.TEXT, text="more"))
        go_on.wait(5)
        return ChatReply(message=message, session_id="s")

    monkeypatch.setattr(Memory, "chat", slow)
    body = b'{"message": "x", "stream": true}'
    with live.connect(
        b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body) + body
    ) as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        connection.sendall(b"\x00 no http\r\n\r\n")
        go_on.set()
        rest = b""
        while b"event: reply" not in rest:
            part = connection.recv(1 << 16)
            if not part:
                break
            rest += part

    assert b"event: reply" in rest
    assert b"malformed" not in rest.partition(b"event: reply")[0]


@pytest.mark.parametrize("upgrade", ["websocket", "h2c"])
def test_another_protocol_is_not_spoken(live: Any, upgrade: str) -> None:
    said = live.said(
        b"GET /v1/version HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\n"
        b"Upgrade: %b\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        % upgrade.encode()
    )  # fmt: skip

    assert parts(said)[0] == 200


def test_the_head_of_an_answer_alone_has_no_body(live: Any) -> None:
    full, head = live.said(LAST), live.said(LAST.replace(b"GET", b"HEAD"))

    assert parts(head)[0] == 200
    assert parts(head)[2] == b""
    assert parts(head)[1]["content-length"] == parts(full)[1]["content-length"]
    assert "server" not in parts(full)[1]


def test_the_head_of_a_stream_alone_says_how_it_comes_and_ends(live: Any) -> None:
    live.server.memory.add("one")
    said = live.said(LAST.replace(b"GET /v1/version", b"HEAD /v1/export"))

    status, headers, body = parts(said)
    assert (status, body) == (200, b"")
    assert headers["transfer-encoding"] == "chunked"


def test_an_answer_is_written_in_one_piece(live: Any, monkeypatch: Any) -> None:
    """Head and body in two writes would be two packets, and wake the reader twice."""
    import asyncio

    written: list[bytes] = []
    plain = asyncio.selector_events._SelectorSocketTransport.write  # type: ignore[attr-defined]

    def write(self: Any, data: bytes) -> None:
        if data:
            written.append(bytes(data))
        plain(self, data)

    monkeypatch.setattr(asyncio.selector_events._SelectorSocketTransport, "write", write)  # type: ignore[attr-defined]
    with live.connect() as connection:
        answers = [live.exchange(connection, sent) for sent in (GET, GET)]
    problem(live.answer(GET.replace(b"/health/live", b"/nope")))

    assert written[:2] == answers
    assert len(written) == 3


def test_the_head_of_a_stream_does_not_wait_for_its_body() -> None:
    import h11

    from simonides.http.connection import _Spoken

    spoken = _Spoken(h11.SERVER)
    spoken.receive_data(GET)
    while not isinstance(spoken.next_event(), h11.EndOfMessage):
        pass
    head = spoken.send(h11.Response(status_code=200, headers=[("Transfer-Encoding", "chunked")]))
    rest = spoken.send(h11.Data(data=b"x")) + spoken.send(h11.EndOfMessage())

    assert head.startswith(b"HTTP/1.1 200")
    assert rest == b"1\r\nx\r\n0\r\n\r\n"


def test_who_hangs_up_while_sending_is_no_mistake_of_ours(open_live: Any, caplog: Any) -> None:
    live = open_live()
    head = (
        b"POST /v1/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{"
    )
    with live.connect(head):
        pass
    live.stop()
    live.thread.join(20)

    text = live.server.metrics.text().decode()
    assert not [one for one in caplog.records if one.levelname == "ERROR"]
    assert 'route="/v1/items",status="400"' in text
    assert 'status="500"' not in text
