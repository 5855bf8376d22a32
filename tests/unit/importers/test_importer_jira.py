"""Jira issues in JSON: shapes of answers, fields, histories, comments and damage."""

import codecs
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import (
    change,
    document,
    events,
    issue,
    items,
    jira_user,
    skip,
    tasks,
)

from simonides.importers import json_parts
from simonides.importers.formats import detect
from simonides.importers.records import BAD_RECORDS_MAX
from simonides.model.item import Item, Kind, Person, Role


def states(folder: Path, *changelog: dict[str, Any], **fields: Any) -> list[Item]:
    return tasks(folder, issue(changelog=list(changelog), **fields))


def comment(number: int, text: Any, author: str = "Tom Becker", **fields: Any) -> dict[str, Any]:
    at = f"2026-03-03T1{number}:00:00.000+0000"
    return {"id": str(number), "author": jira_user(author), "body": text, "created": at} | fields


def test_an_issue_becomes_a_task(tmp_path: Path) -> None:
    (item,) = items(
        tmp_path,
        issue(
            description=document("The jib sticks."),
            issuetype={"name": "Bug"},
            priority={"name": "High"},
            project={"key": "YARD", "name": "Ship yard"},
            assignee=jira_user("Tom Becker"),
            duedate="2026-03-12",
            labels=["crane", "safety"],
        ),
    )

    assert (item.kind, item.source, item.source_id) == (Kind.TASK, "jira", "YARD-1")
    assert (item.title, item.content, item.session) == (
        "Mend the crane",
        "The jib sticks.",
        "YARD-1",
    )
    assert item.tags == ("crane", "safety")
    assert item.people == (
        Person(name="Mira Holm", address="mira@yard.example", role=Role.AUTHOR),
        Person(name="Tom Becker", address="tom@yard.example", role=Role.ASSIGNEE),
    )
    assert item.happened_at == datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    assert item.metadata == {
        "key": "YARD-1",
        "status": "In Progress",
        "priority": "High",
        "type": "Bug",
        "due": "2026-03-12",
        "project": "Ship yard",
        "assignee": "Tom Becker",
        "open": True,
        "modified_at": "2026-03-05T09:00:00+00:00",
        "url": "https://yard.atlassian.example/browse/YARD-1",
        "_revised_at": "2026-03-05T09:00:00+00:00",
    }


def test_what_an_issue_is_tied_to_is_kept(tmp_path: Path) -> None:
    sprint = {"id": 5, "name": "Sprint 9", "state": "active", "boardId": 2}
    blocks = {"name": "Blocks", "inward": "is blocked by", "outward": "blocks"}
    (item,) = items(
        tmp_path,
        issue(
            parent={"key": "YARD-9"},
            subtasks=[{"key": "YARD-2"}, {"key": "YARD-3"}],
            issuelinks=[
                {"type": blocks, "outwardIssue": {"key": "YARD-4"}},
                {"type": blocks, "inwardIssue": {"key": "YARD-5"}},
            ],
            components=[{"name": "Hydraulics"}],
            fixVersions=[{"name": "2026.2"}],
            resolution={"name": "Fixed"},
            resolutiondate="2026-03-05T10:00:00.000+0100",
            customfield_10020=[sprint],
            customfield_10050={"value": "Gold", "id": "3"},
            attachment=[{"filename": "jib.png", "mimeType": "image/png", "size": 12}],
        ),
    )

    names = ("parent", "subtasks", "links", "components", "fix_versions", "sprint", "custom")
    assert {name: item.metadata[name] for name in names} == {
        "parent": "YARD-9",
        "subtasks": ["YARD-2", "YARD-3"],
        "links": ["blocks YARD-4", "is blocked by YARD-5"],
        "components": ["Hydraulics"],
        "fix_versions": ["2026.2"],
        "sprint": ["Sprint 9"],
        "custom": {"customfield_10050": "Gold"},
    }
    assert item.metadata["resolved_at"] == "2026-03-05T09:00:00+00:00"
    assert item.metadata["attachments"] == [
        {"name": "jib.png", "media_type": "image/png", "size_bytes": 12}
    ]


