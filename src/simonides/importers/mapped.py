"""Tables and JSON of any program: each row or record an item, as a mapping of columns says.

Must not know a program.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

from simonides.errors import ImportFailed, InvalidInput
from simonides.importers.csv_rows import cells_of, read_head, rows
from simonides.importers.derived_ids import DerivedIds, short_name
from simonides.importers.file_item import TAGS_MAX, TITLE_CHARS_MAX
from simonides.importers.json_parts import JsonPart, parts
from simonides.importers.json_values import clean, each, fields_of, flat, select_filled, when, words
from simonides.importers.local_dates import local_moment, puts_day_first
from simonides.importers.records import record_events
from simonides.model.bounds import check_text
from simonides.model.item import Item, Kind, Person, Role
from simonides.plugins import Importer
from simonides.ports.importer import ImportEvent, SourceFile

FIELDS = ("content", "title", "summary", "happened_at", "id", "author", "tags", "session",
          "collection", "language")  # fmt: skip
"""The fields of an item that a column may become; any other name is one in the metadata."""

TABLES, RECORDS = (".csv", ".tsv"), (".json", ".jsonl", ".ndjson")
CONTAINERS = ("items", "data", "results", "records", "rows", "messages")

DATES_LOOKED_AT = 1_000
"""So many dates at most tell whether the day or the month comes first."""


def make_mapped_importer(mapping: Mapping[str, str], kind: Kind) -> Importer | None:
    """Return the format of tables and JSON whose columns are named; None without a mapping.

    Raises:
        InvalidInput: It names neither content nor title.
    """
    if not mapping:
        return None
    if not {"content", "title"} & mapping.keys():
        raise InvalidInput("mapping", "names neither content nor title, such as content=Text")
    reader = _Mapped(columns=dict(mapping), kind=kind)
    return Importer(name="mapped", title="", detect=_is_mapped, read=reader.read)


def texts_by_name(mapping: Mapping[str, str]) -> Mapping[str, str]:
    """Return a mapping as it was given, if it holds texts only.

    Raises:
        InvalidInput: It does not.
    """
    if not isinstance(mapping, Mapping):
        raise InvalidInput("mapping", f"must be an object, got {type(mapping).__name__}")
    for one in (*mapping, *mapping.values()):
        check_text(one, field="mapping")
    return mapping


def _is_mapped(path: Path, _: bytes) -> bool:
    return path.suffix.lower() in (*TABLES, *RECORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mapped:
    """A mapping from fields to the columns that they are read from."""

    columns: Mapping[str, str]
    kind: Kind

    def read(self, file: SourceFile) -> Iterator[ImportEvent]:
        """Yield the items of a file.

        Raises:
            ImportFailed: A column is not there; names those that are.
        """
        is_table = file.path.suffix.lower() in TABLES
        found = self._table(file) if is_table else parts(file, *CONTAINERS)
        first = list(islice(found, DATES_LOOKED_AT))
        dates = [self._text(fields_of(one.value), "happened_at") for one in first]
        ids, day_first = DerivedIds(), puts_day_first(filter(None, dates))

        def find_in(record: Any, file: SourceFile) -> Iterable[_Record]:
            fields = fields_of(record)
            return (_Record(fields=fields, file=file, mapped=self, ids=ids, day_first=day_first),)

        return record_events(file, chain(first, found), find_in, kind="records", group_records=1)

    def _table(self, file: SourceFile) -> Iterator[JsonPart]:
        """Yield the rows of a table as objects."""
        header = [cell.strip() for cell in cells_of(read_head(file))]
        missing = [one for one in self.columns.values() if one not in header]
        if missing:
            known = ", ".join(header)[:300]
            raise ImportFailed(f"has no column {missing[0]!r}; it has {known or 'none'}")
        return (
            JsonPart(
                value=dict(zip(header, row.cells, strict=False)),
                place=f"line {row.number}",
                problem=row.problem,
                bytes_done=row.bytes_done,
            )
            for row in rows(file)
        )

    def value(self, record: Mapping[str, Any], name: str) -> Any:
        """Return the value of a field in a record; `a.b` is `b` in the object `a`."""
        column = self.columns.get(name)
        if column is None or column in record:
            return record.get(column) if column is not None else None
        inner: Any = record
        for part in column.split("."):
            inner = fields_of(inner).get(part)
        return inner

    def _text(self, record: Mapping[str, Any], name: str) -> str:
        return words(self.value(record, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """One row or record, and what is known of its file."""

    fields: Mapping[str, Any]
    file: SourceFile
    mapped: _Mapped
    ids: DerivedIds
    day_first: bool
    place: str = ""

    def item(self) -> Item:
        """Return it as an item.

        Raises:
            InvalidInput: It has no words, a date that is none, or too long a field.
        """
        happened_at, assumed = self._moment()
        return Item(
            kind=self.mapped.kind,
            source=self.file.source or "file",
            source_id=self._source_id(),
            title=words(self._value("title"), chars_max=TITLE_CHARS_MAX),
            summary=flat(self._value("summary")),
            content=flat(self._value("content")),
            people=tuple(Person(name=one, role=Role.AUTHOR) for one in self._several("author")),
            tags=self._several("tags"),
            session=short_name(words(self._value("session"))),
            collection=words(self._value("collection")) or "main",
            language=words(self._value("language"), chars_max=64),
            happened_at=happened_at,
            metadata=self._metadata() | ({"_time_zone": "assumed UTC"} if assumed else {}),
        )

    def _metadata(self) -> dict[str, Any]:
        """Return the columns that become no field of the item, by their own or their given name."""
        columns = self.mapped.columns
        own = {name: self._value(name) for name in columns if name not in FIELDS}
        rest = {key: one for key, one in self.fields.items() if key not in columns.values()}
        return select_filled(clean({**rest, **own}))

    def _value(self, name: str) -> Any:
        return self.mapped.value(self.fields, name)

    def _source_id(self) -> str:
        """Return the record's own id, of a file without a source of its own below its name."""
        own = words(self._value("id")) or self.ids.of(flat(dict(self.fields)))
        return own if self.file.source and self._value("id") else f"{self.file.where}#{own}"

    def _several(self, name: str) -> tuple[str, ...]:
        """Return the values of a list, or of a text in which commas or semicolons part them."""
        value = self._value(name)
        texts = words(value).replace(";", ",").split(",") if isinstance(value, str) else each(value)
        found = (words(one) for one in texts)
        return tuple(dict.fromkeys(filter(None, found)))[:TAGS_MAX]

    def _moment(self) -> tuple[datetime | None, bool]:
        value = self._value("happened_at")
        if value in ("", None):
            return None, False
        if isinstance(value, str):
            stated = value.strip()
            if stated.isascii() and stated.isdigit() and len(stated) >= _EPOCH_DIGITS:
                return when(int(stated)), False
            found = local_moment(stated, day_first=self.day_first)
        else:
            found = when(value), False
        if found[0] is None:
            raise InvalidInput("happened_at", f"is no time: {words(value)[:40]!r}")
        return found


_EPOCH_DIGITS = 9
"""From 1973 on, seconds since 1970 have nine digits or more."""
