"""Counts of items by what they have in common. Knows shapes only."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from simonides.model.result import Result, html_table


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCounts(Result):
    """The numbers of items that pass a filter: all, and by source, kind, collection and month.

    Of each, the most frequent first; months ("2026-03", in UTC, by when it happened) by time.
    `undated` counts those without a time.
    """

    items: int = 0
    undated: int = 0
    by_source: Mapping[str, int] = field(default_factory=dict)
    by_kind: Mapping[str, int] = field(default_factory=dict)
    by_collection: Mapping[str, int] = field(default_factory=dict)
    by_month: Mapping[str, int] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        tables = (self.by_source, self.by_kind, self.by_collection, self.by_month)
        rows = [(name, count) for table in tables for name, count in table.items()]
        return html_table((f"{self.items:,} items", "count"), rows)