def test_data_center_writes_wiki_markup_user_names_and_sprints_as_text(tmp_path: Path) -> None:
    java = (
        "com.atlassian.greenhopper.service.sprint.Sprint@1f[id=5,state=ACTIVE,name=Sprint 9,goal=]"
    )
    (item,) = items(
        tmp_path,
        issue(
            reporter={"name": "mholm", "key": "JIRAUSER1", "displayName": "Mira Holm"},
            description="h2. Jib\n* ask [~mholm]\n{code:bash}\nls\n{code}\n[page|https://x.example]",
            customfield_10004=[java],
            customfield_10008="YARD-9",
        ),
    )

    assert item.content == "# Jib\n* ask @mholm\n```\nls\n```\npage"
    assert (item.metadata["sprint"], item.metadata["parent"]) == (["Sprint 9"], "YARD-9")
    assert [(one.name, one.role) for one in item.people] == [
        ("Mira Holm", Role.AUTHOR),
        ("Mira Holm", Role.MENTIONED),
    ]


def test_comments_are_messages_of_the_thread(tmp_path: Path) -> None:
    mention = {"type": "mention", "attrs": {"id": "id-mira", "text": "@Mira"}}
    said = document({"type": "paragraph", "content": [mention, {"type": "text", "text": " look."}]})
    both = {"comments": [comment(1, said), comment(2, "Fixed.", updated="2026-03-04T10:00:00Z")]}
    task, first, second = items(tmp_path, issue(comment=both))

    assert (first.kind, first.source_id) == (Kind.MESSAGE, "YARD-1/comment/1")
    assert first.title == second.title == task.title != ""
    assert (first.content, first.session, first.position) == ("@Mira look.", "YARD-1", 0)
    assert first.people == (
        Person(name="Tom Becker", address="tom@yard.example", role=Role.AUTHOR),
        Person(name="Mira Holm", address="mira@yard.example", role=Role.MENTIONED),
    )
    assert first.happened_at == datetime(2026, 3, 3, 11, 0, tzinfo=UTC)
    assert second.metadata == {
        "key": "YARD-1",
        "url": "https://yard.atlassian.example/browse/YARD-1?focusedCommentId=2",
        "_comment_on": "YARD-1",
        "_revised_at": "2026-03-04T10:00:00+00:00",
    }


def test_words_of_a_work_log_are_a_message_too(tmp_path: Path) -> None:
    log = {
        "id": "7",
        "author": jira_user("Tom Becker"),
        "comment": "Greased it.",
        "timeSpent": "2h",
    }
    log["started"] = "2026-03-03T08:00:00.000+0000"
    silent = {"id": "8", "author": jira_user("Tom Becker"), "timeSpent": "1h"}
    _, found = items(tmp_path, issue(worklog={"worklogs": [log, silent]}))

    assert (found.source_id, found.content) == ("YARD-1/worklog/7", "Greased it.")
    assert found.happened_at == datetime(2026, 3, 3, 8, 0, tzinfo=UTC)


# ── histories ─────────────────────────────────────────────────────────────────────────────────


