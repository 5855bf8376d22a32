"""What callers hand to the verbs, checked and brought into form before anything is opened."""

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from simonides.config import check_timezone
from simonides.errors import InvalidInput
from simonides.model.answer import Mode, Query, Scorer
from simonides.model.bounds import COUNT
from simonides.model.compose import compose, one_of
from simonides.model.item import Item
from simonides.ports.embedder import Clock


def as_item(content: str | Item, given: Mapping[str, Any]) -> Item:
    """Return an item as it is, or the one that a text and the fields given make.

    Raises:
        InvalidInput: A field is unknown or out of range, or given beside an item.
    """
    if isinstance(content, Item):
        if given:
            raise InvalidInput(next(iter(given)), "belongs into the item that is added")
        return content
    return compose(content, **given)


def question(
    text: str, given: Mapping[str, Any], *, clock: Clock, timezone: Callable[[], str]
) -> Query:
    """Return the question that the arguments of `search` make; None stands for a default.

    `clock` and `timezone` are asked where no time or no zone is given.

    Raises:
        InvalidInput: An argument is unknown, or names what is not there.
    """
    known = {one.name for one in fields(Query)} - {"text"}
    for name in given:
        if name not in known:
            raise InvalidInput(name, f"is not known; there are {', '.join(sorted(known))}")
    values = {name: value for name, value in given.items() if value is not None}
    zone = values.get("timezone")
    if zone:
        check_timezone(zone)
    return Query(
        **{
            "text": text,
            **values,
            "now": values.get("now") or clock(),
            "timezone": zone or timezone(),
            "mode": one_of(Mode, values.get("mode", Mode.HYBRID), field="mode"),
            "scorer": one_of(Scorer, values.get("scorer", Scorer.FUSED), field="scorer"),
        }
    )


def expanded(path: str | os.PathLike[str], *, field: str) -> Path:
    """Return a path whose `~` is the home of its user.

    Raises:
        InvalidInput: Nobody is known whose home that is.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidInput(field, f"{path} names the home of nobody here") from error


def check_limit(limit: int, *, field: str = "limit") -> None:
    """Raise `InvalidInput` unless at least one is asked for."""
    COUNT.check(limit, field=field)
