"""The limits of workers, and their port; processes are in tests/acceptance/test_workers.py."""

import pytest

from simonides.errors import InvalidInput
from simonides.http.limits import Limits
from simonides.http.workers import divide, listening


def test_what_is_for_the_whole_server_is_divided_among_workers() -> None:
    whole = Limits(threads=4, waiting_max=64, streams_max=16, imports_running_max=2)
    part = divide(whole, 3)

    assert (part.threads, part.waiting_max, part.streams_max) == (2, 22, 6)
    assert (part.imports_running_max, part.connections_max) == (1, 167)
    assert (part.connections_each_max, part.drain_s) == (
        whole.connections_each_max, whole.drain_s,
    )  # fmt: skip


def test_a_port_can_be_had_once() -> None:
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert port > 0
        with pytest.raises(InvalidInput, match="cannot be had"):
            listening("127.0.0.1", port)
