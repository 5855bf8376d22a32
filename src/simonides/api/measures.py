"""What a memory has open and has done, for those who watch a server. Opens and builds nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from simonides.api.memory import Memory
from simonides.ports.space import StoreLoad
from simonides.retrieval.lane_times import LANE_TIMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """The load of the store, the warm indexes with their bytes, and (runs, seconds) of lanes."""

    store: StoreLoad
    indexes: int
    index_bytes: int
    lanes: Mapping[str, tuple[int, float]]


def measures(memory: Memory) -> Measures:
    """Return the gauges of a memory, about, without blocking: an event loop may ask."""
    store, held = memory._runtime.read_load()  # noqa: SLF001  the runtime is no part of the public API
    indexes, index_bytes = held
    return Measures(
        store=store, indexes=indexes, index_bytes=index_bytes, lanes=LANE_TIMES.totals()
    )
