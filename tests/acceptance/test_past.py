"""Time travel through the real binary: what was answered then is answered again, until it goes."""

import io
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory, Settings
from simonides.cli.main import run
from simonides.errors import HistoryGone
from simonides.ports.models import Clock

DAYS: Final = tuple(f"2026-03-{day:02}T09:00:00Z" for day in range(1, 6))
CLOCK: Final = ("--now", "2026-03-12T09:00:00Z")

ADDER: Final = """
import sys
from simonides import Memory, Settings

home, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory(home, settings=Settings(embedder="none", timezone="UTC")) as memory:
    for n in range(count):
        memory.update("shared", tags=[f"{name}-{n}"])
"""


QUESTION: Final = ("search", "where is the Alpha workshop?", *CLOCK)


def quickly(home: Any, *argv: str) -> Any:
    """Return what a verb answers, run in this process: the same command line, sooner."""
    out, err = io.StringIO(), io.StringIO()
    environment = {
        "SIMONIDES_HOME": str(home.path),
        "SIMONIDES_EMBEDDER": "none",
        "SIMONIDES_TIMEZONE": "UTC",
    }
    status = run(
        [*argv, "--json"], stdin=io.StringIO(), out=out, err=err, environment=environment,
        open_memory=opened,
    )  # fmt: skip

    assert (status, err.getvalue()) == (0, "")
    return json.loads(out.getvalue())


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)


def untimed(found: Any) -> Any:
    """Return the answer to a question without what it took."""
    for lane in (found["diagnostics"], *found["diagnostics"]["lanes"]):
        del lane["took_ms"]
    return found


def lived(home: Any) -> dict[str, Any]:
    """Write for five days; return what was answered at the end of each."""
    reported = {}
    writes = (
        ("add", "The Alpha workshop is in room 4.", "--id", "room"),
        ("add", "Sarah brings the Alpha slides.", "--id", "slides"),
        ("update", "room", "--content", "The Alpha workshop moved to room 9."),
        ("forget", "slides"),
        ("add", "The Beta workshop is in room 4.", "--id", "beta"),
    )
    for now, argv in zip(DAYS, writes, strict=True):
        quickly(home, *argv, "--now", now)
        reported[now] = untimed(quickly(home, *QUESTION))
    return reported


@pytest.mark.slow
def test_each_day_is_answered_as_it_was(home: Any) -> None:
    reported = lived(home)

    for revision, (now, answer) in enumerate(reported.items(), start=1):
        assert untimed(home.answer(*QUESTION, "--as-of", now)) == answer
        assert untimed(quickly(home, *QUESTION, "--as-of", str(revision))) == answer


def test_an_item_lives_through_all_its_versions(home: Any) -> None:
    lived(home)

    found = home.answer("history", "slides")["versions"]
    assert [(one["cause"], one["died_at"]) for one in found] == [("forgotten", DAYS[3])]
    assert home.run("get", "slides")[0] == 3
    assert quickly(home, "get", "slides", "--as-of", DAYS[2])["content"].startswith("Sarah")

    assert home.answer("restore", "slides", *CLOCK)["version"] == 2
    assert home.answer("restore", "room", "--version", "1", *CLOCK)["version"] == 3
    assert [one["version"] for one in quickly(home, "history", "room")["versions"]] == [1, 2, 3]
    assert "room 4" in quickly(home, "search", "Alpha workshop")["entries"][0]["item"]["content"]


@pytest.mark.slow
def test_compaction_leaves_a_past_that_is_whole_and_says_where_it_begins(home: Any) -> None:
    reported = lived(home)
    done = home.answer("compact", "--before", DAYS[3], *CLOCK)

    assert (done["versions"], done["oldest"]) == (2, 4)
    for now in DAYS[3:]:
        assert untimed(quickly(home, *QUESTION, "--as-of", now)) == reported[now]
    for when in (DAYS[2], "3"):
        said = home.refuses("search", "Alpha", "--as-of", when, code=HistoryGone.code)
        assert "the oldest that can be asked is revision 4" in said
    home.refuses("restore", "slides", code="not_found")
    assert quickly(home, "add", "Sarah brings the Alpha slides.", "--id", "slides")["added"] == 1


def test_two_processes_and_two_threads_lose_no_update(home: Any) -> None:
    home.answer("add", "shared", "--id", "shared")
    count = 15
    processes = [
        subprocess.Popen([sys.executable, "-c", ADDER, str(home.path), name, str(count)])
        for name in ("p", "q")
    ]
    with home.memory() as memory:

        def update(name: str) -> None:
            for number in range(count):
                memory.update("shared", tags=[f"{name}-{number}"])

        threads = [threading.Thread(target=update, args=(name,)) for name in ("s", "t")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [process.wait(60) for process in processes] == [0, 0]

        versions = memory.history("shared")
    assert [one.version for one in versions] == list(range(1, 4 * count + 2))
    assert {tag for one in versions for tag in one.item.tags} == {
        f"{name}-{number}" for name in "pqst" for number in range(count)
    }
