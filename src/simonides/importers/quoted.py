"""What a mail quotes of mails that are not there, as items of their own.

Whoever is added to a thread late, or imports no sent mail, has part of it only as a quote. Knows
when a quote stands in another item, and how one becomes an item. Must not know the store.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, pairwise

from simonides.importers.message import SUBJECT_CHARS_MAX
from simonides.model.item import (
    QUOTED_SOURCE,
    Item,
    Kind,
    Person,
    Role,
    declared_trust,
    derive_id,
    short_hash,
    with_trust,
)
from simonides.model.metadata_keys import ATTACHED_KEY
from simonides.text.quotes import Quote, quotes_of
from simonides.text.similarity import fold_words

PAIRS_MIN = 0.9
"""The share of a quote's pairs of neighbouring words that must stand in other items, beside all its
words, for it to be there: programs wrap and cut what they quote, and people trim it."""

WORDS_MIN = 4
"""A quote of fewer words is no item of its own: "Hi" and "Thanks!" say nothing alone."""

OPENING_WORDS, OPENING_CHARS = 8, 200
"""How many words, within how many characters, begin a text."""


class Texts:
    """Words of items that are there, and their pairs, against which quotes are held."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()
        for text in texts:
            words = fold_words(text)
            self._words.update(words)
            self._pairs.update(pairwise(words))

    def hold(self, text: str) -> bool:
        """Return whether a text stands in these."""
        words = fold_words(text)
        pairs = list(pairwise(words))
        known = sum(pair in self._pairs for pair in pairs)
        return self._words.issuperset(words) and known >= PAIRS_MIN * len(pairs)


def mail_ids_around(mail: Item) -> tuple[str, ...]:
    """Return the ids of the mail that a mail answers and of the first of its thread, if another."""
    answered = mail.metadata.get("_in_reply_to")
    named = [one for one in (answered, mail.session) if isinstance(one, str) and one]
    others = dict.fromkeys(one for one in named if one != mail.source_id)
    return tuple(derive_id(replace(mail, id="", source_id=one)) for one in others)


def opening_of(text: str) -> str:
    """Return the first words of a text, by which mails are found that name none they answer."""
    return " ".join(fold_words(text[:OPENING_CHARS])[:OPENING_WORDS])


def read_quoted_openings(mail: Item) -> list[str]:
    """Return the first words of each mail that a mail quotes."""
    return [opening_of(quote.text) for quote in quotes_of(mail.quoted)]


def has_unknown_lines(mail: Item, around: Iterable[Item], signatures: Iterable[str]) -> bool:
    """Return whether a mail quotes a line that none of these texts has: quick, and mostly false."""
    known = {person.name for person in mail.people}
    for text in chain(signatures, *((one.content, one.quoted) for one in around)):
        known.update(map(_bare, text.split("\n")))
    rest = [line for line in map(_bare, mail.quoted.split("\n")) if line not in known]
    return bool(rest) and bool(quotes_of("\n".join(rest)))


def _bare(line: str) -> str:
    return line.lstrip("> \t").rstrip()


def missing_of(mail: Item, around: Iterable[Item], signatures: Iterable[str]) -> Iterator[Item]:
    """Yield an item for each quote of a mail that stands in no other item.

    What the mails `around` it say and quote is there: what is missing of their quotes is an item
    because of them. `signatures` are those of the mail's author.
    """
    own = sorted(signatures, key=len, reverse=True)
    quoted = mail.quoted.rstrip()
    for text in own:
        quoted = quoted.removesuffix(text)
    texts = Texts([*own, mail.title, *_names(mail), *(text for one in around for text in _of(one))])
    for quote in quotes_of(quoted):
        if len(fold_words(quote.text)) >= WORDS_MIN and not texts.hold(quote.text):
            yield _item(mail, quote)


def is_said_in(quoted: Item, mail: Item, signatures: Iterable[str]) -> bool:
    """Return whether a later mail says in its own words what an item was made of."""
    texts = Texts([mail.title, mail.content, *_names(mail), *signatures])
    return all(texts.hold(quote.text) for quote in quotes_of(quoted.content))


def _of(mail: Item) -> Iterator[str]:
    yield from (mail.title, mail.content, mail.quoted, *_names(mail))


def _names(mail: Item) -> list[str]:
    return [f"{one.name} {one.address}" for one in mail.people]


def _item(mail: Item, quote: Quote) -> Item:
    """Return a quote as an item: of the mail's author, who vouches for it, and naming its own."""
    own_id = short_hash("\n".join([mail.session, *fold_words(quote.text)]))
    authors = tuple(one for one in mail.people if one.role is Role.AUTHOR)
    named = quote.author()
    quoted = (Person(name=named[0], address=named[1], role=Role.MENTIONED),) if named else ()
    item = Item(
        kind=Kind.DOCUMENT,
        source=QUOTED_SOURCE,
        source_id=own_id,
        title=f"Quoted in: {mail.title}"[:SUBJECT_CHARS_MAX],
        content="\n\n".join(filter(None, [quote.head, quote.text])),
        people=(*authors, *quoted),
        happened_at=mail.happened_at,
        collection=mail.collection,
        session=mail.session,
        metadata={ATTACHED_KEY: mail.source_id, f"{ATTACHED_KEY}_item": mail.id},
    )
    trust = declared_trust(mail)
    return item if trust is None else with_trust(item, trust)
