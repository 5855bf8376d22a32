"""Clients that are slow, stuck or gone, and a language model that never answers.

Each client is a socket that stays open until it is closed. Must not know what the server makes of
it.
"""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_SMALL_BUFFER = 4_096
_PAUSE_S = 0.1
_UPLOAD_BYTES = 400_000
_BOUNDARY = "simonides-peers"
_LINGER_NONE = struct.pack("ii", 1, 0)
"""Closes a connection by a reset: what was not read is thrown away (socket(7), `SO_LINGER`)."""


class Client:
    """One connection that misbehaves; `pace` is called until it is closed, if there is any."""

    def __init__(self, port: int, *, sends: bytes, pace: Callable[[socket.socket], object] | None
                 = None) -> None:  # fmt: skip
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
        self.socket.settimeout(10)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(sends)
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(pace,)) if pace else None
        if self._thread is not None:
            self._thread.start()

    def _run(self, pace: Callable[[socket.socket], object]) -> None:
        with suppress(OSError):
            while not self._is_closed.wait(_PAUSE_S):
                pace(self.socket)

    def close(self) -> None:
        """Go away by a reset."""
        self._is_closed.set()
        if self._thread is not None:
            self._thread.join()
        with suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NONE)
        self.socket.close()


def _head(method: str, path: str, *, size: int = 0, media: str = "application/json") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Type: {media}"]
    lines += [f"Content-Length: {size}"] if size else []
    return "\r\n".join((*lines, "", "")).encode()


def stuck_reader(port: int) -> Client:
    """Asks for an export and never reads."""
    return Client(port, sends=_head("GET", "/v1/export"))


def slow_reader(port: int) -> Client:
    """Asks for an export and reads ten times a second a little of it."""
    return Client(port, sends=_head("GET", "/v1/export"), pace=lambda one: one.recv(256))


def vanishing_reader(port: int) -> Client:
    """Asks for an export and is gone at once."""
    client = stuck_reader(port)
    client.close()
    return client


def half_body(port: int) -> Client:
    """Sends a part of a body and no more."""
    return Client(port, sends=_head("POST", "/v1/items", size=10_000) + b'{"content": "half')


def dribbled_head(port: int) -> Client:
    """Sends a head, a byte at a time, that never ends."""
    return Client(port, sends=b"GET /v1/stats HTTP/1.1\r\nX: ", pace=lambda one: one.send(b"x"))


def idle(port: int) -> Client:
    """Connects and says nothing."""
    return Client(port, sends=b"")


def stalled_upload(port: int) -> Client:
    """Sends a part of an upload and no more."""
    begin = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
    ).encode() + b"a line of notes\n" * 8_000
    media = f"multipart/form-data; boundary={_BOUNDARY}"
    return Client(port, sends=_head("POST", "/v1/imports", size=_UPLOAD_BYTES, media=media) + begin)


def vanishing_upload(port: int) -> Client:
    """Sends a part of an upload and is gone."""
    client = stalled_upload(port)
    client.close()
    return client


def waiting_chat(port: int) -> Client:
    """Asks the assistant, streamed, while its model never answers."""
    body = b'{"message": "what about the harbour?", "stream": true}'
    return Client(port, sends=_head("POST", "/v1/chat", size=len(body)) + body)


def waiting_proxy(port: int) -> Client:
    """Asks by the proxy's route while the model behind it never answers."""
    body = b'{"model": "stuck", "stream": true, "messages": [{"role": "user", "content": "hello"}]}'
    return Client(port, sends=_head("POST", "/openai/v1/chat/completions", size=len(body)) + body)


KINDS: dict[str, Callable[[int], Client]] = {
    one.__name__: one
    for one in (
        stuck_reader, slow_reader, vanishing_reader, half_body, dribbled_head, idle,
        stalled_upload, vanishing_upload, waiting_chat, waiting_proxy,
    )
}  # fmt: skip
"""Every way to misbehave, by name."""


@contextmanager
def stuck_model() -> Iterator[int]:
    """Give the port of a model that takes every request and never answers."""
    accepted: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:

        def take() -> None:
            with suppress(OSError):
                while True:
                    accepted.append(listening.accept()[0])

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            thread.join(5)
            for one in accepted:
                one.close()
