"""The reference of the library tells every verb as it is, every field, setting and error."""

import ast
import dataclasses
import inspect
import re
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import simonides
from simonides import Database, Memory, errors
from simonides.api.background import Backgrounds
from simonides.api.chat import Sessions
from simonides.api.entities import Entities
from simonides.api.keys import Keys
from simonides.api.memories import Preferences, Proposals
from simonides.api.surrogates import Surrogates
from simonides.errors import SimonidesError
from simonides.memories.scoped_merge import MergeStats, ScopedMerge, Selected
from simonides.model.access import ApiKey, AuditEntry, AuditPage, NewKey
from simonides.model.answer import (
    Contribution,
    Diagnostics,
    Entity,
    Explanation,
    Finding,
    LaneReport,
    MultiSpaceResult,
    Plan,
    SpaceHit,
    SpaceStats,
    TimeRange,
)
from simonides.model.brief import (
    BriefItem,
    ContextConfig,
    Dropped,
    Explained,
    Receipt,
    ReceiptItem,
    Replay,
    Section,
)
from simonides.model.chat import Preference, Retrieved, Session, SessionPage
from simonides.model.export import ExportReport
from simonides.model.import_report import ImportProgress, ImportReport, Skipped
from simonides.model.maintenance import (
    BackupReport,
    ErasureReport,
    Lost,
    Proof,
    RepairReport,
)
from simonides.model.memories import (
    Compared,
    ItemChange,
    ProposalOutcome,
    ProposalPage,
    ProposalsMade,
    Refused,
)
from simonides.model.receipt_diff import Difference, ItemDiff, ReceiptDiff
from simonides.model.scrub import Scrub
from simonides.model.stored import (
    Background,
    BackgroundPage,
    Engagement,
    ScoredBackground,
    Surrogate,
    SurrogatesBuilt,
    Unwritten,
)

PAGE = (Path(__file__).parents[2] / "docs/reference/python.md").read_text("utf-8")
SIGNATURES: dict[str, str] = dict(re.findall(r"^memory\.(\w+)\((.*)\) → .+$", PAGE, re.MULTILINE))
SIDES: dict[str, type] = {
    "background": Backgrounds, "entities": Entities, "keys": Keys, "preferences": Preferences,
    "proposals": Proposals, "sessions": Sessions, "surrogates": Surrogates,
}  # fmt: skip
"""What a memory has beside its own verbs, each with verbs of its own."""
CALLED = {name: side.__call__ for name, side in SIDES.items() if "__call__" in vars(side)}
"""Those that are verbs as well."""
TOLD = set(re.findall(r"`([\w.]+)`", PAGE))

RECORDS = [
    ApiKey, AuditEntry, AuditPage, MultiSpaceResult, NewKey, SpaceHit,
    BackupReport, ErasureReport, ExportReport, Lost, Proof, RepairReport, Scrub,
    *filter(dataclasses.is_dataclass, (getattr(simonides, name) for name in simonides.__all__)),
    Background, BackgroundPage, BriefItem, Compared, ContextConfig, Contribution, Diagnostics,
    Difference, Dropped, Engagement, Entity, Explained, Explanation, Finding, ImportProgress,
    ImportReport, ItemChange, ItemDiff, LaneReport, MergeStats, Plan, ProposalOutcome, ProposalPage,
    Preference, ProposalsMade, Receipt, ReceiptDiff, ReceiptItem, Refused, Replay, Retrieved,
    ScopedMerge, ScoredBackground, Section, Selected, Session, SessionPage, Skipped, SpaceStats,
    Surrogate, SurrogatesBuilt, TimeRange, Unwritten,
]  # fmt: skip


def verbs(kind: type = Memory) -> list[str]:
    """Return the public methods of a memory."""
    found = inspect.getmembers(kind, inspect.isfunction)
    return [name for name, _ in found if not name.startswith("_")]


def shape(parameters: list[inspect.Parameter]) -> list[tuple[str, str, Any]]:
    """Return what a caller sees of parameters: how each is passed, its name and its default."""
    return [
        (
            one.kind.name,
            one.name,
            str(one.default) if isinstance(one.default, Enum) else one.default,
        )
        for one in parameters
        if one.name != "self"
    ]


def written(text: str) -> list[inspect.Parameter]:
    """Return the parameters of a signature as the page writes it."""
    names: dict[str, Any] = {}
    code = ast.parse(f"def told({text}): ...")
    exec(compile(code, "page", "exec"), names)  # noqa: S102  the page is our own
    return list(inspect.signature(names["told"]).parameters.values())


@pytest.mark.parametrize("verb", verbs())
def test_a_verb_is_reported_with_its_arguments_and_defaults(verb: str) -> None:
    actual = list(inspect.signature(getattr(Memory, verb)).parameters.values())

    assert shape(written(SIGNATURES[verb])) == shape(actual)


def test_no_verb_is_told_that_is_not_there() -> None:
    assert set(SIGNATURES) == {*verbs(), *CALLED}


@pytest.mark.parametrize("verb", CALLED)
def test_what_is_a_verb_as_well_is_reported_as_one(verb: str) -> None:
    real = list(inspect.signature(CALLED[verb]).parameters.values())

    assert shape(written(SIGNATURES[verb])) == shape(real)


@pytest.mark.parametrize("side", SIDES)
def test_the_verbs_of_each_side_are_told_with_their_arguments_and_defaults(side: str) -> None:
    found = re.findall(rf"^memory\.{side}\.(\w+)\((.*)\) → .+$", PAGE, re.MULTILINE)

    assert {verb: shape(written(reported)) for verb, reported in found} == {
        verb: shape(list(inspect.signature(getattr(SIDES[side], verb)).parameters.values()))
        for verb in verbs(SIDES[side])
    }


def test_the_way_in_is_told_with_its_arguments_and_defaults() -> None:
    [text] = re.findall(r"^Memory\((.*)\)$", PAGE, re.MULTILINE)

    assert shape(written(text)) == shape(list(inspect.signature(Memory).parameters.values()))


def test_the_verbs_of_a_database_are_told_with_their_arguments_and_defaults() -> None:
    [text] = re.findall(r"^Database\((.*)\)$", PAGE, re.MULTILINE)
    found = re.findall(r"^database\.(\w+)\((.*)\) → .+$", PAGE, re.MULTILINE)

    assert shape(written(text)) == shape(list(inspect.signature(Database).parameters.values()))
    assert {verb: shape(written(reported)) for verb, reported in found} == {
        verb: shape(list(inspect.signature(getattr(Database, verb)).parameters.values()))
        for verb in verbs(Database)
    }


def test_every_public_name_and_property_is_reported() -> None:
    properties = inspect.getmembers(Memory, lambda one: isinstance(one, property))

    assert set(simonides.__all__) - TOLD == set()
    assert {f"memory.{name}" for name, _ in properties} - TOLD == set()


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: one.__name__)
def test_every_field_of_a_record_is_reported(record: Any) -> None:
    assert {one.name for one in dataclasses.fields(record)} - TOLD == set()


def test_every_error_is_reported_with_its_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PAGE, re.MULTILINE)
    kinds = [one for one in vars(errors).values() if inspect.isclass(one)]

    assert rows == [
        (kind.__name__, kind.code)
        for kind in kinds
        if issubclass(kind, SimonidesError) and kind is not SimonidesError
    ]


def test_a_signature_that_drifts_is_seen() -> None:
    assert shape(written("a, /, *, b=1")) != shape(written("a, *, b=1"))
    assert shape(written("*, b=1")) != shape(written("*, b=2"))
