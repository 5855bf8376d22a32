"""One entity with its addresses and what it is mentioned with. Knows shapes only."""

from dataclasses import dataclass

from simonides.model.answer import Entity
from simonides.model.result import Result, html_table


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedEntity(Result):
    """An entity that items mention together with another one, and how many do."""

    id: str
    kind: str
    name: str
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDetails(Result):
    """An entity with the ids that mean it, its addresses, and what it is mentioned with.

    `related` has those of most common items first.
    """

    entity: Entity
    ids: tuple[str, ...]
    addresses: tuple[str, ...]
    related: tuple[RelatedEntity, ...]

    def _repr_html_(self) -> str:
        rows = [(one.name, one.kind, one.items) for one in self.related]
        title = f"with {self.entity.names[0] if self.entity.names else self.entity.id}"
        return html_table((title, "kind", "items"), rows)
