"""The bench of the server: the same questions both ways, and how they relate."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.unit.bench.labelled import explained

from simonides_bench import http


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """The figures of a small run, and the progress that it told."""
    reported: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(http, "WARM_S", 0.1)
        found = http.run(
            chunks=60,
            clients=2,
            seconds=0.3,
            on_progress=lambda done, of: reported.append((done, of)),
        )
    return {**found, "told": reported}


@pytest.mark.slow
def test_both_ways_are_asked_and_nothing_fails(figures: dict[str, Any]) -> None:
    for way in ("library", "http"):
        assert figures[way]["calls"] > 0
        assert figures[way]["errors"] == 0
        assert 0 < figures[way]["ms_p50"] <= figures[way]["ms_p99"]
    assert figures["same_answers"] == 1.0


@pytest.mark.slow
def test_the_ratios_are_those_of_the_figures(figures: dict[str, Any]) -> None:
    library, over = figures["library"], figures["http"]

    assert figures["p50_ratio"] == over["ms_p50"] / library["ms_p50"]
    assert figures["p99_ratio"] == over["ms_p99"] / library["ms_p99"]
    assert figures["throughput_ratio"] == over["per_s"] / library["per_s"]
    assert (figures["chunks"], figures["clients"]) == (60, 2)
    assert figures["told"] == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.slow
def test_every_figure_is_reported_in_the_reference(figures: dict[str, Any]) -> None:
    assert explained("Http") == set(figures) - {"told"}


@pytest.mark.slow
def test_what_fails_is_counted_and_asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "WARM_S", 0.01)
    lock = threading.Lock()
    failed: list[str] = []

    @contextmanager
    def connect() -> Iterator[http.Ask]:
        def ask(question: str) -> None:
            with lock:
                if question == "b" and not failed:
                    failed.append(question)
                    raise ValueError(question)

        yield ask

    tally = http._put_under_load(connect, ["a", "b"], clients=2, seconds=0.05)

    assert tally.errors == 1
    assert tally.figures()["per_s"] == len(tally.took_ms) / 0.05
