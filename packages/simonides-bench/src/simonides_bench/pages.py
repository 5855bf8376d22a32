"""`simonides bench pages`: what the pages cost, beside the same explanation in the library.

One visitor, one request after the other, over a connection that stays open, to a server in a
process of its own. The time of a page is that until its first byte, as a browser sees it; a
keystroke asks for the front page with a question, as the script of the page does. Questions are
embedded by the stand-in of the tests, so that the time of a model hides nothing.
"""

import http.client
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from simonides.api.memory import Memory
from simonides_bench.http import Progress, fill, memory_of, serve
from simonides_bench.metrics import percentile

PATHS = (
    "/", "/story", "/chat", "/items", "/agenda", "/people", "/memories", "/inbox", "/receipts",
    "/status",
)  # fmt: skip
"""The pages, without a question."""

BUDGET_TOKENS = 1_500
"""The budget of the front page: the library is asked for the same brief."""

Times = Mapping[str, float]

ROUNDS = 20
WARM = 3


def run(*, chunks: int, questions: int, on_progress: Progress | None = None) -> dict[str, Any]:
    """Return the times of each page and of the library's explanation, and their ratio.

    Progress is reported in three steps.

    Raises:
        NotFound: Python came without its documentation, of which the corpus is made.
        SimonidesError: The server did not start.
    """
    report = on_progress or (lambda _done, _of: None)
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        home = Path(folder) / "home"
        every, key = fill(home, chunks=chunks)
        asked = [every[n % len(every)] for n in range(questions + WARM)]
        report(1, 3)
        with memory_of(home) as memory:
            library = _time([_explain(memory, one) for one in asked])
        report(2, 3)
        with serve(home, workers=1) as (port, _pid):
            keystroke, pages = _pages(port, key, asked)
        report(3, 3)
    return {
        "chunks": chunks,
        "library_explain": library,
        "keystroke": keystroke,
        "keystroke_ratio": keystroke["ms_p50"] / library["ms_p50"],
        "pages": pages,
        "slowest_page_ms_p50": max(one["ms_p50"] for one in pages.values()),
    }


def _explain(memory: Memory, question: str) -> Callable[[], object]:
    return lambda: memory.explain(question, budget_tokens=BUDGET_TOKENS)


def _pages(port: int, key: str, asked: Sequence[str]) -> tuple[Times, dict[str, Times]]:
    """Return the times of a keystroke and of each page."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:

        def get(address: str) -> Callable[[], object]:
            return lambda: _first_byte(connection, key, address)

        keystroke = _time([get(f"/?{urlencode({'q': one})}") for one in asked])
        pages = {path: _time([get(path)] * (ROUNDS + WARM)) for path in PATHS}
    return keystroke, pages


def _first_byte(connection: http.client.HTTPConnection, key: str, address: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    if "?" in address:
        headers["HX-Request"] = "true"
    connection.request("GET", address, headers=headers)
    got = connection.getresponse()
    sent = got.read()
    if got.status != http.client.OK:
        raise ValueError(f"{address}: {got.status}: {sent[:200]!r}")


def _time(calls: Sequence[Callable[[], object]]) -> Times:
    """Return the median and the 99th percentile in milliseconds; the first calls only warm."""
    took_ms = []
    for number, call in enumerate(calls):
        started = time.perf_counter()
        call()
        if number >= WARM:
            took_ms.append(1000.0 * (time.perf_counter() - started))
    return {"ms_p50": median(took_ms), "ms_p99": percentile(took_ms, 0.99)}
