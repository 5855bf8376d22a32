import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simonides.api.memory import DEFAULT_SPACE, Memory
from simonides.config import Settings
from simonides.errors import SimonidesError
from simonides.storage.sqlite.file_names import snapshot_file
from simonides_bench import child, fresh
from simonides_bench.fresh import Kept, cold_figures, memory_figures, sync_figures
from simonides_bench.testing.hashing import HashingEmbedder

QUESTION = "when does the ferry leave?"


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """Return a closed space of one item, with a snapshot beside it."""
    embedder = HashingEmbedder(64)
    settings = Settings(timezone="UTC", durability="relaxed")
    with Memory(tmp_path, settings=settings, embedder=embedder) as memory:
        memory.add("The ferry leaves at seven.")
    snapshot_file(tmp_path, DEFAULT_SPACE).write_bytes(b"no index")
    return Kept(
        home=tmp_path, space=DEFAULT_SPACE, question=QUESTION, identity=embedder.identity,
        vector=embedder.embed_query(QUESTION), has_snapshot=True,
    )  # fmt: skip


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch, kept: Kept) -> list[tuple[str, bool]]:
    """Return what children were asked, each with whether the snapshot was in its place."""
    asked: list[tuple[str, bool]] = []

    def run(command: tuple[str, ...]) -> str:
        there = snapshot_file(kept.home, kept.space).exists()
        asked.append((command[3], there))
        took = 5.0 if there else 50.0
        size = 2000 if there else 6000
        return json.dumps(
            {"import_ms": 1.0, "answer_ms": took, "resident_bytes": size, "peak_bytes": 2 * size,
             "view_bytes": 1500, "hits": 1}
        )  # fmt: skip

    monkeypatch.setattr(fresh, "_run", run)
    return asked


def test_cold_starts_are_measured_with_and_without_the_snapshot(
    kept: Kept, seen: list[tuple[str, bool]]
) -> None:
    figures, notes = cold_figures(kept, repeats=2)

    assert seen == [("cold", False)] * 2 + [("cold", True)] * 2
    assert figures["open_to_first_answer_ms"] == figures["cold_start"]["with_snapshot_ms"] == 5.0
    assert figures["cold_start"]["without_snapshot_ms"] == 50.0
    assert notes == []


def test_the_snapshot_is_put_back(kept: Kept, seen: list[tuple[str, bool]]) -> None:
    cold_figures(kept, repeats=1)

    assert len(seen) == 2
    assert snapshot_file(kept.home, kept.space).read_bytes() == b"no index"
    assert not list(kept.home.rglob("*.aside"))


def test_without_a_snapshot_the_first_answer_is_built_and_a_note_says_so(
    kept: Kept, seen: list[tuple[str, bool]]
) -> None:
    snapshot_file(kept.home, kept.space).unlink()
    figures, notes = cold_figures(replace(kept, has_snapshot=False), repeats=1)

    assert seen == [("cold", False)]
    assert figures["open_to_first_answer_ms"] == 50.0
    assert figures["cold_start"]["with_snapshot_ms"] is None
    assert notes == ["no snapshot was written when the space was closed"]


@pytest.mark.usefixtures("seen")
def test_memory_is_told_per_chunk(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "status").touch()
    monkeypatch.setattr(fresh, "STATUS", tmp_path / "status")
    figures, notes = memory_figures(kept, chunks=10)

    assert figures["memory_bytes_per_chunk"] == 200.0
    assert figures["memory_bytes_per_chunk_by"] == {
        "from_rows": 600.0, "from_rows_peak": 1200.0, "from_snapshot": 200.0,
        "from_snapshot_peak": 400.0, "view": 150.0,
    }  # fmt: skip
    assert notes == []


def test_where_the_system_does_not_tell_memory_a_note_says_so(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(fresh, "STATUS", tmp_path / "none")

    assert memory_figures(kept, chunks=10) == (
        {"memory_bytes_per_chunk": None},
        ["memory is measured on Linux only"],
    )


TRACE = """\
{pid} fdatasync(5) = 0
{pid} fsync(5 <unfinished ...>
{pid} <... fsync resumed>) = 0
"""


def test_syncs_are_counted_once_each_and_those_of_opening_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def traced(command: tuple[str, ...]) -> str:
        adds = int(command[-1])
        Path(command[command.index("-o") + 1]).write_text(TRACE.format(pid=7) * (adds + 3), "utf-8")
        return ""

    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(fresh, "_run", traced)

    assert sync_figures(adds=5) == ({"fsyncs_per_add": 2.0}, [])


def test_without_strace_syncs_are_unknown_and_a_note_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)

    assert sync_figures(adds=5) == (
        {"fsyncs_per_add": None},
        ["fsyncs_per_add: strace is not installed"],
    )


def test_a_strace_that_may_not_trace_is_told_in_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: tuple[str, ...]) -> str:
        raise SimonidesError("strace failed: Operation not permitted")

    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(fresh, "_run", refused)
    figures, notes = sync_figures(adds=5)

    assert figures == {"fsyncs_per_add": None}
    assert notes == ["fsyncs_per_add: strace failed: Operation not permitted"]


