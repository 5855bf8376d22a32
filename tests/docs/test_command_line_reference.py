"""The reference of the command line tells every verb, flag, example, answer and status."""

import argparse
import json
import re
from functools import cache
from pathlib import Path

import pytest

from simonides.cli.main import build_parser
from simonides.cli.options import Exit
from simonides.cli.verbs import VERBS, plugin_verbs
from simonides.errors import SimonidesError
from simonides.model.item import Item, MemoryTraits

PAGE = (Path(__file__).parents[2] / "docs/reference/command-line.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
EVERY = {**VERBS, **plugin_verbs()}
"""The built-in verbs and `bench`, which a plugin adds."""

ITEM_ANSWERS = {"get", "update"}
"""Verbs whose answer is the item, which has a section of its own."""

ANSWERS = {
    "background": 4, "db": 4, "keys": 3, "move": 2, "preferences": 3, "proposals": 3,
    "sessions": 5, "surrogates": 2,
}  # fmt: skip
"""Verbs with several answers: a snapshot, a page, what was deleted, what fits best; what was
upgraded, what was distributed, what was indexed, what was found; what was built, the stand-ins of
one item; proposals, what was decided, what was proposed; sessions, one of them, messages, what was
added, what was forgotten; what was moved, what would be; a preference, all of them, what was
forgotten; a key made, all of them, one revoked."""


def _flags(parser: argparse.ArgumentParser) -> set[str]:
    found = {flag for action in parser._actions for flag in action.option_strings}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= {flag for sub in action.choices.values() for flag in _flags(sub)}
    return {flag for flag in found if flag.startswith("--")} - {"--help"}


@cache
def _parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of every verb; to build them all takes a tenth of a second."""
    actions = build_parser(EVERY)._actions
    [verbs] = [one for one in actions if isinstance(one, argparse._SubParsersAction)]
    return dict(verbs.choices)


def _options_in(section: str) -> set[str]:
    return set(re.findall(r"--[a-z][a-z-]*", SECTIONS[section]))


def test_every_verb_has_a_section_in_the_order_of_the_help() -> None:
    assert [name for name in SECTIONS if name in VERBS] == list(VERBS)


@pytest.mark.parametrize("verb", EVERY)
def test_every_flag_of_a_verb_is_reported(verb: str) -> None:
    reported = _options_in(verb) | _options_in("Shared options")
    if "(#filters)" in SECTIONS[verb]:
        reported |= _options_in("Filters")

    assert _flags(_parsers()[verb]) - reported == set()


@pytest.mark.parametrize("verb", EVERY)
def test_no_flag_is_told_that_a_verb_does_not_have(verb: str) -> None:
    shared = _flags(_parsers()["init"])

    assert _options_in(verb) - _flags(_parsers()[verb]) - shared == set()


@pytest.mark.parametrize("verb", EVERY)
def test_the_example_of_the_help_stands_in_the_reference(verb: str) -> None:
    assert f"```\n{EVERY[verb].EXAMPLE}\n```" in SECTIONS[verb]


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ITEM_ANSWERS])
def test_each_answer_of_a_verb_is_reported_as_one_json_object_on_one_line(verb: str) -> None:
    blocks = re.findall(r"```json\n(.*?)\n```", SECTIONS[verb], re.DOTALL)

    assert len(blocks) == ANSWERS.get(verb, 1)
    assert not any("\n" in block for block in blocks)
    assert all(isinstance(json.loads(block), dict) for block in blocks)


@pytest.mark.parametrize("status", Exit)
def test_every_exit_status_is_reported(status: Exit) -> None:
    assert f"\n| {status.value} | " in SECTIONS["Exit statuses"]


def test_every_error_code_is_reported() -> None:
    def codes(kind: type[SimonidesError]) -> set[str]:
        return {kind.code}.union(*(codes(one) for one in kind.__subclasses__()))

    reported = set(re.findall(r"`([a-z_]+)`", SECTIONS["Exit statuses"]))
    assert codes(SimonidesError) - reported == set()


def test_every_field_of_an_item_is_reported() -> None:
    assert {f for f in Item.__slots__ if f'"{f}"' not in SECTIONS["The item"]} == set()
    assert {f for f in MemoryTraits.__slots__ if f"`{f}`" not in SECTIONS["The item"]} == set()
