"""Distributions made in a folder on the path, as an installer would leave them."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from simonides.plugins import find_installed

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a module as a distribution of one plugin: `install("acme", code)`."""
    site = tmp_path / "site"
    site.mkdir()
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(site))
    find_installed.cache_clear()

    def add(name: str, code: str, *, target: str = "PLUGIN") -> None:
        (site / f"{name}_plugin.py").write_text(code, "utf-8")
        info = site / f"{name}_simonides-1.5.dist-info"
        info.mkdir()
        info.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}-simonides\nVersion: 1.5\n", "utf-8"
        )
        info.joinpath("entry_points.txt").write_text(
            f"[simonides.plugins]\n{name} = {name}_plugin:{target}\n", "utf-8"
        )

    yield add
    find_installed.cache_clear()
    for name in set(sys.modules) - before:
        if name.endswith("_plugin"):
            del sys.modules[name]
