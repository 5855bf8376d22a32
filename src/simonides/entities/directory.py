"""Which names mean which entities in one space, and which of them a question names.

Built from mentions; append-only and order-free: the same mentions in any order answer the same.
Knows names. Must not know items or ranking.
"""

from collections.abc import Iterable, Sequence

from simonides.entities.extract import folded
from simonides.model.kept import EntityKind
from simonides.text.stopwords import stop_words

NAME_WORDS_MAX = 5
"""Longest name looked for in a question, in words."""

OWNER_NAMES = frozenset({"user", "me", "human"})
"""Speaker names by which chats mean the person whose memory this is."""

_ROLE_NAMES = OWNER_NAMES | {"assistant", "system", "ai", "bot", "tool", "model", "agent"}


class Directory:
    """Names to entities. A person answers to every word of the name; others to the whole name."""

    __slots__ = ("_by_name", "_by_word", "_entities", "_seen")

    def __init__(self) -> None:
        self._by_name: dict[tuple[str, ...], set[str]] = {}
        self._by_word: dict[str, set[str]] = {}
        self._entities: set[str] = set()
        self._seen: set[tuple[str, str, str]] = set()

    def extend(self, mentions: Iterable[tuple[str, str, str]]) -> None:
        """Take in (entity, kind, name) triples."""
        for entity, kind, name in mentions:
            if (entity, kind, name) not in self._seen:
                self._seen.add((entity, kind, name))
                self._entities.add(entity)
                self._enter(entity, kind=kind, name=name)

    def names(self) -> set[tuple[str, str, str]]:
        """Return every (entity, kind, name) taken in."""
        return set(self._seen)

    def _enter(self, entity: str, *, kind: str, name: str) -> None:
        words = tuple(_name_words(name))
        if not words:
            return
        if kind == EntityKind.PERSON:
            if words[0] in _ROLE_NAMES:
                return
            for word in set(words) - stop_words("en"):
                self._by_word.setdefault(word, set()).add(entity)
        self._by_name.setdefault(words, set()).add(entity)

    def named_in(self, words: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return {entity: the words that name it} for what a question's words name.

        `words` are normalised words in order. A longer name wins: where "Sarah Lindqvist" stands,
        another Sarah is not meant.
        """
        found: dict[str, tuple[str, ...]] = {}
        at = 0
        while at < len(words):
            run, entities = self._longest(words[at : at + NAME_WORDS_MAX])
            for entity in entities:
                found.setdefault(entity, run)
            at += max(len(run), 1)
        return found

    def _longest(self, words: Sequence[str]) -> tuple[tuple[str, ...], set[str]]:
        for size in range(len(words), 0, -1):
            run = tuple(words[:size])
            entities = set(self._by_name.get(run, ()))
            if size == 1:
                entities |= self._by_word.get(run[0], set())
            if entities:
                return run, entities
        return (), set()

    def matching(self, name: str) -> set[str]:
        """Return the entities that an id, an address, a whole name or one word of it may mean."""
        text = folded(name)
        direct = {text, f"person:{text}", f"person:~{text}"} & self._entities
        words = tuple(_name_words(name))
        by_word = self._by_word.get(words[0], set()) if len(words) == 1 else set()
        return direct | self._by_name.get(words, set()) | by_word


def _name_words(name: str) -> list[str]:
    """Return the words of a name; an address is one word, a comma and initials' dots fall away."""
    parts = folded(name).replace(",", " ").split()
    return [part.strip(".'\"()") for part in parts if part.strip(".'\"()")]
