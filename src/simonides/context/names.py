"""Names and addresses of people, and the known entities, rendered as data.

Anyone can write mail under any name. A name is shown on one line, bounded, without marks that do
not show; it holds none of a layout's own marks, and one that could be read as an address stands
in quotation marks with the true address beside it. An address shows its unusual letters as
escapes, so that it cannot pass for the plain one that it looks like. A known entity is shown with
where its name was learned. Must not know layouts, or who is trusted.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from simonides.context.confusables import is_visible, prototype, skeleton
from simonides.context.safety import one_line, replace_lookalikes
from simonides.entities.directory import OWNER_NAMES
from simonides.entities.extract import fold_address, fold_name, mentions_of, person_id
from simonides.entities.not_names import ROLES
from simonides.model.answer import Hit, SearchResult
from simonides.model.item import TRUST_RANKS, Item, Person, Role, Trust
from simonides.model.metadata_keys import ATTACHED_KEY, SENT_BY_KEY
from simonides.model.stored import EntityKind
from simonides.text.unicode_script import boundary
from simonides.text.unicode_version import is_open
from simonides.text.word_patterns import lazy_pattern

NAME_CHARS_MAX = 80
"""Characters of a name that are shown. A full name has fewer; more is text that wants to be read.
"""

ADDRESS_CHARS_MAX = 254
"""Characters of an address that are shown: the longest that mail can carry (RFC 5321, 4.5.3.1.3,
less its two brackets). Of a longer one the end is shown, because the domain says whose it is."""

_HEAD_CHARS = 4 * NAME_CHARS_MAX
"""So much of a name is looked at: marks that do not show may take some of it."""

_MARKS = {'"': "'", "(": "{", ")": "}", ":": ";"}
"""What of a name could end it, or pass for what the layout says of it."""

_STRUCTURED = lazy_pattern(r"[@;=<>]|\s(?:-|at|to)\s")
"""What in a name could be read as an address, a further entry, or what a layout puts behind it."""

_PLAIN_ADDRESS = lazy_pattern(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~@-]+")
_PART = lazy_pattern(r"[^@.]+")
_ENCODED = lazy_pattern(r"(?:^|[@.])xn--", re.IGNORECASE)
"""A domain whose letters are written in ASCII (Punycode, RFC 3492): what it reads as is hidden."""

_BASIC_PLANE_LAST = 0xFFFF
"""The last character whose escape has four digits."""

_LATIN = "LATIN "


def name(text: str) -> str:
    """Return a name that cannot pass for a label, citation or address; empty if invisible.

    On one line, at most `NAME_CHARS_MAX` characters; what could be read as more than a name
    stands in quotation marks, which no name can close.
    """
    plain = len(text) <= NAME_CHARS_MAX and text.isascii() and text.replace(" ", "").isalpha()
    if plain and "  " not in text and not _STRUCTURED.search(text):
        return text.strip()
    shown = replace_lookalikes(one_line(text[:_HEAD_CHARS], citations=True), _MARKS)
    if len(shown) > NAME_CHARS_MAX:
        shown = shown[: boundary(shown, NAME_CHARS_MAX - 1)].rstrip() + "\u2026"
    if not is_visible(shown):
        return ""
    return f'"{shown}"' if _STRUCTURED.search(skeleton(shown)) else shown


def address(text: str) -> str:
    r"""Return an address on one line, with look-alike letters as escapes (`\uff20`).

    Plain is what ASCII allows. Other letters stay where a part of the address (between its dots)
    is written in one script and does not look like a plain word. One with escapes, or too long to
    be shown whole, stands in quotation marks.
    """
    bare = text.strip()
    if len(bare) <= ADDRESS_CHARS_MAX and _PLAIN_ADDRESS.fullmatch(bare):
        return bare
    shown = _PART.sub(lambda part: _escape_part(part[0]), bare[-ADDRESS_CHARS_MAX:])
    if shown == bare:
        return bare
    return f'"{shown}"' if len(bare) <= ADDRESS_CHARS_MAX else f'"\u2026{shown}"'


def is_unusual(text: str) -> bool:
    """Return whether an address has look-alike letters, or invisible ones."""
    bare = text.strip()
    return bool(_ENCODED.search(bare)) or address(bare) != bare


def person(one: Person, *, with_address: bool = False) -> str:
    """Return a person's name, or the address if no name is visible; empty without both.

    The address stands beside the name `with_address`, and where the name reads as another
    address.
    """
    shown, where = name(one.name), address(one.address)
    if not shown or fold_address(one.name) == fold_address(one.address):
        return where
    return f"{shown} at {where}" if where and (with_address or "@" in skeleton(shown)) else shown


def person_among(one: Person, shared: frozenset[str]) -> str:
    """Return a person's name, with the address if it is a name that others bear as well."""
    return person(one, with_address=bool(shared) and name_skeleton(one.name) in shared)


