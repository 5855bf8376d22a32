"""Exports of programs for notes: Obsidian, Notion and Evernote."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import events, items, skip

from simonides.importers.run import read
from simonides.model.item import Item, Kind

# ── Obsidian ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("see [[The slip]] and [[yard/Crane|the crane]]", ["The slip", "yard/Crane"]),
        ("[[Crane#Grease]] [[Crane^block]] [[Crane]]", ["Crane"]),
        ("![[hull.png]] ![[Plan]]", ["Plan"]),
        ("[plan](plans/The%20plan.md) [web](https://x.example/a.md)", ["The plan"]),
        ("`[[code]]`\n```\n[[more code]]\n```", []),
        ("[[]] [[a]", []),
    ],
)
def test_links_between_notes_are_kept(tmp_path: Path, text: str, links: list[str]) -> None:
    [found] = items(tmp_path, text, name="a.md")

    assert found.metadata.get("links", []) == links
    assert found.content == text


def test_tags_in_the_text_of_a_linked_note_are_tags(tmp_path: Path) -> None:
    text = "[[Crane]] #boat/repair (#slip) `#no` a#b #1 # x\n#über"
    [found] = items(tmp_path, text, name="a.md")

    assert found.tags == ("boat/repair", "slip", "über")


def test_a_word_behind_a_mark_is_no_tag_elsewhere(tmp_path: Path) -> None:
    [found] = items(tmp_path, "ask in #yard", name="a.md")

    assert found.tags == ()


def test_aliases_of_a_note_are_kept(tmp_path: Path) -> None:
    text = "---\naliases: [Big crane, The blue one]\ntags: [yard]\n---\nlifts #boats"
    [found] = items(tmp_path, text, name="Crane.md")

    assert found.metadata["aliases"] == ["Big crane", "The blue one"]
    assert found.tags == ("yard", "boats")


# ── Notion ────────────────────────────────────────────────────────────────────────────────────

ID = "0123456789abcdef0123456789abcdef"
OTHER = "fedcba9876543210fedcba9876543210"
PAGE = f"""# The crane

Created: March 4, 2026 10:00 AM
Tags: yard, blue
Lifting weight: 5 tons
Last edited time: March 5, 2026 11:00 AM

