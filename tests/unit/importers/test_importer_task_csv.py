"""Tasks in CSV: the columns of Jira and Linear, local dates, odd and hostile files."""

import codecs
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.importers.task_files import events, items, skip

from simonides.importers import csv_rows
from simonides.importers.formats import detect
from simonides.importers.local_dates import local_moment, puts_day_first
from simonides.model.item import Item, Kind, Person, Role

SHORT = (
    "Issue key,Summary,Status,Assignee,Due Date\n"
    "ORB-17,Grease the dome,In Progress,Lin Wei,2026-03-12\n"
)
GERMAN = SHORT.replace("Issue key", "Vorgangsschl\u00fcssel").replace("Summary", "Zusammenfassung")


def read(folder: Path, content: str | bytes) -> list[Item]:
    return items(folder, content, name="issues.csv")


def test_a_row_becomes_a_task(tmp_path: Path) -> None:
    (item,) = read(tmp_path, SHORT)

    assert (item.kind, item.source, item.source_id) == (Kind.TASK, "jira", "ORB-17")
    assert item.title == "Grease the dome"
    assert item.people == (Person(name="Lin Wei", role=Role.ASSIGNEE),)
    assert item.metadata == {
        "key": "ORB-17",
        "status": "In Progress",
        "due": "2026-03-12",
        "assignee": "Lin Wei",
    }


def test_all_columns_of_jira_are_read(tmp_path: Path) -> None:
    header = (
        "Summary,Issue key,Issue id,Issue Type,Status,Status Category,Priority,Resolution,Reporter,"
        "Created,Updated,Resolved,Due date,Labels,Labels,Component/s,Description,Watchers,Watchers,"
        "Custom field (Story Points),Custom field (Rank),Outward issue link (Blocks),Attachment,"
        "Sprint"
    )
    row = (
        '"Fix ""the"" door",DOOR-1,7,Bug,Done,Done,High,Fixed,ana@x.example,27/Sep/26 9:00 AM,'
        "28/Sep/26 3:15 PM,28/Sep/26 3:10 PM,30/Sep/26 12:00 AM,oak,front,Hinges,"
        '"h1. Door\n* one",w1,w2,5,0|i001:,DOOR-2,"28/Sep/26 9:01 AM;lin;oak.png;https://x",S 9'
    )
    (item,) = read(tmp_path, f"{header}\r\n{row}\r\n")

    assert (item.title, item.content) == ('Fix "the" door', "# Door\n* one")
    assert item.tags == ("oak", "front")
    assert item.people == (Person(address="ana@x.example", role=Role.AUTHOR),)
    assert item.happened_at == datetime(2026, 9, 27, 9, 0, tzinfo=UTC)
    assert item.metadata == {
        "key": "DOOR-1",
        "status": "Done",
        "priority": "High",
        "type": "Bug",
        "due": "2026-09-30",
        "resolution": "Fixed",
        "open": False,
        "components": ["Hinges"],
        "sprint": ["S 9"],
        "resolved_at": "2026-09-28T15:10:00+00:00",
        "links": ["blocks DOOR-2"],
        "attachments": [{"name": "oak.png"}],
        "custom": {"story points": "5"},
        "_watchers": ["w1", "w2"],
        "_time_zone": "assumed UTC",
        "modified_at": "2026-09-28T15:15:00+00:00",
        "_revised_at": "2026-09-28T15:15:00+00:00",
    }


def test_each_comment_column_is_a_message(tmp_path: Path) -> None:
    cells = '"03/Mar/26 9:00 AM;lin;Done; really","only words, 3;4;5",,'
    _, dated, plain = read(
        tmp_path, f"Summary,Issue key,Comment,Comment,Comment\nDoor,DOOR-1,{cells}\n"
    )

    assert (dated.kind, dated.content, dated.session) == (Kind.MESSAGE, "Done; really", "DOOR-1")
    assert dated.people == (Person(name="lin", role=Role.AUTHOR),)
    assert dated.happened_at == datetime(2026, 3, 3, 9, 0, tzinfo=UTC)
    assert dated.metadata["_comment_on"] == "DOOR-1"
    assert dated.source_id.startswith("DOOR-1/comment/")
    assert (plain.content, plain.people, plain.happened_at) == ("only words, 3;4;5", (), None)


