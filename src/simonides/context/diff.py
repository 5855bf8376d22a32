"""The difference of two briefs, by their receipts alone: settings, items, and reasons.

Pure. Knows which settings can change what. Never looks into a space: an item that a receipt does
not list is reported as no candidate any more, whether it was forgotten or not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from simonides.model.answer import ItemKey
from simonides.model.brief import DropReason, Receipt, ReceiptItem, ReceiptSpace
from simonides.model.filter import AllOf, AnyOf, Compare, Not, Viewer
from simonides.model.receipt_diff import DiffChange, Difference, ItemDiff, ReceiptDiff

_LONGEST = 80
"""Characters of a text that are shown; the rest is `…`."""


def format_value(value: Any) -> str:
    """Return a value on one line: texts in quotation marks, lists with commas, None as `none`."""
    for kind, write in _FORMATS.items():
        if isinstance(value, kind):
            return write(value)
    return repr(value)


def format_change(was: Any, now: Any) -> tuple[str, str]:
    """Return two differing values in a form that shows the difference."""
    texts = format_value(was), format_value(now)
    return texts if texts[0] != texts[1] else (repr(was), repr(now))


def _text(value: str) -> str:
    line = " ".join(value.split())
    return f'"{line}"' if len(line) <= _LONGEST else f'"{line[: _LONGEST - 1]}…"'


def _several(values: tuple[Any, ...] | list[Any]) -> str:
    return (
        ", ".join(_range(one) if _is_range(one) else format_value(one) for one in values)
        or "nothing"
    )


def _is_range(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(type(n) is int for n in value)  # noqa: PLR2004  a pair


def _range(span: tuple[int, int]) -> str:
    return f"{span[0]}-{span[1]}"


def _joined(parts: tuple[Any, ...], word: str) -> str:
    return f"({f' {word} '.join(map(format_value, parts))})" if parts else f"({word} of nothing)"


def _viewer(value: Viewer) -> str:
    named = (value.workspace_id, value.user_id, value.session_id)
    return "/".join(one or "-" for one in named)


_FORMATS: Mapping[Any, Callable[[Any], str]] = {
    type(None): lambda _: "none",
    bool: lambda value: "yes" if value else "no",
    float: lambda value: f"{value:.4g}",
    StrEnum: str,
    str: _text,
    datetime: lambda value: value.astimezone(UTC).isoformat().replace("+00:00", "Z"),
    tuple: _several,
    list: _several,
    Viewer: _viewer,
    Compare: lambda value: (
        f"{'.'.join((value.key, *value.path))} {value.operator} {format_value(value.value)}"
    ),
    AllOf: lambda value: _joined(value.parts, "and"),
    AnyOf: lambda value: _joined(value.parts, "or"),
    Not: lambda value: f"not {format_value(value.part)}",
}


_NOT_SETTINGS = frozenset({"id", "items", "dropped", "dropped_spaces", "text_hash"})
"""Fields of a receipt that say what came out of it."""

_NESTED = ("filter", "config")
"""Fields whose own fields are compared one by one."""

_SCORED_BY = frozenset(
    {"engine", "space", "space_uuid", "revision", "epoch", "query", "now", "timezone", "mode",
     "mode_used", "scorer", "session_id", "as_of", "embedder", "owner", "language"}
)  # fmt: skip
"""What a score depends on; not on the limit, the filter or the budget (law 12)."""

_FOUND_BY = frozenset({"limit", "min_score", "min_relevance"})
"""What, beside the score and the fields of `filter`, decides whether an item is a candidate."""

_SHOWN_BY = frozenset(
    {"engine", "revision", "query", "now", "budget", "unit", "encoding", "surrogates"}
)
"""What, beside the fields of `config`, decides how much of an item is shown."""

_TRUSTED_BY = frozenset({"engine", "revision", "owner"})

_DROPPED = {
    DropReason.BUDGET: "the budget has no room for it",
    DropReason.TOO_LARGE: "it alone is too large for the budget",
    DropReason.DUPLICATE: "another one says the same",
    DropReason.SUPERSEDED: "a newer memory took its place",
    DropReason.INACTIVE: "its status is not active",
    DropReason.EXPIRED: "it has expired",
    DropReason.BELOW_THRESHOLD: "it scores too little",
    DropReason.NOT_WORTH: "it is not worth what it costs",
    DropReason.TRUST: "it is trusted too little",
    DropReason.SOURCE_CAP: "enough of its source are in",
    DropReason.SNIPPET_CAP: "enough snippets are in",
    DropReason.SURROGATE_CAP: "enough stand-ins are in",
    DropReason.MAX_ITEMS: "enough items are in",
    DropReason.EMPTY: "nothing of it shows",
}
"""Each reason in words."""

_ITEM_FIELDS = ("version", "revision", "stage", "form", "tier", "trust", "spans", "score")
_SLIGHT = frozenset({"score", "place"})
"""What may change for every item when anything does: summed up in one sentence."""


def diff(before: Receipt, after: Receipt) -> ReceiptDiff:
    """Return the differences between two receipts, in settings and items, with reasons.

    Items of the own space are the same whether other spaces were asked, too.
    """
    before, after = _own_unnamed(before), _own_unnamed(after)
    settings = tuple(_settings(before, after))
    names = {one.field for one in settings}
    items = (
        *_removed(before, after, names),
        *_added(before, after, names),
        *_changed(before, after, names),
    )
    same_text = before.text_hash == after.text_hash
    return ReceiptDiff(
        before=before.id,
        after=after.id,
        same_text=same_text,
        settings=settings,
        items=items,
        told=tuple(_sentences(settings, items, same_text=same_text)),
    )


def _own_unnamed(receipt: Receipt) -> Receipt:
    """Return a receipt of several spaces without the labels of its own space."""
    own = next((one.space for one in receipt.spaces), "")
    if not own:
        return receipt
    return replace(
        receipt,
        items=tuple(replace(one, space="") if one.space == own else one for one in receipt.items),
        dropped_spaces=tuple("" if one == own else one for one in receipt.dropped_spaces),
    )


# ── settings ──────────────────────────────────────────────────────────────────────────────────


def _settings(before: Receipt, after: Receipt) -> Iterator[Difference]:
    """Yield the settings that differ; those of `filter` and `config` by their own names."""
    for one in fields(Receipt):
        was, now = getattr(before, one.name), getattr(after, one.name)
        if one.name in _NESTED:
            names = [inner.name for inner in fields(was)]
            pairs = [(f"{one.name}.{n}", getattr(was, n), getattr(now, n)) for n in names]
        elif one.name == "spaces":
            pairs = [*_states(before, after)]
        else:
            pairs = [] if one.name in _NOT_SETTINGS else [(one.name, was, now)]
        yield from (Difference(field=n, was=a, now=b) for n, a, b in pairs if a != b)


def _states(before: Receipt, after: Receipt) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs between the further spaces: `spaces.team.revision`, what was, what is.

    Of one that was asked but once, its revision then. The own space's state is told by itself.
    """
    was, now = ({one.space: one for one in made.spaces[1:]} for made in (before, after))
    for name in sorted(was.keys() | now.keys()):
        told = fields(ReceiptSpace)[1:] if name in was and name in now else _REVISION
        for one in told:
            states = (was.get(name), now.get(name))
            values = [getattr(state, one.name, None) for state in states]
            yield f"spaces.{name}.{one.name}", values[0], values[1]