def test_a_history_becomes_states_the_first_one_first(tmp_path: Path) -> None:
    found = states(
        tmp_path,
        change("2026-03-05T09:00:00Z", "status", "Review", "Done"),
        change("2026-03-03T09:00:00Z", "status", "To Do", "Review"),
        change("2026-03-04T09:00:00Z", "assignee", None, "Tom Becker", to="id-tom"),
        status={"name": "Done", "statusCategory": {"key": "done"}},
        assignee=jira_user("Tom Becker"),
        resolution={"name": "Fixed"},
        resolutiondate="2026-03-05T09:00:00Z",
    )

    assert len({one.id for one in found}) == 1
    names = ("status", "assignee", "resolution", "open")
    assert [[one.metadata.get(name) for name in names] for one in found] == [
        ["To Do", None, None, None],
        ["Review", None, None, None],
        ["Review", "Tom Becker", None, None],
        ["Done", "Tom Becker", "Fixed", False],
    ]
    assert [str(one.metadata["status_since"])[8:13] for one in found] == [
        "02T08", "03T09", "03T09", "05T09",
    ]  # fmt: skip
    assert [str(one.metadata["_revised_at"])[8:13] for one in found] == [
        "02T08", "03T09", "04T09", "05T09",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "fields", "name", "expected"),
    [
        (("priority", "Low", "High"), {"priority": {"name": "High"}}, "priority", "Low"),
        (("issuetype", "Task", "Bug"), {"issuetype": {"name": "Bug"}}, "type", "Task"),
        (("duedate", "2026-03-09", "2026-03-12"), {"duedate": "2026-03-12"}, "due", "2026-03-09"),
        (("Component", None, "Jib"), {"components": [{"name": "Jib"}]}, "components", None),
        (("Component", "Jib", None), {}, "components", ["Jib"]),
        (("Fix Version", "1", None), {"fixVersions": [{"name": "2"}]}, "fix_versions", ["2", "1"]),
        (("Sprint", "S1, S2", "S3"), {"sprint": {"name": "S3"}}, "sprint", ["S1", "S2"]),
        (("resolution", "Fixed", None), {}, "resolution", "Fixed"),
    ],
)
def test_a_change_is_undone_for_the_state_before(
    tmp_path: Path, changed: Any, fields: Any, name: str, expected: Any
) -> None:
    at = "2026-03-03T09:00:00.000+0000"
    first, _ = states(tmp_path, change(at, *changed), **fields)

    assert first.metadata.get(name) == expected


def test_title_text_labels_and_reporter_of_an_earlier_state_come_back(tmp_path: Path) -> None:
    first, present = states(
        tmp_path,
        change("2026-03-03T09:00:00Z", "summary", "Crane", "Mend the crane"),
        change(
            "2026-03-03T09:00:00Z", "description", "{color:red}Broken{color}", "The jib sticks."
        ),
        change("2026-03-03T09:00:00Z", "labels", "old crane", "crane"),
        change("2026-03-03T09:00:00Z", "reporter", "Ana Silva", "Mira Holm", **{"from": "id-ana"}),
        description=document("The jib sticks."),
        labels=["crane"],
    )

    assert (first.title, first.content, first.tags) == ("Crane", "Broken", ("old", "crane"))
    assert first.people == (Person(name="Ana Silva", role=Role.AUTHOR),)
    assert (present.title, present.content) == ("Mend the crane", "The jib sticks.")


def test_changes_of_one_moment_make_one_state(tmp_path: Path) -> None:
    found = states(
        tmp_path,
        change("2026-03-03T09:00:00Z", "status", "To Do", "In Progress"),
        change("2026-03-03T09:00:00Z", "assignee", "Tom Becker", None, **{"from": "id-tom"}),
    )

    assert [one.metadata["status"] for one in found] == ["To Do", "In Progress"]


def test_the_present_state_holds_since_the_last_change_of_any_kind(tmp_path: Path) -> None:
    *_, present = states(tmp_path, change("2026-03-03T09:00:00Z", "status", "a", "In Progress"))

    assert present.metadata["_revised_at"] == "2026-03-05T09:00:00+00:00"
    assert present.metadata["status_since"] == "2026-03-03T09:00:00+00:00"


def test_other_fields_and_changes_without_a_time_make_no_state(tmp_path: Path) -> None:
    rank = change("2026-03-03T09:00:00Z", "Rank", "", "Ranked higher")
    undated = change("never", "status", "To Do", "In Progress")

    assert len(states(tmp_path, rank, undated)) == 1


