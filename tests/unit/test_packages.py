"""The packages as they are published: what describes them, what is in them."""

import ast
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = [ROOT, *sorted(one.parent for one in (ROOT / "packages").glob("*/pyproject.toml"))]
SDIST_BYTES_MAX = 5_000_000


def project(folder: Path) -> dict[str, Any]:
    return dict(tomllib.loads((folder / "pyproject.toml").read_text())["project"])


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_a_package_says_what_it_is(folder: Path) -> None:
    stated = project(folder)

    assert {"authors", "classifiers", "description", "keywords", "license", "readme"} <= set(stated)
    assert stated["classifiers"] == sorted(stated["classifiers"])
    assert stated["keywords"] == sorted(stated["keywords"])
    assert stated["requires-python"] == ">=3.11"
    assert "Programming Language :: Python :: 3.11" in stated["classifiers"]


def test_the_extras_that_other_packages_bring_have_their_names() -> None:
    extras = project(ROOT)["optional-dependencies"]
    for package in ("simonides-formats", "simonides-integrations"):
        brought = project(ROOT / "packages" / package)["optional-dependencies"]

        assert set(brought) <= set(extras)


def test_the_source_package_is_small_and_whole(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = tmp_path.iterdir()
    with tarfile.open(made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert made.stat().st_size < SDIST_BYTES_MAX
    assert {"LICENSE", "NOTICE", "README.md", "src/simonides/py.typed"} <= names
    assert "samples/desk/mail.mbox" in names
    assert not any(name.startswith(("tests", "packages", "docs")) for name in names)


def test_what_trains_the_model_imports_only_what_there_is() -> None:
    scripts = sorted((ROOT / "packages/simonides-minilm/make").glob("*.py"))
    imported = [
        one for script in scripts for one in _imports_of_ours(ast.parse(script.read_text()))
    ]

    assert imported
    assert not [one for one in imported if not hasattr(import_module(one[0]), one[1])]


def _imports_of_ours(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("simonides"):
            yield from ((str(node.module), one.name) for one in node.names)
