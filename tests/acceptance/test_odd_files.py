"""A corpus of odd files of all formats, imported at once: each is kept or reported."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simonides.importers import read
from simonides_bench.odd_files import GOOD, GOOD_COUNT, NAMES, write_corpus

CPU_S = 120
"""The whole corpus takes some 4 s here."""

MEMORY_KB = 500_000
"""Ten times what the largest of its files has, over what an empty space takes."""

_SCRIPT = """
import json, pathlib, sys
from simonides import Memory, Settings

def refuse(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "urllib.Request"):
        print("network", event, file=sys.stderr)
        raise SystemExit(3)

def peak_kb():
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        return next(int(one.split()[1]) for one in status.open() if one.startswith("VmHWM:"))
    import resource
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

sys.addaudithook(refuse)
folder = pathlib.Path(sys.argv[1])
settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
with Memory(folder.parent / "home", settings=settings) as memory:
    report = memory.import_(folder)
    again = memory.import_(folder)
    kept = memory.list(limit=1_000).items
    print(json.dumps({
        "kept": [[one.source, one.source_id, one.content[:100]] for one in kept],
        "skipped": [[one.where, one.reason] for one in report.skipped],
        "again": [again.added, again.updated, len(again.skipped)],
        "memory_kb": peak_kb(),
        "problems": [one.check for one in memory.verify() if not one.sound],
    }))
"""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return the folder of the corpus, and the names of its files."""
    folder = tmp_path_factory.mktemp("corpus") / "odd"
    folder.mkdir()
    return folder, write_corpus(folder, seed=1)


@pytest.fixture(scope="module")
def found(names: tuple[Path, list[str]]) -> dict[str, Any]:
    """Return what an import of the corpus says, which runs with bounds of time and no network.

    Its memory is not read by `getrusage` on Linux: a forked process starts there with the peak of
    the one that forked it, which the tests before this one have grown.
    """
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(names[0])],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:surrogateescape"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S)),
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    made: dict[str, Any] = json.loads(done.stdout)
    return made


@pytest.mark.slow
def test_there_are_many_odd_files(names: tuple[Path, list[str]]) -> None:
    folder, files = names

    assert len({(folder / name).read_bytes() for name in files}) >= 500


@pytest.mark.slow
def test_every_good_neighbour_is_kept(found: dict[str, Any]) -> None:
    kept = {source_id: content for _, source_id, content in found["kept"]}

    for number in range(GOOD_COUNT):
        assert kept[f"odd/{GOOD % number}"] == f"The ferry leaves at {number}."
    contents = set(kept.values())
    assert {f"Oars, {number}." for number in range(len(NAMES))} <= contents


@pytest.mark.slow
def test_every_file_is_kept_or_reported(names: tuple[Path, list[str]]) -> None:
    folder, files = names
    places = {step.where for step in read(folder)}
    said = {"/".join(place.split("/")[1:3]) for place in places} | places

    assert [one for one in files if one not in said and f"odd/{one}" not in said] == []


@pytest.mark.slow
def test_no_reader_fails_and_nothing_is_damaged(found: dict[str, Any]) -> None:
    assert [one for one in found["skipped"] if "the importer '" in one[1]] == []
    assert [one for one in found["skipped"] if "Errno 24" in one[1]] == []
    assert found["problems"] == []


@pytest.mark.slow
def test_importing_again_changes_nothing(found: dict[str, Any]) -> None:
    assert found["again"] == [0, 0, len(found["skipped"])]


@pytest.mark.slow
def test_memory_is_bounded(found: dict[str, Any]) -> None:
    assert 10_000 < found["memory_kb"] < MEMORY_KB
