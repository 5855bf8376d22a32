"""The demo: its own home, its own clock, three answers with reasons, and what to try next."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides.cli.main import build_parser
from simonides.cli.verbs import demo
from simonides.cli.verbs.demo import QUESTIONS
from simonides.config import Settings, load

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder that stands for the sample desk."""
    path = tmp_path / "desk"
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def _a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_each_question_is_answered_with_a_hit_its_reasons_and_a_brief(
    call: Call, desk: Path
) -> None:
    status, out, err = call("demo", "--desk", str(desk))

    assert (status, err) == (0, "")
    assert "3 read in 0.5 s: 2 added, 0 updated, 1 unchanged, 0 skipped\n" in out
    for question in QUESTIONS:
        assert f"\n? {question}\n  1. 0.375 ##########  2026-03-06  gmail" in out
    assert out.count("why: words +0.50, length -0.12\n") == 3
    cost = "9 of 1,500 tokens, 1 item; dropped: 1 budget"
    assert out.count(f"the brief for a model ({cost})") == 3
    assert out.count("  | [GMAIL] Re: Alpha\n") == 3


def test_the_demo_has_a_home_a_space_and_a_clock_of_its_own(
    call: Call, memory: Any, desk: Path, tmp_path: Path
) -> None:
    call("demo", "--desk", str(desk), SIMONIDES_SPACE="mine", SIMONIDES_EMBEDDER="openai")

    [opened] = memory.opened
    assert opened["home"] == tmp_path / "cache" / "simonides" / "demo"
    assert opened["space"] == "desk"
    assert opened["now"].isoformat() == "2026-03-12T09:00:00+00:00"
    assert opened["settings"].owner == demo.OWNER
    assert opened["settings"].embedder == Settings().embedder


def test_home_space_and_clock_may_be_given(
    call: Call, memory: Any, desk: Path, tmp_path: Path
) -> None:
    home = tmp_path / ".demo"
    call("demo", "--desk", str(desk), "--home", str(home), "--space", "x", "--now", "2026-01-02")

    [opened] = memory.opened
    assert (opened["home"], opened["space"]) == (home, "x")
    assert opened["now"].year == 2026
    assert opened["now"].month == 1


def test_the_demos_home_remembers_its_embedder_for_what_is_tried_next(
    call: Call, desk: Path, tmp_path: Path
) -> None:
    call("demo", "--desk", str(desk), "--embedder", "none")

    home = tmp_path / "cache" / "simonides" / "demo"
    assert load(home) == Settings(embedder="none", owner=demo.OWNER, timezone=demo.ZONE)


def test_what_to_try_next_parses_and_names_the_demos_home(
    call: Call, desk: Path, tmp_path: Path
) -> None:
    home = tmp_path / "a demo"
    out = call("demo", "--desk", str(desk), "--home", str(home))[1]

    commands = re.findall(r"^  simonides (.*)$", out.partition("Try next:")[2], re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        parsed = build_parser().parse_args(shlex.split(command))
        assert (parsed.home, parsed.space) == (str(home), "desk")


def test_json_holds_the_import_and_every_answer(call: Call, desk: Path) -> None:
    status, out, _ = call("demo", "--desk", str(desk), "--json")

    answered = json.loads(out)
    assert status == 0
    assert answered["import"]["added"] == 2
    assert [one["query"] for one in answered["answers"]] == list(QUESTIONS)
    assert answered["answers"][0]["search"]["entries"][0]["entryId"] == "mail-1"
    assert answered["answers"][0]["brief"]["tokens"] == 9


def test_a_desk_that_is_not_there_is_told(call: Call, tmp_path: Path) -> None:
    status, _, err = call("demo", "--desk", str(tmp_path / "nowhere"))

    assert status == 3
    assert "no sample desk" in err
