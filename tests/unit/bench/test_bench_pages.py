"""The times of the pages, beside those of the library."""

import pytest
from tests.unit.bench.labelled import explained

from simonides_bench import pages


@pytest.mark.slow
def test_each_page_and_a_keystroke_are_timed() -> None:
    progress: list[tuple[int, int]] = []
    found = pages.run(
        chunks=60, questions=2, on_progress=lambda done, of: progress.append((done, of))
    )

    assert (found["chunks"], progress) == (60, [(1, 3), (2, 3), (3, 3)])
    assert {"/", "/story", "/people", "/status"} <= found["pages"].keys()
    for one in (found["keystroke"], found["library_explain"], *found["pages"].values()):
        assert 0.0 < one["ms_p50"] <= one["ms_p99"]
    ratio = found["keystroke"]["ms_p50"] / found["library_explain"]["ms_p50"]
    assert found["keystroke_ratio"] == ratio
    assert explained("Pages") == set(found)
