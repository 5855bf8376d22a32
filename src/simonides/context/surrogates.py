"""The stand-ins of items: those stored, and where none is, the same made on the spot.

What is stored is derived: an extractive stand-in that is missing is made from the item, with the
same words, so that a brief does not depend on what was built ahead. Those written by a model are
served only where they are stored.
"""

from collections.abc import Sequence

from simonides.model.brief import ContextConfig
from simonides.model.item import Item, digest
from simonides.model.stored import Surrogate, Tier
from simonides.ports.space import Reader
from simonides.text.surrogates import ALGORITHM, VERSION, SurrogateTexts, cut, surrogate_texts
from simonides.text.tokens import count

CHARS_MIN = 400
"""A shorter content needs no stand-in: it costs about as much as one of tier `full`."""

LOOKED_AT = 4
"""For each place there is, so many candidates are looked at: the others are snippets."""


def surrogates_of(
    items: Sequence[Item], *, reader: Reader, config: ContextConfig
) -> dict[str, Surrogate]:
    """Return the surrogates by id of the best items that are long enough to have one."""
    first = [item for item in items if len(item.content) >= CHARS_MIN]
    found: dict[str, Surrogate] = {}
    for item in first[: LOOKED_AT * config.surrogates_max]:
        one = stored_surrogate(item, reader=reader, algorithm=config.surrogates)
        if one is None and config.surrogates == ALGORITHM:
            one = extractive_surrogate(item)
        if one is not None:
            found[item.id] = one
    return found


def stored_surrogate(item: Item, *, reader: Reader, algorithm: str = ALGORITHM) -> Surrogate | None:
    """Return the stored surrogate of an item, if it belongs to the present version."""
    keys = reader.keys([item.id])
    found = reader.surrogates(keys, algorithm=algorithm)
    one = next(iter(found.values()), None)
    if one is None or one.source_hash != digest(item):
        return None
    return one if algorithm != ALGORITHM or one.version == VERSION else None


def extractive_surrogate(item: Item, *, key: int = 0) -> Surrogate:
    """Return the extractive surrogate of an item; `key` is its version's in the store."""
    return surrogate(item, extractive_texts(item), key=key, algorithm=ALGORITHM, version=VERSION)


def extractive_texts(item: Item) -> SurrogateTexts:
    """Return the texts of an item's extractive surrogate."""
    return surrogate_texts(item.content, title=item.title)


def surrogate(
    item: Item, texts: SurrogateTexts, *, key: int, algorithm: str, version: int
) -> Surrogate:
    """Return the surrogate record of exactly this version of an item."""
    return Surrogate(
        item_key=key, algorithm=algorithm, version=version, source_hash=digest(item),
        full=texts.full, gist=texts.gist, micro=texts.micro,
    )  # fmt: skip


def tier_text(surrogate: Surrogate, tier: Tier, *, tokens_max: int, encoding: str) -> str:
    """Return the words of a tier; more than `tokens_max` are cut after a word, marked by `…`."""
    text: str = getattr(surrogate, tier.value).strip()
    if count(text, encoding) <= tokens_max:
        return text
    return cut(text, tokens_max, encoding).strip()
