"""Hits and answers as a search would give them, without a search."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from simonides.context.receipt import ReceiptContext
from simonides.model.answer import (
    Contribution,
    Diagnostics,
    Explanation,
    Hit,
    Mode,
    Plan,
    Query,
    Scorer,
    SearchResult,
)
from simonides.model.compose import compose
from simonides.model.item import Trust

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


def _hit(
    content: str = "",
    *,
    score: float = 1.0,
    passage: str = "",
    trust: Trust = Trust.OWN,
    stored_at: datetime | None = None,
    **fields: Any,
) -> Hit:
    explanation = Explanation(
        contributions=(Contribution(name="lexical", value=score),), lanes=("lexical",)
    )
    item = replace(compose(content, **fields), stored_at=stored_at)
    return Hit(item=item, score=score, explanation=explanation, passage=passage, trust=trust)


def _result(hits: Sequence[Hit], **plan: Any) -> SearchResult:
    diagnostics = Diagnostics(
        revision=7, mode_requested=Mode.HYBRID, mode_used=Mode.TEXT, scorer=Scorer.FUSED
    )
    return SearchResult(hits=tuple(hits), plan=Plan(**plan), diagnostics=diagnostics)


@pytest.fixture
def hit() -> Callable[..., Hit]:
    """Return a maker of hits: the fields of an item and those of a hit."""
    return _hit


@pytest.fixture
def result() -> Callable[..., SearchResult]:
    """Return a maker of answers: the hits, and fields of the plan."""
    return _result


@pytest.fixture
def query() -> Query:
    """Return one question."""
    return Query(text="when is Alpha due?", now=NOW)


@pytest.fixture
def receipt_context() -> ReceiptContext:
    """Return what is settled before the question."""
    return ReceiptContext(
        engine="0.1.0", space="alice", space_uuid="uuid", epoch=3, embedder="none"
    )
