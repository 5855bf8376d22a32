"""The habits that no tool checks: names, docstrings, and what must not be committed."""

import ast
import configparser
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "src" / "simonides"
BENCH: Final = ROOT / "packages" / "simonides-bench" / "src" / "simonides_bench"
INTEGRATIONS: Final = (
    ROOT / "packages" / "simonides-integrations" / "src" / "simonides_integrations"
)
FORMATS: Final = ROOT / "packages" / "simonides-formats" / "src" / "simonides_formats"
POSTGRES: Final = ROOT / "packages" / "simonides-postgres" / "src" / "simonides_postgres"

GRAB_BAGS: Final = frozenset(
    {"base", "common", "core", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
)
# Written in two pieces, so that this file does not hold what it looks for.
TO_DO: Final = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
MACHINE_PATH: Final = re.compile(rb"(?<![\w./~-])/(wo" rb"rk|ro" rb"ot|tmp/sim)/")
REGISTRY_HOST: Final = re.compile(
    rb"py" rb"pi\.org|python" rb"hosted|npm" rb"js\.org|deb\.deb" rb"ian"
)
COMMENT: Final = re.compile(r"^#.*\n", re.MULTILINE)
PIN: Final = re.compile(r"^\S+==\S+(?: ;[^\\]*)?", re.MULTILINE)

POLICIES: Final = ("assistant", "context", "entities", "importers", "memories", "retrieval")
PARTICIPLE: Final = re.compile(
    r": _*(?!(?:re)?embed$|speed$)(?:[a-z]+ed"
    r"|told|said|shown|known|taken|made|held|kept|found|written|chosen|drawn|gone)$"
)
"""Names that say neither what is done nor what comes out: `_named`, `_shown`, `_taken`."""

UNKNOWN_WORDS: Final = re.compile(r"\b[tT]old\b|\b[tT]he seeds?'")
"""Say "reported", "called with", "distinguished"; and the designs are called that."""

ADAPTERS: Final = ("models", "storage", "working_memory")
PURE: Final = ("scoring", "text")

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """Return the text of each module of the engine, its plugins and what measures it."""
    return {
        path.relative_to(package.parent).as_posix(): path.read_text("utf-8")
        for package in (SOURCE, BENCH, FORMATS, INTEGRATIONS, POSTGRES)
        for path in sorted(package.rglob("*.py"))
    }


@pytest.fixture(scope="module")
def trees(sources: dict[str, str]) -> dict[str, ast.Module]:
    """Return each module as it is parsed."""
    return {name: ast.parse(text) for name, text in sources.items()}


@pytest.fixture(scope="module")
def committed() -> dict[str, bytes]:
    """Return the bytes of each file that is, or would be, committed."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = sorted({ROOT / name for name in listing.stdout.split("\0") if name})
    return {
        path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths if path.is_file()
    }


def holding(pattern: re.Pattern[bytes], files: dict[str, bytes]) -> list[str]:
    """Return the files in which the pattern is found, each with the first place."""
    found = ((name, pattern.search(content)) for name, content in files.items())
    return [f"{name}: {match[0].decode()}" for name, match in found if match]


def undocumented(body: list[ast.stmt], *, within: str) -> Iterator[str]:
    """Yield the public functions, classes and methods without a docstring."""
    for node in body:
        if not isinstance(node, Documented) or node.name.startswith("_"):
            continue
        place = f"{within}.{node.name}"
        if not ast.get_docstring(node) and not is_overload(node):
            yield place
        if isinstance(node, ast.ClassDef):
            yield from undocumented(node.body, within=place)


def is_overload(node: Documented) -> bool:
    """Return whether this is one signature of several; the last one carries the docstring."""
    return any(getattr(mark, "id", "") == "overload" for mark in node.decorator_list)


def rooms(names: tuple[str, ...]) -> set[str]:
    """Return those of the named rooms that are there, as import-linter writes them."""
    return {f"simonides.{name}" for name in names if (SOURCE / name / "__init__.py").exists()}


def listed(contract: str, key: str) -> set[str]:
    """Return the modules under one key of one import contract."""
    contracts = configparser.ConfigParser()
    contracts.read_string((ROOT / ".importlinter").read_text("utf-8"))
    return set(contracts[f"importlinter:contract:{contract}"][key].split())


def test_no_to_do_is_left_in_the_source(sources: dict[str, str]) -> None:
    assert [name for name, text in sources.items() if TO_DO.search(text)] == []


def test_no_module_is_a_grab_bag(sources: dict[str, str]) -> None:
    words = {name: set(re.split(r"[/._]", name)) for name in sources}

    assert [name for name in sources if words[name] & GRAB_BAGS] == []


def test_every_module_says_what_it_knows(trees: dict[str, ast.Module]) -> None:
    assert [name for name, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_every_public_function_and_class_says_what_it_does(trees: dict[str, ast.Module]) -> None:
    missing = [
        place for name, tree in trees.items() for place in undocumented(tree.body, within=name)
    ]

    assert missing == []


def test_functions_are_named_by_verbs_and_not_by_participles(trees: dict[str, ast.Module]) -> None:
    functions = [
        f"{name}: {node.name}"
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list
    ]

    assert list(filter(PARTICIPLE.search, functions)) == []


def test_words_that_no_reader_knows_are_not_used(sources: dict[str, str]) -> None:
    assert [name for name, text in sources.items() if UNKNOWN_WORDS.search(text)] == []


def test_a_result_is_named_by_a_noun(sources: dict[str, str]) -> None:
    own = {name: text for name, text in sources.items() if not name.startswith(BENCH.name)}

    assert [name for name, text in own.items() if '"""Return what ' in text] == []


def test_no_committed_file_names_a_place_on_one_machine(committed: dict[str, bytes]) -> None:
    assert holding(MACHINE_PATH, committed) == []


def test_no_committed_file_names_a_package_registry(committed: dict[str, bytes]) -> None:
    assert holding(REGISTRY_HOST, committed) == []


def test_every_pinned_package_has_hashes_and_a_single_version() -> None:
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        entries = re.split(r"\n(?=\S)", COMMENT.sub("", path.read_text("utf-8")))
        loose = [
            entry.split()[0]
            for entry in entries
            if entry.strip() and not re.match(r"[\w.-]+==[\w.]+ [^\n]*\\\n +--hash=sha256:", entry)
        ]

        assert loose == [], path.name


def test_the_runtime_is_pinned_alike_for_users_and_for_checks() -> None:
    pins = {
        name: set(PIN.findall(text))
        for name in ("runtime", "dev")
        for text in [(ROOT / "requirements" / f"{name}.txt").read_text("utf-8")]
    }

    assert pins["runtime"] <= pins["dev"]


def test_every_room_that_is_there_is_under_its_contract() -> None:
    assert listed("policies", "source_modules") == rooms(POLICIES)
    assert listed("policies", "forbidden_modules") == rooms(ADAPTERS)
    assert listed("pure", "source_modules") == rooms(PURE)


def test_the_checks_of_this_file_find_what_they_look_for() -> None:
    path, host = b"/wo" + b"rk/main", b"https://py" + b"pi.org/simple"

    assert holding(MACHINE_PATH, {"a": b"see " + path, "b": b"home/work/x"}) == ["a: /wo" + "rk/"]
    assert holding(REGISTRY_HOST, {"a": host, "b": b"pip"}) == ["a: py" + "pi.org"]
    assert TO_DO.search("# TO" + "DO later")
    assert not TO_DO.search("a todo list")
    body = ast.parse("class A:\n    def b(self): ...\n    def _c(self): ...\n").body
    assert list(undocumented(body, within="m")) == ["m.A", "m.A.b"]
