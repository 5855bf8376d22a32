"""Stored receipts in a list. Knows shapes only."""

from dataclasses import dataclass
from datetime import datetime

from simonides.model.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptSummary(Result):
    """A stored receipt in a list: what was asked, within which budget, and how many items it shows.

    `budget` is in `unit`. They are empty and 0 for a receipt of a format that is not known.
    """

    id: str
    kept_at: datetime
    query: str = ""
    budget: int = 0
    unit: str = ""
    items: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptPage(Result):
    """One page of receipts, last kept first; `cursor` asks for the next one, empty at the end."""

    receipts: tuple[ReceiptSummary, ...]
    cursor: str = ""
