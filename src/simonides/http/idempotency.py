"""Idempotency: a write sent twice with one Idempotency-Key is executed once.

The truth of it is the store's: the first write of a request notes its hash in its own transaction
(`api.once`). Besides, two values lie in working memory for a day. The mark says that it was begun
or done, without a word of it; it stands outside the space, so that no erasure makes a request look
new, and whoever loses it loses no more than an answer. The answer holds words of what was kept; it
stands in the space and goes with whatever is erased there. Each answer bears the space's mark of
erasures as well: once anything was erased, by whichever process, it is dropped, and of the request
is only known that it was done.
"""

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from itertools import chain
from typing import Any

from simonides.errors import SimonidesError
from simonides.http.errors import RequestRefused
from simonides.http.route import Call
from simonides.ports.models import WorkingMemory

TTL_S = 24 * 3600.0
"""How long an answer is given again (the draft RFC leaves it to the server; a day is usual)."""

RUNNING_TTL_S = 60.0
"""How long a key is taken by a request that runs; one whose process was killed is free then.

A request that runs for longer is done once all the same: its writes are noted with it.
"""

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

_BEGUN: dict[str, Any] = {}
"""Stands in the place of an answer while it is made, and is gone if the space is erased."""

NOT_KEPT = "its answer was too long to be kept, or something was erased since"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResponse:
    """A stored response: status, body and headers."""

    status: int
    body: bytes
    headers: dict[str, str]


class IdempotencyStore:
    """The responses of a day, by caller and Idempotency-Key."""

    def __init__(self, working: WorkingMemory) -> None:
        self._working = working
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], OrderedDict[str, int]] = {}
        self._marks: dict[str, str] = {}

    def begin(self, call: Call) -> StoredResponse | None:
        """Return the earlier response to this request; None if it is to be executed.

        Raises:
            Refused: The key was used for another request, or this one is still running.
        """
        name, digest, mark = _name(call), _digest(call), call.memory.erasure_mark()
        space = call.caller.space
        self._drop_stale(space, mark)
        mine: dict[str, Any] = {"digest": digest, "status": 0, "mark": mark}
        if self._working.put_new(_marks_of(space), name, mine, ttl_s=RUNNING_TTL_S):
            self._working.put(space, name, _BEGUN, ttl_s=RUNNING_TTL_S)
            return None
        there = self._working.get(_marks_of(space), name) or mine
        if there["digest"] != digest:
            raise RequestRefused(409, f"this {HEADER} was used for another request; take a new one")
        if not there["status"]:
            raise RequestRefused(
                409, "the same request is being done right now; try again", retry_s=1.0
            )
        kept = self._working.get(space, name)
        if kept is None or kept == _BEGUN or not _holds(kept["mark"], mark):
            raise RequestRefused(409, f"this was done; {NOT_KEPT}")
        return StoredResponse(
            status=there["status"], body=kept["body"].encode(), headers=dict(kept["headers"])
        )

    def end(self, call: Call, given: StoredResponse | None) -> None:
        """Store a response; None, or a response without success, releases the key."""
        name, space = _name(call), call.caller.space
        begun = self._working.get(_marks_of(space), name)
        if given is None or not 200 <= given.status < 300:  # noqa: PLR2004  HTTP's own numbers
            self._working.delete(_marks_of(space), name)
            self._working.delete(space, name)
            return
        was_erased = self._working.get(space, name) is None  # and may be in an answer that shows it
        mark = _mark_after(call, None if was_erased else begun)
        kept: dict[str, Any] | None = None
        is_sayable = mark is not None and not (was_erased and call.route.shows)
        if is_sayable and len(given.body) <= ANSWER_BYTES_MAX:
            kept = {"body": given.body.decode(), "headers": given.headers, "mark": mark}
            self._working.put(space, name, kept, ttl_s=TTL_S)
        done = {"digest": _digest(call), "status": given.status, "mark": mark or ""}
        self._working.put(_marks_of(space), name, done, ttl_s=TTL_S)
        self._record((space, call.caller.id), name, len(given.body) if kept else 0)

    def _drop_stale(self, space: str, mark: str) -> None:
        """Drop responses from before the last erasure of a space: they may hold erased words."""
        with self._lock:
            if self._marks.setdefault(space, mark) == mark:
                return
            self._marks[space] = mark
            mine = [list(names) for whose, names in self._kept.items() if whose[0] == space]
        for name in chain.from_iterable(mine):
            kept = self._working.get(space, name)
            if kept is not None and kept != _BEGUN and not _holds(kept["mark"], mark):
                self._working.delete(space, name)

    def _record(self, whose: tuple[str, str], name: str, size: int) -> None:
        """Record a stored response, and drop the oldest ones of its caller past the limits."""
        with self._lock:
            mine = self._kept.setdefault(whose, OrderedDict())
            mine.pop(name, None)
            mine[name] = size
            gone = []
            while len(mine) > ANSWERS_MAX or sum(mine.values()) > ANSWERS_BYTES_MAX:
                gone.append(mine.popitem(last=False)[0])
        for one in gone:
            self._working.delete(whose[0], one)  # its mark stays: it was done


def _mark_after(call: Call, begun: dict[str, Any] | None) -> str | None:
    """Return the erasure mark of a new response; None if something was erased meanwhile."""
    try:
        mark = call.memory.erasure_mark()
    except SimonidesError:  # what was done is done, also where the space cannot be read now
        return None
    return mark if begun is None or _holds(begun["mark"], mark) else None


def _holds(before: str, now: str) -> bool:
    """Return whether nothing was erased between two marks; a new space has its first one."""
    return before == now or (not before and now.endswith(":0"))


def key_of(call: Call) -> str:
    """Return the Idempotency-Key of a request; empty without one.

    Raises:
        Refused: It is no key.
    """
    key: str | None = call.request.headers.get(HEADER)
    if key is not None and not _KEY.fullmatch(key):
        raise RequestRefused(
            400, f"{HEADER} must have 1 to {KEY_CHARS_MAX} visible ASCII characters"
        )
    return key or ""


def _marks_of(space: str) -> str:
    """Return where the marks of a space's requests stand: in no space, for no name has a colon."""
    return f"http:once:{space}"


def digest_of(call: Call) -> str:
    """Return the hash by which a request is known: of its caller, route and key."""
    named = f"{call.caller.id}:{call.route.method} {call.route.path}:{key_of(call)}"
    return hashlib.sha256(named.encode()).hexdigest()


def _name(call: Call) -> str:
    return f"http:once:{digest_of(call)}"


def _digest(call: Call) -> str:
    url = call.request.url
    head = f"{call.request.method}\x1f{url.path}\x1f{url.query}\x1f"
    return hashlib.sha256(head.encode() + call.sent).hexdigest()
