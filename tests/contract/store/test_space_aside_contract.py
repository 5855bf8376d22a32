"""The laws of surrogates and receipts: kept without a revision, and never served once stale."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.model.stored import (
    EmbedderIdentity,
    Engaged,
    Prepared,
    PreparedBackground,
    Surrogate,
)
from simonides.ports.space import Space, SpaceStore

Prepare = Callable[..., Prepared]

HOUR = timedelta(hours=1)


def revision(space: Space) -> int:
    with space.read() as reader:
        return reader.revision


def key_of(space: Space, item_id: str) -> int:
    with space.read() as reader:
        (key,) = reader.keys([item_id])
    return key


def stand_in(space: Space, one: Prepared, **fields: Any) -> Surrogate:
    """Return a surrogate of an item that is present."""
    made = Surrogate(
        item_key=key_of(space, one.item.id), algorithm="extract", version=1,
        source_hash=one.digest, full="full", gist="gist", micro="micro",
    )  # fmt: skip
    return replace(made, **fields)


def served(space: Space, *keys: int, algorithm: str = "extract") -> dict[int, Surrogate]:
    with space.read() as reader:
        return reader.surrogates(keys, algorithm=algorithm)


def lacking(space: Space, **asked: Any) -> list[str]:
    """Return the ids of the items that lack a surrogate."""
    wanted = {"algorithm": "extract", "version": 1, "chars_min": 0, "after_key": 0, "limit": 99}
    with space.read() as reader:
        return [item.id for _, _, item in reader.without_surrogates(**{**wanted, **asked})]


def test_a_surrogate_is_served_as_it_was_kept(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    one = prepare("a", id="a")
    space.commit([one, prepare("b", id="b")], stored_at=noon)
    made = stand_in(space, one, full="Fü\0ll\n", gist="", micro="🫖", version=7)
    other = replace(made, algorithm="modél", full="by another")

    assert space.put_surrogates([made, other]) == 2

    b = key_of(space, "b")
    assert served(space, b, made.item_key, 10**9, made.item_key) == {made.item_key: made}
    assert served(space, made.item_key, algorithm="modél") == {made.item_key: other}
    assert served(space, made.item_key, algorithm="\ud800") == {}


def test_surrogates_take_no_revision_and_are_there_for_others(
    make_store: Callable[[], SpaceStore], space: Space, prepare: Prepare, noon: datetime
) -> None:
    one = prepare("a", id="a")
    space.commit([one], stored_at=noon)
    made = stand_in(space, one)
    space.put_surrogates([made])
    space.close()

    again = make_store().open_any("ana")

    assert revision(again) == 1
    assert served(again, made.item_key) == {made.item_key: made}


def test_a_newer_surrogate_replaces_the_older(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    one = prepare("a", id="a")
    space.commit([one], stored_at=noon)
    old = stand_in(space, one)
    new = replace(old, version=2, gist="better")

    assert [space.put_surrogates([old]), space.put_surrogates([new])] == [1, 1]

    assert served(space, old.item_key) == {old.item_key: new}


def test_a_stale_surrogate_is_never_served(space: Space, prepare: Prepare, noon: datetime) -> None:
    one = prepare("a", id="a")
    space.commit([one], stored_at=noon)
    stale = stand_in(space, one, source_hash=prepare("older words", id="a").digest)

    space.put_surrogates([stale])

    assert served(space, stale.item_key) == {}
    assert lacking(space) == ["a"]


def test_the_surrogates_of_what_left_the_present_are_gone(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    many = [prepare(one, id=one) for one in "abc"]
    space.commit(many, stored_at=noon)
    made = [stand_in(space, one) for one in many]
    space.put_surrogates(made)
    keys = [one.item_key for one in made]

    space.commit([prepare("new a", id="a")], stored_at=noon)
    space.forget(["b"], at=noon)

    assert served(space, *keys).keys() == {keys[2]}
    assert lacking(space) == ["a"]
    space.commit([prepare("a", id="a"), prepare("b", id="b")], stored_at=noon)
    assert served(space, *keys, key_of(space, "a"), key_of(space, "b")).keys() == {keys[2]}
    assert all(finding.sound for finding in space.check())


def test_what_was_archived_meanwhile_gets_no_surrogate(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    a, b = prepare("a", id="a"), prepare("b", id="b")
    space.commit([a, b], stored_at=noon)
    made = [stand_in(space, one) for one in (a, b)]
    space.forget(["a"], at=noon)

    kept = space.put_surrogates([*made, replace(made[0], item_key=10**9)])

    assert kept == 1
    assert served(space, *[one.item_key for one in made]).keys() == {made[1].item_key}
    assert all(finding.sound for finding in space.check())


def test_new_vectors_leave_the_surrogates(
    space: Space, prepare: Prepare, tiny: EmbedderIdentity, noon: datetime
) -> None:
    one = prepare("a", id="a")
    space.commit([one], stored_at=noon)
    made = stand_in(space, one)
    space.put_surrogates([made])

    space.replace_vectors(replace(tiny, model="big"), [one])

    assert served(space, made.item_key) == {made.item_key: made}


def test_items_that_lack_a_surrogate_are_reported_by_key_with_their_digest(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    many = [prepare(f"{n} words", id=f"{n}") for n in range(6)]
    space.commit(many, stored_at=noon)
    space.put_surrogates([
        stand_in(space, many[1]),
        stand_in(space, many[2], version=2),
        stand_in(space, many[3], algorithm="other"),
    ])  # fmt: skip

    with space.read() as reader:
        found = reader.without_surrogates(
            algorithm="extract", version=1, chars_min=1, after_key=0, limit=99
        )

        assert found == [
            (key_of(space, one.item.id), one.digest, reader.item(one.item.id))
            for one in (many[0], *many[2:])
        ]
    assert lacking(space, version=2) == ["0", "1", "3", "4", "5"]
    assert lacking(space, algorithm="other") == ["0", "1", "2", "4", "5"]
    assert lacking(space, algorithm="\ud800") == list("012345")


def test_they_are_told_in_pages(space: Space, prepare: Prepare, noon: datetime) -> None:
    many = [prepare(f"{n} words", id=f"{n}") for n in range(6)]
    space.commit(many, stored_at=noon)
    space.put_surrogates([stand_in(space, many[1])])
    keys = [key_of(space, f"{n}") for n in range(6)]

    assert lacking(space, limit=2) == ["0", "2"]
    assert lacking(space, limit=2, after_key=keys[2]) == ["3", "4"]
    assert lacking(space, limit=2, after_key=keys[4]) == ["5"]
    assert lacking(space, after_key=keys[5]) == []
    assert lacking(space, limit=0) == lacking(space, limit=-1) == []


def test_characters_are_counted_not_bytes_nor_up_to_a_zero(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    texts = {"a": "äöüßé", "b": "1234", "c": "1\x00345", "d": "🫖🫖🫖🫖", "e": "123456", "f": "öö"}
    space.commit([prepare(text, id=one) for one, text in texts.items()], stored_at=noon)

    for chars_min in range(8):
        long = [one for one, text in texts.items() if len(text) >= chars_min]
        for limit in (1, 2, 99):
            assert lacking(space, chars_min=chars_min, limit=limit) == long[:limit]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"algorithm": "\ud800"}, "algorithm"),
        ({"algorithm": ""}, "algorithm"),
        ({"algorithm": "a\0"}, "algorithm"),
        ({"full": "\ud83e"}, "full"),
        ({"gist": "\ud83e"}, "gist"),
        ({"micro": None}, "micro"),
        ({"version": 0}, "version"),
        ({"version": 2**63}, "version"),
    ],
)
def test_a_surrogate_that_cannot_be_kept_is_refused_with_all_beside_it(
    space: Space, prepare: Prepare, noon: datetime, fields: dict[str, Any], field: str
) -> None:
    one = prepare("a", id="a")
    space.commit([one], stored_at=noon)
    good = stand_in(space, one)

    with pytest.raises(InvalidInput) as refused:
        space.put_surrogates([good, replace(good, **fields)])

    assert refused.value.field == field
    assert served(space, good.item_key) == {}


def test_a_receipt_is_kept_as_it_is_and_takes_no_revision(
    make_store: Callable[[], SpaceStore], space: Space, noon: datetime
) -> None:
    text = json.dumps({"query": "tea?\n🫖", "budget": 1500}, ensure_ascii=False, indent=2)
    space.keep_receipt("r1", text, at=noon)
    space.keep_receipt("r2", '[1.50, 1e400, "\\ud800"]', at=noon)
    space.close()

    with make_store().open_any("ana").read() as reader:
        assert reader.revision == 0
        assert reader.receipt("r1") == text
        assert reader.receipt("r2") == '[1.50, 1e400, "\\ud800"]'
        assert [reader.receipt(one) for one in ("r3", "", "\ud800")] == [None] * 3


def test_receipts_are_listed_last_kept_first_page_by_page(space: Space, noon: datetime) -> None:
    for number, name in enumerate(["a", "c", "b"]):
        space.keep_receipt(name, f"[{number}]", at=noon + min(number, 1) * HOUR)

    with space.read() as reader:
        pages = [reader.receipts(limit=2), reader.receipts(limit=2, before="b")]
        assert [[one.id for one in page] for page in pages] == [["c", "b"], ["a"]]
        assert (pages[0][0].at, pages[0][0].text) == (noon + HOUR, "[1]")
        assert list(reader.receipts(limit=9, before="nope")) == []


def test_receipts_of_imports_are_listed_apart(space: Space, noon: datetime) -> None:
    for name in ("a", "import:b", "import:c", "imports"):
        space.keep_receipt(name, "{}", at=noon)

    with space.read() as reader:
        assert [one.id for one in reader.receipts(limit=9)] == ["imports", "a"]
        found = reader.receipts(limit=9, imports=True)
        assert [one.id for one in found] == ["import:c", "import:b"]
        [last] = reader.receipts(limit=9, before="import:c", imports=True)
        assert last.id == "import:b"


def test_the_same_receipt_again_is_no_error_and_another_is(space: Space, noon: datetime) -> None:
    space.keep_receipt("r1", "{}", at=noon)

    space.keep_receipt("r1", "{}", at=noon + HOUR)
    with pytest.raises(InvalidInput, match="another receipt is kept as 'r1'"):
        space.keep_receipt("r1", "[]", at=noon)

    with space.read() as reader:
        assert reader.receipt("r1") == "{}"


@pytest.mark.parametrize(
    ("receipt_id", "text", "field"),
    [
        ("", "{}", "receipt_id"),
        ("\ud800", "{}", "receipt_id"),
        ("a\0", "{}", "receipt_id"),
        ("x" * 257, "{}", "receipt_id"),
        ("r", "", "text"),
        ("r", "{", "text"),
        ("r", "NaN", "text"),
        ("r", "[Infinity]", "text"),
        ("r", "{}\0{", "text"),
        ("r", '"\ud800"', "text"),
        ("r", "[" * 10**5 + "]" * 10**5, "text"),
        ("r", b"{}", "text"),
    ],
)
def test_a_receipt_that_cannot_be_kept_is_refused_by_its_name(
    space: Space, noon: datetime, receipt_id: str, text: str, field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        space.keep_receipt(receipt_id, text, at=noon)

    assert refused.value.field == field


def test_a_receipt_needs_a_time_with_a_zone(space: Space, noon: datetime) -> None:
    with pytest.raises(InvalidInput, match="at: needs a time zone"):
        space.keep_receipt("r", "{}", at=noon.replace(tzinfo=None))


def test_writes_of_every_sort_share_the_queue_and_revisions_stay_apart(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    one = prepare("a", id="a")
    space.commit([one], stored_at=noon)
    made = stand_in(space, one)
    failed: list[Exception] = []

    def write(thread: int) -> None:
        for n in range(8):
            name = f"{thread}-{n}"
            background = PreparedBackground(id=name, collection="main", text=name, terms=b"")
            space.put_background(background, at=noon)
            space.record_usage(["a"], how=Engaged.USED, at=noon)
            space.put_surrogates([made])
            space.keep_receipt(name, "{}", at=noon)
            try:
                space.keep_receipt(name, "[]", at=noon)
            except InvalidInput as error:
                failed.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    names = [f"{thread}-{n}" for thread in range(6) for n in range(8)]
    assert len(failed) == len(names)
    assert revision(space) == 1 + 2 * len(names)
    with space.read() as reader:
        assert reader.engagements(["a"])["a"].count == len(names)
        found = [reported for reported, _ in reader.backgrounds("main", limit=99)]
        assert {reader.receipt(name) for name in names} == {"{}"}
    assert sorted(reported.id for reported in found) == sorted(names)
    assert len({reported.revision for reported in found}) == len(names)
    assert all(finding.sound for finding in space.check())
