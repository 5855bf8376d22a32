"""Shared state of the workers of one machine: a process that holds it, asked over a Unix socket.

It lies in memory alone: what is kept may hold words of a space, which must not outlive an erasure
on a disk. Each request and answer is one message of JSON. Must not know what is kept.
"""

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from simonides.working_memory.fallback import Unreachable
from simonides.working_memory.in_process import InProcessWorkingMemory

TIMEOUT_S = 1.0
"""How long an answer may take: a request waits for it. It takes a tenth of a millisecond."""

VALUES_MAX = 100_000
"""Values of all workers: five times what one process keeps."""

_BACKLOG = 128


class _Held:
    """What the process holds: texts by space and key."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._texts = InProcessWorkingMemory(clock, entries_max=VALUES_MAX)
        self._lock = threading.Lock()

    def answer(self, asked: list[Any]) -> Any:
        """Return the answer to one request: the name of a method here, and what it is given."""
        name, *given = asked
        with self._lock:
            return getattr(self, f"on_{name}")(*given)

    def on_get(self, space: str, key: str) -> Any:
        """Return a text."""
        return self._texts.get(space, key)

    def on_put(self, space: str, key: str, text: str, ttl_s: float) -> None:
        """Store a text."""
        self._texts.put(space, key, text, ttl_s=ttl_s)

    def on_put_new(self, space: str, key: str, text: str, ttl_s: float) -> bool:
        """Store a text if there is none; return whether it was stored."""
        return self._texts.put_new(space, key, text, ttl_s=ttl_s)

    def on_delete(self, space: str, key: str) -> bool:
        """Delete a text."""
        return self._texts.delete(space, key)

    def on_clear(self, space: str) -> int:
        """Delete everything of a space."""
        return self._texts.clear(space)

    def on_names(self, space: str) -> list[str]:
        """Return the keys of a space."""
        return list(self._texts.names(space))

    def on_ping(self) -> None:
        """Answer."""


class StateServer:
    """Holds the shared state and answers on a Unix socket; `serve` returns after `close`."""

    def __init__(self, address: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        Path(address).unlink(missing_ok=True)  # that of the one before
        self._address = address
        self._held = _Held(clock)
        self._is_closed = False
        self._listener = Listener(address, family="AF_UNIX", backlog=_BACKLOG)

    def serve(self) -> None:
        """Answer until it is closed, or the process is ended."""
        with self._listener:
            while not self._is_closed:
                try:
                    connection = self._listener.accept()
                except OSError:  # who connected has gone again
                    continue
                threading.Thread(target=_serve, args=(self._held, connection), daemon=True).start()

    def close(self) -> None:
        """Have `serve` return."""
        self._is_closed = True
        with suppress(OSError):  # between two accepts it has seen that, and has closed
            Client(self._address, family="AF_UNIX").close()


def _serve(held: _Held, connection: Connection) -> None:
    """Answer one connection until it is closed."""
    with connection:
        try:
            while True:
                asked = json.loads(connection.recv_bytes())
                connection.send_bytes(json.dumps(held.answer(asked)).encode())
        except (EOFError, OSError):
            return


class SocketState:
    """What is shared through the state process; connects when first asked. Thread-safe."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._idle: list[Connection] = []

    def get(self, space: str, key: str) -> str | None:
        """Return the text of a key."""
        found: str | None = self._asked("get", space, key)
        return found

    def put(self, space: str, key: str, text: str, *, ttl_s: float) -> None:
        """Store a text."""
        self._asked("put", space, key, text, ttl_s)

    def put_new(self, space: str, key: str, text: str, *, ttl_s: float) -> bool:
        """Store a text if there is none; return whether it was stored."""
        return bool(self._asked("put_new", space, key, text, ttl_s))

    def delete(self, space: str, key: str) -> bool:
        """Delete a text; return whether there was one."""
        return bool(self._asked("delete", space, key))

    def clear(self, space: str) -> int:
        """Delete everything of a space."""
        return int(self._asked("clear", space))

    def names(self, space: str) -> tuple[str, ...]:
        """Return the keys of a space, sorted."""
        return tuple(self._asked("names", space))

    def ping(self) -> None:
        """Return if it answers."""
        self._asked("ping")

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for one in idle:
            one.close()

    def _asked(self, *request: Any) -> Any:
        try:
            return self._exchanged(self._taken(), json.dumps(request).encode())
        except (OSError, EOFError) as error:
            self.close()
            raise Unreachable(str(error)) from error

    def _exchanged(self, connection: Connection, sent: bytes) -> Any:
        try:
            connection.send_bytes(sent)
            answer = _answer_of(connection)
        except BaseException:
            connection.close()
            raise
        with self._lock:
            self._idle.append(connection)
        return json.loads(answer)

    def _taken(self) -> Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Client(self._address, family="AF_UNIX")


def _answer_of(connection: Connection) -> bytes:
    if not connection.poll(TIMEOUT_S):
        raise TimeoutError
    return connection.recv_bytes()
