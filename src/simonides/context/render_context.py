"""The input and output of layouts: items to render, their context, and blocks.

Knows shapes only. A layout never chooses; the assembly never writes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVarTuple, Unpack

from simonides.model.brief import Form, Stage
from simonides.model.item import Item, Trust
from simonides.model.stored import Tier

Args = TypeVarTuple("Args")


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderItem:
    """One item to render: `text` is its words, raw, for the layout to escape.

    `spans` are the offsets into the item's content that `text` shows, empty for a stand-in; `why`
    the named contributions of its score.
    """

    item: Item
    score: float
    stage: Stage
    form: Form
    trust: Trust
    text: str
    tier: Tier | None = None
    spans: tuple[tuple[int, int], ...] = ()
    why: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderContext:
    """The settings of a layout: the texts around the items, and the style.

    A layout writes each part alone first, for its cost, and then all together: `cached` keeps
    what it has made before, for one brief.
    """

    request: str
    now: datetime
    timezone: str
    entities: tuple[str, ...] = ()
    headers: bool = True
    why: bool = False
    _cache: dict[object, str] = field(default_factory=dict, compare=False, repr=False)

    def cached(self, make: Callable[[Unpack[Args]], str], *args: *Args) -> str:
        """Return the cached result of a pure function of some values."""
        key = (make, *args)
        text = self._cache.get(key)
        if text is None:
            text = self._cache[key] = make(*args)
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a rendered text of whole lines.

    `part` is the place, in the sequence rendered, of the part it shows; None for what belongs to
    none (headers, separators, the request), which `name` names in the account.
    """

    name: str
    text: str
    part: int | None = None


class LayoutOf(Protocol):
    """A layout function: pure and deterministic; item text cannot forge its structure."""

    def __call__(self, parts: Sequence[RenderItem], context: RenderContext) -> tuple[Block, ...]:
        """Return the blocks of the whole text in their order; parts may be reordered."""
        ...


def text_of(blocks: Sequence[Block]) -> str:
    """Return the whole text, without the line break at its end."""
    return "".join(block.text for block in blocks).rstrip("\n")
