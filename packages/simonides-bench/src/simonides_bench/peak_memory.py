"""The peak memory of a process that reads one file: `python -m simonides_bench.peak_memory`.

The processes that take documents apart count, too. Must not know formats.
"""

import re
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from simonides.errors import ImportFailed
from simonides.importers import read
from simonides_formats.documents.child_process import EXTRACTOR

_PEAK = re.compile(r"^VmHWM:\s*(\d+) kB", re.MULTILINE)
_UNITS_OF_MB = (1 << 20) if sys.platform == "darwin" else (1 << 10)
"""macOS tells bytes, others KiB."""


def peak_mb(path: Path) -> float:
    """Return the peak memory in MB of a process of its own that reads a file."""
    program = [sys.executable, "-m", "simonides_bench.peak_memory", str(path)]
    done = subprocess.run(program, capture_output=True, text=True, check=True)  # noqa: S603  our own
    return float(done.stdout)


def _own_mb() -> float:
    """Return the peak of this process; what Linux counts for a usage includes the parent's."""
    with suppress(OSError):
        found = _PEAK.search(Path("/proc/self/status").read_text("utf-8"))
        if found:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _UNITS_OF_MB


def main() -> None:
    """Read the file that is named, and write the peak in MB."""
    with suppress(ImportFailed):
        for _ in read(Path(sys.argv[1])):
            pass
    EXTRACTOR.close()
    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _UNITS_OF_MB
    sys.stdout.write(f"{max(_own_mb(), others)}\n")


if __name__ == "__main__":
    main()
