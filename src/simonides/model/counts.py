"""Counts of items by what they have in common. Knows shapes only."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from simonides.model.result import Result, html_table


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCounts(Result):
    """The numbers of items that pass a filter: all, by source, kind, collection, person and month.

    Of each, the most frequent first; months ("2026-03", in UTC, by when it happened) by time.
    `undated` counts those without a time. `by_person` has those who take part in most items, by
    a name or an address to filter by, `by_value` the values of a metadata key that was asked for.
    """

    items: int = 0
    undated: int = 0
    by_source: Mapping[str, int] = field(default_factory=dict)
    by_kind: Mapping[str, int] = field(default_factory=dict)
    by_collection: Mapping[str, int] = field(default_factory=dict)
    by_person: Mapping[str, int] = field(default_factory=dict)
    by_month: Mapping[str, int] = field(default_factory=dict)
    by_value: Mapping[str, int] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        tables = (
            self.by_source, self.by_kind, self.by_collection, self.by_person, self.by_month,
            self.by_value,
        )  # fmt: skip
        rows = [(name, count) for table in tables for name, count in table.items()]
        return html_table((f"{self.items:,} items", "count"), rows)
