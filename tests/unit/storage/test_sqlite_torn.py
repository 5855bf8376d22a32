"""A file cut short, or with bytes that are no text: all else comes over, and the rest is told."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from shutil import copytree

import pytest

from simonides.errors import StoreCorrupt
from simonides.ingest.background import prepare_background
from simonides.ingest.languages import Spoken
from simonides.model.item import Item
from simonides.model.maintenance import Lost, RepairReport
from simonides.model.memories import Proposal, ProposedMemory
from simonides.model.stored import NO_EMBEDDER, EmbedderIdentity, Engaged, Prepared, PreparedChunk
from simonides.ports.maintenance import Remade, Remake
from simonides.ports.space import Reader, Space
from simonides.storage.sqlite import SQLiteStore, pages

Prepare = Callable[..., Prepared]
Repair = Callable[[], RepairReport]
Behind = Callable[..., None]

ITEMS = 120


@pytest.fixture
def repair(make_store: Callable[..., SQLiteStore], prepare: Prepare) -> Repair:
    """Return a function that repairs the space; every item is prepared anew."""

    def remake(item: Item, _found: Sequence[PreparedChunk]) -> Remade:
        fields = {name: getattr(item, name) for name in Item.__slots__}
        return Remade(prepared=prepare(**fields), is_anew=True)

    def of(_: EmbedderIdentity) -> Remake:
        return remake

    return lambda: make_store(timeout_s=0.1).repair("ana", remake=of, fallback=NO_EMBEDDER)


@pytest.fixture
def filled(space: Space, prepare: Prepare, noon: datetime, file: Path) -> Path:
    """The file of a closed space with something of every sort."""
    texts = {f"item-{n:03}": f"{n} " + "words of it " * 300 for n in range(ITEMS)}
    space.commit([prepare(text, id=one) for one, text in texts.items()], stored_at=noon)
    space.commit([prepare("changed", id="item-000")], stored_at=noon)
    space.record_usage(["item-002", "item-003"], how=Engaged.USED, at=noon)
    for text in ("first background", "second"):
        prepared = prepare_background(text, collection="main", at=noon, spoken=Spoken())
        space.put_background(prepared, at=noon)
    for name in ("p1", "p2"):
        proposed = ProposedMemory(text="tea", evidence=("item-004",))
        one = Proposal(id=name, proposed=proposed, by="m", collection="main", created_at=noon)
        space.put_proposals([one], at=noon)
        space.keep_receipt(f"r-{name}", "{}", at=noon)
    space.close()
    return file


@pytest.fixture
def behind(filled: Path) -> Behind:
    """Return a function that changes rows behind everybody's back."""

    def change(statement: str) -> None:
        sqlite = pages.open_file(filled)
        sqlite.execute("PRAGMA ignore_check_constraints=1")
        sqlite.execute(statement)
        assert sqlite.changes()
        sqlite.close()

    return change


@pytest.fixture
def looked(make_store: Callable[..., SQLiteStore]) -> Callable[[], Space]:
    """Return a function that opens the space, and finds it sound."""

    def look() -> Space:
        space = make_store().open_any("ana")
        assert all(finding.sound for finding in space.check())
        return space

    return look


def ids(reader: Reader) -> set[str]:
    return {row.id for row in reader.item_rows(0)}


@pytest.mark.parametrize("torn_at", [0, 17, 20, 21, 100])
def test_a_first_page_torn_while_the_log_was_folded_in_comes_from_the_log(
    space: Space, prepare: Prepare, noon: datetime, file: Path, torn_at: int
) -> None:
    space.commit([prepare("tea in the garden", id="i1")], stored_at=noon)
    home = file.parents[1] / "after"
    copytree(file.parent, home / "spaces")
    space.close()
    copied = home / "spaces" / file.name
    torn = copied.read_bytes()[:torn_at]
    with copied.open("r+b") as opened:
        opened.write(torn + b"\x55" * (4096 - torn_at))

    store = SQLiteStore(home)
    found = store.open_any("ana")
    assert all(finding.sound for finding in found.check())
    found.commit([prepare("coffee", id="i2")], stored_at=noon)
    with found.read() as reader:
        assert ids(reader) == {"i1", "i2"}
    store.close()


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9, 0.97, 0.99])
def test_a_file_that_was_copied_in_part_is_read_as_far_as_it_goes(
    filled: Path, repair: Repair, looked: Callable[[], Space], share: float
) -> None:
    content = filled.read_bytes()
    filled.write_bytes(content[: int(len(content) * share)])

    report = repair()

    lost = {one.which for one in report.lost if one.what == "item"}
    with looked().read() as reader:
        kept = ids(reader)
    assert kept
    assert kept | lost == {f"item-{n:03}" for n in range(ITEMS)}
    assert not kept & lost
    assert len(kept) == report.items
    assert Path(report.aside).stat().st_size == int(len(content) * share)


