"""What Portuguese says of speaking: the words of the one who spoke come first."""

from datetime import UTC, datetime

import pytest

from simonides import Memory, Person, Settings

NOW = datetime(2026, 10, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize("verb", ["disse", "falou", "comentou"])
def test_what_somebody_said_is_what_they_wrote(verb: str) -> None:
    settings = Settings(embedder="none", timezone="UTC")
    with Memory(":memory:", settings=settings, clock=lambda: NOW) as memory:
        for id_, name in (("hers", "Beatriz Moura"), ("mine", "Helena Prado")):
            memory.add(f"Beatriz, o livro {id_}", id=id_, kind="message", source="whatsapp",
                       people=[Person(name=name)], happened_at="2026-10-13T09:00:00Z")  # fmt: skip

        assert memory.search(f"o que a Beatriz {verb} ontem?")[0].id == "hers"
