"""Mentions: the entities of an item, and the summary of all entities of a space.

Mentions are those who take part, and names in the item's own words. Knows spelling only (headers,
capitals, key patterns). Must not look at other items, so that what an item mentions never depends
on what else is kept, or on the order it came in.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from simonides.model.answer import Entity
from simonides.model.item import Item, Person, Role
from simonides.model.stored import EntityKind, Mention
from simonides.ports.space import MentionRow
from simonides.text import unicode_version
from simonides.text.stopwords import stop_words
from simonides.text.unicode_version import masked

TOPICS_MAX = 40
"""Names taken from the words of one item at most: a list of a thousand names is not about them."""

TEXT_CHARS_MAX = 20_000
"""How much of an item's words is searched for names; people from headers are always taken."""

_ISSUE = re.compile(r"([A-Z](?<![\w-][A-Z])[A-Z0-9]{1,9}-[1-9]\d{0,5})(?![\w-])")
"""As the names below it begins with its first letter, and looks back after that: a search for
one of a few letters runs ten times as fast as one that looks back from everywhere."""
_ISSUE_SIGN = re.compile("-[1-9]")
"""What each has; looking for this alone takes a tenth of the time."""
_NOT_ISSUES = frozenset(
    ("UTF", "ISO", "SHA", "COVID", "RFC", "MD", "AES", "USB", "IEEE", "EN", "DIN", "GPT", "CVE")
)
"""Standards and the like that are spelt as issue keys are."""
_PROJECT = re.compile(r"\b[Pp]roject ([A-Z][\w-]+(?: [A-Z][\w-]+)?)|\b([A-Z][\w-]+) project\b")
_NAME = re.compile(
    r"[A-Z](?<![\w@./-][A-Z])(?<!I(?!\w))[\w'-]*[a-z][\w'-]*(?![\w@])"
    r"(?: (?:(?!I\b)[A-Z][\w'-]*|of the|of|and|de|van|von)(?![\w@]))*"
)
_CALENDAR = frozenset(
    ("january", "february", "march", "april", "may", "june", "july", "august", "september",
     "october", "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday",
     "saturday", "sunday")
)  # fmt: skip
"""Capitalised by custom, names of nothing."""
_HEADS = frozenset('.!?:;"([*>#-')
"""What a sentence, an entry or a quotation may follow."""
_LOOK_BACK = 4
_JOINING = frozenset({"of", "the", "and", "de", "van", "von"})


_KINDS = frozenset(kind.value for kind in EntityKind)


def mentions_of(item: Item) -> tuple[Mention, ...]:
    """Return the mentions of an item, each entity, name and role once, in order of id."""
    found = {*_people(item), *_from_words(item), *_about(item)}
    return tuple(sorted(found, key=lambda m: (m.entity, m.role, m.name)))


def about_id(entity: str) -> str:
    """Return the id of a memory's entity: its explicit id, or else a topic's."""
    name = folded(entity)
    return name if name.partition(":")[0] in _KINDS else f"{EntityKind.TOPIC}:{name}"


def person_id(person: Person) -> str:
    """Return the entity id of a person: by address where there is one, else by name.

    Two addresses are two people until their owner says otherwise; a name alone never stands for
    an address.
    """
    if person.address.strip():
        return f"person:{folded_address(person.address)}"
    return f"person:~{folded(person.name)}"


def folded(name: str) -> str:
    """Return a name without case, accents' variants and doubled spaces, for comparing."""
    return " ".join(unicode_version.folded(name).split())


def folded_address(address: str) -> str:
    """Return an address without case, for comparing; other letters make another address.

    A letter that only becomes ASCII by folding (the full-width at sign U+FF20, the Kelvin sign, a
    ligature) stays as it is: such an address is not the plain one, whatever it looks like.
    """
    if address.isascii():
        return folded(address)
    kept = {c for c in address if not c.isascii() and _ASCII.search(folded(c))}
    runs = "".join(f"\0{c}\0" if c in kept else c for c in address).split("\0")
    return "".join(run if run in kept else folded(run) for run in runs)


_ASCII = re.compile(r"[\x00-\x7f]")


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


