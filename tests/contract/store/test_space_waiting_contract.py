"""Chunks that wait for their vectors: committed, told of, filled in at a revision, never lost."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from simonides.errors import InvalidInput, WrongEmbedder
from simonides.model.stored import EmbedderIdentity, LateVector, Prepared
from simonides.ports.space import Space, SpaceStore

ONE, TWO = b"\x01\x01\x01\x01", b"\x02\x02\x02\x02"
ZERO = bytes(4)

Prepare = Callable[..., Prepared]


@pytest.fixture
def later(space: Space, prepare: Prepare, noon: datetime) -> Callable[..., None]:
    """Return a function that keeps items without vectors, each with a chunk for each line."""

    def keep(*texts: str) -> None:
        items = [prepare(text, vector=b"", id=text.split("\n")[0]) for text in texts]
        space.commit(items, stored_at=noon)

    return keep


def waiting(space: Space) -> list[tuple[int, int]]:
    with space.read() as reader:
        places = list(reader.waiting())
        assert reader.waiting_count() == len(places)
    return places


def rows(space: Space, *, at: int | None = None) -> list[tuple[bytes, int | None]]:
    with space.read() as reader:
        looked = reader if at is None else reader.past(at)
        return [(row.vector, row.embedded) for row in looked.chunk_rows(0)]


def put(space: Space, noon: datetime, *vectors: tuple[int, int, bytes]) -> int:
    late = [LateVector(item_key=k, ordinal=n, vector=v) for k, n, v in vectors]
    return space.put_vectors(late, identity=space.embedder, at=noon)


def test_a_chunk_without_a_vector_waits_and_holds_zeros(
    space: Space, prepare: Prepare, later: Callable[..., None], noon: datetime
) -> None:
    space.commit([prepare("whole", id="whole")], stored_at=noon)
    later("a\nb", "c")

    assert waiting(space) == [(3, 0), (2, 0), (2, 1)]
    assert rows(space)[1:] == [(ZERO, 0)] * 3
    assert rows(space)[0] == (b"\x01\x02\x03\x04", None)
    assert space.stats().waiting == 3
    assert all(one.sound for one in space.check())


def test_chunks_of_the_newest_items_come_first(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    days = {"old": 1, "new": 5, "mid": 3}
    items = [
        prepare(name, vector=b"", id=name, happened_at=noon.replace(day=day))
        for name, day in days.items()
    ]
    undated = prepare("undated", vector=b"", id="undated")
    space.commit([*items, undated], stored_at=noon.replace(day=4))

    with space.read() as reader:
        order = [reader.items([key])[key].id for key, _ in reader.waiting()]
    assert order == ["new", "undated", "mid", "old"]


def test_vectors_come_in_one_revision_and_only_to_those_that_wait(
    space: Space, later: Callable[..., None], noon: datetime
) -> None:
    later("a\nb", "c")

    assert put(space, noon, (1, 1, ONE), (2, 0, TWO)) == 2
    assert rows(space) == [(ZERO, 0), (ONE, 2), (TWO, 2)]
    assert put(space, noon, (1, 1, TWO), (9, 0, TWO)) == 0
    assert rows(space) == [(ZERO, 0), (ONE, 2), (TWO, 2)]
    with space.read() as reader:
        assert reader.revision == 2
        assert waiting(space) == [(1, 0)]
        came = [(row.item_key, row.ordinal, row.vector, row.embedded)
                for row in reader.late_vectors(1)]  # fmt: skip
        assert came == [(1, 1, ONE, 2), (2, 0, TWO, 2)]
        assert list(reader.late_vectors(2)) == []


def test_the_past_waits_for_what_came_later(
    space: Space, later: Callable[..., None], prepare: Prepare, noon: datetime
) -> None:
    later("a\nb")
    put(space, noon, (1, 0, ONE))
    space.commit([prepare("other", id="a")], stored_at=noon)

    assert rows(space, at=1) == [(ZERO, 0), (ZERO, 0)]
    assert rows(space, at=2) == [(ONE, 2), (ZERO, 0)]
    assert [embedded for _, embedded in rows(space)] == [None]


def test_what_is_not_present_any_more_is_passed_over(
    space: Space, later: Callable[..., None], noon: datetime
) -> None:
    later("a", "b", "c")
    space.forget(["a"], at=noon)
    space.erase(["b"], at=noon)

    assert waiting(space) == [(3, 0)]
    assert put(space, noon, (1, 0, ONE), (2, 0, ONE), (3, 0, ONE)) == 1
    assert space.stats().waiting == 0
    assert all(one.sound for one in space.check())


def test_a_vector_of_another_length_is_refused(
    space: Space, later: Callable[..., None], noon: datetime
) -> None:
    later("a")
    with pytest.raises(InvalidInput, match="3 dimensions where the space has 4"):
        put(space, noon, (1, 0, b"123"))
    assert waiting(space) == [(1, 0)]


def test_vectors_of_another_embedder_are_refused(
    space: Space, later: Callable[..., None], noon: datetime, tiny: EmbedderIdentity
) -> None:
    later("a")
    late = [LateVector(item_key=1, ordinal=0, vector=ONE)]
    with pytest.raises(WrongEmbedder):
        space.put_vectors(late, identity=replace(tiny, model="other"), at=noon)
    assert waiting(space) == [(1, 0)]


@pytest.mark.files
def test_what_waits_and_what_came_outlasts_closing_backup_and_compaction(
    make_store: Callable[[], SpaceStore], tiny: EmbedderIdentity, prepare: Prepare, noon: datetime,
    tmp_path: object,
) -> None:  # fmt: skip
    store = make_store()
    space = store.open("ana", embedder=tiny, create=True)
    for text in ("a", "b"):
        space.commit([prepare(text, vector=b"", id=text)], stored_at=noon)
    put(space, noon, (1, 0, ONE))
    space.compact(before=3, now=noon, decided_before=None, limit=100)
    space.write_anew()
    space.backup(f"{tmp_path}/copy.sqlite3", at=noon)
    store.close()

    again = make_store()
    assert rows(again.open("ana", embedder=tiny, create=False)) == [(ONE, 3), (ZERO, 0)]
    again.replace("ana", f"{tmp_path}/copy.sqlite3")
    assert rows(again.open("ana", embedder=tiny, create=False)) == [(ONE, 3), (ZERO, 0)]