def test_a_child_that_fails_says_what_it_said_last() -> None:
    with pytest.raises(SimonidesError, match="failed: ValueError: told"):
        fresh._run((sys.executable, "-c", "raise ValueError('told')"))


def answered(verb: str, *arguments: str) -> dict[str, Any]:
    ran = subprocess.run(
        [*fresh.CHILD, verb, *arguments], capture_output=True, text=True, check=True
    )
    return dict(json.loads(ran.stdout))


def test_a_child_starts_cold_and_answers(kept: Kept) -> None:
    told = answered("cold", str(kept.home), kept.asked())

    assert told["hits"] == 1
    assert told["import_ms"] > 0.0
    assert told["answer_ms"] > 0.0


@pytest.mark.skipif(not child.STATUS.exists(), reason="memory is told by Linux only")
def test_a_child_weighs_what_it_holds(kept: Kept) -> None:
    told = child.weigh(str(kept.home), kept.asked())

    assert set(told) == {"resident_bytes", "peak_bytes", "view_bytes"}
    assert told["view_bytes"] > 0
    assert told["peak_bytes"] >= told["resident_bytes"]


def test_a_child_commits_each_add_by_itself(tmp_path: Path) -> None:
    assert child.adds(str(tmp_path), "3") == {"added": 3}

    with Memory(tmp_path, settings=Settings(embedder="none", timezone="UTC")) as memory:
        assert memory.stats().revision == 3


def test_the_question_is_handed_over_with_its_vector(kept: Kept) -> None:
    told = json.loads(Path(kept.asked()).read_text("utf-8"))

    assert told["text"] == QUESTION
    assert np.allclose(told["vector"], kept.vector)
    assert told["identity"]["dimension"] == 64


def test_a_cold_start_that_finds_nothing_is_told_in_a_note(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    hits = iter([1, 0, 0, 1])
    monkeypatch.setattr(
        fresh, "_run",
        lambda _: json.dumps({"import_ms": 1.0, "answer_ms": 2.0, "hits": next(hits)}),
    )  # fmt: skip

    _, notes = cold_figures(kept, repeats=2)

    assert notes == ["open_to_first_answer_ms: 2 cold starts found nothing at all"]


def test_the_middle_of_the_cold_starts_is_told_and_imports_apart(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = iter([(1.0, 90.0), (3.0, 70.0), (2.0, 80.0), (9.0, 6.0), (9.0, 4.0), (9.0, 5.0)])

    def run(_: tuple[str, ...]) -> str:
        imported, answered = next(runs)
        return json.dumps({"import_ms": imported, "answer_ms": answered, "hits": 1})

    monkeypatch.setattr(fresh, "_run", run)
    figures, _ = cold_figures(kept, repeats=3)

    assert figures == {
        "open_to_first_answer_ms": 5.0,
        "cold_start": {
            "import_ms": 2.0, "with_snapshot_ms": 5.0, "without_snapshot_ms": 80.0,
        },
    }  # fmt: skip


def test_the_snapshot_is_put_back_also_where_a_child_fails(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: tuple[str, ...]) -> str:
        raise SimonidesError("killed")

    monkeypatch.setattr(fresh, "_run", fail)
    with pytest.raises(SimonidesError, match="killed"):
        cold_figures(kept, repeats=1)

    assert snapshot_file(kept.home, kept.space).read_bytes() == b"no index"


def test_a_child_that_never_answers_is_ended_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "TIMEOUT_S", 0.1)

    with pytest.raises(SimonidesError, match=r"failed: no answer within 0\.1 s"):
        fresh._run((sys.executable, "-c", "import time; time.sleep(60)"))


def test_a_child_that_fails_without_a_word_says_so() -> None:
    with pytest.raises(SimonidesError, match="failed: no message"):
        fresh._run((sys.executable, "-c", "raise SystemExit(1)"))


def test_an_engine_that_syncs_twice_or_not_at_all_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    each = iter([2, 2, 0, 0])

    def syncs(adds: int) -> int:
        return 7 + next(each) * adds

    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(fresh, "_syncs", syncs)

    assert sync_figures(adds=20) == ({"fsyncs_per_add": 2.0}, [])
    assert sync_figures(adds=20) == ({"fsyncs_per_add": 0.0}, [])


def test_only_syncs_of_files_are_traced_in_all_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[tuple[str, ...]] = []

    def traced(command: tuple[str, ...]) -> str:
        ran.append(command)
        Path(command[command.index("-o") + 1]).write_text("7 msync(0)\n7 fsync(3) = 0\n", "utf-8")
        return ""

    monkeypatch.setattr(fresh, "_run", traced)

    assert fresh._syncs(4) == 1
    [command] = ran
    assert command[:2] == ("strace", "-f")
    assert "trace=fsync,fdatasync" in command
    assert command[-3] == "adds"
    assert command[-1] == "4"
