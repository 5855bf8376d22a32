"""What the bench runs in a process of its own: `python -m simonides_bench.child VERB …`.

Writes one line of JSON. Imports nothing heavy before its clock runs.
"""

import time

_STARTED = time.perf_counter()

import importlib  # noqa: E402  the clock runs first
import json  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

if TYPE_CHECKING:
    from simonides.api.memory import Memory

STATUS = Path("/proc/self/status")
"""Linux tells a process's memory there, in KiB; elsewhere memory is not measured."""


def cold(home: str, asked: str) -> dict[str, Any]:
    """Return how long importing, opening and answering one question take, one after the other."""
    question = json.loads(Path(asked).read_text("utf-8"))
    _import_all()
    imported = time.perf_counter()
    memory = _open(home, question)
    result = memory.search(question["text"])
    answered = time.perf_counter()
    memory.close()
    return {
        "import_ms": 1000.0 * (imported - _STARTED),
        "answer_ms": 1000.0 * (answered - imported),
        "hits": len(result),
    }


def weigh(home: str, asked: str) -> dict[str, Any]:
    """Return the bytes that this process grows by when it opens a space and answers, warm.

    `view_bytes` is what the view itself counts; `peak_bytes` the most that was held on the way.
    """
    import gc
    import tempfile

    question = json.loads(Path(asked).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as other, _open(other, question) as memory:
        memory.add(question["text"])
        memory.search(question["text"])  # loads code and libraries
    gc.collect()
    before = _memory_bytes("VmRSS")
    memory = _open(home, question)
    for _ in range(2):
        memory.search(question["text"])
    gc.collect()
    parts = memory._runtime  # noqa: SLF001  no public verb tells the bytes of a view
    view = parts.index(parts.store.open_any(memory.space))
    return {
        "resident_bytes": _memory_bytes("VmRSS") - before,
        "peak_bytes": _memory_bytes("VmHWM") - before,
        "view_bytes": view.nbytes,
    }


def adds(home: str, count: str) -> dict[str, Any]:
    """Add so many texts, each in a commit of its own."""
    from simonides.api.memory import Memory
    from simonides.config import Settings

    with Memory(home, settings=Settings(embedder="none", timezone="UTC")) as memory:
        for number in range(int(count)):
            memory.add(f"The meeting number {number} was moved to the following Friday.")
    return {"added": int(count)}


def _import_all() -> None:
    """Import what the first question would import anyway."""
    for room in ("api.memory", "retrieval.search", "storage.sqlite", "index.index_cache"):
        importlib.import_module(f"simonides.{room}")
    importlib.import_module("simonides_bench.replay")


def _open(home: str, question: dict[str, Any]) -> "Memory":
    import numpy as np

    from simonides.api.memory import Memory
    from simonides.config import Settings
    from simonides.model.stored import EmbedderIdentity
    from simonides_bench.replay import ReplayEmbedder

    embedder = ReplayEmbedder(EmbedderIdentity(**question["identity"]))
    embedder.learn([question["text"]], np.array([question["vector"]], dtype=np.float32))
    settings = Settings(timezone="UTC")
    return Memory(home, space=question["space"], settings=settings, embedder=embedder)


def _memory_bytes(name: str) -> int:
    """Return the resident memory of this process: `VmRSS` now, `VmHWM` at its highest."""
    lines = (line.split() for line in STATUS.read_text("ascii").splitlines())
    return next(1024 * int(line[1]) for line in lines if line[0] == f"{name}:")


VERBS: dict[str, Callable[..., dict[str, Any]]] = {"cold": cold, "weigh": weigh, "adds": adds}

if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(VERBS[verb](*arguments)) + "\n")
