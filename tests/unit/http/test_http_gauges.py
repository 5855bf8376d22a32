"""`/metrics` says what a server has open, runs and waits for, and names no space."""

import re
from pathlib import Path
from typing import Any

from simonides.http.gauges import readings
from simonides.http.state import Server

RUNBOOK = Path(__file__).parents[3] / "docs" / "how-to" / "operate.md"
LANES = {"semantic", "lexical", "entity", "source", "temporal", "keyword", "phrase"}
LINE = re.compile(r"^(simonides_[a-z_]+)(?:\{(.*)\})? ([0-9.e+-]+)$", re.MULTILINE)


def read(server: Server) -> dict[str, float]:
    """Return the metrics by name and labels, as a scrape sees them."""
    found = LINE.findall(server.metrics.text().decode())
    return {
        f"{name}{{{labels}}}" if labels else name: float(value) for name, labels, value in found
    }


def test_a_server_that_was_asked_nothing_opens_nothing_for_its_metrics(open_site: Any) -> None:
    with open_site() as site:
        now = read(site.server)

        assert now["simonides_indexes"] == now["simonides_index_bytes"] == 0
        assert now['simonides_imports{state="running"}'] == 0
        assert now['simonides_imports{state="waiting"}'] == 0
        assert now["simonides_vectors_waiting"] == now["simonides_http_waiting"] == 0
        assert now["simonides_store_waiting"] == 0


def test_questions_open_spaces_and_warm_indexes(open_site: Any) -> None:
    with open_site() as site:
        for space in ("alice", "bob"):
            site.add("The ferry leaves at nine.", space=space)
            assert site.memory.in_space(space).search("ferry").hits
        now = read(site.server)

        assert now["simonides_spaces_open"] == now["simonides_indexes"] == 2
        assert now["simonides_index_bytes"] > 0
        assert now['simonides_store_connections{state="idle"}'] >= 2
        assert now['simonides_store_connections{state="in_use"}'] == 0
        assert "alice" not in site.ask("GET", "/metrics").text


def test_a_reader_is_a_connection_in_use(open_site: Any) -> None:
    with open_site() as site:
        site.add("The ferry leaves at nine.")
        with site.memory._opened.space.read():
            now = read(site.server)

        assert now['simonides_store_connections{state="in_use"}'] == 1


def test_time_and_runs_of_lanes_are_counted_for_those_that_ran(open_site: Any) -> None:
    with open_site() as site:
        site.add("The ferry leaves at nine.")
        before = read(site.server)
        for _ in range(3):
            site.answer("POST", "/v1/search", {"query": "ferry"})
        now = read(site.server)

    def grown(name: str, lane: str) -> float:
        key = f'{name}{{lane="{lane}"}}'
        return now.get(key, 0.0) - before.get(key, 0.0)

    assert grown("simonides_lane_runs_total", "lexical") == 3
    assert grown("simonides_lane_seconds_total", "lexical") > 0
    assert grown("simonides_lane_runs_total", "semantic") == 0, "the space holds no vectors"
    assert {lane for lane in LANES if grown("simonides_lane_runs_total", lane)} < LANES


def test_readings_have_different_names(site: Any) -> None:
    names = [reading.name for reading in readings(site.server)]

    assert len(names) == len(set(names)) >= 9


def test_every_metric_is_described_in_the_runbook(site: Any) -> None:
    site.add("The ferry leaves at nine.")
    site.answer("POST", "/v1/search", {"query": "ferry"})
    site.server.metrics.cut_off("slow")
    response = re.findall(r"^# TYPE (\S+)", site.ask("GET", "/metrics").text, re.MULTILINE)
    page = RUNBOOK.read_text("utf-8")

    assert [name for name in response if not name.endswith("_created") and name not in page] == []
