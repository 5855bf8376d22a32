"""A receipt: what a brief was built from, small enough to keep with every answer."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from typing import Any

from simonides.context.token_budget import Budget
from simonides.model.answer import Diagnostics, Hit, Query
from simonides.model.brief import (
    RECEIPT_FORMAT,
    ActiveContext,
    BriefItem,
    ContextConfig,
    Receipt,
    ReceiptItem,
    Stage,
)
from simonides.model.item import short_hash
from simonides.text.surrogates import ALGORITHM, VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptContext:
    """What was settled before the question came: engine version, space, embedder, settings."""

    engine: str
    space: str
    space_uuid: str
    epoch: int
    embedder: str
    owner: tuple[str, ...] = ()
    language: str = ""


def text_hash(text: str) -> str:
    """Return 32 hexadecimal digits: BLAKE2b-128 of the text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def receipt_id(receipt: Receipt) -> str:
    """Return 26 characters made of all that a receipt says but its id."""
    said = json.dumps(replace(receipt, id=""), default=_told, skipkeys=True)
    return short_hash(said)


def _told(value: Any) -> Any:
    """Return what JSON has no form for: a record as its name and fields, a time in UTC."""
    if is_dataclass(value):
        kind: Any = type(value)
        return kind.__name__, _fields_of(kind)(value)
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else repr(value)


@cache
def _fields_of(kind: Any) -> Callable[[Any], Any]:
    return attrgetter(*(one.name for one in fields(kind)))


def receipt_of(
    made: ActiveContext,
    *,
    query: Query,
    budget: Budget,
    config: ContextConfig,
    settled: ReceiptContext,
    entities: tuple[str, ...],
    diagnostics: Diagnostics,
    hits: Sequence[Hit],
) -> Receipt:
    """Return the receipt of a context that was made of `hits`."""
    found = {hit.id: hit for hit in hits}
    receipt = Receipt(
        id="",
        format=RECEIPT_FORMAT,
        engine=settled.engine,
        space=settled.space,
        space_uuid=settled.space_uuid,
        revision=diagnostics.revision,
        epoch=settled.epoch,
        query=query.text,
        now=query.now,
        timezone=query.timezone,
        limit=query.limit,
        mode=query.mode,
        mode_used=diagnostics.mode_used,
        scorer=query.scorer,
        filter=query.filter,
        session_id=query.session_id,
        min_score=query.min_score,
        as_of=query.as_of,
        budget=budget.limit,
        unit=budget.unit,
        encoding=budget.encoding,
        config=config,
        embedder=settled.embedder,
        owner=settled.owner,
        language=settled.language,
        items=tuple(_receipt_item(one, found[one.id], why=config.why) for one in made.items),
        dropped=tuple((one.id, one.reason) for one in made.dropped),
        entities=entities,
        surrogates=_surrogates(made, config),
        text_hash=text_hash(made.text),
    )
    return replace(receipt, id=receipt_id(receipt))


def _receipt_item(item: BriefItem, hit: Hit, *, why: bool) -> ReceiptItem:
    """Return how an item is shown; the parts of its score if the text tells them."""
    parts = hit.explanation.contributions if why else ()
    return ReceiptItem(
        id=item.id, version=item.version, revision=hit.item.revision, score=item.score,
        stage=item.stage, form=item.form, trust=item.trust, tier=item.tier, spans=item.spans,
        why=tuple((one.name, one.value) for one in parts),
    )  # fmt: skip


def _surrogates(made: ActiveContext, config: ContextConfig) -> str:
    """Return what made the stand-ins that are shown, as `extractive 1`; empty if there are none."""
    if not any(item.stage is Stage.SURROGATE for item in made.items):
        return ""
    return extractive() if config.surrogates == ALGORITHM else config.surrogates


def extractive() -> str:
    """Return the algorithm and version of the stand-ins that this engine makes itself."""
    return f"{ALGORITHM} {VERSION}"
