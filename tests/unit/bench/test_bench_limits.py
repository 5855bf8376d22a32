import subprocess
import sys

from simonides_bench.limits import (
    measure,
    median_ms,
    once_ms,
    read_ms,
    scan_ms,
)


def test_work_runs_once_more_than_it_is_measured() -> None:
    runs: list[None] = []
    median_ms(lambda: runs.append(None), repeats=4)

    assert len(runs) == 5


def test_once_is_once() -> None:
    runs: list[None] = []

    assert once_ms(lambda: runs.append(None)) >= 0.0
    assert len(runs) == 1


def test_waiting_is_no_processor_time() -> None:
    took = measure(lambda: subprocess.run([sys.executable, "-c", ""], check=True))

    assert 0.0 <= took.cpu_ms < took.wall_ms


def test_limits_are_times_above_zero() -> None:
    assert scan_ms(rows=50, dimension=16, repeats=3) > 0.0
    assert read_ms(bytes_read=4, repeats=3) > 0.0
