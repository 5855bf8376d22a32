"""`simonides bench crash`: what is handed on, and which status a fault has."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from simonides_bench.crash import run
from simonides_bench.crash.flips import Kind
from simonides_bench.crash.judge import Wrong

Call = Callable[..., tuple[int, str, str]]

FLIPS = {
    kind.value: {"trials": 0, "unclear": 0, "harmless": 0, "unnoticed": 0, "older": 0}
    for kind in Kind
}
SOUND: dict[str, Any] = {"powercuts": 3, **{wrong.value: 0 for wrong in Wrong}, "flips": FLIPS}


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the bench was called with, and the figures that it is to give."""
    seen: dict[str, Any] = {"figures": SOUND}

    def run_it(trials: run.Trials, **rest: Any) -> dict[str, Any]:
        rest["on_progress"](1, 2)
        seen["trials"] = trials
        figures: dict[str, Any] = seen["figures"]
        return figures

    monkeypatch.setattr(run, "run", run_it)
    return seen


def test_the_numbers_of_trials_are_handed_on(call: Call, handed: dict[str, Any]) -> None:
    status, out, _ = call(
        "bench", "crash", "--powercuts", "7", "--kills", "0", "--io-errors", "2", "--flips", "3",
        "--home-powercuts", "8", "--home-kills", "9", "--home-io-errors", "10", "--peers", "0",
        "--minutes", "1", "--seed", "4", "--json",
    )  # fmt: skip

    assert (status, json.loads(out)) == (0, SOUND)
    assert handed["trials"] == run.Trials(
        powercuts=7, kills=0, io_errors=2, flips=3, home_powercuts=8, home_kills=9,
        home_io_errors=10, peers=0, minutes=1, seed=4,
    )  # fmt: skip


def test_the_usual_numbers_are_those_of_the_bench(call: Call, handed: dict[str, Any]) -> None:
    call("bench", "crash")

    assert handed["trials"] == run.Trials()


def test_a_fault_is_reported_and_has_a_status(call: Call, handed: dict[str, Any]) -> None:
    handed["figures"] = {**SOUND, "lost": 1}
    status, out, _ = call("bench", "crash", "--json")

    assert status == 8
    assert json.loads(out)["lost"] == 1


@pytest.mark.parametrize("number", ["-1", "x", "1.5", "²"])
def test_a_number_of_trials_is_whole_and_not_below_zero(call: Call, number: str) -> None:
    status, _, err = call("bench", "crash", "--kills", number)

    assert status == 2
    assert "must be a whole number, 0 or more" in err
