"""A connection: it asks in time and in bounds, one request after the other, in HTTP alone."""

import json
import socket
import threading
from typing import Any

import pytest
from tests.unit.http.conftest import until_closed

from simonides import Memory
from simonides.http.authentication import neighbourhood
from simonides.http.middleware import HEADERS

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
    reported: dict[str, Any] = json.loads(body)

    assert headers["content-type"] == "application/problem+json"
    assert headers["x-request-id"] == reported["request_id"]
    assert reported["status"] == status
    assert all(headers[name.lower()] == value.lower() for name, value in HEADERS.items())
    return reported


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
def test_what_is_no_http_is_reported_as_a_problem_and_hung_up_on(
    long_live: Any, sent: bytes
) -> None:
    refusal = problem(long_live.said(sent + b"\n" * 3))

    assert (refusal["status"], refusal["code"]) == (400, "malformed")


def test_a_head_without_end_is_refused(long_live: Any) -> None:
    endless = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 70_000
    refusal = problem(long_live.answer(endless))

    assert (refusal["status"], refusal["code"]) == (431, "head_too_large")


def test_a_request_may_be_sent_after_another_without_waiting(long_live: Any) -> None:
    said = long_live.said(GET + GET + LAST)

    assert said.count(b"HTTP/1.1 200") == 3
    assert said.index(b"live") < said.rindex(b'"live"') < said.index(b'"version"')


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [(b"http://localhost/v1/version", b"localhost", b"200"),
     (b"HTTP://127.0.0.1:8321/v1/version", b"evil.example", b"200"),
     (b"http://evil.example/v1/version", b"localhost", b"421"),
     (b"http://a@localhost/v1/version", b"localhost", b"421"),
     (b"http://localhost", b"localhost", b"404")],
)  # fmt: skip
def test_a_whole_address_is_a_path_and_a_host(
    long_live: Any, target: bytes, host: bytes, status: bytes
) -> None:
    got = long_live.answer(b"GET %b HTTP/1.1\r\nHost: %b\r\n\r\n" % (target, host))

    assert got.split()[1] == status


def test_a_body_that_is_reported_twice_smuggles_no_second_request(long_live: Any) -> None:
    inner = b"DELETE /v1/items/x HTTP/1.1\r\nHost: localhost\r\n\r\n"
    said = long_live.said(
        b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n"
        % (5 + len(inner)) + inner
    )  # fmt: skip

    assert problem(said)["status"] == 400
    assert long_live.server.memory.keys.audit().entries == ()


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
    refusal = problem(live.answer(head))

    assert (refusal["status"], refusal["code"]) == (408, "request_timeout")


def test_an_upload_that_stops_coming_leaves_nothing(open_live: Any) -> None:
    live = open_live(pause_s=0.05)
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n# no'
    head = (
        b"POST /v1/imports HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n"
        b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    )
    refusal = problem(live.answer(head + form))

    assert refusal["status"] == 408
    assert not live.server.uploads.exists()


@pytest.mark.parametrize("limit", ["connections_max", "connections_each_max"])
def test_where_there_are_too_many_connections_the_longest_idle_one_is_let_go(
    open_live: Any, limit: str
) -> None:
    live = open_live(**{limit: 2})
    with live.connect() as first, live.connect() as second:
        before = [parts(live.exchange(one, GET))[0] for one in (second, first)]
        third = parts(live.said(LAST))[0]
        after = parts(live.exchange(first, GET))[0]

        assert (before, third, after) == ([200, 200], 200, 200)
        assert until_closed(second) == b""


def test_a_place_is_free_again_once_a_connection_has_ended(open_live: Any) -> None:
    live = open_live(connections_max=1)

    for _ in range(5):
        assert parts(live.said(LAST))[0] == 200