def _from_words(item: Item) -> list[Mention]:
    text = masked(f"{item.title}\n{item.content}"[:TEXT_CHARS_MAX])
    names = [*_issues(text), *_projects(text), *_topics(text)]
    return [
        Mention(entity=f"{kind}:{folded(name)}", kind=kind, name=name, role=Role.MENTIONED)
        for kind, name in dict.fromkeys(names)
    ][:TOPICS_MAX]


def _issues(text: str) -> list[tuple[EntityKind, str]]:
    keys = _ISSUE.findall(text) if _ISSUE_SIGN.search(text) else []
    return [(EntityKind.ISSUE, key) for key in keys if key.split("-")[0] not in _NOT_ISSUES]


def _projects(text: str) -> list[tuple[EntityKind, str]]:
    """Return the names next to the word "project"; "The project" and "Our project" are none."""
    if "roject" not in text:
        return []
    names = (after or before for after, before in _PROJECT.findall(text))
    return [(EntityKind.PROJECT, name) for name in names if not _is_common(name)]


def _topics(text: str) -> list[tuple[EntityKind, str]]:
    """Return capitalised names; one word at the beginning of a sentence is no evidence of one."""
    found = []
    for match in _NAME.finditer(text):
        name, heads = match[0], _heads_sentence(text, match.start())
        if heads and " " not in name:
            continue
        name = _trimmed(name.split(" "), heads=heads)
        if name and not _is_common(name):
            found.append((EntityKind.TOPIC, name))
    return found


def _heads_sentence(text: str, position: int) -> bool:
    """Return whether a sentence or a line may begin there, by the four characters before."""
    if position > 1 and text[position - 1] == " " and not (last := text[position - 2]).isspace():
        return last in _HEADS  # most stand behind a word and a space
    before = text[max(0, position - _LOOK_BACK) : position]
    visible = before.rstrip()
    return not visible or visible[-1] in _HEADS or "\n" in before[len(visible) :]


def _trimmed(words: list[str], *, heads: bool) -> str:
    """Return the name without leading and trailing joining words; may be empty.

    "When Sarah" at the head of a sentence becomes "Sarah", "Bank of" becomes "Bank", "Tom's" "Tom".
    """
    if heads and words[0].casefold() in stop_words("en"):
        words, heads = words[1:], False
    while words and words[0] in _JOINING:
        words = words[1:]
    while words and words[-1] in _JOINING:
        words = words[:-1]
    return "" if heads and len(words) == 1 else " ".join(words).removesuffix("'s")


def _is_common(name: str) -> bool:
    return name.casefold() in _CALENDAR or name.casefold() in stop_words("en")


def summarise(mentions: Iterable[MentionRow], *, name: str = "") -> tuple[Entity, ...]:
    """Return the entities, most mentioned first, then by id; `name` selects those that contain it.

    A person known by name alone stands under the address that alone bears that name, if just one
    does; two addresses are never taken for one person.
    """
    names: dict[str, Counter[str]] = defaultdict(Counter)
    items: dict[str, set[int]] = defaultdict(set)
    kinds: dict[str, str] = {}
    for mention in mentions:
        names[mention.entity][mention.name] += 1
        items[mention.entity].add(mention.item_key)
        kinds[mention.entity] = mention.kind
    for alone, address in _same_people(names).items():
        names[address].update(names.pop(alone))
        items[address] |= items.pop(alone)
    entities = [
        Entity(
            id=entity,
            kind=kinds[entity],
            names=tuple(n for n, _ in sorted(found.items(), key=lambda p: (-p[1], p[0]))),
            mentions=len(items[entity]),
        )
        for entity, found in names.items()
    ]
    wanted = folded(name)
    kept = [e for e in entities if not wanted or any(wanted in folded(n) for n in (e.id, *e.names))]
    return tuple(sorted(kept, key=lambda e: (-e.mentions, e.id)))


def _same_people(names: dict[str, Counter[str]]) -> dict[str, str]:
    """Return {person by name alone: the one person with an address and that name}."""
    by_name: dict[str, set[str]] = defaultdict(set)
    for entity, found in names.items():
        if entity.startswith("person:") and not entity.startswith("person:~"):
            for name in found:
                by_name[f"person:~{folded(name)}"].add(entity)
    return {
        alone: next(iter(by_name[alone]))
        for alone in list(names)
        if len(by_name.get(alone, ())) == 1
    }
