"""What the files of `deploy/` say, read once, for the tests that hold them against the program."""

import re
import tomllib
from argparse import Namespace
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # its types are another package

from simonides.cli.main import build_parser
from simonides.cli.options import not_given
from simonides.config import load
from simonides.http.routes import ROUTES

ROOT: Final = Path(__file__).parents[3]
DEPLOY: Final = ROOT / "deploy"
USER: Final = 10001
DEFAULT_PORT: Final = 8321
PATHS: Final = {route.path for route in ROUTES if route.permission is None}
"""What is answered without a key."""


IMAGE: Final = (
    "simonides:" + tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
)
"""The image of this version."""


def check_image(name: str) -> None:
    """Fail unless an image has a version of its own, and is named without a host."""
    where, _, tag = name.rpartition(":")
    assert not re.search(r"^[^/]*[.:][^/]*/", where), "the name of a registry"
    assert re.match(r"\d+\.\d+", tag), "no version, or one that changes its meaning"
    assert not where.endswith("simonides") or name == IMAGE


def documents(folder: str) -> list[tuple[str, dict[str, Any]]]:
    """Return (file, document) of each YAML document below a folder of `deploy/`."""
    return [
        (file.name, document)
        for file in sorted((DEPLOY / folder).glob("*.yaml"))
        for document in yaml.safe_load_all(file.read_text("utf-8"))
    ]


def parsed(arguments: list[str]) -> Namespace:
    """Return the arguments of a command line; raises where the program would refuse it."""
    found: Namespace = build_parser().parse_args(arguments, not_given())
    return found


def check_environment(environment: dict[str, str]) -> None:
    """Raise `InvalidInput` if a variable of ours is no setting, or has no fitting value."""
    load(None, {name: value for name, value in environment.items() if not is_secret(name)})


def is_secret(variable: str) -> bool:
    """Return whether a variable holds a password."""
    return bool(re.search("PASSWORD|AUTH|KEY|TOKEN", variable))
