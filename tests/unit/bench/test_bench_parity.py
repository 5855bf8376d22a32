from pathlib import Path

import pytest
from tests.unit.bench.labelled import SUBJECTS, WORDS_ONLY, explained, item, question, written

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides_bench.metrics import agree_in_order
from simonides_bench.parity import run

LINES = [
    line
    for subject in SUBJECTS
    for line in (
        item("town", subject, f"The {subject} opens at seven.", at="2025-03-01T10:00:00Z"),
        question("town", f"of {subject}", f"When does the {subject} open?", subject),
    )
]

RANKED = [("a", 0.9), ("b", 0.6), ("c", 0.59), ("d", 0.3)]


@pytest.mark.parametrize(
    ("other", "agrees"),
    [
        (["a", "b", "c", "d"], True),
        (["a", "c", "b", "d"], True),
        (["b", "a", "c", "d"], False),
        (["a", "b", "c"], False),
        (["a", "b", "c", "x"], False),
    ],
)
def test_rankings_agree_where_scores_lie_apart(other: list[str], agrees: bool) -> None:
    assert agree_in_order(RANKED, [(name, 0.0) for name in other]) is agrees


def test_only_what_is_clearly_above_the_last_must_be_in_both() -> None:
    one = [(f"{n}", 1.0 - n / 10) for n in range(9)] + [("last", 0.1)]
    swapped = [*one[:9], ("other", 0.1)]
    lost = [*one[:8], ("other", 0.2), one[9]]

    assert agree_in_order(one, swapped)
    assert not agree_in_order(one, lost)


def test_both_stores_give_the_same_bytes_and_nothing_is_left(
    tmp_path: Path, postgres_dsn: str
) -> None:
    data = written(tmp_path / "data.jsonl", *LINES)

    figures = run([data], dsn=postgres_dsn, settings=WORDS_ONLY)
    with Memory(tmp_path, settings=Settings(embedder="none", store=postgres_dsn)) as memory:
        left = memory.spaces()

    assert figures["questions"] == len(SUBJECTS)
    assert set(figures) == explained("Parity")
    assert figures["same_bytes"]["postgresql"] == 1.0
    assert figures["agreement"] == {"postgresql": 1.0, "database": 1.0}
    assert set(figures["recall@10"]) == {"sqlite", "postgresql", "database"}
    assert len(set(figures["recall@10"].values())) == 1
    assert left == ()


def test_a_database_with_spaces_is_left_alone(tmp_path: Path, postgres_dsn: str) -> None:
    data = written(tmp_path / "data.jsonl", *LINES)
    with Memory(tmp_path, settings=Settings(embedder="none", store=postgres_dsn)) as memory:
        memory.add("The ferry leaves at seven.")
        with pytest.raises(InvalidInput, match="holds spaces"):
            run([data], dsn=postgres_dsn, settings=WORDS_ONLY)

        assert memory.spaces() == ("default",)
