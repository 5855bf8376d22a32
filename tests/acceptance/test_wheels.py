"""The wheels outside of a checkout: the core alone, with the embedding model, with all formats.

Nothing but the wheels and the distributions that they require can be imported: the base
dependencies that an install brings, taken from this environment, since a test has no network.
"""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
OWN: Final = {
    "simonides": ".",
    "simonides-formats": "packages/simonides-formats",
    "simonides-minilm": "packages/simonides-minilm",
    "simonides-postgres": "packages/simonides-postgres",
}
README: Final = (ROOT / "README.md").read_text("utf-8")
SIZE_OFF_MB: Final = 14
"""Other Pythons' wheels and bytecode make so much of a difference."""
SENTENCE: Final = "Sarah moved the Alpha deadline to Friday."
VERBS: Final = (
    ("agenda",), ("list",), ("stats",), ("spaces",), ("verify",), ("doctor",), ("entities",),
    ("explain", "when is Alpha due?"), ("chat", "when is Alpha due?"), ("search", "--help"),
)  # fmt: skip
LACKING: Final = {"server": ("serve",), "mcp": ("mcp",), "watch": ("import", "--watch", ".")}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheels of the core, of the model and of the rarer formats."""
    out = tmp_path_factory.mktemp("wheels")
    build = (sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "wheel")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "-w", str(out))
    subprocess.run([*build, *options, *OWN.values()], cwd=ROOT, check=True)
    return out


def required(of: metadata.PackageMetadata, extra: str) -> Iterator[str]:
    """Yield the names of what a distribution requires, with an extra."""
    for line in of.get_all("Requires-Dist") or ():
        name, _, marker = line.partition(";")
        if not marker or (extra and f"'{extra}'" in marker.replace('"', "'")):
            yield re.split(r"[^\w.-]", name, maxsplit=1)[0].lower()


def installed(wheels: Path, site: Path, extra: str) -> Path:
    """Return a folder with the core's wheel and all that it requires, and nothing else."""
    waiting, done = [("simonides", extra)], set[str]()
    while waiting:
        name, own_extra = waiting.pop()
        if name in done:
            continue
        done.add(name)
        if name in OWN:
            of = unpacked(next(wheels.glob(f"{name.replace('-', '_')}-*.whl")), site)
        else:
            of = linked(name, site)
        waiting += [(one, "") for one in required(of, own_extra)]
    return site


def unpacked(wheel: Path, site: Path) -> metadata.PackageMetadata:
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    name = wheel.name.split("-")[0]
    return metadata.Distribution.at(next(site.glob(f"{name}-*.dist-info"))).metadata


def linked(name: str, site: Path) -> metadata.PackageMetadata:
    found = metadata.distribution(name)
    tops = {Path(file).parts[0] for file in found.files or () if ".." not in Path(file).parts}
    for top in tops - {"__pycache__"}:
        place = Path(str(found.locate_file(top)))
        if not (site / top).exists():
            (site / top).symlink_to(place, target_is_directory=place.is_dir())
    return found.metadata


@pytest.fixture(scope="module", params=["", "local"], ids=["core", "local"])
def site(
    request: pytest.FixtureRequest, wheels: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    extra: str = request.param
    return installed(wheels, tmp_path_factory.mktemp("site"), extra), extra


def run(site: Path, home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command line without this environment's packages; no traceback may be seen."""
    program = f"import sys\nsys.path.insert(0, {str(site)!r})\n"
    program += "from simonides.cli.start import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program, *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"},
        cwd=home, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not re.search(r"Traceback|unexpected|\w+(Error|Warning):", done.stderr), done.stderr
    return done


def command(site: Path, home: Path, *arguments: str) -> str:
    """Return what a command prints that succeeds."""
    done = run(site, home, *arguments)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


@pytest.mark.slow
def test_every_verb_of_the_command_line_works(site: tuple[Path, str], tmp_path: Path) -> None:
    place, _ = site
    command(place, tmp_path, "add", SENTENCE)

    for verb in ("search", "brief"):
        assert "Friday" in command(place, tmp_path, verb, "when is Alpha due?")
    for arguments in VERBS:
        command(place, tmp_path, *arguments)


@pytest.mark.parametrize(("extra", "arguments"), LACKING.items(), ids=LACKING)
def test_a_command_without_its_extra_says_which_one(
    site: tuple[Path, str], tmp_path: Path, extra: str, arguments: tuple[str, ...]
) -> None:
    done = run(site[0], tmp_path, *arguments)

    assert done.returncode != 0
    assert f"pip install 'simonides[{extra}]'" in done.stderr.splitlines()[-1]


def test_the_size_is_the_one_that_the_readme_says(site: tuple[Path, str]) -> None:
    place, extra = site
    name = f"'simonides[{extra}]'" if extra else "simonides"
    said = re.search(rf"`pip install {re.escape(name)}` \((\d+) MB\)", README)
    bytes_ = sum(
        (Path(folder) / file).stat().st_size * (2 if file.endswith(".py") else 1)
        for folder, _, files in os.walk(place, followlinks=True)
        for file in files
        if not file.endswith(".pyc")
    )  # bytecode, which not every environment has, is about as large as its source

    assert said is not None
    assert float(said[1]) == pytest.approx(bytes_ / 1e6, abs=SIZE_OFF_MB)


@pytest.mark.slow
def test_the_demo_brings_its_desk(site: tuple[Path, str], tmp_path: Path) -> None:
    done = run(site[0], tmp_path, "demo")

    assert (done.returncode, "27 March" in done.stdout) == (0, True), done.stderr
    assert done.stderr.count("no embedding model") == (0 if site[1] else 1)


CARD: Final = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Mira Okafor\r\nEND:VCARD\r\n"


@pytest.mark.slow
def test_a_rarer_format_is_read_once_its_package_is_there(
    wheels: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    place = installed(wheels, tmp_path_factory.mktemp("formats"), "")
    (tmp_path / "mira.vcf").write_text(CARD, "utf-8")

    without = run(place, tmp_path, "import", "mira.vcf")
    unpacked(next(wheels.glob("simonides_formats-*.whl")), place)

    assert without.returncode != 0
    assert ".vcf files are read by the extra formats: pip install 'simonides[formats]'" in (
        without.stderr
    )
    command(place, tmp_path, "import", "mira.vcf")
    assert "Mira Okafor" in command(place, tmp_path, "list")
