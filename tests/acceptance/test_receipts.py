"""Receipts through the real binary: the same bytes in any process, what changed, what differs."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Home

NOTES = [
    {"id": "alpha", "content": "Sarah moved the Alpha deadline to Friday. Tom agreed.",
     "kind": "email", "source": "gmail", "title": "Alpha", "happened_at": "2026-03-06T10:00:00Z",
     "people": ["Sarah Lind <sarah@example.com>"]},
    {"id": "harbor", "content": "We keep the Harbor pricing at 40 euros; Alpha pays for it.",
     "source": "chat", "kind": "message", "session": "s1", "happened_at": "2026-02-01T10:00:00Z"},
    {"id": "minutes", "content": "Alpha was discussed at length. " * 30 + "Alpha is due on Friday.",
     "kind": "document", "source": "file", "title": "Minutes", "happened_at": "2026-01-05T10:00Z"},
    {"id": "lunch", "content": "Lunch with Tom on Monday, about Alpha.", "source": "note"},
]  # fmt: skip
ASKED = "when is Alpha due, says sarah@example.com?"
PLACES = [
    {"PYTHONHASHSEED": "0", "SIMONIDES_THREADS": "1"},
    {"PYTHONHASHSEED": "1", "SIMONIDES_THREADS": "2"},
    {"PYTHONHASHSEED": "random", "SIMONIDES_TIMEZONE": "Asia/Tokyo", "TZ": "America/Lima"},
]


@pytest.fixture
def desk(home: "Home") -> "Home":
    """A home that holds four notes about Alpha."""
    lines = "\n".join(json.dumps(note) for note in NOTES).encode()
    assert (
        home.answer("add", "--jsonl", "-", "--now", "2026-03-12T09:00Z", stdin=lines)["added"] == 4
    )
    return home


def briefed(home: "Home", *options: str) -> tuple[str, bytes, dict[str, Any]]:
    """Return the text of a brief as `brief` prints it, its JSON, and that read."""
    argv = ("brief", ASKED, "--now", "2026-03-12T09:00Z", *options)
    text = home.run(*argv)[1]
    response = json.dumps(home.answer(*argv)).encode()
    return text, response, json.loads(response)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--dense", "--budget", "400", "--why"),
        ("--layout", "scoped", "--budget-words", "60"),
        ("--layout", "sourced", "--no-headers"),
    ],
    ids=" ".join,
)
def test_a_brief_is_built_again_byte_for_byte_in_every_process(
    desk: "Home", options: tuple[str, ...]
) -> None:
    text, reported, _ = briefed(desk, *options)

    assert "Alpha" in text
    for place in PLACES:
        status, out, err = desk.run("replay", "-", stdin=reported, environment=place)
        assert (status, out) == (0, text)
        assert err.startswith("the same text, byte for byte, of receipt ")


@pytest.mark.slow
def test_with_a_model_threads_change_no_byte(home: "Home") -> None:
    model = {"SIMONIDES_EMBEDDER": "minilm"}
    lines = "\n".join(json.dumps(note) for note in NOTES).encode()
    home.run("add", "--jsonl", "-", stdin=lines, environment=model)
    argv = ("brief", ASKED, "--now", "2026-03-12T09:00Z", "--json")
    made = [home.run(*argv, environment={**model, **place})[1] for place in PLACES[:2]]
    first, second = (json.loads(one) for one in made)

    assert first["receipt"] == second["receipt"]
    assert first["receipt"]["mode_used"] == "hybrid"
    for place in PLACES[:2]:
        again = home.run("replay", "-", stdin=made[0].encode(), environment={**model, **place})
        assert again[:2] == (0, first["text"] + "\n")


@pytest.mark.slow
def test_what_was_changed_and_forgotten_since_is_shown_as_it_was(desk: "Home") -> None:
    text, reported, _ = briefed(desk)
    desk.answer("update", "alpha", "--content", "Alpha is done.", "--title", "Done")
    desk.answer("forget", "lunch")
    desk.answer("background", "put", "Alpha launches in May.")
    desk.answer("surrogates", "build")

    assert desk.run("replay", "-", stdin=reported)[:2] == (0, text)
    assert briefed(desk)[0] != text


def test_a_kept_receipt_is_replayed_and_compared_by_its_id(desk: "Home") -> None:
    ids = []
    for budget in ("60", "400"):
        *_, err = desk.run("brief", ASKED, "--budget", budget, "--keep-receipt")
        ids += re.findall(r"^receipt (\w+)$", err, re.MULTILINE)
    small, large = ids

    assert desk.run("replay", large)[0] == 0
    assert desk.answer("replay", small)["exact"]
    status, out, _ = desk.run("diff", small, large)
    assert (status, out.splitlines()[0]) == (0, "The texts differ.")
    assert "  budget was 60, is 400." in out.splitlines()
    assert any(line.startswith("+ ") for line in out.splitlines())
    assert desk.run("replay", "nobody")[0] == 3


@pytest.mark.slow
def test_what_is_missing_is_named_and_the_status_is_9(desk: "Home", tmp_path: Path) -> None:
    _, reported, _ = briefed(desk)
    paper = tmp_path / "brief.json"
    paper.write_bytes(reported)
    desk.answer("erase", "alpha", "--yes")

    status, out, err = desk.run("replay", str(paper))
    assert (status, out) == (9, "")
    assert "changed: version 1 of item alpha was erased" in err
    status, out, err = desk.run("replay", str(paper), "--json")
    assert (status, err, json.loads(out)["exact"]) == (9, "", False)


@pytest.mark.slow
def test_a_receipt_of_another_space_is_refused(desk: "Home") -> None:
    _, reported, _ = briefed(desk)
    desk.answer("add", "Alpha", "--space", "other")

    for space in ("other", "nobody"):
        said = desk.refuses("replay", "-", "--space", space, stdin=reported, code="invalid_input")
        assert "is of another space ('default'" in said


@pytest.mark.slow
def test_a_difference_is_the_same_in_every_process(desk: "Home", tmp_path: Path) -> None:
    files = []
    for name, options in (("a", ()), ("b", ("--budget", "90", "--source", "gmail", "--dense"))):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_bytes(briefed(desk, *options)[1])
    argv = ("diff", *map(str, files))
    reported = {desk.run(*argv, "--json", environment=place)[1] for place in PLACES}
    drawn = {desk.run(*argv, environment=place)[1] for place in PLACES}

    assert len(reported) == len(drawn) == 1
    found = json.loads(reported.pop())
    assert [one["field"] for one in found["settings"]] == [
        "budget", "config.context_mode", "filter.sources", "limit",
    ]  # fmt: skip
    assert {one["change"] for one in found["items"]} >= {"removed"}
    assert "Minutes" in drawn.pop()


def test_the_shell_may_hand_a_command_as_a_file(desk: "Home") -> None:
    binary = Path(sys.executable).with_name("simonides")
    place = f'--home "{desk.path}" --embedder none'
    piped = f'"{binary}" replay <("{binary}" brief Alpha {place} --json) {place}'
    ran = subprocess.run(
        ["bash", "-c", piped], capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.returncode == 0
    assert "Alpha" in ran.stdout


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"receipt": {"format": 99}}',
    ],
)  # fmt: skip
def test_what_is_no_receipt_is_refused_without_a_crash(home: "Home", text: bytes) -> None:
    home.refuses("replay", "-", stdin=text, code="invalid_input")
    home.refuses("diff", "alpha", "-", stdin=text, code="invalid_input")


@pytest.mark.slow
def test_a_receipt_that_somebody_changed_is_refused_or_not_exact(desk: "Home") -> None:
    receipt = briefed(desk, "--layout", "sourced")[2]["receipt"]
    changes: list[tuple[int, str, Any]] = [
        (4, "timezone", "Mars/Olympus"), (4, "encoding", "latin"), (9, "items", []),
        (9, "query", "\ud800\u202e\x1b[2J"), (9, "entities", ["\ud800: x", "\x1b[2J: y"]),
        (9, "text_hash", "\ud800\x1b[2J"),
    ]  # fmt: skip
    for expected, place, value in changes:
        changed = json.dumps({**receipt, place: value}).encode()
        status, out, err = desk.run("replay", "-", stdin=changed)

        assert (status, place) == (expected, place)
        assert "\x1b" not in out + err


# ── explain ───────────────────────────────────────────────────────────────────────────────────


def test_explain_tells_the_brief_that_brief_makes(desk: "Home") -> None:
    options = ("--budget", "120", "--dense")
    text, _, made = briefed(desk, *options)
    response = desk.answer("explain", ASKED, "--now", "2026-03-12T09:00Z", *options)
    made["diagnostics"] = response["brief"]["diagnostics"]  # timings

    assert response["brief"] == made
    assert response["brief"]["text"] + "\n" == text
    candidates = [one["id"] for one in [*made["items"], *made["dropped"]]]
    assert sorted(one["entryId"] for one in response["entries"]) == sorted(candidates)
    assert {one["id"] for one in response["more_items"]} <= {one["id"] for one in made["dropped"]}


@pytest.mark.slow
def test_the_budget_is_told_line_by_line_to_the_last_token(desk: "Home") -> None:
    out = desk.run("explain", ASKED, "--budget", "100", "--hits", "1")[1]
    drawn = re.findall(r"^ +(-?[\d,]+) +([\d,]+) +([\d,]+)  (.+)$", out, re.MULTILINE)
    lines = [(int(cost), int(total), int(left), what) for cost, total, left, what in drawn]

    total = 0
    for cost, so_far, left, _ in lines:
        total += cost
        assert (so_far, left) == (total, 100 - total)
    made = desk.answer("explain", ASKED, "--budget", "100")["brief"]
    assert total == made["tokens"]
    assert [line[3] for line in lines if line[3][0].isdigit()] != []
    assert out.count("in all; found by") == 1
    assert "\ndropped\n" in out
    assert "\nwith 200 tokens more\n" in out