def test_all_times_of_an_issue_are_by_the_clock_of_the_user(tmp_path: Path) -> None:
    header = "Summary,Issue key,Created,Updated,Resolved,Due date,Comment"
    row = "Door,D-1,03/Mar/26 9:00 AM,04/Mar/26 9:00 AM,04/Mar/26 8:00 AM,05/Mar/26 12:00 AM,"
    content = f"{header}\n{row}03/Mar/26 9:30 AM;lin;Done\n"
    task, said = items(tmp_path, content, name="issues.csv", timezone="America/Chicago")

    assert task.happened_at == datetime(2026, 3, 3, 15, 0, tzinfo=UTC)
    assert said.happened_at == datetime(2026, 3, 3, 15, 30, tzinfo=UTC)
    assert task.metadata["modified_at"] == "2026-03-04T15:00:00+00:00"
    assert task.metadata["resolved_at"] == "2026-03-04T14:00:00+00:00"
    assert task.metadata["due"] == "2026-03-05"
    assert {one.metadata["_time_zone"] for one in (task, said)} == {"assumed America/Chicago"}


def test_account_ids_of_comments_and_mentions_are_names_where_the_row_tells_them(
    tmp_path: Path,
) -> None:
    header = "Summary,Issue key,Assignee,Assignee Id,Description,Comment,Comment"
    row = "Door,D-1,Lin Wei,5b:1,ask [~accountid:5b:1],03/Mar/26 9:00 AM;5b:1;Yes,"
    task, said, other = read(tmp_path, f"{header}\n{row}03/Mar/26 9:05 AM;5b:9;No\n")

    assert task.people[-1] == Person(name="Lin Wei", role=Role.MENTIONED)
    assert said.people == (Person(name="Lin Wei", role=Role.AUTHOR),)
    assert other.people == (Person(name="5b:9", role=Role.AUTHOR),)
    assert task.content == "ask @Lin Wei"


def test_comments_keep_their_ids_when_others_are_added(tmp_path: Path) -> None:
    before = read(tmp_path, "Summary,Issue key,Comment\nDoor,D-1,first\n")
    after = read(tmp_path, "Summary,Issue key,Comment,Comment\nDoor,D-1,earlier,first\n")

    assert {one.id for one in before} < {one.id for one in after}


def test_columns_of_linear(tmp_path: Path) -> None:
    header = "ID,Team,Title,Description,Status,Estimate,Priority,Project,Creator,Assignee,Labels,"
    header += "Cycle Name,Created,Updated,Completed,Due Date,Parent issue"
    row = "ENG-12,Engine,Fix login,Some text,Done,3,High,Auth,ana@x.example,Lin Wei,"
    row += '"bug, backend",C 4,Tue Sep 01 2026 10:00:00 GMT+0000 (GMT),2026-09-05T10:00:00.000Z,'
    row += "2026-09-05T10:00:00.000Z,2026-09-20,ENG-1"
    (item,) = read(tmp_path, f"{header}\n{row}\n")

    assert (item.source, item.source_id, item.title) == ("linear", "ENG-12", "Fix login")
    assert item.tags == ("bug", "backend")
    assert item.happened_at == datetime(2026, 9, 1, 10, 0, tzinfo=UTC)
    names = ("team", "estimate", "sprint", "open", "due", "parent", "_time_zone")
    assert [item.metadata.get(name) for name in names] == [
        "Engine", "3", ["C 4"], False, "2026-09-20", "ENG-1", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "completed", "canceled", "is_open"),
    [
        ("Canceled", "", "2026-09-05T10:00:00.000Z", False),
        ("Done", "2026-09-05T10:00:00.000Z", "", False),
        ("Duplicate", "", "", False),
        ("Todo", "", "", True),
    ],
)
def test_issues_of_linear_that_leave_nothing_to_do_are_closed(
    tmp_path: Path, status: str, completed: str, canceled: str, is_open: bool
) -> None:
    header = "ID,Team,Title,Status,Creator,Completed,Canceled"
    row = f"ENG-12,Engine,Fix login,{status},Ana,{completed},{canceled}"
    (item,) = read(tmp_path, f"{header}\n{row}\n")

    assert item.metadata["open"] is is_open
    assert item.metadata.get("resolved_at") == (
        "2026-09-05T10:00:00+00:00" if completed or canceled else None
    )


