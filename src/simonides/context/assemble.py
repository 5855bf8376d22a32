"""From hits to a brief: greedy over the fully rendered text, every candidate accounted for."""

from collections.abc import Sequence
from dataclasses import dataclass

from simonides.context.measure import Budget
from simonides.context.receipt import Settled, receipt_of
from simonides.context.sourced import block, one_line, render, tamed
from simonides.entities.extract import folded, person_id
from simonides.model.answer import (
    Brief,
    BriefItem,
    Dropped,
    DropReason,
    Hit,
    Query,
    SearchResult,
)
from simonides.model.kept import EntityKind

WHOLE_COST_MAX = 200
"""An item that costs more is shown by its best passage (the seeds' snippet limit, in tokens)."""

WHOLE_CHARS_MAX = 4_000
"""A longer content costs more than that in any writing, about; it is not counted to find out."""

ENTITIES_MAX = 10
"""How many known entities are listed (seed 004 lists ten)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    hit: Hit
    text: str
    form: str


def assemble(
    result: SearchResult, *, query: Query, budget: Budget, settled: Settled, max_items: int
) -> Brief:
    """Return the brief of a search: what fits is in, best first; what does not fit is skipped.

    Candidates = included + dropped, each dropped one with its reason (law 7). The budget holds
    for the rendered text to its last separator (law 6); a budget that has no room for the request
    gives an empty text.
    """
    entities = _entities(result)
    if not budget.fits(render([], entities=entities, request=query.text)):
        entities = []
    chosen, dropped = _choose(result.hits, query=query, budget=budget, entities=entities,
                              max_items=max_items)  # fmt: skip
    text = render([one.text for one in chosen], entities=entities, request=query.text)
    if not budget.fits(text):
        text = ""
    return Brief(
        text=text,
        tokens=budget.cost(text),
        budget=budget.limit,
        unit=budget.unit,
        items=tuple(_brief_item(i, one, budget) for i, one in enumerate(chosen, start=1)),
        dropped=tuple(dropped),
        receipt=receipt_of(text, query=query, budget=budget, settled=settled,
                           item_ids=tuple(one.hit.id for one in chosen),
                           diagnostics=result.diagnostics),
        diagnostics=result.diagnostics,
    )  # fmt: skip


def _choose(
    hits: Sequence[Hit], *, query: Query, budget: Budget, entities: Sequence[str], max_items: int
) -> tuple[list[_Chosen], list[Dropped]]:
    chosen: list[_Chosen] = []
    dropped: list[Dropped] = []
    shown: dict[str, str] = {}
    for hit in hits:
        form, body = _body(hit, budget)
        said = folded(one_line(body) or one_line(hit.item.title))
        same = shown.get(said)
        text = block(hit.item, text=body, is_excerpt=form == "excerpt", timezone=query.timezone)
        blocks = [*(one.text for one in chosen), text]
        if not said:
            dropped.append(_dropped(hit, DropReason.EMPTY, detail="nothing in it shows"))
        elif same:
            dropped.append(_dropped(hit, DropReason.DUPLICATE, detail=f"says the same as {same}"))
        elif len(chosen) >= max_items:
            dropped.append(_dropped(hit, DropReason.MAX_ITEMS))
        elif not budget.fits(render(blocks, entities=entities, request=query.text)):
            dropped.append(_dropped(hit, DropReason.BUDGET, detail=f"needs {budget.cost(text)}"))
        else:
            chosen.append(_Chosen(hit=hit, text=text, form=form))
            shown[said] = hit.id
    return chosen, dropped


def _body(hit: Hit, budget: Budget) -> tuple[str, str]:
    """Return (form, tamed text): the whole content where it is short, else the best passage."""
    content = hit.item.content
    is_all = not hit.passage or len(hit.passage) >= len(content.strip())
    is_short = len(content) <= WHOLE_CHARS_MAX and budget.cost(content) <= WHOLE_COST_MAX
    if is_all or is_short:
        return "whole", tamed(content)
    return "excerpt", tamed(hit.passage)


def _dropped(hit: Hit, reason: DropReason, *, detail: str = "") -> Dropped:
    return Dropped(id=hit.id, reason=reason, score=hit.score, detail=detail)


def _brief_item(number: int, one: _Chosen, budget: Budget) -> BriefItem:
    item = one.hit.item
    return BriefItem(
        number=number, id=item.id, title=item.title, source=item.source,
        happened_at=item.happened_at, score=one.hit.score, tokens=budget.cost(one.text),
        form=one.form,
    )  # fmt: skip


def _entities(result: SearchResult) -> list[str]:
    """Return a line for each person the question names, as the hits know them, and each project.

    Who is known by name alone is left out where the same name has an address.
    """
    named = set(result.plan.people)
    lines: dict[str, str] = {}
    for hit in result.hits:
        for person in hit.item.people:
            if person_id(person) in named:
                address = f": {person.address}" if person.address else ""
                lines.setdefault(person_id(person), f"{person.name or 'unnamed'} (person){address}")
    addressed = {line.partition(" (person): ")[0] for line in lines.values() if "): " in line}
    lines = {e: x for e, x in lines.items() if x.removesuffix(" (person)") not in addressed}
    for entity in result.plan.entities:
        kind, _, name = entity.partition(":")
        if kind in (EntityKind.PROJECT, EntityKind.ISSUE):
            lines[entity] = f"{name} ({kind})"
    return list(lines.values())[:ENTITIES_MAX]
