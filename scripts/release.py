"""Build the packages for publishing, and check them: `make dist`.

    python scripts/release.py [--out dist]

Each package is built twice, and must come out the same to the byte; `twine check` reads what is
published about it; the bill of materials lists what the wheels bring with all extras, from the
pinned requirements. Nothing is uploaded.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = [ROOT, *sorted(one.parent for one in (ROOT / "packages").glob("*/pyproject.toml"))]
BILL = "sbom.cyclonedx.json"


def main(argv: list[str] | None = None) -> None:
    """Build, compare, check, and write the bill of materials."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to put them (dist)")
    out = parser.parse_args(argv).out
    out.mkdir(exist_ok=True)
    if present := sorted(one.name for one in out.iterdir()):
        sys.exit(f"{out} holds {present[0]}: empty it first, so that nothing old is published")
    first = built(out)
    with tempfile.TemporaryDirectory() as again:
        differing = sorted(
            name for name, found in built(Path(again)).items() if first.get(name) != found
        )
    if differing:
        sys.exit(f"built twice, these differ: {', '.join(differing)}")
    _run("-m", "twine", "check", "--strict", *(str(out / name) for name in first))
    _run("-m", "cyclonedx_py", "requirements", "requirements/runtime.txt",
         "--output-reproducible", "--output-file", str(out / BILL))  # fmt: skip
    for name, digest in {**first, BILL: _digest(out / BILL)}.items():
        print(f"{digest}  {name}")


def built(out: Path) -> Mapping[str, str]:
    """Return the SHA-256 of each wheel and source package that is built, by its name."""
    for package in PACKAGES:
        _run("-m", "hatchling", "build", "-d", str(out), folder=package)
    return {one.name: _digest(one) for one in sorted(out.iterdir())}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(*arguments: str, folder: Path = ROOT) -> None:
    """Run a module of this Python, dated by the last commit."""
    dated = ["git", "log", "-1", "--format=%ct"]
    epoch = subprocess.run(dated, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch.strip()}
    subprocess.run([sys.executable, *arguments], cwd=folder, check=True, env=environment)


if __name__ == "__main__":
    main()
