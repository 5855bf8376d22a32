"""A brief once more, from its receipt: the same versions, the same words, the same bytes.

The receipt says which version of which item was shown, and which characters of it; the space,
present and archive, still has them unless they were erased or compacted away. Knows the port and
the layouts. Never searches: scores of today could not be those of then.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from simonides.context.layouts import LAYOUTS
from simonides.context.receipt import extractive, receipt_id, text_hash
from simonides.context.render_context import RenderContext, RenderItem, text_of
from simonides.context.surrogates import made, shown, stored
from simonides.errors import InvalidInput
from simonides.model.brief import RECEIPT_FORMAT, Form, Receipt, ReceiptItem, Replay, Stage
from simonides.model.derived import Tier
from simonides.model.item import Item
from simonides.ports.space import Reader
from simonides.text.excerpt import joined
from simonides.text.surrogates import ALGORITHM
from simonides.text.tokens import count


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentState:
    """What is in force now, to be compared with the receipt where the text differs."""

    engine: str
    space_uuid: str
    epoch: int
    embedder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Missing:
    """Why an item can not be shown as it was, in words."""

    told: str


def replay(receipt: Receipt, *, reader: Reader | None, today: CurrentState) -> Replay:
    """Return the brief of a receipt, built again, or what is missing and what has changed.

    The text is empty where an item is missing: a brief with holes would be another brief. `reader`
    is None where the space is not there.

    Raises:
        InvalidInput: The receipt is of another format, or of another space.
    """
    _check(receipt, today)
    found = [_part(one, receipt=receipt, reader=reader) for one in receipt.items]
    missing = [one.told for one in found if isinstance(one, _Missing)]
    parts = [one for one in found if isinstance(one, RenderItem)]
    text = "" if missing else _rendered(receipt, parts)
    exact = not missing and text_hash(text) == receipt.text_hash
    changed = () if exact else (*missing, *_changes(receipt, today, is_whole=not missing))
    return Replay(
        receipt_id=receipt.id,
        exact=exact,
        text=text,
        tokens=count(text, receipt.encoding) if receipt.unit == "tokens" else len(text.split()),
        changed=tuple(changed),
    )


def _check(receipt: Receipt, today: CurrentState) -> None:
    """Refuse what this space can say nothing about; a brief of nothing is of every space."""
    if receipt.format != RECEIPT_FORMAT:
        problem = f"has format {receipt.format}, this engine reads {RECEIPT_FORMAT}"
        raise InvalidInput("receipt", f"{problem}; use the simonides that wrote it")
    if receipt.space_uuid and receipt.space_uuid != today.space_uuid:
        problem = f"is of another space ({receipt.space!r} as it was then); name it with its home"
        raise InvalidInput("receipt", problem)


def _part(one: ReceiptItem, *, receipt: Receipt, reader: Reader | None) -> RenderItem | _Missing:
    item = None if reader is None else reader.version(one.id, one.version)
    if reader is None or item is None or item.revision != one.revision:
        return _Missing(told=_gone(one, item, reader=reader))
    text = _text(one, item, receipt=receipt, reader=reader)
    if text is None:
        told = f"the stand-in of item {one.id} (version {one.version}) by {receipt.surrogates}"
        return _Missing(told=f"{told} is not kept any more")
    return RenderItem(
        item=item, score=one.score, stage=one.stage, form=one.form, trust=one.trust, text=text,
        tier=one.tier, spans=one.spans, why=one.why,
    )  # fmt: skip


def _gone(one: ReceiptItem, found: Item | None, *, reader: Reader | None) -> str:
    """Return in words what became of a version that is not there, or not the one it was."""
    named = f"version {one.version} of item {one.id}"
    if found is not None:
        anew = f"another one of that number was kept at revision {found.revision}"
        return f"{named} (of revision {one.revision}) was erased, and {anew}"
    present = None if reader is None else reader.item(one.id)
    if present is None:
        return f"{named} was erased, or compacted away; nothing of that id is there"
    return f"{named} was erased, or compacted away; version {present.version} is there now"


def _text(one: ReceiptItem, item: Item, *, receipt: Receipt, reader: Reader) -> str | None:
    if one.stage is Stage.SURROGATE and one.tier is not None:
        return _stand_in(item, one.tier, receipt=receipt, reader=reader)
    if one.form is Form.SUMMARY:
        return item.summary
    return joined(item.content, one.spans)


def _stand_in(item: Item, tier: Tier, *, receipt: Receipt, reader: Reader) -> str | None:
    """Return the words of the tier that was shown: made again, or stored if a model wrote it."""
    algorithm = receipt.config.surrogates
    own = algorithm == ALGORITHM
    told = made(item) if own else stored(item, reader=reader, algorithm=algorithm)
    if told is None:
        return None
    most = receipt.config.surrogate_tokens_max
    return shown(told, tier, tokens_max=most, encoding=receipt.encoding)


def _rendered(receipt: Receipt, parts: Sequence[RenderItem]) -> str:
    """Return the text; known entities are left out, or all of it, if the budget had no room."""
    frame = RenderContext(
        request=receipt.query, now=receipt.now, timezone=receipt.timezone,
        entities=receipt.entities, headers=receipt.config.headers, why=receipt.config.why,
    )  # fmt: skip
    layout = LAYOUTS[receipt.config.layout]
    texts = [text_of(layout(parts, one)) for one in (frame, replace(frame, entities=()))]
    fitting = [text for text in (*texts, "") if text_hash(text) == receipt.text_hash]
    return (fitting or texts)[0]


def _changes(receipt: Receipt, today: CurrentState, *, is_whole: bool) -> Iterator[str]:
    """Yield in words what is not as it was, of what can change a text."""
    if receipt.id != receipt_id(receipt):
        yield "the receipt was changed since it was made: its id does not fit what it says"
    elif is_whole:
        yield from _why_other_words(receipt, today)
    if receipt.engine != today.engine:
        yield f"the engine was {receipt.engine}, is {today.engine}"
    if receipt.embedder != today.embedder:
        yield f"the embedder was {receipt.embedder}, is {today.embedder}"
    if receipt.epoch != today.epoch:
        yield "rows of the space were erased or made anew since"


def _why_other_words(receipt: Receipt, today: CurrentState) -> Iterator[str]:
    """Yield why the words are others although every version is there."""
    if receipt.config.surrogates == ALGORITHM:
        if receipt.surrogates not in ("", extractive()):
            yield f"stand-ins were made by {receipt.surrogates}, now by {extractive()}"
            return
    elif receipt.surrogates:
        yield f"stand-ins by {receipt.surrogates} were written anew since"
        return
    if receipt.engine == today.engine:
        told = f"every version is there: the rules of time zone {receipt.timezone} changed"
        yield f"{told}, or rows were changed from outside"
