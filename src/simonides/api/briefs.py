"""The verbs on briefs: make, explain, build again from a receipt, keep receipts, compare them.

Brings together the search, the reader and the room `context`; decides nothing itself.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from simonides.api.arguments import check_is, check_texts
from simonides.api.fields import BriefFields
from simonides.config import Settings
from simonides.context.assemble import assemble, candidates_of
from simonides.context.diff import diff
from simonides.context.receipt import CurrentState, ReceiptContext, replay
from simonides.context.token_budget import Budget
from simonides.errors import InvalidInput, NotFound
from simonides.model.answer import Query, SearchResult
from simonides.model.bounds import COUNT, HITS, shown
from simonides.model.brief import (
    PRESETS,
    Brief,
    ContextConfig,
    Explained,
    Preset,
    Receipt,
    ReceiptDiff,
    Replay,
)
from simonides.model.coercion import refuse_unknown
from simonides.version import __version__

if TYPE_CHECKING:
    from simonides.ports.embedder import Clock
    from simonides.ports.space import Reader, Space

MORE = 200
"""How much larger a budget (in its own unit) an explanation tries, to tell what would come in."""

_CONFIG = frozenset(one.name for one in fields(ContextConfig))
_KNOWN = frozenset(BriefFields.__annotations__) | {
    "budget_tokens", "budget_words", "preset", "config", "keep_receipt",
}  # fmt: skip

Ask = Callable[[str, dict[str, Any]], Query]
Search = Callable[[Query], SearchResult]
Reading = Callable[[], AbstractContextManager["Space | None"]]
Writing = Callable[[], "Space"]


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
    writing: Writing

    def brief(self, query: str, budgeted: Budgeted, arguments: dict[str, Any]) -> Brief:
        """Return the context for a question."""
        return self._brief(query, budgeted, arguments)

    def explain(self, query: str, budgeted: Budgeted, arguments: dict[str, Any]) -> Explained:
        """Return a brief with its search, and what would be in it with a larger budget.

        One search serves both: a score does not depend on how many hits are asked for.
        """
        limit = budgeted.budget.limit
        larger = replace(budgeted, budget=replace(budgeted.budget, limit=limit + MORE))
        asked, more = self._asked(query, budgeted, arguments), self._asked(query, larger, arguments)
        wide = self.search(replace(asked, limit=max(asked.limit, more.limit)))
        result = replace(wide, hits=wide.hits[: asked.limit])
        with self._looking() as (settled, reader):
            made = self._assembled(result, asked, budgeted, settled=settled, reader=reader)
            loose = self._assembled(wide, more, larger, settled=settled, reader=reader)
        shown = {item.id for item in made.items}
        return Explained(
            result=result,
            brief=made,
            more=MORE,
            more_items=tuple(item for item in loose.items if item.id not in shown),
        )

    def _brief(self, query: str, budgeted: Budgeted, arguments: dict[str, Any]) -> Brief:
        asked = self._asked(query, budgeted, arguments)
        result = self.search(asked)
        with self._looking() as (settled, reader):
            return self._assembled(result, asked, budgeted, settled=settled, reader=reader)

    def _asked(self, query: str, budgeted: Budgeted, arguments: dict[str, Any]) -> Query:
        limit = candidates_of(budgeted.config, limit=budgeted.budget.limit)
        return self.ask(query, {**arguments, "limit": limit})

    def _assembled(
        self,
        result: SearchResult,
        asked: Query,
        budgeted: Budgeted,
        *,
        settled: ReceiptContext,
        reader: "Reader | None",
    ) -> Brief:
        return assemble(
            result, query=asked, budget=budgeted.budget, config=budgeted.config,
            settled=settled, reader=reader,
        )  # fmt: skip

    @contextmanager
    def _looking(self) -> "Iterator[tuple[ReceiptContext, Reader | None]]":
        """Open the space and say how things stand there; None where nothing was ever written."""
        with self.reading() as space:
            if space is None:
                yield self._settled(space_uuid="", epoch=0), None
                return
            with space.read() as reader:
                yield self._settled(space_uuid=space.uuid, epoch=reader.epoch), reader

    def _settled(self, *, space_uuid: str, epoch: int) -> ReceiptContext:
        return ReceiptContext(
            engine=__version__, space=self.space, space_uuid=space_uuid, epoch=epoch,
            embedder=self.embedder, owner=self.settings.owner, language=self.settings.language,
        )  # fmt: skip

    def keep(self, made: Brief) -> None:
        """Keep the receipt of a brief in the space, to be replayed by its id.

        That is a write: the space comes into being with it, if with nothing else before.
        """
        from simonides.codec.write import to_line

        receipt = made.receipt
        self.writing().keep_receipt(receipt.id, to_line(receipt), at=self.clock())

    def given(self, receipt: Receipt | str) -> Receipt:
        """Return a receipt as it is, or the one that a JSON text or the id of a kept one names.

        Raises:
            NotFound: No receipt has that id.
            InvalidInput: The JSON is no receipt.
        """
        if isinstance(receipt, Receipt):
            return receipt
        from simonides.codec.receipt import read_receipt

        check_texts(receipt, field="receipt")
        return read_receipt(receipt if receipt.lstrip().startswith("{") else self._kept(receipt))

    def _kept(self, receipt_id: str) -> str:
        with self.reading() as space:
            if space is not None:
                with space.read() as reader:
                    text = reader.receipt(receipt_id)
                if text is not None:
                    return text
        raise NotFound("receipt", receipt_id)

    def replay(self, receipt: Receipt | str) -> Replay:
        """Return the brief of a receipt, built again."""
        made = self.given(receipt)
        with self._looking() as (settled, reader):
            today = CurrentState(
                engine=settled.engine, space_uuid=settled.space_uuid, epoch=settled.epoch,
                embedder=settled.embedder,
            )  # fmt: skip
            return replay(made, reader=reader, today=today)

    def diff(self, before: Receipt | str, after: Receipt | str) -> ReceiptDiff:
        """Return why the briefs of two receipts differ."""
        return diff(self.given(before), self.given(after))


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
    refuse_unknown(arguments, _KNOWN)
    if config is not None:
        check_is(config, ContextConfig, field="config")
    chosen = _preset(preset)
    own = {name: arguments.pop(name) for name in sorted(_CONFIG & arguments.keys())}
    for word, name in OWN_WORDS.items():
        own[name] = _counted(arguments.pop(word, None), word=word) or own.get(name)
    settled = replace(config or chosen.config, **_given(own))
    if tokens is not None and words is not None:
        raise InvalidInput("budget", "give it in tokens or in words, not in both")
    if words is not None:
        budget = Budget(limit=words, unit="words", reserve=settled.reserve)
    else:
        limit = chosen.budget_tokens if tokens is None else tokens
        budget = Budget(limit=limit, encoding=settings.encoding, reserve=settled.reserve)
    return Budgeted(config=settled, budget=budget)


OWN_WORDS = {"limit": "top_k", "max_items": "items_max"}
"""The words that callers know from `search` and the command line, and the settings they mean."""


def _counted(given: int | None, *, word: str) -> int | None:
    """Return a count as it is; unlike a setting it is refused out of range, not clamped."""
    if given is None:
        return None
    return (HITS if word == "limit" else COUNT).check(given, field=word)


def _preset(name: str) -> Preset:
    if not isinstance(name, str) or name not in PRESETS:
        raise InvalidInput("preset", f"must be one of {', '.join(PRESETS)}; got {shown(name)}")
    return PRESETS[name]


def _given(own: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in own.items() if value is not None}
