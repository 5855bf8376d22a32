"""Issues of Linear and GitHub in JSON, and todo.txt."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import items, skip, tasks

from simonides.importers.formats import detect
from simonides.model.item import Kind, Person, Role

# ── Linear ────────────────────────────────────────────────────────────────────────────────────


def linear(**fields: Any) -> dict[str, Any]:
    """Return an issue as Linear's GraphQL interface answers it."""
    return {
        "id": "5f2c",
        "identifier": "ENG-12",
        "title": "Mend the crane",
        "description": "The jib **sticks**.",
        "priority": 2,
        "priorityLabel": "High",
        "url": "https://linear.app/yard/issue/ENG-12",
        "state": {"name": "In Progress", "type": "started"},
        "assignee": {"name": "Tom Becker", "email": "tom@yard.example"},
        "creator": {"displayName": "mira"},
        "labels": {"nodes": [{"name": "bug"}]},
        "createdAt": "2026-03-01T10:00:00.000Z",
        "updatedAt": "2026-03-05T10:00:00.000Z",
        "dueDate": "2026-03-12",
    } | fields


def test_a_linear_issue_becomes_a_task(tmp_path: Path) -> None:
    more = {
        "team": {"key": "ENG", "name": "Engine"},
        "cycle": {"number": 4},
        "parent": {"identifier": "ENG-1"},
        "children": {"nodes": [{"identifier": "ENG-13"}]},
        "relations": {"nodes": [{"type": "blocks", "relatedIssue": {"identifier": "ENG-9"}}]},
        "attachments": {"nodes": [{"title": "Plan", "url": "https://x.example/plan"}]},
        "estimate": 3,
    }
    (item,) = items(tmp_path, {"data": {"issues": {"nodes": [linear(**more)]}}})

    assert (item.kind, item.source, item.source_id) == (Kind.TASK, "linear", "ENG-12")
    assert (item.title, item.content) == ("Mend the crane", "The jib **sticks**.")
    assert item.people == (
        Person(name="mira", role=Role.AUTHOR),
        Person(name="Tom Becker", address="tom@yard.example", role=Role.ASSIGNEE),
    )
    assert item.tags == ("bug",)
    assert item.metadata == {
        "key": "ENG-12",
        "status": "In Progress",
        "priority": "High",
        "due": "2026-03-12",
        "assignee": "Tom Becker",
        "open": True,
        "team": "Engine",
        "parent": "ENG-1",
        "subtasks": ["ENG-13"],
        "links": ["blocks ENG-9"],
        "sprint": ["Cycle 4"],
        "estimate": "3",
        "attachments": [{"name": "Plan", "url": "https://x.example/plan"}],
        "modified_at": "2026-03-05T10:00:00+00:00",
        "url": "https://linear.app/yard/issue/ENG-12",
        "_revised_at": "2026-03-05T10:00:00+00:00",
    }


def test_a_history_of_linear_becomes_states(tmp_path: Path) -> None:
    tom, mira = {"name": "Tom Becker"}, {"name": "Mira Holm"}
    history = [
        {"createdAt": "2026-03-04T10:00:00Z", "fromAssignee": mira, "toAssignee": tom},
        {"createdAt": "2026-03-03T10:00:00Z", "fromState": {"name": "Todo"}, "toState": {}},
        {"createdAt": "2026-03-03T10:00:00Z", "fromPriority": 4, "toPriority": 2},
        {"createdAt": "2026-03-02T10:00:00Z", "toDueDate": "2026-03-12", "fromTitle": "Crane"},
        {"createdAt": "2026-03-02T11:00:00Z", "addedLabels": ["x"]},
    ]
    found = tasks(tmp_path, [linear(history={"nodes": history})])

    names = ("status", "assignee", "priority", "due")
    assert [[one.metadata.get(name) for name in names] for one in found] == [
        ["Todo", "Mira Holm", "Low", None],
        ["Todo", "Mira Holm", "Low", "2026-03-12"],
        ["In Progress", "Mira Holm", "High", "2026-03-12"],
        ["In Progress", "Tom Becker", "High", "2026-03-12"],
    ]
    assert [one.title for one in found[:2]] == ["Crane", "Mend the crane"]


