"""What a server has open, runs and waits for, read anew whenever the metrics are asked for.

Never names a space. Must not know how metrics are written.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from simonides.api.measures import measures

if TYPE_CHECKING:
    from simonides.http.state import Server


class GaugeReading(NamedTuple):
    """One metric: its values by the value of `label`; without a label one value, under nothing."""

    name: str
    help: str
    values: Mapping[str, float]
    label: str = ""
    is_total: bool = False


def readings(server: "Server") -> tuple[GaugeReading, ...]:
    """Return the readings of a server's gauges without blocking the event loop."""
    held = measures(server.memory)
    store = held.store
    running, waiting = server.imports.counts()
    imports = {"running": running, "waiting": waiting}
    connections = {"in_use": store.in_use, "idle": store.idle}
    lanes = sorted(held.lanes.items())
    runs = {lane: float(count) for lane, (count, _) in lanes}
    seconds = {lane: took_s for lane, (_, took_s) in lanes}
    vectors = "Chunks of all spaces without a vector yet, as of the last look at each."
    callers = "Callers that wait for a connection of the store."
    return (
        GaugeReading("simonides_imports", "Imports, by state.", imports, "state"),
        GaugeReading("simonides_http_waiting", "Requests that wait for a thread.",
                     {"": server.threads.waiting}),
        GaugeReading("simonides_vectors_waiting", vectors, {"": server.vectors.left}),
        GaugeReading("simonides_store_connections", "Connections of the store, by state.",
                     connections, "state"),
        GaugeReading("simonides_store_waiting", callers, {"": store.waiting}),
        GaugeReading("simonides_spaces_open", "Open spaces.", {"": store.spaces}),
        GaugeReading("simonides_indexes", "Indexes in memory.", {"": held.indexes}),
        GaugeReading("simonides_index_bytes", "Bytes of indexes in memory, about.",
                     {"": held.index_bytes}),
        GaugeReading("simonides_lane_runs", "Runs of each lane.", runs, "lane", is_total=True),
        GaugeReading("simonides_lane_seconds", "Time that each lane took.", seconds, "lane",
                     is_total=True),
    )  # fmt: skip
