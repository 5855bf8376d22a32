"""JSON back to records: what a caller may write down to have it kept, and receipts.

Checks that each value is of the sort that JSON should hold there; `model.compose` makes the
record. Must not know where the JSON came from: errors name the field, the interface adds the place.
A receipt is read back exactly, or refused with the place of the problem: whatever its text holds,
`InvalidInput` is the only error. Whether what it names is there is for `context.receipt` to say.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn

from simonides.codec.lossless import read
from simonides.config import check_timezone
from simonides.errors import InvalidInput
from simonides.model.bounds import ENCODINGS
from simonides.model.brief import (
    RECEIPT_FORMAT,
    RECEIPT_FORMATS,
    Receipt,
)
from simonides.model.coercion import NESTED_MAX, is_nested_deeper, refuse_unknown
from simonides.model.compose import compose
from simonides.model.item import Item, MemoryTraits, Person
from simonides.model.memories import ProposedMemory
from simonides.model.times import read_time

if TYPE_CHECKING:
    from simonides.model.answer import ItemKey

SET_BY_STORE = frozenset({"stored_at", "revision", "version"})
"""Fields of an item that are read over: what was listed can be added again elsewhere."""

_SORTS: dict[str, tuple[Any, str]] = {
    "tags": (list, "a list"),
    "people": (list, "a list"),
    "metadata": (Mapping, "an object"),
    "traits": (Mapping, "an object"),
    "position": (int, "a whole number"),
}
"""What JSON should hold in the fields that are not text."""

_NUMBERS = frozenset({"confidence", "importance", "half_life_hours"})


def read_item(record: Any, *, timezone: str = "") -> Item:
    """Return the item that a JSON object describes: the fields of `Item`, all but text optional.

    `people` are objects, or texts such as `Sarah Johnson <sarah@example.com>` of which the first
    is the author. A `happened_at` without a zone is in `timezone`.

    Raises:
        InvalidInput: It is no object, has an unknown field, or a value does not fit.
    """
    given = dict(_object("item", record))
    values = {k: v for k, v in given.items() if v is not None and k not in SET_BY_STORE}
    for name, value in values.items():
        _check(name, value)
    if "happened_at" in values:
        values["happened_at"] = read_time(
            values["happened_at"], name="happened_at", timezone=timezone
        )
    expires = values.get("traits", {}).get("expires_at")
    if expires is not None:
        until = read_time(expires, name="traits.expires_at", timezone=timezone)
        values["traits"] = {**values["traits"], "expires_at": until}
    return compose(**values)


def _check(name: str, value: Any) -> None:
    sort, called = _SORTS.get(name, (str, "text"))
    if not isinstance(value, sort) or isinstance(value, bool):
        raise InvalidInput(name, f"must be {called}, got {_sort_of(value)}")
    if name == "tags":
        _check_texts(name, value)
    elif name == "people":
        for person in value:
            _check_person(person)
    elif name == "traits":
        _check_traits(value)


def _check_texts(name: str, values: Iterable[Any]) -> None:
    for one in values:
        if not isinstance(one, str):
            raise InvalidInput(name, f"must be text, got {_sort_of(one)}")


def _check_person(person: Any) -> None:
    if isinstance(person, str):
        return
    known = [one.name for one in fields(Person)]
    for name, value in _object("people", person).items():
        if name not in known:
            raise InvalidInput("people", f"knows no field {name!r}; there are {', '.join(known)}")
        _check_texts(f"people.{name}", [value])


def _check_traits(traits: Mapping[str, Any]) -> None:
    known = {one.name for one in fields(MemoryTraits)}
    for name, value in traits.items():
        if name in _NUMBERS:
            _check_number(name, value)
        elif name in known and not (name == "expires_at" and value is None):
            _check_texts(f"traits.{name}", [value])


def _check_number(name: str, value: Any) -> None:
    if name == "half_life_hours" and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"traits.{name}", f"must be a number, got {_sort_of(value)}")


def _object(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(name, f"must be an object, got {_sort_of(value)}")
    return value


def _sort_of(value: Any) -> str:
    return type(value).__name__


_FIELDS = ("text", "evidence", "traits", "happened_at", "note")


def read_proposed(record: Any, *, timezone: str = "") -> ProposedMemory:
    """Return the proposed memory that a JSON object describes.

    `text` is what is to be remembered and `evidence` the ids of the items it was read out of;
    `traits`, `happened_at` and `note` may be left out. A time without a zone is in `timezone`.

    Raises:
        InvalidInput: It is no object, has an unknown field, or a value does not fit.
    """
    if not isinstance(record, Mapping):
        raise InvalidInput("proposal", f"must be an object, got {type(record).__name__}")
    refuse_unknown(record, _FIELDS)
    text, evidence = record.get("text"), record.get("evidence", [])
    if not isinstance(text, str):
        raise InvalidInput("text", f"must be text, got {type(text).__name__}")
    if not isinstance(evidence, list):
        raise InvalidInput("evidence", f"must be a list of ids, got {type(evidence).__name__}")
    given = {name: record[name] for name in ("traits", "happened_at") if record.get(name)}
    item = read_item({"title": "what is proposed", **given}, timezone=timezone)
    return ProposedMemory(
        text=text,
        evidence=tuple(evidence),
        traits=item.traits or MemoryTraits(),
        happened_at=item.happened_at,
        note=record.get("note") or "",
    )


UNITS = ("tokens", "words")


def read_receipt(text: str) -> Receipt:
    """Return the receipt in a JSON text, alone or as the `receipt` of a brief.

    `write.to_line` writes it; reading gives back what was written, to the last bit.

    Raises:
        InvalidInput: It is no JSON or no receipt; names the field.
    """
    tree = _tree(text)
    if isinstance(tree, dict) and "receipt" in tree and "format" not in tree:
        tree = tree["receipt"]
    _check_format(tree)
    receipt = read(Receipt, _complete(tree), path="receipt")
    _check_names(receipt)
    _check_spaces(receipt)
    _check_items(receipt)
    return receipt


def _tree(text: str) -> Any:
    try:
        tree = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("receipt", f"is no JSON: {error}") from error
    if is_nested_deeper(tree, NESTED_MAX):
        raise InvalidInput("receipt", f"is nested more than {NESTED_MAX} deep")
    return tree


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _check_format(tree: Any) -> None:
    """Raise an error for another format before reading its fields, which may be different."""
    if not isinstance(tree, dict):
        raise InvalidInput("receipt", f"must be an object, got {type(tree).__name__}")
    number = tree.get("format", RECEIPT_FORMAT)
    if isinstance(number, int) and number not in RECEIPT_FORMATS:
        problem = (
            f"is {number}, this engine reads {RECEIPT_FORMAT}; use the simonides that wrote it"
        )
        raise InvalidInput("receipt.format", problem)


NOTHING_THEN = "Nothing in memory answers this."
"""What a brief of format 1 said where it showed nothing."""


def _complete(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a receipt of an older format with the fields of this one."""
    config, number = tree.get("config"), tree.get("format")
    if number not in RECEIPT_FORMATS[:-1] or not isinstance(config, dict):
        return tree
    later = {} if number > 1 else {"min_relevance": None, "background": "", "nothing": NOTHING_THEN}
    kept = {name: value for name, value in config.items() if name not in GONE_SETTINGS}
    return {**later, **tree, "config": {"worth_min": 0.0, "snippet_words_max": None, **kept}}


