"""Exports of assistants: ChatGPT, Claude and Gemini."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.importers.task_files import items, skip

from simonides.importers.run import read
from simonides.model.item import Item, Kind, MemoryType

AT = 1767225600.0  # 2026-01-01T00:00:00Z


def node(key: str, parent: str | None = None, *children: str, **message: Any) -> dict[str, Any]:
    """Return a node of a conversation; without a message it is the root."""
    made = {"id": f"{key}-aaaaaaaa-bbbb-cccc-dddd", **message} if message else None
    return {"id": key, "parent": parent, "children": list(children), "message": made}


def said(role: str, *parts: Any, at: float | None = AT, **fields: Any) -> dict[str, Any]:
    """Return the fields of a message of words."""
    content = {"content_type": fields.pop("content_type", "text"), "parts": list(parts)}
    return {"author": {"role": role}, "create_time": at, "content": content, **fields}


def conversation(*nodes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a conversation of these nodes, of which the last was shown last."""
    known = {"title": "Bread", "create_time": AT, "mapping": {one["id"]: one for one in nodes}}
    return {**known, "current_node": nodes[-1]["id"], "conversation_id": "conv-1", **fields}


TALK = conversation(
    node("root", None, "sys"),
    node("sys", "root", "q", **said("system", "", weight=0)),
    node("q", "sys", "a1", "a2", **said("user", "How long does my rye rest?")),
    node("a1", "q", **said("assistant", "Nine hours.", at=AT + 1)),
    node("a2", "q", **said("assistant", "Eleven hours.", at=AT + 2, metadata={"model_slug": "o9"})),
)


def texts(found: list[Item]) -> list[str]:
    return [one.content for one in found]


def test_the_branch_that_was_shown_is_read_with_roles_times_and_the_model(tmp_path: Path) -> None:
    question, answer = items(tmp_path, [TALK], name="conversations.json")

    assert (question.content, answer.content) == ("How long does my rye rest?", "Eleven hours.")
    assert [one.people[0].name for one in (question, answer)] == ["user", "assistant"]
    assert {one.kind for one in (question, answer)} == {Kind.MESSAGE}
    assert {(one.source, one.session, one.title) for one in (question, answer)} == {
        ("chatgpt", "conv-1", "Bread")
    }
    assert [one.position for one in (question, answer)] == [0, 1]
    assert question.source_id == "q-aaaaaaaa-bbbb-cccc-dddd"
    assert answer.happened_at == datetime(2026, 1, 1, 0, 0, 2, tzinfo=UTC)
    assert answer.metadata == {"model": "o9"}


def test_without_a_current_node_the_newest_answer_is_followed(tmp_path: Path) -> None:
    found = items(tmp_path, [TALK | {"current_node": None}])

    assert texts(found) == ["How long does my rye rest?", "Eleven hours."]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (said("user", "one", "", "two"), "one\n\ntwo"),
        (
            said("user", {"content_type": "image_asset_pointer", "asset_pointer": "f"}, "look",
                 content_type="multimodal_text"),
            "look",
        ),
        (
            said("user", {"content_type": "audio_transcription", "text": "spoken"},
                 content_type="multimodal_text"),
            "spoken",
        ),
        (said("user", metadata={"attachments": [{"name": "plan.pdf"}]}), "plan.pdf"),
        (
            said("assistant", json.dumps({"name": "Letter", "content": "Dear all"}),
                 recipient="canmore.create_textdoc", content_type="code"),
            "Letter\n\nDear all",
        ),
        (said("assistant", "x\x00y"), "xy"),
    ],
)  # fmt: skip
def test_every_content_in_words_is_read(tmp_path: Path, message: Any, text: str) -> None:
    [found] = items(tmp_path, [conversation(node("root", None, "m"), node("m", "root", **message))])

    assert found.content == text


@pytest.mark.parametrize(
    "message",
    [
        said("tool", "result of a search"),
        said("system", "You are helpful"),
        said("assistant", "print(1)", recipient="python"),
        said("assistant", "let me think", content_type="thoughts"),
        said("user", "settings", metadata={"is_visually_hidden_from_conversation": True}),
        said("assistant", recipient="canmore.create_textdoc"),
        said("user", {"content_type": "image_asset_pointer"}),
        {"author": None, "content": None},
    ],
)
def test_what_was_never_said_to_anybody_is_left_out(tmp_path: Path, message: Any) -> None:
    talk = conversation(
        node("root", None, "m"),
        node("m", "root", "n", **message),
        node("n", "m", **said("user", "kept")),
    )

    assert texts(items(tmp_path, [talk])) == ["kept"]


