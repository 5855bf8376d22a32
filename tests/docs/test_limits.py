"""The page of limits says what holds: each row the value of its constant, each constant a row."""

import importlib
import os
import pkgutil
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import simonides.access
import simonides.http
import simonides.working_memory
from simonides.cli.main import build_parser
from simonides.http.limits import Limits
from simonides.model.bounds import Several, Text, Whole

PAGE = Path(__file__).parents[2] / "docs/reference/limits.md"
ROW = re.compile(
    r"^\|(?: (`--[\w-]+`)? ?\|)? ([^|]+) \| ([^|]+) \| `(simonides\.[\w.]+)` \|$", re.MULTILINE
)
ROWS = {match[4]: match for match in ROW.finditer(PAGE.read_text("utf-8"))}

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "s": 1, "h": 3600}


def value_of(dotted: str) -> Any:
    """Return the constant, or the default of a record's field, that a dotted name means."""
    module, _, name = dotted.rpartition(".")
    if module.rpartition(".")[2][0].isupper():
        module, _, record = module.rpartition(".")
        kind = getattr(importlib.import_module(module), record)
        return next(one.default for one in fields(kind) if one.name == name)
    found = getattr(importlib.import_module(module), name)
    match found:
        case Text(chars_max=most) | Whole(high=most) | Several(count_max=most):
            return most
    return found


def number(bound: str) -> float:
    """Return the number that a bound is, in bytes or seconds."""
    found = re.fullmatch(r"([\d,.]+)(?: (\w+))?", bound)
    assert found, bound
    return float(found[1].replace(",", "")) * UNITS[found[2] or ""]


@pytest.mark.parametrize("dotted", [one for one in ROWS if not one.endswith("Limits.threads")])
def test_a_row_says_what_holds(dotted: str) -> None:
    assert number(ROWS[dotted][3]) == value_of(dotted)


def test_threads_are_as_many_as_the_page_says() -> None:
    assert Limits().threads == min(8, 2 * (os.cpu_count() or 1))
    assert "two for each core, at most 8" in ROWS["simonides.http.limits.Limits.threads"][2]


def test_every_limit_of_the_record_has_a_row() -> None:
    numbers = {one.name for one in fields(Limits) if one.type in ("int", "float", int, float)}
    reported = {one.rpartition(".")[2] for one in ROWS if ".Limits." in one}

    assert numbers == reported


def test_every_constant_of_the_server_that_bounds_something_has_a_row() -> None:
    found = {
        f"{module.name}.{name}"
        for package in (simonides.access, simonides.http, simonides.working_memory)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for name, value in vars(importlib.import_module(module.name)).items()
        if re.fullmatch(r"[A-Z][A-Z_]*_MAX", name) and isinstance(value, int)
    }
    values = {(one.rpartition(".")[2], value_of(one)) for one in ROWS}
    own = {
        one for one in found
        if (one.rpartition(".")[2], value_of(one)) not in values
    }  # fmt: skip

    assert own == set()


def test_the_options_that_the_page_names_are_options_of_serve(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["serve", "--help"])
    known = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
    reported = {match[1].strip("`") for match in ROWS.values() if match[1]}

    assert reported
    assert reported <= known
