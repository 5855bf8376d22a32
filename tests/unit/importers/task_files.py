"""Own-made exports of trackers, written to files and read by content."""

import json
from pathlib import Path
from typing import Any

from simonides.importers.reading import read_file
from simonides.model.item import Item, Kind
from simonides.ports.importer import ImportEvent, SourceFile


def events(
    folder: Path, content: Any, *, name: str = "export.json", timezone: str = ""
) -> list[ImportEvent]:
    """Return the events of a file with this content; what is no text or bytes becomes JSON."""
    path = folder / name
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    size = path.stat().st_size
    return list(read_file(SourceFile(path=path, where=name, size_bytes=size, timezone=timezone)))


def items(
    folder: Path, content: Any, *, name: str = "export.json", timezone: str = ""
) -> list[Item]:
    """Return all items of a file; nothing in it is passed over."""
    found = events(folder, content, name=name, timezone=timezone)
    assert [one.skipped for one in found if one.skipped] == []
    return [one.item for one in found if one.item]


def tasks(folder: Path, content: Any, *, name: str = "export.json") -> list[Item]:
    """Return the tasks of a file, whatever else is in it."""
    found = [one.item for one in events(folder, content, name=name) if one.item]
    return [one for one in found if one.kind is Kind.TASK]


def skip(folder: Path, content: Any, *, name: str = "export.json") -> list[tuple[str, str]]:
    """Return (place, reason) of what is passed over in a file."""
    found = [one.skipped for one in events(folder, content, name=name)]
    return [(one.where.removeprefix(f"{name}: "), one.reason) for one in found if one]


def jira_user(name: str, **fields: Any) -> dict[str, Any]:
    """Return a person as Jira Cloud describes them."""
    first = name.partition(" ")[0].lower()
    known = {"displayName": name, "emailAddress": f"{first}@yard.example"}
    return {"accountId": f"id-{first}", **known, **fields}


def document(*blocks: Any) -> dict[str, Any]:
    """Return an Atlassian document; a text stands for a paragraph."""
    return {"type": "doc", "version": 1, "content": [_block(one) for one in blocks]}


def _block(one: Any) -> Any:
    if not isinstance(one, str):
        return one
    return {"type": "paragraph", "content": [{"type": "text", "text": one}]}


def issue(key: str = "YARD-1", /, changelog: Any = None, **fields: Any) -> dict[str, Any]:
    """Return an issue of Jira Cloud with these fields."""
    given = {
        "summary": "Mend the crane",
        "created": "2026-03-02T09:00:00.000+0100",
        "updated": "2026-03-05T10:00:00.000+0100",
        "status": {"name": "In Progress", "statusCategory": {"key": "indeterminate"}},
        "reporter": jira_user("Mira Holm"),
    }
    address = f"https://yard.atlassian.example/rest/api/3/issue/{key}"
    made: dict[str, Any] = {"id": "1", "self": address, "key": key, "fields": given | fields}
    return made | ({"changelog": {"histories": changelog}} if changelog is not None else {})


def change(
    at: str, field: str, before: str | None, after: str | None, **ids: Any
) -> dict[str, Any]:
    """Return one entry of a changelog."""
    item = {"field": field, "fromString": before, "toString": after, **ids}
    return {"id": at, "author": jira_user("Mira Holm"), "created": at, "items": [item]}
