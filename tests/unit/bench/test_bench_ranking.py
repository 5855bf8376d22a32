"""`bench ranking`: a listwise fit, a curve over it, persons left out, weights in a file."""

from pathlib import Path

import numpy as np
import pytest
from tests.unit.bench.labelled import SUBJECTS, item, question, written

from simonides.errors import InvalidInput
from simonides.scoring.ranking import FEATURES
from simonides_bench.ranking import run as ranking
from simonides_bench.ranking.fit import Listed, fit_listwise, fit_logistic


def lists(weights: list[float], *, count: int = 400, size: int = 6) -> list[Listed]:
    """Return questions whose one answer is drawn with the odds that these weights give."""
    chance = np.random.default_rng(0)
    made = []
    for _ in range(count):
        rows = chance.normal(size=(size, len(weights)))
        noise = -np.log(-np.log(chance.random(size)))
        answers = np.zeros(size, dtype=bool)
        answers[np.argmax(rows @ np.array(weights) + noise)] = True
        nothing = np.zeros(size, dtype=bool)
        made.append(Listed(rows=rows, answers=answers, must_not=nothing, importance=1.0))
    return made


def test_a_listwise_fit_finds_the_weights_that_chose_the_answers() -> None:
    found = fit_listwise(lists([2.0, -1.0, 0.0], count=2000), before=np.zeros(3))

    assert found.tolist() == pytest.approx([2.0, -1.0, 0.0], abs=0.3)


def test_a_feature_of_which_the_data_say_nothing_keeps_its_weight() -> None:
    silent = [
        Listed(
            rows=np.column_stack([one.rows, np.zeros(len(one.rows))]), answers=one.answers,
            must_not=one.must_not, importance=1.0,
        )
        for one in lists([1.0])
    ]  # fmt: skip

    assert fit_listwise(silent, before=np.array([0.0, 0.7]))[1] == pytest.approx(0.7)


def test_what_must_not_rank_counts_as_more_than_another_wrong_one() -> None:
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    answers = np.array([True, False, False])
    must_not = np.array([False, True, False])
    one = Listed(rows=rows, answers=answers, must_not=must_not, importance=1.0)

    worse, wrong = fit_listwise([one], before=np.zeros(2)).tolist()

    assert worse < wrong < 0.0


def test_a_list_without_an_answer_says_nothing_of_the_order() -> None:
    reported = lists([1.0, 0.5])
    silent = Listed(
        rows=np.ones((3, 2)), answers=np.zeros(3, dtype=bool), must_not=np.zeros(3, dtype=bool),
        importance=9.0,
    )  # fmt: skip

    both = [fit_listwise(some, before=np.zeros(2)) for some in (reported, [*reported, silent])]

    assert both[0].tolist() == both[1].tolist()


def test_a_curve_finds_the_weights_that_made_the_labels() -> None:
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(20_000, 2))
    labels = (chance.random(20_000) < 1 / (1 + np.exp(-(2.0 * rows[:, 0] - 1.0)))).astype(float)

    weights, intercept = fit_logistic(rows, labels, np.ones(20_000))

    assert weights.tolist() == pytest.approx([2.0, 0.0], abs=0.1)
    assert intercept == pytest.approx(-1.0, abs=0.1)


def test_what_speaks_against_gets_no_weight_rather_than_a_negative_one() -> None:
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [0.2, 0.8], [0.9, 0.1]])

    weights, _ = fit_logistic(rows, np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))

    assert weights[0] > 0.0
    assert weights[1] == 0.0


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


@pytest.mark.slow
def test_persons_are_judged_by_the_fit_on_the_others(persons: list[Path], tmp_path: Path) -> None:
    found = ranking.run(persons, keep=tmp_path / "homes")

    assert found["features"] == list(FEATURES) == list(found["weights"])
    assert list(found["left_out"]) == ["mia", "leo"]
    for figures in found["left_out"].values():
        assert figures == {
            "recall@10": 1.0, "first": 1.0, "must_not_before_evidence": None,
            "abstention_auc": 1.0,
        }  # fmt: skip
    assert found["mean"]["first"] == 1.0
    assert found == ranking.run(persons, keep=tmp_path / "homes")


@pytest.mark.slow
def test_the_weights_are_written_as_a_module(
    persons: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "weights.py"
    monkeypatch.setattr(ranking, "WEIGHTS_FILE", file)

    found = ranking.run(persons, writes=True)

    made: dict[str, object] = {}
    exec(file.read_text("utf-8"), made)  # noqa: S102  written a line above
    assert (made["WEIGHTS"], made["RELEVANCE"]) == (found["weights"], found["relevance"])
    assert "Fitted on: mia, leo." in file.read_text("utf-8")


def test_one_person_alone_cannot_be_left_out(persons: list[Path]) -> None:
    with pytest.raises(InvalidInput, match="two persons or more"):
        ranking.run(persons[:1])
