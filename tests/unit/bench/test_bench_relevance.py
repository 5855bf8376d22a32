"""`bench relevance`: a fit without negative weights, persons left out, weights in a file."""

from pathlib import Path

import numpy as np
import pytest
from tests.unit.bench.labelled import SUBJECTS, WORDS_ONLY, item, question, written

from simonides.errors import InvalidInput
from simonides.scoring.answering import SIGNALS
from simonides_bench.relevance import run as relevance
from simonides_bench.relevance.logistic import area, fit


def test_a_fit_finds_the_weights_that_made_the_labels() -> None:
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(20_000, 2))
    labels = (chance.random(20_000) < 1 / (1 + np.exp(-(2.0 * rows[:, 0] - 1.0)))).astype(float)

    found = fit(rows, labels, np.ones(20_000))

    assert found.weights[0] == pytest.approx(2.0, abs=0.1)
    assert found.weights[1] == pytest.approx(0.0, abs=0.05)
    assert found.intercept == pytest.approx(-1.0, abs=0.1)


def test_what_speaks_against_gets_no_weight_rather_than_a_negative_one() -> None:
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [0.2, 0.8], [0.9, 0.1]])

    found = fit(rows, np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))

    assert found.weights[0] > 0.0
    assert found.weights[1] == 0.0


def test_how_much_a_row_counts_moves_the_intercept() -> None:
    rows, labels = np.zeros((2, 1)), np.array([0.0, 1.0])

    even, odd = fit(rows, labels, np.ones(2)), fit(rows, labels, np.array([1.0, 3.0]))

    assert even.intercept == pytest.approx(0.0)
    assert odd.intercept == pytest.approx(np.log(3.0))


def test_an_area_counts_ties_by_half() -> None:
    assert area(np.array([1.0, 2.0]), np.array([0.0, 1.0])) == 0.875


def person(path: Path, subjects: tuple[str, ...]) -> Path:
    items = [
        item(path.stem, one, f"The {one} was painted and opens at nine.", title=f"About the {one}")
        for one in subjects
    ]
    asked = [
        question(path.stem, f"q{one}", f"When does the painted {one} open?", one)
        for one in subjects
    ]
    idle = [question(path.stem, f"n{n}", f"How old is zither {n}?") for n in range(2)]
    return written(path, *items, *asked, *idle)


@pytest.fixture
def persons(tmp_path: Path) -> list[Path]:
    """Return two files of a person each."""
    return [
        person(tmp_path / "mia.jsonl", SUBJECTS[:3]),
        person(tmp_path / "leo.jsonl", SUBJECTS[3:]),
    ]


def test_persons_are_judged_by_the_fit_on_the_others_and_again_by_the_fit_on_all(
    persons: list[Path],
) -> None:
    found = relevance.run(persons, settings=WORDS_ONLY)

    assert tuple(found["weights"]) == SIGNALS
    assert min(found["weights"].values()) >= 0.0
    assert list(found["persons"]) == list(found["seen"]) == ["mia", "leo"]
    for figures in found["persons"].values():
        assert list(figures) == ["abstention_auc", "title_auc", "hit_auc", "brier"]
        assert figures["abstention_auc"] == 1.0
    assert found == relevance.run(persons, settings=WORDS_ONLY)


def test_the_weights_are_written_as_a_module(
    persons: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "weights.py"
    monkeypatch.setattr(relevance, "WEIGHTS_FILE", file)

    found = relevance.run(persons, writes=True, settings=WORDS_ONLY)

    made: dict[str, object] = {}
    exec(file.read_text("utf-8"), made)  # noqa: S102  written a line above
    assert (made["INTERCEPT"], made["WEIGHTS"]) == (found["intercept"], found["weights"])
    assert "Fitted on: mia, leo." in file.read_text("utf-8")


def test_one_person_alone_cannot_be_left_out(persons: list[Path]) -> None:
    with pytest.raises(InvalidInput, match="two persons or more"):
        relevance.run(persons[:1], settings=WORDS_ONLY)


def test_somebody_must_ask_for_what_is_not_there(persons: list[Path], tmp_path: Path) -> None:
    sure = written(tmp_path / "sure.jsonl", item("s", "a", "Tea."), question("s", "q", "Tea?", "a"))

    with pytest.raises(InvalidInput, match="without evidence"):
        relevance.run([persons[0], sure], settings=WORDS_ONLY)
