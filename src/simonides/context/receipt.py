"""Receipts: the inputs of a brief, and the same brief rebuilt from them.

A receipt is small enough to keep with every answer. It says which version of which item was shown,
and which characters of it; the space, present and archive, still has them unless they were erased
or compacted away. A replay never searches: scores of today could not be those of then.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from typing import Any

from simonides.context.brief import brief_blocks_by_section
from simonides.context.labels import (
    NO_ROOM,
    RenderContext,
    RenderItem,
    text_of,
)
from simonides.context.layouts import LAYOUTS
from simonides.context.names import space_mark
from simonides.context.selection import Budget
from simonides.context.summary_level import extractive_surrogate, find_surrogate, tier_text
from simonides.errors import InvalidInput
from simonides.model.answer import Diagnostics, Hit, Query
from simonides.model.brief import (
    RECEIPT_FORMAT,
    RECEIPT_FORMAT_BY_SECTION,
    RECEIPT_FORMATS,
    ActiveContext,
    BriefItem,
    ContextConfig,
    Form,
    Layout,
    Receipt,
    ReceiptItem,
    ReceiptSpace,
    Replay,
    Stage,
)
from simonides.model.item import Item, short_hash
from simonides.model.result import fields_said
from simonides.model.stored import Surrogate, Tier
from simonides.ports.space import Reader
from simonides.text.excerpt import join_spans
from simonides.text.surrogates import ALGORITHMS, VERSION
from simonides.text.tokens import count


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptContext:
    """The circumstances of a brief: engine version, space, embedder, settings."""

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
    """Return 26 characters derived from all fields of a receipt but its id."""
    content = json.dumps(replace(receipt, id=""), default=_json_default, skipkeys=True)
    return short_hash(content)


def _json_default(value: Any) -> Any:
    """Return a value that JSON lacks: a record as its name and fields, a time in UTC."""
    if is_dataclass(value):
        return type(value).__name__, _fields_of(tuple(fields_said(value)))(value)
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else repr(value)


@cache
def _fields_of(names: tuple[str, ...]) -> Callable[[Any], Any]:
    return attrgetter(*names)


def receipt_of(
    built: ActiveContext,
    *,
    query: Query,
    budget: Budget,
    config: ContextConfig,
    receipt_context: ReceiptContext,
    entities: tuple[str, ...],
    background: str,
    nothing: str,
    diagnostics: Diagnostics,
    hits: Sequence[Hit],
    spaces: tuple[ReceiptSpace, ...] = (),
) -> Receipt:
    """Return the receipt of a context from `hits`, of one space or of several."""
    found = {hit.key: hit for hit in hits}
    receipt = Receipt(
        id="",
        format=RECEIPT_FORMAT,
        engine=receipt_context.engine,
        space=receipt_context.space,
        space_uuid=receipt_context.space_uuid,
        revision=diagnostics.revision,
        epoch=receipt_context.epoch,
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
        min_relevance=query.min_relevance,
        as_of=query.as_of,
        budget=budget.limit,
        unit=budget.unit,
        encoding=budget.encoding,
        config=config,
        embedder=receipt_context.embedder,
        owner=receipt_context.owner,
        language=receipt_context.language,
        items=tuple([_receipt_item(one, found[one.key], why=config.why) for one in built.items]),
        dropped=tuple([(one.id, one.reason) for one in built.dropped]),
        entities=entities,
        background=background,
        nothing=nothing,
        surrogates=_surrogates(built, config),
        text_hash=text_hash(built.text),
        spaces=spaces,
        dropped_spaces=tuple(one.space for one in built.dropped) if spaces else (),
        ignore=query.ignore,
    )
    return replace(receipt, id=receipt_id(receipt))


def _receipt_item(item: BriefItem, hit: Hit, *, why: bool) -> ReceiptItem:
    """Return the record of a shown item, with the parts of its score if they are shown."""
    parts = hit.explanation.contributions if why else ()
    return ReceiptItem(
        id=item.id, version=item.version, revision=hit.item.revision, score=item.score,
        stage=item.stage, form=item.form, trust=item.trust, tier=item.tier, spans=item.spans,
        why=tuple((one.name, one.value) for one in parts) if parts else (), space=item.space,
        replaces=tuple(one.happened_at for one in hit.replaces) if hit.replaces else (),
        replaced_on=hit.replaced_by.happened_at if hit.replaced_by else None,
        takes_place_at=hit.takes_place_at,
    )  # fmt: skip


def _surrogates(built: ActiveContext, config: ContextConfig) -> str:
    """Return the algorithm of the shown surrogates, as `extractive 1`; empty if there are none."""
    if not any(item.stage is Stage.SURROGATE for item in built.items):
        return ""
    return extractive(config) if config.surrogates in ALGORITHMS else config.surrogates


def extractive(config: ContextConfig) -> str:
    """Return the algorithm and version of the engine's own surrogates."""
    return f"{config.surrogates} {VERSION}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentState:
    """The present circumstances, compared with the receipt if the text differs."""

    engine: str
    space_uuid: str
    epoch: int
    embedder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """A space as it is now; `reader` is None where it is not there."""

    state: CurrentState
    reader: Reader | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Missing:
    """The reason why an item cannot be shown again, as a sentence."""

    problem: str


