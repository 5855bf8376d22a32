"""The difference of two briefs, by their receipts alone: settings, items, and reasons.

Pure. Never looks into a space: an item that a receipt does not list is reported as no candidate any
more, whether it was forgotten or not.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from simonides.codec.write import to_json
from simonides.model.answer import ItemKey
from simonides.model.brief import Receipt
from simonides.model.receipt_diff import DiffChange, Difference, ItemDiff, ReceiptDiff

_LONGEST = 80
"""Characters of a value in a sentence, so that it stays one line; the rest is `…`."""

_NOT_SETTINGS = frozenset(
    {"id", "items", "dropped", "dropped_spaces", "text_hash", "filter", "config", "spaces"}
)
"""Fields of a receipt that say what came out of it, and those whose own fields are settings."""

_ITEM_FIELDS = ("version", "revision", "stage", "form", "tier", "trust", "spans", "score")
_SLIGHT = ({"score"}, {"place"}, {"score", "place"})
"""What may change for every item when anything does: summed up in one sentence."""


def diff(before: Receipt, after: Receipt) -> ReceiptDiff:
    """Return the differences between two receipts, in settings and items, with reasons.

    Items of the own space are the same whether other spaces were asked, too.
    """
    before, after = _own_unnamed(before), _own_unnamed(after)
    settings = tuple(_differences(_settings(before), _settings(after)))
    items = tuple(_items(before, after))
    is_same = before.text_hash == after.text_hash
    heading = "The texts are the same, byte for byte." if is_same else "The texts differ."
    changes = (f"{one.field} was {', is '.join(_pair(one))}." for one in settings)
    return ReceiptDiff(
        before=before.id, after=after.id, same_text=is_same, settings=settings, items=items,
        sentences=(heading, *changes, *_sentences(items)),
    )  # fmt: skip


def _own_unnamed(receipt: Receipt) -> Receipt:
    """Return a receipt of several spaces without the labels of its own space."""
    own = receipt.spaces[0].space if receipt.spaces else ""
    items = (replace(one, space="") if one.space == own else one for one in receipt.items)
    dropped = ("" if one == own else one for one in receipt.dropped_spaces)
    return replace(receipt, items=tuple(items), dropped_spaces=tuple(dropped))


def _settings(receipt: Receipt) -> dict[str, Any]:
    """Return the settings by name, and the states of further spaces, as `spaces.team.revision`."""
    spaces = {f"spaces.{one.space}": one for one in receipt.spaces[1:]}
    nested: dict[str, Any] = {"filter": receipt.filter, "config": receipt.config, **spaces}
    found = {one.name: getattr(receipt, one.name) for one in fields(receipt)}
    for name, value in nested.items():
        found |= {f"{name}.{one.name}": getattr(value, one.name) for one in fields(value)}
    return {name: value for name, value in found.items() if name not in _NOT_SETTINGS}


def _differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield what differs, by name; None stands for what one of them does not have."""
    for name in sorted(was.keys() | now.keys()):
        if was.get(name) != now.get(name):
            yield Difference(field=name, was=was.get(name), now=now.get(name))


def _items(before: Receipt, after: Receipt) -> Iterator[ItemDiff]:
    """Yield the items that went out, those that came in, and those that are shown otherwise."""
    was, now = _list_shown(before), _list_shown(after)
    for key in [key for key in was if key not in now]:
        reason = f"now it is {_absence(key, after)}"
        yield ItemDiff(id=key[1], space=key[0], change=DiffChange.REMOVED, reason=reason)
    for key in [key for key in now if key not in was]:
        reason = f"before it was {_absence(key, before)}"
        (then, revision), (uuid, _) = (_state(one, key[0]) for one in (before, after))
        if then == uuid and now[key]["revision"] > revision:
            reason = f"it was kept or changed at revision {now[key]['revision']}; {reason}"
        yield ItemDiff(id=key[1], space=key[0], change=DiffChange.ADDED, reason=reason)
    for key in [key for key in was if was[key] != now.get(key, was[key])]:
        found = tuple(_differences(was[key], now[key]))
        reason = "; ".join(f"{one.field} {' → '.join(_pair(one))}" for one in found)
        one = ItemDiff(id=key[1], space=key[0], change=DiffChange.CHANGED, reason=reason)
        yield replace(one, differences=found)


def _list_shown(receipt: Receipt) -> dict[ItemKey, dict[str, Any]]:
    return {
        one.key: {"place": place} | {name: getattr(one, name) for name in _ITEM_FIELDS}
        for place, one in enumerate(receipt.items, start=1)
    }


def _absence(key: ItemKey, receipt: Receipt) -> str:
    reason = receipt.reasons.get(key)
    return f"dropped ({reason})" if reason else "no candidate"


def _state(receipt: Receipt, space: str) -> tuple[str, int]:
    """Return the identity and the revision of one of the spaces of a receipt."""
    one = next((one for one in receipt.spaces if one.space == space), receipt)
    return one.space_uuid, one.revision


def _sentences(items: tuple[ItemDiff, ...]) -> Iterator[str]:
    slight = 0
    for one in items:
        if {each.field for each in one.differences} in _SLIGHT:
            slight += 1
            continue
        whose = f" of space {one.space}" if one.space else ""
        yield f"Item {one.id}{whose} was {one.change}: {one.reason}."
    if slight:
        yield f"{slight} more: only the score or the place is another one."


def _pair(one: Difference) -> list[str]:
    """Return both values as JSON, cut off unless that would make them look alike."""
    whole = [to_json(value).decode() for value in (one.was, one.now)]
    cut = [text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…" for text in whole]
    return cut if cut[0] != cut[1] else whole
