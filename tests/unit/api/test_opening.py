"""Another process opens the same memory: by a record that JSON can hold."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.api.memory import Opening
from simonides.errors import InvalidInput
from simonides_bench.testing.hashing import HashingEmbedder

SETTINGS = Settings(embedder="none", timezone="Europe/Vienna", language="de", timeout_s=3.5)


def test_what_is_told_opens_the_same_memory(tmp_path: Path) -> None:
    ahead = timedelta(days=-1_000)
    with Memory(
        tmp_path, space="ana", settings=SETTINGS, clock=lambda: datetime.now(UTC) + ahead
    ) as memory:
        memory.add("The deadline moved.", id="a")
        record = json.loads(json.dumps(memory.opening.to_record()))
        with Opening.from_record(record).open() as other:
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
