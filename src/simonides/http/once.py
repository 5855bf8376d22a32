"""A write that is sent twice with one Idempotency-Key is done once, and answered the same twice.

What was answered lies in working memory for a day and never on disk: an answer holds words of what
was kept, and what is erased must not live on in a log of answers. So a restart of the server
forgets it; the engine's own rules (the same thing added twice is one) hold all the same.
"""

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from simonides.http.problems import Refused
from simonides.http.route import Call, Route
from simonides.ports.chat import WorkingMemory

TTL_S = 24 * 3600.0
"""How long an answer is given again (the draft RFC leaves it to the server; a day is usual)."""

RUNNING_TTL_S = 3600.0
"""How long a request may run before its key is free again."""

KEY_CHARS_MAX = 255
ANSWER_BYTES_MAX = 1 << 20
"""Longer answers are not kept; the request is not done a second time either."""

ANSWERS_MAX, ANSWERS_BYTES_MAX = 1_000, 8 << 20
"""Answers of one caller that are kept, and how long they may be together; the oldest go first.

So one who writes a lot crowds nobody else out of working memory, and does not fill it.
"""

_KEY = re.compile(rf"[!-~]{{1,{KEY_CHARS_MAX}}}")

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An answer as it went out."""

    status: int
    body: bytes
    headers: dict[str, str]


class Once:
    """The answers of a day, by who asked and by their key."""

    def __init__(self, working: WorkingMemory) -> None:
        self._working = working
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], OrderedDict[str, int]] = {}

    def begin(self, call: Call, route: Route, *, sent: bytes) -> Given | None:
        """Return the answer that was given to this request before; None where it is to be done.

        Raises:
            Refused: The key was used for another request, or this one is still running.
        """
        name, digest = _name(call, route), _digest(call, sent)
        mine = {"digest": digest, "status": 0}
        if self._working.put_new(call.caller.space, name, mine, ttl_s=RUNNING_TTL_S):
            return None
        there = self._working.get(call.caller.space, name) or {"digest": digest, "status": 0}
        if there["digest"] != digest:
            raise Refused(409, f"this {HEADER} was used for another request; take a new one")
        if not there["status"]:
            raise Refused(409, "the same request is being done right now; try again", retry_s=1.0)
        if there["body"] is None:
            raise Refused(409, "this was done; its answer was too long to be kept")
        return Given(
            status=there["status"], body=there["body"].encode(), headers=dict(there["headers"])
        )

    def end(self, call: Call, route: Route, given: Given | None, *, sent: bytes) -> None:
        """Keep what was answered; None, or an answer that tells of no success, frees the key."""
        name, space = _name(call, route), call.caller.space
        if route.shows and self._working.get(space, name) is None:
            return  # what the space held was erased meanwhile, and may be in this answer
        if given is None or not 200 <= given.status < 300:  # noqa: PLR2004  HTTP's own numbers
            self._working.delete(space, name)
            return
        text = given.body.decode() if len(given.body) <= ANSWER_BYTES_MAX else None
        kept: dict[str, Any] = {
            "digest": _digest(call, sent), "status": given.status, "body": text,
            "headers": given.headers,
        }  # fmt: skip
        self._working.put(space, name, kept, ttl_s=TTL_S)
        self._bound((space, call.caller.id), name, len(text or ""))

    def _bound(self, whose: tuple[str, str], name: str, size: int) -> None:
        """Note that an answer is kept, and drop the oldest of whose it is past the bounds."""
        with self._lock:
            mine = self._kept.setdefault(whose, OrderedDict())
            mine.pop(name, None)
            mine[name] = size
            gone = []
            while len(mine) > ANSWERS_MAX or sum(mine.values()) > ANSWERS_BYTES_MAX:
                gone.append(mine.popitem(last=False)[0])
        for one in gone:
            self._working.delete(whose[0], one)


def key_of(call: Call) -> str:
    """Return the Idempotency-Key that was sent; empty if none was.

    Raises:
        Refused: It is no key.
    """
    key: str | None = call.request.headers.get(HEADER)
    if key is not None and not _KEY.fullmatch(key):
        raise Refused(400, f"{HEADER} must have 1 to {KEY_CHARS_MAX} visible ASCII characters")
    return key or ""


def _name(call: Call, route: Route) -> str:
    return f"http:once:{call.caller.id}:{route.method} {route.path}:{key_of(call)}"


def _digest(call: Call, sent: bytes) -> str:
    url = call.request.url
    told = f"{call.request.method}\x1f{url.path}\x1f{url.query}\x1f"
    return hashlib.sha256(told.encode() + sent).hexdigest()
