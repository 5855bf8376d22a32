"""A proxy before a server, which cuts every connection at one message of a client."""

import socket
import threading
from contextlib import suppress
from typing import Self

HOST = "127.0.0.1"
AT_ONCE = 65_536


class CuttingProxy:
    """Passes everything on, until it is told to cut or to hush; after one cut it passes everything
    again.

    A message is what the client sends in one go.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._server = socket.create_server((HOST, 0))
        self.port: int = self._server.getsockname()[1]
        self.was_cut = False
        self._left = 0
        self._is_heard = False
        self._is_hushed = False
        self._swallowed: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._threads = [threading.Thread(target=self._accept)]

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._threads[0].join()
        self._cut_all()
        for one in self._threads:
            one.join()

    def cut(self, *, at: int, heard: bool) -> None:
        """Cut at the `at`th message from now; the server has `heard` it, or not."""
        with self._lock:
            self._left, self._is_heard = at, heard

    def hush(self) -> None:
        """Pass nothing on from now: take every connection and message, and say nothing."""
        self._is_hushed = True

    def speak(self) -> None:
        """Pass on what new connections say; what was said meanwhile is lost."""
        self._is_hushed = False

    def swallow(self) -> None:
        """Pass nothing on of the connections that are open now, and say nothing; others go on."""
        self._swallowed |= {client for client, _ in self._pairs}

    def _is_silent(self, client: socket.socket) -> bool:
        return self._is_hushed or client in self._swallowed

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                server = socket.create_connection((HOST, self._target))
                self._pairs.append((client, server))
                for pump in (self._to_server, self._to_client):
                    thread = threading.Thread(target=pump, args=(client, server))
                    self._threads.append(thread)
                    thread.start()

    def _to_server(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while sent := client.recv(AT_ONCE):
                if self._is_silent(client):
                    continue
                is_last = self._counts_down()
                if is_last and self._is_heard:
                    client.shutdown(socket.SHUT_WR)  # the answer is lost
                if not is_last or self._is_heard:
                    server.sendall(sent)
                if is_last and self._is_heard:
                    server.shutdown(socket.SHUT_WR)  # it ends after what it has heard
                    return
                if is_last:
                    break
        _close(client, server)

    def _to_client(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while answer := server.recv(AT_ONCE):
                if self._is_silent(client):
                    continue
                client.sendall(answer)
        _close(client, server)

    def _counts_down(self) -> bool:
        with self._lock:
            if not self._left:
                return False
            self._left -= 1
            self.was_cut = not self._left
            return self.was_cut

    def _cut_all(self) -> None:
        for pair in self._pairs:
            _close(*pair)


def _close(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
