"""The pages hold together: links lead somewhere, the index is whole, dependencies are explained."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"

LINK: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#+ +(.*?)\s*#*$", re.MULTILINE)
FENCE: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Return every page of the project."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    return FENCE.sub("", page.read_text("utf-8"))


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield (file, anchor) of each link of a page that stays in the project."""
    for target in LINK.findall(prose(page)):
        if "://" not in target and not target.startswith("mailto:"):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as forges make them."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(prose(page)))
    return {heading.replace(" ", "-") for heading in plain}


def section(text: str, heading: str) -> str:
    """Return what stands below a heading of the second level; empty if there is none."""
    found = re.search(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return found[1].strip() if found else ""


def test_every_link_leads_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target.name}"
        for page in pages()
        for target, anchor in links(page)
        if not target.exists() or (anchor and anchor not in anchors(target))
    ]

    assert broken == []


def test_the_index_names_every_page() -> None:
    index = DOCS / "README.md"
    named = {target for target, _ in links(index)}

    assert [page.name for page in DOCS.rglob("*.md") if page not in {*named, index}] == []


def test_every_base_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = [re.split(r"[<>=!~ \[;]", one)[0] for one in project["dependencies"]]
    text = (DOCS / "explanation" / "dependencies.md").read_text("utf-8")

    for name in names:
        assert "Instead:" in section(text, name), f"{name}: say why, and what else was considered"
        assert f"| {name} |" in text, f"{name}: say its owner and its cost"


def test_the_records_of_choices_have_their_four_parts() -> None:
    for page in sorted((DOCS / "adr").glob("*.md")):
        found = HEADING.findall(page.read_text("utf-8"))

        assert re.match(rf"{page.name[:4]}\. .", found[0]), page.name
        assert set(found) >= {"Context", "Choice", "Rejected", "Consequences"}, page.name


def test_an_anchor_is_made_as_forges_make_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# What's `new`, here?\n\n```\n# not a heading\n```\n", "utf-8")

    assert anchors(page) == {"whats-new-here"}