def test_comments_of_linear_are_messages(tmp_path: Path) -> None:
    said = {
        "id": "c1",
        "body": "On it.",
        "user": {"name": "Tom"},
        "createdAt": "2026-03-02T10:00:00Z",
    }
    silent = {"id": "c2", "body": ""}
    both = [linear(comments={"nodes": [said, silent]})]

    assert [one.source_id for one in tasks(tmp_path, both)] == ["ENG-12"]
    assert skip(tmp_path, both) == [("ENG-12/comment/c2", "has no words")]


FLAT = {
    "identifier": "ENG-12",
    "title": "Mend the crane",
    "status": "Done",
    "statusType": "completed",
    "priority": {"value": 2, "name": "High"},
    "assignee": "Tom Becker",
    "labels": ["bug"],
    "team": "Engine",
}


@pytest.mark.parametrize(
    "content",
    [
        {"data": {"issue": linear()}},
        {"data": {"team": {"issues": {"nodes": [linear()]}}}},
        {"data": {"viewer": {"assignedIssues": {"nodes": [linear()]}}}},
        {"issues": {"nodes": [linear()]}},
        {"issues": [FLAT]},
        {"nodes": [linear()]},
        [FLAT],
        json.dumps(linear()) + "\n" + json.dumps(linear(identifier="ENG-13")),
    ],
)
def test_every_shape_of_linear_is_read(tmp_path: Path, content: Any) -> None:
    first = items(tmp_path, content)[0]

    assert (first.source, first.source_id, first.tags) == ("linear", "ENG-12", ("bug",))
    assert first.metadata["priority"] == "High"
    assert first.metadata["assignee"] == "Tom Becker"


def test_no_priority_is_none(tmp_path: Path) -> None:
    (item,) = items(tmp_path, [linear(priority=0, priorityLabel="No priority")])

    assert "priority" not in item.metadata


def test_a_linear_issue_without_a_title_is_reported(tmp_path: Path) -> None:
    assert skip(tmp_path, [linear(), linear(identifier="ENG-13", title="")]) == [
        ("ENG-13", "not a Linear issue: it has no identifier, or no title")
    ]


# ── GitHub ────────────────────────────────────────────────────────────────────────────────────


def rest(**fields: Any) -> dict[str, Any]:
    """Return an issue as GitHub's REST interface answers it."""
    api, site = "https://api.github.com/repos/yard/crane", "https://github.com/yard/crane"
    return {
        "url": f"{api}/issues/7",
        "html_url": f"{site}/issues/7",
        "number": 7,
        "title": "Mend the crane",
        "user": {"login": "mira", "type": "User"},
        "labels": [{"name": "bug"}],
        "state": "open",
        "assignees": [{"login": "tom"}, {"login": "ana"}],
        "assignee": {"login": "tom"},
        "milestone": {"title": "v2", "due_on": "2026-04-01T07:00:00Z"},
        "comments": 2,
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-05T10:00:00Z",
        "closed_at": None,
        "body": "The jib <!-- what a template says --> sticks.",
    } | fields


def cli(**fields: Any) -> dict[str, Any]:
    """Return an issue as `gh issue list --json` writes it."""
    return {
        "assignees": [{"login": "tom", "name": "Tom Becker"}],
        "author": {"login": "mira", "is_bot": False},
        "body": "The jib sticks.",
        "comments": [],
        "createdAt": "2026-03-01T10:00:00Z",
        "labels": [{"name": "bug", "color": "d73a4a"}],
        "number": 7,
        "state": "OPEN",
        "title": "Mend the crane",
        "updatedAt": "2026-03-05T10:00:00Z",
        "url": "https://github.com/yard/crane/issues/7",
    } | fields


def test_an_issue_of_the_rest_interface_becomes_a_task(tmp_path: Path) -> None:
    (item,) = items(tmp_path, [rest()])

    assert (item.kind, item.source, item.source_id) == (Kind.TASK, "github", "yard/crane#7")
    assert (item.title, item.content) == ("Mend the crane", "The jib  sticks.")
    assert [(one.name, one.role) for one in item.people] == [
        ("mira", Role.AUTHOR),
        ("tom", Role.ASSIGNEE),
        ("ana", Role.ASSIGNEE),
    ]
    assert item.metadata == {
        "key": "yard/crane#7",
        "status": "open",
        "type": "issue",
        "due": "2026-04-01",
        "project": "yard/crane",
        "assignee": "tom, ana",
        "open": True,
        "milestone": "v2",
        "modified_at": "2026-03-05T10:00:00Z".replace("Z", "+00:00"),
        "url": "https://github.com/yard/crane/issues/7",
        "_revised_at": "2026-03-05T10:00:00+00:00",
    }


