"""A fake of S3 in this process: as much of it as Litestream speaks, in memory, and who may ask.

Signatures are not computed: a request must name the access key that was given. Knows buckets as the
first part of a path (path style), one page of a list, single and several deletions, ranges.
"""

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

ACCESS_KEY, SECRET_KEY = "test-access-key", "test-secret-key"
MODIFIED = "Fri, 06 Mar 2026 12:00:00 GMT"
TIME = "x-amz-meta-litestream-timestamp"
"""The time of an object by whoever wrote it; lists give it as that of its last change."""

_KEY = re.compile(rb"<Key>(.*?)</Key>")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectStorage:
    """A running fake: its address; all objects by bucket and key, and what was said of each."""

    port: int
    objects: dict[str, bytes] = field(default_factory=dict)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    storage: ClassVar[ObjectStorage]

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def parse_request(self) -> bool:
        """Split the address, and refuse who shows no key."""
        if not super().parse_request():
            return False
        address = urlsplit(self.path)
        self.key = unquote(address.path).strip("/")
        self.asked = parse_qs(address.query, keep_blank_values=True)
        if f"Credential={ACCESS_KEY}/" in self.headers.get("Authorization", ""):
            return True
        self._read()
        self._answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        return False

    def do_PUT(self) -> None:
        data = self._read()
        self.storage.objects[self.key] = data
        said = {name.lower(): value for name, value in self.headers.items()}
        self.storage.metadata[self.key] = {
            name: value for name, value in said.items() if name.startswith("x-amz-meta-")
        }
        self._answer(200, ETag=f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"')

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if "list-type" in self.asked:
            self._answer(200, self._listed())
        elif self.key not in self.storage.objects:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            self._send(self.storage.objects[self.key])

    def do_DELETE(self) -> None:
        self.storage.objects.pop(self.key, None)
        self._answer(204)

    def do_POST(self) -> None:
        assert "delete" in self.asked, self.path
        keys = [unescape(one.decode()) for one in _KEY.findall(self._read())]
        for key in keys:
            self.storage.objects.pop(f"{self.key}/{key}", None)
        gone = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
        self._answer(200, f"<DeleteResult>{gone}</DeleteResult>".encode())

    def _send(self, data: bytes) -> None:
        """Send an object, or the range of it that is asked for."""
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked is None:
            self._answer(
                200, data, **{"Last-Modified": MODIFIED}, **self.storage.metadata[self.key]
            )
            return
        first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
        where = f"bytes {first}-{last}/{len(data)}"
        self._answer(206, data[first : last + 1], **{"Content-Range": where})

    def _listed(self) -> bytes:
        """Return one page of all keys below a prefix, and of the folders where they are wanted."""
        prefix, delimiter = self._of("prefix"), self._of("delimiter")
        found: dict[str, str] = {}
        for path, data in sorted(self.storage.objects.items()):
            key = path.removeprefix(f"{self.key}/")
            if key == path or not key.startswith(prefix) or key <= self._of("start-after"):
                continue
            folder, sign, _ = key[len(prefix) :].partition(delimiter or "\0")
            if sign:
                name = escape(f"{prefix}{folder}{sign}")
                found[name] = f"<CommonPrefixes><Prefix>{name}</Prefix></CommonPrefixes>"
            else:
                modified = self.storage.metadata[path].get(TIME, "2026-03-06T12:00:00.000Z")
                found[key] = (
                    f"<Contents><Key>{escape(key)}</Key><LastModified>{modified}</LastModified>"
                    f"<Size>{len(data)}</Size></Contents>"
                )
        text = (
            f"<ListBucketResult><Name>{quote(self.key)}</Name><IsTruncated>false</IsTruncated>"
            f"<KeyCount>{len(found)}</KeyCount>{''.join(found.values())}</ListBucketResult>"
        )
        return text.encode()

    def _of(self, name: str) -> str:
        return self.asked.get(name, [""])[0]

    def _read(self) -> bytes:
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return data
        pieces, at = [], 0
        while size := int(re.match(rb"[0-9a-f]+", data[at:])[0], 16):  # type: ignore[index]  # its form
            at = data.index(b"\r\n", at) + 2
            pieces.append(data[at : at + size])
            at += size + 2
        return b"".join(pieces)

    def _answer(self, status: int, data: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextmanager
def object_storage() -> Iterator[ObjectStorage]:
    """Run a fake of S3 on a free port, until the end of the block."""

    class Handler(_Handler):
        """The handler of this one."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Handler.storage = ObjectStorage(port=server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Handler.storage
        finally:
            server.shutdown()
            thread.join()