_REVISION = tuple(one for one in fields(ReceiptSpace) if one.name == "revision")


# ── items that are in one of them ─────────────────────────────────────────────────────────────


def _removed(before: Receipt, after: Receipt, settings: set[str]) -> Iterator[ItemDiff]:
    shown = {one.key for one in after.items}
    for one in before.items:
        if one.key not in shown:
            reason = f"now it is {_absence_reason(one.key, after, settings)}"
            yield ItemDiff(id=one.id, change=DiffChange.REMOVED, reason=reason, space=one.space)


def _added(before: Receipt, after: Receipt, settings: set[str]) -> Iterator[ItemDiff]:
    shown = {one.key for one in before.items}
    for one in after.items:
        if one.key in shown:
            continue
        reason = f"before it was {_absence_reason(one.key, before, settings)}"
        then, now = _state_of(before, one.space), _state_of(after, one.space)
        if one.revision > then[1] and then[0] == now[0]:
            reason = f"it was kept or changed at revision {one.revision}; {reason}"
        yield ItemDiff(id=one.id, change=DiffChange.ADDED, reason=reason, space=one.space)


def _state_of(receipt: Receipt, space: str) -> tuple[str, int]:
    """Return the identity and the revision of one of the spaces of a receipt."""
    for one in receipt.spaces:
        if one.space == space:
            return one.space_uuid, one.revision
    return receipt.space_uuid, receipt.revision


