"""A repair around damaged pages: what is kept is named where it may differ."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from simonides import Memory
from simonides.errors import InvalidInput, StoreCorrupt
from simonides.model.maintenance import RepairReport

PAGE = 4096

Open = Callable[..., Memory]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the space `ana` is."""
    return tmp_path / "home" / "spaces" / "ana.sqlite3"


@pytest.fixture
def whole(open_memory: Open, file: Path) -> bytes:
    """The file of a closed space with something in every table that is served."""
    with open_memory() as memory:
        memory.add([f"item {n} of the harbor, said Tom " + "word " * 60 for n in range(60)])
        memory.add("old words", id="a")
        memory.add("new words", id="a")
        memory.background.put("the harbor is what counts")
        memory.record_usage("a", how="used")
        memory.brief("harbor", keep_receipt=True)
        memory.surrogates.build()
    return file.read_bytes()


def contents(memory: Memory) -> dict[str, str]:
    return {item.id: item.content for item in memory.list(limit=1000).items}


def named(report: RepairReport) -> str:
    lost = " ".join(f"{one.what} {one.which}" for one in report.lost)
    return " ".join((lost, *report.altered, *report.doubtful))


def broken(file: Path, whole: bytes, at: int, bit: int) -> None:
    content = bytearray(whole)
    content[at] ^= 1 << bit
    file.write_bytes(bytes(content))
    file.with_suffix(".index").unlink(missing_ok=True)


def names_tables(whole: bytes, *, page: int) -> bool:
    """Return whether a page is of SQLite's schema: without it nothing of the file can be read."""
    return b"CREATE " in whole[page * PAGE : (page + 1) * PAGE]


@pytest.mark.parametrize("seed", range(3))
def test_after_a_repair_all_is_sound_and_what_differs_was_named(
    open_memory: Open, file: Path, whole: bytes, seed: int
) -> None:
    with open_memory() as memory:
        before = contents(memory)
    draw = random.Random(seed)
    pages = [n for n in range(1, len(whole) // PAGE) if not names_tables(whole, page=n)]
    for number in draw.sample(pages, 6):
        broken(file, whole, number * PAGE + draw.randrange(PAGE), draw.randrange(8))
        with open_memory() as memory:
            report = memory.repair()
            after = contents(memory)

            assert all(one.sound for one in memory.verify())
        differs = {one for one in before if after.get(one) != before[one]}
        assert all(one in named(report) for one in differs)
        assert len(differs) <= 1
        for one in file.parent.glob("*.damaged-*"):
            one.unlink()


def test_what_stands_on_a_damaged_page_is_kept_and_named(
    open_memory: Open, file: Path, whole: bytes
) -> None:
    at = whole.index(b"the harbor is what counts")  # further on a receipt repeats it
    broken(file, whole, at + 2, 0)

    with open_memory() as memory:
        report = memory.repair()
        background = memory.background.get()

    assert background is not None
    assert background.text == "thd harbor is what counts"
    assert any(one.startswith("background ") for one in report.doubtful)
    assert report.salvaged
    assert Path(report.aside).exists()


def test_a_vector_on_a_damaged_page_is_made_anew(
    open_memory: Open, file: Path, whole: bytes
) -> None:
    with open_memory() as memory:
        vectors = memory._runtime.store.open_any("ana")
        with vectors.read() as reader:
            before = [row.vector for row in reader.chunk_rows(0)]
    at = max(whole.rindex(vector) for vector in before if vector in whole)
    broken(file, whole, at + 3, 4)

    with open_memory() as memory:
        report = memory.repair()
        with memory._runtime.store.open_any("ana").read() as reader:
            after = [row.vector for row in reader.chunk_rows(0)]

    assert report.prepared_anew > 0
    assert after == before


def test_one_flip_in_the_first_page_costs_nothing(
    open_memory: Open, file: Path, whole: bytes
) -> None:
    with open_memory() as memory:
        before = contents(memory)
    broken(file, whole, 95, 1)  # the number of the SQLite that wrote it last

    with open_memory() as memory:
        with pytest.raises(StoreCorrupt):
            memory.list()
        report = memory.repair()

        assert contents(memory) == before
    assert report.lost == ()


def test_a_damaged_backup_is_refused_and_names_itself(
    open_memory: Open, file: Path, whole: bytes
) -> None:
    copy = file.parent / "copy.sqlite3"
    broken(copy, whole, whole.rindex(b"of the harbor, said"), 1)

    with open_memory() as memory, pytest.raises(InvalidInput, match=r"copy\.sqlite3"):
        memory.repair(backup=copy)


def test_what_another_program_wrote_without_checksums_is_brought_back_whole(
    open_memory: Open, file: Path, whole: bytes
) -> None:
    assert whole
    with open_memory() as memory:
        before = contents(memory)
    with closing(sqlite3.connect(file)) as other:
        other.execute("UPDATE item SET stored_us = stored_us + 1")
        other.commit()

    with open_memory() as memory:
        with pytest.raises(StoreCorrupt):
            memory.list(limit=1000)
        report = memory.repair()

        assert contents(memory) == before
        assert all(one.sound for one in memory.verify())
    assert (report.lost, report.altered) == ((), ())


def test_a_space_whose_pages_were_written_without_checksums_is_repaired(
    open_memory: Open, file: Path, whole: bytes
) -> None:
    with open_memory() as memory:
        before = contents(memory)
    content = bytearray(whole)
    for end in range(PAGE, len(content) + 1, PAGE):  # as a program does that knows none
        content[end - 8 : end] = bytes(8)
    file.write_bytes(bytes(content))
    file.with_suffix(".index").unlink(missing_ok=True)

    with open_memory() as memory:
        report = memory.repair()

        assert report.salvaged
        assert contents(memory) == before
        assert all(one in named(report) for one in before)
        assert all(one.sound for one in memory.verify())
