"""A repaired space answers as before; what is derived is made anew, and what is lost is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory
from simonides.errors import InvalidInput, NotFound, StoreBusy, StoreCorrupt, WrongEmbedder
from simonides.index import snapshot
from simonides.maintenance.repair import (
    ChunkComparison,
    agree,
    has_vectors,
    without_vectors,
)
from simonides.model.stored import EmbedderIdentity
from simonides.storage.sqlite import pages
from simonides_bench.testing.hashing import HashingEmbedder

Open = Callable[..., Memory]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """A space with history and things beside items."""
    made = open_memory()
    made.add([f"alpha number {n} of the harbor, said Tom" for n in range(30)])
    made.add("old", id="a")
    made.add("new words", id="a", people=["Sarah <sarah@example.com>"])
    made.add("gone", id="b")
    made.forget("b")
    made.record_usage("a")
    made.background.put("about the harbor")
    return made


def answers(memory: Memory) -> list[Any]:
    found = memory.search("alpha 7 harbor", limit=20)
    return [(hit.id, hit.score) for hit in found] + [found.background, memory.engagement("a")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the space lies."""
    return tmp_path / "home" / "spaces" / "ana.sqlite3"


def test_a_sound_space_answers_as_before(memory: Memory) -> None:
    before = answers(memory)

    report = memory.repair()

    assert (report.salvaged, report.lost, report.altered, report.notes) == (False, (), (), ())
    assert (report.items, report.versions, report.prepared_anew) == (31, 33, 0)
    assert answers(memory) == before
    assert all(one.sound for one in memory.verify())


def test_what_is_derived_is_made_anew_where_it_does_not_fit(memory: Memory, file: Path) -> None:
    before = answers(memory)
    memory.close()
    sqlite = pages.open_file(file)
    sqlite.execute("UPDATE chunk SET terms = zeroblob(9) WHERE item_key = 3")
    sqlite.execute("DELETE FROM chunk WHERE item_key = 4")
    sqlite.execute("UPDATE chunk SET vector = x'00' WHERE item_key = 5")
    sqlite.execute("DELETE FROM mention")
    sqlite.execute("UPDATE chunk_archive SET length = 9")
    sqlite.close()

    report = memory.repair()

    assert report.prepared_anew == 5
    assert answers(memory) == before
    assert all(one.sound for one in memory.verify())


def test_damage_is_reported_and_the_rest_answers(memory: Memory, file: Path) -> None:
    memory.close()
    content = bytearray(file.read_bytes())
    at = content.index(b"alpha number 3 of") // 4096 * 4096
    content[at : at + 4096] = bytes(4096)
    file.write_bytes(content)

    report = memory.repair()

    assert report.salvaged
    assert {one.what for one in report.lost} == {"item"}
    assert report.items == 31 - len(report.lost)
    assert Path(report.aside).exists()
    assert report.aside in report.notes[0]
    assert all(one.sound for one in memory.verify())
    assert len(memory.search("new words", mode="text")) == 1


def test_a_backup_is_put_back(memory: Memory, tmp_path: Path, file: Path) -> None:
    before = answers(memory)
    backup = memory.backup(tmp_path / "copy.sqlite3")
    memory.add("came later", id="later")
    memory.search("later")

    report = memory.repair(backup=tmp_path / "copy.sqlite3")

    assert (backup.items, backup.revision) == (31, 7)
    assert (report.items, report.versions) == (31, 33)
    assert answers(memory) == before
    with pytest.raises(NotFound):
        memory.get("later")
    assert Path(report.aside) == file.with_name("ana.sqlite3.damaged-1")
    assert all(one.sound for one in memory.verify())


