"""The laws of `ports.Space`: what a write changes, what it must not, and what it refuses."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from simonides.errors import Conflict, InvalidInput
from simonides.model.stored import Change, EmbedderIdentity, Prepared, PreparedChunk
from simonides.ports.space import Space, SpaceStore

Prepare = Callable[..., Prepared]


def ids(space: Space) -> list[str]:
    with space.read() as reader:
        return [row.id for row in reader.item_rows(0)]


def revision(space: Space) -> int:
    with space.read() as reader:
        return reader.revision


def test_each_commit_that_changes_something_takes_one_revision(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    first = space.commit([prepare("a", id="a"), prepare("b", id="b")], stored_at=noon)
    second = space.commit([prepare("c", id="c")], stored_at=noon)

    assert [(one.id, one.change, one.revision) for one in (*first, *second)] == [
        ("a", Change.ADDED, 1),
        ("b", Change.ADDED, 1),
        ("c", Change.ADDED, 2),
    ]
    assert revision(space) == 2


def test_an_equal_digest_changes_nothing(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)

    again = space.commit([prepare("a", id="a")], stored_at=noon + timedelta(days=1))

    assert [(one.change, one.revision) for one in again] == [(Change.UNCHANGED, 1)]
    with space.read() as reader:
        kept = reader.item("a")
        assert (reader.revision, list(reader.deaths(0))) == (1, [])
    assert kept is not None
    assert (kept.stored_at, kept.version) == (noon, 1)


def test_a_commit_of_nothing_takes_no_revision(space: Space, noon: datetime) -> None:
    assert space.commit([], stored_at=noon) == ()
    assert revision(space) == 0


def test_a_replacement_is_a_new_version_under_a_new_key(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("old\nwords", id="a")], stored_at=noon)
    with space.read() as reader:
        (old,) = reader.keys(["a"])

    outcome = space.commit([prepare("new", id="a")], stored_at=noon)

    assert [(one.change, one.revision) for one in outcome] == [(Change.UPDATED, 2)]
    with space.read() as reader:
        (new,) = reader.keys(["a"])
        assert new > old
        assert [tuple(death) for death in reader.deaths(0)] == [(old, 2)]
        assert reader.items([old, new]).keys() == {new}
        assert [row.item_key for row in reader.chunk_rows(0)] == [new]
        assert [row.item_key for row in reader.mention_rows(0)] == [new]
        kept = reader.items([new])[new]
    assert (kept.content, kept.version, kept.revision) == ("new", 2, 2)


def test_of_two_with_one_id_the_last_is_kept_and_both_get_its_outcome(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    outcomes = space.commit(
        [prepare("first", id="a"), prepare("other", id="b"), prepare("last", id="a")],
        stored_at=noon,
    )

    assert [(one.id, one.change) for one in outcomes] == [
        ("a", Change.ADDED),
        ("b", Change.ADDED),
        ("a", Change.ADDED),
    ]
    with space.read() as reader:
        kept = reader.item("a")
        assert len(list(reader.item_rows(0))) == 2
    assert kept is not None
    assert (kept.content, kept.version) == ("last", 1)


def test_one_commit_may_add_update_and_leave(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("same", id="s"), prepare("old", id="u")], stored_at=noon)

    outcomes = space.commit(
        [prepare("same", id="s"), prepare("new", id="u"), prepare("added", id="n")],
        stored_at=noon,
    )

    assert [one.change for one in outcomes] == [Change.UNCHANGED, Change.UPDATED, Change.ADDED]
    assert {one.revision for one in outcomes} == {2}


def test_what_is_forgotten_leaves_the_present(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a"), prepare("b", id="b")], stored_at=noon)
    with space.read() as reader:
        (key,) = reader.keys(["a"])

    gone = space.forget(["a", "unknown", "a", "\ud800"], at=noon)

    assert gone == ("a",)
    assert ids(space) == ["b"]
    with space.read() as reader:
        assert reader.item("a") is None
        assert reader.digests(["a", "b"]).keys() == {"b"}
        assert [tuple(death) for death in reader.deaths(0)] == [(key, 2)]
        assert key not in {row.item_key for row in reader.chunk_rows(0)}
        assert key not in {row.item_key for row in reader.mention_rows(0)}
        assert list(reader.containing(["a"])) == []


def test_forgetting_nothing_takes_no_revision(space: Space, noon: datetime) -> None:
    assert space.forget(["unknown"], at=noon) == ()
    assert space.forget([], at=noon) == ()
    assert revision(space) == 0


def test_only_the_version_that_was_read_is_forgotten(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a"), prepare("b", id="b")], stored_at=noon)
    space.commit([prepare("changed", id="a")], stored_at=noon)
    for expected, found in (({"a": 1}, 2), ({"a": 2, "zz": 1}, 0)):
        with pytest.raises(Conflict) as refused:
            space.forget(["b", "a"], at=noon, expected=expected)
        assert refused.value.found == found

    assert (sorted(ids(space)), revision(space)) == (["a", "b"], 2)
    assert space.forget(["a"], at=noon, expected={"a": 2}) == ("a",)


def test_what_was_forgotten_stays_gone_unless_it_is_asked_back(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    space.forget(["a"], at=noon)

    kept_out = space.commit([prepare("changed", id="a")], stored_at=noon, revive=False)

    assert [(one.change, one.revision) for one in kept_out] == [(Change.FORGOTTEN, 2)]
    assert ids(space) == []
    back = space.commit([prepare("a", id="a")], stored_at=noon)
    assert [(one.change, one.revision) for one in back] == [(Change.ADDED, 3)]
    with space.read() as reader:
        kept = reader.item("a")
    assert kept is not None
    assert kept.version == 2


def test_what_an_import_may_revive_comes_back_by_any_commit(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    assert space.forget(["a"], at=noon, import_may_revive=True) == ("a",)
    assert ids(space) == []

    back = space.commit([prepare("a", id="a")], stored_at=noon, revive=False)

    assert [(one.change, one.revision) for one in back] == [(Change.ADDED, 3)]
    with space.read() as reader:
        kept = reader.item("a")
    assert kept is not None
    assert kept.version == 2


def test_the_last_thing_that_happened_decides_whether_it_was_forgotten(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    for word in ("one", "two", "three"):
        space.commit([prepare(word, id="a")], stored_at=noon)
    space.forget(["a"], at=noon)

    kept_out = space.commit([prepare("four", id="a")], stored_at=noon, revive=False)

    assert [one.change for one in kept_out] == [Change.FORGOTTEN]
    space.commit([prepare("four", id="a")], stored_at=noon)
    with space.read() as reader:
        back = reader.item("a")
    assert back is not None
    assert back.version == 4


def test_what_was_only_replaced_needs_no_revival(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("one", id="a")], stored_at=noon)
    space.commit([prepare("two", id="a")], stored_at=noon, revive=False)

    outcome = space.commit([prepare("three", id="a")], stored_at=noon, revive=False)

    assert [one.change for one in outcome] == [Change.UPDATED]


def test_one_commit_adds_replaces_revives_and_leaves_alone_each_with_its_own_parts(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    before = [prepare(f"{one} first", id=one) for one in ("back", "gone", "new", "same")]
    space.commit(before, stored_at=noon)
    space.forget(["back", "gone"], at=noon)
    space.erase(["gone"], at=noon)

    after = [
        prepare("back\nto\nstay", id="back"), prepare("gone\nand here", id="gone"),
        prepare("same first", id="same"), prepare("new\nwords", id="new"),
        prepare("other", id="other"),
    ]  # fmt: skip
    outcomes = space.commit(after, stored_at=noon)

    assert [one.change.value for one in outcomes] == [
        "added", "added", "unchanged", "updated", "added",
    ]  # fmt: skip
    with space.read() as reader:
        kept = {row.id: row.key for row in reader.item_rows(0)}
        found = reader.items(list(kept.values()))
        assert {one: found[key].version for one, key in kept.items()} == {
            "back": 2, "gone": 2, "same": 1, "new": 2, "other": 1,
        }  # fmt: skip
        lines = {one: len(reader.chunk_spans(key)) for one, key in kept.items()}
        mentioned = [row.item_key for row in reader.mention_rows(0)]
    assert lines == {"back": 3, "gone": 2, "same": 1, "new": 2, "other": 1}
    assert mentioned == sorted(kept.values())


def test_a_key_is_never_used_again(space: Space, prepare: Prepare, noon: datetime) -> None:
    used = []
    for _ in range(3):
        space.commit([prepare("a", id="a")], stored_at=noon)
        with space.read() as reader:
            used += reader.keys(["a"])
        space.forget(["a"], at=noon)

    assert len(set(used)) == 3
    assert used == sorted(used)


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"a": float("nan")}, "finite"),
        ({"a": [{"b": float("inf")}]}, "finite"),
        ({"a": {None: 1}}, r"metadata\.a"),
        ({"a": {1, 2}}, "set"),
        ({"a": b"bytes"}, "bytes"),
        ({"a": "\ud800"}, "half a character"),
        ({"a": 10**5000}, "metadata"),
    ],
)
def test_metadata_that_cannot_be_kept_exactly_is_refused(
    space: Space, prepare: Prepare, noon: datetime, metadata: dict[Any, Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        space.commit([prepare("other"), prepare("good", metadata=metadata)], stored_at=noon)

    assert (ids(space), revision(space)) == ([], 0)


def test_nesting_without_end_is_refused(space: Space, prepare: Prepare, noon: datetime) -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]

    with pytest.raises(InvalidInput, match="metadata"):
        space.commit([prepare("x", metadata={"deep": deep})], stored_at=noon)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"vector": b"123"}, "vector"),
        ({"terms": bytes(8)}, "terms"),
        ({"start": 3, "stop": 2}, "chunks"),
        ({"stop": 99}, "chunks"),
        ({"start": -1}, "chunks"),
    ],
)
def test_a_chunk_that_does_not_fit_is_refused(
    space: Space, prepare: Prepare, noon: datetime, change: dict[str, Any], field: str
) -> None:
    good = prepare("words")
    chunk: PreparedChunk = replace(good.chunks[0], **change)

    with pytest.raises(InvalidInput) as refused:
        space.commit([replace(good, chunks=(chunk,))], stored_at=noon)

    assert refused.value.field == field
    assert ids(space) == []


def test_many_threads_each_get_their_own_revision(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    revisions: list[int] = []

    def keep(thread: int) -> None:
        for n in range(10):
            (outcome,) = space.commit([prepare("x", id=f"{thread}-{n}")], stored_at=noon)
            revisions.append(outcome.revision)

    threads = [threading.Thread(target=keep, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(revisions) == list(range(1, 81))
    assert len(ids(space)) == 80
    assert all(finding.sound for finding in space.check())


def test_a_bad_write_fails_alone(space: Space, prepare: Prepare, noon: datetime) -> None:
    nothing: Any = None
    bad = replace(prepare("bad"), digest=nothing)
    failed: list[Exception] = []

    def keep(one: Prepared) -> None:
        try:
            space.commit([one], stored_at=noon)
        except InvalidInput as error:
            failed.append(error)

    many = [bad if n % 5 == 0 else prepare("x", id=f"{n}") for n in range(20)]
    threads = [threading.Thread(target=keep, args=(one,)) for one in many]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(failed) == 4
    assert len(ids(space)) == 16


def test_a_write_that_fails_half_way_leaves_nothing(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("old", id="a")], stored_at=noon)
    nothing: Any = None
    bad = replace(prepare("bad"), digest=nothing)

    with pytest.raises(InvalidInput):
        space.commit([prepare("new", id="a"), prepare("b", id="b"), bad], stored_at=noon)

    assert ids(space) == ["a"]
    with space.read() as reader:
        kept = reader.item("a")
        assert (reader.revision, list(reader.deaths(0))) == (1, [])
    assert kept is not None
    assert kept.content == "old"


def test_vectors_are_replaced_with_the_embedder_in_one_step(
    store: SpaceStore, space: Space, prepare: Prepare, tiny: EmbedderIdentity, noon: datetime
) -> None:
    space.commit([prepare("a\nb", id="a"), prepare("c", id="c")], stored_at=noon)
    wide = replace(tiny, model="wide", dimension=6)
    with space.read() as before:
        count = space.replace_vectors(
            wide,
            [prepare("c", id="c", vector=b"654321"), prepare("a\nb", id="a", vector=b"123456")],
        )

        assert {row.vector for row in before.chunk_rows(0)} == {b"\x01\x02\x03\x04"}

    assert count == 2
    assert space.embedder == wide
    assert store.open("ana", embedder=wide, create=False) is space
    with space.read() as after:
        assert (after.revision, after.epoch) == (2, 1)
        assert [row.vector for row in after.chunk_rows(0)] == [b"123456", b"123456", b"654321"]
        assert [row.ordinal for row in after.chunk_rows(0)] == [0, 1, 0]
    assert all(finding.sound for finding in space.check())


def test_after_new_vectors_commits_are_measured_by_them(
    space: Space, prepare: Prepare, tiny: EmbedderIdentity, noon: datetime
) -> None:
    space.replace_vectors(replace(tiny, dimension=6), [])

    with pytest.raises(InvalidInput, match="6"):
        space.commit([prepare("old size")], stored_at=noon)
    assert space.commit([prepare("new size", vector=b"123456")], stored_at=noon)


@pytest.mark.parametrize("flaw", ["missing", "twice", "unknown", "changed", "torn"])
def test_new_vectors_must_match_what_is_kept(
    space: Space, prepare: Prepare, tiny: EmbedderIdentity, noon: datetime, flaw: str
) -> None:
    a, b = prepare("a", id="a"), prepare("b", id="b")
    space.commit([a, b], stored_at=noon)
    given = {
        "missing": [a],
        "twice": [a, a],
        "unknown": [a, b, prepare("c", id="c")],
        "changed": [a, prepare("B", id="b")],
        "torn": [a, prepare("b", id="b", vector=b"1")],
    }[flaw]

    with pytest.raises(InvalidInput):
        space.replace_vectors(replace(tiny, model="big"), iter(given))

    assert space.embedder == tiny
    with space.read() as reader:
        assert (reader.revision, reader.epoch) == (1, 0)
        assert len(list(reader.chunk_rows(0))) == 2
    assert space.commit([prepare("still writing")], stored_at=noon)


def test_counts_and_sizes_are_reported(space: Space, prepare: Prepare, noon: datetime) -> None:
    early, late = noon - timedelta(days=9), noon + timedelta(days=9)
    space.commit([prepare("a\nb", id="a", source="gmail", happened_at=late)], stored_at=noon)
    space.commit([prepare("c", id="c", happened_at=early), prepare("d", id="d")], stored_at=noon)
    space.commit([prepare("e", id="d")], stored_at=noon)
    space.forget(["d"], at=noon)

    reported = space.stats()

    assert (reported.space, reported.embedder, reported.revision) == ("ana", "tiny", 4)
    assert (reported.items, reported.chunks, reported.archived) == (2, 3, 2)
    assert (reported.oldest, reported.newest) == (early, late)
    assert (reported.by_kind, reported.by_source) == ({"memory": 2}, {"gmail": 1, "note": 1})
    assert sum(reported.by_language.values()) == 2
    assert reported.bytes_on_disk > 0


def test_a_sound_space_passes_every_look(space: Space, prepare: Prepare, noon: datetime) -> None:
    space.commit([prepare("a\nb", id="a", metadata={"x": [1]}, tags=("t",))], stored_at=noon)
    space.commit([prepare("c", id="a")], stored_at=noon)
    space.forget(["a"], at=noon)
    space.commit([prepare("with \0 inside", id="n")], stored_at=noon)

    findings = space.check()

    assert len(findings) >= 5
    assert [finding for finding in findings if not finding.sound] == []
