"""Run the tests in several processes, each with its share of the files.

    python scripts/run_tests.py 3 -m "not slow"

The files are dealt out by the seconds that each took when `--record` was last given, the longest
first, to whoever has the least. A process imports the files of its share alone, and hands nothing
over but its lines: that takes an eighth less of the processors than workers do that share one list
of all tests (101 s against 115 s for 8,000 short ones). Pytest loads this file in each process as a
plugin.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SECONDS = ROOT / "tests/seconds.json"
"""The seconds of each file, whole: what its tests took, and about what importing it takes."""

IMPORT_S = 0.1
"""About what a file takes beside its tests."""

UNKNOWN_S = 1.0
"""What a file is taken to need that was never recorded."""

MEMORY = Path("/dev/shm")  # noqa: S108  a folder of its own is made there
"""Where Linux keeps files in memory; those of the tests lie there, for no write waits."""

ROOM_BYTES = 1 << 30
"""So much must be free; a passed test leaves nothing, and three processes hold about 50 MB."""

_PROGRESS = re.compile(r"\[ *\d+%\]$")

# ── in each process ──────────────────────────────────────────────────────────────────────────────


def shares(files: Iterable[str], seconds: Mapping[str, float], count: int) -> list[set[str]]:
    """Return the files of each share, which need about the same time."""
    dealt: list[set[str]] = [set() for _ in range(count)]
    loads = [0.0] * count
    for file in sorted(files, key=lambda one: (-seconds.get(one, UNKNOWN_S), one)):
        least = loads.index(min(loads))
        dealt[least].add(file)
        loads[least] += seconds.get(file, UNKNOWN_S) + IMPORT_S
    return dealt


def test_files() -> list[str]:
    """Return the paths of all files of tests, from the root on."""
    return [one.relative_to(ROOT).as_posix() for one in (ROOT / "tests").rglob("test_*.py")]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options by which the runner says what to run and where to report."""
    parser.addoption("--share", help="I/N: run the files of this share alone, counted from 0")
    parser.addoption("--report", help="write counts and seconds to this file")


def pytest_configure(config: pytest.Config) -> None:
    """Register the share of this process."""
    share = config.getoption("--share")
    if share:
        config.pluginmanager.register(_Share(share, Path(config.getoption("--report"))))


class _Share:
    """The files of one process, their seconds, and how their tests ended."""

    def __init__(self, share: str, report: Path) -> None:
        place, count = map(int, share.split("/"))
        self._files = shares(test_files(), recorded_seconds(), count)[place]
        self._report = report
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._counts: Counter[str] = Counter()

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave out the files of other shares."""
        if not collection_path.match("test_*.py"):
            return None
        return collection_path.relative_to(ROOT).as_posix() not in self._files or None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test once, by how it ended."""
        self._seconds[report.nodeid.partition("::")[0]] += report.duration
        if report.when == "call" or report.outcome != "passed":
            self._counts[report.outcome] += 1

    def pytest_sessionfinish(self) -> None:
        """Report to the runner."""
        said = {"counts": self._counts, "seconds": self._seconds}
        self._report.write_text(json.dumps(said))


def recorded_seconds() -> dict[str, float]:
    """Return the recorded seconds by file; empty if there are none."""
    return dict(json.loads(SECONDS.read_text())) if SECONDS.is_file() else {}


# ── the runner ───────────────────────────────────────────────────────────────────────────────────


class _Process:
    """Pytest with one share: its lines are shown as they come while they tell of progress."""

    def __init__(self, place: int, count: int, arguments: Sequence[str], folder: Path) -> None:
        self._place = place
        self._report = folder / f"{place}.json"
        options = [f"--share={place}/{count}", f"--report={self._report}"]
        path = os.pathsep.join(filter(None, (str(ROOT / "scripts"), os.environ.get("PYTHONPATH"))))
        env = os.environ | {"PYTHONPATH": path, "TMPDIR": str(folder)}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # each program under test would compile it all
        self._run = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "run_tests", *options, *arguments],
            cwd=ROOT, env=env, text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._others: list[str] = []
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        for line in self._run.stdout or ():
            if _PROGRESS.search(line.rstrip()):
                print(f"{self._place}: {line}", end="", flush=True)
            else:
                self._others.append(line)

    def ended(self) -> tuple[int, dict[str, dict[str, float]]]:
        """Return the exit code and the report, once the process has ended; show what it said."""
        self._thread.join()
        code = self._run.wait()
        print("".join(self._others), end="", flush=True)
        said = json.loads(self._report.read_text()) if self._report.is_file() else {}
        return (0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code), said


def quick_folder() -> str | None:
    """Return the folder for files in memory, or nothing where there is none or little room.

    Whoever names one by TMPDIR has it.
    """
    if os.environ.get("TMPDIR") or not os.access(MEMORY, os.W_OK):
        return None
    return str(MEMORY) if shutil.disk_usage(MEMORY).free >= ROOM_BYTES else None


def run(count: int, arguments: Sequence[str], *, records: bool) -> int:
    """Run the tests in some processes and return the first exit code that is not 0."""
    with tempfile.TemporaryDirectory(dir=quick_folder()) as folder:
        Path(folder).chmod(0o711)  # some tests have another user look into a home
        processes = [_Process(one, count, arguments, Path(folder)) for one in range(count)]
        ended = [one.ended() for one in processes]
    counts: Counter[str] = Counter()
    seconds: dict[str, float] = {}
    for _, said in ended:
        counts.update({name: int(value) for name, value in said.get("counts", {}).items()})
        seconds |= said.get("seconds", {})
    if records:
        whole = {file: round(took, 1) for file, took in sorted(seconds.items())}
        SECONDS.write_text(json.dumps(whole, indent=0) + "\n")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return next((code for code, _ in ended if code), 0)


def main() -> int:
    """Run the tests as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="how many processes")
    parser.add_argument("--record", action="store_true", help=f"write {SECONDS.name} anew")
    known, arguments = parser.parse_known_args()
    return run(known.count, arguments, records=known.record)


if __name__ == "__main__":
    sys.exit(main())
