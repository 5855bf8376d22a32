"""The log of the imports of a space: one record for each import that read something new.

Records are kept where receipts are, under ids of their own. Must not know how an import is run.
"""

import json

from simonides.codec.request import read_request
from simonides.codec.write import to_line
from simonides.errors import InvalidInput
from simonides.importers.roots import Names, list_places
from simonides.index.open_space import OpenSpace
from simonides.model.export import KeptReceipt
from simonides.model.import_report import ImportRecord, ImportReport
from simonides.model.item import short_hash
from simonides.ports.space import IMPORT_PREFIX

REASONS_MAX = 50
"""Most reasons of skipped parts that a record names."""


def keep_record(report: ImportReport, names: Names, opened: OpenSpace) -> None:
    """Keep the record of an import of what has names, unless all of it was there before."""
    is_news = report.added or report.updated or report.withdrawn or not report.unchanged
    space = opened.find_of_any_embedder()
    if space is None or not is_news:
        return
    said = to_line(
        {
            "places": list_places(names, but_below=opened.home.path),
            "files": [path.resolve().name or str(path) for path in names],
            "added": report.added,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "withdrawn": report.withdrawn,
            "skipped": len(report.skipped),
            "skipped_groups": report.skipped_groups[:REASONS_MAX],
            "kinds": report.kinds,
        }
    )
    at = opened.now()
    space.keep_receipt(f"{IMPORT_PREFIX}{short_hash(f'{at.isoformat()} {said}')}", said, at=at)


def list_records(opened: OpenSpace, limit: int, before: str) -> list[ImportRecord]:
    """Return up to `limit` records, latest first, after the one of an id."""
    space = opened.find_of_any_embedder()
    if space is None:
        return []
    with space.read() as reader:
        return [_record(one) for one in reader.receipts(limit=limit, before=before, imports=True)]


PLACES_READ = 1_000
"""So many of the latest imports tell where what they read lies."""


def read_places(opened: OpenSpace) -> dict[str, str]:
    """Return by name where the files and folders of earlier imports lay, of each the latest."""
    space = opened.find_of_any_embedder()
    if space is None:
        return {}
    with space.read() as reader:
        records = reader.receipts(limit=PLACES_READ, before="", imports=True)
    found: dict[str, str] = {}
    for record in records:
        for name, place in _places(record).items():
            found.setdefault(name, place)
    return found


def _places(kept: KeptReceipt) -> dict[str, str]:
    try:
        found = json.loads(kept.text)["places"].items()
    except (ValueError, TypeError, KeyError, AttributeError):  # of an export that others wrote
        return {}
    return {name: place for name, place in found if isinstance(place, str)}


def _record(kept: KeptReceipt) -> ImportRecord:
    try:
        said = {**json.loads(kept.text), "id": kept.id, "kept_at": kept.at.isoformat()}
        said.pop("places", None)
        return read_request(ImportRecord, said)
    except (InvalidInput, TypeError):  # of an export that others wrote
        return ImportRecord(id=kept.id, kept_at=kept.at)
