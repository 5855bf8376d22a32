"""Every Python example of the pages runs, and prints what the page says that it prints.

The blocks of one page are run one after the other, as someone would who types them in: in a home
and a folder of their own, with the sample desk beside them. A `text` block that follows a `python`
block with nothing between is what it prints.
"""

import contextlib
import io
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory

ROOT: Final = Path(__file__).parents[2]
BLOCK: Final = re.compile(
    r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One block of a page: where it begins, its code, and what it prints, if the page says so."""

    line: int
    code: str
    prints: str | None


def examples(text: str) -> list[Example]:
    """Return the Python blocks of a page in their order."""
    return [
        Example(line=text.count("\n", 0, found.start(1)), code=found[1], prints=found[2])
        for found in BLOCK.finditer(text)
    ]


def pages() -> list[str]:
    """Return the pages that have Python blocks, by their path in the project."""
    every = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    with_examples = [page for page in every if examples(page.read_text("utf-8"))]
    return sorted(page.relative_to(ROOT).as_posix() for page in with_examples)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with the samples, at home there, in a fixed zone."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    shutil.copy(tmp_path / "samples" / "desk" / "mail.mbox", tmp_path / "inbox.mbox")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SIMONIDES_TIMEZONE", "UTC")
    monkeypatch.setenv("SIMONIDES_DURABILITY", "relaxed")


FRAMEWORKS: Final = {
    "haystack": "haystack", "langchain": "langchain_core", "langgraph": "langgraph.store.base",
    "llama-index": "llama_index.core", "openai-agents": "agents.memory",
    "pydantic-ai": "pydantic_ai",
}  # fmt: skip
"""What the pages of integrations need; `make integrations` has all of it."""


def run(page: str) -> None:
    """Run the blocks of a page; what one of them defines, the next ones know."""
    needed = FRAMEWORKS.get(Path(page).stem) if "integrations/" in page else None
    if needed:
        pytest.importorskip(needed)
    names: dict[str, Any] = {"__name__": "__example__"}
    try:
        for example in examples((ROOT / page).read_text("utf-8")):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                code = compile("\n" * example.line + example.code, page, "exec")
                exec(code, names)  # noqa: S102  the pages are our own

            if example.prints is not None:
                assert printed.getvalue() == example.prints, f"{page}:{example.line + 1}"
    finally:
        for memory in _memories(names):
            memory.close()


def _memories(names: dict[str, Any]) -> Iterator[Memory]:
    held = (getattr(one, "memory", one) for one in names.values())
    return (one for one in held if isinstance(one, Memory))


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("page", pages())
def test_the_examples_of_a_page_do_what_it_says(page: str) -> None:
    """With the default embedder, as its reader has it."""
    run(page)


def test_a_block_is_found_with_its_line_and_with_what_it_prints() -> None:
    text = (
        "# Page\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```python\nx = 2\n```\n\nText.\n"
    )

    assert examples(text) == [
        Example(line=3, code="print(1)\n", prints="1\n"),
        Example(line=11, code="x = 2\n", prints=None),
    ]


def test_most_pages_for_users_have_examples() -> None:
    assert {"README.md", "docs/tutorial/first-memory.md", "docs/how-to/filter.md"} <= set(pages())
