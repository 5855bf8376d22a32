"""The functions of operations whose request is not just the arguments of one method.

Each takes a memory and the arguments that were sent: filters made, and what was not sent left out.
Must not know any interface.
"""

import json
from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from simonides.api.arguments import with_times
from simonides.api.operations.questions import FilterRequest
from simonides.codec.read import read_item
from simonides.config import check_timezone
from simonides.errors import InvalidInput
from simonides.model.filter import Filter, Viewer, parse_condition
from simonides.model.item import MemoryTraits
from simonides.model.memories import ProposalsMade, ProposedMemory
from simonides.model.query import named_range
from simonides.model.result import Result
from simonides.model.stored import Change, Outcome
from simonides.model.times import read_time

if TYPE_CHECKING:
    from simonides.api.memory import Memory
    from simonides.model.answer import MultiSpaceResult, SearchResult
    from simonides.model.brief import Replay
    from simonides.model.chat import ChatReply
    from simonides.model.item import Item
    from simonides.model.memories import Remembered
    from simonides.model.receipt_diff import ReceiptDiff


def arguments_of(request: Any, *, timezone: str, now: datetime | None = None) -> dict[str, Any]:
    """Return the fields of a request that were sent; records within become dictionaries.

    A filter becomes a `Filter`, whose times are in the zone of the request, else in `timezone`.

    Raises:
        InvalidInput: A time, a zone or a condition does not fit.
    """
    zone = getattr(request, "timezone", None) or timezone
    found = {}
    for name, value in _sent(request).items():
        if isinstance(value, FilterRequest):
            asked_at = _now(request, zone) or now or datetime.now(UTC)
            found[name] = _filter(value, now=asked_at, timezone=zone)
        else:
            found[name] = _plain(value)
    return found


def _sent(record: Any) -> dict[str, Any]:
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: value for name, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    """Return a value in which records are dictionaries of the fields that were sent."""
    if is_dataclass(value):
        return {name: _plain(one) for name, one in _sent(value).items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _now(request: Any, zone: str) -> datetime | None:
    given = getattr(request, "now", None)
    if zone:  # an empty one is that of the machine
        check_timezone(zone)
    return read_time(given, name="now", timezone=zone) if given else None


def _filter(asked: FilterRequest, *, now: datetime, timezone: str) -> Filter:
    values = _sent(asked)
    named = values.pop("time", None)
    if named is not None:
        if asked.since or asked.until:
            raise InvalidInput("filter.time", "stands for a range: leave out since and until")
        ends = named_range(named, now=now, timezone=timezone)
        values |= {"since": ends.since, "until": ends.until}
    for name in ("since", "until"):
        if isinstance(values.get(name), str):
            values[name] = read_time(values[name], name=f"filter.{name}", timezone=timezone)
    if asked.viewer is not None:
        values["viewer"] = Viewer(**_plain(asked.viewer))
    if asked.where is not None:
        values["where"] = parse_condition(asked.where)
    return Filter(**values)


Sent = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Added(Result):
    """The outcomes of added items: a count of each change, and each by itself."""

    added: int
    updated: int
    unchanged: int
    forgotten: int
    outcomes: tuple[Outcome, ...]


def search(memory: "Memory", sent: Sent) -> "SearchResult | MultiSpaceResult":
    """Return the hits of a question in the own space, or in each of several."""
    query = sent.pop("query")
    if "spaces" not in sent:
        return memory.search(query, **sent)
    if sent.pop("best_context", False):
        problem = "is that of one space; ask each by itself"
        raise InvalidInput("best_context", problem)
    return memory.search_across(query, **sent)


def replay(memory: "Memory", sent: Sent) -> "Replay":
    """Return the brief of a receipt, rebuilt."""
    return memory.replay(_receipt(sent["receipt"]))


def diff(memory: "Memory", sent: Sent) -> "ReceiptDiff":
    """Return the differences between the briefs of two receipts, with reasons."""
    return memory.diff(_receipt(sent["before"]), _receipt(sent["after"]))


def _receipt(sent: Sent | str) -> str:
    return sent if isinstance(sent, str) else json.dumps(sent)


def chat(memory: "Memory", sent: Sent, **in_process: Any) -> "ChatReply":
    """Return the answer to a message; streaming is up to the interface."""
    message = sent.pop("message")
    sent.pop("stream", None)
    return memory.chat(message, **sent, **in_process)


def add(memory: "Memory", sent: Sent) -> Added:
    """Add one item, or several in one transaction."""
    several = sent.pop("items", None)
    if several is not None and _is_item(sent):
        raise InvalidInput("items", "stands for all: leave out the fields beside it")
    zone = memory.settings.timezone
    items = [read_item(one, timezone=zone) for one in ([sent] if several is None else several)]
    outcomes: tuple[Outcome, ...] = memory.add(items)
    counts = Counter(one.change for one in outcomes)
    return Added(outcomes=outcomes, **{one.value: counts[one] for one in Change})


def _is_item(sent: Sent) -> bool:
    return any(value != "" for value in sent.values())


def is_added(done: Added) -> bool:
    """Return whether anything was added."""
    return bool(done.added)


def update(memory: "Memory", sent: Sent) -> "Item":
    """Replace some fields of an item."""
    item_id, if_version = sent.pop("item_id"), sent.pop("if_version", None)
    if not sent:
        raise InvalidInput("body", "names no field: say what is to change")
    return memory.update(item_id, if_version=if_version, **sent)


def remember(memory: "Memory", sent: Sent) -> "Remembered":
    """Compare a statement with the stored memories, decide, and write the result."""
    text, traits = sent.pop("text"), sent.pop("traits", {})
    twice = sorted(traits.keys() & sent.keys())
    if twice:
        raise InvalidInput(f"traits.{twice[0]}", "stands beside the text already")
    return memory.remember(text, **traits, **sent)


def is_written(done: "Remembered") -> bool:
    """Return whether remembering wrote anything; a dry run never does."""
    return bool(done.written)


def propose(memory: "Memory", sent: Sent) -> ProposalsMade:
    """Store proposals of memories."""
    proposed = (_proposed(one, timezone=memory.settings.timezone) for one in sent["proposed"])
    return memory.proposals.propose(*proposed, by=sent["by"])


def _proposed(sent: Sent, *, timezone: str) -> ProposedMemory:
    values = with_times(sent, timezone=timezone)
    if "traits" in values:
        values["traits"] = MemoryTraits(**values["traits"])
    return ProposedMemory(**values)
