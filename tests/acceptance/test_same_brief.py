"""Law 5 through the real binary: whoever asks, and however the index came about, the same bytes.

The desk of the samples, found with the model that comes with the engine.
"""

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from tests.acceptance.conftest import Home

DESK: Final = Path(__file__).parents[2] / "samples" / "desk"
AT: Final = ("--now", "2026-03-12T09:00:00Z")
QUESTION: Final = "What will the scanners cost, and by when must we decide?"
WAYS: Final = {
    "brief": (),
    "dense": ("--dense", "--budget", "900", "--worth-min", "0"),
    "sourced": ("--layout", "sourced", "--budget", "400"),
    "scoped": ("--layout", "scoped", "--why", "--budget-words", "300"),
}
MODEL: Final = {"SIMONIDES_EMBEDDER": "minilm"}


def threads(count: int) -> dict[str, str]:
    """Return what tells the libraries how many threads they may start."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    return dict.fromkeys(names, str(count))


def one_core() -> tuple[str, ...]:
    """Return what runs a program on one core, where there is such a thing."""
    if not (shutil.which("taskset") and hasattr(os, "sched_getaffinity")):
        return ()
    return ("taskset", "-c", str(min(os.sched_getaffinity(0))))


def briefed(
    home: "Home", way: str, environment: dict[str, str], before: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the brief as JSON without what determinism leaves out: how long things took."""
    argv = ("brief", QUESTION, *WAYS[way], *AT, "--json")
    status, out, err = home.run(*argv, before=before, environment={**MODEL, **environment})
    assert (status, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    assert answer.pop("diagnostics")["revision"] > 0
    return answer


def filled(home: "Home", *paths: Path) -> None:
    """Import the paths one after the other."""
    for path in paths:
        status, _, err = home.run("import", str(path), *AT, environment=MODEL)
        assert (status, "Traceback" in err) == (0, False)


@pytest.mark.parametrize("way", WAYS)
def test_every_process_gives_the_same_brief(home: "Home", way: str) -> None:
    filled(home, DESK)
    first = briefed(home, way, {"PYTHONHASHSEED": "random", **threads(2)})

    assert first["items"]
    stages = {item["stage"] for item in first["items"]}
    assert ("surrogate" in stages) is (way == "dense")
    for seed, count in (("0", 1), ("1", 2), ("random", 1)):
        before = one_core() if count == 1 else ()
        assert briefed(home, way, {"PYTHONHASHSEED": seed, **threads(count)}, before) == first


def test_another_home_filled_in_another_order_gives_the_same_text(
    home: "Home", tmp_path: Path
) -> None:
    parts = [DESK / name for name in ("chat.jsonl", "mail.mbox", "notes")]
    other = type(home)(tmp_path / "other")
    filled(home, *parts)
    filled(other, *reversed(parts))

    for way in ("brief", "scoped"):
        one, two = (briefed(each, way, {}) for each in (home, other))
        assert one["text"] == two["text"]
        assert one["receipt"]["text_hash"] == two["receipt"]["text_hash"]


def test_without_its_index_snapshot_a_space_gives_the_same_brief(home: "Home") -> None:
    words_only = {"SIMONIDES_EMBEDDER": "none"}
    with home.memory() as memory:
        memory.import_(DESK)
        memory.add([f"page {n} of the log: {n * 7} slots, nobody waited" for n in range(2_500)])
        memory.search("slots")
    snapshot = home.space.with_suffix(".index")
    written = snapshot.read_bytes()
    read = {way: briefed(home, way, words_only) for way in WAYS}
    snapshot.unlink()
    built = {way: briefed(home, way, words_only) for way in WAYS}

    assert built == read
    assert snapshot.read_bytes() == written