def test_a_closed_issue_was_open_before(tmp_path: Path) -> None:
    closed = {"state": "CLOSED", "stateReason": "NOT_PLANNED", "closedAt": "2026-03-04T10:00:00Z"}
    found = tasks(tmp_path, [cli(**closed)])

    names = ("status", "resolution", "open", "resolved_at")
    assert [[one.metadata.get(name) for name in names] for one in found] == [
        ["open", None, True, None],
        ["closed", "not planned", False, "2026-03-04T10:00:00+00:00"],
    ]


def test_comments_and_reviews_stand_in_what_the_command_line_writes(tmp_path: Path) -> None:
    site = "https://github.com/yard/crane/pull/8"
    said = {
        "id": "IC_1",
        "author": {"login": "ana"},
        "body": "Me too",
        "createdAt": "2026-03-04T10:00:00Z",
    }
    review = {
        "id": "R_1",
        "author": {"login": "tom"},
        "body": "Good.",
        "submittedAt": "2026-03-04T11:00:00Z",
    }
    silent = {"id": "R_2", "author": {"login": "tom"}, "body": "", "state": "APPROVED"}
    pull = cli(number=8, url=site, comments=[said], reviews=[review, silent], headRefName="jib")
    task, comment, reviewed = items(tmp_path, [pull])

    assert (task.metadata["type"], task.metadata["branch"]) == ("pull request", "jib")
    assert (comment.source_id, comment.content) == ("yard/crane#8/comment/IC_1", "Me too")
    assert comment.title == reviewed.title == task.title != ""
    assert comment.people == (Person(name="ana", role=Role.AUTHOR),)
    assert (reviewed.source_id, reviewed.session) == ("yard/crane#8/review/R_1", "yard/crane#8")
    assert reviewed.happened_at == datetime(2026, 3, 4, 11, 0, tzinfo=UTC)


def test_comments_of_the_rest_interface_are_a_file_of_their_own(tmp_path: Path) -> None:
    comment = {
        "url": "https://api.github.com/repos/yard/crane/issues/comments/99",
        "html_url": "https://github.com/yard/crane/issues/7#issuecomment-99",
        "issue_url": "https://api.github.com/repos/yard/crane/issues/7",
        "id": 99,
        "user": {"login": "ana"},
        "created_at": "2026-03-04T10:00:00Z",
        "updated_at": "2026-03-04T10:00:00Z",
        "body": "Me too",
    }
    (item,) = items(tmp_path, [comment])

    assert (item.kind, item.source_id) == (Kind.MESSAGE, "yard/crane#7/comment/99")
    assert (item.session, item.metadata["key"]) == ("yard/crane#7", "yard/crane#7")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<!-- a\nb --> Shown <!-- c -->", "Shown"),
        ("Shown <!-- never closed", "Shown <!-- never closed"),
        ("<!--" * 200_000 + "x", "<!--" * 200_000 + "x"),
    ],
    ids=["remarks", "open", "many"],
)
def test_remarks_of_a_template_are_left_out(tmp_path: Path, body: str, text: str) -> None:
    assert items(tmp_path, [cli(body=body)])[0].content == text


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"state": "MERGED", "mergedAt": "2026-03-04T10:00:00Z"}, "merged"),
        ({"state": "OPEN", "isDraft": True}, "draft"),
        ({"state": "OPEN", "isDraft": False}, "open"),
        ({"state": "closed", "pull_request": {"merged_at": "2026-03-04T10:00:00Z"}}, "merged"),
    ],
)
def test_states_of_pull_requests(tmp_path: Path, fields: dict[str, Any], status: str) -> None:
    present = tasks(tmp_path, [cli(**fields)])[-1]

    assert (present.metadata["status"], present.metadata["type"]) == (status, "pull request")


@pytest.mark.parametrize(
    "content",
    [
        {"total_count": 1, "incomplete_results": False, "items": [rest()]},
        {"data": {"repository": {"issues": {"nodes": [cli()]}}}},
        {"data": {"search": {"nodes": [cli()]}}},
        {"data": [rest()]},
        [[rest()]],
        cli(),
        json.dumps(cli()) + "\n" + json.dumps(cli()),
    ],
)
def test_every_shape_of_github_is_read(tmp_path: Path, content: Any) -> None:
    assert items(tmp_path, content)[0].source_id == "yard/crane#7"


