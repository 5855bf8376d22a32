"""Boards of Trello: the JSON of "Print, export, and share".

Must not know how a task becomes an item.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from simonides.importers.json_parts import parts
from simonides.importers.json_values import each, fields_of, find_named, lines, objects, when, words
from simonides.importers.records import Missing, record_events
from simonides.model.item import Person
from simonides.model.times import in_zone
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.trackers.task import Comment, Found, Task

Fields = Mapping[str, Any]

_TIME_DIGITS = 8
"""An id begins with so many hexadecimal digits that are the seconds since 1970 it was made."""

_DONE = frozenset(
    """
    done complete completed finished closed erledigt fertig abgeschlossen fait fini terminé hecho
    completado terminado fatto completato finito klaar gedaan afgerond feito concluído
    完了 完成 已完成
    """.split()
)
"""Names of lists whose cards are done: what people call the last one of a board."""


def read_trello(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the cards of a board and their comments, or why one is passed over."""
    return record_events(file, parts(file), partial(_find, source=file.source or "trello"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Board:
    """A board, with its lists and members by their ids, and the check lists of each card."""

    source: str
    timezone: str
    name: str
    lists: Mapping[str, Fields]
    members: Mapping[str, Person | None]
    boxes: Mapping[str, list[str]]


def _find(record: Any, file: SourceFile, *, source: str) -> Iterator[Found]:
    found = fields_of(record)
    boxes: dict[str, list[str]] = {}
    for one in objects(found.get("checklists")):
        boxes.setdefault(words(one.get("idCard")), []).append(_boxes(one))
    board = _Board(
        source=source,
        timezone=file.timezone,
        name=words(found.get("name")),
        lists={words(one.get("id")): one for one in objects(found.get("lists"))},
        members={words(one.get("id")): _person(one) for one in objects(found.get("members"))},
        boxes=boxes,
    )
    keys = {words(one.get("id")): _key(one) for one in objects(found.get("cards"))}
    yield from (_task(card, board) for card in objects(found.get("cards")))
    for action in objects(found.get("actions")):
        if action.get("type") == "commentCard":
            yield _comment(action, keys, source=source)


def _task(card: Fields, board: _Board) -> Found:
    card_id, title = words(card.get("id")), words(card.get("name"))
    if not card_id or not title:
        return Missing(place=title or card_id, reason="a card without an id, or without a name")
    column = board.lists.get(words(card.get("idList")), {})
    assigned = (board.members.get(words(one)) for one in each(card.get("idMembers")))
    due = when(card.get("due"))
    return Task(
        source=board.source,
        key=_key(card),
        source_id=card_id,
        title=title,
        text="\n\n".join(filter(None, (lines(card.get("desc")), *board.boxes.get(card_id, ())))),
        status=words(column.get("name")),
        due="" if due is None else in_zone(due, board.timezone or "UTC").isoformat(),
        url=find_named(card, "shortUrl", "url"),
        project=board.name,
        assignees=tuple(one for one in assigned if one is not None),
        tags=tuple(find_named(one, "name", "color") for one in objects(card.get("labels"))),
        created=_read_created(card_id),
        updated=when(card.get("dateLastActivity")),
        is_open=not _is_done(card, column),
        more={"archived": card.get("closed") is True or None},
    )


def _comment(action: Fields, keys: Mapping[str, str], *, source: str) -> Found:
    said, author = fields_of(action.get("data")), _person(action.get("memberCreator"))
    card, text = fields_of(said.get("card")), lines(said.get("text"))
    action_id, made = words(action.get("id")), when(action.get("date"))
    if not action_id or not text:
        return Missing(place=action_id, reason="a comment without an id, or without words")
    return Comment(
        source=source,
        source_id=action_id,
        key=keys.get(words(card.get("id"))) or _key(card),
        text=text,
        title=words(card.get("name")),
        author=author,
        created=made,
        updated=when(said.get("dateLastEdited")),
    )


def _is_done(card: Fields, column: Fields) -> bool:
    name = "".join(one for one in words(column.get("name")) if one.isalpha()).casefold()
    said = (card.get("dueComplete"), card.get("closed"), column.get("closed"))
    return name in _DONE or any(one is True for one in said)


def _key(card: Fields) -> str:
    """Return the id by which addresses name a card."""
    return find_named(card, "shortLink", "id")


def _person(member: Any) -> Person | None:
    name = find_named(member, "fullName", "username")
    return Person(name=name) if name else None


def _boxes(checklist: Fields) -> str:
    """Return a check list in Markdown below its name."""
    rows = [
        f"- [{'x' if one.get('state') == 'complete' else ' '}] {words(one.get('name'))}"
        for one in objects(checklist.get("checkItems"))
    ]
    return "\n".join(filter(None, (words(checklist.get("name")), *rows)))


def _read_created(card_id: str) -> datetime | None:
    try:
        return when(int(card_id[:_TIME_DIGITS], 16))
    except ValueError:
        return None
