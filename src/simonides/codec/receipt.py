"""Receipts from JSON: read back exactly, or refused with the place of the problem.

The text may come from anywhere; whatever it holds, `InvalidInput` is the only error. Must not
know spaces: whether what a receipt names is there is `context.replay`'s to say.
"""

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from simonides.codec.lossless import read
from simonides.config import check_timezone
from simonides.errors import InvalidInput
from simonides.model.brief import RECEIPT_FORMAT, Receipt, ReceiptItem
from simonides.text.tokens import ENCODINGS

UNITS = ("tokens", "words")

NESTED_MAX = 200
"""How deep objects and lists may lie in each other; conditions as deep as can be asked for fit."""


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
    receipt = read(Receipt, tree, path="receipt")
    _check_names(receipt)
    _check_items(receipt.items, [item_id for item_id, _ in receipt.dropped])
    return receipt


def _tree(text: str) -> Any:
    try:
        tree = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("receipt", f"is no JSON: {error}") from error
    _check_depth(tree)
    return tree


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _check_depth(tree: Any) -> None:
    """Refuse JSON nested too deeply for later steps; without recursion."""
    level: list[Any] = [tree]
    for _ in range(NESTED_MAX):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return
    raise InvalidInput("receipt", f"is nested more than {NESTED_MAX} deep")


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _check_format(tree: Any) -> None:
    """Raise an error for another format before reading its fields, which may be different."""
    if not isinstance(tree, dict):
        raise InvalidInput("receipt", f"must be an object, got {type(tree).__name__}")
    number = tree.get("format", RECEIPT_FORMAT)
    if isinstance(number, int) and number != RECEIPT_FORMAT:
        problem = (
            f"is {number}, this engine reads {RECEIPT_FORMAT}; use the simonides that wrote it"
        )
        raise InvalidInput("receipt.format", problem)


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


def _check_items(items: Iterable[ReceiptItem], dropped: Iterable[str]) -> None:
    """Raise an error for a repeated item, and for text spans out of order."""
    seen: set[str] = set()
    for place, one in enumerate(items):
        at = f"receipt.items[{place}]"
        if one.id in seen:
            raise InvalidInput(f"{at}.id", f"{one.id!r} is there twice")
        seen.add(one.id)
        ends = [end for span in one.spans for end in span]
        if ends and (ends[0] < 0 or ends != sorted(ends)):
            raise InvalidInput(f"{at}.spans", "must rise and not overlap")
    for place, item_id in enumerate(dropped):
        if item_id in seen:
            raise InvalidInput(f"receipt.dropped[{place}]", f"{item_id!r} is there twice")
