"""The names that users import: sorted, documented, and cheap to reach."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

import simonides

ROOT: Final = Path(__file__).parents[2]
REFERENCE: Final = ROOT / "docs" / "reference" / "python.md"

# Whoever imports the package pays for none of these before using it.
HEAVY: Final = (
    "apsw",
    "asyncio",
    "httpx2",
    "numpy",
    "onnxruntime",
    "rich",
    "simsimd",
    "Stemmer",
    "toktok",
)
IMPORT: Final = re.compile(r"^\s*from simonides import (\([^)]*\)|[^\n#]+)", re.MULTILINE)
PUBLIC: Final[list[str]] = list(getattr(simonides, "__all__", ()))


def pages() -> list[Path]:
    """Return every page written for users."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def imported_in(text: str) -> set[str]:
    """Return the names that the examples in a page import from the package root."""
    lists = IMPORT.findall(text)
    return {part.split()[0] for names in lists for part in re.split("[(),]", names) if part.strip()}


def test_the_public_names_are_sorted_and_there() -> None:
    assert sorted(PUBLIC) == PUBLIC
    assert [name for name in PUBLIC if not hasattr(simonides, name)] == []


@pytest.mark.skipif(not REFERENCE.exists(), reason="the page about Python is not written yet")
def test_every_public_name_is_in_the_reference() -> None:
    marked = set(re.findall(r"`(?:simonides\.)?(\w+)[`(.]", REFERENCE.read_text("utf-8")))

    assert sorted(set(PUBLIC) - marked - {"__version__"}) == []


def test_the_pages_import_only_public_names() -> None:
    used = {
        f"{page.relative_to(ROOT)}: {name}"
        for page in pages()
        for name in imported_in(page.read_text("utf-8")) - set(PUBLIC)
    }

    assert used == set()


def test_imports_in_a_page_are_found_in_every_form() -> None:
    page = "from simonides import A, B as C  # x\n\n  from simonides import (\n    D,\n    E,\n)\n"

    assert imported_in(page) == {"A", "B", "D", "E"}


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = "import json, sys; import simonides; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    loaded = {name.partition(".")[0] for name in json.loads(run.stdout)}

    assert sorted(loaded & set(HEAVY)) == []


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "simonides" / "py.typed").is_file()
