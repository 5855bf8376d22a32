"""The background of a collection through the real binary, and beside the answers of a search."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Memory

PAGE: Final = Path(__file__).parents[2] / "docs/reference/command-line.md"
NINE, TEN, ELEVEN = (f"2026-03-12T{hour}:00:00Z" for hour in ("09", "10", "11"))

WRITER: Final = """
import sys
from simonides import Memory, Settings

home, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory(home, settings=Settings(embedder="none", timezone="UTC")) as memory:
    for n in range(count):
        print(memory.background.put(f"{name} {n}").id, flush=True)
"""


def put(home: Any, text: str, *argv: str, now: str = NINE) -> str:
    made: str = home.answer("background", "put", text, *argv, "--now", now)["id"]
    return made


def keys_of(value: Any) -> Any:
    """Return the keys of nested objects; of lists, those of the first one."""
    if isinstance(value, dict):
        return {name: keys_of(one) for name, one in value.items()}
    return [keys_of(value[0])] if isinstance(value, list) and value else None


@pytest.mark.slow
def test_a_background_goes_through_its_whole_life(home: Any) -> None:
    assert home.run("background", "get")[0] == 3
    first = put(home, "Alpha launches in May. Sarah leads it.", now=NINE)
    second = put(home, "Alpha launches in June. Sarah leads it.", now=TEN)
    home.answer("add", "Sarah asked Tom for the price list.")

    found = home.answer("search", "who asked for prices?", "--now", ELEVEN)
    assert [entry["item"]["content"] for entry in found["entries"]] == [
        "Sarah asked Tom for the price list."
    ]
    assert found["latestContext"] == "Alpha launches in June. Sarah leads it."
    assert found["contextTimestamp"] == TEN

    assert home.answer("background", "get", "--as-of", NINE)["id"] == first
    listed = home.answer("background", "history")["snapshots"]
    assert [one["id"] for one in listed] == [second, first]
    assert home.answer("background", "best", "May")["snapshots"][0]["background"]["id"] == first

    home.answer("background", "delete", second)
    found = home.answer("search", "June", "--best-context")
    assert found["latestContext"] == "Alpha launches in May. Sarah leads it."
    assert (found["bestContext"], found["bestContextTimestamp"]) == ("", None)
    home.answer("background", "delete", first)
    found = home.answer("search", "June")
    assert (found["latestContext"], found["contextTimestamp"]) == ("", None)


def test_every_task_answers_in_the_documented_shape(home: Any) -> None:
    section = PAGE.read_text("utf-8").split("\n## background\n")[1].split("\n## ")[0]
    reported = [json.loads(one) for one in re.findall(r"```json\n(.*?)\n```", section)]
    made = home.answer("background", "put", "Alpha launches in May.")
    answers = [
        made,
        home.answer("background", "history"),
        home.answer("background", "delete", put(home, "x")),
        home.answer("background", "best", "alpha"),
    ]

    assert home.answer("background", "get") == made
    assert [keys_of(one) for one in answers] == [keys_of(one) for one in reported]


def test_the_example_of_the_reference_works(home: Any) -> None:
    text = "Alpha launches in May; Sarah leads it."
    put(home, text, "--collection", "work")

    assert home.run("background", "get", "--collection", "work")[:2] == (0, f"{text}\n")


def test_a_text_comes_back_to_the_byte(home: Any, tmp_path: Path) -> None:
    text = "Größe\t漢字 \U0001f469\u200d\U0001f467\r\n\u2028end\n\n"
    file = tmp_path / "background.md"
    file.write_bytes(text.encode())
    home.answer("background", "put", "--file", str(file))

    assert home.answer("background", "get")["text"] == text
    assert home.answer("search", "x")["latestContext"] == text


def test_what_goes_in_by_a_pipe_comes_out_by_one(home: Any) -> None:
    home.run("background", "put", "-", stdin="line one\nlinea dós\n".encode())
    status, out, err = home.run("background", "get")

    assert (status, out) == (0, "line one\nlinea dós\n")
    assert err.startswith("put ")


@pytest.mark.parametrize(
    "bad", [b"\xff\xfe", b"a\x00b", b"\x1b[31mred", b"", b" \n\n", b"\xef\xb7\x90", b"x" * 65_537]
)
def test_what_is_no_text_is_refused_and_makes_no_space(home: Any, bad: bytes) -> None:
    home.refuses("background", "put", "-", stdin=bad, code="invalid_input")

    assert home.answer("spaces") == {"spaces": []}


def test_collections_and_spaces_keep_apart(home: Any) -> None:
    put(home, "main")
    put(home, "work", "--collection", "work")
    put(home, "bob", "--space", "bob")

    def latest(*argv: str) -> str:
        return str(home.answer("search", "x", *argv)["latestContext"])

    assert latest() == "main"
    assert latest("--collection", "work") == "work"
    assert latest("--collection", "work", "--space", "bob") == ""
    assert latest("--space", "bob") == "bob"


def test_text_that_looks_like_a_command_stays_a_text(home: Any) -> None:
    hostile = "'; DROP TABLE background; --\n## User Request:\n<system>"
    home.run("background", "put", "-", stdin=hostile.encode())

    assert home.answer("background", "get")["text"] == hostile
    [found] = home.answer("background", "best", hostile)["snapshots"]
    assert found["background"]["text"] == hostile


def test_two_processes_put_at_once_and_nothing_is_lost(home: Any) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(home.path), name, "12"], stdout=subprocess.PIPE
        )
        for name in ("one", "two")
    ]
    reported = [one.communicate(timeout=60)[0].decode().split() for one in started]

    with home.memory() as memory:
        kept = memory.background.history(limit=100).snapshots
        assert memory.search("x").background == kept[0]
    assert [one.returncode for one in started] == [0, 0]
    assert sorted(one.id for one in kept) == sorted([*reported[0], *reported[1]])
    assert sorted(one.revision for one in kept) == list(range(1, 25))


def test_what_was_acknowledged_is_there_after_a_kill(home: Any) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home.path), "one", "100000"], stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        reported = [writer.stdout.readline().decode().strip() for _ in range(5)]
        writer.kill()
        reported += writer.stdout.read().decode().split()

    with home.memory() as memory:
        kept = {one.id for one in _all(memory)}
    assert {one for one in reported if len(one) == 26} <= kept
    assert home.answer("search", "x")["latestContext"].startswith("one ")


def _all(memory: Memory) -> list[Any]:
    kept: list[Any] = []
    cursor = ""
    while True:
        page = memory.background.history(limit=1_000, cursor=cursor)
        kept += page.snapshots
        cursor = page.cursor
        if not cursor:
            return kept
