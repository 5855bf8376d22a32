import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.model.item import Kind, Role
from simonides_bench.neutral import Group, read_groups

ITEM = {"type": "item", "group": "g", "id": "i1", "text": "The ferry leaves at seven."}
QUESTION = {"type": "question", "group": "g", "id": "q1", "question": "When?", "evidence": ["i1"]}


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "data.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return path


def only_group(folder: Path, *lines: Any) -> Group:
    [group] = read_groups(written(folder, *lines))
    return group


def test_a_line_becomes_an_item_and_its_id_the_source_id(tmp_path: Path) -> None:
    [item] = only_group(tmp_path, ITEM).items

    assert (item.source_id, item.content, item.kind) == ("i1", ITEM["text"], Kind.DOCUMENT)


def test_what_has_a_speaker_or_a_session_is_a_message(tmp_path: Path) -> None:
    group = only_group(tmp_path, {**ITEM, "speaker": "Ana"}, {**ITEM, "id": "i2", "session": "s1"})

    assert [item.kind for item in group.items] == [Kind.MESSAGE, Kind.MESSAGE]
    assert [p.name for p in group.items[0].people] == ["Ana"]


def test_positions_count_within_a_session_of_a_group(tmp_path: Path) -> None:
    places = [("g", "s"), ("g", "t"), ("g", "s"), ("h", "s")]
    lines = [
        {**ITEM, "id": f"i{n}", "group": group, "session": session}
        for n, (group, session) in enumerate(places)
    ]
    groups = read_groups(written(tmp_path, *lines))

    assert [item.position for group in groups for item in group.items] == [0, 0, 1, 0]


def test_groups_are_private_and_in_order_of_name(tmp_path: Path) -> None:
    groups = read_groups(written(tmp_path, {**ITEM, "group": "z"}, {**ITEM, "group": "a"}))

    assert [(group.name, len(group.items)) for group in groups] == [("a", 1), ("z", 1)]


def test_a_question_may_stand_before_its_evidence(tmp_path: Path) -> None:
    [question] = only_group(tmp_path, {**QUESTION, "category": "single-hop"}, ITEM).questions

    assert (question.evidence, question.category) == (frozenset({"i1"}), "single-hop")


def test_evidence_from_elsewhere_is_dropped_and_a_question_without_any_is_skipped(
    tmp_path: Path,
) -> None:
    group = only_group(
        tmp_path, ITEM, {**QUESTION, "evidence": ["i1", "gone"]}, {**QUESTION, "evidence": []}
    )

    assert [question.evidence for question in group.questions] == [frozenset({"i1"})]
    assert group.skipped == 1


def test_numbers_are_taken_for_ids(tmp_path: Path) -> None:
    group = only_group(tmp_path, {**ITEM, "id": 7}, {**QUESTION, "id": 1, "evidence": [7]})

    assert group.questions[0].evidence == frozenset({"7"})


def test_a_time_without_a_zone_is_utc_and_one_with_a_zone_keeps_its_instant(
    tmp_path: Path,
) -> None:
    group = only_group(
        tmp_path,
        {**ITEM, "at": "2025-03-01T10:00:00"},
        {**QUESTION, "at": "2025-03-01T10:00:00+02:00"},
    )

    assert group.items[0].happened_at == datetime(2025, 3, 1, 10, tzinfo=UTC)
    zone = timezone(timedelta(hours=2))
    assert group.questions[0].at == datetime(2025, 3, 1, 10, tzinfo=zone)


def test_an_item_can_say_what_it_is_and_who_got_it(tmp_path: Path) -> None:
    mail = {**ITEM, "kind": "email", "source": "gmail", "title": "Ferry", "speaker": "Ana"}
    [item] = only_group(tmp_path, {**mail, "to": ["Ben", ""], "session": "s"}).items

    assert (item.kind, item.source, item.title) == (Kind.EMAIL, "gmail", "Ferry")
    assert [(one.name, one.role) for one in item.people] == [("Ana", Role.AUTHOR), ("Ben", Role.TO)]


def test_a_question_can_say_what_must_not_and_what_may_come_first(tmp_path: Path) -> None:
    labels = {"must_not": ["i2", "gone"], "also_ok": [3], "answer": "At seven."}
    lines = [{**ITEM, "id": name} for name in ("i1", "i2", "3")]
    [question] = only_group(tmp_path, *lines, {**QUESTION, **labels}).questions

    assert (question.must_not, question.also_ok) == (frozenset({"i2"}), frozenset({"3"}))
    assert question.answer == "At seven."


def test_a_question_that_nothing_answers_is_not_one_whose_evidence_is_missing(
    tmp_path: Path,
) -> None:
    lost = {**QUESTION, "id": "q2", "evidence": ["gone"]}
    group = only_group(tmp_path, ITEM, {**QUESTION, "evidence": []}, lost)

    assert [one.id for one in group.unanswerable] == ["q1"]
    assert (group.questions, group.skipped) == ([], 2)


def test_empty_lines_and_unknown_fields_are_passed_over(tmp_path: Path) -> None:
    assert len(only_group(tmp_path, "", {**ITEM, "colour": "red"}, "  ").items) == 1


def test_an_item_without_words_is_kept_as_one(tmp_path: Path) -> None:
    [item] = only_group(tmp_path, {**ITEM, "text": " "}).items

    assert item.content == "(empty)"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "is not JSON"),
        ("[1]", "no object"),
        ({**ITEM, "type": "note"}, "no object whose type is item or question"),
        ({"type": "item", "group": "g", "id": "x"}, "needs text"),
        ({**ITEM, "text": 5}, "needs text"),
        ({**ITEM, "group": None}, "needs group"),
        ({**QUESTION, "evidence": "i1"}, "needs evidence, a list"),
        ({**QUESTION, "must_not": "i1"}, "needs must_not, a list"),
        ({**QUESTION, "also_ok": {"i1": 1}}, "needs also_ok, a list"),
        ({**ITEM, "id": "x", "kind": "letter"}, "kind: must be one of email"),
        ({**ITEM, "id": "x", "at": "yesterday"}, "ISO 8601"),
        ({**ITEM, "id": "x", "at": 5}, "ISO 8601"),
        ({**ITEM, "id": "x", "text": "\ud800"}, "surrogate"),
        (ITEM, "repeats item 'i1'"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path: Path, line: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=rf"data\.jsonl:2: .*{problem}"):
        read_groups(written(tmp_path, ITEM, line))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"type": "item\xff"}')

    for name in ("none.jsonl", "latin.jsonl"):
        with pytest.raises(InvalidInput, match=f"{name}: cannot be read"):
            read_groups(tmp_path / name)
