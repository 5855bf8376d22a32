"""`memory.remember` and `memory.proposals`: memories that change, of one space.

Brings a candidate together with the space that it is to be kept in; the room `memories` decides.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Unpack

from simonides.api.arguments import check_is, check_limit, check_texts, with_times
from simonides.api.runtime import Runtime
from simonides.api.space_handle import SpaceHandle
from simonides.errors import NotFound
from simonides.model.coercion import one_of, tuple_of
from simonides.model.filter import FilterLike, as_filter
from simonides.model.item import StatementFields
from simonides.model.memories import (
    REFUSED_CHARS,
    MergeConfig,
    Proposal,
    ProposalPage,
    ProposalsMade,
    ProposalStatus,
    ProposedMemory,
    Refused,
    Remembered,
)

if TYPE_CHECKING:
    from simonides.memories.neighbours import MergeContext
    from simonides.ports.memories import Extractor
    from simonides.ports.space import Space

Reading = Callable[[], AbstractContextManager["Space | None"]]
"""Opens the space for reading; None where nothing was ever written to it."""

Progress = Callable[[int, int], None]
"""Is told (read, all) items."""

READ_MAX = 500
"""Items that an extractor reads unless another number is asked for, the newest."""

PAGE_MAX = 1_000


class MemoriesMixin(SpaceHandle):
    """What can be done with memories beyond adding them."""

    @property
    def proposals(self) -> "Proposals":
        """What others propose to remember: make, propose, list, get, accept, reject, undo."""
        return Proposals(self._parts, reading=self._reading)

    def remember(
        self, text: str, *, dry_run: bool = False, **given: Unpack[StatementFields]
    ) -> Remembered:
        """Compare a statement with the memories there are, do what follows, and say what and why.

        It is added; or takes the place of one that it contradicts, which stays, `superseded`; or
        lets what is kept be surer; or changes nothing. `given` are the fields of `MemoryTraits`,
        and of an `Item`: source, title, summary, tags, people, metadata, collection, session,
        happened_at, language. In a `dry_run` nothing is written.

        Raises:
            InvalidInput: The text is empty, or a field unknown or out of range.
            StoreBusy: Memories were written by others faster than this one could be decided.
            StoreError: The commit failed; nothing was written.
        """
        from simonides.memories.candidate import candidate_of
        from simonides.memories.remember import rehearsed_nowhere, remember

        candidate = candidate_of(text, with_times(given, timezone=self._timezone))
        parts = self._parts
        if not dry_run:
            space = parts.store.open(self._space_name, embedder=parts.identity, create=True)
            remembered = remember(candidate, where=where(space, parts))
            parts.tend(space)
            return remembered
        with self._reading() as there:
            if there is None:
                return rehearsed_nowhere(candidate)
            return remember(candidate, where=where(there, parts), dry_run=True)


def where(space: "Space", parts: Runtime) -> "MergeContext":
    """Return a space with what finds memories in it and prepares new ones."""
    from simonides.memories.neighbours import MergeContext

    return MergeContext(
        space=space,
        space_view=parts.view(space),
        embedder=parts.embedder,
        preparer=parts.preparer(),
        owner=parts.settings.owner,
        language=parts.settings.language,
        timezone=parts.timezone,
        timeout_s=parts.settings.timeout_s,
        now=parts.clock(),
        rules=MergeConfig(supersede_threshold=parts.settings.supersede_threshold),
    )


class Proposals:
    """What a model, or somebody else, proposes to remember: nothing until a person accepts it."""

    def __init__(self, parts: Runtime, *, reading: Reading) -> None:
        self._parts = parts
        self._reading = reading

    def make(
        self,
        extractor: "Extractor",
        *,
        items: Sequence[str] = (),
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
        limit: int = READ_MAX,
        on_progress: Progress | None = None,
    ) -> ProposalsMade:
        """Have items read and keep what is proposed to remember of them.

        `items` are ids; or else the newest that `filter` lets through are read, at most `limit`:
        messages and mails unless told otherwise. Those of one session are read together, in their
        order. What was proposed before, whatever was decided of it, is not proposed again. What
        the extractor raises ends it; what was proposed before is kept.

        Raises:
            NotFound: One of `items` is not there.
            InvalidInput: `limit` is below 1.
        """
        from simonides.memories.extract import extract, items_to_read
        from simonides.ports.memories import Extractor

        check_limit(limit)
        check_is(extractor, Extractor, field="extractor")
        named = tuple_of(str, items, field="items")
        wanted = (
            None if filter is None else as_filter(filter, timezone=lambda: self._parts.timezone)
        )
        with self._reading() as space:
            if space is None:
                return _nothing_there(named)
            now = self._parts.clock()
            read = (
                _items(named, space)
                if named
                else items_to_read(
                    wanted, limit=limit, space=space, space_view=self._parts.view(space), now=now
                )
            )
            return extract(extractor, read, space=space, at=now, on_progress=on_progress)

    def propose(self, *proposed: ProposedMemory, by: str) -> ProposalsMade:
        """Keep proposals that were made elsewhere; `by` names who made them.

        Those whose evidence is not kept here are refused.

        Raises:
            InvalidInput: `by` is empty.
        """
        from simonides.memories.extract import propose

        check_texts(by, field="by")
        for one in proposed:
            check_is(one, ProposedMemory, field="proposed")
        with self._reading() as space:
            if space is None:
                return ProposalsMade(refused=tuple(map(_unfounded, proposed)))
            return propose(proposed, by=by, space=space, at=self._parts.clock())

    def list(
        self,
        *,
        status: ProposalStatus | str | None = None,
        limit: int = 50,
        cursor: str = "",
    ) -> ProposalPage:
        """Return a page of proposals, latest first; hand its cursor in again for the next one.

        Those of one `status`: `pending`, `accepted`, `rejected` or `undone`; all unless given.

        Raises:
            InvalidInput: The limit or the status is none.
        """
        check_limit(limit)
        check_texts(cursor, field="cursor")
        wanted = () if status is None else (one_of(ProposalStatus, status, field="status"),)
        most = min(limit, PAGE_MAX)
        with self._reading() as space:
            if space is None:
                return ProposalPage(proposals=())
            with space.read() as reader:
                found = reader.proposals(statuses=wanted, limit=most + 1, before=cursor)
        more = found[most - 1].id if len(found) > most else ""
        return ProposalPage(proposals=tuple(found[:most]), cursor=more)

    def get(self, proposal_id: str, /) -> Proposal:
        """Return one proposal.

        Raises:
            NotFound: None is kept by that id.
        """
        from simonides.memories.proposals import find

        return find(proposal_id, space=self._there(proposal_id))

    def accept(self, proposal_id: str, /, *, dry_run: bool = False) -> Proposal:
        """Remember what is proposed and return the proposal; its `outcome` says what that did.

        It goes by the rules of `remember`. One that is accepted already stays as it is. In a
        `dry_run` nothing is written, and the outcome is what would be done.

        Raises:
            NotFound: None is kept by that id.
            InvalidInput: It was rejected.
        """
        from simonides.memories.proposals import accept

        return accept(proposal_id, where=self._where(proposal_id), dry_run=dry_run)

    def reject(self, proposal_id: str, /) -> Proposal:
        """Note that it is not to be remembered, and return it: it is not proposed again.

        Raises:
            NotFound: None is kept by that id.
            InvalidInput: It was accepted.
        """
        from simonides.memories.proposals import reject

        return reject(proposal_id, where=self._where(proposal_id))

    def undo(self, proposal_id: str, /) -> Proposal:
        """Take a decision back: every item that accepting wrote has its state of before again.

        A rejected proposal is pending again.

        Raises:
            NotFound: None is kept by that id.
            InvalidInput: Nothing was decided.
            Conflict: An item that it wrote was changed since.
            HistoryGone: The state before was compacted away.
        """
        from simonides.memories.proposals import undo

        return undo(proposal_id, where=self._where(proposal_id))

    def _there(self, proposal_id: str) -> "Space":
        check_texts(proposal_id, field="proposal_id")
        with self._reading() as space:
            if space is None:
                raise NotFound("proposal", proposal_id)
            return space

    def _where(self, proposal_id: str) -> "MergeContext":
        return where(self._there(proposal_id), self._parts)


def _items(ids: Sequence[str], space: "Space") -> list[Any]:
    with space.read() as reader:
        found = {one: reader.item(one) for one in ids}
    for one, item in found.items():
        if item is None:
            raise NotFound("item", one)
    return list(found.values())


def _unfounded(one: ProposedMemory) -> Refused:
    return Refused(text=one.text[:REFUSED_CHARS], reason="nothing was written to the space yet")


def _nothing_there(ids: Sequence[str]) -> ProposalsMade:
    """Return that nothing came of it in a space that nothing was written to yet."""
    if ids:
        raise NotFound("item", ids[0])
    return ProposalsMade()
