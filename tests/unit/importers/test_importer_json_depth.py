"""JSON that is nested too deep: its record is passed over, whatever the format; not the rest."""

import json
from base64 import encodebytes
from pathlib import Path

import pytest

from simonides.importers import json_parts, read
from simonides.importers.json_parts import TOO_DEEP
from simonides.model.coercion import NESTED_MAX
from simonides_bench.testing import documents as make

DEPTHS = (NESTED_MAX + 1, 100_000)


def deep(depth: int) -> str:
    return "[" * depth + "]" * depth


def linear(number: int, more: str = '""') -> str:
    return f'{{"identifier": "ENG-{number}", "title": "Oars {number}", "more": {more}}}'


def found(tmp_path: Path, name: str, text: str | bytes) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the titles or texts that are kept, and what is reported."""
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    steps = list(read(path))
    kept = [one.item.title or one.item.content for one in steps if one.item]
    return kept, [(one.skipped.where, one.skipped.reason) for one in steps if one.skipped]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_record_that_is_too_deep_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: int, *, is_streamed: bool
) -> None:
    if not is_streamed:
        monkeypatch.setattr(json_parts, "plugin_records", lambda *_, **__: {})
    lines = [linear(1), linear(2, deep(depth)), linear(3)]
    is_list = is_streamed or depth < 500  # read as a whole, a file breaks off where Python does
    text = f"[{','.join(lines)}]" if is_streamed else "\n\n\n".join(lines)
    kept, reported = found(tmp_path, "a.json", text)

    assert [reason[-len(TOO_DEEP) :] for _, reason in reported] == [TOO_DEEP]
    assert kept[:1] == ["ENG-1: Oars 1"] or kept[:1] == ["Oars 1"]
    assert len(kept) == 2 or not is_list


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_line_that_is_too_deep_costs_one_line(tmp_path: Path, depth: int) -> None:
    text = "\n".join([linear(1), linear(2), linear(3, deep(depth)), linear(4)])
    kept, reported = found(tmp_path, "a.jsonl", text)

    assert len(kept) == 3
    assert reported == [("a.jsonl: line 3", f"JSON: is malformed: {TOO_DEEP}")]


def test_a_line_of_a_chat_that_is_too_deep_costs_one_line(tmp_path: Path) -> None:
    lines = ['{"text": "x"}', f'{{"text": "y", "more": {deep(NESTED_MAX)}}}', '{"text": "z"}']
    kept, reported = found(tmp_path, "a.jsonl", "\n".join(lines))

    assert kept == ["x", "z"]
    assert reported == [("a.jsonl: line 2", f"JSON: is malformed: {TOO_DEEP}")]


def test_depth_around_the_records_ends_the_file(tmp_path: Path) -> None:
    text = '{"identifier": "ENG-1", "title": "t", "x": ' + '{"a":' * 100_000
    _, reported = found(tmp_path, "a.json", text)

    assert reported == [("a.json: after record 0", f"JSON: is malformed: {TOO_DEEP}")]


def test_a_message_that_is_too_deep_costs_no_other(tmp_path: Path) -> None:
    said = (
        '{{"id": {0}, "type": "message", "date": "2026-01-01T10:00:00", "from": "S", "text": {1}}}'
    )
    messages = ",".join(
        [said.format(1, '"x"'), said.format(2, deep(50_000)), said.format(3, '"z"')]
    )
    text = f'{{"name": "S", "type": "personal_chat", "id": 1, "messages": [{messages}]}}'
    _, reported = found(tmp_path, "result.json", text)

    assert reported == [("result.json: record 2", f"JSON: is {TOO_DEEP}")]


def test_deep_json_in_a_zip_in_a_mail_is_reported_there(tmp_path: Path) -> None:
    packed = make.make_zip({"tasks.json": f"[{linear(1, deep(50_000))},{linear(2)}]"})
    head = "From: a@x.example\nMessage-ID: <m@x>\nSubject: s\nContent-Type: application/zip"
    mail = (
        f"{head}; name=a.zip\nContent-Transfer-Encoding: base64\n\n{encodebytes(packed).decode()}"
    )
    kept, reported = found(tmp_path, "a.eml", mail)

    assert len(kept) == 2
    assert [TOO_DEEP in reason for _, reason in reported] == [True]


def test_brackets_in_texts_are_no_depth(tmp_path: Path) -> None:
    text = json.dumps([{"identifier": "ENG-1", "title": "t", "description": '\\"[{' * 30_000}])

    assert len(found(tmp_path, "a.json", text)[0]) == 1


def test_long_names_of_fields_are_not_kept_again_with_each_value(tmp_path: Path) -> None:
    inner = ",".join('"a":1' for _ in range(20_000))
    text = f'[{{"identifier": "ENG-1", "title": "t", "{"k" * 100_000}": {{{inner}}}}}]'

    assert len(found(tmp_path, "a.json", text)[0]) == 1


def test_a_notebook_that_is_too_deep_is_reported(tmp_path: Path) -> None:
    text = f'{{"cells": [], "nbformat": 4, "metadata": {deep(NESTED_MAX + 5)}}}'

    assert [reason for _, reason in found(tmp_path, "a.ipynb", text)[1]] == [TOO_DEEP]
