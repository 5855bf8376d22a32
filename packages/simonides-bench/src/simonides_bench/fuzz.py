"""A fuzzer over all readers: valid files, damaged at random for so many seconds.

Reads only through the public API. A reader that raises is caught by the import itself, which
reports it; such a report is what is counted here, with the file that made it.
"""

import random
import re
import tempfile
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from simonides.errors import ImportFailed
from simonides.importers import read
from simonides_bench.odd_samples import SAMPLES

SLOW_S = 5.0
"""A file of some kilobytes that takes longer than this counts as one that hangs."""

EXAMPLES_MAX = 10
"""Most failures that the figures show."""

_RAISED = re.compile(r"the importer '|can not be read: \w+(?:Error|Exception)|\[Errno 24\]")
"""How reports begin of what nobody thought of; the last one is that of a sealed process."""

_ENDED = ("ran out of memory or crashed", "took too long")
_TOKENS = (
    b"\0", b"\xff\xfe", b"\r", b"\n\n", b"\n ", b'"', b"'", b"\\", b"=", b";", b":", b",", b"{",
    b"]", b"}", b"[", b"<", b">", b"&#", b"%", b"-1", b"0", b"999999999999999999999", b"1e999",
    b"NaN", b"null", b"true", b"=?utf-8?b?", b"--b", b"BEGIN:", b"END:", b"\x80", b"\xed\xa0\x80",
    b"\xf4\x90", b"P99999999W", b"99999999T999999", b"FREQ=", b"+9999", b"\\ud800",
    b"0001-01-01", b"9999-12-31",
)  # fmt: skip
"""Bytes that mean something to one reader or another."""


def run(
    *,
    seconds: int,
    seed: int,
    on_progress: Callable[[int, int], None],
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """Return what damaged files did to the readers; all figures but the first two should be 0."""
    fuzzer = _Fuzzer(random.Random(seed), clock)  # noqa: S311  not for secrets
    started = clock()
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        while (done := clock() - started) < seconds:
            on_progress(int(done), seconds)
            for name in SAMPLES:
                fuzzer.try_one(Path(folder), name)
    return fuzzer.figures()


def is_sound(figures: Mapping[str, Any]) -> bool:
    """Return whether no reader raised, crashed, hung or was silent."""
    return not any(figures[name] for name in ("raised", "crashed", "slow", "silent"))


def damage(raw: bytes, draw: random.Random) -> bytes:
    """Return the bytes with up to eight changes: some replaced, put in, cut out, copied or left."""
    for _ in range(draw.randrange(1, 9)):
        at, length = draw.randrange(len(raw) + 1), draw.choice((0, 1, 1, 2, 4, 16, 64))
        piece = raw[at : at + length]
        new = draw.choice(
            (draw.choice(_TOKENS), draw.choice(_TOKENS) * 3, draw.randbytes(2), piece * 2, b"")
        )
        raw = raw[:at] + new + raw[at + length :]
    return raw[: draw.randrange(len(raw))] if raw and not draw.randrange(10) else raw


class _Fuzzer:
    """The files tried so far, and what they did."""

    def __init__(self, draw: random.Random, clock: Callable[[], float]) -> None:
        self._draw = draw
        self._clock = clock
        self._counts: Counter[str] = Counter()
        self._examples: list[dict[str, str]] = []

    def try_one(self, folder: Path, name: str) -> None:
        """Read one damaged file of the format."""
        raw = damage(SAMPLES[name], self._draw)
        path = folder / name
        path.write_bytes(raw)
        started, steps = self._clock(), 0
        try:
            for step in read(path):
                steps += 1
                self._counts["items"] += step.item is not None
                self._judge(step.skipped.reason if step.skipped else "", name, raw)
        except ImportFailed:
            steps += 1
        except Exception as error:  # noqa: BLE001  what the fuzzer looks for
            steps += 1
            self._note_finding("raised", f"{type(error).__name__}: {error}", name, raw)
        self._counts["files"] += 1
        if not steps:
            self._note_finding("silent", "neither an item nor a report", name, raw)
        if (took := self._clock() - started) > SLOW_S:
            self._note_finding("slow", f"{took:.1f} s", name, raw)
        with suppress(OSError):
            path.unlink()

    def _judge(self, reason: str, name: str, raw: bytes) -> None:
        if _RAISED.search(reason):
            self._note_finding("raised", reason, name, raw)
        elif any(mark in reason for mark in _ENDED):
            self._note_finding("crashed", reason, name, raw)

    def _note_finding(self, what: str, reason: str, name: str, raw: bytes) -> None:
        self._counts[what] += 1
        if len(self._examples) < EXAMPLES_MAX:
            file = b64encode(raw).decode()
            self._examples.append({"name": name, "found": what, "reason": reason, "file": file})

    def figures(self) -> dict[str, Any]:
        """Return the counts, and the first failures with the files that made them."""
        names = ("files", "items", "raised", "crashed", "slow", "silent")
        return {name: self._counts[name] for name in names} | {"examples": self._examples}
