"""The examples that the newer verbs print run as printed, and so does every task's help."""

import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.cli.main import run
from simonides.cli.verbs import VERBS
from simonides.ports.models import Clock

Call = Callable[..., tuple[int, str, str]]
ANSWERING = ["keys", "audit", "chat", "sessions", "preferences", "retrieve", "mcp"]
"""Verbs whose example answers something on a space that has a mail and a session `trip`."""

TASKS = {
    "keys": ("create", "list", "revoke"),
    "sessions": ("list", "get", "messages", "last", "add", "forget"),
    "preferences": ("list", "get", "set", "infer", "forget"),
}


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Run a command line on a home with a mail and a conversation."""

    def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
        return Memory(home, space=space, settings=settings, clock=clock)

    def called(*argv: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        own = {"SIMONIDES_HOME": str(tmp_path / "home"), "SIMONIDES_EMBEDDER": "none",
               "SIMONIDES_TIMEZONE": "UTC", "SIMONIDES_DURABILITY": "relaxed"}  # fmt: skip
        status = run(
            argv, stdin=io.StringIO(), out=out, err=err, environment=own, open_memory=opened
        )
        return status, out.getvalue(), err.getvalue()

    with Memory(tmp_path / "home", settings=Settings(embedder="none", timezone="UTC")) as memory:
        memory.add("Sarah moved the Alpha deadline.", kind="email", source="gmail",
                   people=["Sarah <sarah@example.com>"])  # fmt: skip
    called("sessions", "add", "trip", "user", "Where to?")
    return called


def words(verb: str) -> list[str]:
    program, *argv = shlex.split(VERBS[verb].EXAMPLE)

    assert program == "simonides"
    assert argv[0] == verb
    return argv


@pytest.mark.parametrize("verb", ANSWERING)
def test_the_example_of_a_verb_runs_as_printed(call: Call, verb: str) -> None:
    status, out, err = call(*words(verb))

    assert status == 0, err
    assert out or "nothing was noted" in err


@pytest.mark.parametrize("verb", ANSWERING)
def test_with_json_the_example_is_one_object_on_one_line_and_nothing_else(
    call: Call, verb: str
) -> None:
    status, out, err = call(*words(verb), "--json")

    assert (status, err, out.count("\n")) == (0, "", 1)
    reported: Any = json.loads(out)
    assert isinstance(reported, dict)


def test_the_example_of_erase_takes_the_mail_of_that_person(call: Call) -> None:
    status, out, _ = call(*words("erase"))

    assert status == 0
    assert out.startswith("erased ")
    assert call("search", "Alpha", "--json")[1].count("entryId") == 0


@pytest.mark.parametrize(
    ("verb", "task"), [(verb, task) for verb, tasks in TASKS.items() for task in tasks]
)
def test_every_task_says_what_it_does_and_takes(
    call: Call, capsys: pytest.CaptureFixture[str], verb: str, task: str
) -> None:
    assert call(verb, task, "--help") == (0, "", "")
    out = capsys.readouterr().out

    assert out.startswith(f"usage: simonides {verb} {task} ")
    assert "--json" in out


@pytest.mark.parametrize("verb", TASKS)
def test_a_verb_without_its_task_or_with_another_says_which_there_are(
    call: Call, verb: str
) -> None:
    assert call(verb)[0] == 2
    status, _, err = call(verb, "frobnicate")

    assert status == 2
    assert all(f"'{task}'" in err for task in TASKS[verb])


@pytest.mark.parametrize(
    "argv",
    [("erase",), ("erase", "--everything"), ("erase", "x", "--source", "gmail"),
     ("erase", "--everything", "--space", "default"), ("erase", "--source", "gmail"),
     ("erase", "x")],
)  # fmt: skip
def test_nothing_is_erased_by_a_command_that_is_not_whole(
    call: Call, argv: tuple[str, ...]
) -> None:
    before = call("list", "--json")[1]
    status, out, err = call(*argv)

    assert (status, out) == (4, "")
    assert "[invalid_input]" in err
    assert call("list", "--json")[1] == before


def test_what_would_be_erased_is_counted_as_it_is_there(call: Call) -> None:
    mail = json.loads(call("list", "--json", "--kind", "email")[1])["items"][0]["id"]

    assert "would erase 1 of the 2 items named" in call("erase", mail, "nope", mail)[2]
    assert "would erase 0 of the 1 items named" in call("erase", "nope")[2]
    call("forget", mail)
    assert "would erase 1 of the 1 items named" in call("erase", mail)[2]
    assert "would erase the whole space 'default'" in call(
        "erase", "--everything", "--space", "default"
    )[2]  # fmt: skip


def test_what_is_added_may_take_the_place_of_another(call: Call) -> None:
    mail = json.loads(call("list", "--json", "--kind", "email")[1])["items"][0]["id"]

    status, out, _ = call("add", "the quay is open", "--forget", mail, "--json")

    said = json.loads(out)
    assert (status, said["added"], said["forgotten"]) == (0, 1, 1)
    assert call("get", mail)[0] == 3
    assert "goes with one text" in call("add", "--jsonl", "-", "--forget", mail)[2]