def test_states_of_several_issues_come_in_turn(tmp_path: Path) -> None:
    at = "2026-03-03T09:00:00Z"
    both = [issue(key, changelog=[change(at, "status", "a", "b")]) for key in ("A-1", "B-1")]
    found = items(tmp_path, {"issues": both})

    assert [one.source_id for one in found] == ["A-1", "B-1", "A-1", "B-1"]


def test_a_history_that_is_not_whole_is_reported(tmp_path: Path) -> None:
    cut = issue(changelog=[], comment={"comments": [comment(1, "Hi.")], "total": 34})
    cut["changelog"]["total"] = 212

    assert skip(tmp_path, cut) == [
        ("YARD-1", "the export holds 0 of its 212 changes"),
        ("YARD-1", "the export holds 1 of its 34 comments"),
    ]


# ── shapes and damage ─────────────────────────────────────────────────────────────────────────

A, B = issue("A-1"), issue("B-2")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (
            {"expand": "names", "startAt": 0, "maxResults": 50, "total": 2, "issues": [A, B]},
            "t.json",
        ),
        ({"issues": [A, B], "nextPageToken": "x", "isLast": True}, "t.json"),
        ({"maxResults": 50, "isLast": True, "values": [A, B]}, "t.json"),
        ({"expand": "names", "names": {"x": "y" * 9000}, "startAt": 0, "issues": [A, B]}, "t.json"),
        ([A, B], "t.json"),
        ([{"issues": [A]}, {"issues": [B]}], "t.json"),
        (json.dumps(A) + json.dumps(B), "t.json"),
        (json.dumps(A) + "\n\n" + json.dumps(B), "t.jsonl"),
        (json.dumps({"issues": [A]}) + "\n" + json.dumps({"issues": [B]}), "t.txt"),
        (json.dumps([A, B], indent=4, sort_keys=True), "t"),
        (codecs.BOM_UTF8 + json.dumps([A, B]).encode(), "t.json"),
        (json.dumps([A, B]).encode("utf-16"), "t.json"),
        (codecs.BOM_UTF32_LE + json.dumps([A, B]).encode("utf-32-le"), "t.json"),
        ("\n\n  " + json.dumps([A, B]), "t.json"),
    ],
)
def test_every_shape_of_an_answer_is_read(tmp_path: Path, content: Any, name: str) -> None:
    assert [one.source_id for one in items(tmp_path, content, name=name)] == ["A-1", "B-2"]


def test_one_issue_is_a_file_too(tmp_path: Path) -> None:
    assert [one.source_id for one in items(tmp_path, A)] == ["A-1"]


@pytest.mark.parametrize(
    ("bad", "place", "reason"),
    [
        (7, "record 2", "not a Jira issue: it has no key, or no fields"),
        (None, "record 2", "not a Jira issue: it has no key, or no fields"),
        ({"key": "X-1"}, "X-1", "not a Jira issue: it has no key, or no fields"),
        ({"fields": {}}, "record 2", "not a Jira issue: it has no key, or no fields"),
        ({"key": "K" * 999, "fields": {"summary": 3}}, "", ""),
    ],
)
def test_a_bad_issue_costs_no_other(tmp_path: Path, bad: Any, place: str, reason: str) -> None:
    found = events(tmp_path, {"issues": [A, bad, B]})

    kept = [one.item.source_id for one in found if one.item]
    assert kept[0] == "A-1"
    assert kept[-1] == "B-2"
    assert skip(tmp_path, {"issues": [A, bad, B]}) == ([(place, reason)] if place else [])


def test_a_comment_without_words_is_reported_by_its_id(tmp_path: Path) -> None:
    empty = issue(comment={"comments": [comment(1, document()), comment(2, "Hi.")]})

    assert skip(tmp_path, empty) == [("YARD-1/comment/1", "has no words")]
    assert len([one for one in events(tmp_path, empty) if one.item]) == 2


def test_of_a_file_that_breaks_off_the_first_issues_are_kept(tmp_path: Path) -> None:
    whole = json.dumps({"issues": [A, B]})
    cut = whole[: len(whole) - 40]

    assert [one.source_id for one in tasks(tmp_path, cut)] == ["A-1"]
    ((place, reason),) = skip(tmp_path, cut)
    assert place == "after record 1"
    assert reason.startswith("JSON: is malformed")