def replay(
    receipt: Receipt,
    *,
    reader: Reader | None,
    today: CurrentState,
    others: Mapping[str, Today] | None = None,
) -> Replay:
    """Return the rebuilt brief of a receipt, or what is missing and has changed.

    The text is empty where an item is missing: a brief with holes would be another brief. `reader`
    is None where the space is not there. `others` are the further ones of several spaces.

    Raises:
        InvalidInput: The receipt is of another format, or of another space.
    """
    others = others or {}
    _check(receipt, today)
    for one in receipt.spaces[1:]:
        _check_space(one.space, one.space_uuid, others[one.space].state)
    readers = {name: one.reader for name, one in others.items()}
    found = [
        _part(one, receipt=receipt, reader=readers.get(one.space, reader)) for one in receipt.items
    ]
    missing = [one.problem for one in found if isinstance(one, _Missing)]
    parts = [one for one in found if isinstance(one, RenderItem)]
    text = "" if missing else _render(receipt, parts)
    exact = not missing and text_hash(text) == receipt.text_hash
    changes = (*_changes(receipt, today, is_whole=not missing), *_changes_of(receipt, others))
    changed = () if exact else (*missing, *changes)
    return Replay(
        receipt_id=receipt.id,
        exact=exact,
        text=text,
        tokens=count(text, receipt.encoding) if receipt.unit == "tokens" else len(text.split()),
        changed=tuple(changed),
    )


def _check(receipt: Receipt, today: CurrentState) -> None:
    """Raise `InvalidInput` for a receipt of another format or space; an empty brief fits any."""
    if receipt.format not in RECEIPT_FORMATS:
        problem = f"has format {receipt.format}, this engine reads {RECEIPT_FORMAT}"
        raise InvalidInput("receipt", f"{problem}; use the simonides that wrote it")
    _check_space(receipt.space, receipt.space_uuid, today)


def _check_space(space: str, space_uuid: str, today: CurrentState) -> None:
    if space_uuid and space_uuid != today.space_uuid:
        problem = f"is of another space ({space!r} as it was then); name it with its home"
        raise InvalidInput("receipt", problem)


def _part(one: ReceiptItem, *, receipt: Receipt, reader: Reader | None) -> RenderItem | _Missing:
    item = None if reader is None else reader.version(one.id, one.version)
    if reader is None or item is None or item.revision != one.revision:
        return _Missing(problem=_say_missing(one, item, reader=reader))
    text = _text(one, item, receipt=receipt, reader=reader)
    if text is None:
        problem = f"the stand-in of item {one.id} (version {one.version}) by {receipt.surrogates}"
        return _Missing(problem=f"{problem} is not kept any more")
    return RenderItem(
        item=item, score=one.score, stage=one.stage, form=one.form, trust=one.trust, text=text,
        tier=one.tier, spans=one.spans, why=one.why, space=one.space, replaces=one.replaces,
        replaced_on=one.replaced_on, takes_place_at=one.takes_place_at,
    )  # fmt: skip


