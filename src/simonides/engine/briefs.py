"""The verbs on briefs: make one, build it again from its receipt, keep its receipt, explain it.

Brings together the search, the reader and the room `context`; decides nothing itself.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from simonides.config import Settings
from simonides.context.assemble import assemble, candidates_of
from simonides.context.build import build_active_context
from simonides.context.measure import Budget
from simonides.context.receipt import Settled
from simonides.context.replay import Today, replay
from simonides.errors import InvalidInput, NotFound
from simonides.model.answer import Query, SearchResult
from simonides.model.brief import (
    PRESETS,
    Brief,
    ContextConfig,
    Explained,
    Preset,
    Receipt,
    Replay,
)
from simonides.version import __version__

if TYPE_CHECKING:
    from simonides.ports import Clock, Space

MORE_TOKENS = 200
"""How much larger a budget an explanation tries, to tell what would come in."""

_CONFIG = frozenset(one.name for one in fields(ContextConfig))

Ask = Callable[[str, dict[str, Any]], Query]
Search = Callable[[Query], SearchResult]
Reading = Callable[[], AbstractContextManager["Space | None"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgeted:
    """How a brief is to be made: its settings and its budget."""

    config: ContextConfig
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefs:
    """The verbs on the briefs of one space."""

    space: str
    settings: Settings
    embedder: str
    clock: "Clock"
    ask: Ask
    search: Search
    reading: Reading

    def brief(self, query: str, budgeted: Budgeted, arguments: dict[str, Any]) -> Brief:
        """Return the context for a question."""
        return self._brief(query, budgeted, arguments)[1]

    def explain(self, query: str, budgeted: Budgeted, arguments: dict[str, Any]) -> Explained:
        """Return a brief with its search, and what would be in it with a larger budget."""
        result, made = self._brief(query, budgeted, arguments)
        larger = replace(budgeted.budget, limit=budgeted.budget.limit + MORE_TOKENS)
        more = build_active_context(
            result.hits, larger, budgeted.config, now=made.receipt.now, query=query,
            timezone=made.receipt.timezone, entities=made.receipt.entities,
        )  # fmt: skip
        shown = {item.id for item in made.items}
        return Explained(
            result=result,
            brief=made,
            more=MORE_TOKENS,
            more_items=tuple(item for item in more.items if item.id not in shown),
        )

    def _brief(
        self, query: str, budgeted: Budgeted, arguments: dict[str, Any]
    ) -> tuple[SearchResult, Brief]:
        config, budget = budgeted.config, budgeted.budget
        limit = candidates_of(config, limit=budget.limit)
        asked = self.ask(query, {**arguments, "limit": limit})
        result = self.search(asked)
        with self.reading() as space:
            if space is None:
                settled = self._settled(space_uuid="", epoch=0)
                return result, assemble(
                    result, query=asked, budget=budget, config=config, settled=settled, reader=None
                )
            with space.read() as reader:
                settled = self._settled(space_uuid=space.uuid, epoch=reader.epoch)
                return result, assemble(
                    result, query=asked, budget=budget, config=config, settled=settled,
                    reader=reader,
                )  # fmt: skip

    def _settled(self, *, space_uuid: str, epoch: int) -> Settled:
        return Settled(
            engine=__version__, space=self.space, space_uuid=space_uuid, epoch=epoch,
            embedder=self.embedder,
        )  # fmt: skip

    def keep(self, made: Brief) -> None:
        """Keep the receipt of a brief in the space, to be replayed by its id."""
        from simonides.wire.write import to_line

        with self.reading() as space:
            if space is not None:
                receipt = made.receipt
                space.keep_receipt(receipt.id, to_line(receipt), at=self.clock())

    def kept(self, receipt_id: str) -> Receipt:
        """Return a receipt that was kept.

        Raises:
            NotFound: No receipt has that id.
        """
        from simonides.wire.receipt import read_receipt

        with self.reading() as space:
            if space is not None:
                with space.read() as reader:
                    text = reader.receipt(receipt_id)
                if text is not None:
                    return read_receipt(text)
        raise NotFound("receipt", receipt_id)

    def replay(self, receipt: Receipt) -> Replay:
        """Return the brief of a receipt, built again.

        Raises:
            NotFound: Nothing was ever written to the space.
        """
        with self.reading() as space:
            if space is None:
                raise NotFound("space", self.space)
            with space.read() as reader:
                today = Today(
                    engine=__version__, space_uuid=space.uuid, epoch=reader.epoch,
                    embedder=self.embedder,
                )  # fmt: skip
                return replay(receipt, reader=reader, today=today)


def budgeted(
    arguments: dict[str, Any],
    *,
    settings: Settings,
    tokens: int | None,
    words: int | None,
    preset: str,
    config: ContextConfig | None,
) -> Budgeted:
    """Return the settings and the budget that are asked for; takes its part out of `arguments`.

    Raises:
        InvalidInput: The preset is unknown, both budgets are given, or a value does not fit.
    """
    chosen = _preset(preset)
    own = {name: arguments.pop(name) for name in sorted(_CONFIG & arguments.keys())}
    settled = replace(config or chosen.config, **_given(own))
    if tokens is not None and words is not None:
        raise InvalidInput("budget", "give it in tokens or in words, not in both")
    if words is not None:
        budget = Budget(limit=words, unit="words", reserve=settled.reserve)
    else:
        limit = chosen.budget_tokens if tokens is None else tokens
        budget = Budget(limit=limit, encoding=settings.encoding, reserve=settled.reserve)
    return Budgeted(config=settled, budget=budget)


def _preset(name: str) -> Preset:
    if name not in PRESETS:
        raise InvalidInput("preset", f"must be one of {', '.join(PRESETS)}; got {name!r}")
    return PRESETS[name]


def _given(own: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in own.items() if value is not None}
