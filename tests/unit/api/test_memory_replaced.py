"""A memory that is open while another process erases its space, and perhaps makes it anew."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.errors import NotFound

PLAIN = Settings(embedder="none", timezone="UTC", durability="relaxed", timeout_s=0.2)

OTHER = """
import sys
from simonides import Memory, Settings

settings = Settings(embedder="none", timezone="UTC", durability="relaxed", timeout_s=0.2)
for line in sys.stdin:
    home, _, how = line.rstrip("\\n").rpartition(" ")
    with Memory(home, space="ana", settings=settings) as memory:
        memory.erase(everything=True)
        if how == "anew":
            memory.add("the new harbor", id="new")
    print("done", flush=True)
"""

Elsewhere = Callable[[str], None]


@pytest.fixture(scope="module")
def other() -> Iterator["subprocess.Popen[str]"]:
    """Another process, which erases the space of any home that it is told, and closes it."""
    with subprocess.Popen(
        [sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.communicate()

    assert process.returncode == 0


@pytest.fixture
def elsewhere(other: "subprocess.Popen[str]", tmp_path: Path) -> Elsewhere:
    """Have that process erase the space; `how` says whether it makes it anew."""

    def call(how: str) -> None:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdin.write(f"{tmp_path} {how}\n")
        other.stdin.flush()
        assert other.stdout.readline() == "done\n"

    return call


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An open memory whose index is warm."""
    with Memory(tmp_path, space="ana", settings=PLAIN) as opened:
        opened.add("the old harbor", id="old")
        assert opened.search("harbor").hits
        yield opened


def found(memory: Memory) -> list[str]:
    return [one.item.id for one in memory.search("harbor").hits]


ANEW: dict[str, tuple[Callable[[Memory], Any], Any]] = {
    "search": (found, ["new"]),
    "add": (lambda memory: memory.add("more").revision, 2),
    "get": (lambda memory: memory.get("new").content, "the new harbor"),
    "list": (lambda memory: [one.id for one in memory.list().items], ["new"]),
    "brief": (lambda memory: "old" in memory.brief("harbor").text, False),
    "forget": (lambda memory: memory.forget("old", "new"), ("new",)),
    "erase": (lambda memory: memory.erase("new", prove=True).items, ("new",)),
    "erase everything": (lambda memory: memory.erase(everything=True).items, ("new",)),
    "verify": (lambda memory: all(one.sound for one in memory.verify()), True),
    "stats": (lambda memory: memory.stats().items, 1),
}


@pytest.mark.parametrize("verb", ANEW)
def test_what_was_made_anew_answers_at_the_next_call(
    memory: Memory, elsewhere: Elsewhere, verb: str
) -> None:
    elsewhere("anew")
    call, answer = ANEW[verb]

    assert call(memory) == answer


GONE: dict[str, tuple[Callable[[Memory], Any], Any]] = {
    "search": (found, []),
    "list": (lambda memory: memory.list().items, ()),
    "add": (lambda memory: memory.add("begun anew").revision, 1),
}


@pytest.mark.parametrize("verb", GONE)
def test_what_was_erased_is_empty_at_the_next_call(
    memory: Memory, elsewhere: Elsewhere, verb: str
) -> None:
    elsewhere("-")
    call, answer = GONE[verb]

    assert call(memory) == answer


@pytest.mark.parametrize("verb", ["stats", "verify", "doctor", "compact"])
def test_what_needs_a_space_says_that_there_is_none(
    memory: Memory, elsewhere: Elsewhere, verb: str
) -> None:
    elsewhere("-")

    with pytest.raises(NotFound, match="no space 'ana'"):
        getattr(memory, verb)()


def test_it_answers_however_often_that_happens(memory: Memory, elsewhere: Elsewhere) -> None:
    for _ in range(3):
        elsewhere("anew")
        assert found(memory) == ["new"]
        memory.add("another harbor", id="mine")
        assert sorted(found(memory)) == ["mine", "new"]


def test_a_mark_that_is_lost_costs_nothing_but_a_look(
    memory: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    (tmp_path / "spaces" / "ana.made").unlink()

    assert found(memory) == ["old"]
    elsewhere("anew")
    assert found(memory) == ["new"]
