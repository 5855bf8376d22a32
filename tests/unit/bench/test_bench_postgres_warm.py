from pathlib import Path

import pytest
from tests.unit.bench.labelled import explained

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides_bench import postgres_warm
from simonides_bench.postgres_warm import run


def test_every_figure_is_explained_and_nothing_is_left(
    tmp_path: Path, postgres_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_warm, "QUESTIONS", 2)
    reported: list[tuple[int, int]] = []

    figures = run(chunks=20, dsn=postgres_dsn, on_progress=lambda *done: reported.append(done))
    with Memory(tmp_path, settings=Settings(embedder="none", store=postgres_dsn)) as memory:
        left = memory.spaces()

    assert set(figures) == explained("PostgreSQL, warm")
    assert reported[-1] == (20, 20)
    assert set(figures["search_ms_p50"]) == set(figures["load_ms_p50"]) == {"sqlite", "postgresql"}
    assert set(figures["ingest_chunks_per_s"]) == {"postgresql", "copy"}
    assert left == ()


def test_a_database_with_spaces_is_left_alone(tmp_path: Path, postgres_dsn: str) -> None:
    with Memory(tmp_path, settings=Settings(embedder="none", store=postgres_dsn)) as memory:
        memory.add("The ferry leaves at seven.")
        with pytest.raises(InvalidInput, match="holds spaces"):
            run(chunks=20, dsn=postgres_dsn)

        assert memory.spaces() == ("default",)
