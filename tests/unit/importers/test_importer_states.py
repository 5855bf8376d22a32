"""States of one item over time, dry runs, and reports by reason, through the library."""

import json
from pathlib import Path

import pytest

from simonides import ImportFailed, InvalidInput, Memory, Settings
from simonides.importers import chat
from simonides.model.item import Item, Kind
from simonides.ports.importer import ImportEvent, SourceFile

KEY = "_revised_at"


def state(when: str, status: str) -> dict[str, str]:
    return {"revised_at": when, "status": status}


def read_states(file: SourceFile) -> list[ImportEvent]:
    """Read lines as states of one task, as a reader of task exports does."""
    events = []
    for line in file.path.read_text().splitlines():
        one = json.loads(line)
        stamp = {KEY: one["revised_at"]} if one["revised_at"] else {}
        item = Item(
            kind=Kind.TASK,
            source="jira",
            source_id="ALPHA-1",
            content=f"Grease the dome: {one['status']}",
            metadata={"status": one["status"], **stamp},
        )
        events.append(file.keep(item, bytes_done=file.size_bytes))
    return events


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setattr(chat, "read_chat", read_states)
    return Memory(tmp_path / "home", settings=Settings(embedder="none"))


def written(path: Path, *states: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in states))
    return path


def statuses(memory: Memory) -> list[str]:
    [item] = memory.list().items
    versions = memory.history(item.id)
    return [one.item.metadata["status"] for one in versions]


THREE = (state("2026-03-01", "open"), state("2026-03-02", "doing"), state("2026-03-05", "done"))


def test_each_later_state_is_a_version(memory: Memory, tmp_path: Path) -> None:
    report = memory.import_(written(tmp_path / "a.jsonl", *THREE))

    assert sorted(statuses(memory)) == ["doing", "done", "open"]
    assert memory.list().items[0].metadata["status"] == "done"
    assert (report.added, report.updated, report.skipped) == (1, 2, ())
    assert report.kinds == {"task": 3}


def test_the_same_states_again_change_nothing(memory: Memory, tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", *THREE)
    memory.import_(path)
    before = memory.stats().revision
    report = memory.import_(path)

    assert (report.added, report.updated, report.unchanged) == (0, 0, 3)
    assert memory.stats().revision == before


def test_an_older_state_never_undoes_a_newer_one(memory: Memory, tmp_path: Path) -> None:
    memory.import_(written(tmp_path / "a.jsonl", *THREE[1:]))
    memory.import_(written(tmp_path / "b.jsonl", THREE[0]))

    assert memory.list().items[0].metadata["status"] == "done"
    assert sorted(statuses(memory)) == ["doing", "done"]


def test_only_the_new_states_of_a_grown_history_are_added(memory: Memory, tmp_path: Path) -> None:
    memory.import_(written(tmp_path / "a.jsonl", *THREE[:2]))
    report = memory.import_(written(tmp_path / "a.jsonl", *THREE))

    assert (report.updated, report.unchanged) == (1, 2)
    assert memory.list().items[0].metadata["status"] == "done"


def test_states_in_any_order_end_with_the_latest(memory: Memory, tmp_path: Path) -> None:
    memory.import_(written(tmp_path / "a.jsonl", THREE[0], THREE[2], THREE[1]))

    assert memory.list().items[0].metadata["status"] == "done"


def test_a_dry_run_counts_and_keeps_nothing(memory: Memory, tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", THREE[0])
    report = memory.import_(path, dry_run=True)

    assert (report.added, report.dry_run) == (1, True)
    assert memory.list().items == ()
    memory.import_(path)
    assert memory.import_(path, dry_run=True).unchanged == 1
    newer = memory.import_(written(tmp_path / "b.jsonl", THREE[1]), dry_run=True)
    assert newer.updated == 1
    assert memory.list().items[0].metadata["status"] == "open"


def test_several_paths_are_one_import(memory: Memory, tmp_path: Path) -> None:
    first = written(tmp_path / "a.jsonl", THREE[0])
    for name in ("a.jpg", "b.jpg", "c.jpg", "d.jpg"):
        (tmp_path / name).write_bytes(b"\xff\xd8\0")
    report = memory.import_(first, *sorted(tmp_path.glob("*.jpg")))

    assert report.added == 1
    [group] = report.skipped_groups
    assert (group.count, group.reason) == (4, ".jpg files are not read")
    assert group.examples == ("a.jpg", "b.jpg", "c.jpg")


def test_a_path_that_is_not_there_fails_before_anything_is_kept(
    memory: Memory, tmp_path: Path
) -> None:
    with pytest.raises(ImportFailed, match=r"b\.jsonl: there is no such file"):
        memory.import_(written(tmp_path / "a.jsonl", THREE[0]), tmp_path / "b.jsonl")
    assert memory.list().items == ()


def test_an_import_of_no_path_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="paths"):
        memory.import_()


def test_an_export_is_not_tried(memory: Memory, tmp_path: Path) -> None:
    memory.add("Sarah moved the deadline.")
    memory.export(tmp_path / "out.jsonl")
    with pytest.raises(InvalidInput, match="export of a whole space"):
        memory.import_(tmp_path / "out.jsonl", dry_run=True)
