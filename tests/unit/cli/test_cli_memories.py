"""`simonides remember` and `simonides proposals`, run in this process on a space of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides.cli.drawing import DONE, REASONS
from simonides.model.memories import MergeOp, MergeReason

Call = Callable[..., tuple[int, str, str]]
NINE = "2026-03-12T09:00:00Z"
TEA, COFFEE = "Tom prefers tea.", "Tom prefers coffee."
DRINK = ("--entity", "Tom.drink")


@pytest.fixture
def call(call_at_nine: Call) -> Call:
    """Run `simonides …` on a space of its own."""
    return call_at_nine


def answer(call: Call, *argv: str, **how: Any) -> Any:
    status, out, err = call(*argv, "--json", **how)

    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def propose(call: Call, *records: dict[str, Any]) -> Any:
    text = "".join(json.dumps(one) + "\n" for one in records)
    return answer(call, "proposals", "propose", "--jsonl", "-", "--by", "me/1", stdin=text)


@pytest.fixture
def proposed(call: Call) -> str:
    """The id of a pending proposal, read out of a message."""
    answer(call, "add", "I'd rather have coffee.", "--kind", "message", "--id", "m1")
    record = {"text": COFFEE, "evidence": ["m1"], "traits": {"entity": "tom.drink"}, "note": "said"}
    made: str = propose(call, record)["proposed"][0]["id"]
    return made


def test_a_quarantined_memory_says_how_it_is_lifted(call: Any) -> None:
    made = answer(call, "remember", TEA, "--status", "quarantined")
    status, out, err = call("remember", TEA)
    assert (status, out.partition(":")[0]) == (0, "unchanged")
    assert f"simonides update {made['id']} --status active" in err

    assert "(it is no longer quarantined)" in call("remember", TEA, "--status", "active")[1]
    assert "quarantined" not in call("remember", TEA)[2]


def test_every_decision_and_reason_has_words() -> None:
    assert set(DONE) == set(MergeOp)
    assert set(REASONS) == set(MergeReason)


def test_it_says_what_was_decided_and_why(call: Call) -> None:
    first = answer(call, "remember", TEA, *DRINK)
    status, out, err = call("remember", *COFFEE.split(), *DRINK)
    second = answer(call, "list")["items"][0]["id"]

    assert (first["op"], first["reason"]) == ("add", "no_similar_memory")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"added in place of another: {second} (it is newer, and about as sure)",
        f"  superseded: {first['id']}",
        f"  compared with {first['id']}  {TEA} (other words or numbers, the same entity)",
    ]


def test_a_rehearsal_says_what_would_be(call: Call) -> None:
    status, out, _ = call("remember", TEA, "--dry-run")

    assert status == 0
    assert out.startswith("would be added: ")
    assert call("stats")[0] == 3


def test_what_was_superseded_is_said_to_be(call: Call) -> None:
    answer(call, "remember", TEA, *DRINK)
    answer(call, "remember", COFFEE, *DRINK)
    _, out, _ = call("remember", TEA)

    assert out.startswith("added: ")
    assert "(the one like it does not hold any more)" in out
    assert "Tom prefers tea. (100% alike, superseded)" in out


def test_every_option_reaches_the_memory(call: Call) -> None:
    made = answer(
        call, "remember", "-", "--scope", "session", "--type", "policy", "--entity", "E",
        "--confidence", "0.9", "--importance", "0.1", "--half-life-hours", "5", "--status",
        "quarantined", "--expires-at", "2026-04-01", "--workspace-id", "w", "--user-id", "u",
        "--session-id", "s", "--source-run-id", "r", "--happened-at", "2026-03-01T10:00",
        "--source", "chat", "--title", "T", "--tag", "a", "--tag", "b", "--metadata", '{"n": 1}',
        "--collection", "work", "--session", "c", "--language", "de", stdin="Text",
    )  # fmt: skip
    item = answer(call, "get", made["id"])

    assert item["traits"] == {
        "scope": "session", "type": "policy", "status": "quarantined", "confidence": 0.9,
        "importance": 0.1, "half_life_hours": 5.0, "entity": "E", "workspace_id": "w",
        "user_id": "u", "session_id": "s", "source_run_id": "r",
        "expires_at": "2026-04-01T00:00:00Z",
    }  # fmt: skip
    assert {name: item[name] for name in (
        "content", "source", "title", "tags", "metadata", "collection", "session", "happened_at",
        "language", "kind",
    )} == {
        "content": "Text", "source": "chat", "title": "T", "tags": ["a", "b"],
        "metadata": {"n": 1}, "collection": "work", "session": "c",
        "happened_at": "2026-03-01T10:00:00Z", "language": "de", "kind": "memory",
    }  # fmt: skip


def test_taking_it_back_says_what_is_deleted(call: Call) -> None:
    made = answer(call, "remember", TEA)

    assert call("remember", TEA, "--status", "deleted")[1].startswith(f"deleted: {made['id']} (")
    assert answer(call, "list")["items"] == []


@pytest.mark.parametrize(
    "argv",
    [("remember", " "), ("remember", "x", "--metadata", "[1]"),
     ("remember", "x", "--confidence", "2"), ("remember", "x", "--expires-at", "soon")],
)  # fmt: skip
def test_what_does_not_fit_is_refused(argv: tuple[str, ...], call: Call) -> None:
    status, out, err = call(*argv)

    assert (status, out) == (4, "")
    assert "[invalid_input]" in err


def test_expired_memories_are_listed_if_asked_for(call: Call) -> None:
    answer(call, "remember", "Tom is in Berlin.", "--expires-at", NINE)

    assert answer(call, "search", "Berlin")["entries"] == []
    assert len(answer(call, "search", "Berlin", "--expired")["entries"]) == 1
    assert len(answer(call, "list", "--expired")["items"]) == 1


def test_a_proposal_is_listed_and_shown(call: Call, proposed: str) -> None:
    assert proposed in call("proposals", "list")[1]
    assert call("proposals", "list", "--status", "rejected")[2] == "nothing is proposed\n"
    shown = call("proposals", "show", proposed)[1]
    assert [line.split(maxsplit=1) for line in shown.splitlines()[1:4]] == [
        ["status", "pending"], ["by", "me/1"], ["proposed", "2026-03-12 09:00 UTC"],
    ]  # fmt: skip
    assert "evidence" in shown
    assert answer(call, "proposals", "show", proposed)["proposed"]["evidence"] == ["m1"]


def test_a_proposal_goes_through_its_whole_life(call: Call, proposed: str) -> None:
    old = answer(call, "remember", TEA, *DRINK)["id"]
    would = call("proposals", "accept", proposed, "--dry-run")[1]
    assert would.splitlines()[0] == f"would be accepted: {proposed}"
    assert would.splitlines()[1].startswith("  would be added in place of another: ")
    [done] = answer(call, "proposals", "accept", proposed)["proposals"]
    assert (done["status"], done["outcome"]["op"]) == ("accepted", "supersede")
    assert "came of it" in call("proposals", "show", proposed)[1]
    assert (
        answer(call, "list", "--status", "superseded", "--kind", "memory")["items"][0]["id"] == old
    )

    assert call("proposals", "undo", proposed)[1] == f"undone: {proposed}\n"
    [kept] = answer(call, "list", "--kind", "memory")["items"]
    assert (kept["id"], kept["traits"]["status"]) == (old, "active")
    assert call("proposals", "reject", proposed)[1] == f"rejected: {proposed}\n"


def test_what_was_proposed_is_counted_and_what_was_refused_is_reported(call: Call) -> None:
    answer(call, "add", "A mail.", "--kind", "email", "--id", "m1")
    good, bad = {"text": TEA, "evidence": ["m1"]}, {"text": f"{COFFEE}\u2028", "evidence": ["zz"]}
    text = "\n".join(json.dumps(one, ensure_ascii=False) for one in (good, bad)) + "\n\n"
    status, out, err = call("proposals", "propose", "--jsonl", "-", "--by", "me", stdin=text)

    assert (status, out) == (0, "1 proposed, 0 known, 1 refused\n")
    assert err.startswith("refused: Tom prefers coffee.: names 'zz' as evidence")
    assert propose(call, good)["known"] == 1


def test_proposals_are_read_from_a_file(call: Call, tmp_path: Path) -> None:
    answer(call, "add", "A mail.", "--kind", "email", "--id", "m1")
    file = tmp_path / "made.jsonl"
    file.write_text(json.dumps({"text": TEA, "evidence": ["m1"]}), "utf-8")
    argv = ("proposals", "propose", "--by", "me", "--jsonl")

    assert len(answer(call, *argv, str(file))["proposed"]) == 1
    assert call(*argv, str(tmp_path / "none"))[0] == 4
    file.write_bytes(b"\xff\xfe")
    assert "is not UTF-8" in call(*argv, str(file))[2]


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{", "line 1: is not JSON"), ('\n{"text": "x"}', "line 2: evidence: must name"),
     ("[" * 99_999, "line 1: is not JSON")],
)  # fmt: skip
def test_a_line_that_does_not_fit_is_named_and_nothing_is_kept(
    text: str, problem: str, call: Call
) -> None:
    status, out, err = call("proposals", "propose", "--jsonl", "-", "--by", "me", stdin=text)

    assert (status, out) == (4, "")
    assert problem in err


@pytest.mark.parametrize("task", ["show", "accept", "reject", "undo"])
def test_an_unknown_proposal_is_not_found(task: str, call: Call, proposed: str) -> None:
    assert proposed
    status, _, err = call("proposals", task, "zz")

    assert status == 3
    assert "no proposal 'zz' [not_found]" in err


def test_a_decision_that_can_not_be_taken_is_refused(call: Call, proposed: str) -> None:
    answer(call, "proposals", "reject", proposed)

    assert call("proposals", "accept", proposed)[0] == 4
