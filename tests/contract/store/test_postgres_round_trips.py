"""How often a warm search waits for the server: each wait is a round trip."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides_bench.testing.hashing import HashingEmbedder

TEXTS = ("The ferry leaves at seven.", "The crane stands in the harbour.", "Ana repairs the ferry.")


@pytest.fixture
def memory(tmp_path: Path, pooled_dsn: str) -> Iterator[Memory]:
    settings = Settings(timezone="UTC", store=pooled_dsn)
    with Memory(tmp_path, settings=settings, embedder=HashingEmbedder()) as opened:
        opened.add(TEXTS)
        yield opened


@pytest.fixture
def waits(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is waited for, from now on."""
    memory.search("ferry")
    waited: list[str] = []
    wait = psycopg.Connection.wait

    def counted(self: Any, generator: Any, *how: Any) -> Any:
        waited.append(getattr(generator, "__name__", "the end of the read before"))
        return wait(self, generator, *how)

    monkeypatch.setattr(psycopg.Connection, "wait", counted)
    return waited


def test_a_warm_search_takes_two_round_trips(memory: Memory, waits: list[str]) -> None:
    found = memory.search("When does the ferry leave?")

    assert found.hits
    assert len(waits) == 3, waits  # one of them for what the server has answered already


def test_the_background_is_asked_for_once_a_revision(memory: Memory, waits: list[str]) -> None:
    memory.background.put("The harbour is closed.")
    first = memory.search("ferry").background
    waits.clear()
    again = memory.search("crane").background

    assert first is not None
    assert first.text == "The harbour is closed."
    assert again == first
    assert len(waits) == 3

    memory.background.put("It is open again.")
    later = memory.search("ferry").background
    assert later is not None
    assert later.text == "It is open again."


def test_a_deleted_background_is_shown_no_more(memory: Memory) -> None:
    put = memory.background.put("The harbour is closed.")
    assert memory.search("ferry").background is not None

    memory.background.delete(put.id)

    assert memory.search("ferry").background is None
    assert memory.search("ferry", as_of=2).background is None


def test_a_space_that_another_server_erased_is_not_there(
    memory: Memory, tmp_path: Path, pooled_dsn: str
) -> None:
    memory.search("ferry")
    with Memory(tmp_path / "other", settings=Settings(store=pooled_dsn, embedder="none")) as other:
        other.erase(everything=True)

    assert "holds nothing yet" in memory.search("ferry").diagnostics.notes[0]
    memory.add("The ferry leaves at eight.")
    assert [hit.item.content for hit in memory.search("ferry")] == ["The ferry leaves at eight."]
