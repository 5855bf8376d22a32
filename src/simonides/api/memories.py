"""What is remembered of a space: `memory.remember`, `memory.proposals`, `memory.preferences`.

It decides nothing itself: the room `memories` has the rules, `assistant.preferences` keeps
what they give for preferences.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simonides.api.arguments import check_is, check_limit, check_texts, with_times
from simonides.api.extraction import extractor_named
from simonides.assistant.preferences import (
    forget_preference,
    preferences_now,
    read_preferences,
    state_preference,
)
from simonides.errors import NotFound
from simonides.index.open_space import OpenSpace
from simonides.memories import extract as reading
from simonides.memories import proposals as deciding
from simonides.memories import remember as merging
from simonides.memories.preferences import fade, key_of, value_of
from simonides.memories.remember import candidate_of
from simonides.model.chat import Origin, Preference
from simonides.model.coercion import one_of, page_of, tuple_of
from simonides.model.filter import FilterLike, as_filter
from simonides.model.memories import (
    Proposal,
    ProposalPage,
    ProposalsMade,
    ProposalStatus,
    ProposedMemory,
    Remembered,
)
from simonides.ports.memories import Extractor

Progress = Callable[[int, int], None]
"""Is called with (read, all) items."""

READ_MAX = 500
"""Items that an extractor reads unless another number is asked for, the newest."""


def remember(
    opened: OpenSpace, text: str, given: Mapping[str, Any], *, dry_run: bool
) -> Remembered:
    """Compare a statement with the stored memories, write the decision, and return it."""
    return merging.remember(
        candidate_of(text, with_times(given, timezone=opened.timezone)), opened, dry_run=dry_run
    )


class Proposals:
    """Proposed memories, which have no effect until a person accepts them."""

    def __init__(self, opened: OpenSpace) -> None:
        self._opened = opened

    def make(
        self,
        *,
        by: Extractor | str = "rules",
        items: Sequence[str] = (),
        filter: FilterLike | None = None,  # noqa: A002  the word of the project
        limit: int = READ_MAX,
        on_progress: Progress | None = None,
    ) -> ProposalsMade:
        """Let an extractor read items, and store its proposals.

        `by` is `rules`, which propose what the owner plainly says of themselves ("I live in
        Hamburg"); `model`, the language model of the settings; or an extractor of your own.
        `items` are ids; or else the newest that `filter` lets through are read, at most `limit`:
        messages and mails unless set otherwise. Those of one session are read together, in their
        order. What was proposed before, whatever was decided of it, is not proposed again. What
        the extractor raises ends it; what was proposed before is kept.

        Raises:
            NotFound: One of `items` is not there.
            InvalidInput: `limit` is below 1, or `model` is asked and none is configured.
            ModelError: The language model failed.
        """
        check_limit(limit)
        extractor = extractor_named(by, self._opened) if isinstance(by, str) else by
        check_is(extractor, Extractor, field="by")
        named = tuple_of(str, items, field="items")
        wanted = None
        if filter is not None:
            wanted = as_filter(filter, timezone=lambda: self._opened.timezone)
        if named:
            read = reading.items_named(named, self._opened)
        else:
            read = reading.items_to_read(wanted, self._opened, limit=limit)
        return reading.extract(extractor, read, self._opened, on_progress=on_progress)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Return whether the language model has read all new messages, within `timeout_s` seconds.

        It reads them in the background where the setting `extraction` says so. Without a time it
        takes as long as it takes.
        """
        return self._opened.home.wait_for_reading(timeout_s)

    def propose(self, *proposed: ProposedMemory, by: str) -> ProposalsMade:
        """Store proposals that were made elsewhere; `by` names their author.

        Those whose evidence is not kept here are refused.

        Raises:
            InvalidInput: `by` is empty.
        """
        check_texts(by, field="by")
        for one in proposed:
            check_is(one, ProposedMemory, field="proposed")
        return reading.propose(proposed, self._opened, by=by)

    def list(
        self,
        *,
        status: ProposalStatus | str | None = None,
        limit: int = 50,
        cursor: str = "",
    ) -> ProposalPage:
        """Return a page of proposals, latest first, with a cursor for the next one.

        Those of one `status`: `pending`, `accepted`, `rejected` or `undone`; all unless given.

        Raises:
            InvalidInput: The limit or the status is none.
        """
        wanted = () if status is None else (one_of(ProposalStatus, status, field="status"),)

        def find(limit: int, before: str) -> Sequence[Proposal]:
            space = self._opened.find()
            if space is None:
                return ()
            with space.read() as reader:
                return reader.proposals(statuses=wanted, limit=limit, before=before)

        found, more = page_of(find, limit=limit, cursor=cursor)
        return ProposalPage(proposals=found, cursor=more)

    def get(self, proposal_id: str, /) -> Proposal:
        """Return one proposal.

        Raises:
            NotFound: None is kept by that id.
        """
        check_texts(proposal_id, field="proposal_id")
        return deciding.find(proposal_id, self._opened)

    def accept(self, proposal_id: str, /, *, dry_run: bool = False) -> Proposal:
        """Accept a proposal: remember it, and return it with its `outcome`.

        It goes by the rules of `remember`. One that is accepted already stays as it is. In a
        `dry_run` nothing is written, and the outcome is what would be done.

        Raises:
            NotFound: None is kept by that id.
            InvalidInput: It was rejected.
        """
        check_texts(proposal_id, field="proposal_id")
        return deciding.accept(proposal_id, self._opened, dry_run=dry_run)

    def reject(self, proposal_id: str, /) -> Proposal:
        """Reject a proposal and return it: it is not proposed again.

        Raises:
            NotFound: None is kept by that id.
            InvalidInput: It was accepted.
        """
        check_texts(proposal_id, field="proposal_id")
        return deciding.reject(proposal_id, self._opened)

    def undo(self, proposal_id: str, /) -> Proposal:
        """Undo a decision: every item that accepting wrote gets its former state.

        A rejected proposal is pending again.

        Raises:
            NotFound: None is kept by that id.
            InvalidInput: Nothing was decided.
            Conflict: An item that it wrote was changed since.
            HistoryGone: The state before was compacted away.
        """
        check_texts(proposal_id, field="proposal_id")
        return deciding.undo(proposal_id, self._opened)


class Preferences:
    """The preferences of the user by key; their confidence decays while they are not seen.

    They are memories (source `preference`, collection `preferences`, type `policy`): a search may
    find them, a chat has them in its prompt instead.
    """

    def __init__(self, opened: OpenSpace) -> None:
        self._opened = opened

    def list(self, *, limit: int = 50) -> tuple[Preference, ...]:
        """Return the preferences, highest present confidence first, then by key.

        Raises:
            InvalidInput: The limit is below 1.
        """
        check_limit(limit)
        return preferences_now(self._opened)[:limit]

    def get(self, key: str, /) -> Preference:
        """Return one preference with its present confidence.

        Raises:
            NotFound: None is kept under that key.
        """
        name = key_of(key)
        for one in read_preferences(self._opened):
            if one.key == name:
                return fade(one, now=self._opened.now())
        raise NotFound("preference", name)

    def set(self, key: str, value: str, /) -> Preference:
        """Store a stated preference, which replaces any other value; return it.

        Raises:
            InvalidInput: The key (at most 64 characters) or the value (300) is empty or too long.
            StoreError: The commit failed; nothing was written.
        """
        return self._state(key, value, Origin.EXPLICIT)

    def infer(self, key: str, value: str, /) -> Preference:
        """Store an inferred preference, and return the resulting one.

        The same value makes a preference surer, another one less sure; only once it is hardly sure
        any more the other takes its place. What was forgotten does not come back by it.

        Raises:
            InvalidInput: The key (at most 64 characters) or the value (300) is empty or too long.
            NotFound: The user had the preference forgotten: only `set` brings it back.
            StoreError: The commit failed; nothing was written.
        """
        return self._state(key, value, Origin.INFERRED)

    def forget(self, key: str, /) -> bool:
        """Remove a preference from the present; return whether there was one."""
        return forget_preference(key_of(key), self._opened)

    def _state(self, key: str, value: str, origin: Origin) -> Preference:
        return state_preference(key_of(key), value_of(value), origin, self._opened)
