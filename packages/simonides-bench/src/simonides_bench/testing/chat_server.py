"""A scripted server of language models, over real HTTP on this machine: for tests of programs.

Knows the standard library's HTTP server. It plays OpenAI's Chat Completions and Responses, and
Anthropic's Messages (`chat_wires`), and does what a script says (`chat_script`).
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Self

from simonides.model.chat import ModelReply
from simonides_bench.testing.chat_script import (
    AskedOver,
    Broken,
    Following,
    Held,
    Raw,
    Refusal,
    Script,
    Step,
)
from simonides_bench.testing.chat_wires import Completions, Messages, Responses, Wire

__all__ = ["AskedOver", "Broken", "ChatServer", "Held", "Raw", "Refusal"]

_POLL_S = 0.01
_WIRES: dict[str, Wire] = {
    "/chat/completions": Completions(), "/responses": Responses(), "/messages": Messages(),
}  # fmt: skip


class ChatServer:
    """Answers by a script on a free port of 127.0.0.1 while its `with` block runs.

    A step of the script is a `ModelReply` (whole or as a stream, as it was asked for), a
    `Refusal`, `Held`, `Broken` or `Raw`, or a function from the request to one of them; the script
    is any iterable of steps, or one function for all requests. Past its end the server answers 410
    and says so. It plays `POST …/chat/completions`, `…/responses` and `…/messages`, and answers any
    GET with `{"status": "ok"}`, as llama.cpp's `/health` does. Each connection serves one request.
    """

    def __init__(self, script: Script) -> None:
        self._following = Following(script)
        self._closing = Event()
        self._server = _Server(self._following, self._closing)
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_S,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_address[1]

    @property
    def base_url(self) -> str:
        """The base URL for clients of OpenAI's protocol."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        """The base URL for clients of Anthropic's protocol."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> list[AskedOver]:
        """The requests so far, in order."""
        return self._following.requests


class _Server(ThreadingHTTPServer):
    """Carries the script to the handlers; closing waits for all of them."""

    daemon_threads = False

    def __init__(self, following: Following, closing: Event) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.following = following
        self.closing = closing


class _Handler(BaseHTTPRequestHandler):
    """Serves one request by the next step of the script."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        """Say that the server runs."""
        self._send_json(200, {"status": "ok"})

    def do_POST(self) -> None:
        """Note the request and do what the script says; a client that left is left."""
        body = self._read_body()
        headers = {name.lower(): value for name, value in self.headers.items()}
        wire = next((wire for end, wire in _WIRES.items() if self.path.endswith(end)), None)
        with suppress(ConnectionError):
            if wire is None:
                self._send_json(404, {"error": {"message": f"nothing at {self.path}"}})
            elif body is None:
                self._send_json(400, wire.error("send one JSON object, and its Content-Length"))
            else:
                asked = AskedOver(path=self.path, headers=headers, body=body)
                self._do(self.server.following.step(asked), wire, asked)

    def _read_body(self) -> dict[str, Any] | None:
        """Return the body; None where it is no object."""
        length = self.headers.get("content-length", "0")
        try:
            body = json.loads(self.rfile.read(int(length)) or b"{}") if length.isdigit() else None
        except (ValueError, RecursionError):
            return None
        return body if isinstance(body, dict) else None

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def _do(self, step: Step, wire: Wire, asked: AskedOver) -> None:
        match step:
            case Refusal():
                wish = step.retry_after_s
                headers = {} if wish is None else {"Retry-After": f"{wish:g}"}
                self._send_json(step.status, wire.error(step.message), headers)
            case Held():
                while not (step.until.is_set() or self.server.closing.is_set()):
                    step.until.wait(_POLL_S)
                self._reply(step.reply, wire, asked)
            case Broken():
                self._break(step, wire, asked)
            case Raw():
                self._send_chunks(step.chunks, step.status, step.content_type)
            case ModelReply():
                self._reply(step, wire, asked)

    def _reply(self, reply: ModelReply, wire: Wire, asked: AskedOver) -> None:
        if asked.streams:
            events = (event.encode() for event in wire.events(reply, asked))
            self._send_chunks(events, 200, "text/event-stream")
        else:
            self._send_json(200, wire.whole(reply, asked))

    def _break(self, step: Broken, wire: Wire, asked: AskedOver) -> None:
        """Send the first events of a stream, or half of a whole body, and no end."""
        events = [event.encode() for event in wire.events(step.reply, asked)][: step.pieces]
        if step.garbage:
            events.append(f"event: garbage\ndata: {step.garbage}\n\n".encode())
        body = json.dumps(wire.whole(step.reply, asked)).encode()
        kind = "text/event-stream" if asked.streams else "application/json"
        self._send_chunks(
            events if asked.streams else [body[: len(body) // 2]],
            200,
            kind,
            ends=bool(step.garbage),
        )

    def _send_json(
        self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        content = json.dumps(body).encode()
        self._begin(status, "application/json", (headers or {}) | {"Content-Length": len(content)})
        self.wfile.write(content)

    def _send_chunks(
        self, chunks: Iterable[bytes], status: int, content_type: str, *, ends: bool = True
    ) -> None:
        """Send a body in chunks as they come; without its end, the client sees that it was cut."""
        self._begin(status, content_type, {"Transfer-Encoding": "chunked"})
        for chunk in chunks:
            if self.server.closing.is_set():
                return
            if chunk:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if ends:
            self.wfile.write(b"0\r\n\r\n")

    def _begin(self, status: int, content_type: str, headers: dict[str, Any]) -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