@pytest.mark.parametrize("column", ["content", "title", "source_id"])
def test_a_byte_that_is_no_text_costs_an_item_one_letter(
    behind: Behind, repair: Repair, looked: Callable[[], Space], column: str
) -> None:
    behind(f"UPDATE item SET {column} = CAST(x'ff61' AS TEXT) WHERE id = 'item-007'")  # noqa: S608  our own

    report = repair()

    assert (report.lost, report.altered, report.items) == ((), ("item-007",), ITEMS)
    with looked().read() as reader:
        item = reader.item("item-007")
    assert item is not None
    assert getattr(item, column) == "\ufffda"


def test_so_it_does_a_past_version(
    behind: Behind, repair: Repair, looked: Callable[[], Space]
) -> None:
    behind("UPDATE item_archive SET content = CAST(x'ff61' AS TEXT)")

    report = repair()

    assert (report.lost, report.altered, report.versions) == ((), ("item-000",), ITEMS + 1)
    with looked().read() as reader:
        before, now = reader.version("item-000", 1), reader.item("item-000")
    assert before is not None
    assert now is not None
    assert (before.content, now.content) == ("\ufffda", "changed")


def test_an_item_whose_id_is_no_text_is_kept_under_what_is_left_of_it(
    behind: Behind, repair: Repair, looked: Callable[[], Space]
) -> None:
    behind("UPDATE item SET id = CAST(x'ff61' AS TEXT) WHERE id = 'item-007'")

    report = repair()

    assert report.altered == ("\ufffda",)
    with looked().read() as reader:
        assert ids(reader) >= {"\ufffda", "item-006", "item-008"}


def test_an_item_whose_fields_say_nothing_any_more_is_lost_alone(
    behind: Behind, repair: Repair, looked: Callable[[], Space]
) -> None:
    behind("UPDATE item SET metadata = CAST(x'ff61' AS TEXT) WHERE id = 'item-007'")

    report = repair()

    assert [(one.what, one.which) for one in report.lost] == [("item", "item-007")]
    with looked().read() as reader:
        assert len(ids(reader)) == ITEMS - 1


def test_a_background_is_kept_but_for_the_letter(
    behind: Behind, repair: Repair, looked: Callable[[], Space]
) -> None:
    behind("UPDATE background SET text = CAST(x'66ff' AS TEXT) WHERE text LIKE 'first%'")

    [reported] = repair().lost

    assert (reported.what, reported.reason) == (
        "part of background", "bytes that are no text; U+FFFD stands in their place",
    )  # fmt: skip
    with looked().read() as reader:
        texts = {one.text for one, _ in reader.backgrounds("main", limit=9)}
        assert texts == {"f\ufffd", "second"}
        assert reported.which in {one.id for one, _ in reader.backgrounds("main", limit=9)}


@pytest.mark.parametrize(
    ("statement", "lost"),
    [
        ("UPDATE receipt SET text = CAST(x'ff61' AS TEXT) WHERE id = 'r-p1'", ("receipt", "r-p1")),
        ("UPDATE receipt SET text = '{' WHERE id = 'r-p1'", ("receipt", "r-p1")),
        ("UPDATE proposal SET body = CAST(x'ff61' AS TEXT) WHERE id = 'p1'", ("proposal", "p1")),
        ("UPDATE proposal SET status = 'odd' WHERE id = 'p1'", ("proposal", "p1")),
        (
            "UPDATE engagement SET item_id = CAST(x'ff61' AS TEXT) WHERE item_id = 'item-002'",
            ("part of engagement", "\ufffda"),
        ),
        (
            "UPDATE engagement SET how = 'odd' WHERE item_id = 'item-002'",
            ("engagement", "item-002"),
        ),
    ],
)
def test_what_lies_beside_items_is_lost_row_by_row_and_each_is_named(
    behind: Behind,
    repair: Repair,
    looked: Callable[[], Space],
    statement: str,
    lost: tuple[str, str],
) -> None:
    behind(statement)

    report = repair()

    assert [(one.what, one.which) for one in report.lost] == [lost]
    assert report.salvaged
    with looked().read() as reader:
        assert reader.receipt("r-p2") == "{}"
        assert reader.proposal("p2") is not None
        assert set(reader.engagements(["item-002", "item-003"])) >= {"item-003"}


