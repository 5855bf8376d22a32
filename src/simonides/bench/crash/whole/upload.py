"""The step that has a server in this process take an upload in and import it.

Knows the routes of imports. Must not know how a server keeps an upload.
"""

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simonides.bench.crash.whole.facts import HOME, OUT, Facts, opened
from simonides.bench.crash.whole.steps import Plain
from simonides.errors import StoreError

_DEADLINE_S = 60.0
_BOUNDARY = "simonides-bench-boundary"
_ENDED = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload(Plain):
    """Uploads an export that lies outside the home, and waits until it is imported.

    `items` are those that it adds; what was erased is not added again.
    """

    name: str
    items: Mapping[str, str]

    def do(self, root: Path) -> str:
        """Serve, upload, wait, and stop serving.

        Raises:
            StoreError: The server refused the upload, or the import failed.
        """
        with _served(root) as port:
            begun = _sent(port, root / OUT / self.name)
            if "id" not in begun:
                raise _refusal(begun)
            until = time.monotonic() + _DEADLINE_S
            while begun.get("state") not in _ENDED and time.monotonic() < until:
                time.sleep(0.01)
                begun = _asked(port, "GET", f"/v1/imports/{begun['id']}")
        if begun.get("state") != "done":
            raise _refusal(begun)
        return ""

    def after(self, facts: Facts, told: str) -> Facts:  # noqa: ARG002  others need it
        """The items are there."""
        return facts.with_items(self.items)


def _refusal(told: Mapping[str, Any]) -> Exception:
    """Return the error that a server told: one of the engine's own, unless it is a surprise."""
    if told.get("code") == "unexpected":
        return RuntimeError(f"the server told a surprise: {dict(told)}")
    return StoreError(f"the upload was refused: {dict(told)}")


@contextmanager
def _served(root: Path) -> Iterator[int]:
    """Give the port of a server in a thread, which is stopped afterwards."""
    import uvicorn

    from simonides.http.app import make_app, make_server

    made = make_app(make_server(opened(root), uploads=root / HOME / "uploads"))
    config = uvicorn.Config(made, host="127.0.0.1", port=0, log_config=None, lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        if not server.started:
            raise StoreError("the server did not start")
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(_DEADLINE_S)


def _sent(port: int, file: Path) -> dict[str, Any]:
    head = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    body = head.encode() + file.read_bytes() + f"\r\n--{_BOUNDARY}--\r\n".encode()
    media = f"multipart/form-data; boundary={_BOUNDARY}"
    return _asked(port, "POST", "/v1/imports", body, {"Content-Type": media})


def _asked(
    port: int, method: str, path: str, body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=_DEADLINE_S)) as connection:
        connection.request(method, path, body, dict(headers or {}))
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
    return answer
