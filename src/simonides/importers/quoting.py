"""The mails of one import that quote others, and what becomes of their quotes at its end.

Only then it is known which of the quoted mails are there. Knows the space. Must not know a format.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from simonides.importers import signature
from simonides.importers.quoted import (
    has_unknown_lines,
    is_said_in,
    mail_ids_around,
    missing_of,
    opening_of,
    read_quoted_openings,
)
from simonides.index.open_space import OpenSpace
from simonides.model.item import QUOTED_SOURCE, Item, Kind
from simonides.model.stored import Change
from simonides.ports.space import Reader

AT_ONCE = 256
"""Mails whose quotes are looked for at a time, so that memory stays constant."""


@dataclass(slots=True, kw_only=True)
class QuotingMails:
    """The mails of an import that are new or changed, by id with their threads, and signatures.

    `had_items` says whether earlier imports may have kept quotes. Of every mail the hash of its
    first words is known, since some programs do not say which mail is answered.
    """

    had_items: bool
    _new: dict[str, str] = field(default_factory=dict)
    _quoting: dict[str, None] = field(default_factory=dict)
    _signatures: dict[str, set[str]] = field(default_factory=dict)
    _openings: dict[int, str] = field(default_factory=dict)

    def read_before(self, item: Item) -> bool:
        """Return whether the item is a signature that was read before; note it."""
        if item.source != signature.SOURCE or item.author is None:
            return False
        known = self._signatures.setdefault(item.author.address, set())
        is_known = item.content in known
        known.add(item.content)
        return is_known

    def add(self, item: Item, change: Change) -> None:
        """Note what became of an item of the import."""
        if item.kind is not Kind.EMAIL:
            return
        self._openings.setdefault(hash(opening_of(item.content)), item.id)
        if change in (Change.ADDED, Change.UPDATED):
            self._new[item.id] = item.session
            if item.quoted:
                self._quoting[item.id] = None

    def missing(self, opened: OpenSpace) -> Iterator[list[Item]]:
        """Yield the items of the quotes that stand in no mail, in batches.

        Those that an earlier import made stay as they are.
        """
        space, ids = opened.find(), iter(self._quoting)
        while space is not None and (batch := list(islice(ids, AT_ONCE))):
            with space.read() as reader:
                made = {one.id: one for one in self._missing_of(batch, reader)}
                known = reader.digests(list(made))
            yield [item for item_id, item in made.items() if item_id not in known]

    def _missing_of(self, batch: Sequence[str], reader: Reader) -> Iterator[Item]:
        mails, unknown = _items(batch, reader), dict[str, tuple[Item, list[Item]]]()
        for mail, others in _with_others(mails, mail_ids_around, reader):
            if has_unknown_lines(mail, others, self._of(mail)):
                unknown[mail.id] = mail, others
        alike = _with_others(
            [mail for mail, _ in unknown.values()], self._find_opened_alike, reader
        )
        for mail, others in alike:
            yield from missing_of(mail, [*unknown[mail.id][1], *others], self._of(mail))

    def _find_opened_alike(self, mail: Item) -> Iterator[str]:
        """Yield the ids of the import's mails that begin with the first words of a quote."""
        for opening in read_quoted_openings(mail):
            found = self._openings.get(hash(opening), mail.id)
            if found != mail.id:
                yield found

    def find_outdated(self, opened: OpenSpace) -> list[str]:
        """Return the ids of the quotes that an earlier import kept and new mails say themselves."""
        space = opened.find() if self.had_items else None
        if space is None:
            return []
        by_session: defaultdict[str, list[str]] = defaultdict(list)
        for item_id, session in self._new.items():
            by_session[session].append(item_id)
        with space.read() as reader:
            return [
                item_id
                for session, ids in by_session.items()
                for item_id in self._find_outdated(session, ids, reader)
            ]

    def _find_outdated(self, session: str, ids: Sequence[str], reader: Reader) -> Iterator[str]:
        keys = [key for key, _ in reader.documents_of(session)]
        quotes = [one for one in reader.items(keys).values() if one.source == QUOTED_SOURCE]
        mails = _items(ids, reader) if quotes else []
        for one in quotes:
            if any(is_said_in(one, mail, self._of(mail)) for mail in mails):
                yield one.id

    def _of(self, mail: Item) -> Iterable[str]:
        """Return the signatures of the author of a mail."""
        return self._signatures.get(mail.author.address, ()) if mail.author else ()


def _with_others(
    mails: Sequence[Item], ids_of: Callable[[Item], Iterable[str]], reader: Reader
) -> Iterator[tuple[Item, list[Item]]]:
    """Yield each mail with those of the mails named for it that are there."""
    named = [(mail, list(ids_of(mail))) for mail in mails]
    there = {one.id: one for one in _items([*chain(*(ids for _, ids in named))], reader)}
    for mail, ids in named:
        yield mail, [there[one] for one in ids if one in there]


def _items(ids: Sequence[str], reader: Reader) -> list[Item]:
    """Return the present items of these ids, the earliest first."""
    found = reader.items(reader.keys(ids)).values()
    return sorted(found, key=lambda one: (str(one.happened_at or ""), one.id))
