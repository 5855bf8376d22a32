"""Mentions: the entities of an item.

Mentions are those who take part, the project that an item belongs to, and names in its own words.
Knows spelling only (headers, capitals, key patterns). Must not look at other items, so that what an
item mentions never depends on what else is kept, or on the order it came in.
"""

import re

from simonides.entities.not_names import (
    ABBREVIATED,
    names_nothing,
    without_greeting,
)
from simonides.entities.projects import ProjectName, core_of, project_names
from simonides.entities.records import is_record, record_mentions
from simonides.model.item import Item, Person, Role
from simonides.model.stored import EntityKind, Mention
from simonides.text import unicode_version
from simonides.text.stopwords import stop_words
from simonides.text.unicode_version import mask
from simonides.text.word_patterns import lazy_pattern

TOPICS_MAX = 40
"""Names taken from the words of one item at most: a list of a thousand names is not about them."""

TEXT_CHARS_MAX = 20_000
"""How much of an item's words is searched for names; people from headers are always taken."""

_ISSUE = lazy_pattern(r"([A-Z](?<![\w-][A-Z])[A-Z0-9]{1,9}-[1-9]\d{0,5})(?![\w-])")
"""As the names below it begins with its first letter, and looks back after that: a search for
one of a few letters runs ten times as fast as one that looks back from everywhere."""
_ISSUE_SIGN = lazy_pattern("-[1-9]")
"""What each has; looking for this alone takes a tenth of the time."""
_NOT_ISSUES = frozenset(
    ("UTF", "ISO", "SHA", "COVID", "RFC", "MD", "AES", "USB", "IEEE", "EN", "DIN", "GPT", "CVE")
)
"""Standards and the like that are spelt as issue keys are."""
_NAME = lazy_pattern(
    r"[A-Z](?<![\w@./-][A-Z])(?<!I(?!\w))[\w'-]*[a-z][\w'-]*(?![\w@])"
    r"(?: (?:(?!I\b)[A-Z][\w'-]*|of the|of|and|de|van|von)(?![\w@]))*"
)
_NOUNS_LARGE = frozenset({"de", "lb"})
"""Languages in which every noun has a capital: there one word with a capital is no name."""
_HEADS = frozenset('.!?:;"([*>#-')
"""What a sentence, an entry or a quotation may follow."""
_LOOK_BACK = 4
_JOINING = frozenset({"of", "the", "and", "de", "van", "von"})


PROJECT_KEY = "project"
"""The metadata key by which an item names its project: importers of tasks and chats set it."""

PROJECT_CHARS_MAX = 120
"""Longer values under that key are texts, not names."""

_KINDS = frozenset(kind.value for kind in EntityKind)


def mentions_of(item: Item) -> tuple[Mention, ...]:
    """Return the mentions of an item, each entity, name and role once, in order of id."""
    if is_record(item):
        return record_mentions(item)
    found = {*_people(item), *_from_words(item), *_about(item), *_belonging(item)}
    return tuple(sorted(found, key=lambda m: (m.entity, m.role, m.name)))


def about_id(entity: str) -> str:
    """Return the id of a memory's entity: its explicit id, or else a topic's."""
    name = fold_name(entity)
    return name if name.partition(":")[0] in _KINDS else f"{EntityKind.TOPIC}:{name}"


def person_id(person: Person) -> str:
    """Return the entity id of a person: by address where there is one, else by name.

    Two addresses are two people until their owner says otherwise; a name alone never stands for
    an address.
    """
    if person.address.strip():
        return f"person:{fold_address(person.address)}"
    return f"person:~{fold_name(person.name)}"


def fold_name(name: str) -> str:
    """Return a name without case, accents' variants and doubled spaces, for comparing."""
    return " ".join(unicode_version.fold(name).split())


def fold_address(address: str) -> str:
    """Return an address without case, for comparing; other letters make another address.

    A letter that only becomes ASCII by folding (the full-width at sign U+FF20, the Kelvin sign, a
    ligature) stays as it is: such an address is not the plain one, whatever it looks like.
    """
    if address.isascii():
        return fold_name(address)
    kept = {c for c in address if not c.isascii() and _ASCII.search(fold_name(c))}
    runs = "".join(f"\0{c}\0" if c in kept else c for c in address).split("\0")
    return "".join(run if run in kept else fold_name(run) for run in runs)


_ASCII = lazy_pattern(r"[\x00-\x7f]")


def _people(item: Item) -> list[Mention]:
    return [
        Mention(
            entity=person_id(person),
            kind=EntityKind.PERSON,
            name=" ".join(person.name.split()) or person.address.strip(),
            role=person.role,
        )
        for person in item.people
        if person.name.strip() or person.address.strip()
    ]


