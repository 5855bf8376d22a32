"""What a server has open, runs and waits for, read anew whenever the metrics are asked for.

Never names a space. Must not know how metrics are written.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simonides.api.measures import Measures, measures

if TYPE_CHECKING:
    from simonides.http.state import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugeReading:
    """One metric: its values by the value of `label`; without a label one value, under nothing."""

    name: str
    help: str
    values: Mapping[str, float]
    label: str = ""
    is_total: bool = False


def readings(server: "Server") -> Iterator[GaugeReading]:
    """Yield the readings of a server's gauges without blocking the event loop."""
    held = measures(server.memory)
    running, waiting = server.imports.counts()
    yield GaugeReading(
        name="simonides_imports", help="Imports, by state.", label="state",
        values={"running": running, "waiting": waiting},
    )  # fmt: skip
    yield GaugeReading(
        name="simonides_http_waiting", help="Requests that wait for a thread.",
        values={"": server.threads.waiting},
    )  # fmt: skip
    yield GaugeReading(
        name="simonides_vectors_waiting",
        help="Chunks of all spaces without a vector yet, as of the last look at each.",
        values={"": server.vectors.left},
    )  # fmt: skip
    yield from _of_memory(held)


def _of_memory(held: Measures) -> Iterator[GaugeReading]:
    yield GaugeReading(
        name="simonides_store_connections", help="Connections of the store, by state.",
        label="state", values={"in_use": held.store.in_use, "idle": held.store.idle},
    )  # fmt: skip
    yield GaugeReading(
        name="simonides_store_waiting", help="Callers that wait for a connection of the store.",
        values={"": held.store.waiting},
    )  # fmt: skip
    yield GaugeReading(
        name="simonides_spaces_open", help="Open spaces.", values={"": held.store.spaces}
    )
    yield GaugeReading(
        name="simonides_indexes", help="Indexes in memory.", values={"": held.indexes}
    )
    yield GaugeReading(
        name="simonides_index_bytes", help="Bytes of indexes in memory, about.",
        values={"": held.index_bytes},
    )  # fmt: skip
    yield GaugeReading(
        name="simonides_lane_runs", help="Runs of each lane.", label="lane", is_total=True,
        values={lane: runs for lane, (runs, _) in sorted(held.lanes.items())},
    )  # fmt: skip
    yield GaugeReading(
        name="simonides_lane_seconds", help="Time that each lane took.", label="lane",
        is_total=True, values={lane: took_s for lane, (_, took_s) in sorted(held.lanes.items())},
    )  # fmt: skip
