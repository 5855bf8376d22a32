"""Who and what a question names, as the hits know it: a line each, with who said so.

A display name is what its sender wrote. So each line says from whose item its name was learned,
and how far that one is trusted where it is less than known; of several the most trusted is shown.
Knows hits and the plan of a question. Must not know layouts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from simonides.context.names import address, is_unusual, name
from simonides.entities.extract import folded, mentions_of, person_id
from simonides.model.answer import Hit, SearchResult
from simonides.model.item import Person, Trust
from simonides.model.stored import EntityKind

ENTITIES_MAX = 10
"""How many known entities are listed (seed 004 lists ten)."""

MENTIONS_MAX = 20
"""How many of the best hits are asked whether they mention a project."""

LOOK_ALIKE = "look-alike letters in the address"

LEVELS = {Trust.UNKNOWN: "unknown sender", Trust.EXTERNAL: "from outside"}
"""Said of what is less than known; nothing is said of the rest."""

_RANKS = {trust: rank for rank, trust in enumerate(Trust)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Learned:
    """A person as one hit names them."""

    person: Person
    hit: Hit

    @property
    def rank(self) -> tuple[int, bool]:
        """Return the sort key of a person: trust first, then whether there is a name."""
        return _RANKS[self.hit.trust], not name(self.person.name)


def known_entities(result: SearchResult) -> list[str]:
    """Return a line for each person the question names, as the hits know them, and each project.

    Who is known by name alone is left out where the same name has an address that was learned
    from somebody trusted as far.
    """
    people = _people(result)
    lines = [_person_line(one) for one in people if not _is_told(one, people)]
    for entity in result.plan.entities:
        kind, _, called = entity.partition(":")
        if kind in (EntityKind.PROJECT, EntityKind.ISSUE):
            lines.append(f"{name(called)} ({kind}){_of_mention(entity, result.hits)}")
    return lines[:ENTITIES_MAX]


def _people(result: SearchResult) -> list[_Learned]:
    """Return the people named, in the order of the hits, each as the most trusted hit has them."""
    named = frozenset(result.plan.people)
    found: dict[str, _Learned] = {}
    for hit in result.hits if named else ():
        for one in hit.item.people:
            entity, learned = person_id(one), _Learned(person=one, hit=hit)
            if entity in named and (entity not in found or learned.rank < found[entity].rank):
                found[entity] = learned
    return list(found.values())


def _is_told(one: _Learned, people: Sequence[_Learned]) -> bool:
    """Return whether a person known by name alone stands in another line with an address."""
    if one.person.address.strip():
        return False
    return any(
        other.person.address.strip()
        and folded(other.person.name) == folded(one.person.name)
        and _RANKS[other.hit.trust] <= _RANKS[one.hit.trust]
        for other in people
    )


def _person_line(one: _Learned) -> str:
    """Return `Sarah Lind (person): sarah@x.example (self-named; unknown sender)`."""
    called, where = name(one.person.name) or "unnamed", address(one.person.address)
    notes = [_namer(one), LEVELS.get(one.hit.trust, "")]
    if is_unusual(one.person.address):
        notes.append(LOOK_ALIKE)
    return f"{called} (person){f': {where}' if where else ''} ({'; '.join(filter(None, notes))})"


def _namer(one: _Learned) -> str:
    """Return from whom a person's name was learned."""
    author = one.hit.item.author
    if author is not None and person_id(author) == person_id(one.person):
        return "self-named"
    return _origin(one.hit)


def _origin(hit: Hit) -> str:
    """Return whose item it is: its author's by address, or else by name, or the user's own."""
    author, kind = hit.item.author, hit.item.kind
    if hit.trust is Trust.OWN:
        return f"from your own {kind}"
    where = "" if author is None else address(author.address) or name(author.name)
    return f"from {where}" if where else f"from an unsigned {kind}"


def _of_mention(entity: str, hits: Sequence[Hit]) -> str:
    """Return in parentheses who mentions a project, the most trusted of the best hits."""
    telling = [hit for hit in hits[:MENTIONS_MAX] if _mentions(entity, hit)]
    if not telling:
        return ""
    best = min(telling, key=lambda hit: _RANKS[hit.trust])
    return f" ({'; '.join(filter(None, (_origin(best), LEVELS.get(best.trust, ''))))})"


def _mentions(entity: str, hit: Hit) -> bool:
    return any(mention.entity == entity for mention in mentions_of(hit.item))
