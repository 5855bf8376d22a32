"""`memory.surrogates` and `memory.record_usage`: build, get, note engagement."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from simonides import Item, Memory, Settings
from simonides.api.aio import AsyncSurrogates
from simonides.api.surrogates import THREAD, SurrogateBuild, Surrogates
from simonides.errors import InvalidInput, NotFound, StoreError, WrongEmbedder
from simonides.model.brief import ContextConfig, ContextMode, Stage
from simonides.model.stored import Engaged, Engagement, SurrogatesBuilt, Tier
from simonides.text.surrogates import ALGORITHM, SurrogateTexts
from simonides_bench.testing.hashing import HashingEmbedder

Open = Callable[..., Memory]

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
YEAR: Final = timedelta(days=365)
DENSE: Final = ContextConfig(context_mode=ContextMode.DENSE, expansion_tokens_max=0)
VERBS: Final = ["build", "build_in_background", "get"]


def long(n: int) -> str:
    return f"The crane at pier {n} needs a new cable before May. " + "We walked by the water. " * 18


class Gate:
    """A writer that waits at each item until it is let go."""

    algorithm = "gate"
    version = 1

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.let_go = threading.Semaphore(0)

    def write(self, item: Item, /) -> SurrogateTexts:
        self.entered.release()
        assert self.let_go.acquire(timeout=20)
        return SurrogateTexts(full=item.id, gist="gist", micro="micro")

    def pass_one(self) -> None:
        """Wait until an item is in hand, and let it go."""
        assert self.entered.acquire(timeout=20)
        self.let_go.release()


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """A memory of five long items, `i0` to `i4`, a year old, and of a short one."""
    memory.add([Item(id=f"i{n}", content=long(n), happened_at=NOW - YEAR) for n in range(5)])
    memory.add("Short.", id="short")
    return memory


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield

    assert not [one for one in threading.enumerate() if one.name == THREAD]


def tiers(memory: Memory, *, config: ContextConfig = DENSE) -> dict[str, Tier | None]:
    """Return by which tier a dense brief shows each item."""
    brief = memory.brief("crane cable", config=config)
    return {one.id: one.tier for one in brief.items if one.stage is Stage.SURROGATE}


# ── building ─────────────────────────────────────────────────────────────────────────────────────


def test_what_is_built_can_be_looked_at(filled: Memory) -> None:
    assert filled.surrogates.get("i0") is None
    built = filled.surrogates.build()

    assert (built.built, built.up_to_date, built.left, built.unwritten) == (5, 0, 0, ())
    found = filled.surrogates.get("i0")
    assert found is not None
    assert found.algorithm == ALGORITHM
    assert found.full.startswith("The crane at pier 0 needs a new cable before May.")
    assert found.gist in found.full
    assert filled.surrogates.get("short") is None


def test_the_presets_are_built_and_kept_beside_each_other(filled: Memory) -> None:
    compact, verbose = "extractive-compact", "extractive-verbose"
    for name in (ALGORITHM, compact):
        assert filled.surrogates.build(algorithm=name).built == 5
    built = filled.surrogates.build_in_background(algorithm=verbose).wait()
    assert built is not None
    assert built.built == 5

    texts = [filled.surrogates.get("i0", algorithm=one) for one in (compact, ALGORITHM, verbose)]
    lengths = [len(one.gist + one.micro) for one in texts if one is not None]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]


def test_an_unknown_preset_is_refused_and_so_is_one_beside_a_writer(filled: Memory) -> None:
    with pytest.raises(InvalidInput, match="algorithm: must be one of extractive, extractive-c"):
        filled.surrogates.build(algorithm="extractive-tiny")
    with pytest.raises(InvalidInput, match="algorithm: is that of the extractive writer"):
        filled.surrogates.build(writer=Fake(), algorithm="extractive-compact")


def test_a_brief_of_a_preset_is_replayed(filled: Memory) -> None:
    config = ContextConfig(
        context_mode="dense", surrogates="extractive-compact", expansion_tokens_max=0
    )
    brief = filled.brief("crane cable", config=config)

    assert brief.receipt.surrogates == "extractive-compact 1"
    assert filled.replay(brief.receipt).exact


def test_a_space_that_nothing_was_written_to_has_nothing_to_build(memory: Memory) -> None:
    assert memory.surrogates.build() == SurrogatesBuilt()
    assert memory.surrogates.build_in_background().wait() == SurrogatesBuilt()
    with pytest.raises(NotFound, match="no item 'x'"):
        memory.surrogates.get("x")
    assert memory.spaces() == ()


def test_an_item_that_is_not_there_has_no_surrogate_to_look_at(filled: Memory) -> None:
    filled.surrogates.build()
    filled.forget("i0")

    with pytest.raises(NotFound, match="no item 'i0'"):
        filled.surrogates.get("i0")


def test_a_stale_surrogate_is_not_shown(filled: Memory) -> None:
    filled.surrogates.build()
    filled.update("i0", title="New")

    assert filled.surrogates.get("i0") is None


def test_each_space_has_its_own(filled: Memory) -> None:
    other = filled.in_space("other")
    other.add(long(9), id="i9")

    assert other.surrogates.build().built == 1
    assert filled.surrogates.get("i0") is None


def test_limits_and_progress_are_passed_on(filled: Memory) -> None:
    reported: list[tuple[int, int]] = []
    built = filled.surrogates.build(items_max=2, on_progress=lambda *at: reported.append(at))

    assert (built.built, built.left) == (2, 3)
    assert reported == [(2, 5)]
    assert filled.surrogates.build(time_max_s=0).left == 3


def test_a_brief_does_not_depend_on_what_was_built_ahead(filled: Memory) -> None:
    before = filled.brief("crane cable", config=DENSE)
    filled.surrogates.build(items_max=3)
    between = filled.brief("crane cable", config=DENSE)
    filled.surrogates.build()

    assert any(one.stage is Stage.SURROGATE for one in before.items)
    assert before.text == between.text == filled.brief("crane cable", config=DENSE).text


def test_what_another_writer_wrote_is_shown_where_it_is_asked_for(filled: Memory) -> None:
    class Model:
        algorithm, version = "model", 3

        def write(self, item: Item, /) -> SurrogateTexts:
            if item.id == "i4":
                raise ConnectionError("gone")
            reported = f"Pier {item.id} waits for a cable."
            return SurrogateTexts(full=reported, gist=reported, micro=reported)

    built = filled.surrogates.build(writer=Model())
    asked = ContextConfig(
        context_mode=ContextMode.DENSE, surrogates="model", expansion_tokens_max=0
    )
    brief = filled.brief("crane cable", config=asked)

    assert [one.id for one in built.unwritten] == ["i4"]
    assert "Pier i0 waits for a cable." in brief.text
    assert tiers(filled, config=asked).keys() == {"i0", "i1", "i2", "i3"}
    assert "Pier" not in filled.brief("crane cable", config=DENSE).text
    found = filled.surrogates.get("i0", algorithm="model")
    assert found is not None
    assert (found.version, found.micro) == (3, "Pier i0 waits for a cable.")


@pytest.mark.parametrize("verb", ["build", "build_in_background"])
@pytest.mark.parametrize("space", ["default", "nothing"])
def test_a_build_that_cannot_be_asked_for_is_refused_at_once(
    filled: Memory, verb: str, space: str
) -> None:
    surrogates = filled.in_space(space).surrogates

    with pytest.raises(InvalidInput, match="items_max: must be 0 or more, got -1"):
        getattr(surrogates, verb)(items_max=-1)
    with pytest.raises(InvalidInput, match="is the name of what is made of an item's own words"):
        getattr(surrogates, verb)(writer=Fake())


class Fake:
    """Claims to be the extractive writer."""

    algorithm = ALGORITHM
    version = 1

    def write(self, _item: Item, /) -> SurrogateTexts:
        raise AssertionError


def test_a_space_of_another_embedder_says_so(filled: Memory, open_memory: Open) -> None:
    filled.close()
    other = open_memory(embedder=HashingEmbedder(8))

    with pytest.raises(WrongEmbedder):
        other.surrogates.build()
    with pytest.raises(WrongEmbedder):
        other.surrogates.build_in_background().wait()


# ── in the background ────────────────────────────────────────────────────────────────────────────


def test_a_build_in_the_background_goes_on_while_others_ask(filled: Memory) -> None:
    gate = Gate()
    build = filled.surrogates.build_in_background(writer=gate)
    assert gate.entered.acquire(timeout=20)

    assert not build.is_done
    assert build.wait(timeout_s=0) is None
    assert filled.search("crane").hits
    filled.add("Something else.")
    gate.let_go.release(5)
    built = build.wait()
    assert built is not None
    assert (built.built, built.left, build.is_done) == (5, 0, True)
    assert build.wait() == built
    assert filled.surrogates.get("i3", algorithm="gate") is not None


def test_it_stops_after_the_item_in_hand_and_keeps_what_was_written(filled: Memory) -> None:
    gate = Gate()
    build = filled.surrogates.build_in_background(writer=gate)
    gate.pass_one()
    assert gate.entered.acquire(timeout=20)
    build.stop()
    build.stop()
    gate.let_go.release()
    built = build.wait()

    assert built is not None
    assert (built.built, built.left) == (2, 3)
    assert filled.surrogates.build(writer=Ready()).up_to_date == 2


class Ready(Gate):
    """The gate, open."""

    def write(self, item: Item, /) -> SurrogateTexts:
        return SurrogateTexts(full=item.id, gist="gist", micro="micro")


def test_closing_the_memory_stops_it_and_leaves_no_thread(filled: Memory) -> None:
    gate = Gate()
    build = filled.in_space("default").surrogates.build_in_background(writer=gate)
    assert gate.entered.acquire(timeout=20)
    closing = threading.Thread(target=filled.close)
    closing.start()
    assert build._is_stopped.wait(timeout=20)
    gate.let_go.release()
    closing.join(timeout=20)

    assert build.is_done
    built = build.wait()
    assert built is not None
    assert (built.built, built.left) == (1, 4)
    assert filled.surrogates.get("i0", algorithm="gate") is not None


def test_closing_waits_for_several_and_forgets_those_that_ended(filled: Memory) -> None:
    ended = filled.surrogates.build_in_background()
    ended.wait()
    gates = [Gate(), Gate()]
    builds = [filled.surrogates.build_in_background(writer=gate) for gate in gates]
    # Both have begun before either goes on: what one had built the other would not come to.
    for gate in gates:
        assert gate.entered.acquire(timeout=20)
    for gate in gates:
        gate.let_go.release(5)

    assert len(filled._runtime._at_work) <= 2
    filled.close()
    assert all(one.is_done for one in builds)
    assert filled._runtime._at_work == []


def test_what_fails_in_the_background_is_raised_by_who_waits(filled: Memory) -> None:
    def fail(_done: int, _all: int) -> None:
        raise StoreError("the disk is gone")

    build = filled.surrogates.build_in_background(on_progress=fail)

    for _ in range(2):
        with pytest.raises(StoreError, match="the disk is gone"):
            build.wait()
    assert build.is_done
    assert filled.surrogates.get("i0") is not None


def test_it_may_close_the_memory_itself(filled: Memory) -> None:
    build = filled.surrogates.build_in_background(on_progress=lambda *_: filled.close())
    built = build.wait()

    assert built is not None
    assert built.built == 5


def test_without_a_thread_to_be_had_nothing_is_left_to_stop(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_start(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_start)
    with pytest.raises(RuntimeError, match="can't start"):
        filled.surrogates.build_in_background()

    assert filled._runtime._at_work == []


# ── awaited ──────────────────────────────────────────────────────────────────────────────────────


def test_every_verb_can_be_awaited_and_no_other() -> None:
    verbs = inspect.getmembers(AsyncSurrogates, inspect.isfunction)

    assert [name for name, _ in verbs if not name.startswith("_")] == VERBS
    for verb in VERBS:
        awaited, plain = getattr(AsyncSurrogates, verb), getattr(Surrogates, verb)
        assert inspect.iscoroutinefunction(awaited)
        assert inspect.signature(awaited) == inspect.signature(plain)


def test_awaited_verbs_do_the_same(filled: Memory) -> None:
    async def work() -> Any:
        there = filled.aio
        build: SurrogateBuild = await there.surrogates.build_in_background(items_max=2)
        assert await asyncio.to_thread(build.wait, 20) is not None
        built = await there.surrogates.build()
        assert await there.record_usage("i0", how="cited") == ("i0",)
        engaged = await there.engagement("i0")
        assert engaged is not None
        assert engaged.count == 1
        return built, await there.surrogates.get("i4")

    built, found = asyncio.run(asyncio.wait_for(work(), timeout=30))

    assert (built.built, built.up_to_date) == (3, 2)
    assert found == filled.surrogates.get("i4")


# ── engagement ───────────────────────────────────────────────────────────────────────────────────


def test_engagement_is_counted_and_dated(filled: Memory, open_memory: Open) -> None:
    later = open_memory(clock=lambda: NOW + timedelta(hours=5))

    assert filled.engagement("i0") is None
    assert filled.record_usage("i0", "i1", "i0") == ("i0", "i1")
    assert later.record_usage("i0", how=Engaged.CITED) == ("i0",)
    assert filled.engagement("i0") == Engagement(count=2, last_at=NOW + timedelta(hours=5))
    assert filled.engagement("i1") == Engagement(count=1, last_at=NOW)


def test_only_what_is_there_is_engaged_with(filled: Memory, memory: Memory) -> None:
    filled.forget("i1")

    assert filled.record_usage("i0", "i1", "nobody", "\ud800") == ("i0",)
    assert filled.record_usage() == ()
    assert filled.engagement("nobody") is None
    assert memory.in_space("nothing").record_usage("i0") == ()
    assert memory.in_space("nothing").engagement("i0") is None


def test_another_way_of_engaging_is_refused(filled: Memory) -> None:
    before = filled.stats().revision

    with pytest.raises(InvalidInput, match="how: must be one of used, cited, opened; got 'seen'"):
        filled.record_usage("i0", how="seen")
    assert filled.stats().revision == before


def test_engagement_is_a_write_with_a_revision_and_changes_no_item(filled: Memory) -> None:
    before, revision = filled.get("i0"), filled.stats().revision
    filled.record_usage("i0")

    assert filled.stats().revision == revision + 1
    assert filled.get("i0") == before
    assert filled.search("crane").diagnostics.revision == revision + 1


def test_being_found_is_no_engagement(filled: Memory) -> None:
    revision = filled.stats().revision
    brief = filled.brief("crane cable", config=DENSE, keep_receipt=True)
    filled.explain("crane cable", config=DENSE)
    filled.search("crane cable")
    filled.replay(brief.receipt)
    filled.surrogates.build()
    for item in filled.list().items:
        filled.get(item.id)
        filled.surrogates.get(item.id)

    assert brief.items
    assert filled.stats().revision == revision
    assert all(filled.engagement(item.id) is None for item in filled.list().items)
    assert filled.brief("crane cable", config=DENSE).text == brief.text


def test_what_is_engaged_with_often_is_reported_at_length(filled: Memory) -> None:
    assert set(tiers(filled).values()) == {Tier.MICRO}

    filled.record_usage("i1")
    assert tiers(filled)["i1"] is Tier.GIST
    for _ in range(40):
        filled.record_usage("i1")
    reported = tiers(filled)
    assert reported.pop("i1") is Tier.FULL
    assert set(reported.values()) == {Tier.MICRO}


def test_engagement_changes_no_score(filled: Memory) -> None:
    before = [(hit.id, hit.score) for hit in filled.search("crane cable")]
    filled.record_usage("i3")

    assert [(hit.id, hit.score) for hit in filled.search("crane cable")] == before


def test_an_import_says_how_far_it_may_be_trusted(memory: Memory, tmp_path: Any) -> None:
    note = tmp_path / "note.md"
    note.write_text("The pilot of Harbor starts in April.")

    assert memory.import_(note, trust="external").added == 1
    assert memory.import_(note, trust="external").unchanged == 1
    assert [hit.trust for hit in memory.search("Harbor")] == ["external"]
    with pytest.raises(InvalidInput, match="trust: must be one of own, known, unknown, external"):
        memory.import_(note, trust="friendly")


def test_settings_are_no_part_of_a_build(open_memory: Open, filled: Memory) -> None:
    """Stand-ins are counted in `cl100k_base`, whatever the tokenizer of budgets."""
    settings = Settings(timezone="UTC", durability="relaxed", encoding="o200k_base")
    filled.surrogates.build()

    assert open_memory(settings=settings).surrogates.build().up_to_date == 5
