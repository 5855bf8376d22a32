"""The differences of two briefs, by their receipts.

Knows the shapes. Must not know how anything is compared.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from simonides.model.result import Result, omit_when


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Result):
    """One field that differs, by its name and both values."""

    field: str
    was: Any
    now: Any


class DiffChange(StrEnum):
    """The change of an item from one brief to another."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDiff(Result):
    """The change of one item, and why: `reason` is a plain sentence.

    `differences` are empty unless it is in both: version, revision, stage, form, tier, trust,
    spans, score, and place (1 is the first in the text).
    """

    id: str
    change: DiffChange
    reason: str
    differences: tuple[Difference, ...] = ()
    space: str = omit_when("")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptDiff(Result):
    """The differences of two briefs: the `settings` and `items` that differ.

    `before` and `after` are the receipts' ids; `sentences` say all of it. Settings
    are named by their place (`budget`, `config.layout`, `filter.sources`).
    """

    before: str
    after: str
    same_text: bool
    settings: tuple[Difference, ...]
    items: tuple[ItemDiff, ...]
    sentences: tuple[str, ...]