def test_nothing_stands_in_the_middle_of_another_answer(long_live: Any, monkeypatch: Any) -> None:
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
    with long_live.connect(
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
def test_another_protocol_is_not_spoken(long_live: Any, upgrade: str) -> None:
    said = long_live.said(
        b"GET /v1/version HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\n"
        b"Upgrade: %b\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        % upgrade.encode()
    )  # fmt: skip

    assert parts(said)[0] == 200


def test_the_head_of_an_answer_alone_has_no_body(long_live: Any) -> None:
    full, head = long_live.said(LAST), long_live.said(LAST.replace(b"GET", b"HEAD"))

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


def test_an_answer_is_written_in_one_piece(long_live: Any, monkeypatch: Any) -> None:
    """Head and body in two writes would be two packets, and wake the reader twice."""
    import asyncio

    written: list[bytes] = []
    plain = asyncio.selector_events._SelectorSocketTransport.write  # type: ignore[attr-defined]

    def write(self: Any, data: bytes) -> None:
        if data:
            written.append(bytes(data))
        plain(self, data)

    monkeypatch.setattr(asyncio.selector_events._SelectorSocketTransport, "write", write)  # type: ignore[attr-defined]
    with long_live.connect() as connection:
        answers = [long_live.exchange(connection, sent) for sent in (GET, GET)]
    problem(long_live.answer(GET.replace(b"/health/live", b"/nope")))

    assert written[:2] == answers
    assert len(written) == 3


def test_the_head_of_a_stream_does_not_wait_for_its_body() -> None:
    import h11

    from simonides.http.connection import _StrictConnection

    spoken = _StrictConnection(1 << 14)
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
    with live.connect(head) as one:
        one.shutdown(socket.SHUT_WR)
        until_closed(one)  # the server has taken the connection and seen its end
    live.stop()
    live.thread.join(20)

    text = live.server.metrics.text().decode()
    assert not [one for one in caplog.records if one.levelname == "ERROR"]
    assert 'route="/v1/items",status="400"' in text
    assert 'status="500"' not in text


def test_connections_of_another_address_have_room_beside_a_crowd(open_live: Any) -> None:
    live = open_live(connections_max=3, connections_each_max=3)
    crowd = [live.connect() for _ in range(3)]
    assert parts(live.exchange(crowd[0], GET))[0] == 200
    with socket.create_connection(
        ("127.0.0.1", live.port), timeout=20, source_address=("127.0.0.2", 0)
    ) as other:
        assert parts(live.exchange(other, GET))[0] == 200
        assert until_closed(crowd[1]) == b""  # the longest idle one of those that are too many
    for one in crowd:
        one.close()


def test_a_crowd_of_idle_connections_shuts_nobody_out(open_live: Any) -> None:
    live = open_live(connections_max=20, connections_each_max=10)
    crowd = [live.connect() for _ in range(60)]

    said = [parts(live.said(LAST))[0] for _ in range(5)]

    assert said == [200] * 5
    for one in crowd:
        one.close()


def test_who_is_being_answered_is_not_let_go_for_another(open_live: Any, monkeypatch: Any) -> None:
    live, came, go_on = open_live(connections_each_max=1), threading.Event(), threading.Event()

    def slow(_: Any) -> tuple[str, ...]:
        came.set()
        assert go_on.wait(20)
        return ()

    monkeypatch.setattr(Memory, "spaces", slow)
    with live.connect(LAST.replace(b"/v1/version", b"/health/ready")) as first:
        assert came.wait(20)
        refused = live.said(LAST)
        go_on.set()

        assert refused == b""
        assert parts(until_closed(first))[0] == 200


@pytest.mark.parametrize(
    ("address", "counted"),
    [("10.0.0.1", "10.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1"),
     ("2001:db8:1:2:3::9", "2001:db8:1:2::"), ("2001:db8:1:2::1", "2001:db8:1:2::"),
     ("fe80::1%eth0", "fe80::"), ("unix", "unix"), ("", "")],
)  # fmt: skip
def test_who_has_a_whole_network_is_counted_as_one(address: str, counted: str) -> None:
    assert neighbourhood(address) == counted


@pytest.mark.parametrize("limit", [16 << 10, 2 << 10])
@pytest.mark.parametrize("names", [1, 40])
def test_a_head_has_a_length_however_it_comes(open_live: Any, limit: int, names: int) -> None:
    live = open_live(head_bytes_max=limit)

    def head(size: int) -> bytes:
        begin = LAST.removesuffix(b"\r\n")
        each = (size - len(begin) - 2) // names
        lines = [b"X%02d: " % n + b"x" * (each - 7) + b"\r\n" for n in range(names)]
        filled = begin + b"".join(lines)
        rest = size - len(filled) - 2
        return filled[:-2] + b"x" * rest + b"\r\n\r\n"

    assert len(head(limit)) == limit
    assert parts(live.said(head(limit)))[0] == 200
    refusal = problem(live.said(head(limit + 1)))
    assert (refusal["status"], refusal["code"]) == (431, "head_too_large")


SEARCH = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "lengths",
    [b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
     b"Transfer-Encoding: chunked\r\nContent-Length: 22\r\n",
     b"content-length: 0\r\ntransfer-encoding: Chunked\r\n"],
)  # fmt: skip
def test_a_body_whose_length_is_told_twice_is_refused(long_live: Any, lengths: bytes) -> None:
    refusal = problem(long_live.said(SEARCH + lengths + b'\r\nd\r\n{"query":"x"}\r\n0\r\n\r\n'))

    assert (refusal["status"], refusal["code"]) == (400, "malformed")


@pytest.mark.parametrize(
    ("lines", "body", "status"),
    [
        (b"Content-Length: 13\r\nContent-Length: 5\r\n", b'{"query":"x"}', 400),
        (b"Content-Length: +13\r\n", b'{"query":"x"}', 400),
        (b"Content-Length: 13, 13\r\n", b'{"query":"x"}', 200),
        (b"Transfer-Encoding: xchunked\r\n", b'd\r\n{"query":"x"}\r\n0\r\n\r\n', 400),
        (b"Transfer-Encoding: chunked, identity\r\n", b'd\r\n{"query":"x"}\r\n0\r\n\r\n', 400),
        (b"Transfer-Encoding : chunked\r\n", b'd\r\n{"query":"x"}\r\n0\r\n\r\n', 400),
        (b"Transfer-Encoding: chunked\r\n", b'0xd\r\n{"query":"x"}\r\n0\r\n\r\n', 400),
        (b"Transfer-Encoding: chunked\r\n", b'd;x="\n"\r\n{"query":"x"}\r\n0\r\n\r\n', 400),
        (b"X: a\rb\r\nContent-Length: 13\r\n", b'{"query":"x"}', 400),
        (b"X: a\0b\r\nContent-Length: 13\r\n", b'{"query":"x"}', 400),
    ],
)  # fmt: skip
def test_a_request_that_two_could_read_in_two_ways_is_refused(
    long_live: Any, lines: bytes, body: bytes, status: int
) -> None:
    got, _, _ = parts(long_live.answer(SEARCH + lines + b"Connection: close\r\n\r\n" + body))

    assert got == status
