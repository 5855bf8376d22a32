"""Starts the processes, adds up what they saw, and holds the space against it afterwards."""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import IO, Any

from simonides.api.memory import Memory
from simonides.errors import NotFound
from simonides_bench.metrics import percentile
from simonides_bench.together.process import open_memory
from simonides_bench.together.work import COMMON, COUNTERS, Seen, counter_id

PROCESS = (sys.executable, "-m", "simonides_bench.together.process")

TIMEOUT_S = 10.0
"""How long a writer waits for others: the engine's own default."""

GRACE_S = 120.0
"""How long a process may take beyond its time; one that hangs is killed, and that is a fault."""

FAULTS_SHOWN = 20

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """So many processes of so many threads work for so many seconds."""

    processes: int = 4
    threads: int = 8
    seconds: float = 60.0
    seed: int = 1


def run(load: Load, *, on_progress: Progress | None = None) -> dict[str, Any]:
    """Return the figures of one run; `is_sound` says whether they are as they must be.

    `lost_updates` are counts that are not in the counters and writes that are not in the space at
    the end; `stale_reads` own writes that the next read did not have; `lock_errors` verbs that
    failed because others wrote; `slowest_write_ms` the longest that anyone waited, and
    `least_share` what the thread that wrote least did, over the median of all.
    """
    with tempfile.TemporaryDirectory(prefix="simonides-together-") as folder:
        home = Path(folder) / "home"
        with open_memory(home, timeout_s=TIMEOUT_S) as memory:
            for number in range(COUNTERS):
                memory.add(
                    f"A counter of the {COMMON}.", title="counted to 0", id=counter_id(number)
                )
        seen, failed = _work(home, load, on_progress=on_progress)
        with open_memory(home, timeout_s=TIMEOUT_S) as memory:
            lost = [*_find_lost(memory, seen), *failed]
            unsound = [one.detail for one in memory.verify() if not one.sound]
    return _figures(load, seen, lost=lost, unsound=unsound)


def is_sound(figures: Mapping[str, Any]) -> bool:
    """Return whether nothing was lost, stale or refused, and nobody waited past the time-out.

    A run in which nobody wrote shows nothing, and is not sound either.
    """
    names = ("lost_updates", "stale_reads", "lock_errors", "errors", "starved", "unsound")
    return (
        not any(figures[name] for name in names)
        and any(figures[name] for name in ("adds", "counts"))
        and figures["slowest_write_ms"] <= 1000.0 * TIMEOUT_S
    )


def _work(home: Path, load: Load, *, on_progress: Progress | None) -> tuple[list[Seen], list[str]]:
    """Let all processes work at once; return what their threads saw, and which process failed."""
    children = [_start(home, load, number) for number in range(load.processes)]
    for child in children:
        _pipe(child.stdout).readline()
    for child in children:
        _begin(child)
    _wait(children, load, on_progress)
    seen, failed = [], []
    for number, child in enumerate(children):
        with child:
            said = _read_line(child, load)
        if child.returncode or said is None:
            failed.append(f"process {number} ended with status {child.returncode}")
        else:
            seen += said
    return seen, failed


def _start(home: Path, load: Load, number: int) -> "subprocess.Popen[bytes]":
    orders = {
        "process": number, "threads": load.threads, "seconds": load.seconds, "seed": load.seed,
        "timeout_s": TIMEOUT_S,
    }  # fmt: skip
    return subprocess.Popen(  # noqa: S603  our own module
        (*PROCESS, str(home), json.dumps(orders)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def _begin(child: "subprocess.Popen[bytes]") -> None:
    """Let a process begin; of one that is gone already its status tells later."""
    with suppress(BrokenPipeError):
        _pipe(child.stdin).write(b"go\n")
        _pipe(child.stdin).flush()


def _wait(
    children: Sequence["subprocess.Popen[bytes]"], load: Load, on_progress: Progress | None
) -> None:
    """Tell the seconds while the first process works."""
    started = time.monotonic()
    while children[0].poll() is None and (gone := time.monotonic() - started) < load.seconds:
        if on_progress is not None:
            on_progress(int(gone), int(load.seconds) or 1)
        time.sleep(min(1.0, load.seconds))


def _read_line(child: "subprocess.Popen[bytes]", load: Load) -> list[Seen] | None:
    try:
        said, _ = child.communicate(timeout=load.seconds + GRACE_S)
    except subprocess.TimeoutExpired:
        child.kill()
        return None
    try:
        return [_read(one) for one in json.loads(said)]
    except ValueError:  # it died before the end of its line
        return None


def _read(tree: dict[str, Any]) -> Seen:
    return Seen(
        done=Counter(tree["done"]), counted=Counter(tree["counted"]), faults=tree["faults"],
        write_ms=tree["write_ms"], kept=tree["kept"], forgotten=set(tree["forgotten"]),
    )  # fmt: skip


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise AssertionError("it was started with pipes")
    return stream


def _find_lost(memory: Memory, seen: Sequence[Seen]) -> Iterator[str]:
    """Yield what was acknowledged to threads and is not in the space."""
    counted: Counter[str] = sum((one.counted for one in seen), Counter())
    for number in range(COUNTERS):
        key = counter_id(number)
        item = memory.get(key)
        if item.title != f"counted to {counted[key]}" or item.version != counted[key] + 1:
            yield f"{key} was counted {counted[key]} times and says {item.title!r}"
    for one in seen:
        for item_id, word in one.kept.items():
            if word not in _content(memory, item_id):
                yield f"{item_id} does not say {word}"
        for item_id in sorted(one.forgotten):
            if _content(memory, item_id):
                yield f"{item_id} was forgotten and is there"


def _content(memory: Memory, item_id: str) -> str:
    try:
        return memory.get(item_id).content
    except NotFound:
        return ""


def _figures(
    load: Load, seen: Sequence[Seen], *, lost: Sequence[str], unsound: Sequence[str]
) -> dict[str, Any]:
    done: Counter[str] = sum((one.done for one in seen), Counter())
    writes = [len(one.write_ms) for one in seen] or [0]
    times = [took for one in seen for took in one.write_ms] or [0.0]
    middle = median(writes)
    faults = [*lost, *unsound, *(fault for one in seen for fault in one.faults)]
    return {
        "processes": load.processes,
        "threads": load.threads,
        "seconds": load.seconds,
        **{name: done[name] for name in ("adds", "replacements", "forgets", "counts", "overtaken",
                                         "searches", "briefs")},
        "lost_updates": len(lost),
        "stale_reads": done["stale read"],
        "lock_errors": done["lock error"],
        "errors": done["error"],
        "starved": done["starved"],
        "unsound": len(unsound),
        "write_ms_p50": median(times),
        "write_ms_p99": percentile(times, 0.99),
        "slowest_write_ms": max(times),
        "least_share": min(writes) / middle if middle else 0.0,
        "faults": faults[:FAULTS_SHOWN],
    }  # fmt: skip
