"""The laws of background: the latest shows, as of any time, and the deleted never does."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.model.stored import Background, Prepared, PreparedBackground
from simonides.ports.space import Reader, Space, SpaceStore

Prepare = Callable[..., Prepared]
Put = Callable[..., Background]

HOUR = timedelta(hours=1)


@pytest.fixture
def put(space: Space, noon: datetime) -> Put:
    """Return a function that puts a snapshot by its id, some hours after noon."""

    def put_one(
        background_id: str, *, hour: int = 0, collection: str = "main", **fields: Any
    ) -> Background:
        one = {"text": f"text of {background_id}", "terms": b"", **fields}
        prepared = PreparedBackground(id=background_id, collection=collection, **one)
        return space.put_background(prepared, at=noon + hour * HOUR)

    return put_one


def revision(space: Space) -> int:
    with space.read() as reader:
        return reader.revision


def latest(space: Space, collection: str = "main", *, as_of: datetime | None = None) -> str | None:
    with space.read() as reader:
        found = reader.background(collection, as_of=as_of)
    return None if found is None else found.id


def history(space: Space, *, limit: int = 99, before: str = "", collection: str = "main") -> str:
    with space.read() as reader:
        return joined(reader.backgrounds(collection, limit=limit, before=before))


def joined(found: Iterable[tuple[Background, bytes]]) -> str:
    return "".join(one.id for one, _ in found)


def test_a_snapshot_reads_back_as_it_was_put(space: Space, put: Put, noon: datetime) -> None:
    text, terms = "Ana's\0 week — Ωmega 🫖\r\n" * 9, bytes(range(18))
    kept = put("b1", collection="hóme", text=text, terms=terms)

    assert kept == Background(id="b1", collection="hóme", text=text, created_at=noon, revision=1)
    with space.read() as reader:
        assert reader.background("hóme") == kept
        assert list(reader.backgrounds("hóme", limit=1)) == [(kept, terms)]


@pytest.mark.parametrize("text", ["", " ", "\0", "x" * 300_000])
def test_any_text_is_kept(space: Space, put: Put, text: str) -> None:
    put("b1", text=text)

    with space.read() as reader:
        found = reader.background("main")
    assert found is not None
    assert found.text == text


def test_where_none_was_put_there_is_none(space: Space, put: Put) -> None:
    put("b1")

    for collection in ("home", "", "Main", "\ud800", "main\0"):
        assert latest(space, collection) is None
        assert history(space, collection=collection) == ""


def test_half_a_character_asks_for_no_collection_not_even_an_odd_one(
    space: Space, put: Put
) -> None:
    put("b1", collection="\0")

    assert latest(space, "\0") == "b1"
    assert latest(space, "\ud800") is None
    assert history(space, collection="\ud800") == ""


def test_the_latest_is_the_one_of_the_newest_time_not_the_one_put_last(
    space: Space, put: Put
) -> None:
    for background_id, hour in (("a", 1), ("b", 3), ("c", 2)):
        put(background_id, hour=hour)

    assert latest(space) == "b"
    assert history(space) == "bca"


def test_of_those_of_one_time_the_largest_id_is_the_latest(space: Space, put: Put) -> None:
    for background_id in ("b", "ü", "Z", "a", "é", "🫖"):
        put(background_id)

    assert latest(space) == "🫖"
    assert history(space) == "".join(sorted("büZaé🫖", reverse=True))


def test_collections_do_not_see_each_other(space: Space, put: Put) -> None:
    put("a", collection="home", hour=1)
    put("b", collection="work", hour=2)

    assert [latest(space, one) for one in ("home", "work", "main")] == ["a", "b", None]
    assert history(space, collection="home") == "a"
    assert history(space, collection="home", before="b") == ""


def test_as_of_a_time_the_latest_up_to_it_shows(space: Space, put: Put, noon: datetime) -> None:
    for background_id, hour in (("a", -5000), ("b", 1), ("c", 1), ("d", 2)):
        put(background_id, hour=hour)
    moment = timedelta(microseconds=1)

    assert latest(space, as_of=noon - 6000 * HOUR) is None
    assert latest(space, as_of=noon) == "a"
    assert latest(space, as_of=noon + HOUR - moment) == "a"
    assert latest(space, as_of=noon + HOUR) == "c"
    assert latest(space, as_of=noon + 2 * HOUR - moment) == "c"
    assert latest(space, as_of=noon + 9 * HOUR) == "d"


def test_history_is_read_page_by_page(space: Space, put: Put) -> None:
    for n, background_id in enumerate("abcdefg"):
        put(background_id, hour=n // 3)
        put(background_id.upper(), hour=n, collection="other")

    assert history(space, limit=3) == "gfe"
    assert history(space, limit=3, before="e") == "dcb"
    assert history(space, limit=3, before="b") == "a"
    assert history(space, limit=3, before="a") == ""
    for nobody in ("unknown", "E", "\ud800", "\0"):
        assert history(space, limit=3, before=nobody) == ""
    for none in (0, -1):
        assert history(space, limit=none) == history(space, limit=none, before="e") == ""


def test_each_snapshot_takes_a_revision_and_the_same_again_takes_none(
    space: Space, put: Put
) -> None:
    first, second = put("a"), put("b")

    again = put("a", hour=7, text="something else")

    assert (first.revision, second.revision, revision(space)) == (1, 2, 2)
    assert again == first
    assert history(space) == "ba"


def test_a_deleted_snapshot_never_shows(space: Space, put: Put, noon: datetime) -> None:
    for n, background_id in enumerate("abc"):
        put(background_id, hour=n)

    assert space.delete_background("c", due=noon + timedelta(days=30))

    assert revision(space) == 4
    assert latest(space) == latest(space, as_of=noon + 99 * HOUR) == "b"
    assert history(space) == "ba"
    assert history(space, before="c") == ""


def test_the_only_snapshot_deleted_leaves_none(space: Space, put: Put, noon: datetime) -> None:
    put("a")
    space.delete_background("a", due=noon - timedelta(days=1))

    assert (latest(space), history(space)) == (None, "")


def test_what_is_hidden_or_unknown_is_not_deleted_again(
    space: Space, put: Put, noon: datetime
) -> None:
    put("a")
    space.delete_background("a", due=noon)

    reported = [
        space.delete_background(one, due=noon) for one in ("a", "unknown", "", "\ud800", "\0")
    ]

    assert reported == [False] * 5
    assert revision(space) == 2


def test_putting_a_deleted_snapshot_again_takes_the_deletion_back(
    space: Space, put: Put, noon: datetime
) -> None:
    first = put("a")
    put("b", hour=1)
    space.delete_background("a", due=noon)

    again = put("a", hour=5)

    assert again == first
    assert revision(space) == 4
    assert history(space) == "ba"
    assert space.delete_background("a", due=noon)


def test_a_look_keeps_its_background(space: Space, put: Put, noon: datetime) -> None:
    put("a")

    def seen(reader: Reader) -> tuple[str, str]:
        found = reader.background("main")
        assert found is not None
        return found.id, joined(reader.backgrounds("main", limit=9))

    with space.read() as before:
        put("b", hour=1)
        space.delete_background("a", due=noon)
        with space.read() as after:
            assert (seen(before), seen(after)) == (("a", "a"), ("b", "b"))


def test_background_is_no_item(space: Space, put: Put, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("tea", id="a")], stored_at=noon)
    put("a", text="tea")

    with space.read() as reader:
        assert [row.id for row in reader.item_rows(0)] == ["a"]
        assert [*reader.item_rows(1), *reader.chunk_rows(1), *reader.deaths(0)] == []
        assert [count for _, count in reader.containing(["tea"])] == [1]
    assert space.stats().items == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"background_id": "\ud800"}, "id"),
        ({"background_id": ""}, "id"),
        ({"background_id": "a\0"}, "id"),
        ({"background_id": "x" * 257}, "id"),
        ({"collection": "\udfff"}, "collection"),
        ({"collection": ""}, "collection"),
        ({"text": "half \ud83e"}, "text"),
        ({"text": None}, "text"),
        ({"terms": bytes(8)}, "terms"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_its_name(
    space: Space, put: Put, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        put(**{"background_id": "a", **fields})

    assert refused.value.field == field
    assert (revision(space), history(space)) == (0, "")


def test_times_need_a_zone(space: Space, put: Put, noon: datetime) -> None:
    naive = noon.replace(tzinfo=None)
    kept = put("a")
    one = PreparedBackground(id="b", collection="main", text="", terms=b"")

    with pytest.raises(InvalidInput, match="at: needs a time zone"):
        space.put_background(one, at=naive)
    with pytest.raises(InvalidInput, match="due: needs a time zone"):
        space.delete_background("a", due=naive)
    with pytest.raises(InvalidInput, match="as_of: needs a time zone"):
        latest(space, as_of=naive)
    with space.read() as reader:
        assert reader.background("main") == kept


def test_another_process_sees_it_and_finds_it_there_already(
    make_store: Callable[[], SpaceStore], space: Space, put: Put, noon: datetime
) -> None:
    kept = put("a")
    there = make_store().open_any(space.name)
    one = PreparedBackground(id="a", collection="main", text="", terms=b"")

    assert latest(there) == "a"
    assert there.put_background(one, at=noon + HOUR) == kept
    assert there.delete_background("a", due=noon)
    assert latest(space) is None
