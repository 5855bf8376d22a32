"""The creation of proposals: by an extractor that reads stored items, or elsewhere.

Whatever is proposed names the items that it was read out of, or it is refused. Nothing that comes
in here changes a memory. Must not know what becomes of a proposal.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from simonides.errors import InvalidInput, NotFound
from simonides.index.open_space import OpenSpace
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind
from simonides.model.memories import (
    REFUSED_CHARS,
    Proposal,
    ProposalsMade,
    ProposedMemory,
    Refused,
    proposal_id,
)
from simonides.ports.memories import Extractor
from simonides.retrieval.listing import PAGE_MAX, list_items

BATCH_ITEMS_MAX = 50
"""Items of one session that an extractor reads at once, at most: what a model's window holds."""

BATCH_PROPOSALS_MAX = 100
"""Proposals that are taken of one batch: a model that goes round in circles is stopped here."""

READ_BY_DEFAULT = Filter(kinds=(Kind.MESSAGE, Kind.EMAIL))
"""What is read unless something else is asked for: conversations and mails."""

Progress = Callable[[int, int], None]
"""Is called with (read, all) items."""


def extract(
    extractor: Extractor,
    items: Sequence[Item],
    opened: OpenSpace,
    *,
    on_progress: Progress | None = None,
) -> ProposalsMade:
    """Extract proposals from items and store them; return the report.

    Items of one session are read together, in their order, at most 50 at once; an item without
    one alone. What was proposed before a failure is kept.
    """
    made, read, at = ProposalsMade(), 0, opened.now()
    for batch in batches(items):
        answer = list(extractor.extract(batch))
        given = {item.id: item for item in batch}
        fitting, refused = _fitting(answer, given)
        more = _store(fitting, given, opened, by=extractor.name, at=at)
        made = _join(made, more, refused)
        read += len(batch)
        if on_progress is not None:
            on_progress(read, len(items))
    return replace(made, read=read)


def propose(proposed: Sequence[ProposedMemory], opened: OpenSpace, *, by: str) -> ProposalsMade:
    """Store proposals that were made elsewhere; return the report.

    Those whose evidence is not kept here are refused.
    """
    space = opened.find()
    if space is None:
        return ProposalsMade(refused=tuple(map(_without_evidence, proposed)))
    named = dict.fromkeys(one for proposal in proposed for one in proposal.evidence)
    with space.read() as reader:
        kept = {one: item for one in named if (item := reader.item(one)) is not None}
    fitting, refused = _fitting(proposed, kept, most=len(proposed))
    return _join(ProposalsMade(), _store(fitting, kept, opened, by=by, at=opened.now()), refused)


def _without_evidence(one: ProposedMemory) -> Refused:
    return Refused(text=one.text[:REFUSED_CHARS], reason="nothing was written to the space yet")


def items_named(ids: Sequence[str], opened: OpenSpace) -> list[Item]:
    """Return the items of these ids.

    Raises:
        NotFound: One of them is not there.
    """
    space = opened.find()
    if space is None:
        raise NotFound("item", ids[0])
    with space.read() as reader:
        found = {one: reader.item(one) for one in ids}
    for one, item in found.items():
        if item is None:
            raise NotFound("item", one)
    return [item for item in found.values() if item is not None]


def items_to_read(wanted: Filter | None, opened: OpenSpace, *, limit: int) -> list[Item]:
    """Return the newest items that pass a filter (default: messages and mails)."""
    found: list[Item] = []
    cursor = ""
    while len(found) < limit:
        page = list_items(
            wanted or READ_BY_DEFAULT,
            opened,
            limit=min(PAGE_MAX, limit - len(found)),
            cursor=cursor,
        )
        found += page.items
        cursor = page.cursor
        if not cursor:
            break
    return found


def batches(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield the items of each session of each collection in order; other items alone, by id."""
    groups: dict[tuple[str, str, str], list[Item]] = {}
    for item in sorted(items, key=_by_time):
        alone = "" if item.session else item.id
        groups.setdefault((item.collection, item.session, alone), []).append(item)
    for group in groups.values():
        for start in range(0, len(group), BATCH_ITEMS_MAX):
            yield group[start : start + BATCH_ITEMS_MAX]


def _by_time(item: Item) -> tuple[float, int, str]:
    when = item.dated_at
    return (when.timestamp() if when else 0.0, item.position or 0, item.id)


def _fitting(
    answer: Sequence[object], given: Mapping[str, Item], *, most: int = BATCH_PROPOSALS_MAX
) -> tuple[list[ProposedMemory], list[Refused]]:
    """Return the valid proposals of an answer, and the refused ones with reasons."""
    fitting: list[ProposedMemory] = []
    refused: list[Refused] = []
    for one in answer:
        problem = _problem(one, given, is_full=len(fitting) >= most)
        if not problem and isinstance(one, ProposedMemory):
            fitting.append(one)
        else:
            text = one.text if isinstance(one, ProposedMemory) else repr(one)
            refused.append(Refused(text=text[:REFUSED_CHARS], reason=problem))
    return fitting, refused


def _problem(one: object, given: Mapping[str, Item], *, is_full: bool) -> str:
    if not isinstance(one, ProposedMemory):
        return "is no ProposedMemory"
    missing = [named for named in one.evidence if named not in given]
    if missing:
        return f"names {missing[0]!r} as evidence, which is not among the items there are"
    return f"comes after the {BATCH_PROPOSALS_MAX}. of one batch" if is_full else ""


def _store(
    fitting: Sequence[ProposedMemory],
    given: Mapping[str, Item],
    opened: OpenSpace,
    *,
    by: str,
    at: datetime,
) -> ProposalsMade:
    if not isinstance(by, str):
        raise InvalidInput("by", f"must be text, got {type(by).__name__}")
    wanted: dict[str, Proposal] = {}
    for one in fitting:
        collection = given[one.evidence[0]].collection
        name = proposal_id(one, collection=collection)
        wanted.setdefault(
            name, Proposal(id=name, proposed=one, by=by, collection=collection, created_at=at)
        )
    new = opened.space.put_proposals(list(wanted.values()), at=at) if wanted else ()
    return ProposalsMade(proposed=tuple(wanted[one] for one in new), known=len(fitting) - len(new))


def _join(made: ProposalsMade, more: ProposalsMade, refused: Sequence[Refused]) -> ProposalsMade:
    return ProposalsMade(
        proposed=(*made.proposed, *more.proposed),
        known=made.known + more.known,
        refused=(*made.refused, *refused),
    )
