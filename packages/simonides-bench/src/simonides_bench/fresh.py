"""Figures that only a fresh process can give: cold starts, memory, syncs."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from simonides.errors import SimonidesError
from simonides.model.stored import EmbedderIdentity
from simonides.storage.sqlite.file_names import snapshot_file
from simonides_bench.child import STATUS
from simonides_bench.replay import Vectors

CHILD = (sys.executable, "-m", "simonides_bench.child")
TIMEOUT_S = 300.0
_SYNC = re.compile(r"\bf(?:data)?sync\(")

Noted = tuple[dict[str, Any], list[str]]
"""Figures, None where something could not be measured, and the notes that say why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A closed space on disk, and a question with its vector to ask of it."""

    home: Path
    space: str
    question: str
    vector: Vectors
    identity: EmbedderIdentity
    has_snapshot: bool

    def write_question(self) -> str:
        """Write the question down for a child; return the file's path."""
        path = self.home / "asked.json"
        what = {
            "space": self.space,
            "text": self.question,
            "vector": self.vector.tolist(),
            "identity": asdict(self.identity),
        }
        path.write_text(json.dumps(what), "utf-8")
        return str(path)


def cold_figures(kept: Kept, *, repeats: int) -> Noted:
    """Return how long a fresh process takes from opening the space to its first answer.

    With the snapshot where there is one, and without; importing apart. The files are in the
    system's cache.
    """
    built = [_alone("cold", kept, with_snapshot=False) for _ in range(repeats)]
    figures: dict[str, Any] = {
        "import_ms": median(run["import_ms"] for run in built),
        "with_snapshot_ms": None,
        "without_snapshot_ms": median(run["answer_ms"] for run in built),
    }
    read: list[dict[str, Any]] = []
    if kept.has_snapshot:
        read = [_alone("cold", kept, with_snapshot=True) for _ in range(repeats)]
        figures["with_snapshot_ms"] = median(run["answer_ms"] for run in read)
    first = figures["with_snapshot_ms"] or figures["without_snapshot_ms"]
    notes = [] if kept.has_snapshot else ["no snapshot was written when the space was closed"]
    empty = sum(not run["hits"] for run in (*built, *read))
    if empty:
        notes.append(f"open_to_first_answer_ms: {empty} cold starts found nothing at all")
    return {"open_to_first_answer_ms": first, "cold_start": figures}, notes


def memory_figures(kept: Kept, *, chunks: int) -> Noted:
    """Return the bytes per chunk that a process grows by when it warms the space."""
    if not STATUS.exists():
        return {"memory_bytes_per_chunk": None}, ["memory is measured on Linux only"]
    built = _alone("weigh", kept, with_snapshot=False)
    figures = {"from_rows": built["resident_bytes"], "from_rows_peak": built["peak_bytes"]}
    if kept.has_snapshot:
        read = _alone("weigh", kept, with_snapshot=True)
        figures["from_snapshot"] = read["resident_bytes"]
        figures["from_snapshot_peak"] = read["peak_bytes"]
    figures["view"] = built["view_bytes"]
    shares = {name: one / chunks for name, one in figures.items()}
    first = shares.get("from_snapshot", shares["from_rows"])
    return {"memory_bytes_per_chunk": first, "memory_bytes_per_chunk_by": shares}, []


def _alone(verb: str, kept: Kept, *, with_snapshot: bool) -> dict[str, Any]:
    """Run a verb in a child, on the space with or without its snapshot; leave it as it was."""
    snapshot = snapshot_file(kept.home, kept.space)
    aside = snapshot.with_suffix(".aside")
    if kept.has_snapshot and not with_snapshot:
        snapshot.replace(aside)
    try:
        return dict(json.loads(_run((*CHILD, verb, str(kept.home), kept.write_question()))))
    finally:
        if aside.exists():
            aside.replace(snapshot)


def sync_figures(*, adds: int) -> Noted:
    """Return how many syncs one add asks the system for, counted by strace.

    The difference of two runs, so that making and closing the space do not count.
    """
    if shutil.which("strace") is None:
        return {"fsyncs_per_add": None}, ["fsyncs_per_add: strace is not installed"]
    try:
        more, fewer = _syncs(3 * adds), _syncs(adds)
    except SimonidesError as error:
        return {"fsyncs_per_add": None}, [f"fsyncs_per_add: {error}"]
    return {"fsyncs_per_add": (more - fewer) / (2 * adds)}, []


def _syncs(adds: int) -> int:
    with tempfile.TemporaryDirectory(prefix="simonides-bench-") as folder:
        trace = Path(folder) / "trace"
        strace = ("strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", str(trace))
        _run((*strace, *CHILD, "adds", f"{folder}/home", str(adds)))
        return len(_SYNC.findall(trace.read_text("utf-8", "replace")))


def _run(command: tuple[str, ...]) -> str:
    try:
        ran = subprocess.run(  # noqa: S603  our own module, or strace with it
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise SimonidesError(f"{command[0]} failed: no answer within {TIMEOUT_S:g} s") from None
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["no message"])[-1]
        raise SimonidesError(f"{command[0]} failed: {last}")
    return ran.stdout
