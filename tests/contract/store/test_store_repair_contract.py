"""The laws of a store that is looked after: spaces removed, copied, repaired and put back."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides.errors import InvalidInput, NotFound, StoreBusy, StoreError
from simonides.model.item import Item
from simonides.model.maintenance import RepairReport
from simonides.model.stored import EmbedderIdentity, Prepared, PreparedChunk
from simonides.ports.maintenance import Remade, Remake
from simonides.ports.space import Space, SpaceStore

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)

Prepare = Callable[..., Prepared]


@pytest.fixture
def repaired(
    store: SpaceStore, prepare: Prepare, tiny: EmbedderIdentity
) -> Callable[[], RepairReport]:
    """Return a function that repairs the space; what is found of an item is believed."""

    def remake(item: Item, found: Sequence[PreparedChunk]) -> Remade:
        fields = {name: getattr(item, name) for name in Item.__slots__}
        anew = prepare(**fields)
        if [(c.start, c.stop) for c in found] == [(c.start, c.stop) for c in anew.chunks]:
            return Remade(prepared=anew, is_anew=False)
        return Remade(prepared=anew, is_anew=True)

    def of(_: EmbedderIdentity) -> Remake:
        return remake

    return lambda: store.repair("ana", remake=of, fallback=tiny)


@pytest.fixture
def two(space: Space, prepare: Prepare, noon: datetime) -> Space:
    """A space with two items, one of them in two versions."""
    space.commit([prepare("first", id="a"), prepare("b", id="b")], stored_at=noon)
    space.commit([prepare("second", id="a")], stored_at=noon)
    return space


def contents(space: Space) -> dict[str, str]:
    with space.read() as reader:
        keys = [row.key for row in reader.item_rows(0)]
        return {item.id: item.content for item in reader.items(keys).values()}


def test_a_removed_space_is_gone_with_its_files(store: SpaceStore, two: Space) -> None:
    files = [Path(name) for name in two.files.paths]
    swept = store.remove("ana")

    assert store.names() == []
    assert not any(file.exists() for file in files)
    is_ours = bool(files)  # else the bytes are a server's to wipe, and the result says so
    assert (swept.log_emptied, swept.bytes_after) == (is_ours, 0)
    assert ("until it vacuums them" in swept.problem) is not is_ours
    with pytest.raises(NotFound):
        store.open_any("ana")
    with pytest.raises(StoreError, match="was closed"):
        contents(two)


def test_a_space_that_is_not_there_can_not_be_removed(store: SpaceStore) -> None:
    with pytest.raises(NotFound):
        store.remove("nobody")


def test_another_space_of_its_name_can_be_made_at_once(
    store: SpaceStore, two: Space, prepare: Prepare, tiny: EmbedderIdentity, noon: datetime
) -> None:
    store.remove("ana")
    again = store.open("ana", embedder=tiny, create=True)
    again.commit([prepare("anew", id="n")], stored_at=noon)

    assert again.uuid != two.uuid
    assert contents(again) == {"n": "anew"}
    assert all(finding.sound for finding in again.check())


def test_the_other_spaces_stay(
    store: SpaceStore, two: Space, prepare: Prepare, tiny: EmbedderIdentity, noon: datetime
) -> None:
    other = store.open("ana2", embedder=tiny, create=True)
    other.commit([prepare("x", id="x")], stored_at=noon)
    assert contents(two)
    store.remove("ana")

    assert store.names() == ["ana2"]
    assert contents(other) == {"x": "x"}


@pytest.mark.files
def test_who_has_it_open_is_refused_and_loses_nothing_that_was_acknowledged(
    make_store: Callable[[], SpaceStore],
    store: SpaceStore,
    two: Space,
    prepare: Prepare,
    noon: datetime,
) -> None:
    other = make_store().open_any("ana")
    assert contents(other) == contents(two)

    swept = store.remove("ana")

    assert swept.log_emptied
    assert "still has the emptied file open" in swept.problem
    with pytest.raises(StoreError, match="was erased since it was opened"):
        contents(other)
    with pytest.raises(StoreError, match="was erased since it was opened"):
        other.commit([prepare("late", id="late")], stored_at=noon)


def test_what_was_emptied_under_another_becomes_a_new_space(
    make_store: Callable[[], SpaceStore], store: SpaceStore, two: Space, tiny: EmbedderIdentity
) -> None:
    other = make_store()
    assert contents(other.open_any("ana")) == contents(two)
    store.remove("ana")
    with pytest.raises(NotFound):
        store.open_any("ana")

    again = make_store().open("ana", embedder=tiny, create=True)

    assert again.is_empty()
    assert again.uuid != two.uuid


@pytest.mark.files
def test_a_backup_is_the_space_as_it_is(
    store: SpaceStore, two: Space, prepare: Prepare, noon: datetime, tmp_path: Path
) -> None:
    reported: list[tuple[int, int]] = []
    target = tmp_path / "copy.sqlite3"
    found = two.backup(
        str(target), at=NOON, on_progress=lambda done, total: reported.append((done, total))
    )
    two.commit([prepare("later", id="later")], stored_at=noon)

    report = store.replace("again", str(target))

    assert found == (2, 2)
    assert reported[-1][0] == reported[-1][1] > 0
    assert (report.items, report.versions, report.aside) == (2, 3, "")
    again = store.open_any("again")
    assert contents(again) == {"a": "second", "b": "b"}
    assert again.uuid == two.uuid
    assert all(finding.sound for finding in again.check())


@pytest.mark.files
def test_no_file_is_written_over_by_a_backup(two: Space, tmp_path: Path) -> None:
    target = tmp_path / "there"
    target.write_text("mine")

    with pytest.raises(InvalidInput, match="is there already"):
        two.backup(str(target), at=NOON)
    with pytest.raises(InvalidInput, match="is no folder"):
        two.backup(str(tmp_path / "nowhere" / "copy"), at=NOON)

    assert target.read_text() == "mine"
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


@pytest.mark.files
def test_a_backup_that_is_put_back_keeps_the_other_file_aside(
    store: SpaceStore, two: Space, prepare: Prepare, noon: datetime, tmp_path: Path
) -> None:
    two.backup(str(tmp_path / "copy"), at=NOON)
    two.commit([prepare("later", id="later")], stored_at=noon)
    with two.read() as reader:
        epoch = reader.epoch

    report = store.replace("ana", str(tmp_path / "copy"))

    assert contents(store.open_any("ana")) == {"a": "second", "b": "b"}
    with store.open_any("ana").read() as reader:
        assert reader.epoch > epoch
    aside = store.replace("aside", report.aside)
    assert aside.items == 3
    assert set(contents(store.open_any("aside"))) == {"a", "b", "later"}


@pytest.mark.files
@pytest.mark.parametrize("what", ["nothing", "text", "empty", "torn", "itself"])
def test_what_is_no_backup_is_refused_and_nothing_changes(
    store: SpaceStore, two: Space, tmp_path: Path, what: str
) -> None:
    two.backup(str(tmp_path / "good"), at=NOON)
    torn = bytearray((tmp_path / "good").read_bytes())
    torn[4096 * 2 :] = bytes(len(torn) - 4096 * 2)
    two.close()
    found = {
        "text": b"a text of some length " * 99, "empty": b"", "torn": bytes(torn)
    }.get(what)  # fmt: skip
    source = Path(two.files.paths[0]) if what == "itself" else tmp_path / what
    if found is not None:
        source.write_bytes(found)

    with pytest.raises(InvalidInput):
        store.replace("ana", str(source))

    assert contents(store.open_any("ana")) == {"a": "second", "b": "b"}


@pytest.mark.files
def test_a_sound_space_is_the_same_after_a_repair(
    store: SpaceStore, two: Space, repaired: Callable[[], RepairReport], noon: datetime
) -> None:
    two.keep_receipt("r", "{}", at=noon)
    two.erase(["b"], at=noon)
    with two.read() as reader:
        before, epoch = list(reader.read_all()), reader.epoch
        keys = [row.key for row in reader.every().item_rows(0)]

    report = repaired()

    assert (report.salvaged, report.aside, report.lost, report.altered) == (False, "", (), ())
    assert (report.items, report.versions, report.prepared_anew) == (1, 2, 0)
    again = store.open_any("ana")
    with again.read() as reader:
        assert list(reader.read_all()) == before
        assert [row.key for row in reader.every().item_rows(0)] == keys
        assert reader.epoch == epoch + 1
    assert again.uuid == two.uuid
    assert not again.is_sweep_due()
    assert all(finding.sound for finding in again.check())


@pytest.mark.files
def test_no_key_is_used_twice_after_a_repair(
    store: SpaceStore,
    space: Space,
    prepare: Prepare,
    noon: datetime,
    repaired: Callable[[], RepairReport],
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    space.forget(["a"], at=noon)
    with space.read() as reader:
        [gone] = reader.every().keys(["a"])
    repaired()

    again = store.open_any("ana")
    again.commit([prepare("b", id="b")], stored_at=noon)

    with again.read() as reader:
        assert reader.keys(["b"]) > [gone]
    assert all(finding.sound for finding in again.check())


@pytest.mark.slow
@pytest.mark.files
def test_a_space_that_others_have_open_is_not_repaired(
    make_store: Callable[[], SpaceStore], two: Space, tiny: EmbedderIdentity, tmp_path: Path
) -> None:
    two.backup(str(tmp_path / "copy"), at=NOON)
    hasty = make_store()
    before = contents(two)

    with pytest.raises(StoreBusy, match="nothing was changed"):
        hasty.repair("ana", remake=lambda _: _never, fallback=tiny)
    with pytest.raises(StoreBusy, match="nothing was changed"):
        hasty.replace("ana", str(tmp_path / "copy"))

    assert contents(two) == before


def _never(item: Item, found: Sequence[PreparedChunk]) -> Remade:
    raise AssertionError(item, found)


@pytest.mark.files
def test_what_is_not_there_can_not_be_repaired(
    store: SpaceStore, repaired: Callable[[], RepairReport]
) -> None:
    with pytest.raises(NotFound):
        repaired()
    assert store.names() == []
