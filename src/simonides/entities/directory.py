"""Name directory: the entities of each name in one space, and those that a question names.

Built from mentions; append-only and order-free: the same mentions in any order answer the same. A
capital letter tells a name from an everyday word, but not at the head of a sentence, where every
word has one. Several ids may mean one entity: a project however it is written, and what its owner
has merged. Knows names. Must not know items or ranking.
"""

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from threading import Lock
from typing import NamedTuple

from simonides.entities.extract import fold_address, fold_name
from simonides.entities.not_names import ROLES, names_nothing
from simonides.entities.projects import PROJECT_WORDS, core_of
from simonides.model.stored import EntityKind
from simonides.text.accents import without_accents
from simonides.text.analyse import words
from simonides.text.name_cases import has_cases, has_possessive_alone, spellings
from simonides.text.stopwords import stop_words
from simonides.text.unicode_version import mask
from simonides.text.word_patterns import lazy_pattern

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

_INSIDE = lazy_pattern(r"(?<=[^\s.!?:;…\"“(\[*>#-])\s+([^\W\d_]+)")


def proper_words(text: str) -> frozenset[str]:
    """Return the folded words that begin with a capital letter inside a sentence."""
    capital = (word for word in _INSIDE.findall(mask(text)) if word[0].isupper())
    return frozenset(fold_name for word in capital for fold_name in words(word))


NAME_WORDS_MAX = 8
"""Longest name looked for in a question, in words; an address has as many as it has parts."""

OWNER_NAMES = frozenset({"user", "me", "human"})
"""Speaker names by which chats mean the person whose memory this is."""

_ROLE_NAMES = OWNER_NAMES | ROLES

Words = tuple[str, ...]
"""The words of a name, folded."""

HasName = Callable[[str, Words], bool]
"""Whether something present calls an entity by these words; no words: by whatever name."""


Called = dict[str, list[tuple[str, str]]]
"""(entity, whole name) by the words of a name without accents; words are joined by spaces."""


class Group(NamedTuple):
    """Ids that mean one entity by its owner's word, the one it is known by first, and its names."""

    ids: tuple[str, ...]
    names: tuple[str, ...] = ()