SHARED_THEN = 3
"""The format in which receipts of several spaces, and no others, were."""

GONE_SETTINGS = ("snippet_tokens_max", "snippet_share")
"""Settings of briefs up to format 3; a receipt says by itself which characters were shown."""


def _check_names(receipt: Receipt) -> None:
    """Raise an error for an unknown zone, unit or encoding."""
    try:
        check_timezone(receipt.timezone)
    except InvalidInput as error:
        raise InvalidInput("receipt.timezone", error.problem) from error
    for name, known in (("unit", UNITS), ("encoding", ENCODINGS)):
        value = getattr(receipt, name)
        if value not in known:
            problem = f"must be one of {', '.join(known)}; got {value!r}"
            raise InvalidInput(f"receipt.{name}", problem)


def _check_spaces(receipt: Receipt) -> None:
    """Raise an error unless a receipt of several spaces says whose everything is, and no other."""
    names = [one.space for one in receipt.spaces]
    if len(names) != len(set(names)):
        raise InvalidInput("receipt.spaces", "name one space twice")
    is_shared = len(names) > 1
    is_of_format = receipt.format == RECEIPT_FORMAT or is_shared == (receipt.format == SHARED_THEN)
    if len(names) == 1 or not is_of_format:
        problem = f"are {len(names)}, which is not what format {receipt.format} has"
        raise InvalidInput("receipt.spaces", problem)
    if len(receipt.dropped_spaces) != (len(receipt.dropped) if is_shared else 0):
        raise InvalidInput("receipt.dropped_spaces", "must be as many as there are dropped")
    known = set(names) if is_shared else {""}
    for place, one in enumerate(receipt.items):
        if one.space not in known:
            problem = f"{one.space!r:.80} is none of the receipt's"
            raise InvalidInput(f"receipt.items[{place}].space", problem)


def _check_items(receipt: Receipt) -> None:
    """Raise an error for a repeated item, and for text spans out of order."""
    seen: set[ItemKey] = set()
    for place, one in enumerate(receipt.items):
        at = f"receipt.items[{place}]"
        if one.key in seen:
            raise InvalidInput(f"{at}.id", f"{one.id!r} is there twice")
        seen.add(one.key)
        ends = [end for span in one.spans for end in span]
        if ends and (ends[0] < 0 or ends != sorted(ends)):
            raise InvalidInput(f"{at}.spans", "must rise and not overlap")
    whose = receipt.dropped_spaces or ("",) * len(receipt.dropped)
    for place, (space, (item_id, _)) in enumerate(zip(whose, receipt.dropped, strict=True)):
        if (space, item_id) in seen:
            raise InvalidInput(f"receipt.dropped[{place}]", f"{item_id!r} is there twice")
