"""The laws of the past: a look back shows what was, no update is lost, compaction is honest."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from simonides.errors import Conflict, HistoryGone, InvalidInput, StoreError
from simonides.model.item import Kind, digest
from simonides.model.maintenance import Removed
from simonides.model.metadata_keys import MOVED_KEY
from simonides.model.stored import (
    Change,
    EmbedderIdentity,
    Engaged,
    Prepared,
    PreparedBackground,
    Surrogate,
)
from simonides.ports.space import Reader, Space, SpaceStore

Prepare = Callable[..., Prepared]
DAY = timedelta(days=1)
FAR = datetime(2030, 1, 1, tzinfo=UTC)


def written(space: Space, prepare: Prepare, noon: datetime) -> None:
    """Write five revisions: a and b, a changed, b forgotten, c, b again with other words."""
    space.commit([prepare("tea\nmilk", id="a"), prepare("ham", id="b")], stored_at=noon)
    space.commit([prepare("coffee", id="a")], stored_at=noon + DAY)
    space.forget(["b"], at=noon + 2 * DAY)
    space.commit([prepare("rice", id="c", metadata={"n": 3})], stored_at=noon + 3 * DAY)
    space.commit([prepare("eggs", id="b")], stored_at=noon + 4 * DAY)


def shown(reader: Reader) -> dict[str, tuple[str, int]]:
    """Return the words and version of each item, by all ways of reading, which must agree."""
    rows = list(reader.item_rows(0))
    by_key = reader.items([row.key for row in rows])
    found = {row.id: by_key[row.key] for row in rows}
    ids = sorted(found)

    assert [row.key for row in rows] == sorted(by_key)
    assert reader.items(KEYS) == by_key
    assert {key for key, _ in reader.containing(LETTERS, among=KEYS)} == set(by_key)
    assert {key for key, _ in reader.containing(LETTERS)} == set(by_key)
    assert {one: reader.item(one) for one in ids} == found
    assert reader.digests(ids) == {one: digest(found[one]) for one in ids}
    assert reader.keys(ids) == sorted(by_key)
    assert {row.item_key for row in reader.chunk_rows(0)} == set(by_key)
    assert {row.item_key for row in reader.mention_rows(0)} == set(by_key)
    spans = {row.id: reader.chunk_spans(row.key)[-1][1] for row in rows}
    assert spans == {one: len(found[one].content) for one in ids}
    firsts = reader.passages([(row.key, 0) for row in rows])
    assert firsts == [(by_key[row.key], slice(*reader.chunk_spans(row.key)[0])) for row in rows]
    return {one: (found[one].content, found[one].version) for one in ids}


KEYS = range(1, 20)
"""Every key there may be; those of the dead and the unborn must not be shown."""
LETTERS = ("a", "e", "i", "o")

STATES: list[dict[str, tuple[str, int]]] = [
    {},
    {"a": ("tea\nmilk", 1), "b": ("ham", 1)},
    {"a": ("coffee", 2), "b": ("ham", 1)},
    {"a": ("coffee", 2)},
    {"a": ("coffee", 2), "c": ("rice", 1)},
    {"a": ("coffee", 2), "b": ("eggs", 2), "c": ("rice", 1)},
]


@pytest.mark.parametrize("revision", range(6))
def test_a_look_back_shows_what_was_present_then(
    space: Space, prepare: Prepare, noon: datetime, revision: int
) -> None:
    written(space, prepare, noon)

    with space.read() as reader:
        then = reader.past(revision)

        assert (then.revision, then.epoch, then.floor) == (revision, 0, 0)
        assert shown(then) == STATES[revision]
        assert shown(reader) == STATES[-1]


def test_a_look_back_reads_on_from_a_revision_of_its_own_past(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    with space.read() as reader:
        then = reader.past(4)

        assert [row.id for row in then.item_rows(1)] == ["a", "c"]
        assert [row.id for row in then.item_rows(3)] == ["c"]
        assert list(then.item_rows(4)) == []
        assert [death.died for death in then.deaths(0)] == [2, 3]
        assert [death.died for death in then.deaths(2)] == [3]


def test_a_look_back_finds_words_and_metadata_of_then(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)
    space.commit([prepare("soup", id="c", metadata={"n": 4})], stored_at=noon + 5 * DAY)

    with space.read() as reader:
        before, after = reader.past(1), reader.past(5)
        (a, b) = before.keys(["a", "b"])

        assert list(before.containing(["tea", "milk", "ham"])) == [(a, 2), (b, 1)]
        assert list(before.containing(["ham"], among=[a, b])) == [(b, 1)]
        assert list(after.containing(["tea", "ham"])) == []
        assert [value for _, value in before.metadata("n", 0)] == []
        assert [value for _, value in after.metadata("n", 0)] == [3]
        assert [value for _, value in reader.metadata("n", 0)] == [4]


def test_a_look_back_finds_documents_and_moves_of_then(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    def write(number: int) -> None:
        metadata = {MOVED_KEY: number}
        fields = {"kind": Kind.DOCUMENT, "session": "s", "metadata": metadata}
        space.commit([prepare(f"{number}", id="a", **fields)], stored_at=noon + number * DAY)

    for number in (1, 2):
        write(number)
    space.forget(["a"], at=noon + 3 * DAY)

    with space.read() as reader:
        first, second, gone = (reader.past(number) for number in (1, 2, 3))

        assert [list(one.read_moved()) for one in (first, second, gone, reader)] == [
            [1],
            [2],
            [],
            [],
        ]
        assert list(reader.every().read_moved()) == [1, 2]
        assert first.documents_of("s") == list(zip(first.keys(["a"]), ["a"], strict=True))
        assert second.documents_of("s") == list(zip(second.keys(["a"]), ["a"], strict=True))
        assert gone.documents_of("s") == reader.documents_of("s") == []
        assert [one for _, one in reader.every().documents_of("s")] == ["a", "a"]


def test_a_look_back_sees_backgrounds_and_engagement_of_then(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("tea", id="a")], stored_at=noon)
    for number in range(3):
        words = f"state {number}"
        put = PreparedBackground(id=f"s{number}", collection="main", text=words, terms=b"")
        space.put_background(put, at=noon + number * DAY)
        space.record_usage(["a"], how=Engaged.USED, at=noon + number * DAY)
    space.delete_background("s0", due=FAR)

    with space.read() as reader:
        for revision, text, count in (
            (1, None, 0),
            (2, None, 0),
            (4, "state 1", 1),
            (7, "state 2", 3),
        ):
            then = reader.past(revision)
            found = then.background("main")
            engaged = then.engagements(["a"]).get("a")

            assert (found and found.text) == text  # what was deleted since does not come back
            assert (engaged.count if engaged else 0) == count
        listed = reader.past(4).backgrounds("main", limit=9)
        assert [one.text for one, _ in listed] == ["state 1"]
        assert reader.past(6).backgrounds("main", limit=9, before="s2")[0][0].text == "state 1"


def test_a_look_back_serves_surrogates_of_versions_that_are_still_present(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)
    with space.read() as reader:
        (key,) = reader.keys(["c"])
        source = reader.digests(["c"])["c"]
    space.put_surrogates(
        [Surrogate(item_key=key, algorithm="x", version=1, source_hash=source, full="", gist="",
                   micro="")]
    )  # fmt: skip

    with space.read() as reader:
        then = reader.past(4)

        assert set(then.surrogates([key], algorithm="x")) == {key}
        assert then.without_surrogates(
            algorithm="x", version=2, chars_min=0, after_key=0, limit=9
        ) == []  # fmt: skip


def test_a_revision_that_is_not_there_is_refused(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    with space.read() as reader:
        with pytest.raises(InvalidInput, match="as_of: the space is at revision 5, got 6"):
            reader.past(6)
        with pytest.raises(InvalidInput, match="as_of"):
            reader.past(-1)


def test_a_look_back_ends_with_the_look_it_is_part_of(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)
    with space.read() as reader:
        then = reader.past(1)

    with pytest.raises(StoreError, match="over"):
        then.item("a")


def test_a_time_means_the_last_revision_committed_at_or_before_it(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)
    second = timedelta(seconds=1)

    with space.read() as reader:
        assert reader.revision_at(noon - second) == 0
        assert reader.revision_at(noon) == 1
        assert reader.revision_at(noon + DAY - second) == 1
        assert reader.revision_at(noon + DAY) == 2
        assert reader.revision_at(FAR) == 5
        row = reader.revision_row(3)
        assert row is not None
        assert (row.revision, row.at, row.epoch) == (3, noon + 2 * DAY, 0)
        assert reader.revision_row(0) is None
        with pytest.raises(InvalidInput, match="time zone"):
            reader.revision_at(datetime(2026, 3, 6))  # noqa: DTZ001  that is what is refused


def test_a_version_that_died_by_a_clock_that_was_ahead_is_found(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    times = (noon, noon + 2 * DAY, noon + 9 * DAY, noon + 3 * DAY, noon + 8 * DAY, noon + 4 * DAY)
    names = ("a", "a", "b", "a", "a", "b")  # the third write is ahead, and takes nothing out
    for number, (name, when) in enumerate(zip(names, times, strict=True)):
        space.commit([prepare(f"state {number}", id=name)], stored_at=when)

    with space.read() as reader:
        assert reader.late_death(noon + 5 * DAY, until=6) == 5
        assert reader.late_death(noon + 5 * DAY, until=4) is None
        assert reader.late_death(noon + DAY, until=6) == 2
        assert reader.late_death(noon + 8 * DAY, until=99) is None
        with pytest.raises(InvalidInput, match="time zone"):
            reader.late_death(datetime(2026, 3, 6), until=6)  # noqa: DTZ001  that is what is refused
    space.compact(before=2, now=noon, decided_before=None, limit=9)
    with space.read() as reader:
        assert (reader.floor, reader.late_death(noon + DAY, until=6)) == (2, 4)


def test_each_sort_of_write_has_its_time(space: Space, prepare: Prepare, noon: datetime) -> None:
    written(space, prepare, noon)
    put = PreparedBackground(id="s", collection="main", text="x", terms=b"")
    space.put_background(put, at=noon + 6 * DAY)
    space.record_usage(["a"], how=Engaged.OPENED, at=noon + 7 * DAY)
    space.delete_background("s", due=FAR)

    with space.read() as reader:
        rows = [reader.revision_row(number) for number in (6, 7, 8)]
        assert [row and row.at for row in rows] == [noon + 6 * DAY, *[noon + 7 * DAY] * 2]


def test_every_version_that_is_kept_is_reported_with_its_end(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    with space.read() as reader:
        rows = [
            (
                row.item.content,
                row.item.version,
                row.item.revision,
                row.died,
                row.died_at,
                row.cause,
            )
            for row in reader.versions("b")
        ]
        assert rows == [
            ("ham", 1, 1, 3, noon + 2 * DAY, "forgotten"),
            ("eggs", 2, 5, None, None, ""),
        ]
        assert [row.cause for row in reader.versions("a")] == ["replaced", ""]
        assert [row.item.version for row in reader.past(1).versions("b")] == [1]
        assert reader.versions("nobody") == []
        assert reader.versions("\ud800") == []


def test_the_epoch_of_a_revision_is_that_of_then(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("tea", id="a")], stored_at=noon)
    identity = EmbedderIdentity(model="other", dimension=2, window_words=20, quantiser="fixed/1")
    space.replace_vectors(identity, [prepare("tea", id="a", vector=b"\x01\x02")])
    space.commit([prepare("ham", id="b", vector=b"\x01\x02")], stored_at=noon + DAY)

    with space.read() as reader:
        rows = [reader.revision_row(number) for number in (1, 2, 3)]
        assert [row and row.epoch for row in rows] == [0, 1, 1]
        assert [row and row.at for row in rows] == [noon, noon, noon + DAY]


# ── compare and set ────────────────────────────────────────────────────────────────────────────


def test_a_commit_that_expects_the_present_version_is_made(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    outcomes = space.commit(
        [prepare("cocoa", id="a"), prepare("new", id="d")],
        stored_at=noon,
        expected={"a": 2, "d": 0},
    )

    assert [one.change for one in outcomes] == [Change.UPDATED, Change.ADDED]


@pytest.mark.parametrize(
    ("expected", "found"), [({"a": 1}, 2), ({"a": 3}, 2), ({"a": 0}, 2), ({"nobody": 1}, 0)]
)
def test_a_commit_that_expects_another_version_writes_nothing(
    space: Space, prepare: Prepare, noon: datetime, expected: dict[str, int], found: int
) -> None:
    written(space, prepare, noon)

    with pytest.raises(Conflict, match="decide anew") as caught:
        space.commit(
            [prepare("x", id="x"), prepare("cocoa", id="a")], stored_at=noon, expected=expected
        )

    assert (caught.value.found, caught.value.expected) == (found, next(iter(expected.values())))
    with space.read() as reader:
        assert reader.revision == 5
        assert shown(reader) == STATES[-1]


def test_what_changes_nothing_is_held_to_its_expectation_too(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    with pytest.raises(Conflict):
        space.commit([prepare("coffee", id="a")], stored_at=noon, expected={"a": 1})


def test_of_many_that_expect_one_version_one_gets_through(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)
    start, reported = threading.Barrier(8), []

    def attempt(number: int) -> None:
        mine = prepare(f"cocoa {number}", id="a")
        start.wait()
        try:
            space.commit([mine], stored_at=noon, expected={"a": 2})
            reported.append("made")
        except Conflict:
            reported.append("refused")

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(reported) == ["made", *["refused"] * 7]


# ── compaction ─────────────────────────────────────────────────────────────────────────────────


def compacted(space: Space, before: int, **given: Any) -> Removed:
    """Compact a space in one slice, unless another limit is given."""
    standard: dict[str, Any] = {"now": FAR, "decided_before": None, "limit": 100}
    return space.compact(before=before, **standard | given)


def test_what_died_by_then_goes_and_the_floor_rises_with_it(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    removed = compacted(space, 2)

    assert (removed.versions, removed.more) == (1, False)
    with space.read() as reader:
        assert reader.floor == 2
        assert [row.item.version for row in reader.versions("a")] == [2]
        assert [row.item.version for row in reader.versions("b")] == [1, 2]
        for revision in range(2, 6):
            assert shown(reader.past(revision)) == STATES[revision]
        with pytest.raises(HistoryGone, match="oldest that can be asked is revision 2") as caught:
            reader.past(1)
        assert caught.value.oldest == 2
        with pytest.raises(HistoryGone, match="2026-03-06"):
            reader.revision_at(noon)
        assert reader.revision_at(noon + DAY) == 2


def test_nothing_goes_that_died_later(space: Space, prepare: Prepare, noon: datetime) -> None:
    written(space, prepare, noon)

    assert compacted(space, 1) == Removed()
    with space.read() as reader:
        assert reader.floor == 0
        assert shown(reader.past(1)) == STATES[1]


def test_slices_take_the_first_to_die_first_and_leave_no_gap(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    for number in range(7):
        space.commit([prepare(f"state {number}", id="a")], stored_at=noon + number * DAY)

    first = compacted(space, 7, limit=2)

    assert (first.versions, first.more) == (2, True)
    with space.read() as reader:
        assert reader.floor == 3
        contents = [shown(reader.past(number))["a"][0] for number in range(3, 8)]
        assert contents == [f"state {number}" for number in range(2, 7)]
    rest = [compacted(space, 7, limit=2) for _ in range(3)]
    assert [one.versions for one in rest] == [2, 2, 0]
    assert not rest[-1].more


def test_a_compaction_takes_no_revision_and_does_not_touch_the_present(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    compacted(space, 5)

    with space.read() as reader:
        assert (reader.revision, reader.epoch) == (5, 0)
        assert shown(reader) == STATES[-1]
    assert space.stats().archived == 0
    assert all(finding.sound for finding in space.check())


def test_a_reader_goes_on_seeing_what_a_compaction_takes(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    with space.read() as reader:
        compacted(space, 5)

        assert shown(reader.past(1)) == STATES[1]
        assert reader.floor == 0


def test_what_was_forgotten_stays_unknown_to_imports_after_compaction(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)
    space.record_usage(["c"], how=Engaged.USED, at=noon)
    space.forget(["c"], at=noon)

    compacted(space, 7)

    with space.read() as reader:
        assert reader.versions("c") == []
        assert reader.engagements(["c"]) == {}
    (kept_out,) = space.commit([prepare("rice", id="c")], stored_at=noon, revive=False)
    (revived,) = space.commit([prepare("rice", id="c")], stored_at=noon)
    assert (kept_out.change, revived.change) == (Change.FORGOTTEN, Change.ADDED)
    with space.read() as reader:
        (row,) = reader.versions("c")
        assert row.item.version == 2  # it goes on counting: version 1 was another one


def test_an_item_that_came_back_is_not_marked_as_forgotten(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)
    space.record_usage(["b"], how=Engaged.USED, at=noon)

    compacted(space, 5)

    with space.read() as reader:
        assert reader.engagements(["b"])["b"].count == 1

    (outcome,) = space.commit([prepare("bread", id="b")], stored_at=noon, revive=False)
    assert outcome.change is Change.UPDATED


def test_engagement_of_before_the_floor_is_summed_up(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("tea", id="a")], stored_at=noon)
    for number in range(4):
        space.record_usage(["a"], how=Engaged.USED, at=noon + number * DAY)
    space.record_usage(["a"], how=Engaged.CITED, at=noon)
    space.commit([prepare("milk", id="a")], stored_at=noon + 9 * DAY)
    space.record_usage(["a"], how=Engaged.USED, at=noon + 10 * DAY)
    with space.read() as reader:
        was = [reader.past(number).engagements(["a"]) for number in (7, 8)]

    removed = compacted(space, 7)

    assert removed.engagements == 3
    with space.read() as reader:
        assert [reader.past(number).engagements(["a"]) for number in (7, 8)] == was
        assert was[1]["a"].count == 6


def test_backgrounds_that_are_due_go_and_others_stay(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("tea", id="a")], stored_at=noon)
    for name, due in (("early", noon), ("late", FAR), ("kept", None)):
        put = PreparedBackground(id=name, collection="main", text=name, terms=b"")
        space.put_background(put, at=noon)
        if due is not None:
            space.delete_background(name, due=due)

    assert space.due(before=0, now=noon, limit=9) == 1
    assert compacted(space, 0, now=noon).backgrounds == 1
    again = PreparedBackground(id="late", collection="main", text="late", terms=b"")
    assert space.put_background(again, at=FAR).created_at == noon  # it was only hidden
    with space.read() as reader:
        assert len(reader.backgrounds("main", limit=9)) == 2


def test_what_could_go_is_counted_up_to_a_limit(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    written(space, prepare, noon)

    assert [space.due(before=before, now=noon, limit=9) for before in (0, 2, 5)] == [0, 1, 2]
    assert space.due(before=5, now=noon, limit=1) == 1


def test_versions_that_leave_the_present_are_counted(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    assert space.departed == 0
    written(space, prepare, noon)
    assert space.departed == 2


@pytest.mark.files
def test_a_file_gives_its_room_back(space: Space, prepare: Prepare, noon: datetime) -> None:
    text = "\n".join(f"line {number} of a long text" for number in range(400))
    for number in range(40):
        space.commit([prepare(f"{number} {text}", id="a")], stored_at=noon)
    before = space.stats().bytes_on_disk
    compacted(space, 40)

    assert not space.is_loose()
    while space.give_back(pages=64):
        pass
    cut = space.stats().bytes_on_disk
    space.write_anew()

    assert cut < before / 4
    assert space.stats().bytes_on_disk <= cut
    with space.read() as reader:
        assert [row.id for row in reader.item_rows(0)] == ["a"]
    assert all(finding.sound for finding in space.check())


def test_the_past_is_the_same_for_who_opens_the_space_anew(
    make_store: Callable[[], SpaceStore], tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    first = make_store()
    written(first.open("ana", embedder=tiny, create=True), prepare, noon)
    compacted(first.open("ana", embedder=tiny, create=False), 2)
    first.close()

    with make_store().open("ana", embedder=tiny, create=False).read() as reader:
        assert reader.floor == 2
        assert [shown(reader.past(number)) for number in range(2, 6)] == STATES[2:]