def test_a_bad_line_is_reported_by_its_number(tmp_path: Path) -> None:
    lines = "\n".join([json.dumps(A), '{"key": ', json.dumps(B)])

    assert [one.source_id for one in tasks(tmp_path, lines)] == ["A-1", "B-2"]
    ((place, reason),) = skip(tmp_path, lines)
    assert (place, reason.split(":")[0]) == ("line 2", "JSON")


def test_a_file_without_a_good_issue_at_its_beginning_is_given_up(tmp_path: Path) -> None:
    found = skip(tmp_path, {"issues": [{"key": f"A-{n}"} for n in range(90)] + [A]})

    assert len(found) == BAD_RECORDS_MAX + 1
    assert found[-1] == ("export.json", "no tasks: none of the first 50 records is good")


def test_an_answer_without_issues_says_so(tmp_path: Path) -> None:
    empty = {"startAt": 0, "maxResults": 50, "total": 0, "issues": []}

    assert skip(tmp_path, empty) == [("export.json", "holds no tasks")]


def test_damaged_bytes_cost_no_more_than_their_letters(tmp_path: Path) -> None:
    raw = json.dumps([A, issue("B-2", summary="Caf@")]).encode().replace(b'@"', b'\xe9"')

    assert [one.title for one in tasks(tmp_path, raw)] == ["Mend the crane", "Café"]


def test_fields_of_a_wrong_type_count_as_missing(tmp_path: Path) -> None:
    names = (
        "description status assignee labels created comment issuelinks subtasks attachment parent "
        "worklog components resolutiondate"
    ).split()
    values: list[Any] = [7, True, "?", [], {}, [7], [[]], {"name": []}, 1e308, -5, [None]]
    for value in values:
        found = tasks(tmp_path, issue(**dict.fromkeys(names, value)))
        assert [one.source_id for one in found] == ["YARD-1"], value


def test_a_text_nested_too_deeply_keeps_its_words(tmp_path: Path) -> None:
    deep: dict[str, Any] = {"type": "text", "text": "bottom"}
    for _ in range(90):
        deep = {"type": "blockquote", "content": [deep]}
    (item,) = items(tmp_path, issue(description=document(deep)))

    assert "bottom" in item.content


def test_progress_rises_and_ends_at_the_size(tmp_path: Path) -> None:
    many = [issue(f"A-{n}", description=document("word " * 400)) for n in range(300)]
    done = [one.bytes_done for one in events(tmp_path, {"issues": many})]

    assert done == sorted(done)
    assert len(set(done)) > 3
    assert done[-1] == (tmp_path / "export.json").stat().st_size


def test_json_of_other_programs_is_not_taken_for_jira(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text('{"key": "value", "fields": [1, 2]}')

    assert detect(path).name == "markdown"


# ── without the library for large files ───────────────────────────────────────────────────────


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the reader find that the extra is not installed."""
    monkeypatch.setattr(json_parts, "plugin_records", lambda *_, **__: {})


@pytest.mark.usefixtures("no_library")
def test_small_files_are_read_without_the_extra(tmp_path: Path) -> None:
    for content in ([A, B], {"issues": [A, B]}, json.dumps(A) + "\n \n" + json.dumps(B, indent=1)):
        assert [one.source_id for one in items(tmp_path, content)] == ["A-1", "B-2"]

    ((_, reason),) = skip(tmp_path, json.dumps([A, B])[:-9])
    assert reason.startswith("JSON: is malformed")


@pytest.mark.usefixtures("no_library")
def test_large_files_name_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_parts, "PART_BYTES_MAX", 100)
    ((place, reason),) = skip(tmp_path, [A, B])

    assert place == "export.json"
    assert reason.endswith("are read by the extra exports: pip install 'simonides[exports]'")