def shared_names(people: Iterable[Person], owner: tuple[str, ...]) -> frozenset[str]:
    """Return the name skeletons that people of several addresses share.

    The names of the `owner` and of the roles of a chat are theirs, whether they are among the
    people or not: who bears one at another address shares it.
    """
    entities_named: dict[str, str] = {}
    shared = set()
    for one in people:
        if one.address and one.name:
            bearer, look = person_id(one), name_skeleton(one.name)
            called, addresses = _called_as(owner)
            is_namesake = look in called and fold_address(one.address) not in addresses
            if is_namesake or entities_named.setdefault(look, bearer) != bearer:
                shared.add(look)
    return frozenset(shared)


@lru_cache(maxsize=64)
def _called_as(owner: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the name skeletons of the owner and of the roles of a chat, and their addresses."""
    called = (*OWNER_NAMES, *ROLES, *(one for one in owner if "@" not in one))
    addresses = (fold_address(one) for one in owner if "@" in one)
    return frozenset(map(name_skeleton, called)), frozenset(addresses)


def name_skeleton(text: str) -> str:
    """Return the skeleton of a name without letter case: equal for names that look alike."""
    return " ".join(skeleton(text).casefold().split())


def _escape_part(part: str) -> str:
    """Return a part of an address with its look-alike letters escaped."""
    suspect = _is_look_alike(part)
    return "".join(_escape(c) if suspect or _is_odd(c) else c for c in part)


def _escape(character: str) -> str:
    if _PLAIN_ADDRESS.fullmatch(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= _BASIC_PLANE_LAST else f"\\U{code:08x}"


def _is_odd(character: str) -> bool:
    """Return whether a character is neither plain nor a letter, digit or mark of a script."""
    if _PLAIN_ADDRESS.fullmatch(character):
        return False
    if is_open(character):
        return True
    is_letter = unicodedata.category(character) in ("Ll", "Lo", "Lu", "Nd", "Mn", "Mc")
    return not is_letter or unicodedata.normalize("NFKC", character) != character


def _is_look_alike(part: str) -> bool:
    """Return whether letters of other scripts stand among Latin ones, or look like them."""
    foreign = [c for c in part if c.isalpha() and not _is_latin(c)]
    if not foreign:
        return False
    return any(map(_is_latin, part)) or all(prototype(c).isascii() for c in foreign)


def _is_latin(character: str) -> bool:
    """Return whether a letter is Latin; those that look like ASCII letters do not count."""
    if character.isascii():
        return character.isalpha()
    named = unicodedata.name(character, "").startswith(_LATIN)
    return named and (
        unicodedata.decomposition(character) != "" or prototype(character) == character
    )


ENTITIES_MAX = 10
"""How many known entities are listed (design 004 lists ten)."""

MENTIONS_MAX = 20
"""How many of the best hits are asked whether they mention a project."""

LOOK_ALIKE = "look-alike letters in the address"

LEVELS = {Trust.UNKNOWN: "unknown sender", Trust.EXTERNAL: "from outside"}
"""Said of what is less than known; nothing is said of the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _NamedPerson:
    """A person as one hit names them."""

    person: Person
    hit: Hit

    @property
    def rank(self) -> tuple[int, bool]:
        """Return the sort key of a person: trust first, then whether there is a name."""
        return TRUST_RANKS[self.hit.trust], not name(self.person.name)


def known_entities(result: SearchResult) -> list[str]:
    """Return a line for each person that the question names, and for each project.

    Who is known by name alone is left out where the same name has an address that was learned
    from somebody trusted as far.
    """
    people = _people(result)
    lines = [_person_line(one) for one in people if not _is_duplicate(one, people)]
    for entity in result.plan.entities:
        kind = entity.partition(":")[0]
        if kind in (EntityKind.PROJECT, EntityKind.ISSUE):
            lines.append(_thing_line(entity, kind, result.hits))
    return lines[:ENTITIES_MAX]


def entities_of_each(results: Iterable[tuple[str, SearchResult]]) -> tuple[str, ...]:
    """Return the known entities of each of several spaces, with its name, in their order."""
    lines = (
        f"{line} ({space_mark(space)})"
        for space, result in results
        for line in known_entities(result)
    )
    return tuple(islice(lines, ENTITIES_MAX))


def space_mark(space: str) -> str:
    """Return `space team`, which says whose an item is; empty where one space alone is asked."""
    return f"space {name(space)}" if space else ""


def _people(result: SearchResult) -> list[_NamedPerson]:
    """Return the named people, in the order of the hits, each as in the most trusted hit."""
    named = frozenset(result.plan.people)
    found: dict[str, _NamedPerson] = {}
    for hit in result.hits if named else ():
        for one in hit.item.people:
            entity, person_of_hit = person_id(one), _NamedPerson(person=one, hit=hit)
            if entity in named and (entity not in found or person_of_hit.rank < found[entity].rank):
                found[entity] = person_of_hit
    return list(found.values())


def _is_duplicate(one: _NamedPerson, people: Sequence[_NamedPerson]) -> bool:
    """Return whether another line has this person with an address."""
    if one.person.address.strip():
        return False
    return any(
        other.person.address.strip()
        and fold_name(other.person.name) == fold_name(one.person.name)
        and TRUST_RANKS[other.hit.trust] <= TRUST_RANKS[one.hit.trust]
        for other in people
    )


def _person_line(one: _NamedPerson) -> str:
    """Return `Sarah Lind (person): sarah@x.example (self-named; unknown sender)`."""
    called, where = name(one.person.name) or "unnamed", address(one.person.address)
    notes = [_name_origin(one), LEVELS.get(one.hit.trust, "")]
    if is_unusual(one.person.address):
        notes.append(LOOK_ALIKE)
    return f"{called} (person){f': {where}' if where else ''} ({'; '.join(filter(None, notes))})"


def _name_origin(one: _NamedPerson) -> str:
    """Return the origin of a person's name."""
    author = sender_of(one.hit.item)
    if author is not None and person_id(author) == person_id(one.person):
        return "self-named"
    return _origin(one.hit)


def _origin(hit: Hit) -> str:
    """Return who brought an item: its sender by address, or else by name, or the user."""
    author, kind = sender_of(hit.item), hit.item.kind
    if hit.trust is Trust.OWN:
        return f"from your own {kind}"
    where = "" if author is None else address(author.address) or name(author.name)
    return f"from {where}" if where else f"from an unsigned {kind}"


def sender_of(item: Item) -> Person | None:
    """Return who answers for an item: its author, and of what a mail brought the mail's.

    An organizer or an author that an attached file names has said nothing: its mail's sender has.
    """
    if ATTACHED_KEY not in item.metadata:
        return item.author
    sent = item.metadata.get(SENT_BY_KEY)
    addresses = {str(one) for one in sent} if isinstance(sent, list | tuple) else set()
    authors = [one for one in item.people if one.role is Role.AUTHOR]
    brought = [one for one in authors if one.address.casefold() in addresses]
    return next(iter(brought or authors[-1:]), None)  # the mail's stand last among the authors


def _thing_line(entity: str, kind: str, hits: Sequence[Hit]) -> str:
    """Return `Project Alpha (project) (from a@x.example)`, as the most trusted hit writes it."""
    best, called = None, entity.partition(":")[2]
    for hit in sorted(hits[:MENTIONS_MAX], key=lambda hit: TRUST_RANKS[hit.trust]):
        written = [one.name for one in mentions_of(hit.item) if one.entity == entity]
        if written:
            best, called = hit, written[0]
            break
    line = f"{name(called)} ({kind})"
    if best is None:
        return line
    return f"{line} ({'; '.join(filter(None, (_origin(best), LEVELS.get(best.trust, ''))))})"
