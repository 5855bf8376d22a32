"""Tables and JSON with a mapping of columns to fields."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides import InvalidInput, Memory, Settings
from simonides.importers.mapped import make_mapped_importer
from simonides.importers.run import read
from simonides.model.item import Item, Kind

MAPPING = {"content": "Text", "title": "Subject", "happened_at": "Date", "id": "Key"}
TABLE = """\
Key,Date,Subject,Text,Who,Weight,Labels
a-1,13/03/2026 10:00,Crane,The crane is back,Mira Holm,5,"yard, blue"
a-2,14/03/2026,Slip,The slip is free,Jon,,
"""


def mapped(
    folder: Path, content: Any, mapping: Any = None, *, name: str = "a.csv", **fields: Any
) -> list[Any]:
    """Return the events of a file with a mapping."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    kind = fields.pop("kind", Kind.DOCUMENT)
    return list(read(path, mapped=make_mapped_importer(mapping or MAPPING, kind), **fields))


def kept(events: list[Any]) -> list[Item]:
    assert [one.skipped for one in events if one.skipped] == []
    return [one.item for one in events]


def reasons(events: list[Any]) -> list[tuple[str, str]]:
    return [(one.skipped.where, one.skipped.reason) for one in events if one.skipped]


def test_rows_become_items_as_the_mapping_says(tmp_path: Path) -> None:
    mapping = MAPPING | {"author": "Who", "tags": "Labels", "tons": "Weight"}
    crane, slip = kept(mapped(tmp_path, TABLE, mapping))

    assert (crane.kind, crane.title, crane.content) == (
        Kind.DOCUMENT, "Crane", "The crane is back",
    )  # fmt: skip
    assert (crane.source, crane.source_id) == ("file", "a.csv#a-1")
    assert crane.happened_at == datetime(2026, 3, 13, 10, tzinfo=UTC)
    assert crane.people[0].name == "Mira Holm"
    assert crane.tags == ("yard", "blue")
    assert crane.metadata == {"tons": "5", "_time_zone": "assumed UTC"}
    assert slip.happened_at == datetime(2026, 3, 14, tzinfo=UTC)


def test_other_columns_are_kept_as_metadata(tmp_path: Path) -> None:
    crane = kept(mapped(tmp_path, TABLE))[0]

    assert crane.metadata["Who"] == "Mira Holm"
    assert crane.metadata["Weight"] == "5"


def test_with_a_source_of_its_own_an_id_is_kept_as_it_is(tmp_path: Path) -> None:
    crane = kept(mapped(tmp_path, TABLE, source="yard"))[0]

    assert (crane.source, crane.source_id) == ("yard", "a-1")


@pytest.mark.parametrize("above", ["sep=;\n", "Konto;DE89\nZeitraum;02/2026\n\n", "Konto, neu\n"])
def test_lines_above_the_names_of_columns_are_none(tmp_path: Path, above: str) -> None:
    table = "Tag;Zweck;Betrag\n02.02.2026;REWE, Hafen;-23,50\n03.02.2026;Miete, Garage;-80,00\n"

    items = kept(mapped(tmp_path, above + table, {"content": "Zweck", "happened_at": "Tag"}))

    assert [one.content for one in items] == ["REWE, Hafen", "Miete, Garage"]
    assert [one.metadata["Betrag"] for one in items] == ["-23,50", "-80,00"]


def test_rows_without_an_id_keep_theirs_when_the_table_grows(tmp_path: Path) -> None:
    mapping = {"content": "Text"}
    before = kept(mapped(tmp_path, TABLE, mapping))
    head, first, *rest = TABLE.splitlines()
    after = kept(mapped(tmp_path, "\n".join([head, "new,,,New,,,", first, *rest]), mapping))

    assert {one.id for one in before} < {one.id for one in after}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ([{"Text": "one", "Date": 1772618400, "Subject": "s", "Key": 7}], "a.json"),
        ({"items": [{"Text": "one", "Date": "2026-03-04T10:00:00Z", "Key": "7"}]}, "a.json"),
        ('{"Text": "one", "Date": 1772618400000, "Key": 7}\n', "a.jsonl"),
        ("Text;Key;Date;Subject\none;7;1772618400;s\n", "a.csv"),
        ("Text\tKey\tDate\tSubject\none\t7\t2026-03-04T11:00:00+01:00\ts\n", "a.tsv"),
    ],
)
def test_every_shape_is_read(tmp_path: Path, content: Any, name: str) -> None:
    [found] = kept(mapped(tmp_path, content, name=name, kind=Kind.MESSAGE))

    assert (found.content, found.kind, found.source_id) == ("one", Kind.MESSAGE, f"{name}#7")
    assert found.happened_at == datetime(2026, 3, 4, 10, tzinfo=UTC)


def test_a_dotted_name_is_a_field_of_an_inner_object(tmp_path: Path) -> None:
    mapping = {"content": "body.text", "tags": "labels", "author": "from"}
    record = {"body": {"text": ["a", "b"]}, "labels": ["x", 1, None], "from": "Ann; Jon"}
    [found] = kept(mapped(tmp_path, [record], mapping, name="a.json"))

    assert found.content == "a, b"
    assert found.tags == ("x", "1")
    assert [one.name for one in found.people] == ["Ann", "Jon"]


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = mapped(tmp_path, TABLE, {"content": "Body"})

    assert reasons(found) == [
        ("a.csv", "has no column 'Body'; it has Key, Date, Subject, Text, Who, Weight, Labels")
    ]


def test_a_bad_row_is_reported_and_costs_no_other(tmp_path: Path) -> None:
    broken = TABLE + "a-3,soon,x,y,,,\na-4,,,,Eva,,\n"
    found = mapped(tmp_path, broken)

    assert len([one for one in found if one.item]) == 2
    assert reasons(found) == [
        ("a.csv: line 4", "happened_at: is no time: 'soon'"),
        ("a.csv: line 5", "content: is empty, and so is the title: nothing to keep"),
    ]


def test_files_of_other_formats_are_read_as_always(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nwords")
    (tmp_path / "a.csv").write_text(TABLE)
    importer = make_mapped_importer(MAPPING, Kind.DOCUMENT)

    titles = [one.item.title for one in read(tmp_path, mapped=importer) if one.item]
    assert titles == ["Crane", "Slip", "Note"]


def test_a_memory_imports_with_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    with Memory(":memory:", settings=Settings(embedder="none")) as memory:
        report = memory.import_(path, mapping=MAPPING, kind="event")

        assert report.kinds == {"event": 2}
        assert memory.search("free slip")[0].title == "Slip"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"mapping": {"id": "Key"}}, "mapping"),
        ({"mapping": {"content": 7}}, "mapping"),
        ({"mapping": ["content"]}, "mapping"),
        ({"mapping": MAPPING, "kind": "song"}, "kind"),
    ],
)
def test_a_mapping_that_is_none_is_refused(
    tmp_path: Path, fields: dict[str, Any], field: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    with (
        Memory(":memory:", settings=Settings(embedder="none")) as memory,
        pytest.raises(InvalidInput, match=field),
    ):
        memory.import_(path, **fields)
