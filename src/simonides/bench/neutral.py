"""The neutral format of labelled data: JSON Lines of items and questions, grouped.

`{"type":"item","group","id","text","speaker"?,"at"?,"session"?}` and
`{"type":"question","group","id","question","evidence":[ids],"category"?,"at"?}`. One group is one
private space. See docs/reference/formats.md.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.item import Item, Kind, Person

SOURCE = "bench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and the ids of the items that answer it (distinct, all of them in the group)."""

    id: str
    group: str
    text: str
    evidence: frozenset[str]
    category: str = ""
    at: datetime | None = None


@dataclass(slots=True, kw_only=True)
class Group:
    """One private corpus with its questions; `skipped` counts questions without evidence."""

    name: str
    items: list[Item] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    skipped: int = 0


def read_groups(path: Path) -> list[Group]:
    """Return the groups of a file, in order of name.

    Evidence that is not in the group is dropped; a question left without any is counted in
    `skipped`, never scored.

    Raises:
        InvalidInput: A line is not of the format; names file and line.
    """
    groups: dict[str, Group] = {}
    asked: list[dict[str, Any]] = []
    positions: dict[tuple[str, str], int] = defaultdict(int)
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            entry = _entry(line, where=f"{path.name}:{number}")
            group = groups.setdefault(entry["group"], Group(name=entry["group"]))
            if entry["type"] == "question":
                asked.append(entry)
                continue
            place = (entry["group"], entry.get("session", ""))
            group.items.append(_item(entry, position=positions[place]))
            positions[place] += 1
    for entry in asked:
        _take_question(groups[entry["group"]], entry)
    return [groups[name] for name in sorted(groups)]


def _entry(line: str, *, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
        needed = ("id", "question", "evidence") if entry["type"] == "question" else ("id", "text")
        missing = [name for name in ("group", *needed) if name not in entry]
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput(where, f"is not a line of the neutral format: {error}") from error
    if missing:
        raise InvalidInput(where, f"lacks {', '.join(missing)}")
    return dict(entry)


def _item(entry: dict[str, Any], *, position: int) -> Item:
    speaker, session = entry.get("speaker", ""), entry.get("session", "")
    return Item(
        kind=Kind.MESSAGE if speaker or session else Kind.DOCUMENT,
        content=entry["text"] or "(empty)",
        source=SOURCE,
        source_id=str(entry["id"]),
        people=(Person(name=speaker),) if speaker else (),
        session=session,
        position=position if session else None,
        happened_at=_moment(entry.get("at")),
    )


def _take_question(group: Group, entry: dict[str, Any]) -> None:
    known = {item.source_id for item in group.items}
    evidence = frozenset(str(one) for one in entry["evidence"]) & known
    if not evidence:
        group.skipped += 1
        return
    group.questions.append(
        Question(
            id=str(entry["id"]),
            group=group.name,
            text=entry["question"],
            evidence=evidence,
            category=str(entry.get("category", "")),
            at=_moment(entry.get("at")),
        )
    )


def _moment(text: str | None) -> datetime | None:
    if not text:
        return None
    when = datetime.fromisoformat(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)
