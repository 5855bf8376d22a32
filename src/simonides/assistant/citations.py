"""Citations: items are numbered where a model reads them, and what it cites is checked.

The numbers of a turn begin with its context, in its order; what tools find goes on from there.
Knows the form of the `sourced` layout; must not know how a model is asked.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from simonides.context.layouts import (
    CONTEXT_HEADER,
    ENTITIES_HEADER,
    REQUEST_HEADER,
    SEPARATOR,
)
from simonides.model.answer import ItemKey
from simonides.model.chat import Citation
from simonides.model.item import Item
from simonides.model.metadata_keys import CITATIONS_KEY
from simonides.text.word_patterns import lazy_pattern

NUMBER_TOKENS = 6
"""About the most tokens that a number takes beside an item."""

_CITED = lazy_pattern(r"\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]")
_NUMBER = lazy_pattern(r"\[?(\d+)\]?")


def reference(key: ItemKey, *, own: str) -> str:
    """Return the citation key of an item: its id, behind the space that is not `own`."""
    space, item_id = key
    return item_id if space in ("", own) else f"{space}\n{item_id}"


def resolve_key(referred: str, *, spaces: Iterable[str]) -> ItemKey:
    """Return the space and the id of what is known so; the space is empty for the own one.

    Only the given spaces count: an item of one that is not asked any more is nobody's.
    """
    space, is_shared, item_id = referred.partition("\n")
    return (space, item_id) if is_shared and space in spaces else ("", referred)


class Numbers:
    """The numbers of the items of one turn, from 1 on, in the order in which they are shown."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._ids = list(dict.fromkeys(ids))
        self._numbers = {item: number for number, item in enumerate(self._ids, start=1)}

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the items, in the order of their numbers."""
        return tuple(self._ids)

    def of(self, item_id: str) -> int:
        """Return the number of an item: its own, or the next one."""
        if item_id not in self._numbers:
            self._ids.append(item_id)
            self._numbers[item_id] = len(self._ids)
        return self._numbers[item_id]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What an answer cites: the items that were shown, and the numbers that nothing has."""

    citations: tuple[Citation, ...] = ()
    unknown: tuple[int, ...] = ()


def citations_metadata(citations: Iterable[Citation]) -> dict[str, Any]:
    """Return the metadata that keep the citations of an answer with it; none without any."""
    kept = [[one.number, one.id, list(map(list, one.spans))] for one in citations]
    return {CITATIONS_KEY: kept} if kept else {}


def citations_of(answer: Item) -> tuple[Citation, ...]:
    """Return the citations that are kept with an answer; metadata of another form have none."""
    kept = answer.metadata.get(CITATIONS_KEY)
    try:
        return tuple(
            Citation(
                number=int(n), id=str(item_id), spans=tuple((int(a), int(b)) for a, b in spans)
            )
            for n, item_id, spans in kept or ()
        )
    except (TypeError, ValueError):
        return ()


def number_items(text: str, *, count: int) -> str:
    """Return the context of a prompt with a number before each of its `count` items.

    A text of another form stays as it is: no number is better than a wrong one.
    """
    lines, number, is_head = text.split("\n"), 0, False
    for place, line in enumerate(lines):
        if line in (ENTITIES_HEADER, REQUEST_HEADER):
            break
        if line in (CONTEXT_HEADER, SEPARATOR):
            is_head = True
        elif is_head:
            number, is_head = number + 1, False
            lines[place] = f"[{number}] {line}"
    return "\n".join(lines) if number == count else text


def find_cited(text: str) -> Iterator[re.Match[str]]:
    """Yield each number that a text cites, with the brackets beside it: `[1, 2]` cites two."""
    for cited in _CITED.finditer(text):
        yield from _NUMBER.finditer(text, *cited.span())


def check_citations(answer: str, shown: tuple[str, ...]) -> Checked:
    """Return the citations of an answer, each once, in the order of its words.

    `shown` are the ids in the order of their numbers.
    """
    said = dict.fromkeys(int(one[1]) for one in find_cited(answer))
    known = [number for number in said if 0 < number <= len(shown)]
    return Checked(
        citations=tuple(Citation(number=number, id=shown[number - 1]) for number in known),
        unknown=tuple(number for number in said if number not in known),
    )
