"""The laws of going out and coming in again: what is kept is told, and comes back as it was."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from simonides.errors import InvalidInput
from simonides.model.export import (
    ErasedMark,
    ExportHead,
    Kept,
    KeptBackground,
    KeptEngagement,
    KeptProposal,
    KeptReceipt,
    KeptVersion,
)
from simonides.model.item import Item, MemoryTraits
from simonides.model.stored import Change, EmbedderIdentity, Engaged, Prepared, PreparedBackground
from simonides.ports.maintenance import Made
from simonides.ports.space import Space, SpaceStore

Prepare = Callable[..., Prepared]
Ready = Callable[[Iterable[Kept]], list[tuple[Kept, Made]]]

HOUR = timedelta(hours=1)


def kept(space: Space) -> list[Kept]:
    with space.read() as reader:
        return list(reader.read_all())


def head_of(space: Space) -> ExportHead:
    with space.read() as reader:
        return ExportHead(uuid=space.uuid, revision=reader.revision, floor=reader.floor)


@pytest.fixture
def ready(prepare: Prepare) -> Ready:
    """Return a function that makes records ready to come in again."""

    def made(one: Kept) -> Made:
        if isinstance(one, KeptVersion):
            fields = {name: getattr(one.item, name) for name in Item.__slots__}
            return prepare(**fields)
        if isinstance(one, KeptBackground):
            return PreparedBackground(
                id=one.id, collection=one.collection, text=one.text, terms=b""
            )
        return None

    return lambda records: [(one, made(one)) for one in records]


@pytest.fixture
def full(space: Space, prepare: Prepare, noon: datetime) -> Space:
    """A space in which something of every sort is kept."""
    for n, text in enumerate(("first", "second", "third")):
        space.commit([prepare(text, id="a", tags=("x",))], stored_at=noon + n * HOUR)
    space.commit([prepare("b", id="b"), prepare("c", id="c")], stored_at=noon)
    space.forget(["b"], at=noon + HOUR)
    for name in ("old", "new", "deleted"):
        background = PreparedBackground(id=name, collection="main", text=name, terms=b"")
        space.put_background(background, at=noon)
    space.delete_background("deleted", due=noon)
    space.record_usage(["a", "c"], how=Engaged.CITED, at=noon)
    space.keep_receipt("r", '{"items": []}', at=noon)
    space.commit([prepare("e", id="e")], stored_at=noon)
    space.erase(["e"], at=noon)
    return space


@pytest.fixture
def empty(store: SpaceStore, tiny: EmbedderIdentity) -> Space:
    """Another space, in which nothing was ever kept."""
    return store.open("copy", embedder=tiny, create=True)


def refused(space: Space, head: ExportHead, records: list[tuple[Kept, Made]]) -> list[str]:
    """Fill a space and return why records were refused."""
    reasons: list[str] = []
    space.fill(head, records, refuse=lambda _record, reason: reasons.append(reason))
    return reasons


def test_everything_kept_is_reported_in_its_order(full: Space, noon: datetime) -> None:
    reported = kept(full)

    assert [type(one) for one in reported] == [
        ErasedMark, ErasedMark, KeptBackground, KeptBackground, *[KeptVersion] * 5,
        KeptEngagement, KeptEngagement, KeptReceipt,
    ]  # fmt: skip
    versions = [one for one in reported if isinstance(one, KeptVersion)]
    assert [(one.item.id, one.item.version, one.died, one.cause) for one in versions] == [
        ("a", 1, 2, "replaced"), ("a", 2, 3, "replaced"), ("a", 3, None, ""),
        ("b", 1, 5, "forgotten"), ("c", 1, None, ""),
    ]  # fmt: skip
    assert versions[0].died_at == noon + HOUR
    assert versions[2].item.stored_at == noon + 2 * HOUR
    assert [one.id for one in reported if isinstance(one, KeptBackground)] == ["old", "new"]
    assert reported[-1] == KeptReceipt(id="r", at=noon, text='{"items": []}')


def test_an_empty_space_that_is_filled_keeps_what_the_other_kept(
    full: Space, empty: Space, ready: Ready
) -> None:
    assert empty.is_empty()
    assert not full.is_empty()
    reported = kept(full)

    assert refused(empty, head_of(full), ready(reported)) == []

    assert kept(empty) == reported
    assert head_of(empty) == head_of(full)
    assert empty.uuid == full.uuid
    with full.read() as one, empty.read() as other:
        for name in ("item_rows", "chunk_rows", "mention_rows"):
            found = [row._replace(**{row._fields[0]: 0}) for row in getattr(other, name)(0)]
            assert found == [row._replace(**{row._fields[0]: 0}) for row in getattr(one, name)(0)]
        assert [d.died for d in one.deaths(0)] == [d.died for d in other.deaths(0)]
    assert all(finding.sound for finding in empty.check())


def test_a_filled_space_can_be_written_to_and_opened_anew(
    make_store: Callable[[], SpaceStore], full: Space, empty: Space, ready: Ready, prepare: Prepare
) -> None:
    refused(empty, head_of(full), ready(kept(full)))
    at = next(one.at for one in kept(full) if isinstance(one, KeptReceipt))
    [outcome] = empty.commit([prepare("fourth", id="a")], stored_at=at)
    empty.close()
    again = make_store().open_any("copy")

    assert outcome.revision == head_of(full).revision + 1
    with again.read() as reader:
        item = reader.item("a")
    assert item is not None
    assert (item.content, item.version) == ("fourth", 4)


def test_a_space_that_holds_something_is_not_filled(
    full: Space, empty: Space, ready: Ready, prepare: Prepare, noon: datetime
) -> None:
    empty.commit([prepare("own", id="own")], stored_at=noon)
    before = kept(empty)

    with pytest.raises(InvalidInput, match="only an empty one can be filled"):
        empty.fill(head_of(full), ready(kept(full)), refuse=lambda _one, _why: None)

    assert kept(empty) == before


def test_a_space_of_which_everything_was_erased_is_not_empty(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    space.erase(["a"], at=noon)

    assert not space.is_empty()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"revision": 0}, "must lie in 1 to"),
        ({"revision": 99}, "must lie in 1 to"),
        ({"version": 0}, "needs a number above 0"),
        ({"stored_at": None}, "the time it was stored at"),
    ],
)
def test_a_version_that_can_not_have_been_is_refused_alone(
    full: Space, empty: Space, ready: Ready, change: dict[str, object], reason: str
) -> None:
    reported = kept(full)
    [c] = [one for one in reported if isinstance(one, KeptVersion) and one.item.id == "c"]
    wrong = replace(c, item=replace(c.item, **change))  # type: ignore[arg-type]
    reasons = refused(empty, head_of(full), ready([wrong if one is c else one for one in reported]))

    assert len(reasons) == 1
    assert reason in reasons[0]
    assert kept(empty) == [one for one in reported if one is not c]


@pytest.mark.parametrize("death", [{"died": 1}, {"died": 99}, {"cause": "tired"}])
def test_a_death_that_can_not_have_been_is_refused(
    full: Space, empty: Space, ready: Ready, death: dict[str, object]
) -> None:
    reported = kept(full)
    first = next(one for one in reported if isinstance(one, KeptVersion))
    wrong = replace(first, **death)  # type: ignore[arg-type]

    reasons = refused(
        empty, head_of(full), ready([wrong if one is first else one for one in reported])
    )

    assert len(reasons) == 1
    assert all(finding.sound for finding in empty.check())


def test_versions_out_of_their_order_are_refused(full: Space, empty: Space, ready: Ready) -> None:
    reported = [one for one in kept(full) if isinstance(one, KeptVersion)]

    reasons = refused(
        empty, head_of(full), ready([reported[-1], reported[0], reported[2], reported[2]])
    )

    assert len(reasons) == 3
    assert all("falls from" in reason for reason in reasons)
    assert kept(empty) == [reported[-1]]


def test_two_present_versions_of_one_item_can_not_both_come(
    full: Space, empty: Space, ready: Ready
) -> None:
    reported = kept(full)
    present = [one for one in reported if isinstance(one, KeptVersion) and one.died is None]
    twin = replace(present[-1], item=replace(present[-1].item, id="a"))

    reasons = refused(empty, head_of(full), ready([*present, twin]))

    assert len(reasons) == 1
    assert kept(empty) == present


def test_what_nothing_was_made_ready_of_is_refused(full: Space, empty: Space) -> None:
    reported = [one for one in kept(full) if isinstance(one, KeptVersion | KeptBackground)]

    reasons = refused(empty, head_of(full), [(one, None) for one in reported])

    assert len(reasons) == len(reported)
    assert kept(empty) == []


def test_what_fails_half_way_leaves_the_space_empty(
    full: Space, empty: Space, ready: Ready
) -> None:
    def broken() -> Iterable[tuple[Kept, Made]]:
        yield from ready(kept(full))[:4]
        raise RuntimeError("the model failed")

    with pytest.raises(RuntimeError):
        empty.fill(head_of(full), broken(), refuse=lambda _one, _why: None)

    assert empty.is_empty()
    assert empty.uuid != full.uuid


PROPOSED = {
    "text": "Tea.", "evidence": ["own"], "traits": {
        name: getattr(MemoryTraits(), name) for name in MemoryTraits.__slots__
    }, "happened_us": None, "note": "", "by": "a model", "collection": "main", "outcome": None,
}  # fmt: skip


def test_what_lies_beside_items_is_merged_once(
    full: Space, empty: Space, ready: Ready, prepare: Prepare, noon: datetime
) -> None:
    empty.commit([prepare("own", id="own")], stored_at=noon)
    proposal = KeptProposal(
        id="p", created_at=noon, status="pending", decided_at=None, body=json.dumps(PROPOSED)
    )
    beside = [one for one in kept(full) if not isinstance(one, KeptVersion)]
    records = ready([*beside, proposal])

    first = empty.merge_aside(records)
    between = head_of(empty).revision
    again = empty.merge_aside(records)

    assert set(first) == {Change.ADDED.value}
    assert set(again) == {Change.UNCHANGED.value}
    assert head_of(empty).revision == between
    assert [type(one) for one in kept(empty)] == [
        ErasedMark, ErasedMark, KeptBackground, KeptBackground, KeptVersion, KeptEngagement,
        KeptEngagement, KeptReceipt, KeptProposal,
    ]  # fmt: skip
    marked = empty.commit([prepare("e", id="e")], stored_at=noon, revive=False)
    assert marked[0].change is Change.FORGOTTEN


def test_a_background_that_was_deleted_here_stays_so(
    full: Space, empty: Space, ready: Ready, noon: datetime
) -> None:
    records = ready([one for one in kept(full) if isinstance(one, KeptBackground)])
    empty.merge_aside(records)
    empty.delete_background("new", due=noon)

    assert empty.merge_aside(records) == ("unchanged", "unchanged")
    with empty.read() as reader:
        assert [one.id for one, _ in reader.backgrounds("main", limit=9)] == ["old"]


@pytest.mark.parametrize("verb", ["erase", "compact"])
def test_a_background_that_was_deleted_and_removed_here_stays_so(
    full: Space, empty: Space, ready: Ready, noon: datetime, verb: str
) -> None:
    records = ready([one for one in kept(full) if isinstance(one, KeptBackground)])
    empty.merge_aside(records)
    empty.delete_background("new", due=noon)
    if verb == "erase":
        assert empty.erase((), at=noon).backgrounds == 1
    else:
        removed = empty.compact(before=0, now=noon, decided_before=None, limit=9)
        assert removed.backgrounds == 1

    assert empty.merge_aside(records) == ("unchanged", "unchanged")
    with empty.read() as reader:
        assert [one.id for one, _ in reader.backgrounds("main", limit=9)] == ["old"]


def test_a_background_that_is_put_again_comes_back_and_goes_on(
    space: Space, empty: Space, ready: Ready, noon: datetime
) -> None:
    one = PreparedBackground(id="x", collection="main", text="x", terms=b"")
    space.put_background(one, at=noon)
    space.delete_background("x", due=noon)
    space.erase((), at=noon)
    space.put_background(one, at=noon)

    records = ready(kept(space))
    assert [type(record) for record, _ in records] == [KeptBackground]
    assert refused(empty, head_of(space), records) == []
    with empty.read() as reader:
        assert [found.id for found, _ in reader.backgrounds("main", limit=9)] == ["x"]


def test_engagement_that_was_summed_up_is_not_counted_twice(
    space: Space, ready: Ready, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("a", id="a")], stored_at=noon)
    for n in range(3):
        space.record_usage(["a"], how=Engaged.CITED, at=noon + n * HOUR)
    records = ready([one for one in kept(space) if isinstance(one, KeptEngagement)])
    space.commit([prepare("b", id="b")], stored_at=noon)
    space.forget(["b"], at=noon)
    last = head_of(space).revision
    assert space.compact(before=last, now=noon, decided_before=None, limit=9).engagements == 2

    assert set(space.merge_aside(records)) == {"unchanged"}
    later = KeptEngagement(item_id="a", how="cited", at=noon + 9 * HOUR, revision=1)
    assert space.merge_aside([(later, None)]) == ("added",)
    with space.read() as reader:
        assert reader.engagements(["a"])["a"].count == 4


def test_what_can_not_be_kept_is_reported_and_the_rest_is_kept(
    space: Space, noon: datetime
) -> None:
    space.keep_receipt("r", "{}", at=noon)
    wrong: list[Kept] = [
        KeptReceipt(id="r", at=noon, text="[]"),
        KeptReceipt(id="s", at=noon, text="{"),
        KeptEngagement(item_id="a", how="found", at=noon, revision=1),
        ErasedMark(id_hash=b"short", at=noon),
        KeptProposal(id="p", created_at=noon, status="maybe", decided_at=None, body="{}"),
        KeptReceipt(id="t", at=noon, text="{}"),
    ]

    said = space.merge_aside([(one, None) for one in wrong])

    assert said[-1] == "added"
    assert not {"added", "unchanged"} & set(said[:-1])
    with space.read() as reader:
        assert (reader.receipt("r"), reader.receipt("s"), reader.receipt("t")) == ("{}", None, "{}")


def test_what_names_an_item_that_was_erased_here_stays_out(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    space.commit([prepare("secret", id="a"), prepare("open", id="b")], stored_at=noon)
    space.erase(["a"], at=noon)
    naming: list[Kept] = [
        KeptReceipt(id="r", at=noon, text='{"items": [{"id": "a"}]}'),
        KeptReceipt(id="s", at=noon, text='{"found": {"deep": [{"a": 1}]}}'),
        KeptProposal(id="p", created_at=noon, status="pending", decided_at=None, body='["a"]'),
        KeptEngagement(item_id="a", how="opened", at=noon, revision=1),
        KeptReceipt(id="t", at=noon, text="{"),
        KeptReceipt(id="u", at=noon, text="[" * 100_000 + "]" * 100_000),
    ]
    others: list[Kept] = [
        KeptReceipt(id="v", at=noon, text='{"items": [{"id": "b"}]}'),
        KeptEngagement(item_id="b", how="opened", at=noon, revision=1),
    ]

    said = space.merge_aside([(one, None) for one in [*naming, *others]])

    assert not {"added", "unchanged"} & set(said[: len(naming)])
    assert said[len(naming) :] == ("added", "added")
    space.commit([prepare("secret", id="a")], stored_at=noon, revive=True)
    assert space.merge_aside([(naming[0], None)]) == ("added",)
