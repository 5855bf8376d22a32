"""Small labelled data for the benches of quality, and what the reference says of their figures."""

import json
import re
from pathlib import Path
from typing import Any

from simonides.config import Settings

PAGE = Path(__file__).parents[3] / "docs/reference/benchmarks.md"
WORDS_ONLY = Settings(embedder="none", timezone="UTC")
SUBJECTS = ("ferry", "bridge", "orchestra", "garden", "bakery", "library")


def item(group: str, name: str, text: str, **rest: Any) -> dict[str, Any]:
    return {"type": "item", "group": group, "id": name, "text": text, **rest}


def question(group: str, name: str, text: str, *evidence: Any, **rest: Any) -> dict[str, Any]:
    return {"type": "question", "group": group, "id": name, "question": text,
            "evidence": list(evidence), **rest}  # fmt: skip


def written(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def explained(heading: str) -> set[str]:
    """Return the keys of the tables below a heading of the reference."""
    section = PAGE.read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([\w@%.]+)`", row)}
