"""Notes: their front matter, titles and dates."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides.importers import markdown
from simonides.importers import markdown as subject
from simonides.importers.file_item import TITLE_CHARS_MAX, moment
from simonides.importers.markdown import Value, read_markdown, split, texts
from simonides.model.item import Item, Kind, Role
from simonides.ports.importer import ImportEvent, SourceFile


def step(
    folder: Path, content: str | bytes, *, name: str = "note.md", source: str = ""
) -> ImportEvent:
    path = folder / name
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(raw)
    file = SourceFile(path=path, where=f"notes/{name}", size_bytes=len(raw), source=source)
    found, *_ = read_markdown(file)
    return found


def note(folder: Path, content: str | bytes, *, name: str = "note.md", source: str = "") -> Item:
    item = step(folder, content, name=name, source=source).item
    assert item is not None
    return item


FULL = """---
title: "Alpha: decisions"
date: 2026-03-06
tags: [alpha, '#plan', "two words"]
author: Mira Okafor
priority: 2
share: 0.5
done: true
people:
  - Tom
  - Sarah
---

# A heading

The text.
"""


def test_a_note_is_kept_with_its_front_matter(tmp_path: Path) -> None:
    item = note(tmp_path, FULL)

    assert (item.kind, item.source, item.source_id) == (Kind.DOCUMENT, "file", "notes/note.md")
    assert item.title == "Alpha: decisions"
    assert item.content == "# A heading\n\nThe text."
    assert item.tags == ("alpha", "plan", "two words")
    assert item.author is not None
    assert (item.author.name, item.author.role) == ("Mira Okafor", Role.AUTHOR)
    assert item.happened_at == datetime(2026, 3, 6, tzinfo=UTC)
    assert item.metadata == {
        "priority": 2, "share": 0.5, "done": True, "people": ["Tom", "Sarah"],
    }  # fmt: skip
    assert item.session == ""


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("Some text\n\n## The plan ##\n\nmore", "The plan"),
        ("Some text", "note"),
        ("#hashtag is no heading", "note"),
        ("---\ntitle:\n---\n# Plan", "Plan"),
        ("# " + "a" * 5000, "a" * TITLE_CHARS_MAX),
    ],
)
def test_the_title_is_the_heading_or_the_name(tmp_path: Path, content: str, title: str) -> None:
    assert note(tmp_path, content).title == title


@pytest.mark.parametrize("name", ["2026-03-04-visit.md", "2026_03_04.md", "Visit 20260304.md"])
def test_the_date_comes_from_the_name(tmp_path: Path, name: str) -> None:
    assert note(tmp_path, "x", name=name).happened_at == datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize("name", ["2026-03_04.md", "Invoice 20261399.md", "202603041530.md"])
def test_other_numbers_in_a_name_are_no_date(tmp_path: Path, name: str) -> None:
    assert note(tmp_path, "x", name=name).happened_at is None


def test_the_time_of_an_undated_file_is_kept_but_is_no_date(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("x", encoding="utf-8")
    changed = datetime(2026, 3, 5, 8, 40, tzinfo=UTC)
    (found,) = read_markdown(
        SourceFile(path=path, where="note.md", size_bytes=1, modified_at=changed)
    )

    assert found.item is not None
    assert found.item.happened_at is None
    assert found.item.metadata == {"modified_at": "2026-03-05T08:40:00+00:00"}


def test_an_impossible_day_in_the_name_is_no_date(tmp_path: Path) -> None:
    item = note(tmp_path, "---\ndate: 2026-03-04T10:00:00+01:00\n---\nx", name="2026-99-99.md")

    assert item.happened_at == datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def test_old_charsets_are_read(tmp_path: Path) -> None:
    assert note(tmp_path, "Möwe € 5".encode("cp1252")).content == "Möwe € 5"


def test_an_empty_note_says_so(tmp_path: Path) -> None:
    skipped = step(tmp_path, "\ufeff \n").skipped

    assert skipped is not None
    assert (skipped.where, skipped.reason) == ("notes/note.md", "empty")


def test_a_note_of_front_matter_alone_is_kept_by_its_title(tmp_path: Path) -> None:
    item = note(tmp_path, "---\ntitle: Later\n---\n")

    assert (item.title, item.content) == ("Later", "")


def test_a_long_file_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "FILE_BYTES_MAX", 100)
    item = note(tmp_path, "word " * 100)

    assert len(item.content) <= 100
    assert item.metadata["_cut_from_bytes"] == 500


def test_a_megabyte_on_one_line_is_read(tmp_path: Path) -> None:
    assert len(note(tmp_path, "x" * 1_000_000).content) == 1_000_000


def test_the_source_can_be_named(tmp_path: Path) -> None:
    assert note(tmp_path, "x", source="wiki").source == "wiki"


@pytest.mark.parametrize(
    "text",
    [
        "no front matter",
        "---\nnever: closed\n",
        "--- \n" + "a: 1\n" * 300 + "---\n",
        "----\na: 1\n---\n",
        "",
    ],
)
def test_what_is_no_front_matter_is_text(text: str) -> None:
    assert split(text) == ({}, text)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("key: value", "value"),
        ("Key: value", "value"),
        ("key:   spaced  ", "spaced"),
        ("key: 'it is: quoted'", "it is: quoted"),
        ("key: [a, 'b, c', \"d\"]", ["a", "b, c", "d"]),
        ("key: []", []),
        ("key: -3", -3),
        ("key: 2026-03-04", "2026-03-04"),
        ("key: 1.50", 1.5),
        ("key: False", False),
        ("key:", ""),
        ("key: http://x.example/a:b", "http://x.example/a:b"),
    ],
)
def test_values_are_read_as_what_they_look_like(line: str, value: Value) -> None:
    assert split(f"---\n{line}\n---\ntext") == ({"key": value}, "text")


def test_lines_that_are_neither_pair_nor_entry_are_left_out() -> None:
    text = f"---\nb: 2\n  nested: {{a: 1}}\n# comment\nlong: {'x' * 3000}\na: 1\n...\ntext"

    assert split(text) == ({"b": 2, "a": 1}, "text")


def test_an_entry_after_a_value_begins_a_list() -> None:
    assert markdown.split("---\ntags: x\n- a\n- 'b'\n---\n")[0] == {"tags": ["a", "b"]}


def test_one_text_may_hold_several() -> None:
    assert texts("alpha, plan,, ") == ["alpha", "plan"]
    assert texts(["a", ""]) == ["a"]
    assert texts(7) == ["7"]


@pytest.mark.parametrize("value", ["soon", "", "2026-13-01", "0001-01-01T00:00:00+23:00", True])
def test_what_is_no_time_is_none(value: Value) -> None:
    assert moment(value) is None


@pytest.mark.parametrize(
    "first",
    [
        "Bring the plan.\nNote: by noon",
        "Note: by noon\nBring the plan.",
        "# Plan\n\nBring the plan.",
        "- Tom\n- Ana",
    ],
)
def test_a_rule_at_the_beginning_is_no_front_matter(tmp_path: Path, first: str) -> None:
    text = f"---\n{first}\n\n---\n\nThe second part."

    assert note(tmp_path, text).content == text


def test_unusual_keys_are_lines_of_a_front_matter(tmp_path: Path) -> None:
    front = '\u00e9tat: ok\nsource/url (old): x\n"cover": y\ntags:\n-\n- a\n# note\nowner: Tom'

    assert note(tmp_path, f"---\n{front}\n---\nText.").metadata["owner"] == "Tom"


def test_texts_of_several_lines_are_kept(tmp_path: Path) -> None:
    front = (
        "summary: |\n  Two boats,\n    one crane.\n\n  - no list\n"
        "outlook: >-\n  Calm\n  seas.\n\n  Then rain.\nempty: |\nowner: Tom"
    )
    item = note(tmp_path, f"---\n{front}\n---\nText.")

    assert item.metadata["summary"] == "Two boats,\n  one crane.\n\n- no list"
    assert item.metadata["outlook"] == "Calm seas.\nThen rain."
    assert (item.metadata["empty"], item.metadata["owner"]) == ("", "Tom")


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("14/03/2026", 14),
        ("03/14/2026", 14),
        ("04.03.2026", 4),
        ("14 Mar 2026", 14),
        ("March 14, 2026", 14),
        ("14. M\u00e4rz 2026", 14),
        ('"[[2026-03-14]]"', 14),
    ],
)
def test_dates_are_read_as_people_write_them(tmp_path: Path, date: str, day: int) -> None:
    item = note(tmp_path, f"---\ndate: {date}\n---\nText.")

    assert item.happened_at == datetime(2026, 3, day, tzinfo=UTC)
    assert "date" not in item.metadata


@pytest.mark.parametrize("date", ["04/03/2026", "some day in spring"])
def test_a_date_that_cannot_be_read_is_kept_as_it_stands(tmp_path: Path, date: str) -> None:
    item = note(tmp_path, f"---\ndate: {date}\n---\nText.")

    assert (item.happened_at, item.metadata["date"]) == (None, date)


@pytest.mark.parametrize(
    "author",
    [
        '"[[Sarah Okafor]]"',
        "[[Sarah Okafor]]",
        '"[[people/Sarah Okafor#Work]]"',
        '"[[people/sarah|Sarah Okafor]]"',
        '\n  - "[[Sarah Okafor]]"',
    ],
)
def test_an_author_may_be_a_link(tmp_path: Path, author: str) -> None:
    item = note(tmp_path, f"---\nauthor: {author}\n---\nText.")

    assert [one.name for one in item.people] == ["Sarah Okafor"]