@pytest.mark.parametrize(
    "content",
    [
        codecs.BOM_UTF8 + SHORT.encode(),
        SHORT.encode("utf-16"),
        SHORT.replace(",", ";").encode(),
        SHORT.replace(",", "\t").encode(),
        SHORT.replace("\n", "\r\n").encode(),
        SHORT.replace("\n", "\r").encode(),
        b"\n\n" + SHORT.encode(),
        SHORT.encode() + b"\n,,,,\n\n",
        SHORT.replace("Issue key", "Vorgangsschl\u00fcssel")
        .replace("Summary", "Zusammenfassung")
        .encode(),
    ],
)
def test_every_dialect_is_read(tmp_path: Path, content: bytes) -> None:
    assert [(one.source_id, one.title) for one in read(tmp_path, content)] == [
        ("ORB-17", "Grease the dome")
    ]


def test_windows_letters_are_read(tmp_path: Path) -> None:
    (item,) = read(tmp_path, SHORT.replace("dome", "d\u00f4me").encode("cp1252"))

    assert item.title == "Grease the d\u00f4me"


def test_rows_without_a_key_are_reported_by_their_line(tmp_path: Path) -> None:
    content = SHORT + ",No key,Open,,\nORB-18,Last,Open,,\n"

    assert skip(tmp_path, content, name="i.csv") == [("line 3", "has no key")]
    assert [one.item.source_id for one in events(tmp_path, content, name="i.csv") if one.item] == [
        "ORB-17",
        "ORB-18",
    ]


def test_short_and_long_rows_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    found = read(tmp_path, SHORT + "ORB-18,Short\nORB-19,Long,Open,Lin,2026-03-01,more,and more\n")

    assert [one.source_id for one in found] == ["ORB-17", "ORB-18", "ORB-19"]


def test_a_quote_that_is_never_closed_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_rows, "CELL_CHARS_MAX", 2_000)
    content = SHORT + 'ORB-18,"never closed,Open\n' + "ORB-19,Next,Open,,\n" * 200

    reasons = {reason for _, reason in skip(tmp_path, content, name="i.csv")}
    assert "CSV: field larger than field limit (2000)" in reasons


def test_a_huge_cell_is_cut_and_says_so(tmp_path: Path) -> None:
    (item,) = read(tmp_path, 'Issue key,Summary,Description\nA-1,Big,"' + "word " * 500_000 + '"\n')

    assert len(item.content) == 2_000_000
    assert item.metadata["_cut_from_chars"] == 2_499_999


def test_a_header_alone_holds_no_tasks(tmp_path: Path) -> None:
    assert skip(tmp_path, "Issue key,Summary\n", name="i.csv") == [("i.csv", "holds no tasks")]


def test_other_tables_are_not_taken_for_tasks(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Summary, of the day\nkey points\n")

    assert detect(path).name == "markdown"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("27/Sep/26 9:00 AM", "2026-09-27T09:00"),
        ("11/May/24 03:26 PM", "2024-05-11T15:26"),
        ("6/21/2025 16:14", "2025-06-21T16:14"),
        ("27.09.26 09:00", "2026-09-27T09:00"),
        ("01/f\u00e9vr./26 14:05", "2026-02-01T14:05"),
        ("3/Okt/26 9:00", "2026-10-03T09:00"),
        ("3 gru 2026 9:00", "2026-12-03T09:00"),
        ("2026-03-12", "2026-03-12T00:00"),
        ("04/05/2026", "2026-05-04T00:00"),
        ("12", ""),
        ("Monday", ""),
        ("9:00 AM", ""),
        ("banana", ""),
        ("9" * 70, ""),
        ("0/0/0", ""),
    ],
)
def test_local_dates(text: str, expected: str) -> None:
    found, assumed = local_moment(text, day_first=True)

    assert (f"{found:%Y-%m-%dT%H:%M}" if found else "") == expected
    assert assumed is bool(expected)


