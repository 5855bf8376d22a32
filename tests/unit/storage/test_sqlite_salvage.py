"""What can be read of a damaged file comes over, what can not is named, and nothing is made up."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from simonides.errors import NotFound, StoreCorrupt
from simonides.model.item import Item, digest
from simonides.model.maintenance import RepairReport
from simonides.model.stored import NO_EMBEDDER, EmbedderIdentity, Prepared, PreparedChunk
from simonides.ports.maintenance import Remade, Remake
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore, pages

Prepare = Callable[..., Prepared]
Repair = Callable[[], RepairReport]

PAGE = 4096
ITEMS = 120


def without_schema(file: Path) -> list[int]:
    """Return the pages that do not name tables: without those SQLite reads nothing of a file."""
    whole = file.read_bytes()
    count = len(whole) // PAGE
    return [n for n in range(1, count) if b"CREATE " not in whole[n * PAGE : (n + 1) * PAGE]]


@pytest.fixture
def repair(make_store: Callable[..., SQLiteStore], prepare: Prepare) -> Repair:
    """Return a function that repairs the space; found chunks are believed if there are any."""

    def remake(item: Item, found: Sequence[PreparedChunk]) -> Remade:
        anew = prepare(**{name: getattr(item, name) for name in Item.__slots__})
        kept = replace(anew, chunks=tuple(found)) if len(found) == 1 else anew
        return Remade(prepared=kept, is_anew=len(found) != 1)

    def of(_: EmbedderIdentity) -> Remake:
        return remake

    return lambda: make_store(timeout_s=0.1).repair("ana", remake=of, fallback=NO_EMBEDDER)


@pytest.fixture
def filled(space: Space, prepare: Prepare, noon: datetime, file: Path) -> Path:
    """The file of a closed space with items of a page each, changed, forgotten, engaged with."""
    texts = {f"item-{n:03}": f"{n} " + "words of it " * 300 for n in range(ITEMS)}
    space.commit([prepare(text, id=one) for one, text in texts.items()], stored_at=noon)
    space.commit([prepare("changed " * 300, id="item-000")], stored_at=noon)
    space.forget(["item-001"], at=noon)
    space.keep_receipt("r", "{}", at=noon)
    space.close()
    return file


def damage(file: Path, *, pages: Sequence[int], fill: int = 0) -> None:
    """Overwrite pages, counted from 0, behind everybody's back."""
    content = bytearray(file.read_bytes())
    for page in pages:
        content[page * PAGE : (page + 1) * PAGE] = bytes([fill]) * PAGE
    file.write_bytes(content)


def page_of(file: Path, needle: bytes) -> int:
    """Return the page on which some bytes stand for the first time."""
    return file.read_bytes().index(needle) // PAGE


def ids(store: SQLiteStore) -> set[str]:
    with store.open_any("ana").read() as reader:
        return {row.id for row in reader.item_rows(0)}


def test_an_item_whose_page_is_gone_is_named_and_the_others_come_over(
    filled: Path, repair: Repair, make_store: Callable[..., SQLiteStore]
) -> None:
    damage(filled, pages=[page_of(filled, b"50 words of it words")])
    report = repair()

    lost = {one.which for one in report.lost if one.what == "item"}
    assert lost
    assert lost <= {f"item-{n:03}" for n in range(ITEMS)}
    assert report.items == ITEMS - 1 - len(lost)
    assert ids(make_store()) | lost == {f"item-{n:03}" for n in range(ITEMS)} - {"item-001"}
    assert all(finding.sound for finding in make_store().open_any("ana").check())


def test_where_an_index_is_gone_too_it_is_told_that_records_may_be_missing(
    filled: Path, repair: Repair, make_store: Callable[..., SQLiteStore]
) -> None:
    sqlite = pages.open_file(filled)
    root = sqlite.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_item_1'"
    ).get
    sqlite.close()
    damage(filled, pages=[root - 1, page_of(filled, b"50 words of it words")])

    report = repair()

    assert report.lost[-1].what == "item"
    assert report.lost[-1].which.startswith("rows that neither the table nor an index leads to")
    kept = ids(make_store())
    assert {"item-000", "item-119"} <= kept  # read from both ends of the table
    assert "item-050" not in kept


def test_the_damaged_file_is_kept_aside_as_it_was(filled: Path, repair: Repair) -> None:
    damage(filled, pages=[page_of(filled, b"50 words of it words")])
    before = filled.read_bytes()

    report = repair()

    assert report.salvaged
    assert Path(report.aside).read_bytes() == before
    assert Path(report.aside).name == "ana.sqlite3.damaged-1"


def test_a_text_that_was_changed_behind_its_back_is_kept_and_told(
    filled: Path, repair: Repair, make_store: Callable[..., SQLiteStore]
) -> None:
    content = filled.read_bytes()
    filled.write_bytes(content.replace(b"50 words of it words", b"50 swords of itwords", 1))

    report = repair()

    assert report.altered == ("item-050",)
    assert report.lost == ()
    assert report.aside
    with make_store().open_any("ana").read() as reader:
        item = reader.item("item-050")
        assert item is not None
        assert item.content.startswith("50 swords of itwords")
        assert reader.digests(["item-050"]) == {"item-050": digest(item)}


