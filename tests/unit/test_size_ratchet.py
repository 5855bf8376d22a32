"""The sizes of the code, counted: they may shrink, and the allowance follows them down."""

import ast
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = (
    "simonides-bench",
    "simonides-formats",
    "simonides-integrations",
    "simonides-postgres",
)
SOURCES: Final = (ROOT / "src", *(ROOT / "packages" / one / "src" for one in PACKAGES))

# These numbers only ever go down: when the code has become smaller, lower them in the same change.
FUNCTION_LINES_MAX: Final = 60
FUNCTION_LINES_MEDIAN_MAX: Final = 8
FUNCTION_LINES_P90_MAX: Final = 20
FILE_LINES_MAX: Final = 500
PUBLIC_API: Final = "simonides/api/memory.py"
PUBLIC_API_LINES_MAX: Final = 1010
"""The one file that may be longer: `Memory` in one piece is what a user looks up. It holds
signatures and docstrings; that each body is one call is tested below."""

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function of the source: where it stands, and its lines without its docstring."""

    place: str
    lines: int


def lines_without_docstring(function: AnyFunction) -> int:
    """Return the lines from `def` to the end, less those of the docstring."""
    lines = _span(function)
    return lines - _span(function.body[0]) if ast.get_docstring(function) else lines


def _span(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def functions_of(text: str, *, file: str) -> Iterator[Function]:
    """Yield every function in the text of one file, nested ones too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, AnyFunction):
            yield Function(place=f"{file}:{node.name}", lines=lines_without_docstring(node))


def p90(lengths: list[int]) -> int:
    """Return the length that nine of ten do not exceed."""
    return sorted(lengths)[int(len(lengths) * 0.9)]


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """Return the text of each source file by its path below a folder of sources."""
    return {
        path.relative_to(source).as_posix(): path.read_text("utf-8")
        for source in SOURCES
        for path in sorted(source.rglob("*.py"))
    }


@pytest.fixture(scope="module")
def functions(files: dict[str, str]) -> list[Function]:
    """Return every function of the source."""
    return [one for file, text in files.items() for one in functions_of(text, file=file)]


def test_no_file_is_too_long(files: dict[str, str]) -> None:
    lengths = {file: text.count("\n") for file, text in files.items()}

    assert lengths.pop(PUBLIC_API) <= PUBLIC_API_LINES_MAX
    assert {file: n for file, n in lengths.items() if n > FILE_LINES_MAX} == {}


def test_the_public_api_decides_nothing(files: dict[str, str]) -> None:
    [memory] = (
        node
        for node in ast.parse(files[PUBLIC_API]).body
        if isinstance(node, ast.ClassDef) and node.name == "Memory"
    )
    methods = {one.name: one for one in memory.body if isinstance(one, ast.FunctionDef)}
    statements = {name: len(one.body) - 1 for name, one in methods.items() if name[0] != "_"}

    assert {name for name, n in statements.items() if n > 1} == {"in_space", "search"}


def test_no_function_is_too_long(functions: list[Function]) -> None:
    assert [one for one in functions if one.lines > FUNCTION_LINES_MAX] == []


def test_the_middle_function_is_short(functions: list[Function]) -> None:
    assert statistics.median(one.lines for one in functions) <= FUNCTION_LINES_MEDIAN_MAX


def test_nine_of_ten_functions_are_short(functions: list[Function]) -> None:
    assert p90([one.lines for one in functions]) <= FUNCTION_LINES_P90_MAX


def test_a_docstring_does_not_count_and_a_nested_function_does() -> None:
    text = 'def outer() -> None:\n    """Say\n\n    much.\n    """\n    def inner() -> None: ...\n'

    assert list(functions_of(text, file="a.py")) == [
        Function(place="a.py:outer", lines=2),
        Function(place="a.py:inner", lines=1),
    ]


def test_p90_leaves_out_the_longest_tenth() -> None:
    assert p90([*range(1, 10), 99]) == 99
    assert p90([1] * 19 + [99]) == 1