@pytest.mark.parametrize(
    ("texts", "day_first"),
    [
        (["03/04/2026", "25/04/2026"], True),
        (["03/04/2026", "04/25/2026"], False),
        (["03.04.2026"], True),
        (["03/04/2026"], False),
        (["27/Sep/26", "2026-01-02"], False),
        ([], False),
    ],
)
def test_one_plain_date_tells_the_order_of_all(texts: list[str], day_first: bool) -> None:
    assert puts_day_first(texts) is day_first


ASANA = (
    "Task ID,Created At,Completed At,Last Modified,Name,Section/Column,Assignee,Assignee Email,"
    "Start Date,Due Date,Tags,Notes,Projects,Parent task\n"
    "1209,2026-03-01,,2026-03-04,Order the tiles,To do,Ana Ruiz,ana@x.example,,2026-03-20,"
    '"home,bath","White, 10 by 10",Bathroom,\n'
    "1210,2026-03-01,2026-03-05,2026-03-05,Measure the wall,Done,,,,,,,Bathroom,Order the tiles\n"
)


def test_a_table_of_asana_is_tasks(tmp_path: Path) -> None:
    open_one, done = items(tmp_path, ASANA, name="Bathroom.csv")

    assert (open_one.source, open_one.title, open_one.content) == (
        "asana", "Order the tiles", "White, 10 by 10"
    )  # fmt: skip
    assert (open_one.tags, open_one.people[0].name) == (("home", "bath"), "Ana Ruiz")
    assert open_one.metadata["due"] == "2026-03-20"
    assert (open_one.metadata["open"], done.metadata["open"]) == (True, False)
    assert done.metadata["parent"] == "Order the tiles"


TODOIST = (
    "\ufeffTYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\n"
    "meta,view_style=list,,,,,,,,\n"
    "section,Errands,,,,,,,,\n"
    "task,Buy stamps @town,of the second class,1,1,Alex (1842),,2026-03-18,en,Europe/London\n"
    'note,"Ask for the lily ones.",,,,Sam (77),,,,\n'
    ",,,,,,,,,\n"
    "task,Water the ferns,,4,1,Alex (1842),Sam (77),every monday,en,Europe/London\n"
)


def test_a_project_of_todoist_is_tasks_with_their_notes(tmp_path: Path) -> None:
    stamps, ferns = items(tmp_path, TODOIST, name="Home [2203306141].csv")

    assert (stamps.kind, stamps.source, stamps.title) == (Kind.TASK, "todoist", "Buy stamps")
    assert stamps.content == "of the second class\n\nAsk for the lily ones."
    assert (stamps.tags, stamps.metadata["project"]) == (("town",), "Home")
    assert (stamps.metadata["due"], stamps.metadata["open"]) == ("2026-03-18", True)
    assert ferns.metadata["date"] == "every monday"
    assert "date" not in stamps.metadata
    assert "due" not in ferns.metadata
    assert [(one.name, one.role) for one in ferns.people] == [("Sam", Role.ASSIGNEE)]
    assert (stamps.people, stamps.metadata["added_by"]) == ((), "Alex")


def test_a_task_of_todoist_without_words_costs_no_other(tmp_path: Path) -> None:
    row = "task,,,1,1,Alex (1842),,,en,Europe/London\n"

    assert skip(tmp_path, TODOIST + row, name="Home.csv") == [("line 8", "a task without words")]


def test_an_unreadable_day_is_no_day_that_is_over(tmp_path: Path) -> None:
    (item,) = read(tmp_path, SHORT.replace("2026-03-12", "after the thaw"))

    assert "due" not in item.metadata
    assert item.metadata["due_text"] == "after the thaw"
