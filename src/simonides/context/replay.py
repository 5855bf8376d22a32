"""A brief once more, from its receipt: the same versions, the same words, the same bytes.

The receipt says which version of which item was shown, and which characters of it; the space,
present and archive, still has them unless they were erased or compacted away. Knows the port and
the layouts. Never searches: scores of today could not be those of then.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simonides.context.layouts import LAYOUTS
from simonides.context.part import Frame, Part, text_of
from simonides.context.receipt import FORMAT, text_hash
from simonides.context.stand_ins import made
from simonides.errors import InvalidInput
from simonides.model.brief import Form, Receipt, ReceiptItem, Replay, Stage
from simonides.model.item import Item
from simonides.ports import Reader
from simonides.text.excerpt import joined
from simonides.text.surrogates import ALGORITHM
from simonides.text.tokens import count, count_and_truncate_batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """What is in force now, to be compared with the receipt where the text differs."""

    engine: str
    space_uuid: str
    epoch: int
    embedder: str


def replay(receipt: Receipt, *, reader: Reader, today: Today) -> Replay:
    """Return the brief of a receipt, built again, or what is missing and what has changed.

    The text is empty where an item is missing: a brief with holes would be another brief.

    Raises:
        InvalidInput: The receipt is of a later format, or of another space.
    """
    if receipt.format > FORMAT:
        problem = f"has format {receipt.format}, this engine reads up to {FORMAT}"
        raise InvalidInput("receipt", f"{problem}; use the newer simonides")
    if receipt.space_uuid != today.space_uuid:
        raise InvalidInput("receipt", f"is of another space ({receipt.space!r} as it was then)")
    missing, parts = [], []
    for one in receipt.items:
        item = reader.version(one.id, one.version)
        part = None if item is None else _part(one, item, receipt=receipt, reader=reader)
        if part is None:
            missing.append(_lost(one, is_kept=item is not None))
        else:
            parts.append(part)
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


def _lost(one: ReceiptItem, *, is_kept: bool) -> str:
    if is_kept:
        return f"the stand-in of item {one.id} (version {one.version}) is not kept any more"
    return f"item {one.id} (version {one.version}) was erased, or compacted away"


def _part(one: ReceiptItem, item: Item, *, receipt: Receipt, reader: Reader) -> Part | None:
    text = _text(one, item, receipt=receipt, reader=reader)
    if text is None:
        return None
    return Part(
        item=item, score=one.score, stage=one.stage, form=one.form, trust=one.trust, text=text,
        tier=one.tier, spans=one.spans, why=one.why,
    )  # fmt: skip


def _text(one: ReceiptItem, item: Item, *, receipt: Receipt, reader: Reader) -> str | None:
    if one.stage is Stage.SURROGATE and one.tier is not None:
        return _stand_in(one, item, receipt=receipt, reader=reader)
    if one.form is Form.SUMMARY:
        return item.summary
    return joined(item.content, one.spans)


def _stand_in(one: ReceiptItem, item: Item, *, receipt: Receipt, reader: Reader) -> str | None:
    """Return the words of the tier that was shown: made again, or stored if a model wrote it."""
    if receipt.surrogates == ALGORITHM:
        told = made(item)
    else:
        keys = reader.keys([one.id])
        stored = reader.surrogates(keys, algorithm=receipt.surrogates)
        found = next(iter(stored.values()), None)
        if found is None:
            return None
        told = found
    text = getattr(told, one.tier.value) if one.tier else ""
    most = receipt.config.surrogate_tokens_max
    return count_and_truncate_batch([text], most, receipt.encoding)[0][0].strip()


def _rendered(receipt: Receipt, parts: Sequence[Part]) -> str:
    frame = Frame(
        request=receipt.query, now=receipt.now, timezone=receipt.timezone,
        entities=receipt.entities, headers=receipt.config.headers, why=receipt.config.why,
    )  # fmt: skip
    layout = LAYOUTS[receipt.config.layout]
    texts = [text_of(layout(parts, one)) for one in (frame, replace(frame, entities=()))]
    fitting = [text for text in (*texts, "") if text_hash(text) == receipt.text_hash]
    return (fitting or texts)[0]


def _changes(receipt: Receipt, today: Today, *, is_whole: bool) -> list[str]:
    """Return in words what is not as it was, of what can change a text."""
    pairs = (
        ("engine", receipt.engine, today.engine),
        ("embedder", receipt.embedder, today.embedder),
    )
    found = [f"{name} was {was}, is {now}" for name, was, now in pairs if was != now]
    if receipt.epoch != today.epoch:
        found.append("rows of the space were erased or made anew since")
    if is_whole and not found:
        found.append("the text differs from the receipt's hash: the receipt was changed")
    return found
