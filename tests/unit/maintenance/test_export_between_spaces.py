"""Exports that go to and fro between spaces that forgot and erased something of their own."""

import io
import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from simonides import Memory, ProposedMemory
from simonides.errors import ImportFailed
from simonides.maintenance.import_export import is_export

Open = Callable[..., Memory]
Passed = Callable[[Memory, Memory], list[str]]


@pytest.fixture
def passed(tmp_path: Path) -> Passed:
    """Return a function that brings one space's export into another, and says what stayed out."""

    def bring(source: Memory, target: Memory) -> list[str]:
        file = tmp_path / "passed.simonides.jsonl"
        file.unlink(missing_ok=True)
        source.export(file)
        return [one.reason for one in target.import_(file).skipped]

    return bring


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """A space with an item that a proposal, a receipt and engagement name."""
    made = open_memory(space="a")
    made.add("Tom loves tea.", id="m", kind="message", session="s")
    made.proposals.propose(ProposedMemory(text="Tom loves tea.", evidence=("m",)), by="a model")
    made.brief("who loves tea?", keep_receipt=True)
    made.record_usage("m")
    return made


def exported(memory: Memory) -> bytes:
    stream = io.BytesIO()
    memory.export(stream)
    return stream.getvalue()


FORGOTTEN = "was forgotten or erased here; add it yourself to bring it back"


def test_what_was_forgotten_here_is_told_as_passed_over(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "before.simonides.jsonl"
    memory.export(file)
    memory.forget("m")

    report = memory.import_(file)

    assert [one.reason for one in report.skipped] == [FORGOTTEN]
    assert (report.added, report.updated, report.unchanged) == (0, 0, 3)
    assert memory.list().items == ()


def test_a_mark_of_elsewhere_does_not_make_what_is_kept_here_a_ghost(
    memory: Memory, open_memory: Open, passed: Passed
) -> None:
    other, third = open_memory(space="b"), open_memory(space="c")
    passed(memory, other)
    other.erase("m")
    other.add("something else")

    assert passed(other, memory) == []
    memory.record_usage("m")
    assert passed(memory, third) == []

    assert third.get("m").content == "Tom loves tea."
    assert exported(third) == exported(memory)


def test_who_erased_it_keeps_all_of_it_out(
    memory: Memory, open_memory: Open, passed: Passed
) -> None:
    other = open_memory(space="b")
    passed(memory, other)
    other.erase("m")

    said = passed(memory, other)

    assert said[0] == FORGOTTEN
    assert len(said) == 4
    assert all("names an item that was erased here" in one for one in said[1:])
    assert other.proposals.list().proposals == ()


def test_a_receipt_of_what_was_forgotten_and_compacted_moves_house(
    memory: Memory, open_memory: Open, passed: Passed
) -> None:
    memory.forget("m")
    memory.add("something else")
    memory.compact(before=memory.stats().revision)
    other = open_memory(space="b")

    assert passed(memory, other) == []
    assert exported(other) == exported(memory)


@pytest.mark.parametrize("line", range(1, 5))
def test_half_a_character_is_refused_with_its_line_alone(
    memory: Memory, open_memory: Open, tmp_path: Path, line: int
) -> None:
    lines = exported(memory).decode().splitlines(keepends=True)
    record = json.loads(lines[line])
    [inner] = record.values()
    name = next(one for one in ("item_id", "id", "item") if one in inner)
    inner[name] = {"content": "\ud800"} if name == "item" else "\ud800"
    lines[line] = json.dumps(record) + "\n"
    file = tmp_path / "half.simonides.jsonl"
    file.write_text("".join(lines), encoding="utf-8")

    for target in (open_memory(space="empty"), memory):
        skipped = target.import_(file).skipped
        assert skipped[0].where == f"{file.name}: line {line + 1}"
        assert "half a character" in skipped[0].reason


def test_a_whole_character_in_two_escapes_is_text(
    memory: Memory, open_memory: Open, tmp_path: Path
) -> None:
    memory.add("a cup \U0001fad6", id="t")
    lines = [json.dumps(json.loads(one)) + "\n" for one in exported(memory).splitlines()]
    file = tmp_path / "escaped.simonides.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    other = open_memory(space="b")
    other.import_(file)

    assert other.get("t").content == "a cup \U0001fad6"


def test_half_a_character_in_the_head_keeps_everything_out(
    memory: Memory, open_memory: Open, tmp_path: Path
) -> None:
    first, _, rest = exported(memory).decode().partition("\n")
    head = json.dumps({**json.loads(first), "uuid": "\ud800"}, separators=(",", ":"))
    file = tmp_path / "half.simonides.jsonl"
    file.write_text(f"{head}\n{rest}", encoding="utf-8")
    other = open_memory(space="b")

    with pytest.raises(ImportFailed, match="half a character"):
        other.import_(file)


def test_a_pipe_is_not_read_to_find_out_what_it_is(memory: Memory, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reported: list[bool] = []
    asking = threading.Thread(target=lambda: reported.append(is_export(pipe)), daemon=True)
    asking.start()
    asking.join(timeout=5)

    assert reported == [False]
    with pytest.raises(ImportFailed, match="not a regular file"):
        memory.import_(pipe)


def test_the_name_of_an_export_is_as_durable_as_its_bytes(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bool] = []
    sync = os.fsync

    def watched(descriptor: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    memory.export(tmp_path / "x.simonides.jsonl")

    assert synced[:2] == [False, True]
