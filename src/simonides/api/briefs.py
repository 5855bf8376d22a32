"""Briefs: make, explain, replay and compare them."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

from simonides.api.arguments import SearchFields, check_is, check_texts, question
from simonides.context.briefs import (
    Budgeted,
    keep_receipt,
    list_receipts,
    make_brief,
    read_named_receipt,
    replay_receipt,
)
from simonides.context.briefs import explain as explain_brief
from simonides.context.diff import diff as compare
from simonides.context.selection import Budget
from simonides.errors import InvalidInput
from simonides.index.open_space import OpenSpace
from simonides.model.bounds import COUNT, HITS, show_value
from simonides.model.brief import (
    PRESETS,
    Brief,
    ContextConfig,
    ContextFields,
    Explained,
    Preset,
    Receipt,
    Replay,
)
from simonides.model.coercion import page_of, refuse_unknown, tuple_of
from simonides.model.receipt_diff import ReceiptDiff
from simonides.model.receipt_list import ReceiptPage


class BriefFields(SearchFields, ContextFields, total=False):
    """The keyword arguments of a brief beside question and budget.

    `spaces` are read besides the own one, within the one budget.
    """

    limit: int | None
    max_items: int | None
    spaces: Sequence[str] | None


_CONFIG = frozenset(one.name for one in fields(ContextConfig))
_KNOWN = frozenset(BriefFields.__annotations__) | {
    "budget_tokens", "budget_words", "preset", "config", "keep_receipt",
}  # fmt: skip

BUDGETS_MAX = 20
"""Briefs of other budgets that one explanation has at most."""

OWN_WORDS = {"limit": "top_k", "max_items": "items_max"}
"""The words that callers know from `search` and the command line, and the settings they mean."""


def brief(
    opened: OpenSpace, query: str, given: Mapping[str, Any], *, keeps: bool, **budget: Any
) -> Brief:
    """Return the context for a question; `keeps` keeps its receipt in the own space."""
    asked = dict(given)
    spaces = opened.with_spaces(asked.pop("spaces", None) or ())
    how = _take_budget(asked, opened, **budget)
    made = make_brief(question(query, asked, opened), how, spaces)
    if keeps:
        keep_receipt(made.receipt, opened)
    return made


def explain(
    opened: OpenSpace,
    query: str,
    given: Mapping[str, Any],
    *,
    budgets: Sequence[int] = (),
    **budget: Any,
) -> Explained:
    """Return the explanation of a brief, and the briefs of other `budgets`."""
    asked = dict(given)
    spaces = opened.with_spaces(asked.pop("spaces", None) or ())
    how = _take_budget(asked, opened, **budget)
    others = tuple_of(int, budgets, field="budgets")[: BUDGETS_MAX + 1]
    if len(others) > BUDGETS_MAX:
        raise InvalidInput("budgets", f"has more than {BUDGETS_MAX}")
    return explain_brief(question(query, asked, opened), how, spaces, others=others)


def replay(opened: OpenSpace, receipt: Receipt | str) -> Replay:
    """Return the brief of a receipt, rebuilt."""
    return replay_receipt(_check_receipt(receipt), opened)


def diff(opened: OpenSpace, before: Receipt | str, after: Receipt | str) -> ReceiptDiff:
    """Return the differences between the briefs of two receipts, with reasons."""
    return compare(
        read_named_receipt(_check_receipt(before), opened),
        read_named_receipt(_check_receipt(after), opened),
    )


def receipts(opened: OpenSpace, *, limit: int, cursor: str) -> ReceiptPage:
    """Return a page of stored receipts, last kept first, with a cursor for the next one."""
    found, more = page_of(partial(list_receipts, opened), limit=limit, cursor=cursor)
    return ReceiptPage(receipts=found, cursor=more)


def _check_receipt(receipt: Receipt | str) -> Receipt | str:
    if not isinstance(receipt, Receipt):
        check_texts(receipt, field="receipt")
    return receipt


def _take_budget(
    given: dict[str, Any],
    opened: OpenSpace,
    *,
    tokens: int | None,
    words: int | None,
    preset: str,
    config: ContextConfig | None,
) -> Budgeted:
    """Return the requested settings and budget; removes its arguments from `given`.

    Raises:
        InvalidInput: The preset is unknown, both budgets are given, or a value does not fit.
    """
    refuse_unknown(given, _KNOWN)
    if config is not None:
        check_is(config, ContextConfig, field="config")
    chosen = _preset(preset)
    own = {name: given.pop(name) for name in sorted(_CONFIG & given.keys())}
    for word, name in OWN_WORDS.items():
        own[name] = _check_count(given.pop(word, None), word=word) or own.get(name)
    set_ = {name: value for name, value in own.items() if value is not None}
    settled = replace(config or chosen.config, **set_)
    if tokens is not None and words is not None:
        raise InvalidInput("budget", "give it in tokens or in words, not in both")
    if words is not None:
        return Budgeted(
            config=settled, budget=Budget(limit=words, unit="words", reserve=settled.reserve)
        )
    limit = chosen.budget_tokens if tokens is None else tokens
    encoding = opened.settings.encoding
    return Budgeted(
        config=settled, budget=Budget(limit=limit, encoding=encoding, reserve=settled.reserve)
    )


def _check_count(given: int | None, *, word: str) -> int | None:
    """Return a count as it is; unlike a setting it is refused out of range, not clamped."""
    if given is None:
        return None
    return (HITS if word == "limit" else COUNT).check(given, field=word)


def _preset(name: str) -> Preset:
    if not isinstance(name, str) or name not in PRESETS:
        raise InvalidInput("preset", f"must be one of {', '.join(PRESETS)}; got {show_value(name)}")
    return PRESETS[name]
