"""Preferences of the user: the effect of a statement, and the decay of confidence.

Pure rules over `Preference` records and the items that they are kept as. The constants of
confidence are the designs' (notes on the assistant, 4.1). Must not know how items are kept, nor how
a prompt is written.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.bounds import PREFERENCE_KEY, PREFERENCE_VALUE, Text
from simonides.model.chat import Origin, Preference
from simonides.model.item import Item, Kind, MemoryTraits, MemoryType, Scope, Status
from simonides.scoring.importance import decayed_importance
from simonides.text.clean import printable
from simonides.text.unicode_version import fold_case

SOURCE, COLLECTION = "preference", "preferences"
"""The source and the collection of the items that preferences are kept as."""

VALUE_KEY, ORIGIN_KEY, SEEN_KEY = "_value", "_origin", "_seen"
"""The metadata keys of such an item: what is preferred, how it is known, how often it was said."""

START = {Origin.EXPLICIT: 0.8, Origin.INFERRED: 0.5}
"""How sure a preference is that is said for the first time."""

REPEAT_SHARE, REPEAT_MAX = 0.1, 0.9
"""Said again, it gains this share of what it lacks, up to the second."""

CONFLICT_FACTOR, CONFLICT_MIN = 0.8, 0.3
"""What is inferred against it takes a fifth; below the second the other value stands in its place,
as sure as that."""

HALF_LIFE_DAYS = {Origin.EXPLICIT: 365.0, Origin.INFERRED: 90.0}
"""After how long without being said again it weighs half when it is read. Not the designs', which
know none: what people say of themselves holds for about a year, a guess for a season."""

_DECIMALS = 6
"""Confidence is kept to a millionth: 0.8 x 0.8 is 0.64."""

_DAY = timedelta(days=1)


def after_statement(
    kept: Preference | None, *, key: str, value: str, origin: Origin, now: datetime
) -> Preference:
    """Return the preference after a statement (`explicit`) or an observation (`inferred`).

    `kept` is as it was kept, not faded. The first rule that fits decides:

    1. Nothing is kept: it is new, as sure as its origin (.8, .5).
    2. The same value again: surer by a tenth of what it lacks, to at most .9. Stated, it is
       `explicit` from now on and at least .8; observed, it stays what it was.
    3. Another value is stated: it takes the place of what is kept, at .8.
    4. Another value is observed: the one that is kept stays and loses a fifth; once that takes
       it below .3, the other takes its place at .3. So nothing observed once replaces what the
       user said.
    """
    if kept is None:
        return _new(key, value, origin, confidence=START[origin], now=now)
    if _is_same(kept.value, value):
        return _again(kept, origin, now=now)
    if origin is Origin.EXPLICIT:
        return _new(key, value, origin, confidence=START[origin], now=now)
    lowered = round(kept.confidence * CONFLICT_FACTOR, _DECIMALS)
    if lowered < CONFLICT_MIN:
        return _new(key, value, Origin.INFERRED, confidence=CONFLICT_MIN, now=now)
    return replace(kept, confidence=lowered)


def _new(key: str, value: str, origin: Origin, *, confidence: float, now: datetime) -> Preference:
    return Preference(
        key=key, value=value, origin=origin, confidence=confidence, seen=1, updated_at=now
    )


def _again(kept: Preference, origin: Origin, *, now: datetime) -> Preference:
    surer = min(REPEAT_MAX, kept.confidence + (1.0 - kept.confidence) * REPEAT_SHARE)
    confidence = max(kept.confidence, surer)
    if origin is Origin.EXPLICIT:
        confidence = max(confidence, START[Origin.EXPLICIT])
    else:
        origin = kept.origin
    return replace(
        kept, origin=origin, confidence=round(confidence, _DECIMALS), seen=kept.seen + 1,
        updated_at=max(now, kept.updated_at),
    )  # fmt: skip


def _is_same(one: str, other: str) -> bool:
    return fold_case(one) == fold_case(other)


def fade(kept: Preference, *, now: datetime) -> Preference:
    """Return a preference with its present confidence: halved for each half-life since last seen.

    confidence x 2^(-days/half-life), at least .05 (`scoring.decay`).
    """
    confidence = decayed_importance(
        kept.confidence,
        half_life_hours=24.0 * HALF_LIFE_DAYS[kept.origin],
        age_hours=24.0 * ((now - kept.updated_at) / _DAY),
    )
    return replace(kept, confidence=round(confidence, _DECIMALS))


def strongest(preferences: Iterable[Preference]) -> list[Preference]:
    """Return preferences by falling confidence, then by key."""
    return sorted(preferences, key=lambda one: (-one.confidence, one.key))


def key_of(text: Any) -> str:
    """Return a preference's key in its stored form: one line, lower case.

    Raises:
        InvalidInput: It is no text, empty, longer than 64 characters, or does not print.
    """
    return fold_case(_line(text, field="key", bound=PREFERENCE_KEY))


def value_of(text: Any) -> str:
    """Return a preference's value in its stored form: one line.

    Raises:
        InvalidInput: It is no text, empty, longer than 300 characters, or does not print.
    """
    return _line(text, field="value", bound=PREFERENCE_VALUE)


def _line(text: Any, *, field: str, bound: Text) -> str:
    if not isinstance(text, str):
        raise InvalidInput(field, f"must be text, got {type(text).__name__}")
    line = " ".join(printable(text).split())
    if not line or not line.isprintable():
        raise InvalidInput(field, "is empty, or holds characters that do not show")
    return bound.check(line, field=field)


def item_of(preference: Preference) -> Item:
    """Return the memory that stores a preference: `key: value`, of type policy."""
    return Item(
        kind=Kind.MEMORY,
        source=SOURCE,
        source_id=preference.key,
        collection=COLLECTION,
        content=f"{preference.key}: {preference.value}",
        happened_at=preference.updated_at,
        metadata={
            VALUE_KEY: preference.value,
            ORIGIN_KEY: preference.origin.value,
            SEEN_KEY: preference.seen,
        },
        traits=MemoryTraits(
            scope=Scope.USER,
            type=MemoryType.POLICY,
            entity=preference.key,
            confidence=preference.confidence,
        ),
    )


def id_of(key: str) -> str:
    """Return the id of the item that stores the preference of a key."""
    return Item(source=SOURCE, source_id=key, content=key).id


def preference_of(item: Item) -> Preference | None:
    """Return the preference in an item, not faded; None without a valid one."""
    traits, noted = item.traits, item.metadata
    value, origin, seen = (noted.get(name) for name in (VALUE_KEY, ORIGIN_KEY, SEEN_KEY))
    updated_at = item.dated_at
    if item.source != SOURCE or traits is None or traits.status is not Status.ACTIVE:
        return None
    if not isinstance(value, str) or origin not in list(Origin) or updated_at is None:
        return None
    return Preference(
        key=item.source_id, value=value, origin=Origin(origin), confidence=traits.confidence,
        seen=seen if isinstance(seen, int) else 1, updated_at=updated_at, id=item.id,
    )  # fmt: skip
