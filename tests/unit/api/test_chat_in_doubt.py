"""A chat without a model shows the nearest where nothing clearly answers, and says so."""

from collections.abc import Callable
from datetime import UTC, datetime

from simonides import Memory
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


def test_what_was_found_is_shown_under_a_line_of_doubt(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(embedder=HashingEmbedder(64), clock=lambda: NOW)
    memory.add("The crane stands at the pier, and nobody knows who left it there.", id="crane")
    memory.add([f"Note {n} says that the tea of day {n} was cold." for n in range(40)])
    reply = memory.chat("which xylophone zither kazoo quartet plays Brahms there", now=NOW)

    assert "Nothing here clearly answers this" in reply.message.splitlines()[0]
    assert reply.items
    assert reply.message.splitlines()[1].startswith("[1] ")
