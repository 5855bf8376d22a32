"""Arguments made from operations: every field of a request is an option, with its own checks."""

from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest

from simonides.cli.derived import LEFT_OUT, Command
from simonides.cli.main import build_parser
from simonides.cli.options import TaskGroup
from simonides.cli.verbs import VERBS
from simonides.codec.request import request_schema
from simonides.model.brief import ContextConfig
from simonides.model.filter import Filter, Viewer

Call = Callable[..., tuple[int, str, str]]


def commands() -> dict[str, Command]:
    """Return every command, and every task of one, that is made from an operation."""
    found: dict[str, Any] = {}
    for name, verb in VERBS.items():
        tasks = verb.tasks if isinstance(verb, TaskGroup) else {"": verb}
        found |= {f"{name} {task}".strip(): one for task, one in tasks.items()}
    return {name: one for name, one in found.items() if isinstance(one, Command)}


COMMANDS = commands()


def test_most_commands_are_made_from_their_operation() -> None:
    assert len(COMMANDS) > 35
    assert {"search", "brief", "remember", "background put", "sessions last"} <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_field_of_a_request_can_be_given_and_has_words(name: str) -> None:
    command = COMMANDS[name]
    options = list(command.options())
    given = {option.path[0] for option in options}
    left = {*LEFT_OUT, *command.left_out}

    assert set(request_schema(command.described.request)["properties"]) - given - left == set()
    assert len({option.flag for option in options if option.flag}) == sum(
        bool(option.flag) for option in options
    )
    assert "None" not in build_parser({"x": command}).format_help()


def test_every_field_of_a_filter_and_of_a_config_is_an_option() -> None:
    options = {option.dest for option in COMMANDS["brief"].options()}

    assert {f"filter.{one.name}" for one in fields(Filter)} <= options
    assert {one.name for one in fields(ContextConfig)} <= options


@pytest.mark.parametrize(
    "viewer", ["user_id=alice,workspace_id=red", '{"user_id": "alice", "workspace_id": "red"}']
)
def test_who_looks_may_be_named(call: Call, memory: Any, viewer: str) -> None:
    assert call("search", "x", "--viewer", viewer)[0] == 0

    wanted = memory.calls[0][1]["filter"]
    assert wanted.viewer == Viewer(user_id="alice", workspace_id="red")


def test_a_range_and_ids_become_a_filter(call: Call, memory: Any) -> None:
    call("list", "--id", "a", "--id", "b", "--without", "c", "--expired", "--since", "2026-03-01")

    wanted = memory.calls[0][1]["filter"]
    assert (wanted.ids, wanted.without_ids, wanted.expired) == (("a", "b"), ("c",), True)
    assert wanted.since is not None
    assert wanted.until is None


def test_what_a_brief_is_made_of_reaches_the_memory(call: Call, memory: Any) -> None:
    call(
        "brief", "x", "--worth-min", "0.25", "--recent-days", "3", "--no-headers",
        "--context-mode", "dense", "--as-of", "7", "--likeness-max", "0.5",
    )  # fmt: skip
    how = memory.calls[0][1]

    assert (how["worth_min"], how["recent_days"], how["headers"]) == (0.25, 3.0, False)
    assert (how["context_mode"], how["as_of"], how["likeness_max"]) == ("dense", 7, 0.5)


@pytest.mark.parametrize(
    ("argv", "status", "problem"),
    [
        (("search", "x", "--viewer", "alice"), 2, "such as user_id=alice"),
        (("search", "x", "--viewer", "user=alice"), 4, "did you mean 'user_id'?"),
        (("search", "x", "--sorce", "gmail"), 2, "did you mean '--source'?"),
        (("brief", "x", "--budgt", "9"), 2, "did you mean '--budget'?"),
        (("background", "put", "x", "--colection", "a"), 2, "did you mean '--collection'?"),
        (("list", "--limit", "1001"), 4, "--limit: "),
        (("restore", "x", "--version", "0"), 2, "must be 1 or more, got 0"),
        (("update", "x", "--metadata", "[]"), 4, "--metadata: must be a JSON object"),
        (("search", "x", "--frobnicate"), 2, "unrecognized arguments: --frobnicate"),
    ],
)
def test_what_does_not_fit_is_reported_with_the_option(
    call: Call, argv: tuple[str, ...], status: int, problem: str
) -> None:
    found, out, err = call(*argv)

    assert (found, out) == (status, "")
    assert problem in err


def test_the_clock_of_the_command_line_ends_a_rolling_range(call: Call, memory: Any) -> None:
    call("list", "--time", "yesterday", "--now", "2026-03-12T09:00Z", "--timezone", "UTC")

    wanted = memory.calls[0][1]["filter"]
    assert wanted.since == datetime(2026, 3, 11, tzinfo=UTC)
    assert wanted.until == datetime(2026, 3, 12, tzinfo=UTC)