class Directory:
    """The index from names to entities, of all mentions ever; `Names` has the present ones.

    A person answers to the whole name, to every word of it and to the address, a project with and
    without the word for project, others to the whole name.
    """

    __slots__ = (
        "_at_domain", "_by_core", "_by_words", "_cored", "_groups", "_in_order", "_lock",
        "_named_alike", "_names", "_seen", "first_words", "words_max",
    )  # fmt: skip

    def __init__(self) -> None:
        self._by_words: Called = {}
        self._names: dict[str, list[str]] = {}
        self._seen: set[tuple[str, str, str]] = set()
        self._by_core: dict[str, set[str]] = {}
        self._at_domain: dict[str, list[str]] = {}
        self._named_alike: list[str] = []
        self._cored = 0
        self._lock = Lock()
        self._groups: dict[int, Group] = {}
        self.words_max = 0
        """How many words the longest name has."""
        self.first_words: set[str] = set()
        """The words with which names begin, without accents."""
        self._in_order: list[str] = []

    def extend(self, mentions: Iterable[tuple[str, str, str]]) -> None:
        """Add (entity, kind, name) triples."""
        for entity, kind, name in mentions:
            if (entity, kind, name) not in self._seen:
                self._seen.add((entity, kind, name))
                self._know(entity).append(name)
                self._enter(entity, kind=kind, name=name)

    def group_by_words(self) -> Called:
        """Return the entities by the words that call them, the same in whatever order they came."""
        every = sorted(self._by_words.items())
        return {words: sorted({(entity, whole) for entity, whole in of}) for words, of in every}

    def restore(self, names: Iterable[Sequence[str]], called: Called) -> None:
        """Take over another directory's `names` and `called`, without reading a name again."""
        self._seen = {(entity, kind, name) for entity, kind, name in names}
        for entity, _, name in self._seen:
            self._know(entity).append(name)
        self._by_words = dict(called)
        self.first_words = {words.partition(" ")[0] for words in called}
        self.words_max = max((words.count(" ") + 1 for words in called), default=0)

    def join(self, slot: int, group: Group) -> None:
        """Add a group of ids that mean one entity, as the item at a slot says.

        Its names hold as long as that item is there, and are those of no other.
        """
        self._groups[slot] = group
        for entity in group.ids:
            self._know(entity)

    @property
    def groups(self) -> Mapping[int, Group]:
        """Every group ever, by the slot of the item that says so."""
        return self._groups

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
                called |= {(word,) for word in whole} - {(word,) for word in _small_words(name)}
            if "@" in entity:
                address = name_words(entity.removeprefix(f"{EntityKind.PERSON}:"))
                self._call(entity, address, ())
        elif kind == EntityKind.PROJECT:
            called |= _project_forms(name)
        elif names_nothing(name.split()):
            return
        for called_by in called - {()}:
            self._call(entity, called_by, whole)

    def _call(self, entity: str, words: Words, whole: Words) -> None:
        typed = _fold_typed(words)
        self._by_words.setdefault(" ".join(typed), []).append((entity, " ".join(whole)))
        self.first_words.update(typed[:1])
        self.words_max = max(self.words_max, len(words))

    def names_of(self, entity: str) -> tuple[str, ...]:
        """Return every name that an entity was ever called by, in no order."""
        return tuple(self._names.get(entity, ()))

    def _know(self, entity: str) -> list[str]:
        """Return the names of an entity, which is known from now on."""
        names = self._names.get(entity)
        if names is None:
            names = self._names[entity] = []
            if entity.startswith(_SAME_BY_NAME):
                self._named_alike.append(entity)
            elif "@" in entity:
                self._at_domain.setdefault(organisation_of(entity), []).append(entity)
        return names

    def alike(self, entity: str) -> set[str]:
        """Return the ids that would name the same project, had it this entity's name.

        The names of all are made comparable by the first question that needs it: few do.
        """
        if self._cored < len(self._named_alike):
            with self._lock:
                while self._cored < len(self._named_alike):
                    one = self._named_alike[self._cored]
                    self._by_core.setdefault(core_of(one.partition(":")[2]), set()).add(one)
                    self._cored += 1
        own = entity.partition(":")[2]
        is_named = entity.startswith(_SAME_BY_NAME)
        return self._by_core.get(core_of(own), set()) if is_named else set()

    def entities_named(self, words: Words) -> set[tuple[str, Words]]:
        """Return (entity, whole name) of all entities that ever had these words as a name.

        With and without accents they are the same words.
        """
        found = self._by_words.get(" ".join(_fold_typed(words)), ())
        return {(entity, tuple(whole.split())) for entity, whole in found}

    def given_names(self, beginning: str) -> set[tuple[str, Words]]:
        """Return (entity, whole name) of the people whose given name begins so, and is longer."""
        if len(self._in_order) != len(self.first_words):
            self._in_order = sorted(self.first_words)
        words = self._in_order[bisect_right(self._in_order, beginning) :]
        return {
            (entity, tuple(whole.split()))
            for word in takewhile(lambda word: word.startswith(beginning), words)
            for entity, whole in self._by_words.get(word, ())
            if _is_person(entity) and without_accents(whole.partition(" ")[0]) == word
        }

    def senders_at(self, organisation: str) -> tuple[str, ...]:
        """Return the people whose address is at a domain of this name: "airbnb" of airbnb.com."""
        return tuple(self._at_domain.get(organisation, ()))

    def find_known(self, entities: Iterable[str]) -> set[str]:
        """Return the ids among these that were ever mentioned."""
        return {one for one in entities if one in self._names}


_SAME_BY_NAME = (f"{EntityKind.PROJECT}:", f"{EntityKind.TOPIC}:")
"""The kinds whose ids may be names of one project."""


def organisation_of(address: str) -> str:
    """Return the name of the domain of an address, without what stands before and after it."""
    labels = address.rpartition("@")[2].split(".")
    while len(labels) > 1 and labels[-2] in _SECOND_LEVEL:
        labels.pop()
    return labels[-2] if len(labels) > 1 else ""


_SECOND_LEVEL = frozenset("ac co com edu gov ne net or org".split())
"""What stands before a country in domains: .co.uk, .com.br."""