def _about(item: Item) -> list[Mention]:
    """Return the mention of a memory's own entity."""
    name = " ".join(item.traits.entity.split()) if item.traits else ""
    if not name:
        return []
    entity = about_id(name)
    kind, _, own_name = entity.partition(":")
    called = name if kind == EntityKind.TOPIC else own_name.lstrip("~")
    return [Mention(entity=entity, kind=EntityKind(kind), name=called, role=Role.MENTIONED)]


def _belonging(item: Item) -> list[Mention]:
    """Return the mentions of the projects that an item says it belongs to, as a task does."""
    said = item.metadata.get(PROJECT_KEY)
    names = [" ".join(name.split()) for name in said.split(",")] if isinstance(said, str) else []
    return [
        Mention(
            entity=f"{EntityKind.PROJECT}:{fold_name(core_of(name))}", kind=EntityKind.PROJECT,
            name=name, role=Role.MENTIONED,
        )
        for name in names[:TOPICS_MAX]
        if 0 < len(name) <= PROJECT_CHARS_MAX
    ]  # fmt: skip


def _from_words(item: Item) -> list[Mention]:
    text = mask(f"{item.title}\n{item.content}"[:TEXT_CHARS_MAX])
    projects = list(project_names(text))
    names = [
        *_issues(text),
        *((EntityKind.PROJECT, one.core, one.name) for one in projects),
        *_topics(_without(projects, text), item.language),
    ]
    return [
        Mention(entity=f"{kind}:{fold_name(own)}", kind=kind, name=name, role=Role.MENTIONED)
        for kind, own, name in dict.fromkeys(names)
    ][:TOPICS_MAX]


_Found = tuple[EntityKind, str, str]
"""The kind, the own part of the id before folding, and the name as it is written."""


def _without(projects: list[ProjectName], text: str) -> str:
    """Return the text with small letters in the place of projects: their words name no topic."""
    for one in projects:
        text = f"{text[: one.start]}{'x' * (one.stop - one.start)}{text[one.stop :]}"
    return text


def _issues(text: str) -> list[_Found]:
    keys = _ISSUE.findall(text) if _ISSUE_SIGN.search(text) else []
    return [(EntityKind.ISSUE, key, key) for key in keys if key.split("-")[0] not in _NOT_ISSUES]


def _topics(text: str, language: str) -> list[_Found]:
    """Return capitalised names; one word at the beginning of a sentence is no evidence of one.

    Nor is one word in a language in which every noun has a capital, unless a greeting or a title
    stands before it.
    """
    found = []
    for match in _NAME.finditer(text):
        name, heads = match[0], _heads_sentence(text, match.start())
        if heads and " " not in name:
            continue
        words = _trim(name.split(" "), heads=heads)
        own = without_greeting(words)
        is_sure = len(own) < len(words)
        if _names_something(own, is_sure=is_sure, language=language) and not (
            len(own) == 1 and _is_beside_number(text, match)
        ):
            called = " ".join(own).removesuffix("'s").removesuffix("\u2019s")
            found.append((EntityKind.TOPIC, called, called))
    return found


def _names_something(words: list[str], *, is_sure: bool, language: str) -> bool:
    """Return whether a run of words may be a name; `is_sure` where somebody is greeted by it."""
    if names_nothing(words) or (len(words) == 1 and _is_common(words[0], language)):
        return False
    is_name = len(words) > 1 or language not in _NOUNS_LARGE
    return is_name or is_sure


def _is_beside_number(text: str, match: re.Match[str]) -> bool:
    """Return whether a short name of a month or a day stands by a number: `12 Jan`, `Jan 12`."""
    if match[0].casefold() not in ABBREVIATED:
        return False
    before, after = text[: match.start()][-3:].rstrip(" ."), text[match.end() :][:3].lstrip(" .,")
    return before[-1:].isdigit() or after[:1].isdigit()


def _heads_sentence(text: str, position: int) -> bool:
    """Return whether a sentence or a line may begin there, by the four characters before."""
    if position > 1 and text[position - 1] == " " and not (last := text[position - 2]).isspace():
        return last in _HEADS  # most stand behind a word and a space
    before = text[max(0, position - _LOOK_BACK) : position]
    visible = before.rstrip()
    return not visible or visible[-1] in _HEADS or "\n" in before[len(visible) :]


def _trim(words: list[str], *, heads: bool) -> list[str]:
    """Return the words without leading and trailing joining words; may be empty.

    "When Sarah" at the head of a sentence becomes "Sarah", "Bank of" inside one becomes "Bank".
    """
    if heads and words[0].casefold() in stop_words("en"):
        words, heads = words[1:], False
    while words and words[0] in _JOINING:
        words = words[1:]
    while words and words[-1] in _JOINING:
        words = words[:-1]
    return [] if heads and len(words) == 1 else words


def _is_common(name: str, language: str) -> bool:
    word = name.casefold()
    return word in stop_words("en") or word in stop_words(language)
