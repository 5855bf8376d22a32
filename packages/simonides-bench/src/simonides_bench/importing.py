"""How long a large mailbox takes until its mails are found by words, and what memory that needs.

The import runs in a process of its own, by the command line, as a person would run it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simonides.api.memory import Memory
from simonides.errors import SimonidesError
from simonides_bench.adding import write_mbox
from simonides_bench.corpus import passages

PASSAGES = 4_000
"""Different passages that the mails are made of."""

STEPS = 4
"""The steps that progress counts: writing the mailbox, importing it, importing it again, asking."""


def run(*, mails: int, on_progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Return the figures of an import of so many mails without waiting for vectors.

    Raises:
        SimonidesError: Not every mail was imported, or one was twice.
    """
    with tempfile.TemporaryDirectory(prefix="simonides-import-") as folder:
        mbox, home = Path(folder) / "mail.mbox", Path(folder) / "home"
        corpus = passages(passages_max=PASSAGES)
        write_mbox(mbox, corpus, mails=mails)
        on_progress(1, STEPS)
        first = run_import(mbox, home)
        on_progress(2, STEPS)
        again = run_import(mbox, home)
        on_progress(3, STEPS)
        added, unchanged = first["report"], again["report"]
        if added["kinds"]["email"] != mails or unchanged["added"] or unchanged["updated"]:
            raise SimonidesError(f"of {mails} mails not each was imported once: no rate of that")
        took = _ask(home, corpus[0].sentences[0])
        on_progress(4, STEPS)
        return {
            "mails": mails,
            "mbox_mb": mbox.stat().st_size / 1e6,
            "words_s": first["wall_s"],
            "words_cpu_s": first["cpu_s"],
            "mails_per_s": mails / first["wall_s"],
            "peak_mb": first["peak_mb"],
            "again_s": again["wall_s"],
            "again_peak_mb": again["peak_mb"],
            "chunks_waiting": first["report"]["waiting"],
            "space_mb": sum(f.stat().st_size for f in home.rglob("*") if f.is_file()) / 1e6,
            "first_search_ms": took,
        }


def run_import(path: Path, home: Path) -> dict[str, Any]:
    """Return the report of `simonides import --no-wait`, with its times and its peak memory."""
    arguments = ["import", str(path), "--no-wait", "--json", "--home", str(home)]
    started = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([sys.executable, "-m", "simonides", *arguments], stdout=out)  # noqa: S603
        _pid, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.perf_counter() - started
        out.seek(0)
        printed = out.read()
    if process.returncode:
        raise SimonidesError(f"the import ended with status {process.returncode}")
    return {
        "report": json.loads(printed),
        "wall_s": wall_s,
        "cpu_s": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1e3 if sys.platform == "linux" else used.ru_maxrss / 1e6,
    }


def _ask(home: Path, words: str) -> float:
    """Return the milliseconds of a first search for words, which must find some."""
    with Memory(home) as memory:
        started = time.perf_counter()
        if not memory.search(words):
            raise SimonidesError(f"nothing is found by {words!r}: no time of that")
        return 1000.0 * (time.perf_counter() - started)
