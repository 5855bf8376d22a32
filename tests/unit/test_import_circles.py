"""No module needs, however late, a module that needs it: imports make no circle.

Imports inside functions count, those for type checkers alone do not. A package that a module lies
in is no import of its own: it is loaded before the module in any case.
"""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
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


def modules(sources: tuple[Path, ...]) -> dict[str, str]:
    """Return the text of each module by its name."""
    found = {}
    for source in sources:
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path.read_text("utf-8")
    return found


def at_runtime(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree but for what only type checkers read."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            for other in child.orelse:
                yield from at_runtime(other)
        else:
            yield from at_runtime(child)


def imported(text: str) -> Iterator[str]:
    """Yield the names of what a module may import, whether they are modules or not."""
    nodes = list(at_runtime(ast.parse(text)))
    known: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    yield from known.values()
    for node in nodes:  # what a package loads when it is first used
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{known.get(node.value.id)}.{node.attr}"


def graph(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Return which modules each module imports."""
    return {
        name: {
            one for one in imported(text) if one in texts and not f"{name}.".startswith(f"{one}.")
        }
        for name, text in texts.items()
    }


def circle(edges: Mapping[str, set[str]]) -> list[str]:
    """Return the modules of one circle, the first one again at the end; none without one."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_imports_make_no_circle() -> None:
    edges = graph(modules(SOURCES))
    edges["simonides.api.awaited"] |= {"simonides.api.threads"}

    assert circle(edges) == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"a": "import b", "b": "def f():\n    import a"}, {"a", "b"}),
        ({"a": "from p import b", "p": "", "p.b": "import a"}, {"a", "p.b"}),
        ({"a": "from p import b", "p": "", "p.b": "", "b": "import a"}, set()),
        ({"p": "", "p.a": "from p import b", "p.b": "from p.a import x"}, {"p.a", "p.b"}),
        ({"a": "from q import p\np.b.f()", "q.p": "", "q.p.b": "import a"}, {"a", "q.p.b"}),
        ({"a": "if TYPE_CHECKING:\n    import b", "b": "import a"}, set()),
        ({"a": "if TYPE_CHECKING:\n    pass\nelse:\n    import b", "b": "import a"}, {"a", "b"}),
    ],
)
def test_the_check_finds_circles(texts: dict[str, str], expected: set[str]) -> None:
    assert set(circle(graph(texts))) == expected