def _absence_reason(key: ItemKey, receipt: Receipt, settings: set[str]) -> str:
    """Return why an item that is in the other brief is not in this one."""
    reason = receipt.reasons.get(key)
    if reason is not None:
        return f"dropped ({reason}): {_DROPPED[reason]}"
    causes = {name for name in settings if name.startswith(("filter.", "spaces."))}
    return f"no candidate{_caused_by(causes | settings & (_SCORED_BY | _FOUND_BY))}"


# ── items that are in both ────────────────────────────────────────────────────────────────────


def _changed(before: Receipt, after: Receipt, settings: set[str]) -> Iterator[ItemDiff]:
    there = {one.key: (place, one) for place, one in enumerate(after.items, start=1)}
    for place, was in enumerate(before.items, start=1):
        if was.key not in there:
            continue
        now_place, now = there[was.key]
        differences = [*_differences(was, now)]
        if place != now_place:
            differences.append(Difference(field="place", was=place, now=now_place))
        if differences:
            yield ItemDiff(
                id=was.id,
                change=DiffChange.CHANGED,
                reason="; ".join(_why(differences, settings)),
                differences=tuple(differences),
                space=was.space,
            )


def _differences(was: ReceiptItem, now: ReceiptItem) -> Iterator[Difference]:
    for name in _ITEM_FIELDS:
        if getattr(was, name) != getattr(now, name):
            yield Difference(field=name, was=getattr(was, name), now=getattr(now, name))


def _why(differences: Iterable[Difference], settings: set[str]) -> Iterator[str]:
    """Yield each difference of an item as a sentence, with the settings that may be its reason."""
    for one in differences:
        text = f"{one.field} {' → '.join(format_change(one.was, one.now))}"
        match one.field:
            case "version":
                yield f"{text}: it was changed"
            case "revision":
                yield f"kept at revision {one.was}, then at {one.now}"
            case "score":
                states = {name for name in settings if name.startswith("spaces.")}
                yield f"{text}{_caused_by(settings & _SCORED_BY | states)}"
            case "trust":
                yield f"{text}{_caused_by(settings & _TRUSTED_BY)}"
            case "place":
                yield f"{text} (what stands before it is not the same)"
            case _:
                config = {name for name in settings if name.startswith("config.")}
                yield f"{text}{_caused_by((settings & _SHOWN_BY) | config)}"


def _caused_by(causes: set[str]) -> str:
    return f" (differing: {', '.join(sorted(causes))})" if causes else ""


# ── in sentences ──────────────────────────────────────────────────────────────────────────────


def _sentences(
    settings: Iterable[Difference], items: Iterable[ItemDiff], *, same_text: bool
) -> Iterator[str]:
    yield "The texts are the same, byte for byte." if same_text else "The texts differ."
    for one in settings:
        was, now = format_change(one.was, one.now)
        yield f"{one.field} was {was}, is {now}."
    slight = 0
    for item in items:
        if item.differences and {one.field for one in item.differences} <= _SLIGHT:
            slight += 1
        else:
            whose = f" of space {item.space}" if item.space else ""
            yield f"Item {item.id}{whose} {_BECAME[item.change]}: {item.reason}."
    if slight:
        yield f"{slight} more {'item has' if slight == 1 else 'items have'} another score or place."


_BECAME = {
    DiffChange.ADDED: "came in",
    DiffChange.REMOVED: "went out",
    DiffChange.CHANGED: "is shown otherwise",
}