def test_chunks_that_are_gone_are_made_anew(
    filled: Path, repair: Repair, make_store: Callable[..., SQLiteStore]
) -> None:
    sqlite = pages.open_file(filled)
    sqlite.execute("DELETE FROM chunk WHERE item_key % 10 = 3")
    sqlite.execute("DELETE FROM chunk_archive")
    sqlite.close()

    report = repair()

    assert report.prepared_anew == ITEMS / 10 + 2
    assert (report.lost, report.altered, report.aside) == ((), (), "")
    space = make_store().open_any("ana")
    assert space.stats().chunks == ITEMS - 1
    assert all(finding.sound for finding in space.check())


def test_what_the_space_says_of_itself_is_made_up_where_it_is_gone(
    filled: Path, repair: Repair, make_store: Callable[..., SQLiteStore]
) -> None:
    sqlite = pages.open_file(filled)
    sqlite.execute("DELETE FROM meta")
    sqlite.close()
    report = repair()
    space = make_store().open_any("ana")

    assert report.items == ITEMS - 1
    assert len(space.uuid) == 32
    with space.read() as reader:
        assert reader.revision == 3
    assert all(finding.sound for finding in space.check())


def test_a_row_that_does_not_fit_its_table_is_lost_by_name(filled: Path, repair: Repair) -> None:
    sqlite = pages.open_file(filled)
    sqlite.execute("PRAGMA ignore_check_constraints=1")
    sqlite.execute("UPDATE item SET kind = 'thing' WHERE id = 'item-007'")
    sqlite.execute("UPDATE item SET people = '[3]' WHERE id = 'item-008'")
    sqlite.execute("UPDATE item_archive SET cause = 'tired' WHERE id = 'item-001'")
    sqlite.close()

    report = repair()

    assert [(one.what, one.which) for one in report.lost] == [
        ("past version of item", "item-001"), ("item", "item-007"), ("item", "item-008"),
    ]  # fmt: skip
    assert report.items == ITEMS - 3


def test_what_lies_beside_items_comes_over_around_damage(
    make_store: Callable[..., SQLiteStore], space: Space, noon: datetime, file: Path, repair: Repair
) -> None:
    for n in range(60):
        space.keep_receipt(f"receipt-{n:02}", '{"n": "' + f"{n:02}" * 600 + '"}', at=noon)
    space.close()
    damage(file, pages=[page_of(file, b"3030303030")])

    report = repair()

    with make_store().open_any("ana").read() as reader:
        gone = [n for n in range(60) if reader.receipt(f"receipt-{n:02}") is None]
    assert 0 < len(gone) < 60
    assert [(one.what, one.which) for one in report.lost] == [
        ("receipt", f"receipt-{n:02}") for n in gone
    ]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_damaged_the_new_file_is_sound_and_holds_nothing_untrue(
    filled: Path, repair: Repair, make_store: Callable[..., SQLiteStore], seed: int
) -> None:
    texts = {f"item-{n:03}": f"{n} " + "words of it " * 300 for n in range(ITEMS)}
    texts["item-000"] = "changed " * 300
    chosen = random.Random(seed).sample(without_schema(filled), 1 + 4 * seed)
    damage(filled, pages=chosen, fill=seed * 37 % 256)

    report = repair()

    space = make_store().open_any("ana")
    assert all(finding.sound for finding in space.check())
    altered = set(report.altered)
    with space.read() as reader:
        items = reader.items([row.key for row in reader.item_rows(0)]).values()
        wrong = [one.id for one in items if one.content != texts[one.id] and one.id not in altered]
    assert wrong == []
    assert report.items == len(items)


def test_a_file_that_says_nothing_any_more_is_left_as_it_is(filled: Path, repair: Repair) -> None:
    damage(filled, pages=[0])
    before = filled.read_bytes()

    with pytest.raises(StoreCorrupt, match=r"restore a backup: `simonides repair --from FILE`"):
        repair()

    assert filled.read_bytes() == before
    assert {one.name for one in filled.parent.iterdir()} == {"ana.sqlite3", "ana.made"}


def test_a_space_whose_making_was_cut_short_has_nothing_to_repair(
    make_store: Callable[..., SQLiteStore], file: Path, repair: Repair
) -> None:
    make_store()
    file.parent.mkdir(parents=True)
    file.write_bytes(b"")

    with pytest.raises(NotFound):
        repair()


def test_what_is_only_in_the_log_comes_over(
    make_store: Callable[..., SQLiteStore], prepare: Prepare, noon: datetime, file: Path,
    repair: Repair,
) -> None:  # fmt: skip
    space = make_store().open("ana", embedder=NO_EMBEDDER, create=True)
    space.commit([prepare("in the log", id="a")], stored_at=noon)
    log = file.with_name("ana.sqlite3-wal")
    copies = file.read_bytes(), log.read_bytes()
    space.close()
    file.write_bytes(copies[0])
    log.write_bytes(copies[1])

    report = repair()

    assert report.items == 1
    assert ids(make_store()) == {"a"}
    assert not log.exists() or log.stat().st_size == 0
