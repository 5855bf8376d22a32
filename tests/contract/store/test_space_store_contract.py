"""The laws of `ports.SpaceStore`: names, opening, closing, and who may read whose vectors."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from simonides.errors import (
    Conflict,
    InvalidInput,
    InvalidSpaceName,
    NotFound,
    StoreError,
    WrongEmbedder,
)
from simonides.model.stored import Change, EmbedderIdentity, Prepared
from simonides.ports.space import Space, SpaceStore

Prepare = Callable[..., Prepared]


def test_an_empty_home_has_no_spaces(store: SpaceStore) -> None:
    assert store.names() == []


def test_spaces_are_named_in_order(store: SpaceStore, tiny: EmbedderIdentity) -> None:
    for name in ("team", "ana", "bo@example.com", "0-9_a+b"):
        store.open(name, embedder=tiny, create=True)

    assert store.names() == ["0-9_a+b", "ana", "bo@example.com", "team"]


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/b", "a\\b", "../a", "a..b", "a.", "Ana", "é", "a b", "a\n", "a\0", "-a",
     "_a", ".a", "a" * 101, "con", "nul.txt", "com1", "lpt9.a", "a:b", "a*", "\ud800"],
)  # fmt: skip
def test_an_unsafe_name_is_refused_with_the_rule(
    store: SpaceStore, tiny: EmbedderIdentity, name: str
) -> None:
    with pytest.raises(InvalidSpaceName, match="begins with a letter or digit"):
        store.open(name, embedder=tiny, create=True)
    with pytest.raises(InvalidSpaceName):
        store.open_any(name)
    with pytest.raises(InvalidSpaceName):
        store.snapshot_path(name)

    assert store.names() == []


@pytest.mark.parametrize("name", ["a", "0", "con1", "console", "a" * 100, "a.b", "com", "nulla"])
def test_a_safe_name_is_taken(store: SpaceStore, tiny: EmbedderIdentity, name: str) -> None:
    assert store.open(name, embedder=tiny, create=True).name == name


def test_a_space_that_is_not_there_is_not_made_unasked(
    store: SpaceStore, tiny: EmbedderIdentity
) -> None:
    with pytest.raises(NotFound, match="ana"):
        store.open("ana", embedder=tiny, create=False)
    with pytest.raises(NotFound, match="ana"):
        store.open_any("ana")

    assert store.names() == []


def test_an_open_space_is_one_object(
    store: SpaceStore, space: Space, tiny: EmbedderIdentity
) -> None:
    assert store.open("ana", embedder=tiny, create=False) is space
    assert store.open("ana", embedder=tiny, create=True) is space
    assert store.open_any("ana") is space


def test_a_space_begins_empty_at_revision_zero(space: Space) -> None:
    with space.read() as reader:
        assert (reader.revision, reader.epoch) == (0, 0)
        assert list(reader.item_rows(0)) == []
        assert list(reader.chunk_rows(0)) == []
        assert list(reader.mention_rows(0)) == []
        assert list(reader.deaths(0)) == []


def test_a_space_keeps_its_uuid_and_its_rows_when_it_is_opened_again(
    make_store: Callable[[], SpaceStore], tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    first = make_store()
    made = first.open("ana", embedder=tiny, create=True)
    made.commit([prepare("the hall fell", id="hall")], stored_at=noon)
    first.close()

    again = make_store().open("ana", embedder=tiny, create=False)

    assert again.uuid == made.uuid
    with again.read() as reader:
        kept = reader.item("hall")
    assert kept is not None
    assert kept.content == "the hall fell"


def test_one_commit_adds_and_forgets(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("the hall fell", id="hall")], stored_at=noon)

    outcomes = space.commit(
        [prepare("the tower fell", id="tower")], stored_at=noon, forget=["hall", "nobody"]
    )

    said = [(one.id, one.change, one.revision) for one in outcomes]
    assert said == [("tower", Change.ADDED, 2), ("hall", Change.FORGOTTEN, 2)]
    with space.read() as reader:
        assert (reader.item("hall"), reader.revision) == (None, 2)


def test_a_commit_that_is_refused_forgets_nothing(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("the hall fell", id="hall")], stored_at=noon)

    with pytest.raises(Conflict):
        space.commit(
            [prepare("more", id="tower")], stored_at=noon, expected={"tower": 3}, forget=["hall"]
        )

    with space.read() as reader:
        assert reader.item("hall") is not None


def test_two_spaces_have_different_uuids(store: SpaceStore, tiny: EmbedderIdentity) -> None:
    names = ("ana", "bo")

    uuids = {store.open(name, embedder=tiny, create=True).uuid for name in names}

    assert len(uuids) == 2


def test_nothing_passes_from_one_space_to_another(
    store: SpaceStore, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    ana = store.open("ana", embedder=tiny, create=True)
    bo = store.open("bo", embedder=tiny, create=True)
    ana.commit([prepare("mine", id="x")], stored_at=noon)

    assert bo.forget(["x"], at=noon) == ()
    with bo.read() as reader:
        assert (reader.revision, reader.item("x")) == (0, None)


@pytest.mark.parametrize(
    "other", [{"model": "big"}, {"dimension": 8}, {"window_words": 9}, {"quantiser": "other"}]
)
def test_another_embedder_is_refused_and_the_remedy_named(
    make_store: Callable[[], SpaceStore],
    space: Space,
    tiny: EmbedderIdentity,
    other: dict[str, Any],
) -> None:
    wrong = replace(tiny, **other)
    for store in (make_store(), make_store()):
        with pytest.raises(WrongEmbedder, match=r"'tiny' \(4 dimensions.*reembed --space ana"):
            store.open("ana", embedder=wrong, create=True)

    assert space.embedder == tiny


def test_an_open_space_is_not_handed_out_for_another_embedder(
    store: SpaceStore, space: Space, tiny: EmbedderIdentity
) -> None:
    with pytest.raises(WrongEmbedder):
        store.open(space.name, embedder=replace(tiny, model="big"), create=False)


def test_any_embedder_may_open_for_repair(
    make_store: Callable[[], SpaceStore], space: Space, tiny: EmbedderIdentity
) -> None:
    assert make_store().open_any(space.name).embedder == tiny


def test_each_space_has_its_own_snapshot_path(store: SpaceStore) -> None:
    paths = {store.snapshot_path(name) for name in ("ana", "bo", "ana.index")}

    assert len(paths) == 3 or paths == {""}


def test_closing_twice_is_no_error(store: SpaceStore, space: Space) -> None:
    space.close()
    space.close()
    store.close()
    store.close()


def test_a_closed_space_says_so_and_can_be_opened_again(
    store: SpaceStore, space: Space, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("kept")], stored_at=noon)
    space.close()

    with pytest.raises(StoreError, match="closed"):
        space.commit([prepare("late")], stored_at=noon)
    with pytest.raises(StoreError, match="closed"), space.read():
        pass
    again = store.open("ana", embedder=tiny, create=False)
    assert again is not space
    assert again.stats().items == 1


def test_a_closed_store_opens_nothing(store: SpaceStore, tiny: EmbedderIdentity) -> None:
    store.close()

    with pytest.raises(StoreError, match="closed"):
        store.open("ana", embedder=tiny, create=True)


def test_closing_waits_for_nobody_and_harms_nobody(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("one"), prepare("two")], stored_at=noon)
    with space.read() as reader:
        rows = reader.item_rows(0)
        next(rows)
        space.close()

        assert len(list(rows)) == 1


def test_two_stores_on_one_home_see_each_other(
    make_store: Callable[[], SpaceStore], tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    here = make_store().open("ana", embedder=tiny, create=True)
    there = make_store().open("ana", embedder=tiny, create=True)
    here.commit([prepare("from here", id="h")], stored_at=noon)
    there.commit([prepare("from there", id="t")], stored_at=noon)

    with here.read() as reader:
        assert reader.revision == 2
        assert [row.id for row in reader.item_rows(0)] == ["h", "t"]


def test_a_commit_for_vectors_that_are_gone_is_refused(
    make_store: Callable[[], SpaceStore], tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    here = make_store().open("ana", embedder=tiny, create=True)
    there = make_store().open("ana", embedder=tiny, create=False)
    there.replace_vectors(replace(tiny, model="big"), [])

    with pytest.raises(WrongEmbedder, match="re-embedded since it was opened"):
        here.commit([prepare("old vector")], stored_at=noon)
    assert there.stats().items == 0


def test_a_look_at_vectors_of_another_model_is_refused(
    make_store: Callable[[], SpaceStore], tiny: EmbedderIdentity
) -> None:
    here = make_store().open("ana", embedder=tiny, create=True)
    there = make_store().open("ana", embedder=tiny, create=False)
    there.replace_vectors(replace(tiny, model="big"), [])

    with (
        pytest.raises(WrongEmbedder, match="re-embedded with big since it was opened"),
        here.read() as reader,
    ):
        list(reader.item_rows(0))
    with there.read() as reader:
        assert reader.epoch == 1


def test_a_time_without_a_zone_is_refused(space: Space, prepare: Prepare, noon: datetime) -> None:
    naive = noon.replace(tzinfo=None)

    with pytest.raises(InvalidInput, match="stored_at"):
        space.commit([prepare("x")], stored_at=naive)
    with pytest.raises(InvalidInput, match="at"):
        space.forget(["x"], at=naive)


def test_the_load_of_a_store_counts_spaces_and_connections(
    store: SpaceStore, tiny: EmbedderIdentity
) -> None:
    opened = [store.open(name, embedder=tiny, create=True) for name in ("ana", "bo")]
    with opened[0].read(), opened[1].read():
        assert store.load()[:2] == (2, 2)
    assert store.load().in_use == store.load().waiting == 0
    assert store.load().idle >= 1
    opened[0].close()
    assert store.load().spaces == 1
    store.close()
    assert store.load() == (0, 0, 0, 0)
