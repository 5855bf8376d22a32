"""Memories that change and proposals, through the real binary; two processes at once."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

PAGE: Final = Path(__file__).parents[2] / "docs/reference/command-line.md"
TEA, COFFEE = "Tom prefers tea.", "Tom prefers coffee."
DRINK: Final = ("--entity", "Tom.drink")


def keys_of(value: Any) -> Any:
    """Return the keys of nested objects; of lists, those of the first one."""
    if isinstance(value, dict):
        return {name: keys_of(one) for name, one in value.items() if name != "traits"}
    return [keys_of(value[0])] if isinstance(value, list) and value else None


def read_examples(section: str) -> list[Any]:
    text = PAGE.read_text("utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [json.loads(one) for one in re.findall(r"```json\n(.*?)\n```", text)]


def contents(home: Any, *argv: str) -> list[str]:
    return sorted(one["content"] for one in home.answer("list", "--kind", "memory", *argv)["items"])


@pytest.mark.slow
def test_a_memory_goes_through_its_whole_life(home: Any) -> None:
    assert home.answer("remember", TEA, *DRINK, "--dry-run")["op"] == "add"
    assert home.run("list")[0] == 0
    first = home.answer("remember", TEA, *DRINK)
    made = home.answer("remember", COFFEE, *DRINK)
    assert keys_of(made) == keys_of(read_examples("remember")[0])
    assert (made["op"], made["superseded"]) == ("supersede", first["id"])
    assert contents(home) == [COFFEE]
    assert contents(home, "--status", "superseded") == [TEA]

    brief = home.run("brief", "what does Tom prefer?")[1]
    assert home.answer("remember", "-", stdin=brief.encode())["reason"] == "recalled_text"
    assert home.answer("remember", COFFEE.upper())["reason"] == "duplicate_text"
    assert home.answer("remember", COFFEE, "--status", "deleted")["op"] == "delete"
    assert contents(home) == []
    assert home.answer("remember", TEA, *DRINK)["op"] == "add"
    assert contents(home) == [TEA]
    history = [
        one["item"]["traits"]["status"] for one in home.answer("history", first["id"])["versions"]
    ]
    assert history == ["active", "superseded", "active"]


@pytest.mark.slow
def test_a_proposal_goes_through_its_whole_life(home: Any) -> None:
    home.answer("add", "I'd rather have coffee.", "--kind", "message", "--id", "m1")
    home.answer("remember", TEA, *DRINK)
    before = home.answer("list", "--status", "active", "--status", "superseded")
    lines = [
        {"text": COFFEE, "evidence": ["m1"], "traits": {"entity": "tom.drink"}},
        {"text": "Tom likes harbors.", "evidence": ["nowhere"]},
    ]
    stdin = "\n".join(map(json.dumps, lines)).encode()
    made = home.answer("proposals", "propose", "--jsonl", "-", "--by", "m/1", stdin=stdin)
    [one] = made["proposed"]
    page, decided, answer = read_examples("proposals")
    assert keys_of(made["refused"]) == keys_of(answer["refused"])
    assert contents(home) == [TEA]

    done = home.answer("proposals", "accept", one["id"])
    assert set(done) == set(decided)
    assert keys_of(home.answer("proposals", "list")) == keys_of(page)
    assert contents(home) == [COFFEE]
    assert home.answer("proposals", "show", one["id"]) == done["proposals"][0]
    assert home.answer("proposals", "undo", one["id"])["proposals"][0]["status"] == "undone"
    assert contents(home) == [TEA]
    after = home.answer("list", "--status", "active", "--status", "superseded")
    for items in (before, after):
        for item in items["items"]:
            del item["version"], item["revision"], item["stored_at"]
    assert after == before
    home.refuses("proposals", "undo", "zz", code="not_found")
    home.answer("proposals", "reject", one["id"])
    home.refuses("proposals", "accept", one["id"], code="invalid_input")


@pytest.mark.slow
def test_two_processes_that_remember_about_one_thing_leave_one_memory(home: Any) -> None:
    home.answer("remember", "The deadline is on Monday.", "--entity", "deadline")
    for _ in range(3):
        running = [
            home.start("remember", f"The deadline is on {day}.", "--entity", "deadline")
            for day in ("Tuesday", "Wednesday", "Thursday")
        ]
        for process in running:
            process.communicate(timeout=60)

            assert process.returncode == 0
        assert len(contents(home)) == 1
