"""What docstrings and ARCHITECTURE.md name in backticks exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ROOT / "src/simonides"
FORMATS: Final = ROOT / "packages/simonides-formats/src"
POSTGRES: Final = ROOT / "packages/simonides-postgres/src"
NAME: Final = re.compile(r"`([A-Za-z_][\w.]*)`")
PATH: Final = re.compile(r"`([\w/]+(?:\.py|/))`")

OUTSIDE: Final = frozenset(
    "Assistant Dvořák Dr H1 Labels PT1H30M Watchers declined dateutil email gh max_seq_length "
    "parseaddr pyproject read_graph rrule snake_case StoreManager toml utils".split()
)
"""Names of other programs and formats, and words that stand for what users write."""


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield the texts that stand alone as statements: docstrings, and those of constants."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else ():
            value = one.value if isinstance(one, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


def words_of_code(path: Path, text: str, tree: ast.AST) -> Iterator[str]:
    """Yield every word of a module outside its docstrings, and those of its path."""
    inside = {
        line
        for one in docstrings(tree)
        for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)
    }
    for number, line in enumerate(text.split("\n"), start=1):
        if number not in inside:
            yield from re.findall(r"\w+", line)
    yield from path.with_suffix("").parts


def known_words() -> set[str]:
    """Return every word of the code, the statements, and the names of files."""
    words = set(OUTSIDE)
    for folder in (SOURCES, ROOT / "packages"):
        for path in folder.rglob("*.py"):
            text = path.read_text("utf-8")
            words.update(words_of_code(path, text, ast.parse(text)))
    for path in [*SOURCES.rglob("*.sql"), *POSTGRES.rglob("*.sql")]:
        words.update(re.findall(r"\w+", path.read_text("utf-8")), path.with_suffix("").parts)
    return words


def test_every_name_in_a_docstring_is_one_of_the_code() -> None:
    words = known_words()
    stale = [
        f"{path.relative_to(ROOT)}: {name}"
        for root in (SOURCES, FORMATS, POSTGRES)
        for path in sorted(root.rglob("*.py"))
        for one in docstrings(ast.parse(path.read_text("utf-8")))
        for name in NAME.findall(str(one.value))
        if not words.issuperset(filter(None, name.split(".")))
    ]

    assert stale == []


def test_every_path_in_the_map_of_the_code_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    roots = (SOURCES, ROOT / "packages/simonides-bench/src", FORMATS, POSTGRES)
    every = {path.relative_to(root).as_posix() for root in roots for path in root.rglob("*")}
    ends = {part for one in every for part in (one, one.rpartition("/")[2])}
    missing = [
        name
        for name in PATH.findall(text)
        if name.rstrip("/") not in ends and not (ROOT / name).exists()
    ]

    assert missing == []
