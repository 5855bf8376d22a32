"""The log of the imports of a space: kept with it, and never longer than what it speaks of."""

import json
from pathlib import Path

import pytest
from tests.unit.api.conftest import Open

from simonides import ImportProgress, InvalidInput, Memory, Settings
from simonides.errors import ImportFailed, StoreFull


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of two notes and a file that nothing reads."""
    made = tmp_path / "papers"
    made.mkdir()
    (made / "salary.md").write_text("# Salary talk\n\nMoney is discussed in March.")
    (made / "boat.txt").write_text("The boat is painted green.")
    (made / "odd.bin").write_bytes(b"\0\1")
    return made


def test_an_import_is_in_the_log_after_a_restart(folder: Path, open_memory: Open) -> None:
    with open_memory() as memory:
        memory.import_(folder)

    [one] = open_memory().import_log().imports

    assert one.files == ("papers",)
    assert (one.added, one.updated, one.unchanged, one.withdrawn) == (2, 0, 0, 0)
    assert one.kinds == {"document": 2}
    assert one.skipped == 1
    assert [(g.count, g.examples) for g in one.skipped_groups] == [(1, ("papers/odd.bin",))]


def test_an_import_of_what_is_there_and_a_dry_run_are_not_logged(
    folder: Path, memory: Memory
) -> None:
    memory.import_(folder, dry_run=True)
    memory.import_(folder)
    memory.import_(folder)

    assert len(memory.import_log().imports) == 1


@pytest.mark.parametrize("error", [StoreFull("no room left"), KeyboardInterrupt(), OSError("no")])
def test_an_import_that_breaks_off_is_in_the_log_with_what_it_kept(
    tmp_path: Path, memory: Memory, error: BaseException
) -> None:
    lines = (json.dumps({"session": "s", "text": f"Word {n}."}) for n in range(600))
    (tmp_path / "chat.jsonl").write_text("\n".join(lines))
    seen: list[ImportProgress] = []

    def break_off(progress: ImportProgress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            raise error

    with pytest.raises(type(error)) as raised:
        memory.import_(tmp_path / "chat.jsonl", on_progress=break_off)
    [one] = memory.import_log().imports

    assert one.files == ("chat.jsonl",)
    assert one.added == memory.stats().items == seen[-1].added == 512
    assert [group.reason for group in one.skipped_groups] == [
        "the import was broken off; importing again goes on"
    ]
    if isinstance(error, StoreFull):
        assert str(raised.value) == (
            "no room left; what was read before is kept: with room, importing again goes on"
        )
    memory.import_(tmp_path / "chat.jsonl")
    assert sorted(one.added for one in memory.import_log().imports) == [88, 512]


def test_an_import_that_breaks_off_before_it_keeps_anything_is_not_logged(
    folder: Path, memory: Memory
) -> None:
    def break_off(_: ImportProgress) -> None:
        raise StoreFull("no room left")

    with pytest.raises(StoreFull):
        memory.import_(folder, on_progress=break_off, dry_run=True)
    with pytest.raises(ImportFailed):
        memory.import_(folder / "none")

    assert memory.import_log().imports == ()


def test_an_import_into_a_read_only_home_speaks_of_nothing_that_is_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(embedder="none")
    with Memory(tmp_path / "there", settings=settings) as memory:
        memory.add("Tea at five.")
    monkeypatch.setattr("simonides.storage.sqlite.connection.is_read_only", lambda _file: True)

    with (
        Memory(tmp_path / "there", settings=settings) as memory,
        pytest.raises(StoreFull, match="is read-only; give this user the right") as raised,
    ):
        memory.import_(folder)

    assert "kept" not in str(raised.value)


def test_pages_follow_each_other_latest_first(folder: Path, memory: Memory) -> None:
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"This is file {name}.")
        memory.import_(folder / f"{name}.txt")

    first = memory.import_log(limit=2)
    second = memory.import_log(limit=2, cursor=first.cursor)

    named = [one.files[0] for one in (*first.imports, *second.imports)]
    assert sorted(named) == ["a.txt", "b.txt", "c.txt"]
    assert second.cursor == ""
    assert memory.receipts().receipts == ()
    with pytest.raises(InvalidInput, match="limit"):
        memory.import_log(limit=0)


def test_a_space_that_is_not_there_has_none(memory: Memory) -> None:
    assert memory.import_log().imports == ()


def test_an_erasure_takes_the_records_that_name_the_file(folder: Path, memory: Memory) -> None:
    memory.import_(folder / "salary.md")
    memory.import_(folder / "boat.txt")
    [salary] = [one for one in memory.list().items if "Money" in one.content]

    report = memory.erase(salary.id, prove=True)

    assert report.proof is not None
    assert report.proof.holds
    assert [one.files for one in memory.import_log().imports] == [("boat.txt",)]


def test_the_log_moves_house_with_an_export(
    folder: Path, tmp_path: Path, open_memory: Open
) -> None:
    memory = open_memory()
    memory.import_(folder)
    memory.export(tmp_path / "all.jsonl")

    other = open_memory(space="other")
    other.import_(tmp_path / "all.jsonl")

    assert other.import_log() == memory.import_log()
