"""One of the processes: `python -m simonides_bench.together.process HOME ORDERS`.

Opens the space, says `ready`, begins when a line comes in, works with several threads until its
time is over, and writes one line of JSON: what each of its threads did and saw.
"""

import json
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.together.work import COMMON, Seen, Worker

DIMENSION = 64
"""Small: what is tried is order, not meaning."""


def open_memory(home: Path, *, timeout_s: float) -> Memory:
    """Return the memory that all processes work on."""
    settings = Settings(timezone="UTC", timeout_s=timeout_s)
    return Memory(home, settings=settings, embedder=HashingEmbedder(DIMENSION))


def work(memory: Memory, orders: dict[str, Any]) -> list[Seen]:
    """Let each thread work for its time; return what each saw."""
    ends = time.monotonic() + orders["seconds"]
    names = [f"p{orders['process']}t{n}" for n in range(orders["threads"])]
    workers = [
        Worker(memory, name=name, chance=random.Random(f"{orders['seed']} {name}"))  # noqa: S311  a trial
        for name in names
    ]
    threads = [
        threading.Thread(target=_guard, args=(one, lambda: time.monotonic() >= ends))
        for one in workers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [one.seen for one in workers]


def _guard(worker: Worker, until: Callable[[], bool]) -> None:
    """Work; what nobody expected is reported as a fault, not on a stream that nobody reads."""
    try:
        worker.work(until)
    except Exception as error:  # noqa: BLE001  reported by the parent
        worker.seen.done["error"] += 1
        worker.seen.faults.append(f"unexpected {type(error).__name__}: {error}")


def to_json(seen: Seen) -> dict[str, Any]:
    """Return what a thread saw as JSON-able values."""
    named = {name: getattr(seen, name) for name in Seen.__slots__}
    return {**named, "forgotten": sorted(seen.forgotten)}


def main(home: str, text: str) -> None:
    """Work as ordered, and say what was seen."""
    orders = json.loads(text)
    with open_memory(Path(home), timeout_s=orders["timeout_s"]) as memory:
        memory.search(COMMON)  # loads code, and the index
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        seen = work(memory, orders)
    sys.stdout.write(json.dumps([to_json(one) for one in seen]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
