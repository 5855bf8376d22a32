"""What workers share in a file: what several processes see, and what becomes of it."""

import sys
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Timer

import apsw
import pytest

from simonides.ports.shared_state import Refill
from simonides.working_memory import sqlite_state
from simonides.working_memory.fallback import FallbackState, Unreachable
from simonides.working_memory.sqlite_state import SQLiteState

DRAWS = """
import sys
from pathlib import Path
from simonides.ports.shared_state import Refill
from simonides.working_memory.sqlite_state import SQLiteState
state, refill = SQLiteState(Path(sys.argv[1])), Refill(per_s=1e-9, size=100.0)
print(*(state.spend("k", 1.0, refill) for _ in range(50)))
print(sum(state.put_new("s", f"k{n}", "1", ttl_s=60.0) for n in range(60)))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


def test_of_several_processes_no_two_draw_or_claim_the_same(file: Path) -> None:
    processes = [
        Popen([sys.executable, "-c", DRAWS, file], stdout=PIPE, text=True) for _ in range(3)
    ]
    reported = [one.communicate()[0].splitlines() for one in processes]
    left = sorted(round(float(one)) for drawn, _ in reported for one in drawn.split())

    assert left == list(range(-50, 100))
    assert sum(int(claimed) for _, claimed in reported) == 60


def test_a_new_file_that_another_worker_sets_up_just_then_is_waited_for(file: Path) -> None:
    other = apsw.Connection(str(file))
    other.execute("CREATE TABLE made(up); BEGIN IMMEDIATE")
    ends = Timer(0.1, other.execute, ("COMMIT",))
    ends.start()
    state = SQLiteState(file)

    state.ping()

    ends.join()
    other.close()
    state.close()


def test_what_is_cleared_leaves_no_bytes(file: Path) -> None:
    state, other = SQLiteState(file), SQLiteState(file)
    for n in range(200):
        state.put("alice", f"k{n}", f"the quay at noon {n}", ttl_s=60.0)
    other.put("bob", "k", "the crane", ttl_s=60.0)
    assert state.clear("alice") == 200

    kept = b"".join(one.read_bytes() for one in file.parent.iterdir())
    assert b"the quay" not in kept
    assert b"the crane" in kept
    state.close()
    other.close()


@pytest.mark.parametrize("content", [b"no database at all, but long enough to look like one" * 99])
def test_a_file_that_is_broken_is_lost_and_each_goes_on_by_itself(
    content: bytes, file: Path
) -> None:
    file.write_bytes(content)
    broken = SQLiteState(file)
    with pytest.raises(Unreachable):
        broken.get("s", "k")

    shared = FallbackState(broken, watches=False)
    shared.put("s", "k", 1, ttl_s=60.0)
    assert shared.get("s", "k") == 1
    assert shared.sharing == "lost"
    shared.close()


def test_of_too_many_those_go_that_end_or_were_used_first(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in (("TRIM_EVERY", 5), ("VALUES_MAX", 10), ("BUCKETS_MAX", 10)):
        monkeypatch.setattr(sqlite_state, name, number)
    state, refill = SQLiteState(file), Refill(per_s=0.001, size=10.0)
    for n in range(40):
        state.put("s", f"{n:02}", "x", ttl_s=100.0 + n)
        state.spend(f"{n:02}", 10.0, refill)
    left = state.names("s")
    full, empty = (state.spend(name, 0.0, refill) for name in ("00", "39"))

    assert 10 <= len(left) < 15
    assert left[-1] == "39"
    assert (full, round(empty)) == (10.0, 0)
    state.close()
