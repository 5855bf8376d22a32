"""`replay`, `diff` and `explain`: where a receipt comes from, what is drawn, and the statuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides.cli.options import Exit
from simonides.codec.write import to_line, to_wire
from simonides.errors import NotFound, StoreError
from simonides.model.brief import RECEIPT_FORMAT
from simonides.model.item import Item

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def paper(memory: Any, tmp_path: Path) -> Path:
    """Return a file that holds a receipt."""
    path = tmp_path / "receipt.json"
    path.write_text(to_line(memory.receipt()), encoding="utf-8")
    return path


def asked(memory: Any, verb: str) -> Any:
    """Return what a verb of the memory was called with."""
    return next(how for name, how in memory.calls if name == verb)


# ── where a receipt comes from ────────────────────────────────────────────────────────────────


def test_a_receipt_is_read_from_a_file(call: Call, memory: Any, paper: Path) -> None:
    call("replay", str(paper))

    assert asked(memory, "replay")["receipt"].items == memory.receipt().items


def test_a_receipt_is_read_from_standard_input(call: Call, memory: Any) -> None:
    call("replay", "-", stdin=to_line(memory.receipt()))

    assert asked(memory, "replay")["receipt"].query == "due?"


def test_a_receipt_is_found_in_a_briefs_json(call: Call, memory: Any, tmp_path: Path) -> None:
    brief = tmp_path / "brief.json"
    brief.write_text(json.dumps({"text": "…", "receipt": to_wire(memory.receipt())}), "utf-8-sig")
    call("replay", str(brief))

    assert asked(memory, "replay")["receipt"].id == "r-1"


def test_what_is_no_file_is_the_id_of_a_kept_receipt(call: Call, memory: Any) -> None:
    call("replay", "8ck4h2v0q1e7m3s5t6u9x0y1z2")

    assert asked(memory, "replay") == {"receipt": "8ck4h2v0q1e7m3s5t6u9x0y1z2"}


def test_a_name_longer_than_any_files_is_an_id(call: Call, memory: Any) -> None:
    call("replay", "x" * 5_000)

    assert asked(memory, "replay") == {"receipt": "x" * 5_000}


def test_a_receipt_that_is_not_kept_is_not_found(call: Call, memory: Any) -> None:
    memory.fails = NotFound("receipt", "r-9")

    status, out, err = call("replay", "r-9")
    assert (status, out) == (Exit.NOT_FOUND, "")
    assert err == "simonides replay: no receipt 'r-9' [not_found]\n"


@pytest.mark.parametrize("verb", ["replay", "diff"])
def test_a_file_that_holds_no_receipt_is_named(call: Call, tmp_path: Path, verb: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"format": 7}')
    more = (str(path),) if verb == "diff" else ()

    status, out, err = call(verb, str(path), *more)
    assert (status, out) == (Exit.INVALID_INPUT, "")
    assert f"{path}: receipt.format: is 7, this engine reads {RECEIPT_FORMAT};" in err


@pytest.mark.parametrize(
    ("content", "reported"),
    [(b"\xff\xfe", "is not UTF-8"), (b"[1]", "must be an object"), (b"", "is no JSON")],
)
def test_a_file_that_is_no_text_or_no_json_is_named(
    call: Call, tmp_path: Path, content: bytes, reported: str
) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)

    status, _, err = call("replay", str(path))
    assert status == Exit.INVALID_INPUT
    assert str(path) in err
    assert reported in err


def test_a_folder_and_standard_input_without_a_receipt_are_named(
    call: Call, tmp_path: Path
) -> None:
    assert f"{tmp_path}: cannot be read: Is a directory" in call("replay", str(tmp_path))[2]
    assert "standard input: receipt: is no JSON" in call("replay", "-", stdin="")[2]


def test_an_empty_name_is_a_mistake_of_a_script(call: Call) -> None:
    assert call("replay", "")[0] == Exit.USAGE


# ── replay ────────────────────────────────────────────────────────────────────────────────────


def test_a_text_that_is_the_same_goes_to_stdout_alone(call: Call) -> None:
    status, out, err = call("replay", "r-1")

    assert (status, out) == (Exit.OK, "[GMAIL] Re: Alpha\nmoved to Friday\n")
    assert err == "the same text, byte for byte, of receipt r-1\n"


def test_what_changed_goes_to_stderr_and_the_status_says_so(call: Call, memory: Any) -> None:
    memory.problems = {"version 1 of item a was erased", "the engine was 0, is 1"}

    status, out, err = call("replay", "r-1")
    assert (status, out) == (Exit.NOT_EXACT, "")
    assert err.splitlines() == [
        "changed: the engine was 0, is 1",
        "changed: version 1 of item a was erased",
    ]


def test_json_says_it_with_the_same_status(call: Call, memory: Any) -> None:
    memory.problems = {"the engine was 0, is 1"}

    status, out, err = call("replay", "r-1", "--json")
    assert (status, err) == (9, "")
    assert json.loads(out) == {
        "receipt_id": "r-1", "exact": False, "text": "", "tokens": 9,
        "changed": ["the engine was 0, is 1"],
    }  # fmt: skip


# ── diff ──────────────────────────────────────────────────────────────────────────────────────


def test_a_difference_is_drawn_with_what_items_are_called(call: Call, memory: Any) -> None:
    status, out, err = call("diff", "r-1", "r-2")

    assert (status, err) == (Exit.OK, "")
    assert out.splitlines() == [
        "The texts differ.",
        "  budget was 1500, is 700.",
        "- mail-1  Re: Alpha",
        "    now it is no candidate",
        "+ gone  ",
        "    it was kept at revision 9",
    ]
    assert asked(memory, "diff") == {"before": "r-1", "after": "r-2"}


def test_a_file_and_standard_input_can_be_compared(call: Call, memory: Any, paper: Path) -> None:
    call("diff", str(paper), "-", stdin=to_line(memory.receipt("and then?")))

    assert asked(memory, "diff")["before"].query == "due?"
    assert asked(memory, "diff")["after"].query == "and then?"


def test_standard_input_can_not_be_both(call: Call, memory: Any) -> None:
    status, _, err = call("diff", "-", "-", stdin=to_line(memory.receipt()))

    assert status == Exit.INVALID_INPUT
    assert "only one of the two can be standard input" in err


def test_two_files_are_compared_without_a_space_that_can_be_read(
    call: Call, memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> Item:
        raise StoreError("damaged")

    monkeypatch.setattr(memory, "get", fail)

    assert call("diff", "r-1", "r-2")[1].splitlines()[2] == "- mail-1  "


def test_json_asks_for_no_titles(call: Call, memory: Any) -> None:
    found = json.loads(call("diff", "r-1", "r-2", "--json")[1])

    assert [one["change"] for one in found["items"]] == ["removed", "added"]
    assert found["settings"] == [{"field": "budget", "was": 1500, "now": 700}]
    assert "get" not in [name for name, _ in memory.calls]


# ── explain ───────────────────────────────────────────────────────────────────────────────────


def test_how_the_brief_is_made_is_passed_on(call: Call, memory: Any) -> None:
    call(
        "explain", "x", "--budget-words", "90", "--layout", "scoped", "--dense", "--limit", "7",
        "--max-items", "3", "--trust", "known", "--preset", "chat", "--tiers", "age",
    )  # fmt: skip
    how = asked(memory, "explain")

    assert (how.get("budget_tokens"), how["budget_words"], how["preset"]) == (None, 90, "chat")
    assert (how["layout"], how["context_mode"], how["tier_policy"]) == ("scoped", "dense", "age")
    assert (how["top_k"], how["items_max"], how["trust_min"]) == (7, 3, "known")


def test_only_so_many_hits_are_drawn_and_the_others_are_counted(call: Call, memory: Any) -> None:
    for n in range(6):
        memory.items[f"m{n}"] = Item(id=f"m{n}", content=f"note {n}")

    out = call("explain", "x", "--hits", "2")[1]
    assert out.count("in all; found by") == 2
    assert "\n  and 5 more\n" in out
    assert "\n  and 2 more\n" in call("explain", "x")[1]
    assert (
        "and" not in call("explain", "x", "--hits", "7")[1].split("budget of")[0].split("hits")[1]
    )


def test_a_budget_that_has_room_for_all_says_so(call: Call) -> None:
    out = call("explain", "x", "--budget", "800")[1]

    assert out.endswith("with 200 tokens more\n  no other item\n")
    assert "budget of 800 tokens" in out


def test_without_hits_the_budget_is_told_all_the_same(call: Call, memory: Any) -> None:
    memory.items.clear()
    status, out, err = call("explain", "x")

    assert (status, err) == (Exit.OK, "nothing found\n")
    assert "1 Re: Alpha (surrogate, summary, gist)" in out


def test_an_item_can_not_steer_the_terminal_through_a_receipt(call: Call, memory: Any) -> None:
    memory.items["mail-1"] = Item(id="mail-1", title="\x1b]0;t\x07\u202e", content="x")
    memory.problems = {"item \x1b[2J was erased"}

    out = "".join(call("diff", "r-1", "r-2")[1:] + call("replay", "r-1")[1:])
    assert not set(out) & {"\x1b", "\x07", "\u202e"}
