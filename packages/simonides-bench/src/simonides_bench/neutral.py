"""The neutral format of labelled data: JSON Lines of items and questions, grouped.

`{"type":"item","group","id","text","speaker"?,"to"?,"at"?,"session"?,"kind"?,"source"?,"title"?}`
and `{"type":"question","group","id","question","evidence":[ids],"category"?,"at"?,"must_not"?,
"also_ok"?,"answer"?}`. One group is one private space. See docs/reference/benchmarks.md.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.coercion import one_of
from simonides.model.item import Item, Kind, Person, Role

SOURCE = "bench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and the ids of the items that answer it (distinct, all of them in the group).

    `must_not` are items that should rank below the evidence, `also_ok` those that only repeat the
    answer. Without evidence it is a question that nothing answers.
    """

    id: str
    group: str
    text: str
    evidence: frozenset[str]
    category: str = ""
    at: datetime | None = None
    must_not: frozenset[str] = frozenset()
    also_ok: frozenset[str] = frozenset()
    answer: str = ""


@dataclass(slots=True, kw_only=True)
class Group:
    """One private corpus with its questions; `skipped` counts questions without evidence.

    Of these, `unanswerable` are the ones whose evidence is empty as written. `ids` are those of
    the items; `positions` counts the items of each session so far.
    """

    name: str
    items: list[Item] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    unanswerable: list[Question] = field(default_factory=list)
    skipped: int = 0
    ids: set[str] = field(default_factory=set)
    positions: Counter[str] = field(default_factory=Counter)


def read_groups(path: Path) -> list[Group]:
    """Return the groups of a file, in order of name.

    Evidence that is not in the group is dropped; a question left without any is counted in
    `skipped`, never scored. Empty lines and unknown fields are passed over.

    Raises:
        InvalidInput: The file cannot be read, or a line is not of the format; names both.
    """
    groups: dict[str, Group] = {}
    asked: list[_Asked] = []
    for where, found in json_objects(path):
        entry = _entry(found, where=where)
        group = groups.setdefault(entry["group"], Group(name=entry["group"]))
        if entry["type"] == "question":
            asked.append((group, entry, where))
        else:
            _take_item(group, entry, where=where)
    for group, entry, where in asked:
        _take_question(group, entry, where=where)
    return [groups[name] for name in sorted(groups)]


_Asked = tuple[Group, dict[str, Any], str]
_TEXTS = {"item": ("group", "id", "text"), "question": ("group", "id", "question")}
"""What each type of line needs, all of it text (an id may be a number)."""


def json_objects(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (file:line, value) of the lines that are not empty.

    Raises:
        InvalidInput: The file cannot be read, or a line is no JSON; names both.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                where = f"{path.name}:{number}"
                if line.strip():
                    yield where, _value(line, where=where)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(str(path), f"cannot be read: {error}") from error


def _value(line: str, *, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(where, f"is not JSON: {error}") from error


def _entry(entry: Any, *, where: str) -> dict[str, Any]:
    kind = entry.get("type") if isinstance(entry, dict) else None
    if not isinstance(kind, str) or kind not in _TEXTS:
        raise InvalidInput(where, "is no object whose type is item or question")
    for name in _TEXTS[kind]:
        if type(entry.get(name)) is int and name != "text":  # true and false are no numbers
            entry[name] = str(entry[name])
        if not isinstance(entry.get(name), str):
            raise InvalidInput(where, f"needs {name}, a text")
    return dict(entry)


def _take_item(group: Group, entry: dict[str, Any], *, where: str) -> None:
    if entry["id"] in group.ids:
        raise InvalidInput(where, f"repeats item {entry['id']!r} of group {group.name!r}")
    group.ids.add(entry["id"])
    session = str(entry.get("session") or "")
    position = group.positions[session]
    group.positions[session] += 1
    happened_at = moment(entry.get("at"), where=where)
    try:
        item = _item(entry, session=session, position=position, happened_at=happened_at)
    except InvalidInput as error:
        raise InvalidInput(where, str(error)) from error
    group.items.append(item)


def _item(
    entry: dict[str, Any], *, session: str, position: int, happened_at: datetime | None
) -> Item:
    speaker = str(entry.get("speaker") or "")
    usual = Kind.MESSAGE if speaker or session else Kind.DOCUMENT
    return Item(
        kind=one_of(Kind, entry.get("kind") or usual, field="kind"),
        content=entry["text"] if entry["text"].strip() else "(empty)",
        source=str(entry.get("source") or SOURCE),
        source_id=entry["id"],
        title=str(entry.get("title") or ""),
        people=tuple(_people(speaker, entry.get("to"))),
        session=session,
        position=position if session else None,
        happened_at=happened_at,
    )


def _people(speaker: str, readers: Any) -> Iterator[Person]:
    if speaker:
        yield Person(name=speaker)
    for name in readers if isinstance(readers, list) else []:
        if name:
            yield Person(name=str(name), role=Role.TO)


def _take_question(group: Group, entry: dict[str, Any], *, where: str) -> None:
    for name in ("must_not", "also_ok"):
        entry.setdefault(name, [])
    for name in ("evidence", "must_not", "also_ok"):
        if not isinstance(entry.get(name), list):
            raise InvalidInput(where, f"needs {name}, a list of item ids")
    if not entry["question"].strip():
        raise InvalidInput(where, "needs question, a text that is not empty")
    question = _question(group, entry, where=where)
    if question.evidence:
        group.questions.append(question)
        return
    group.skipped += 1
    if not entry["evidence"]:
        group.unanswerable.append(question)


def _question(group: Group, entry: dict[str, Any], *, where: str) -> Question:
    evidence, must_not, also_ok = (
        frozenset(map(str, entry[name])) & group.ids for name in ("evidence", "must_not", "also_ok")
    )
    return Question(
        id=entry["id"],
        group=group.name,
        text=entry["question"],
        evidence=evidence,
        category=str(entry.get("category") or ""),
        at=moment(entry.get("at"), where=where),
        must_not=must_not,
        also_ok=also_ok,
        answer=str(entry.get("answer") or ""),
    )


def moment(text: Any, *, where: str) -> datetime | None:
    """Return an aware time, None for nothing; one without a zone is read as UTC.

    Raises:
        InvalidInput: It is no time.
    """
    if not text:
        return None
    try:
        when = datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise InvalidInput(where, f"needs at as ISO 8601, got {text!r}") from error
    return when if when.tzinfo else when.replace(tzinfo=UTC)
