"""Which mails and messages a question asks for by their answers: what one owes, or waits for.

A mail is answered where a later one of its thread comes from the other side, a message where the
other of the two in a chat wrote later. Knows the plan, the threads and the people of what was
written. Must not know what else the question asks.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.entities.extract import person_id
from simonides.index.facets import author_key, part_key, shared_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.answer import Query, ReplyState
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind, Role, Trust
from simonides.model.metadata_keys import AUTOMATIC_KEY, DRAFT_TAG
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.named_days import BULK
from simonides.retrieval.people import NAMED, owner_authors, owner_entities
from simonides.retrieval.trust import ROLES, TrustResolver
from simonides.scoring.importance import UNDATED
from simonides.text.reply_states import requests_reply

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Slots = npt.NDArray[np.intp]

REPLIED_BY_PROGRAM = Filter(where={AUTOMATIC_KEY: "auto-replied"})
"""An out-of-office reply answers nothing."""

UNSENT = Filter(tags=(DRAFT_TAG,))
"""A draft answers nothing, and waits for nothing."""

READ_MAX = 300
"""So many mails, and messages, without an answer are read: nobody answers older ones."""

REQUESTING, TELLING = 1.0, 0.5
"""How much a mail counts that asks for something, and one from somebody known that only tells."""


def find_unanswered(
    state: ReplyState,
    kinds: Collection[str],
    query: Query,
    *,
    owner: tuple[str, ...],
    view: IndexView,
    reader: Reader,
) -> Floats:
    """Return float64[items]: what has no answer, from 0 to 1 how likely one is wanted."""
    people = frozenset(owner_entities(owner, view.names))
    side = _Side(
        state=state, people=people, authors=owner_authors(owner, view.names), query=query,
        view=view, reader=reader,
    )  # fmt: skip
    trusting = TrustResolver.for_view(view, owner)
    meant = np.zeros(view.item_count)
    if Kind.EMAIL in kinds:
        for slot, mail in side.find_mails().items():
            is_known = trusting.of(mail) is not Trust.UNKNOWN
            meant[slot] = _wants_answer(mail, state, people, is_known=is_known)
    if Kind.MESSAGE in kinds:
        meant[side.find_messages()] = REQUESTING
    return meant


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """What the owner wrote, or what was written to them, and what answers it.

    `people` are called as the owner is, and the words of `authors` are theirs.
    """

    state: ReplyState
    people: frozenset[str]
    authors: tuple[str, ...]
    query: Query
    view: IndexView
    reader: Reader

    @property
    def _is_mine(self) -> bool:
        return self.state is ReplyState.AWAITED

    def find_mails(self) -> dict[int, Item]:
        """Return by slot the latest mails to the owner, or from them, that nobody answered."""
        mails = self._select(Kind.EMAIL)
        theirs = self._theirs & self.view.having(map(part_key, self.people))
        asking = mails & (self._own if self._is_mine else theirs)
        asking &= ~mask_of(BULK, view=self.view, reader=self.reader)
        last = self._last_answers(mails, self._senders)
        found = self._read_latest(asking & (self._happened > self._find_answers(last)))
        for mail in found.values():
            self._join(mail, last)
        return {
            slot: mail
            for slot, mail in found.items()
            if self._last_answer_to(mail, last) <= self._happened[slot]
            and not self._is_answered_as_sent(slot, mail, mails)
        }

    def _is_answered_as_sent(self, slot: int, mail: Item, mails: Bools) -> bool:
        """Return whether a mail was answered from where it was sent to, if the owner may be there.

        Anyone can write under the owner's name: only of a mail that was sent to none of the known
        addresses is it believed that another one is theirs.
        """
        to = {person_id(one) for one in mail.people if one.role is Role.TO} & self.people
        if self._is_mine or not to or not to.isdisjoint(self.authors):
            return False
        last = self._last_answers(mails, to)
        return self._last_answer_to(mail, last) > int(self._happened[slot])

    @property
    def _senders(self) -> Sequence[str]:
        """The authors whose mails are the owner's: where an address is known, none without one."""
        return [one for one in self.authors if not one.startswith(NAMED)] or self.authors

    def _last_answer_to(self, mail: Item, last: npt.NDArray[np.int64]) -> int:
        """Return when the other side last wrote in the threads that hold answers to a mail."""
        return max(self._last_in(one, last) for one in (mail.session, mail.source_id))

    def _last_in(self, thread: str, last: npt.NDArray[np.int64]) -> int:
        """Return when the other side last wrote in a thread, in microseconds.

        That of a mail's own id holds the answers to it that name no earlier mail.
        """
        code = self.view.items.codes["session"].code(thread or None)
        return int(last[code]) if 0 < code < len(last) else UNDATED

    def _join(self, mail: Item, last: npt.NDArray[np.int64]) -> None:
        """Count what answers a mail by its own id among the answers of its thread."""
        code = self.view.items.codes["session"].code(mail.session or None)
        if 0 < code < len(last):
            last[code] = max(int(last[code]), self._last_in(mail.source_id, last))

    def find_messages(self) -> list[int]:
        """Return the slots of messages in a chat of two that ask, after the other's last one."""
        messages = self._select(Kind.MESSAGE)
        answers = self._find_answers(self._last_answers(messages, self.authors))
        asking = messages & (self._own if self._is_mine else self._theirs)
        asking &= (answers != UNDATED) & (self._happened > answers)
        found = self._read_latest(asking)
        asked = [slot for slot, one in found.items() if requests_reply(one.content)]
        threads = self._threads
        others = {int(threads[slot]) for slot in asked}
        of_two = {
            one for one in others if self._is_of_two(messages & self._theirs & (threads == one))
        }
        return [slot for slot in asked if int(threads[slot]) in of_two]

    def _is_of_two(self, others: Bools) -> bool:
        """Return whether one person, who is no assistant, wrote all that others did in a chat."""
        (item,) = self._read(others.nonzero()[0][:1]).values()
        if item.author is None or item.author.name.casefold() in ROLES:
            return False
        theirs = self.view.having([author_key(person_id(item.author))])
        return not (others & ~theirs).any()

    def _select(self, kind: Kind) -> Bools:
        """Return the items of a kind that were sent by now."""
        was = self.view.alive & (self._happened <= microseconds(self.query.now))
        was &= ~mask_of(UNSENT, view=self.view, reader=self.reader)
        return was & self.view.having_codes("kind", (kind,))

    @property
    def _own(self) -> Bools:
        return self.view.having(map(author_key, self.authors))

    @property
    def _theirs(self) -> Bools:
        """What others wrote: not what somebody wrote who may be the owner at another address."""
        return ~self.view.having(map(author_key, self.people))

    @property
    def _happened(self) -> npt.NDArray[np.int64]:
        return self.view.items.happened.rows(self.view.item_count)

    @property
    def _threads(self) -> npt.NDArray[np.int32]:
        return self.view.items.codes["session"].column.rows(self.view.item_count)

    def _last_answers(self, written: Bools, authors: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return int64[threads]: when the other side last wrote in each, in microseconds.

        The owner wrote it as one of the `authors`.
        """
        by_hand = ~mask_of(REPLIED_BY_PROGRAM, view=self.view, reader=self.reader)
        by_one = ~self.view.having([shared_key()])  # anyone can name the owner as one of several
        side = self._theirs if self._is_mine else self.view.having(map(author_key, authors))
        answers = written & by_hand & by_one & side
        threads = self._threads
        last = np.full(int(threads.max(initial=0)) + 1, UNDATED)
        np.maximum.at(last, threads[answers], self._happened[answers])
        return last

    def _find_answers(self, last: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return int64[items]: when the other side `last` wrote in the thread of each.

        What is in no thread has no answer.
        """
        sessions = self.view.items.codes["session"]
        alone = sessions.holding((None, ""), count=self.view.item_count)
        return np.where(alone, UNDATED, last[self._threads])

    def _read_latest(self, asking: Bools) -> dict[int, Item]:
        """Return the latest items of a mask, by slot."""
        slots = asking.nonzero()[0]
        ids = self.view.items.ids.rows(self.view.item_count)[slots]
        return self._read(slots[np.lexsort((ids, -self._happened[slots]))[:READ_MAX]])

    def _read(self, slots: Slots) -> dict[int, Item]:
        keys = self.view.items.keys.rows(self.view.item_count)[slots].tolist()
        items = self.reader.items(keys)
        return {slot: items[key] for slot, key in zip(slots.tolist(), keys, strict=True)}


def _wants_answer(
    mail: Item, state: ReplyState, people: frozenset[str], *, is_known: bool
) -> float:
    """Return how likely a mail is one that an answer is wanted to; 0 for one that is none.

    The owner owes none to what only a copy came of, and waits for none to what asks nothing.
    """
    is_requesting = requests_reply(f"{mail.title}\n{mail.content}")
    if state is ReplyState.AWAITED:
        is_to_others = any(
            one.role is Role.TO and person_id(one) not in people for one in mail.people
        )
        return REQUESTING * (is_requesting and is_to_others)
    if not any(one.role is Role.TO and person_id(one) in people for one in mail.people):
        return 0.0
    if is_known:
        return REQUESTING if is_requesting else TELLING
    return TELLING * is_requesting
