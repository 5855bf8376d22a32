"""Another process opens the same memory: by a record that JSON can hold."""

import copy
import pickle
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from simonides import EmbedderIdentity, Memory, Settings
from simonides.api.memory import Opening
from simonides.errors import AccessDenied, InvalidInput
from simonides_bench.testing.hashing import HashingEmbedder

TINY = EmbedderIdentity(model="tiny", dimension=4, window_words=20, quantiser="fixed-int8/1")
PARTS = ("background", "surrogates", "proposals", "entities", "preferences", "keys")
SETTINGS = Settings(embedder="none", timezone="Europe/Vienna", language="de", timeout_s=3.5)


def test_what_is_reported_opens_the_same_memory(tmp_path: Path) -> None:
    ahead = timedelta(days=-1_000)
    with Memory(
        tmp_path, space="ana", settings=SETTINGS, clock=lambda: datetime.now(UTC) + ahead
    ) as memory:
        memory.add("The deadline moved.", id="a")
        record = msgspec.json.encode(memory.opening)
        with msgspec.json.decode(record, type=Opening).open() as other:
            other.add("And moved again.", id="b")

            assert (other.space, other.settings) == ("ana", SETTINGS)
        first, second = memory.get("a").stored_at, memory.get("b").stored_at

    assert first is not None
    assert second is not None
    assert timedelta(0) <= second - first < timedelta(days=1)


def test_an_embedder_that_was_handed_in_cannot_be_told(tmp_path: Path) -> None:
    with (
        Memory(tmp_path, settings=SETTINGS, embedder=HashingEmbedder()) as memory,
        pytest.raises(InvalidInput, match="handed in"),
    ):
        _ = memory.opening


class Named:
    """An embedder that says of itself what it was told to."""

    def __init__(self, identity: object) -> None:
        self.identity = identity

    def embed(self, _texts: object) -> object:
        raise AssertionError

    embed_query = embed


@pytest.mark.parametrize(
    ("identity", "problem"),
    [
        (None, r"embedder\.identity: must be an EmbedderIdentity, got None"),
        (("x", 4), r"embedder\.identity: must be an EmbedderIdentity"),
        (replace(TINY, window_words=0), r"embedder\.identity\.window_words: must be 1 or more"),
        (replace(TINY, dimension=-1), r"embedder\.identity\.dimension: must be 0 or more"),
        (replace(TINY, dimension=4.5), r"embedder\.identity\.dimension: must be a whole number"),  # type: ignore[arg-type]
        (replace(TINY, model=""), r"embedder\.identity\.model: "),
    ],
)
def test_an_embedder_without_an_identity_is_refused_before_a_space_is_made(
    tmp_path: Path, identity: object, problem: str
) -> None:
    with Memory(tmp_path, settings=SETTINGS, embedder=Named(identity)) as memory:  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match=problem):
            memory.add("The deadline moved.")
        assert memory.spaces() == ()


def test_a_memory_within_what_is_copied_stays_the_same_and_is_pickled_by_its_opening(
    tmp_path: Path,
) -> None:
    with Memory(tmp_path, settings=Settings(embedder="none")) as memory:
        memory.in_space("work").add("the quay", id="q")
        agent = {"memory": memory, "steps": []}

        assert copy.deepcopy(agent)["memory"] is memory
        assert copy.deepcopy(memory.aio)
        copy.deepcopy(memory.sessions).add("s", "user", "Is the quay free?")
        assert memory.sessions.get("s").messages == 1
        for part in PARTS:
            assert copy.deepcopy(getattr(memory, part))
        bound = memory.in_space("work", shared=[])
        with pickle.loads(pickle.dumps(bound)) as again:  # noqa: S301  our own
            assert again.get("q").content == "the quay"
            with pytest.raises(AccessDenied):
                again.search_across("quay", spaces=["default"])
    with Memory(":memory:") as fleeting, pytest.raises(InvalidInput, match="home: is in memory"):
        pickle.dumps(fleeting)


def test_what_can_be_read_from_a_space_goes_with_its_opening(tmp_path: Path) -> None:
    with Memory(tmp_path, settings=SETTINGS) as memory:
        memory.add("the quay", id="q")
        memory.in_space("work").add("the pier", id="p")
        for shared, readable in ((None, True), ([], False), (["default"], True)):
            record = msgspec.json.encode(memory.in_space("work", shared=shared).opening)
            with msgspec.json.decode(record, type=Opening).open() as again:
                assert again.get("p").content == "the pier"
                if readable:
                    assert again.search_across("quay", spaces=["default"]).hits
                else:
                    with pytest.raises(AccessDenied):
                        again.search_across("quay", spaces=["default"])
