"""A look to the last posting: what is sound is said so, and every sort of damage is found."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simonides import Memory
from simonides.errors import NotFound
from simonides.index import snapshot
from simonides.model.answer import Finding
from simonides.ports.space import Space
from simonides.storage.sqlite import pages

Open = Callable[..., Memory]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """A space in which something was also replaced, forgotten, and erased."""
    made = open_memory()
    made.add([f"alpha number {n} of the harbor, said Tom" for n in range(5)], tags=["red"])
    made.add("old", id="a")
    made.add("new", id="a", people=["Sarah <sarah@example.com>"])
    made.add("gone", id="b")
    made.forget("b")
    made.add("erased", id="c")
    made.erase("c")
    return made


@pytest.fixture
def behind(memory: Memory, tmp_path: Path) -> Callable[..., None]:
    """Return a function that changes rows of the closed space behind everybody's back."""

    def change(*statements: str) -> None:
        memory.close()
        sqlite = pages.open_file(tmp_path / "home" / "spaces" / "ana.sqlite3")
        sqlite.execute("PRAGMA ignore_check_constraints=1")
        for statement in statements:
            sqlite.execute(statement)
        sqlite.close()

    return change


def unsound(memory: Memory) -> dict[str, str]:
    return {one.check: one.detail for one in memory.verify() if not one.sound}


def finding(memory: Memory, check: str) -> Finding:
    return next(one for one in memory.verify() if one.check == check)


def test_a_sound_space_is_sound_in_every_point(memory: Memory) -> None:
    findings = memory.verify()

    assert all(one.sound for one in findings)
    assert {one.check for one in findings} >= {
        "structure", "items are as they were written", "index in memory", "index snapshot",
        "chunks and mentions say what their items say", "erasures are finished",
    }  # fmt: skip
    assert finding(memory, "index in memory").detail == "6 items, 6 chunks, every posting"


def test_a_space_without_vectors_is_looked_through_too(open_memory: Open) -> None:
    made = open_memory(space="plain", dimension=0)
    made.add([f"number {n}" for n in range(100)])

    assert unsound(made) == {}


def test_a_space_that_was_never_written_to_can_not_be_verified(open_memory: Open) -> None:
    with pytest.raises(NotFound):
        open_memory(space="nobody").verify()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE item SET content = 'other' WHERE id = 'a'",
        "UPDATE item SET title = 'x' WHERE id = 'a'",
        "UPDATE item SET metadata = '{\"x\":1}' WHERE id = 'a'",
        "UPDATE item SET happened_us = 7 WHERE id = 'a'",
        "UPDATE item SET digest = zeroblob(16) WHERE id = 'a'",
    ],
)
def test_an_item_that_is_not_what_was_written_is_named(
    memory: Memory, behind: Callable[..., None], statement: str
) -> None:
    behind(statement)

    found = unsound(memory)["items are as they were written"]
    assert "version 2 of item 'a'; run `simonides repair`" in found


def test_so_is_a_past_version(memory: Memory, behind: Callable[..., None]) -> None:
    behind("UPDATE item_archive SET summary = 'x' WHERE id IN ('a', 'b')")

    found = unsound(memory)["items are as they were written"]
    assert "version 1 of item 'a', version 1 of item 'b'" in found


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chunk SET terms = zeroblob(9)",
        "UPDATE chunk SET length = 99",
        "UPDATE chunk SET words = 99",
        "UPDATE chunk SET dated = 1 - dated",
        "UPDATE chunk SET start = 1",
        "DELETE FROM mention",
        "UPDATE mention SET name = 'Tim'",
        "UPDATE chunk_archive SET length = 99",
    ],
)
def test_what_does_not_follow_from_an_item_is_found(
    memory: Memory, behind: Callable[..., None], statement: str
) -> None:
    behind(statement)

    assert "chunks and mentions say what their items say" in unsound(memory)


def test_many_are_reported_by_a_few(memory: Memory, behind: Callable[..., None]) -> None:
    behind("UPDATE item SET title = 'x'")

    found = unsound(memory)["items are as they were written"]
    assert found.count("version") == 5
    assert "and 1 more" in found


def test_a_single_wrong_posting_in_memory_is_found(
    memory: Memory, space_of: Callable[[Memory], Space]
) -> None:
    memory.search("alpha")
    view = memory._runtime.index(space_of(memory))._view
    assert view is not None
    view.terms.segments[-1].counts[0] += 1

    assert "differs in terms" in unsound(memory)["index in memory"]


def test_a_wrong_snapshot_that_would_be_believed_is_found(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 0)
    memory.search("alpha")
    memory.close()
    assert finding(memory, "index snapshot").detail == "6 items, 6 chunks, every posting"
    space = memory._runtime.store.open_any("ana")
    view = memory._runtime.index(space)._view
    assert view is not None
    rows = view.vectors.rows.rows(view.chunk_count)
    rows[0] = np.roll(rows[0], 1)
    path = tmp_path / "home" / "spaces" / "ana.index"
    with space.read() as reader:
        snapshot.write(path, view, space_uuid=space.uuid, epoch=reader.epoch)

    assert "differs in vectors" in unsound(memory)["index snapshot"]


def test_a_torn_snapshot_is_as_good_as_none(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 0)
    memory.search("alpha")
    memory.close()
    path = tmp_path / "home" / "spaces" / "ana.index"
    path.write_bytes(path.read_bytes()[:-1])

    assert unsound(memory) == {}
    assert finding(memory, "index snapshot").detail == "none that would be believed"


def test_an_erasure_that_was_broken_off_is_found(
    memory: Memory, space_of: Callable[[Memory], Space]
) -> None:
    space_of(memory).erase(["a"], at=memory._runtime.clock())

    assert "was broken off" in unsound(memory)["erasures are finished"]
    memory.repair()
    assert unsound(memory) == {}


def test_a_damaged_file_ends_the_look(memory: Memory, tmp_path: Path) -> None:
    memory.close()
    file = tmp_path / "home" / "spaces" / "ana.sqlite3"
    content = bytearray(file.read_bytes())
    at = content.index(b"alpha number 3") // 4096 * 4096
    content[at : at + 4096] = bytes(4096)
    file.write_bytes(content)

    assert "structure" in unsound(memory)
    assert "index in memory" not in {one.check for one in memory.verify()}


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("UPDATE mention SET name = CAST(x'ff61' AS TEXT)", "all of it can be read"),
        (
            "UPDATE background SET text = CAST(x'ff61' AS TEXT)",
            "what lies beside items reads back",
        ),
        (
            "UPDATE engagement SET item_id = CAST(x'ff61' AS TEXT)",
            "what lies beside items reads back",
        ),
    ],
)
def test_a_text_that_is_none_any_more_is_a_finding(
    memory: Memory, behind: Callable[..., None], statement: str, check: str
) -> None:
    memory.background.put("about the harbor")
    memory.record_usage("a")
    behind(statement)

    assert list(unsound(memory)) == [check]
    memory.close()
    memory.repair()
    assert unsound(memory) == {}
