"""The side tables: backgrounds, usage, surrogates and receipts, as rows and writes.

Knows the columns of these tables and what they refuse. Its writes run inside a transaction that
another module began and will end. Must not know what is kept of items, nor of threads or files.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from simonides import storage
from simonides.errors import InvalidInput, StoreCorrupt
from simonides.model.bounds import INT64_MAX
from simonides.model.item import ID_CHARS_MAX
from simonides.model.stored import Background, Engaged, Engagement, PreparedBackground, Surrogate
from simonides.model.times import moment
from simonides.storage.rows import TERM_BYTES
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundWrite:
    """Adds a snapshot, or shows the one of its id again; the result is the stored one."""

    prepared: PreparedBackground
    created_us: int

    def __post_init__(self) -> None:
        one = self.prepared
        _check_id(one.id, field="id")
        _check_text(one.collection, field="collection")
        _check_text(one.text, field="text")
        if not one.collection:
            raise InvalidInput("collection", "must not be empty")
        if len(one.terms) % TERM_BYTES:
            raise InvalidInput("terms", f"of background {one.id!r} are no whole number of entries")

    def __call__(
        self, tx: Transaction, _meta: SpaceFacts, revision: int
    ) -> tuple[Background, bool]:
        """Write a new snapshot; return the stored one."""
        one = self.prepared
        row = (one.id, one.collection, self.created_us, revision, one.text, one.terms)
        changed = bool(tx.run("put_background", row))
        storage.erase.unmark(tx, one.id)
        (kept,) = tx.all("background_by_id", {"id": one.id})
        return background(kept), changed


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBackground:
    """Hides a snapshot; the result is whether it showed before."""

    id: str
    due_us: int

    def __call__(self, tx: Transaction, _meta: SpaceFacts, _revision: int) -> tuple[bool, bool]:
        """Set the time of its removal, unless it is set already."""
        changed = bool(tx.run("hide_background", {"id": self.id, "due_us": self.due_us}))
        return changed, changed


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageWrite:
    """Notes engagement; the result are those of `ids` that are present, each once."""

    ids: tuple[str, ...]
    how: Engaged
    at_us: int

    def __call__(
        self, tx: Transaction, _meta: SpaceFacts, revision: int
    ) -> tuple[tuple[str, ...], bool]:
        """Add one row for each item that is present; return their ids."""
        there = tuple(one for one in dict.fromkeys(self.ids) if _is_present(tx, one))
        rows = [(one, self.at_us, self.how.value, revision) for one in there]
        tx.many("add_engagement", rows)
        return there, bool(there)


@dataclass(frozen=True, slots=True, kw_only=True)
class PutSurrogates:
    """Keeps surrogates of present versions; the result is how many those are."""

    surrogates: tuple[Surrogate, ...]

    def __post_init__(self) -> None:
        for one in self.surrogates:
            _check_surrogate(one)

    def __call__(self, tx: Transaction, _meta: SpaceFacts, _revision: int) -> tuple[int, bool]:
        """Add or replace surrogates by item key and algorithm, without a new revision."""
        kept = 0
        for one in self.surrogates:
            kept += tx.run("put_surrogate", _surrogate_row(one))
        return kept, False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepReceipt:
    """Stores a receipt, without a new revision."""

    id: str
    text: str
    at_us: int

    def __post_init__(self) -> None:
        _check_id(self.id, field="receipt_id")
        _check_text(self.text, field="text")
        _check_json(self.text, field="text")

    def __call__(self, tx: Transaction, _meta: SpaceFacts, _revision: int) -> tuple[None, bool]:
        """Add the record, unless it is stored already.

        Raises:
            InvalidInput: Another receipt is kept by that id.
        """
        tx.run("add_receipt", (self.id, self.at_us, self.text))
        if tx.value("receipt", {"id": self.id}) != self.text:
            problem = f"another receipt is kept as {self.id!r}; choose another id"
            raise InvalidInput("receipt_id", problem)
        return None, False


def background(row: tuple[Any, ...]) -> Background:
    """Return the snapshot of a row as `background_by_id` selects it.

    Raises:
        StoreCorrupt: Its time is none that can be.
    """
    background_id, collection, text, created_us, born = row
    return Background(
        id=background_id,
        collection=collection,
        text=text,
        created_at=_time(created_us, of=f"background {background_id!r}"),
        revision=born,
    )


def engagements(found: Iterable[tuple[str, Any]]) -> dict[str, Engagement]:
    """Return the engagement of each item that has any, from its id and (count, last time).

    Raises:
        StoreCorrupt: A time is none that can be.
    """
    return {
        one: Engagement(count=count, last_at=_time(last_us, of=f"engagement with {one!r}"))
        for one, (count, last_us) in found
        if count
    }


def surrogate(row: tuple[Any, ...]) -> Surrogate:
    """Return the surrogate of a row as `surrogate` selects it."""
    return Surrogate(**dict(zip(Surrogate.__slots__, row, strict=True)))


def _surrogate_row(one: Surrogate) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Surrogate.__slots__}


def _is_present(tx: Transaction, item_id: str) -> bool:
    return tx.one("key", {"id": item_id}) is not None


def _time(us: int, *, of: str) -> datetime:
    try:
        return moment(us)
    except OverflowError as error:
        problem = f"the time of {of} cannot be read back ({error})"
        raise StoreCorrupt(f"{problem}; run `simonides doctor`") from error


def _check_surrogate(one: Surrogate) -> None:
    _check_id(one.algorithm, field="algorithm")
    for name in ("full", "gist", "micro"):
        _check_text(getattr(one, name), field=name)
    if not 1 <= one.version <= INT64_MAX:
        raise InvalidInput("version", f"must be 1 or more and fit 64 bits, got {one.version}")


def _check_id(text: str, *, field: str) -> None:
    """Raise an error for invalid ids, as for items."""
    _check_text(text, field=field)
    if not 0 < len(text) <= ID_CHARS_MAX or min(text) < " ":
        raise InvalidInput(field, f"must have 1 to {ID_CHARS_MAX} printable characters")


def _check_text(text: str, *, field: str) -> None:
    """Raise an error for values that cannot be stored exactly."""
    if not isinstance(text, str):
        raise InvalidInput(field, f"must be text, got {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        problem = "holds half a character (a lone surrogate); decode it first"
        raise InvalidInput(field, problem) from error


def _check_json(text: str, *, field: str) -> None:
    try:
        json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(field, f"is no JSON: {error}") from error


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
