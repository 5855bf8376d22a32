"""Files that were renamed while their folder was watched: their items keep the ids they had.

The id of a document comes from where its file lay when it was first imported. A moved one says in
its metadata where that was and where the file lies now, so that every later import knows it again.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TypeGuard

from simonides.importers.file_item import session_of
from simonides.importers.folder import WalkedFile
from simonides.index.open_space import OpenSpace
from simonides.model.item import Item
from simonides.model.metadata_keys import MOVED_KEY
from simonides.ports.importer import ImportEvent


def find_moved(opened: OpenSpace) -> dict[str, str]:
    """Return where each moved file first lay, by where it lies now."""
    space = opened.find()
    if space is None:
        return {}
    with space.read() as reader:
        found = [value for value in reader.read_moved() if _is_move(value)]
    return {value["to"]: value["from"] for value in found}


def present_place(item: Item) -> str:
    """Return the source id that the item would have if it were imported for the first time now."""
    value = item.metadata.get(MOVED_KEY)
    if not _is_move(value):
        return item.source_id
    return value["to"] + item.source_id.removeprefix(value["from"])


def first_place(found: WalkedFile, moved: Mapping[str, str]) -> str:
    """Return where a file first lay; where it lies now if another file lies there by now."""
    where = found.file.where
    first = moved.get(where, where)
    return where if first == where or _path_of(first, found).exists() else first


def at_first_place(step: ImportEvent, where: str, first: str) -> ImportEvent:
    """Return the event of a file at `where` as if the file still lay at its `first` place."""
    item, place = step.item, _replace(step.where, where, first)
    if item is None or _replace(item.source_id, where, first) == item.source_id:
        return replace(step, where=place)
    had_parts = item.session == session_of(step.where)
    kept = replace(
        item,
        id="",
        source_id=_replace(item.source_id, where, first),
        session=session_of(place) if had_parts else item.session,
        metadata={**item.metadata, MOVED_KEY: {"from": first, "to": where}},
    )
    return replace(step, item=kept, where=place)


def _replace(text: str, where: str, first: str) -> str:
    """Return a place in the file at `where` (itself, a part, a member) as one of `first`."""
    rest = text.removeprefix(where)
    is_inside = text.startswith(where) and rest[:1] in ("", "#", "/")
    return first + rest if is_inside else text


def _path_of(where: str, found: WalkedFile) -> Path:
    """Return the path of another place below the root of a file that was found."""
    depth = len(PurePosixPath(found.file.where).parts)
    root = found.file.path.parents[depth - 2] if depth > 1 else found.file.path
    return root.joinpath(*PurePosixPath(where).parts[1:])


def _is_move(value: object) -> TypeGuard[Mapping[str, str]]:
    return isinstance(value, Mapping) and all(
        isinstance(value.get(name), str) and value[name] for name in ("from", "to")
    )
