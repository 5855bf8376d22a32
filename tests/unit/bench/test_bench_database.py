import pytest
from tests.unit.bench.labelled import explained

from simonides_bench.database import run
from simonides_bench.testing.hashing import HashingEmbedder

STATEMENTS_MAX = 40
"""A question takes some 20 statements, as many reads of its hits, and what begins a transaction."""


@pytest.mark.slow
def test_a_question_in_the_database_gets_the_answers_of_memory_by_few_statements() -> None:
    reported = []

    figures = run(
        spaces=4, chunks=60, questions=3, model=HashingEmbedder(),
        on_progress=lambda done, total: reported.append((done, total)),
    )  # fmt: skip

    assert set(figures) == explained("Database")
    assert figures["order_agreement"] == {"60": 1.0, "6": 1.0}
    assert figures["database_ms_p50"].keys() == figures["memory_ms_p50"].keys() == {"60", "6"}
    assert 10 < figures["database_statements"]["60"] <= STATEMENTS_MAX
    assert reported[-1] == (4, 4)
