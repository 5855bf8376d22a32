"""The names that users import: sorted, documented, and cheap to reach."""

import ast
import dataclasses
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints, is_typeddict

import pytest

import simonides
from simonides import (
    Backgrounds,
    Database,
    Entities,
    Keys,
    Memory,
    Preferences,
    Proposals,
    Sessions,
    SurrogateBuild,
    Surrogates,
    errors,
)

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
BESIDE: Final = (
    Backgrounds, Database, Entities, Keys, Preferences, Proposals, Sessions, SurrogateBuild,
    Surrogates,
)  # fmt: skip
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


def test_each_name_is_imported_alike_for_type_checkers_and_at_run_time() -> None:
    tree = ast.parse(Path(simonides.__file__).read_text("utf-8"))
    [checked] = [one for one in tree.body if isinstance(one, ast.If)]
    seen = {
        name.name: one.module
        for one in checked.body
        if isinstance(one, ast.ImportFrom)
        for name in one.names
    }

    assert {n: f"simonides.{m}" for n, m in simonides._MODULES.items()} == seen
    assert sorted([*seen, "__version__"]) == PUBLIC


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    assert set(PUBLIC) <= set(dir(simonides))
    with pytest.raises(AttributeError, match="has no attribute 'Memroy'"):
        simonides.Memroy  # noqa: B018  looking is the test


def test_all_that_the_verbs_take_and_return_is_public() -> None:
    apart = {
        "Home",
        "OpenSpace",
        "Runtime",
        "Shape",
        "Space",
    }  # what is within, and no caller ever has
    met: set[type] = set()
    for kind in (Memory, *BESIDE):
        for name, verb in inspect.getmembers(
            kind, lambda o: inspect.isroutine(o) or is_property(o)
        ):
            if not name.startswith("_") or name == "__init__":
                meet(hints(getattr(verb, "fget", verb)), met)

    named = {one.__name__ for one in met if not one.__name__.startswith("_")}
    assert named - set(PUBLIC) == apart & named
    assert {"ChatEvent", "FilterFields", "MultiSpaceResult", "Skipped", "Trust"} <= named


def test_every_error_is_public() -> None:
    assert {name for name, one in vars(errors).items() if inspect.isclass(one)} <= set(PUBLIC)


def test_no_signature_of_a_memory_says_any() -> None:
    loose = [
        f"{kind.__name__}.{name}"
        for kind in (Memory, *BESIDE)
        for name, verb in inspect.getmembers(kind, inspect.isfunction)
        if (not name.startswith("_") or name == "__init__") and "Any" in str(hints(verb))
    ]

    assert loose == []


def is_property(one: object) -> bool:
    """Return whether a member of a class is a property."""
    return isinstance(one, property)


def hints(verb: Any) -> dict[str, Any]:
    """Return the types of a verb's arguments and of its answer."""
    names = {name: getattr(simonides, name) for name in PUBLIC}
    within = {"Space": object, "Runtime": object, "SpaceView": object}
    return get_type_hints(verb, localns=within | names) if inspect.isfunction(verb) else {}


def meet(types: Any, met: set[type]) -> None:
    """Note each class of ours in some types, in what they are made of, and in their fields."""
    for one in types.values() if isinstance(types, dict) else types:
        if isinstance(one, list):
            meet(one, met)
        meet(get_args(one), met)
        if inspect.isclass(one) and one.__module__.startswith("simonides") and one not in met:
            met.add(one)
            if dataclasses.is_dataclass(one) or is_typeddict(one):
                names = {name: getattr(simonides, name) for name in PUBLIC}
                meet(get_type_hints(one, localns=names), met)


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
    assert {name for name in json.loads(run.stdout) if name.startswith("simonides.")} == {
        "simonides.version"
    }


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "simonides" / "py.typed").is_file()
