"""Who and what is mentioned in a space: entities are what their mentions say."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from simonides.entities.extract import folded
from simonides.model.answer import Entity
from simonides.ports.space import MentionRow


def summarise(mentions: Iterable[MentionRow], *, name: str = "") -> tuple[Entity, ...]:
    """Return the entities, most mentioned first, then by id; `name` keeps those that hold it.

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
    """Return {person by name alone: the one person with an address who bears that name}."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for entity, found in names.items():
        if entity.startswith("person:") and not entity.startswith("person:~"):
            for name in found:
                bearers[f"person:~{folded(name)}"].add(entity)
    return {
        alone: next(iter(bearers[alone]))
        for alone in list(names)
        if len(bearers.get(alone, ())) == 1
    }
