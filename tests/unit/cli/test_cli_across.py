"""`--across`: other spaces beside the own one, each line told whose it is."""

import json
from collections.abc import Callable

import pytest

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(call_at_nine: Call) -> Call:
    """Return a command line on a home of two spaces."""
    call_at_nine("add", "The Alpha deadline moved to Friday.", "--id", "same", "--space", "alice")
    call_at_nine("add", "The Alpha budget is 40,000 euros.", "--id", "same", "--space", "team")
    return call_at_nine


ASKED = ("Alpha deadline and budget", "--space", "alice", "--across", "team")


@pytest.mark.parametrize("verb", ["brief", "explain", "retrieve", "search"])
def test_each_verb_of_questions_says_whose_each_line_is(home: Call, verb: str) -> None:
    more = ("--across", "alice") if verb == "search" else ()
    status, out, _ = home(verb, *ASKED, *more)

    assert status == 0
    assert "space alice" in out
    assert "space team" in out


def test_a_chat_cites_the_space_of_each_line(home: Call) -> None:
    status, out, _ = home("chat", *ASKED, "--json")

    assert status == 0
    assert {(one["space"], one["id"]) for one in json.loads(out)["citations"]} == {
        ("alice", "same"), ("team", "same"),
    }  # fmt: skip


def test_a_receipt_of_several_spaces_is_replayed_by_its_id(home: Call) -> None:
    made = json.loads(home("brief", *ASKED, "--keep-receipt", "--json")[1])
    status, out, _ = home("replay", made["receipt"]["id"], "--space", "alice")

    assert (status, out.rstrip("\n")) == (0, made["text"])