See [The slip](The%20crane%20{ID}/The%20slip%20{OTHER}.md) and [web](https://x.example).
"""


def test_a_page_of_notion_is_known_by_its_id(tmp_path: Path) -> None:
    [found] = items(tmp_path, PAGE, name=f"The crane {ID}.md")

    assert (found.source, found.source_id, found.title) == ("notion", ID, "The crane")
    assert found.happened_at == datetime(2026, 3, 4, 10, tzinfo=UTC)
    assert found.tags == ("yard", "blue")
    assert found.metadata["lifting_weight"] == "5 tons"
    assert found.metadata["modified_at"] == "2026-03-05T11:00:00+00:00"
    assert found.metadata["links"] == ["The slip"]
    assert found.metadata["_linked_ids"] == [OTHER]
    assert found.content.endswith("See The slip and [web](https://x.example).")


def test_a_first_paragraph_is_never_lost(tmp_path: Path) -> None:
    [found] = items(tmp_path, "# A\n\nRemember: call Jon\n\nMore.", name=f"A {ID}.md")

    assert found.content == "# A\n\nRemember: call Jon\n\nMore."


def test_pages_tables_and_folders_of_a_notion_export_are_read(tmp_path: Path) -> None:
    path = tmp_path / "Export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"Yard {ID}/The crane {OTHER}.md", "# The crane\n\nLifts.")
        archive.writestr(f"Boats {ID[::-1]}.csv", "Name,Oak\nAnn,white\n")
        archive.writestr(f"Boats {ID[::-1]}_all.csv", "Name,Oak\nAnn,white\nEva,red\n")
        archive.writestr(f"Old {ID[:-1]}0.html", "<html><title>Old</title><p>words</p></html>")
    found = list(read(path))
    kept = {one.item.title: one.item for one in found if one.item}

    assert set(kept) == {"The crane", "Boats", "Old"}
    assert kept["The crane"].metadata["folder"] == "Yard"
    assert (kept["Boats"].source_id, kept["Boats"].source) == (ID[::-1], "notion")
    assert "Eva" in kept["Boats"].content
    assert [one.skipped.reason for one in found if one.skipped] == [
        "a view of a table; all its rows are in the file beside it"
    ]


def test_a_page_without_a_name_has_its_heading_as_title(tmp_path: Path) -> None:
    [found] = items(tmp_path, "# Heading\n\nx", name=f"{ID}.md")

    assert (found.title, found.source_id) == ("Heading", ID)


# ── Evernote ──────────────────────────────────────────────────────────────────────────────────

HEAD = '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE en-export SYSTEM "http://x.example/e.dtd">'


def enex(*notes: str, head: str = HEAD) -> str:
    return f'{head}\n<en-export version="10">{"".join(notes)}</en-export>'


def note(body: str = "<div>The crane is back</div>", more: str = "", title: str = "Crane") -> str:
    """Return a note of Evernote."""
    page = (
        f"<![CDATA[<?xml version='1.0'?><!DOCTYPE en-note SYSTEM 'e'><en-note>{body}</en-note>]]>"
    )
    return (
        f"<note><title>{title}</title><created>20260304T100000Z</created>"
        f"<updated>20260305T110000Z</updated>{more}<content>{page}</content></note>"
    )


RESOURCE = """<resource><data encoding="base64">AAAA</data><mime>image/png</mime>
<resource-attributes><file-name>hull.png</file-name></resource-attributes></resource>"""


def test_a_note_of_evernote_is_read(tmp_path: Path) -> None:
    more = """<tag>yard</tag><tag>blue</tag><note-attributes><author>Mira Holm</author>
    <source-url>https://x.example</source-url><reminder-time>20260306T100000Z</reminder-time>
    </note-attributes>"""
    body = (
        "<div><en-todo checked='true'/></div>".replace("'", '"')
        + '<div>Greased</div><a href="evernote:///view/1/s1/a/b/">The slip</a>'
    )
    [found] = items(tmp_path, enex(note(body, more + RESOURCE)), name="notes.enex")

    assert (found.kind, found.source, found.title) == (Kind.DOCUMENT, "evernote", "Crane")
    assert found.content.split() == ["[x]", "Greased", "The", "slip"]
    assert found.tags == ("yard", "blue")
    assert found.people[0].name == "Mira Holm"
    assert found.happened_at == datetime(2026, 3, 4, 10, tzinfo=UTC)
    assert found.metadata == {
        "url": "https://x.example",
        "due": "2026-03-06T10:00:00+00:00",
        "modified_at": "2026-03-05T11:00:00+00:00",
        "links": ["The slip"],
        "attachments": [{"name": "hull.png", "media_type": "image/png"}],
        "_revised_at": "2026-03-05T11:00:00+00:00",
    }


GAP = (
    '<div style="--en-task-group:true; --en-id:{};"><div>Content not supported</div>'
    "<div>A placeholder for <div/>tasks</div></div>"
)


def task(title: str, group: str = "g-1", **more: str) -> str:
    """Return a task of Evernote."""
    fields = {"title": title, "created": "20200101T000000Z", "updated": "20270101T000000Z", **more}
    fields["taskGroupNoteLevelID"] = group
    return "<task>" + "".join(f"<{key}>{one}</{key}>" for key, one in fields.items()) + "</task>"


def lines_of(folder: Path, body: str, *tasks: str) -> list[str]:
    [found] = items(folder, enex(note(body, "".join(tasks))), name="a.enex")
    return [line for line in found.content.splitlines() if line.strip()]


def test_tasks_of_a_note_stand_where_its_text_has_a_gap(tmp_path: Path) -> None:
    body = f"<div>First</div>{GAP.format('g-1')}<div>Then</div>{GAP.format('g-2')}<div>End</div>"
    tar = task("Tar", sortWeight="B", taskStatus="completed", taskFlag="true")
    found = lines_of(tmp_path, body, tar, task("Rope &amp; chain", sortWeight="A"),
                     task("Paint", "g-2"), task("Elsewhere", "g-3"))  # fmt: skip

    assert found == [
        "First", "[ ] Rope & chain", "[x] Tar (flagged)", "Then", "[ ] Paint", "End",
        "[ ] Elsewhere",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "due"),
    [
        ({}, "2026-03-04 22:30 UTC"),
        ({"timeZone": "Asia/Tokyo"}, "2026-03-05 07:30 Asia/Tokyo"),
        ({"timeZone": "Asia/Tokyo", "dueDateUIOption": "date_only"}, "2026-03-05"),
        ({"timeZone": "../nowhere"}, "2026-03-04 22:30 UTC"),
    ],
)
def test_a_task_says_when_it_is_due(tmp_path: Path, more: dict[str, str], due: str) -> None:
    found = lines_of(tmp_path, "Jobs", task("Tar", dueDate="20260304T223000Z", **more))

    assert found == ["Jobs", f"[ ] Tar (due {due})"]


def test_dates_of_tasks_and_their_reminders_are_not_those_of_the_note(tmp_path: Path) -> None:
    reminder = "<reminder><dueDate>20300101T000000Z</dueDate><title>x</title></reminder>"
    late = task("Tar").replace("</task>", f"{reminder}</task>")
    content = enex(note("Jobs", late).replace("<updated>20260305T110000Z</updated>", "", 1))
    [found] = items(tmp_path, content, name="a.enex")

    assert "modified_at" not in found.metadata
    assert found.content.splitlines()[-1] == "[ ] Tar"


def test_a_gap_without_tasks_leaves_nothing(tmp_path: Path) -> None:
    assert lines_of(tmp_path, f"Jobs{GAP.format('g-9')}", task("")) == ["Jobs"]


def test_a_gap_without_an_end_hides_nothing(tmp_path: Path) -> None:
    body = GAP.format("g-1").removesuffix("</div>") + "<p>kept</p>"

    assert lines_of(tmp_path, body)[-1] == "kept"


def test_notes_keep_their_ids_and_equal_ones_are_two(tmp_path: Path) -> None:
    before = items(tmp_path, enex(note(), note()), name="a.enex")
    after = items(tmp_path, enex(note(), note("changed"), note(title="New")), name="a.enex")

    assert len({one.id for one in before}) == 2
    assert [one.id for one in after[:2]] == [one.id for one in before]


HOSTILE = {
    "laughs": '<!DOCTYPE en-export [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>',
    "file": '<!DOCTYPE en-export [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    "parameter": '<!DOCTYPE en-export [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>',
    "notation": '<!DOCTYPE en-export [<!NOTATION n SYSTEM "n"><!ENTITY a SYSTEM "f" NDATA n>]>',
}


def test_elements_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    content = enex("<a>" * 2_000)

    [(_, reason)] = skip(tmp_path, content, name="a.enex")
    assert reason.startswith("XML: elements are nested deeper")


@pytest.mark.parametrize("head", HOSTILE)
def test_entities_are_refused(tmp_path: Path, head: str) -> None:
    content = enex(note("<div>&amp;a;</div>", title="&a;"), head=HOSTILE[head])

    assert skip(tmp_path, content, name="a.enex") == [
        ("after note 0", "XML: defines entities of its own, which is refused")
    ]


def test_a_file_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    found = events(tmp_path, enex(note(), note(title="Second"))[:-60], name="a.enex")

    kept: list[Item] = [one.item for one in found if one.item]
    assert [one.title for one in kept] == ["Crane"]
    [skipped] = [one.skipped for one in found if one.skipped]
    assert skipped.where == "a.enex: after note 1"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (enex(), "holds no notes"),
        (enex("<note></note>"), "content: is empty, and so is the title: nothing to keep"),
    ],
)
def test_what_holds_no_words_is_reported(tmp_path: Path, content: Any, reason: str) -> None:
    assert skip(tmp_path, content, name="a.enex")[0][1] == reason


# ── Google Keep ───────────────────────────────────────────────────────────────────────────────

KEPT = {
    "isTrashed": False, "title": "Shopping", "textContent": "",
    "userEditedTimestampUsec": 1_772_700_000_000_000, "createdTimestampUsec": 1,
}  # fmt: skip


def test_lists_of_keep_are_check_boxes_and_labels_are_tags(tmp_path: Path) -> None:
    rows = [{"text": "Oat milk", "isChecked": False}, {"text": "Batteries", "isChecked": True}]
    note = {**KEPT, "listContent": rows, "labels": [{"name": "home"}]}
    [found] = items(tmp_path, note)

    assert (found.title, found.content) == ("Shopping", "- [ ] Oat milk\n- [x] Batteries")
    assert found.tags == ("home",)
    assert found.happened_at == datetime(2026, 3, 5, 8, 40, tzinfo=UTC)


def test_links_of_keep_stand_below_the_text(tmp_path: Path) -> None:
    link = {"title": "Plan", "url": "https://x.example/plan", "source": "WEBLINK"}
    [found] = items(tmp_path, {**KEPT, "textContent": "See there", "annotations": [link]})

    assert found.content == "See there\n\nPlan https://x.example/plan"


@pytest.mark.parametrize(
    ("more", "reason"),
    [({"isTrashed": True, "textContent": "x"}, "a note in the bin"), ({"title": ""}, "empty")],
)
def test_a_note_of_keep_in_the_bin_or_without_words_is_passed_over(
    tmp_path: Path, more: dict[str, Any], reason: str
) -> None:
    assert skip(tmp_path, {**KEPT, **more}) == [("export.json", reason)]


def test_a_note_of_keep_that_is_no_json_is_reported(tmp_path: Path) -> None:
    [(_, reason)] = skip(tmp_path, '{"userEditedTimestampUsec": 1, "textContent": "x", ')

    assert "JSON" in reason


@pytest.mark.parametrize("usec", [0, -5, 10**18, "soon", None, True])
def test_a_time_of_keep_that_is_none_is_left_out(tmp_path: Path, usec: Any) -> None:
    note = {**KEPT, "textContent": "x", "userEditedTimestampUsec": usec, "createdTimestampUsec": 0}
    [found] = items(tmp_path, note)

    assert found.happened_at is None


def keep_ids(folder: Path, **notes: dict[str, Any]) -> dict[str, str]:
    """Return the ids of the notes of an export in a folder, by the names of their files."""
    folder.mkdir()
    for name, more in notes.items():
        (folder / f"{name}.json").write_text(json.dumps({**KEPT, "textContent": "x", **more}))
    return {Path(one.where).stem: one.item.id for one in read(folder) if one.item}


def test_a_note_of_keep_keeps_its_id_in_a_later_export(tmp_path: Path) -> None:
    made = {"createdTimestampUsec": 1_772_600_000_123_000}
    old = keep_ids(tmp_path / "takeout-20260301", Shopping=made)
    new = keep_ids(tmp_path / "takeout-20260401", List={**made, "title": "List"})

    assert old["Shopping"] == new["List"]


def test_notes_of_keep_that_a_program_made_in_one_second_are_two(tmp_path: Path) -> None:
    second = {"createdTimestampUsec": 1_772_600_000_000_000}
    a, b = second, {**second, "title": "Other"}
    old = keep_ids(tmp_path / "old", A=a, B=b)

    assert old == keep_ids(tmp_path / "new", A=a, B=b)
    assert old["A"] != old["B"]


def test_the_page_beside_a_note_of_keep_is_passed_over(tmp_path: Path) -> None:
    page = '<html><title>Shopping</title><body><div class="note DEFAULT">x</div></body></html>'
    (tmp_path / "Shopping.json").write_text(json.dumps({**KEPT, "textContent": "x"}))
    (tmp_path / "Shopping.html").write_text(page)
    (tmp_path / "Other.html").write_text(page.replace("Shopping", "Other"))
    found = list(read(tmp_path))

    assert sorted(one.item.title for one in found if one.item) == ["Other", "Shopping"]
    assert [one.skipped.reason for one in found if one.skipped] == [
        "repeats Shopping.json of the same export; that file is read"
    ]