def test_attached_files_are_named(tmp_path: Path) -> None:
    files = [{"id": "f1", "name": "plan.pdf", "mime_type": "application/pdf", "size": 12}]
    message = said("user", "read this", metadata={"attachments": files})
    [found] = items(tmp_path, [conversation(node("m", None, **message))])

    assert found.metadata["attachments"] == [
        {"name": "plan.pdf", "media_type": "application/pdf", "size_bytes": 12}
    ]


def test_a_tree_that_is_a_circle_ends(tmp_path: Path) -> None:
    circle = conversation(
        node("a", "b", "b", **said("user", "one")), node("b", "a", "a", **said("user", "two"))
    )

    assert texts(items(tmp_path, [circle])) == ["one", "two"]


def test_what_is_no_conversation_is_reported_and_costs_no_other(tmp_path: Path) -> None:
    content = [TALK, {"title": "Odd"}, "text", {"title": "Empty", "mapping": {}}]

    assert skip(tmp_path, content) == [
        ("Odd", "not a conversation of ChatGPT: it has no mapping"),
        ("record 3", "not a conversation of ChatGPT: it has no mapping"),
    ]


def test_the_page_of_an_export_does_not_repeat_its_conversations(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "conversations.json").write_text(json.dumps([TALK]))
    page = "<html><head><title>ChatGPT Data Export</title></head><body>Eleven hours.</body></html>"
    (folder / "chat.html").write_text(page)

    found = list(read(folder))

    assert len([one for one in found if one.item]) == 2
    assert [one.skipped.reason for one in found if one.skipped] == [
        "repeats conversations.json of the same export; that file is read"
    ]


# ── Claude ────────────────────────────────────────────────────────────────────────────────────


