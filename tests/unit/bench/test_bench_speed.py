import re
from pathlib import Path
from typing import Any

import pytest

from simonides_bench.speed import Effort, run
from simonides_bench.testing.hashing import HashingEmbedder

PAGE = Path(__file__).parents[3] / "docs/reference/benchmarks.md"
TINY = Effort(
    passages_max=40, embedded_max=15, questions=12, fresh_texts=3, singles=3, analysed_items=5,
    mails=4, scans=3, cold_starts=1, traced_adds=2,
)  # fmt: skip

ASKED_FOR = {
    "chunks", "search_ms_p50", "search_ms_p95", "brief_ms_p50", "brief_default_ms_p50",
    "brief_cpu_ms_p50", "embed_query_ms_p50",
    "add_grouped_per_s", "add_single_ms_p50", "fsyncs_per_add", "open_to_first_answer_ms",
    "memory_bytes_per_chunk", "disk_bytes_per_chunk", "limit_scan_ms", "limit_fsync_ms",
    "import_mail_per_s", "analyse_chunks_per_s", "machine", "search_ms_by_mode",
    "filtered_search_ms_p50", "search_to_scan_ratio", "vectors", "notes",
}  # fmt: skip


@pytest.fixture(scope="module")
def reported() -> list[tuple[int, int]]:
    """Return what progress was told by the run of `figures`."""
    return []


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that `figures` has for what it needs for a while."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def figures(reported: list[tuple[int, int]], temporary: Path) -> dict[str, Any]:
    """Return the figures of one tiny run, without strace."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(temporary))
        patch.setattr("shutil.which", lambda _: None)
        return run(
            chunks=60,
            effort=TINY,
            model=HashingEmbedder(64),
            on_progress=lambda done, total: reported.append((done, total)),
        )


def documented(heading: str) -> set[str]:
    """Return the keys that the reference explains below one heading."""
    section = PAGE.read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `(\S+)` \|", section, re.MULTILINE))


def flattened(figures: dict[str, Any]) -> set[str]:
    names = set(figures)
    for group in ("cold_start", "memory_bytes_per_chunk_by", "machine"):
        names |= {f"{group}.{name}" for name in figures[group]}
    return names


@pytest.mark.slow
def test_everything_that_was_asked_for_is_there(figures: dict[str, Any]) -> None:
    assert set(figures) >= ASKED_FOR


@pytest.mark.slow
def test_every_key_is_explained_and_every_explained_key_is_there(figures: dict[str, Any]) -> None:
    optional = {f"memory_bytes_per_chunk_by.from_snapshot{end}" for end in ("", "_peak")}

    assert documented("Speed") - optional == flattened(figures) - optional


@pytest.mark.slow
def test_the_space_has_just_so_many_chunks(figures: dict[str, Any]) -> None:
    assert figures["chunks"] == 60


@pytest.mark.slow
def test_nothing_is_left_behind(figures: dict[str, Any], temporary: Path) -> None:
    assert figures
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_progress_ends_with_the_last_chunk(
    figures: dict[str, Any], reported: list[tuple[int, int]]
) -> None:
    assert figures
    assert reported[-1] == (60, 60)


@pytest.mark.slow
def test_rates_and_limits_are_above_zero(figures: dict[str, Any]) -> None:
    names = (
        "search_ms_p50", "search_ms_p95", "embed_query_ms_p50", "add_grouped_per_s",
        "add_single_ms_p50", "open_to_first_answer_ms", "disk_bytes_per_chunk", "limit_scan_ms",
        "limit_fsync_ms", "import_mail_per_s", "analyse_chunks_per_s", "search_to_scan_ratio",
    )  # fmt: skip

    assert all(figures[name] > 0.0 for name in names)


@pytest.mark.slow
def test_it_says_what_could_not_be_measured_and_how_vectors_came_about(
    figures: dict[str, Any],
) -> None:
    assert figures["fsyncs_per_add"] is None
    assert "fsyncs_per_add: strace is not installed" in figures["notes"]
    assert figures["vectors"].startswith("14 passages embedded by testing-hash/1")


@pytest.mark.slow
@pytest.mark.parametrize(("chunks", "mails", "singles"), [(1, 20, 10), (500, 500, 100)])
def test_a_small_space_is_measured_with_less_effort(chunks: int, mails: int, singles: int) -> None:
    effort = Effort.fitting(chunks)

    assert (effort.mails, effort.singles) == (mails, singles)
    assert effort.questions == Effort().questions >= 200
    assert Effort.fitting(10_000) == Effort()
