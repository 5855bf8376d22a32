"""Chats: good lines, bad lines, and ids that stay."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides.importers import chat as subject
from simonides.importers.chat import NO_GOOD_LINE, NOT_A_CHAT, read_chat
from simonides.model.item import Item, Kind, Person, Role
from simonides.ports.importer import ImportEvent, SourceFile


def line(text: Any = "Hello.", **fields: Any) -> str:
    row = {"session": "s", "speaker": "Mira", "text": text, "at": "2026-03-05T10:00:00+01:00"}
    return json.dumps({name: one for name, one in (row | fields).items() if one != "-"})


def steps(folder: Path, *lines: str, source: str = "") -> list[ImportEvent]:
    path = folder / "chat.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    size_bytes = path.stat().st_size
    return list(
        read_chat(SourceFile(path=path, where="chat.jsonl", size_bytes=size_bytes, source=source))
    )


def items(folder: Path, *lines: str, source: str = "") -> list[Item]:
    return [step.item for step in steps(folder, *lines, source=source) if step.item]


def reasons(folder: Path, *lines: str) -> list[tuple[str, str]]:
    found = [step.skipped for step in steps(folder, *lines)]
    return [(one.where, one.reason) for one in found if one]


def test_a_line_becomes_a_message(tmp_path: Path) -> None:
    (item,) = items(tmp_path, line(title="Team", collection="work", metadata={"mood": "good"}))

    assert (item.kind, item.source, item.session) == (Kind.MESSAGE, "chat", "s")
    assert (item.title, item.content, item.collection) == ("Team", "Hello.", "work")
    assert item.people == (Person(name="Mira", role=Role.AUTHOR),)
    assert item.happened_at == datetime(2026, 3, 5, 9, 0, tzinfo=UTC)
    assert item.metadata == {"mood": "good"}


def test_positions_are_counted_by_session(tmp_path: Path) -> None:
    found = items(tmp_path, line("a"), line("b", session="t"), line("c"), line("d", session="t"))

    assert [(one.session, one.position) for one in found] == [
        ("s", 0), ("t", 0), ("s", 1), ("t", 1),
    ]  # fmt: skip


def test_a_time_without_zone_is_read_as_utc_and_says_so(tmp_path: Path) -> None:
    (item,) = items(tmp_path, line(at="2026-03-05T10:00:00"))

    assert item.happened_at == datetime(2026, 3, 5, 10, 0, tzinfo=UTC)
    assert item.metadata == {"_time_zone": "assumed UTC"}


def test_only_the_text_is_needed(tmp_path: Path) -> None:
    (item,) = items(tmp_path, '{"text": "Hello."}')

    assert (item.people, item.session, item.happened_at) == ((), "", None)


def test_given_ids_are_kept(tmp_path: Path) -> None:
    found = items(tmp_path, line(id="m-1"), line(id=7))

    assert [one.source_id for one in found] == ["m-1", "7"]


def test_the_same_export_gives_the_same_ids(tmp_path: Path) -> None:
    lines = [line("a"), line("b"), line("b"), line("b")]
    first, again = items(tmp_path, *lines), items(tmp_path, *lines)

    assert first == again
    assert len({one.id for one in first}) == 4


def test_ids_stay_when_lines_are_added_or_put_in_between(tmp_path: Path) -> None:
    before = {one.content: one.id for one in items(tmp_path, line("a"), line("b"))}
    after = {one.content: one.id for one in items(tmp_path, line("x"), line("a"), line("b"))}

    assert after.items() >= before.items()


def test_two_exports_with_one_session_name_do_not_mix(tmp_path: Path) -> None:
    (one,) = items(tmp_path, line("Hello from Monday."))
    (other,) = items(tmp_path, line("Hello from Tuesday."))

    assert one.id != other.id


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "JSON: is malformed"),
        ("[1]", "JSON: must be an object, got list"),
        (line(""), "text: is missing or empty"),
        (line(" \n"), "text: is missing or empty"),
        (line("-"), "text: is missing or empty"),
        ("{}", "text: is missing or empty"),
        (line(7), "text: must be text, got int"),
        (line(session=["s"]), "session: must be text, got list"),
        (line(at="yesterday"), "at: must be an ISO 8601 time"),
        (line(at=1_772_700_000), "at: must be text, got int"),
        (line(id=True), "id: must be text or a whole number, got bool"),
        (line(metadata=[1]), "metadata: must be an object, got list"),
        ('{"text": ' + "[" * 100_000, "JSON: is malformed"),
        ('{"text": "a", "id": ' + "9" * 5000 + "}", "JSON: is malformed"),
    ],
)
def test_a_bad_line_is_reported_and_the_rest_goes_on(tmp_path: Path, bad: str, reason: str) -> None:
    lines = [line("before"), bad, "", line("after")]
    ((where, found),) = reasons(tmp_path, *lines)

    assert where == "chat.jsonl: line 2"
    assert found.startswith(reason)
    assert [one.content for one in items(tmp_path, *lines)] == ["before", "after"]


def test_a_file_of_other_lines_is_no_chat(tmp_path: Path) -> None:
    assert reasons(tmp_path, '{"name": "x"}', line()) == [("chat.jsonl", NOT_A_CHAT)]


def test_bad_lines_before_the_first_good_one_are_reported(tmp_path: Path) -> None:
    assert [where for where, _ in reasons(tmp_path, "{", line())] == ["chat.jsonl: line 1"]


def test_a_file_without_any_good_line_is_given_up(tmp_path: Path) -> None:
    found = reasons(tmp_path, *["rubbish"] * 500)

    assert len(found) == subject.BAD_LINES_MAX + 1
    assert found[-1] == ("chat.jsonl", NO_GOOD_LINE)


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    assert reasons(tmp_path) == [("chat.jsonl", "empty")]
    assert reasons(tmp_path, "", "  ") == [("chat.jsonl", "empty")]


def test_too_long_a_line_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "LINE_BYTES_MAX", 200)
    lines = [line("a"), line("b" * 900), line("c")]

    assert [one.content for one in items(tmp_path, *lines)] == ["a", "c"]
    assert reasons(tmp_path, *lines) == [("chat.jsonl: line 2", "JSON: is longer than 200 bytes")]
    assert steps(tmp_path, *lines)[-1].bytes_done == len("\n".join(lines))


def test_halves_of_characters_do_not_get_in(tmp_path: Path) -> None:
    bad = "\ud83d"
    rows = line(f"a{bad}b", speaker=f"M{bad}", metadata={f"k{bad}": [f"v{bad}", {"x": bad}, 1]})
    (item,) = items(tmp_path, rows)

    assert (item.content, item.people[0].name) == ("a\ufffdb", "M\ufffd")
    assert item.metadata == {"k\ufffd": ["v\ufffd", {"x": "\ufffd"}, 1]}


def test_the_source_can_be_named(tmp_path: Path) -> None:
    assert items(tmp_path, line(), source="slack")[0].source == "slack"


def test_fields_are_known_by_other_usual_names_too(tmp_path: Path) -> None:
    said = json.dumps(
        {"role": "user", "content": "Hi.", "session_id": "a", "timestamp": 1736503200}
    )
    parts = [
        {"type": "text", "text": "Hello."},
        {"type": "image"},
        {"type": "text", "text": "You?"},
    ]
    answered = json.dumps({"author": "assistant", "content": parts, "created_at": "2025-01-10"})
    first, second = items(tmp_path, said, answered)

    assert (first.content, first.session) == ("Hi.", "a")
    assert first.author is not None
    assert first.author.name == "user"
    assert first.happened_at == datetime(2025, 1, 10, 10, tzinfo=UTC)
    assert second.content == "Hello.\nYou?"


def test_a_field_under_its_own_name_comes_before_another(tmp_path: Path) -> None:
    (item,) = items(tmp_path, line("Own.", content="Other.", speaker="Ana", role="user"))

    assert (item.content, item.author and item.author.name) == ("Own.", "Ana")