def test_without_addresses_the_file_is_part_of_the_id(tmp_path: Path) -> None:
    bare = {"number": 7, "state": "OPEN", "title": "Mend the crane"}
    (item,) = items(tmp_path, [bare], name="crane.json")

    assert (item.source_id, item.metadata["key"]) == ("crane.json#7", "#7")


def test_a_github_issue_without_a_number_is_reported(tmp_path: Path) -> None:
    assert skip(tmp_path, [cli(), cli(number=None)]) == [
        ("Mend the crane", "not a GitHub issue: it has no number, or no title")
    ]


# ── todo.txt ──────────────────────────────────────────────────────────────────────────────────


def test_lines_of_todo_txt_are_tasks(tmp_path: Path) -> None:
    content = (
        "(A) 2026-03-01 Call the yard +Crane @phone due:2026-03-06 t:2026-03-02 rec:1w\r\n"
        "x 2026-03-05 2026-03-02 Pay the dues @home pri:B\r\n"
        "x 2026-03-05 Sweep\r\n"
        "   \r\n"
        "Buy grease at https://shop.example\r\n"
    )
    found = items(tmp_path, content, name="todo.txt")

    assert [(one.kind, one.source, one.title) for one in found] == [
        (Kind.TASK, "todo", "Call the yard"),
        (Kind.TASK, "todo", "Pay the dues"),
        (Kind.TASK, "todo", "Sweep"),
        (Kind.TASK, "todo", "Buy grease at https://shop.example"),
    ]
    assert found[0].tags == ("+Crane", "@phone")
    assert found[0].happened_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert (
        dict(found[0].metadata).items()
        >= {
            "status": "open",
            "priority": "A",
            "due": "2026-03-06",
            "project": "Crane",
            "open": True,
            "start": "2026-03-02",
            "repeats": "1w",
        }.items()
    )
    assert [one.metadata.get("resolved_at") for one in found[1:]] == [
        "2026-03-05T00:00:00+00:00",
        "2026-03-05T00:00:00+00:00",
        None,
    ]
    assert found[1].metadata["priority"] == "B"


def test_a_task_stays_itself_when_it_is_done_or_lines_come_in_between(tmp_path: Path) -> None:
    (before,) = items(tmp_path, "(B) 2026-03-01 Call the yard +Crane\n", name="todo.txt")
    after = "x 2026-03-01 New\nx 2026-03-04 2026-03-01 Call the yard +Crane due:2026-03-06\n"
    _, done = items(tmp_path, after, name="todo.txt")

    assert done.id == before.id
    assert done.metadata["status"] == "done"


def test_equal_lines_are_two_tasks(tmp_path: Path) -> None:
    found = items(tmp_path, "(A) Water\n(A) Water\n", name="todo.txt")

    assert len({one.id for one in found}) == 2


@pytest.mark.parametrize(
    ("name", "content", "format_name"),
    [
        ("todo.txt", "x 2026-03-05 Sweep\nplain\n", "todo-txt"),
        ("work.todo.txt", "Buy @shop\n", "todo-txt"),
        ("Done.txt", "x 2026-03-05 Sweep\n", "todo-txt"),
        ("list.txt", "(A) Call\n(B) Sweep\n", "todo-txt"),
        ("todo.txt", "What I think of lists.\nThey are long.\n", "markdown"),
        ("list.txt", "(A) Call\nand prose\n", "markdown"),
        ("todo.md", "x 2026-03-05 Sweep\n", "markdown"),
        ("plan.txt", "", "markdown"),
    ],
)
def test_lists_are_reported_from_notes(
    tmp_path: Path, name: str, content: str, format_name: str
) -> None:
    path = tmp_path / name
    path.write_text(content)

    assert detect(path).name == format_name


# ── Google Tasks ──────────────────────────────────────────────────────────────────────────────