def test_what_says_u_fffd_itself_is_no_damage(
    behind: Behind, repair: Repair, looked: Callable[[], Space]
) -> None:
    behind("UPDATE receipt SET text = '\"\ufffd\"' WHERE id = 'r-p1'")

    assert repair().lost == ()
    with looked().read() as reader:
        assert reader.receipt("r-p1") == '"\ufffd"'


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("DELETE FROM meta WHERE key = 'uuid'", ["uuid"]),
        ("UPDATE meta SET value = CAST(x'ff61' AS TEXT) WHERE key = 'uuid'", ["uuid"]),
        ("UPDATE meta SET value = CAST(x'ff61' AS TEXT) WHERE key = 'model'", ["embedder"]),
        ("UPDATE meta SET key = CAST(x'ff61' AS TEXT) WHERE key = 'quantiser'", ["embedder"]),
        ("UPDATE meta SET value = 'x' WHERE key = 'dimension'", ["embedder"]),
        ("UPDATE meta SET value = 'x' WHERE key = 'revision'", ["revision"]),
        ("UPDATE meta SET value = -1 WHERE key = 'epoch'", ["epoch"]),
        ("INSERT INTO meta VALUES ('floor', 'x')", ["floor"]),
        ("DELETE FROM meta", ["uuid", "embedder", "revision", "epoch"]),
    ],
)
def test_facts_that_a_space_does_not_say_any_more_are_named(
    behind: Behind,
    repair: Repair,
    looked: Callable[[], Space],
    statement: str,
    names: list[str],
) -> None:
    behind(statement)

    report = repair()

    assert report.lost == tuple(
        Lost(
            what="the space's",
            which=one,
            reason="the file does not say it any more; another one stands in its place",
        )
        for one in names
    )
    assert Path(report.aside).exists()
    space = looked()
    assert len(space.uuid) == 32
    assert space.embedder == NO_EMBEDDER
    with space.read() as reader:
        assert reader.revision == 7  # the table of revisions says so, whatever else is gone
        assert len(ids(reader)) == ITEMS


def test_a_sound_file_keeps_its_facts_and_nothing_is_reported(
    filled: Path, repair: Repair, make_store: Callable[..., SQLiteStore]
) -> None:
    before = make_store().open_any("ana")
    uuid, revision = before.uuid, before.stats().revision
    before.close()

    report = repair()

    assert (report.lost, report.altered, report.aside) == ((), (), "")
    after = make_store().open_any("ana")
    assert (after.uuid, after.stats().revision) == (uuid, revision)
    assert filled.exists()


@pytest.fixture
def without_table(filled: Path) -> Callable[[str], None]:
    """Return a function that spoils what the file says of one of its tables."""

    def spoil(table: str) -> None:
        content = filled.read_bytes()
        said = f"CREATE TABLE {table} (".encode()
        assert content.count(said) == 1
        filled.write_bytes(content.replace(said, said.replace(b"CREATE", b"CREATF")))

    return spoil


@pytest.mark.parametrize("table", ["item", "item_archive"])
def test_a_file_that_does_not_know_its_items_any_more_is_not_replaced_by_an_empty_one(
    filled: Path, without_table: Callable[[str], None], repair: Repair, table: str
) -> None:
    without_table(table)
    before = filled.read_bytes()

    with pytest.raises(StoreCorrupt, match="restore a backup"):
        repair()

    assert filled.read_bytes() == before


@pytest.mark.parametrize("table", ["background", "engagement", "receipt", "proposal", "erased"])
def test_a_table_that_is_not_to_be_found_is_reported(
    without_table: Callable[[str], None],
    repair: Repair,
    looked: Callable[[], Space],
    table: str,
) -> None:
    without_table(table)

    report = repair()

    assert report.lost == (
        Lost(what=table, which="all of it", reason="the table is not to be found"),
    )
    assert looked().stats().items == ITEMS


@pytest.mark.parametrize("table", ["chunk", "mention", "surrogate", "revision"])
def test_a_table_of_what_can_be_made_again_is_no_loss(
    without_table: Callable[[str], None],
    repair: Repair,
    looked: Callable[[], Space],
    table: str,
) -> None:
    without_table(table)

    assert repair().lost == ()
    assert looked().stats().items == ITEMS
