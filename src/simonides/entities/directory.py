"""Name directory: the entities of each name in one space, and those that a question names.

Built from mentions; append-only and order-free: the same mentions in any order answer the same. A
capital letter tells a name from an everyday word, but not at the head of a sentence, where every
word has one. Knows names. Must not know items or ranking.
"""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from simonides.entities.extract import folded, folded_address
from simonides.model.stored import EntityKind
from simonides.text.analyse import words
from simonides.text.stopwords import stop_words
from simonides.text.unicode_version import masked

EVERYDAY = frozenset(
    """
    april art august autumn bank banks bay bell best bill black blue bond booth bridge brown
    bush case cash chance chase church close cook cross dawn day dean early faith field fields
    forest frank free good grace grant gray green grey hall hand harmony hill home hope house
    hunter joy june justice king lake lane law little long love major mark marks may mercy mill
    moon mountain noble north page park parks peace penny pitch pope porter post power price
    prince queen rain read rich river rob rock root rose sage savage school sharp short sky
    small snow song south spring star stone storm strong sue summer sunny swift temple trip wall
    ward water waters way wells west white wild will winter wise wood woods work young
    """.split()
)
"""English given names and surnames that a question may well hold without meaning anybody."""

_INSIDE = re.compile(r"(?<=[^\s.!?:;…\"“(\[*>#-])\s+([^\W\d_]+)")


def proper_words(text: str) -> frozenset[str]:
    """Return the folded words that begin with a capital letter inside a sentence."""
    capital = (word for word in _INSIDE.findall(masked(text)) if word[0].isupper())
    return frozenset(folded for word in capital for folded in words(word))


NAME_WORDS_MAX = 8
"""Longest name looked for in a question, in words; an address has as many as it has parts."""

OWNER_NAMES = frozenset({"user", "me", "human"})
"""Speaker names by which chats mean the person whose memory this is."""

_ROLE_NAMES = OWNER_NAMES | {"assistant", "system", "ai", "bot", "tool", "model", "agent"}

Words = tuple[str, ...]
"""The words of a name, folded."""

HasName = Callable[[str, Words], bool]
"""Whether something present calls an entity by these words; no words: by whatever name."""


class Directory:
    """The index from names to entities, of all mentions ever; `Names` has the present ones.

    A person answers to the whole name, to every word of it and to the address, others to the whole
    name.
    """

    __slots__ = ("_entities", "_entities_by_words", "_seen")

    def __init__(self) -> None:
        self._entities_by_words: dict[Words, set[tuple[str, Words]]] = {}
        self._entities: set[str] = set()
        self._seen: set[tuple[str, str, str]] = set()

    def extend(self, mentions: Iterable[tuple[str, str, str]]) -> None:
        """Add (entity, kind, name) triples."""
        for entity, kind, name in mentions:
            if (entity, kind, name) not in self._seen:
                self._seen.add((entity, kind, name))
                self._entities.add(entity)
                self._enter(entity, kind=kind, name=name)

    def names(self) -> set[tuple[str, str, str]]:
        """Return every (entity, kind, name) triple."""
        return set(self._seen)

    def _enter(self, entity: str, *, kind: str, name: str) -> None:
        whole = name_words(name)
        called = {whole}
        if kind == EntityKind.PERSON:
            if _ROLE_NAMES.issuperset(whole):
                return
            if "@" not in name:
                called |= {(word,) for word in whole}
            if "@" in entity:
                address = name_words(entity.removeprefix(f"{EntityKind.PERSON}:"))
                self._entities_by_words.setdefault(address, set()).add((entity, ()))
        for called_by in called - {()}:
            self._entities_by_words.setdefault(called_by, set()).add((entity, whole))

    def entities_named(self, words: Words) -> set[tuple[str, Words]]:
        """Return (entity, whole name) of all entities that ever had these words as a name."""
        return set(self._entities_by_words.get(words, ()))

    def known(self, entities: Iterable[str]) -> set[str]:
        """Return the ids among these that were ever mentioned."""
        return self._entities.intersection(entities)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of one revision: the directory's, less those without a present item."""

    directory: Directory
    has_name: HasName

    def named_in(self, words: Sequence[str], *, proper: Container[str] = ()) -> dict[str, Words]:
        """Return {entity: its matching words} for the entities that a question names.

        `words` are normalised words in order. A longer name wins: where "Sarah Lindqvist" stands,
        another Sarah is not meant. People and other things are looked for apart, so that a topic
        "Sarah and Tom" hides neither. An everyday word ("will", "mark") names somebody only if it
        is in `proper`, the words that the question writes as names.
        """
        return self._walk(words, people=True, proper=proper) | self._walk(
            words, people=False, proper=proper
        )

    def _walk(
        self, words: Sequence[str], *, people: bool, proper: Container[str]
    ) -> dict[str, Words]:
        found: dict[str, Words] = {}
        at = 0
        while at < len(words):
            run, entities = self._longest(words[at : at + NAME_WORDS_MAX], people=people)
            if len(run) == 1 and run[0] not in proper and _is_everyday(run[0]):
                entities = set()
            for entity in entities:
                found.setdefault(entity, run)
            at += max(len(run), 1)
        return found

    def _longest(self, words: Sequence[str], *, people: bool) -> tuple[Words, set[str]]:
        for size in range(len(words), 0, -1):
            run = tuple(words[:size])
            entities = {e for e in self._with_name(run) if _is_person(e) == people}
            if entities:
                return run, entities
        return (), set()

    def matching(self, name: str) -> set[str]:
        """Return the entities that an id, an address, a whole name or one word of it may mean."""
        text, address = folded(name), folded_address(name)
        direct = self.directory.known({text, f"person:{address}", f"person:~{text}"})
        meant = {e for e in direct if self.has_name(e, ())}
        if "@" in address and f"person:{address}" in meant:
            return meant  # the words of one address may be those of another
        return meant | self._with_name(name_words(name))

    def _with_name(self, words: Words) -> set[str]:
        return {e for e, name in self.directory.entities_named(words) if self.has_name(e, name)}


def name_words(name: str) -> Words:
    """Return the words of a name in the form in which a question is searched for them."""
    return tuple(words(name))


def _is_person(entity: str) -> bool:
    return entity.startswith(f"{EntityKind.PERSON}:")


def _is_everyday(word: str) -> bool:
    return word in EVERYDAY or word in stop_words("en")