_KNOWN_BY = {kind.value: rank for rank, kind in enumerate(EntityKind)}
"""Which id an entity of several is known by: a person's before a project's before a topic's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of one revision: the directory's, less those without a present item.

    `groups` are those of present items.
    """

    directory: Directory
    has_name: HasName
    groups: tuple[Group, ...] = ()
    _grouped: Mapping[str, frozenset[str]] = field(init=False, repr=False)
    _called: Mapping[Words, set[str]] = field(init=False, repr=False)
    _same: dict[str, frozenset[str]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_grouped", _close(group.ids for group in self.groups))
        object.__setattr__(self, "_called", _group_by_words(self.groups))

    def same_as(self, entity: str) -> frozenset[str]:
        """Return the ids that mean the same entity, itself among them.

        A topic of a project's name is that project, if the project is there.
        """
        known = self._same.get(entity)
        if known is None:
            known = self._same[entity] = self._find_same(entity)
        return known

    def _find_same(self, entity: str) -> frozenset[str]:
        found, waiting = {entity}, [entity]
        while waiting:
            one = waiting.pop()
            more = {*self._grouped.get(one, ()), *self._same_project(one)} - found
            found |= more
            waiting += more
        return frozenset(found)

    def _same_project(self, entity: str) -> set[str]:
        alike = self.directory.alike(entity)
        if len(alike) == 1 and entity in alike:
            return set()
        project = f"{EntityKind.PROJECT}:{core_of(entity.partition(':')[2])}"
        return alike if project in alike and self.has_name(project, ()) else set()

    def find_main_id(self, entity: str) -> str:
        """Return the id that an entity of several ids is known by: the same for all of them."""
        same = self.same_as(entity)
        firsts = sorted(group.ids[0] for group in self.groups if group.ids[0] in same)
        return firsts[0] if firsts else min(same, key=_known_first)

    def classes(self, entities: Iterable[str]) -> list[frozenset[str]]:
        """Return the ids of each entity that these ids mean, in order."""
        found = {min(same): same for same in map(self.same_as, entities)}
        return [found[first] for first in sorted(found)]

    def find_named(
        self, words: Sequence[str], *, proper: Container[str] = (), language: str = "en"
    ) -> dict[str, Words]:
        """Return {entity: its matching words} for the entities that a question names.

        `words` are normalised words in order. A longer name wins: where "Sarah Lindqvist" stands,
        another Sarah is not meant. People and other things are looked for apart, so that a topic
        "Sarah and Tom" hides neither. An everyday word ("will", "mark", in French "du") names
        somebody only if it is in `proper`, the words that the question writes as names; `language`
        is that of the question, in whose cases names may stand.
        """
        everyday = _everyday_words(language)
        unnamed = [word not in proper and word in everyday for word in words]
        called = self._call_by_names(words, unnamed, language) if has_cases(language) else words
        named = self._walk(called, unnamed, people=True, said=words)
        named |= self._walk(words, unnamed, people=False, said=words)
        return {same: run for entity, run in named.items() for same in self.same_as(entity)} | named

    def _call_by_names(
        self, words: Sequence[str], unnamed: Sequence[bool], language: str
    ) -> list[str]:
        """Return the words, with the name of a person for each that is another case of one.

        Where that is whose something is, something follows: "annas number", not "keys for the car".
        """
        everyday, is_possessive = _everyday_words(language), has_possessive_alone(language)
        return [
            word
            if is_unnamed
            or (is_possessive and (not word.endswith("s") or not after or after in everyday))
            else self._called_by(word, language, everyday)
            for word, is_unnamed, after in zip(words, unnamed, (*words[1:], ""), strict=False)
        ]

    def _called_by(self, word: str, language: str, everyday: Container[str]) -> str:
        """Return the word of a person's name of which a word is another case, else itself."""
        others = [one for one in spellings(word, language=language) if one not in everyday]
        may = dict.fromkeys((word, *others))
        return word if len(may) == 1 else next(filter(self._is_persons, may), word)

    def _is_persons(self, word: str) -> bool:
        return any(_is_person(entity) for entity in self._with_name((word,)))

    def _walk(
        self, words: Sequence[str], unnamed: Sequence[bool], *, people: bool, said: Sequence[str]
    ) -> dict[str, Words]:
        """Return by entity the words, as `said`, that name it; an `unnamed` one alone does not."""
        found: dict[str, Words] = {}
        longest = min(NAME_WORDS_MAX, max(self.directory.words_max, *map(len, self._called), 1))
        at = 0
        while at < len(words):
            run, entities = self._longest(words[at : at + longest], people=people)
            if not (len(run) == 1 and unnamed[at]):
                for entity in entities:
                    found.setdefault(entity, tuple(said[at : at + len(run)]))
            at += max(len(run), 1)
        return found

    def _longest(self, words: Sequence[str], *, people: bool) -> tuple[Words, set[str]]:
        if not self._begins_a_name(words[0]):  # as most words do
            return (), set()
        for size in range(len(words), 0, -1):
            run = tuple(words[:size])
            entities = {e for e in self._with_name(run) if _is_person(e) == people}
            if entities:
                return run, entities
        return (), set()

    def _begins_a_name(self, word: str) -> bool:
        known = self.directory.first_words
        return _fold_typed((word,))[0] in known or any(run[0] == word for run in self._called)

    def matching(self, name: str) -> set[str]:
        """Return the entities that an id, an address, a whole name or one word of it may mean."""
        text, address = fold_name(name), fold_address(name)
        direct = self.directory.find_known({text, f"person:{address}", f"person:~{text}"})
        meant = {e for e in direct if self.has_name(e, ())}
        if not ("@" in address and f"person:{address}" in meant):
            meant |= self._with_name(name_words(name))  # else they may be those of another address
        return {same for entity in meant for same in self.same_as(entity)}

    def with_given_name(self, beginning: str) -> dict[str, str]:
        """Return by person the given name that begins so: "daniel" by "dan"."""
        found = sorted(self.directory.given_names(without_accents(beginning)))
        return {entity: name[0] for entity, name in found if self.has_name(entity, name)}

    def senders_at(self, organisation: str) -> list[str]:
        """Return the present people whose address is at a domain of this name."""
        return [one for one in self.directory.senders_at(organisation) if self.has_name(one, ())]

    def _with_name(self, words: Words) -> set[str]:
        named = self.directory.entities_named(words)
        return {e for e, name in named if self.has_name(e, name)} | self._called.get(words, set())


def _small_words(name: str) -> list[str]:
    """Return the words of a name in small letters beside others with capitals: 1º ano B."""
    small = [] if name.islower() else [one for one in name.split() if one.islower()]
    return words(" ".join(small)) if small else []


def name_words(name: str) -> Words:
    """Return the words of a name in the form in which a question is searched for them."""
    return tuple(words(name))


def _fold_typed(words: Sequence[str]) -> Words:
    """Return the words of a name without accents, as it may be typed."""
    return tuple(words) if all(map(str.isascii, words)) else tuple(map(without_accents, words))


def _project_forms(name: str) -> set[Words]:
    """Return the words of a project's name: with the word for project before or after, and bare."""
    own = name_words(core_of(name))
    around = {form for word in PROJECT_WORDS for form in ((word, *own), (*own, word))}
    return {own, *around} if own else set()


def _group_by_words(groups: Iterable[Group]) -> dict[Words, set[str]]:
    """Return the entities by the words of the names that their owner gave them."""
    found: dict[Words, set[str]] = {}
    for group in groups:
        for name in group.names:
            for form in {name_words(name)} | _project_forms_of(group.ids[0], name):
                found.setdefault(form, set()).add(group.ids[0])
    return found


def _project_forms_of(entity: str, name: str) -> set[Words]:
    return _project_forms(name) if entity.startswith(f"{EntityKind.PROJECT}:") else set()


def _close(groups: Iterable[tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Return for each id all that mean the same; groups that share an id are one."""
    found: dict[str, frozenset[str]] = {}
    for group in groups:
        whole = frozenset(group).union(*(found[one] for one in group if one in found))
        found.update(dict.fromkeys(whole, whole))
    return found


def _known_first(entity: str) -> tuple[int, bool, bool, str]:
    kind, _, own = entity.partition(":")
    is_core = kind != EntityKind.PROJECT or own == core_of(own)
    return _KNOWN_BY.get(kind, len(_KNOWN_BY)), own.startswith("~"), not is_core, entity


def _is_person(entity: str) -> bool:
    return entity.startswith(f"{EntityKind.PERSON}:")


@cache
def _everyday_words(language: str) -> frozenset[str]:
    return EVERYDAY | stop_words("en") | stop_words(language)