def test_what_was_erased_since_the_backup_is_told_to_be_back(
    memory: Memory, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite3"
    numbers = [item.id for item in memory.list().items if item.id not in ("a", "b")]
    memory.backup(copy)
    memory.erase("a", *numbers[:6])
    memory.add("again", id=numbers[0])

    report = memory.repair(backup=copy)

    reported = sorted(["a", *numbers[1:6]])
    shown = ", ".join(reported[:5])
    assert report.notes[0] == (
        f"6 items that had been erased here came back with it: {shown}, …; erase again"
    )
    assert memory.get("a").content == "new words"
    memory.erase(*reported)
    assert memory.repair(backup=copy).notes[0].startswith("6 items")


def test_a_backup_without_what_was_erased_has_no_word_of_it(memory: Memory, tmp_path: Path) -> None:
    memory.erase("a")
    memory.backup(tmp_path / "copy.sqlite3")
    memory.erase("b")
    memory.add("b again", id="b")

    [aside] = memory.repair(backup=tmp_path / "copy.sqlite3").notes
    assert aside.startswith("the file as it was lies in")


def test_a_stale_index_is_not_believed_after_a_backup_is_put_back(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 0)
    memory.backup(tmp_path / "copy")
    memory.add("one zorkmid", id="z")
    memory.search("zorkmid")
    memory.close()
    index = file.with_name("ana.index")
    stale = index.read_bytes()
    memory.repair(backup=tmp_path / "copy")
    memory.add("another thing", id="y")
    memory.close()
    index.write_bytes(stale)

    assert len(memory.search("zorkmid", mode="text")) == 0
    assert len(memory.search("another thing", mode="text")) >= 1
    assert all(one.sound for one in memory.verify())


def test_a_backup_makes_a_space_where_there_is_none(
    memory: Memory, open_memory: Open, tmp_path: Path
) -> None:
    memory.backup(tmp_path / "copy")
    other = open_memory(space="new")

    assert other.repair(backup=tmp_path / "copy").aside == ""
    assert answers(other) == answers(memory)


def test_a_backup_that_is_none_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    before = answers(memory)
    (tmp_path / "text").write_text("no backup")

    for name in ("text", "nowhere"):
        with pytest.raises(InvalidInput):
            memory.repair(backup=tmp_path / name)

    assert answers(memory) == before


def test_what_another_has_open_is_not_repaired(memory: Memory, open_memory: Open) -> None:
    other = open_memory()
    before = answers(other)

    with pytest.raises(StoreBusy, match="nothing was changed"):
        memory.repair()

    assert answers(other) == answers(memory) == before


def test_nothing_is_repaired_that_is_not_there(open_memory: Open) -> None:
    with pytest.raises(NotFound):
        open_memory(space="nobody").repair()


def test_a_file_without_a_beginning_asks_for_a_backup(memory: Memory, file: Path) -> None:
    memory.close()
    file.write_bytes(bytes(4096) + file.read_bytes()[4096:])

    with pytest.raises(StoreCorrupt, match="restore a backup"):
        memory.repair()


def test_vectors_are_only_made_by_the_embedder_of_the_space(
    memory: Memory, open_memory: Open, file: Path
) -> None:
    memory.close()
    other = open_memory(dimension=8)
    assert other.repair().prepared_anew == 0
    other.close()
    sqlite = pages.open_file(file)
    sqlite.execute("DELETE FROM chunk WHERE item_key = 4")
    sqlite.close()

    with pytest.raises(WrongEmbedder, match="configure the first one and repair again"):
        other.repair()

    assert memory.repair().prepared_anew == 1


def test_vectors_of_a_model_before_stay_empty_in_the_past(
    memory: Memory, open_memory: Open
) -> None:
    memory.close()
    other = open_memory(dimension=8)
    other.reembed()

    assert other.repair().prepared_anew == 0
    assert all(one.sound for one in other.verify())


def test_a_space_without_vectors_needs_no_embedder(open_memory: Open) -> None:
    memory = open_memory(dimension=0)
    memory.add("a text")

    assert memory.repair().items == 1


def test_chunks_agree_but_for_their_vectors() -> None:
    from dataclasses import replace

    from simonides import Item

    embedder = HashingEmbedder(4)
    preparer = without_vectors(embedder.identity)
    item = Item(content="some words of it", language="en")
    [plain] = preparer.prepare([item])
    found = tuple(replace(one, vector=b"\x01\x02\x03\x04") for one in plain.chunks)

    assert agree(found, plain.chunks)
    assert not agree((), plain.chunks)
    assert not agree([replace(found[0], words=9)], plain.chunks)
    assert has_vectors(found, dimension=4)
    assert has_vectors(plain.chunks, dimension=4)
    assert has_vectors([*found, *plain.chunks], dimension=4)  # some wait for theirs
    assert not has_vectors(found, dimension=8)
    remaking = ChunkComparison(preparer=preparer, identity=_without(embedder.identity))
    assert remaking(item, found).is_anew
    assert remaking(item, plain.chunks).prepared == plain


def _without(identity: EmbedderIdentity) -> EmbedderIdentity:
    from dataclasses import replace

    return replace(identity, dimension=0)
