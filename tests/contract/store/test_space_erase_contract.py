"""The laws of erasing: every version goes, with all that names it, and nothing brings it back."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.model.maintenance import Erased
from simonides.model.stored import Change, Engaged, Prepared, PreparedBackground, Surrogate
from simonides.ports.space import Space, SpaceStore

Prepare = Callable[..., Prepared]

HOUR = timedelta(hours=1)


def state(space: Space) -> tuple[int, int]:
    """Return the revision and the epoch."""
    with space.read() as reader:
        return reader.revision, reader.epoch


def keys(space: Space, *ids: str) -> list[int]:
    """Return the keys of every version of these ids, past ones too."""
    with space.read() as reader:
        return reader.every().keys(ids)


def bytes_of(space: Space) -> bytes:
    """Return the bytes of all files of the space, which must be closed: reading drops locks."""
    found = (Path(name) for name in space.files.paths)
    return b"".join(file.read_bytes() for file in found if file.exists())


@pytest.fixture
def changed(space: Space, prepare: Prepare, noon: datetime) -> Space:
    """A space with an item in three versions, one that was forgotten, and one left alone."""
    for text in ("first zorkmid", "second\nzorkmid", "third zorkmid"):
        space.commit([prepare(text, id="a")], stored_at=noon)
    space.commit([prepare("gone zorkmid", id="b"), prepare("stays", id="c")], stored_at=noon)
    space.forget(["b"], at=noon)
    return space


def test_every_version_goes_with_its_chunks_and_mentions(changed: Space, noon: datetime) -> None:
    revision, epoch = state(changed)
    erased = changed.erase(["a", "b", "nobody", "a"], at=noon)

    assert erased == Erased(ids=("a", "b"), versions=4, chunks=5, mentions=4)
    assert state(changed) == (revision + 1, epoch + 1)
    assert keys(changed, "a", "b") == []
    with changed.read() as reader:
        assert [row.id for row in reader.every().item_rows(0)] == ["c"]
        assert {row.item_key for row in reader.every().chunk_rows(0)} == set(keys(changed, "c"))
        assert reader.deaths(0) == []
        assert [reader.version("a", n) for n in range(1, 5)] == [None] * 4
    assert all(finding.sound for finding in changed.check())


def test_erasing_what_is_not_there_changes_nothing(changed: Space, noon: datetime) -> None:
    before = state(changed)

    assert changed.erase(["nobody", "\ud800", ""], at=noon) == Erased()
    assert changed.erase([], at=noon) == Erased()
    assert state(changed) == before
    assert not changed.is_sweep_due()


def test_what_lies_beside_an_item_goes_with_it(
    changed: Space, prepare: Prepare, noon: datetime
) -> None:
    changed.record_usage(["a", "c"], how=Engaged.USED, at=noon)
    changed.record_usage(["a"], how=Engaged.CITED, at=noon)
    with changed.read() as reader:
        [key] = reader.keys(["a"])
    made = Surrogate(item_key=key, algorithm="x", version=1, full="f", gist="g", micro="m",
                     source_hash=prepare("third zorkmid", id="a").digest)  # fmt: skip
    assert changed.put_surrogates([made]) == 1

    erased = changed.erase(["a"], at=noon)

    assert (erased.engagements, erased.surrogates) == (2, 1)
    with changed.read() as reader:
        assert reader.engagements(["a", "c"]).keys() == {"c"}


@pytest.mark.parametrize(
    ("receipt", "goes"),
    [
        ({"items": [{"id": "a"}]}, True),
        ({"dropped": [["a", "budget"]]}, True),
        ({"filter": {"ids": ["c", "a"]}}, True),
        ({"a": 1}, True),
        ({"items": [{"id": "c"}], "query": "about a and b"}, False),
        ({"items": [{"id": "aa"}], "n": None, "x": [1, 2.5, True]}, False),
        ([], False),
    ],
)
def test_a_receipt_that_names_it_goes_whole(
    changed: Space, noon: datetime, receipt: Any, goes: bool
) -> None:
    changed.keep_receipt("r", json.dumps(receipt), at=noon)

    assert changed.erase(["a"], at=noon).receipts == goes
    with changed.read() as reader:
        assert (reader.receipt("r") is None) == goes


def test_an_id_is_found_in_a_receipt_however_it_is_written(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("x", id='ü"🫖')], stored_at=noon)
    space.keep_receipt("escaped", json.dumps({"id": 'ü"🫖'}), at=noon)
    space.keep_receipt("plain", json.dumps({"id": 'ü"🫖'}, ensure_ascii=False), at=noon)

    assert space.erase(['ü"🫖'], at=noon).receipts == 2


@pytest.mark.files
def test_backgrounds_that_were_deleted_and_are_due_go(space: Space, noon: datetime) -> None:
    for name in ("shown", "due", "later"):
        background = PreparedBackground(id=name, collection="main", text=name, terms=b"")
        space.put_background(background, at=noon)
    space.delete_background("due", due=noon)
    space.delete_background("later", due=noon + HOUR)

    assert space.erase([], at=noon) == Erased(backgrounds=1)
    assert space.is_sweep_due()
    assert space.erase([], at=noon + HOUR).backgrounds == 1
    with space.read() as reader:
        shown = [one.id for one, _ in reader.backgrounds("main", limit=9)]

    assert shown == ["shown"]


def test_no_import_brings_an_erased_item_back(
    changed: Space, prepare: Prepare, noon: datetime
) -> None:
    changed.erase(["a", "b"], at=noon)
    before = state(changed)

    outcomes = changed.commit(
        [prepare("first zorkmid", id="a"), prepare("new", id="b")], stored_at=noon, revive=False
    )

    assert [one.change for one in outcomes] == [Change.FORGOTTEN] * 2
    assert state(changed) == before
    assert keys(changed, "a", "b") == []


def test_an_explicit_add_brings_it_back_and_goes_on_counting(
    changed: Space, prepare: Prepare, noon: datetime
) -> None:
    changed.erase(["a", "b"], at=noon)

    [outcome] = changed.commit([prepare("again", id="a")], stored_at=noon)

    assert outcome.change is Change.ADDED
    with changed.read() as reader:
        item = reader.item("a")
    assert item is not None
    assert item.version == 4
    changed.forget(["a"], at=noon)
    back = changed.commit([prepare("again", id="a")], stored_at=noon)
    assert [one.change for one in back] == [Change.ADDED]
    unmarked = changed.commit([prepare("x", id="a")], stored_at=noon, revive=False)
    assert [one.change for one in unmarked] == [Change.UPDATED]


def test_others_see_it_gone_and_marks_outlive_the_process(
    make_store: Callable[[], SpaceStore], changed: Space, prepare: Prepare, noon: datetime
) -> None:
    other = make_store().open_any("ana")
    assert keys(other, "a")
    changed.erase(["a"], at=noon)

    assert keys(other, "a") == []
    assert state(other) == state(changed)
    changed.close()
    again = make_store().open_any("ana")
    [outcome] = again.commit([prepare("x", id="a")], stored_at=noon, revive=False)
    assert outcome.change is Change.FORGOTTEN


def test_who_reads_while_it_is_erased_goes_on_seeing_what_he_saw(
    changed: Space, noon: datetime
) -> None:
    with changed.read() as reader:
        before = reader.item("a")
        changed.erase(["a"], at=noon)

        assert reader.item("a") == before is not None
    with changed.read() as reader:
        assert reader.item("a") is None


def test_erasing_needs_a_time_with_a_zone(changed: Space, noon: datetime) -> None:
    with pytest.raises(InvalidInput, match="at: needs a time zone"):
        changed.erase(["a"], at=noon.replace(tzinfo=None))


@pytest.mark.files
def test_a_sweep_leaves_no_byte_of_what_was_erased(changed: Space, noon: datetime) -> None:
    changed.erase(["a", "b"], at=noon)
    assert changed.is_sweep_due()

    swept = changed.sweep()

    assert (swept.rewritten, swept.log_emptied, swept.problem) == (True, True, "")
    assert not changed.is_sweep_due()
    assert keys(changed, "c")
    changed.close()
    assert b"zorkmid" not in bytes_of(changed)
    assert b"stays" in bytes_of(changed)


def test_a_look_at_every_version_tells_of_past_ones_as_if_they_were_present(
    changed: Space,
) -> None:
    with changed.read() as reader:
        every = reader.every()
        rows = list(every.item_rows(0))
        items = every.items([row.key for row in rows])
        spans = [every.chunk_spans(row.key) for row in rows]

        assert [row.id for row in rows] == ["a", "a", "a", "b", "c"]
        assert [items[row.key].version for row in rows] == [1, 2, 3, 1, 1]
        assert [len(one) for one in spans] == [1, 2, 1, 1, 1]
        assert every.keys(["a", "b"]) == [row.key for row in rows[:4]]
        assert [row.item_key for row in every.mention_rows(0)] == [row.key for row in rows]
        assert every.deaths(0) == []
        with pytest.raises(ValueError, match="from the first on"):
            every.item_rows(1)


@pytest.mark.files
def test_what_the_files_say_by_themselves_names_no_item(changed: Space) -> None:
    said = "\n".join(changed.own_texts())

    assert "CREATE TABLE item" in said
    assert changed.uuid in said
    assert "zorkmid" not in said


@pytest.mark.files
def test_what_is_written_is_counted_in_bytes(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    before = space.written_bytes
    space.commit([prepare("x" * 9000, id="a")], stored_at=noon)
    after = space.written_bytes
    space.commit([prepare("x" * 9000, id="a")], stored_at=noon)

    assert after - before > 9000
    assert space.written_bytes == after