def claude(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a conversation of Claude."""
    return {"uuid": "c-1", "name": "Boats", "chat_messages": list(messages), **fields}


def by(sender: str, *blocks: Any, **fields: Any) -> dict[str, Any]:
    """Return a message of Claude; a text stands for a block of words."""
    content = [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]
    known = {"uuid": f"m-{sender}", "sender": sender, "created_at": "2026-03-04T10:00:00.5Z"}
    return {**known, "content": content, **fields}


def test_a_conversation_of_claude_is_read(tmp_path: Path) -> None:
    question, answer = items(
        tmp_path, [claude(by("human", "Which oak?"), by("assistant", "White oak.", "It bends."))]
    )

    assert (question.content, answer.content) == ("Which oak?", "White oak.\n\nIt bends.")
    assert [one.people[0].name for one in (question, answer)] == ["user", "assistant"]
    assert (answer.source, answer.source_id, answer.session) == ("claude", "m-assistant", "c-1")
    assert (answer.title, answer.position) == ("Boats", 1)
    assert answer.happened_at == datetime(2026, 3, 4, 10, 0, 0, 500000, tzinfo=UTC)


def test_older_messages_of_claude_have_a_text_only(tmp_path: Path) -> None:
    [found] = items(tmp_path, [claude({"sender": "human", "text": "Which oak?"})])

    assert (found.content, found.source_id) == ("Which oak?", "c-1/0")


def test_thoughts_and_tools_are_left_out_and_artifacts_kept(tmp_path: Path) -> None:
    given = {"command": "create", "title": "Plan", "content": "Steam the planks"}
    message = by(
        "assistant",
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "name": "web_search", "input": {"query": "oak"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "page"}]},
        {"type": "tool_use", "name": "artifacts", "input": given},
        {"type": "tool_use", "name": "artifacts", "input": {"command": "update", "old_str": "x"}},
        "Here it is.",
    )

    assert texts(items(tmp_path, [claude(message)])) == ["Plan\n\nSteam the planks\n\nHere it is."]


def test_attached_texts_become_documents_and_files_are_named(tmp_path: Path) -> None:
    attached = {"file_name": "notes.txt", "file_size": 9, "extracted_content": "keel laid"}
    message = by("human", "see", attachments=[attached], files=[{"file_name": "hull.png"}])
    document, found = items(tmp_path, [claude(message)])

    assert (document.kind, document.title, document.content) == (
        Kind.DOCUMENT, "notes.txt", "keel laid",
    )  # fmt: skip
    assert document.source_id == "m-human/1"
    assert found.metadata["attachments"] == [
        {"name": "notes.txt", "size_bytes": 9}, {"name": "hull.png"},
    ]  # fmt: skip


def test_projects_of_claude_are_documents(tmp_path: Path) -> None:
    project = {
        "uuid": "p-1", "name": "Boatyard", "description": "All boats",
        "prompt_template": "Be brief",
        "created_at": "2026-03-01T00:00:00Z",
        "docs": [{"uuid": "d-1", "filename": "slip.md", "content": "The slip is free.",
                  "created_at": "2026-03-02T00:00:00Z"}, {"filename": "empty.md"}],
    }  # fmt: skip
    found = [one.item for one in _events(tmp_path, project) if one.item]

    own, doc = found
    assert (own.source_id, own.content) == ("project/p-1", "All boats\n\nBe brief")
    assert (doc.source_id, doc.title, doc.metadata["project"]) == ("d-1", "slip.md", "Boatyard")
    assert doc.happened_at is None
    assert doc.metadata["modified_at"] == "2026-03-02T00:00:00+00:00"


def _events(folder: Path, content: Any) -> list[Any]:
    path = folder / "projects.json"
    path.write_text(json.dumps([content]))
    return list(read(path))


def test_what_claude_remembers_is_a_memory_of_the_user(tmp_path: Path) -> None:
    stated = {"conversations_memory": "Builds boats", "account_uuid": "u-1"}
    [found] = items(tmp_path, [stated | {"project_memories": {"p-1": ""}}])

    assert (found.kind, found.source_id, found.content) == (
        Kind.MEMORY, "memory/u-1", "Builds boats",
    )  # fmt: skip
    assert found.traits is not None
    assert found.traits.type is MemoryType.PROFILE


def test_what_is_neither_is_reported(tmp_path: Path) -> None:
    assert skip(tmp_path, [claude(), {"uuid": "x", "name": "Odd"}]) == [
        ("Odd", "neither a conversation nor a project of Claude")
    ]


# ── Gemini ────────────────────────────────────────────────────────────────────────────────────


def activity(title: str = "Prompted Which oak?", **fields: Any) -> dict[str, Any]:
    """Return an entry of My Activity."""
    known = {"header": "Gemini Apps", "title": title, "time": "2026-03-04T10:00:00.123Z"}
    answer = [{"html": "<p>White <b>oak</b>.</p><p>It bends.</p>"}]
    return {**known, "products": ["Gemini Apps"], "safeHtmlItem": answer, **fields}


def test_questions_to_gemini_are_read_from_json(tmp_path: Path) -> None:
    question, answer = items(tmp_path, [activity()], name="MyActivity.json")

    assert (question.content, answer.content) == ("Which oak?", "White oak.\n\nIt bends.")
    assert [one.people[0].name for one in (question, answer)] == ["user", "assistant"]
    assert question.session == answer.session
    assert (question.source, answer.source_id) == ("gemini", f"{question.source_id}/answer")
    assert answer.happened_at == datetime(2026, 3, 4, 10, 0, 0, 123000, tzinfo=UTC)


def test_what_was_no_question_is_left_out(tmp_path: Path) -> None:
    found = items(tmp_path, [activity("Used an Assistant feature"), activity(safeHtmlItem=None)])

    assert texts(found) == ["Which oak?"]


def test_an_entry_without_a_time_is_reported(tmp_path: Path) -> None:
    assert skip(tmp_path, [activity(time=None)]) == [("Which oak?", "has no time")]


PAGE = (
    """<html><head><title>My Activity History</title></head><body><div class="mdl-grid">%s</div>"""
)
CELL = """<div class="outer-cell mdl-cell"><div class="mdl-grid"><div class="header-cell"><p
class="mdl-typography--title">Gemini Apps<br></p></div><div
class="x"></div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">%s</div>
<div class="content-cell mdl-cell mdl-typography--body-1 mdl-typography--text-right">
</div></div></div>
"""


@pytest.mark.parametrize(
    ("stamp", "when"),
    [
        ("Mar 4, 2026, 10:00:00\u202fAM UTC", "2026-03-04T10:00:00"),
        ("Mar 4, 2026, 11:00:00 AM CET", "2026-03-04T10:00:00"),
        ("4 Mar 2026, 11:30:00 GMT+01:30", "2026-03-04T10:00:00"),
        ("Mar 4, 2026, 5:00:00 AM EST", "2026-03-04T10:00:00"),
        ("Mar 4, 2026, 10:00:00 AM XYZ", "2026-03-04T10:00:00"),
        ("04.03.2026, 10:00:00 GMT", "2026-03-04T10:00:00"),
    ],
)
def test_questions_to_gemini_are_read_from_a_page(tmp_path: Path, stamp: str, when: str) -> None:
    first = CELL % f"Prompted&nbsp;Which oak<br>is best?<br>{stamp}<br><p>White oak.</p>"
    other = CELL % f"Used an Assistant feature<br>{stamp}<br>"
    question, answer = items(tmp_path, PAGE % (first + other), name="MyActivity.html")

    assert question.content.split() == ["Which", "oak", "is", "best?"]
    assert answer.content == "White oak."
    assert question.happened_at == datetime.fromisoformat(when).replace(tzinfo=UTC)
    assert ("_time_zone" in question.metadata) is ("XYZ" in stamp)
