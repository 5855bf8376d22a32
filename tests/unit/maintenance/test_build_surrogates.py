"""Building stand-ins ahead: what is built, in which portions, and what a build may not lose."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Item, Memory, Settings
from simonides.context.summary_level import CHARS_MIN, extractive_surrogate
from simonides.errors import InvalidInput, StoreError
from simonides.maintenance.surrogates import BATCH_ITEMS, EXTRACTIVE, build_surrogates
from simonides.model.stored import Surrogate, SurrogatesBuilt, Unwritten
from simonides.ports.space import Space
from simonides.text.surrogates import ALGORITHM, VERSION, SurrogateTexts

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
LONG: Final = (
    "The crane at pier {n} needs a new cable before May. " + "We walked by the water. " * 18
)


@dataclass(kw_only=True)
class Writer:
    """Writes by a rule that a test gives, and notes what it was asked."""

    algorithm: str = "model"
    version: int = 1
    rule: Callable[[Item], Any] = lambda item: SurrogateTexts(
        full=item.id, gist="gist", micro="micro"
    )
    asked: list[str] = field(default_factory=list)

    def write(self, item: Item, /) -> SurrogateTexts:
        self.asked.append(item.id)
        reported: SurrogateTexts = self.rule(item)
        return reported


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory without vectors: surrogates need none."""
    settings = Settings(timezone="UTC", durability="relaxed", embedder="none")
    with Memory(tmp_path, settings=settings, clock=lambda: NOW) as opened:
        yield opened


def filled(memory: Memory, items: int) -> Space:
    """Return the space of a memory that keeps so many long items, `i000` and so on."""
    memory.add([Item(id=f"i{n:03}", content=LONG.format(n=n), language="en") for n in range(items)])
    return memory._runtime.store.open_any("default")


def kept(space: Space, algorithm: str = ALGORITHM) -> dict[str, Surrogate]:
    """Return the surrogates that are kept, by the id of their item."""
    with space.read() as reader:
        keys = [row.key for row in reader.item_rows(0)]
        items = reader.items(keys)
        found = reader.surrogates(keys, algorithm=algorithm)
    return {items[key].id: one for key, one in found.items()}


def counts(built: SurrogatesBuilt) -> tuple[int, int, int, int]:
    return built.built, built.up_to_date, built.left, len(built.unwritten)


# ── what is built ────────────────────────────────────────────────────────────────────────────────


def test_each_long_item_gets_what_a_brief_would_make_on_the_spot(memory: Memory) -> None:
    space = filled(memory, 3)

    assert counts(build_surrogates(space)) == (3, 0, 0, 0)
    assert kept(space) == {
        one: extractive_surrogate(memory.get(one), key=found.item_key)
        for one, found in kept(space).items()
    }
    assert sorted(kept(space)) == ["i000", "i001", "i002"]


def test_what_is_short_gets_none(memory: Memory) -> None:
    memory.add("x" * (CHARS_MIN - 1), id="short")
    memory.add("ü" * (CHARS_MIN - 1), id="short in characters")
    memory.add("x" * CHARS_MIN, id="long")
    space = filled(memory, 0)

    assert counts(build_surrogates(space)) == (1, 0, 0, 0)
    assert list(kept(space)) == ["long"]


def test_what_is_up_to_date_is_left_alone(memory: Memory) -> None:
    space, writer = filled(memory, 3), Writer()
    build_surrogates(space, writer=writer)
    again = Writer()

    assert counts(build_surrogates(space, writer=again)) == (0, 3, 0, 0)
    assert again.asked == []


def test_what_is_new_or_changed_is_built_again_and_nothing_else(memory: Memory) -> None:
    space = filled(memory, 4)
    build_surrogates(space, writer=Writer())
    memory.update("i001", content=LONG.format(n=99))
    memory.forget("i002")
    memory.add(LONG.format(n=7), id="new")
    writer = Writer()

    assert counts(build_surrogates(space, writer=writer)) == (2, 2, 0, 0)
    assert writer.asked == ["i001", "new"]


def test_a_later_version_of_the_writer_builds_all_anew(memory: Memory) -> None:
    space = filled(memory, 3)
    build_surrogates(space, writer=Writer(version=2))

    for version in (1, 3):
        assert counts(build_surrogates(space, writer=Writer(version=version))) == (3, 0, 0, 0)
        assert {one.version for one in kept(space, "model").values()} == {version}


