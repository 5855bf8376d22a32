"""Items, mails and questions made of a corpus, as many as are wanted.

Knows how long texts are, who writes them and when. Everything follows from the corpus and a
seed. Must not know vectors, but says which passage each part of a text comes from.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

from simonides.model.item import Item, Kind, Person, Role
from simonides_bench.corpus import Passage

SHELVES = 1000
"""Items are spread over so many shelves (metadata `_shelf`): a filter on one keeps 0.1 %."""

MESSAGE_SHARE, MAIL_SHARE = 0.60, 0.25
"""Of the items; the rest are documents."""

SESSION_ITEMS, THREAD_ITEMS = 20, 3
PASSAGES_OF_DOCUMENT = (3, 8)
WORDS_MAX = 100
"""Words of a recombined passage: what the chunker aims at, so that a message is one chunk."""

BEGINNING = datetime(2024, 1, 1, 9, tzinfo=UTC)
BETWEEN = timedelta(minutes=10)
"""From one item to the next, so that 100,000 of them fill two years."""

_FIRST = ("Ana", "Boris", "Clara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas")
_LAST = ("Almeida", "Brandt", "Castro", "Duval", "Eriksen", "Fontana", "Grau", "Holm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Characters [start, stop) of an item's content, and the passage they were taken from."""

    start: int
    stop: int
    passage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An item and where its words come from; the runs are in order and do not overlap."""

    item: Item
    runs: tuple[Run, ...]


class Writer:
    """Writes items without end; two writers of one corpus and seed write the same.

    Each passage is used once as it is, in random order; after that, new passages begin with
    sentences of one and go on with sentences of another.
    """

    def __init__(self, passages: Sequence[Passage], *, seed: int = 0) -> None:
        self._passages = passages
        self._words = [[len(one.split()) for one in passage.sentences] for passage in passages]
        self._chance = random.Random(seed)  # noqa: S311  a corpus, not a secret
        self._unused = self._chance.sample(range(len(passages)), len(passages))
        self._position = 0
        self._session = self._thread = ""

    def items(self) -> Iterator[Written]:
        """Yield items: messages of chats, mails in threads, documents of several chunks."""
        for number in count():
            kind = self._chance.random()
            if kind < MESSAGE_SHARE:
                yield self._message(number)
            elif kind < MESSAGE_SHARE + MAIL_SHARE:
                yield self._mail(number)
            else:
                yield self._document(number)

    def _message(self, number: int) -> Written:
        if self._position % SESSION_ITEMS == 0:
            self._session = f"chat-{number}"
        position = self._position % SESSION_ITEMS
        self._position += 1
        content, runs = self._text(1)
        item = Item(
            kind=Kind.MESSAGE, source="chat", source_id=f"message-{number}", content=content,
            people=(Person(name=self._person().name),), session=self._session, position=position,
            happened_at=_time_of(number), metadata={"_shelf": number % SHELVES},
        )  # fmt: skip
        return Written(item=item, runs=runs)

    def _mail(self, number: int) -> Written:
        if not self._thread or self._chance.random() < 1.0 / THREAD_ITEMS:
            self._thread = f"thread-{number}"
        content, runs = self._text(1)
        people = (self._person(), self._person(role=Role.TO))
        item = Item(
            kind=Kind.EMAIL, source="mail", source_id=f"mail-{number}", content=content,
            title=_title(content), people=people, session=self._thread,
            happened_at=_time_of(number), metadata={"_shelf": number % SHELVES},
        )  # fmt: skip
        return Written(item=item, runs=runs)

    def _document(self, number: int) -> Written:
        content, runs = self._text(self._chance.randint(*PASSAGES_OF_DOCUMENT))
        item = Item(
            kind=Kind.DOCUMENT, source="file", source_id=f"document-{number}.md", content=content,
            title=_title(content), people=(self._person(),), happened_at=_time_of(number),
            metadata={"_shelf": number % SHELVES},
        )  # fmt: skip
        return Written(item=item, runs=runs)

    def _text(self, paragraphs: int) -> tuple[str, tuple[Run, ...]]:
        """Return so many passages as paragraphs, and where each part comes from."""
        text = ""
        runs: list[Run] = []
        for _ in range(paragraphs):
            text += "\n\n" if text else ""
            for part, passage in self._passage():
                text += " " if text and not text[-1].isspace() else ""
                runs.append(Run(start=len(text), stop=len(text) + len(part), passage=passage))
                text += part
        return text, tuple(runs)

    def _passage(self) -> list[tuple[str, int]]:
        """Return the parts of a passage, each with the number of the one it comes from."""
        if self._unused:
            whole = self._unused.pop()
            return [(self._passages[whole].text, whole)]
        first, second = self._chance.sample(range(len(self._passages)), 2)
        head, tail = self._passages[first].sentences, self._passages[second].sentences
        stop = self._chance.randint(1, len(head))
        begin = _last_within(self._words[second], words=WORDS_MAX - sum(self._words[first][:stop]))
        parts = [(" ".join(head[:stop]), first), (" ".join(tail[begin:]), second)]
        return [part for part in parts if part[0]]

    def _person(self, *, role: Role = Role.AUTHOR) -> Person:
        first, last = self._chance.choice(_FIRST), self._chance.choice(_LAST)
        address = f"{first}.{last}@example.com".lower()
        return Person(name=f"{first} {last}", address=address, role=role)


def _time_of(number: int) -> datetime:
    return BEGINNING + number * BETWEEN


def _title(content: str) -> str:
    return " ".join(content.split()[:7]).rstrip(".,;:?!")


def _last_within(sizes: Sequence[int], *, words: int) -> int:
    """Return where the last sentences begin that have at most so many words together."""
    begin = len(sizes)
    while begin and sizes[begin - 1] <= words:
        begin -= 1
        words -= sizes[begin]
    return begin


def questions(passages: Sequence[Passage], *, count: int, seed: int = 0) -> list[str]:
    """Return different questions about the corpus: plain ones, with people, times, sources."""
    chance = random.Random(f"questions {seed}")  # noqa: S311  a corpus, not a secret
    asked: dict[str, None] = {}
    while len(asked) < count:
        words = chance.choice(chance.choice(passages).sentences).rstrip(".?!").split()
        begin = chance.randrange(max(len(words) - 5, 1))
        topic = " ".join(words[begin : begin + chance.randint(3, 6)]).strip("'\"(),;")
        form = _FORMS[len(asked) % len(_FORMS)]
        asked[form.format(topic=topic, name=chance.choice(_FIRST))] = None
    return list(asked)


_FORMS = (
    "what do we know about {topic}?",
    "how does {topic} work",
    "{topic}",
    "why is it that {topic}?",
    "what did {name} say about {topic}?",
    "is there anything on {topic}",
    "when was {topic} mentioned?",
    "which mail was about {topic}?",
    "what did {name} write last month about {topic}?",
    "what is the latest on {topic}?",
)
"""Half of them plain; the rest name a person, a time, a source, or an end of time."""