def _say_missing(one: ReceiptItem, found: Item | None, *, reader: Reader | None) -> str:
    """Return a sentence on a version that is missing or different."""
    named = f"version {one.version} of item {one.id}"
    if one.space:
        named = f"{named} ({space_mark(one.space)})"
    if found is not None:
        anew = f"another one of that number was kept at revision {found.revision}"
        return f"{named} (of revision {one.revision}) was erased, and {anew}"
    present = None if reader is None else reader.item(one.id)
    if present is None:
        return f"{named} was erased, or compacted away; nothing of that id is there"
    return f"{named} was erased, or compacted away; version {present.version} is there now"


def _text(one: ReceiptItem, item: Item, *, receipt: Receipt, reader: Reader) -> str | None:
    if one.stage is Stage.SURROGATE and one.tier is not None:
        return _surrogate_text(item, one.tier, receipt=receipt, reader=reader)
    if one.form is Form.SUMMARY:
        return item.summary
    return join_spans(item.content, one.spans)


def _surrogate_text(item: Item, tier: Tier, *, receipt: Receipt, reader: Reader) -> str | None:
    """Return the text of the shown tier: made again, or the stored one of a model."""
    algorithm = receipt.config.surrogates
    if algorithm in ALGORITHMS:
        found: Surrogate | None = extractive_surrogate(item, algorithm=algorithm)
    else:
        found = find_surrogate(item, reader=reader, algorithm=algorithm)
    if found is None:
        return None
    most = receipt.config.surrogate_tokens_max
    return tier_text(found, tier, tokens_max=most, encoding=receipt.encoding)


def _render(receipt: Receipt, parts: Sequence[RenderItem]) -> str:
    """Return the text; known entities, or all of it, are left out if the budget had no room."""
    context = RenderContext(
        request=receipt.query, now=receipt.now, timezone=receipt.timezone,
        entities=receipt.entities, headers=receipt.config.headers, why=receipt.config.why,
        background=receipt.background, owner=receipt.owner,
    )  # fmt: skip
    layout = LAYOUTS[receipt.config.layout]
    said: tuple[str, ...] = (receipt.nothing,) if parts else (receipt.nothing, NO_ROOM)
    if receipt.format <= RECEIPT_FORMAT_BY_SECTION:
        layout = brief_blocks_by_section if receipt.config.layout is Layout.BRIEF else layout
        said = ("",) if parts else said
    known = replace(context, entities=())
    bare = replace(known, background="")
    tried = [replace(one, nothing=text) for one in (context, known, bare) for text in said]
    texts = [text_of(layout(parts, one)) for one in tried]
    fitting = [text for text in (*texts, "") if text_hash(text) == receipt.text_hash]
    return (fitting or texts)[0]


def _changes(receipt: Receipt, today: CurrentState, *, is_whole: bool) -> Iterator[str]:
    """Yield a sentence for each change that may affect the text."""
    if receipt.format > 1 and receipt.id != receipt_id(receipt):
        yield "the receipt was changed since it was made: its id does not fit what it says"
    elif is_whole:
        yield from _why_other_words(receipt, today)
    if receipt.engine != today.engine:
        yield f"the engine was {receipt.engine}, is {today.engine}"
    if receipt.embedder != today.embedder:
        yield f"the embedder was {receipt.embedder}, is {today.embedder}"
    if receipt.epoch != today.epoch:
        yield "rows of the space were erased or made anew since"


def _changes_of(receipt: Receipt, others: Mapping[str, Today]) -> Iterator[str]:
    """Yield a sentence for each change of a further space that may affect the text."""
    for one in receipt.spaces[1:]:
        today = others[one.space].state
        if one.embedder != today.embedder:
            yield f"the embedder of {space_mark(one.space)} was {one.embedder}, is {today.embedder}"
        if one.epoch != today.epoch:
            yield f"rows of {space_mark(one.space)} were erased or made anew since"


def _why_other_words(receipt: Receipt, today: CurrentState) -> Iterator[str]:
    """Yield the reasons for different text although every version is there."""
    if receipt.config.surrogates in ALGORITHMS:
        present = extractive(receipt.config)
        if receipt.surrogates not in ("", present):
            yield f"stand-ins were made by {receipt.surrogates}, now by {present}"
            return
    elif receipt.surrogates:
        yield f"stand-ins by {receipt.surrogates} were written anew since"
        return
    if receipt.engine == today.engine:
        problem = f"every version is there: the rules of time zone {receipt.timezone} changed"
        yield f"{problem}, or rows were changed from outside"