def test_writers_keep_apart(memory: Memory) -> None:
    space = filled(memory, 2)
    build_surrogates(space, writer=Writer())
    build_surrogates(space, writer=Writer(algorithm="other"))

    assert counts(build_surrogates(space)) == (2, 0, 0, 0)
    assert {one: reported.full for one, reported in kept(space, "model").items()} == {
        "i000": "i000",
        "i001": "i001",
    }
    assert all(one.version == VERSION for one in kept(space).values())


def test_a_build_takes_no_revision_and_leaves_the_space_sound(memory: Memory) -> None:
    space = filled(memory, 3)
    build_surrogates(space)

    assert memory.stats().revision == 1
    assert all(finding.sound for finding in memory.doctor())


def test_an_empty_space_has_nothing_to_build(memory: Memory) -> None:
    space = filled(memory, 1)
    memory.forget("i000")

    assert counts(build_surrogates(space)) == (0, 0, 0, 0)


# ── in which portions ────────────────────────────────────────────────────────────────────────────


class Watched:
    """A space that notes how many items each look returned and each transaction kept."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self.kept: list[int] = []
        self.open = self.open_max = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._space, name)

    @contextmanager
    def read(self) -> Iterator[Any]:
        self.open += 1
        self.open_max = max(self.open_max, self.open)
        with self._space.read() as reader:
            yield reader
        self.open -= 1

    def put_surrogates(self, surrogates: Any) -> int:
        assert self.open == 0
        self.kept.append(len(surrogates))
        return self._space.put_surrogates(surrogates)


def test_they_are_kept_by_the_batch_and_no_look_is_open_while_one_is_written(
    memory: Memory,
) -> None:
    watched: Any = Watched(filled(memory, 2 * BATCH_ITEMS + 5))

    def rule(item: Item) -> SurrogateTexts:
        assert watched.open == 0
        return SurrogateTexts(full=item.id, gist="", micro="")

    reported: list[tuple[int, int]] = []
    build_surrogates(watched, writer=Writer(rule=rule), on_progress=lambda *at: reported.append(at))

    assert watched.kept == [64, 64, 5]
    assert reported == [(64, 133), (128, 133), (133, 133)]
    assert watched.open_max == 1


def test_a_limit_is_kept_and_the_next_build_goes_on(memory: Memory) -> None:
    space = filled(memory, BATCH_ITEMS + 3)
    reported: list[tuple[int, int]] = []

    assert counts(
        build_surrogates(space, items_max=5, on_progress=lambda *at: reported.append(at))
    ) == (5, 0, 62, 0)
    assert reported == [(5, 67)]
    assert sorted(kept(space)) == [f"i{n:03}" for n in range(5)]
    assert counts(build_surrogates(space, items_max=60)) == (60, 5, 2, 0)
    assert counts(build_surrogates(space, items_max=60)) == (2, 65, 0, 0)


def test_time_ends_a_build_after_the_item_in_hand(memory: Memory) -> None:
    space, seconds = filled(memory, 10), count()
    built = build_surrogates(space, time_max_s=6.5, monotonic=lambda: float(next(seconds)))

    # 0 and 1: the build and the writing begin; 2: the batch; 3 to 7: five items; 8: it is over.
    assert counts(built) == (5, 0, 5, 0)
    assert built.took_s == 9.0


@pytest.mark.parametrize("limit", [{"items_max": 0}, {"time_max_s": 0.0}])
def test_without_room_only_what_is_left_is_reported(memory: Memory, limit: dict[str, Any]) -> None:
    space = filled(memory, 3)

    assert counts(build_surrogates(space, **limit)) == (0, 0, 3, 0)
    assert kept(space) == {}


def test_who_stops_it_keeps_what_was_written(memory: Memory) -> None:
    space, writer = filled(memory, 9), Writer()
    built = build_surrogates(space, writer=writer, is_stopped=lambda: len(writer.asked) == 4)

    assert counts(built) == (4, 0, 5, 0)
    assert len(kept(space, "model")) == 4


def test_what_is_stopped_before_it_begins_does_nothing(memory: Memory) -> None:
    space, writer = filled(memory, 3), Writer()
    build_surrogates(space, writer=writer, is_stopped=lambda: True)

    assert writer.asked == []


# ── what goes wrong ──────────────────────────────────────────────────────────────────────────────


def test_an_item_that_fails_is_reported_and_the_rest_goes_on(memory: Memory) -> None:
    space = filled(memory, 4)

    def rule(item: Item) -> SurrogateTexts:
        if item.id == "i001":
            raise TimeoutError("the model did not answer")
        return SurrogateTexts(full=item.id, gist="", micro="")

    built = build_surrogates(space, writer=Writer(rule=rule))

    assert counts(built) == (3, 0, 0, 1)
    assert built.unwritten == (
        Unwritten(id="i001", reason="TimeoutError: the model did not answer"),
    )
    assert counts(build_surrogates(space, writer=Writer())) == (1, 3, 0, 0)


@pytest.mark.parametrize(
    ("reported", "reason"),
    [
        (None, "AttributeError"),
        (SurrogateTexts(full="f", gist=3, micro="m"), "gist: must be text, got int"),  # type: ignore[arg-type]
        (SurrogateTexts(full="f", gist="g", micro="\ud800"), "micro: holds half a character"),
    ],
)
def test_what_cannot_be_kept_is_told_of_its_item_and_the_batch_is_kept(
    memory: Memory, reported: Any, reason: str
) -> None:
    space = filled(memory, 3)
    good = SurrogateTexts(full="f", gist="g", micro="m")
    built = build_surrogates(
        space, writer=Writer(rule=lambda item: reported if item.id == "i001" else good)
    )

    assert [one.id for one in built.unwritten] == ["i001"]
    assert reason in built.unwritten[0].reason
    assert sorted(kept(space, "model")) == ["i000", "i002"]


def test_an_interruption_keeps_what_was_written(memory: Memory) -> None:
    space = filled(memory, 5)

    def rule(item: Item) -> SurrogateTexts:
        if item.id == "i003":
            raise KeyboardInterrupt
        return SurrogateTexts(full=item.id, gist="", micro="")

    with pytest.raises(KeyboardInterrupt):
        build_surrogates(space, writer=Writer(rule=rule))

    assert sorted(kept(space, "model")) == ["i000", "i001", "i002"]


def test_what_left_the_present_meanwhile_gets_none(memory: Memory) -> None:
    space = filled(memory, BATCH_ITEMS + 2)

    def rule(item: Item) -> SurrogateTexts:
        if item.id == "i000":
            memory.forget("i001", "i065")
        return SurrogateTexts(full=item.id, gist="", micro="")

    writer = Writer(rule=rule)
    built = build_surrogates(space, writer=writer)

    assert counts(built) == (BATCH_ITEMS, 0, 0, 0)
    assert "i001" in writer.asked
    assert "i065" not in writer.asked
    assert not {"i001", "i065"} & kept(space, "model").keys()


def test_what_was_changed_meanwhile_is_left_to_the_next_build(memory: Memory) -> None:
    space = filled(memory, 2)

    def rule(item: Item) -> SurrogateTexts:
        if item.id == "i000":
            memory.update("i001", title="New")
        return SurrogateTexts(full=item.title, gist="", micro="")

    build_surrogates(space, writer=Writer(rule=rule))
    assert list(kept(space, "model")) == ["i000"]

    build_surrogates(space, writer=Writer(rule=rule))
    assert kept(space, "model")["i001"].full == "New"


def test_a_store_that_fails_ends_the_build(memory: Memory) -> None:
    space = filled(memory, 2)
    memory.close()

    with pytest.raises(StoreError, match="was closed"):
        build_surrogates(space)


@pytest.mark.parametrize(
    ("how", "field"),
    [
        ({"writer": Writer(algorithm="")}, "writer.algorithm"),
        ({"writer": Writer(algorithm="a\nb")}, "writer.algorithm"),
        ({"writer": Writer(algorithm="\ud800")}, "writer.algorithm"),
        ({"writer": Writer(algorithm="x" * 257)}, "writer.algorithm"),
        ({"writer": Writer(algorithm=7)}, "writer.algorithm"),  # type: ignore[arg-type]
        ({"writer": Writer(algorithm=ALGORITHM)}, "writer.algorithm"),
        ({"writer": Writer(version=0)}, "writer.version"),
        ({"writer": Writer(version=True)}, "writer.version"),
        ({"writer": Writer(version=1.5)}, "writer.version"),  # type: ignore[arg-type]
        ({"items_max": -1}, "items_max"),
        ({"time_max_s": -0.1}, "time_max_s"),
        ({"time_max_s": float("nan")}, "time_max_s"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_before_anything_is_written(
    memory: Memory, how: dict[str, Any], field: str
) -> None:
    space = filled(memory, 1)

    with pytest.raises(InvalidInput) as refused:
        build_surrogates(space, **how)

    assert refused.value.field == field
    assert (kept(space), kept(space, "model")) == ({}, {})


def test_the_extractive_writer_may_be_handed_in(memory: Memory) -> None:
    assert counts(build_surrogates(filled(memory, 1), writer=EXTRACTIVE)) == (1, 0, 0, 0)
