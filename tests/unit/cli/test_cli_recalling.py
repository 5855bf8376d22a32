"""`simonides sessions`, `preferences` and `retrieve`, run in this process on a space of its own."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., tuple[int, str, str]]
NINE = "2026-03-12T09:00:00Z"
TEN = "2026-03-12T10:00:00Z"


@pytest.fixture
def call(call_at_nine: Call) -> Call:
    """Run `simonides …` on a space of its own."""
    return call_at_nine


def answer(call: Call, *argv: str, **how: Any) -> Any:
    status, out, err = call(*argv, "--json", **how)

    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def say(call: Call, session: str, role: str, *text: str, now: str = NINE, stdin: str = "") -> str:
    made: str = answer(call, "sessions", "add", session, role, *text, now=now, stdin=stdin)["id"]
    return made


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────


def test_a_message_is_added_and_told(call: Call) -> None:
    status, out, _ = call("sessions", "add", "trip", "user", "When", "does it leave?")

    assert (status, out.split()[0]) == (0, "added")
    [item] = answer(call, "sessions", "last", "trip")["messages"]
    assert (item["content"], item["position"]) == ("When does it leave?", 0)
    assert item["people"] == [{"name": "user", "address": "", "role": "author"}]


def test_a_message_may_come_from_standard_input(call: Call) -> None:
    say(call, "trip", "user", "-", stdin="two\nlines\n")

    assert answer(call, "sessions", "last", "trip")["messages"][0]["content"] == "two\nlines"


def test_sessions_are_listed_page_by_page(call: Call) -> None:
    say(call, "a", "user", "hello")
    say(call, "b", "user", "good evening", now=TEN)

    page = answer(call, "sessions", "list", "--limit", "1")
    assert page["sessions"] == [
        {
            "id": "b", "messages": 1, "started_at": TEN, "updated_at": TEN,
            "title": "good evening",
        }
    ]  # fmt: skip
    rest = answer(call, "sessions", "list", "--cursor", page["cursor"])
    assert ([one["id"] for one in rest["sessions"]], rest["cursor"]) == (["a"], "")

    _, out, err = call("sessions", "list", "--limit", "1")
    assert out.splitlines()[1].split("  ")[0] == "2026-03-12 10:00 UTC"
    assert err == f"more: --cursor {page['cursor']}\n"


def test_one_session_is_reported(call: Call) -> None:
    say(call, "a", "user", "hello")
    say(call, "a", "assistant", "hi", now=TEN)

    assert answer(call, "sessions", "get", "a")["messages"] == 2
    status, out, err = call("sessions", "get", "a")
    assert (status, out) == (0, "a  hello\n")
    assert err == "2 messages, 2026-03-12 09:00 UTC to 2026-03-12 10:00 UTC\n"


def test_messages_are_reported_in_their_order(call: Call) -> None:
    for n, role in enumerate(("user", "assistant", "user")):
        say(call, "a", role, f"line {n}")

    page = answer(call, "sessions", "messages", "a", "--limit", "2")
    assert [one["content"] for one in page["items"]] == ["line 0", "line 1"]
    more = answer(call, "sessions", "messages", "a", "--cursor", page["cursor"])
    assert [one["content"] for one in more["items"]] == ["line 2"]
    last = answer(call, "sessions", "last", "a", "--n", "2")
    assert [one["content"] for one in last["messages"]] == ["line 1", "line 2"]

    _, out, err = call("sessions", "messages", "a", "--limit", "1")
    assert out == "2026-03-12 09:00 UTC  user: \n  line 0\n"
    assert err.startswith("more: --cursor ")


def test_what_is_said_can_not_steer_the_terminal(call: Call) -> None:
    say(call, "a", "user", "red \x9b31m and\nmore \u202e")

    _, out, _ = call("sessions", "last", "a")
    assert "\x9b" not in out
    assert "\u202e" not in out
    assert len(out.splitlines()) == 3


def test_a_session_is_forgotten_once(call: Call) -> None:
    ids = [say(call, "a", "user", "hello"), say(call, "a", "user", "hello")]

    assert sorted(answer(call, "sessions", "forget", "a")["forgotten"]) == sorted(ids)
    status, _, err = call("sessions", "forget", "a")
    assert (status, err) == (3, "simonides sessions: no session 'a' [not_found]\n")
    say(call, "a", "user", "hello")
    assert call("sessions", "forget", "a")[1] == "forgot 1 messages of a\n"


def test_where_there_is_none_it_says_so(call: Call) -> None:
    assert call("sessions", "list") == (0, "", "no conversation is kept\n")
    for task in ("get", "messages", "last", "forget"):
        status, out, err = call("sessions", task, "a")

        assert (status, out) == (3, "")
        assert err == "simonides sessions: no session 'a' [not_found]\n"


@pytest.mark.parametrize(
    "argv",
    [
        ("sessions",),
        ("sessions", "add", "a", "system", "x"),
        ("sessions", "list", "--limit", "0"),
        ("sessions", "last", "a", "--n", "none"),
        ("preferences", "set", "tone"),
        ("retrieve", "x", "--time", "ever"),
        ("retrieve", "x", "--source", ""),
    ],
)
def test_arguments_that_do_not_fit_are_a_mistake_of_use(call: Call, argv: tuple[str, ...]) -> None:
    assert call(*argv)[0] == 2


# ── preferences ──────────────────────────────────────────────────────────────────────────────────


def test_a_preference_is_set_and_told(call: Call) -> None:
    kept = answer(call, "preferences", "set", "Tone", "short", "and plain")

    assert kept == {
        "key": "tone", "value": "short and plain", "origin": "explicit", "confidence": 0.8,
        "seen": 1, "updated_at": NINE, "id": kept["id"],
    }  # fmt: skip
    assert answer(call, "preferences", "get", "tone") == kept
    assert answer(call, "preferences", "list")["preferences"] == [kept]
    _, out, err = call("preferences", "get", "tone")
    assert out == "tone: short and plain\n"
    assert err == "explicit, sure 0.80, seen 1, last 2026-03-12 09:00 UTC\n"


def test_a_value_may_come_from_standard_input(call: Call) -> None:
    assert answer(call, "preferences", "set", "tone", "-", stdin="short\n")["value"] == "short"
    assert answer(call, "preferences", "infer", "tone", "-", stdin="short\n")["seen"] == 2


def test_what_is_inferred_is_weighed(call: Call) -> None:
    call("preferences", "set", "tone", "short")
    assert answer(call, "preferences", "infer", "tone", "long")["confidence"] == 0.64
    call("preferences", "infer", "format", "lists")

    _, out, _ = call("preferences", "list")
    assert [line.split() for line in out.splitlines()] == [
        ["sure", "origin", "seen", "date", "key", "value"],
        ["0.64", "explicit", "1", "2026-03-12", "tone", "short"],
        ["0.50", "inferred", "1", "2026-03-12", "format", "lists"],
    ]
    assert len(answer(call, "preferences", "list", "--limit", "1")["preferences"]) == 1


def test_a_preference_is_forgotten_once(call: Call) -> None:
    call("preferences", "set", "tone", "short")

    assert answer(call, "preferences", "forget", "tone") == {"forgotten": ["tone"]}
    status, _, err = call("preferences", "forget", "tone")
    assert (status, err) == (3, "simonides preferences: no preference 'tone' [not_found]\n")
    assert call("preferences", "list") == (0, "", "no preference is kept\n")
    call("preferences", "set", "tone", "short")
    assert call("preferences", "forget", "tone")[1] == "forgot tone\n"


# ── retrieve ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def filled(call: Call) -> Call:
    call(
        "add", "Alpha is due on Friday, says Sarah.", "--source", "gmail", "--kind", "email",
        "--author", "Sarah Lind <sarah@example.com>", "--id", "mail",
    )  # fmt: skip
    say(call, "trip", "user", "What do I do about Alpha?")
    return call


def retrieved(call: Call, *argv: str) -> str:
    """Return what a run says on stdout."""
    status, out, _ = call("retrieve", *argv)
    assert status == 0
    return out


def test_items_and_messages_are_drawn(filled: Call) -> None:
    out = retrieved(filled, "what", "did Sarah say about Alpha?")

    assert "Alpha is due on Friday" in out
    assert "What do I do about Alpha?" in out
    assert "known: Sarah Lind (person): sarah@example.com" in out


def test_filters_exclude(filled: Call) -> None:
    message = "What do I do about Alpha?"

    assert message not in retrieved(filled, "Alpha", "--no-episodic")
    assert message not in retrieved(filled, "Alpha", "--source", "gmail")
    assert message not in retrieved(filled, "Alpha", "--entity", "sarah@example.com")
    assert "mail\n" not in retrieved(filled, "Alpha", "--without", "mail")
    assert "Friday" not in retrieved(filled, "Alpha", "--time", "yesterday")
    assert retrieved(filled, "Alpha", "--limit", "1").count("chat · user") <= 1


def test_what_it_did_is_noted(filled: Call) -> None:
    status, out, err = filled("retrieve", "Alpha", "--source", "jira", "--session-id", "trip")

    assert (status, "Friday" in out) == (0, True)
    assert "note: nothing was found in jira; looked in all sources, by words alone" in err
    assert "note: answered without vectors" in err


def test_it_answers_one_json_object(filled: Call) -> None:
    reported = answer(filled, "retrieve", "Alpha", "--scorer", "rrf")

    assert "Alpha is due on Friday" in json.dumps(reported)


def test_where_nothing_is_found_it_says_so(call: Call) -> None:
    status, out, err = call("retrieve", "Alpha")

    assert (status, out) == (0, "")
    assert err == "nothing found\nnote: space 'default' holds nothing yet\n"