def test_lists_of_google_tasks(tmp_path: Path) -> None:
    rows = [
        {"id": "a1", "title": "Renew passport", "due": "2026-03-20T00:00:00.000Z",
         "status": "needsAction", "updated": "2026-03-01T10:00:00Z", "notes": "two photos"},
        {"id": "a2", "title": "Pay", "status": "completed", "completed": "2026-03-02T10:00:00Z"},
        {"id": "a3", "title": "Gone", "deleted": True},
    ]  # fmt: skip
    lists = [{"kind": "tasks#tasks", "title": "Home", "items": rows}, {"title": "Empty"}]
    found = items(tmp_path, {"kind": "tasks#taskLists", "items": lists})

    assert [(one.source_id, one.title, one.content) for one in found] == [
        ("a1", "Renew passport", "two photos"), ("a2", "Pay", ""),
    ]  # fmt: skip
    first, second = (one.metadata for one in found)
    assert (first["due"], first["open"], first["project"]) == ("2026-03-20", True, "Home")
    assert (second["open"], second["status"]) == (False, "done")
    assert second["resolved_at"].startswith("2026-03-02")


def test_a_google_task_without_words_is_reported(tmp_path: Path) -> None:
    lists = [{"title": "Home", "items": [{"id": "a1", "title": " "}]}]

    [(_, reason)] = skip(tmp_path, {"kind": "tasks#taskLists", "items": lists})
    assert "without words" in reason


# ── Trello ────────────────────────────────────────────────────────────────────────────────────

CARD = "69a7f000" + "0" * 16
"""The id of a card that was made on 4 March 2026."""


def board(*cards: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "b1",
        "name": "Garden",
        "shortUrl": "https://trello.com/b/AbCdEf12",
        "lists": [
            {"id": "l1", "name": "Doing"},
            {"id": "l2", "name": "Old", "closed": True},
            {"id": "l3", "name": "✅ Erledigt"},
        ],
        "members": [{"id": "m1", "fullName": "Mira Holm"}],
        "cards": [{"id": CARD, "shortLink": "Xy12", "idList": "l1", **one} for one in cards],
        **more,
    }


def test_cards_of_a_board_of_trello(tmp_path: Path) -> None:
    boxes = [{"idCard": CARD, "name": "Steps", "checkItems": [
        {"name": "Dig", "state": "complete"}, {"name": "Plant", "state": "incomplete"},
    ]}]  # fmt: skip
    card = {
        "name": "Plant the hedge", "desc": "Forty plants.", "due": "2026-03-20T17:00:00.000Z",
        "idMembers": ["m1", "gone"], "labels": [{"name": "spring", "color": "green"}],
        "shortUrl": "https://trello.com/c/Xy12",
    }  # fmt: skip
    [found] = items(tmp_path, board(card, checklists=boxes))

    assert found.content == "Forty plants.\n\nSteps\n- [x] Dig\n- [ ] Plant"
    assert (found.source, found.source_id, found.title) == ("trello", CARD, "Plant the hedge")
    assert found.tags == ("spring",)
    assert found.happened_at == datetime(2026, 3, 4, 8, 40, 32, tzinfo=UTC)
    shown = found.metadata
    assert (shown["status"], shown["project"], shown["assignee"]) == (
        "Doing",
        "Garden",
        "Mira Holm",
    )
    assert (shown["key"], shown["due"][:10], shown["url"][-6:]) == ("Xy12", "2026-03-20", "c/Xy12")
    assert shown["open"] is True


@pytest.mark.parametrize(
    "done", [{"dueComplete": True}, {"closed": True}, {"idList": "l2"}, {"idList": "l3"}]
)
def test_a_card_of_trello_is_done_where_the_board_says_so(
    tmp_path: Path, done: dict[str, Any]
) -> None:
    [found] = items(tmp_path, board({"name": "Dig", **done}))

    assert found.metadata["open"] is False


def test_comments_of_trello_stand_in_the_thread_of_their_card(tmp_path: Path) -> None:
    comment = {
        "id": "a1", "type": "commentCard", "date": "2026-03-06T10:00:00.000Z",
        "memberCreator": {"fullName": "Jon Vik"},
        "data": {"text": "The ground is frozen.", "card": {"id": CARD, "name": "Dig"}},
    }  # fmt: skip
    other = {"id": "a2", "type": "updateCard", "data": {}}
    card, said = items(tmp_path, board({"name": "Dig"}, actions=[comment, other]))

    assert (said.content, said.title, said.session) == (
        "The ground is frozen.",
        "Dig",
        card.session,
    )
    assert said.author is not None
    assert said.author.name == "Jon Vik"
    assert said.happened_at == datetime(2026, 3, 6, 10, tzinfo=UTC)


def test_a_card_without_a_name_is_reported(tmp_path: Path) -> None:
    [(place, reason)] = skip(tmp_path, board({"name": " "}))

    assert place == CARD
    assert "without a name" in reason
