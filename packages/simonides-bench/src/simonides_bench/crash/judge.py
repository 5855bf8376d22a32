"""Whether what is found is what was promised, and if not, what is wrong with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

from simonides_bench.crash.found import NOT_WHOLE, Found, Wanted
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.state import State


class Wrong(StrEnum):
    """How a space can fail its promise."""

    LOST = "lost"
    """Something acknowledged is missing, or is an older version than was acknowledged."""
    RESURRECTED = "resurrected"
    """Something deleted or replaced is back."""
    TORN = "torn"
    """Something is there in part, or matches no state that could be."""
    UNOPENABLE = "unopenable"
    """It cannot be opened, read or written to, or `verify` finds damage."""
    UNCLEAR = "unclear"
    """Something failed without an error of the engine's own that says what and where."""
    LEFT_BYTES = "left_bytes"
    """Bytes of something that was erased are in a file of the home."""
    LEFT_FILES = "left_files"
    """Temporary files are there that neither the next start nor the next erasure removes."""
    LEAKED_THREADS = "leaked_threads"
    """A server has more threads than before its clients came."""
    LEAKED_DESCRIPTORS = "leaked_descriptors"
    """A server has more open files or connections than before its clients came."""
    HELD_READS = "held_reads"
    """Somebody still reads the space, so that its log cannot be emptied nor an erasure finished."""
    HUNG = "hung"
    """Something did not answer or did not end within the time that was promised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong, and what was seen."""

    wrong: Wrong
    seen: str


def list_wanted(promises: Sequence[Promise]) -> Wanted:
    """Return what to look for so that the promises can be judged."""
    return Wanted(
        states=tuple(state for promise in promises for state in promise.allowed),
        collections=tuple(promise.stream for promise in promises),
        receipts=tuple(one for promise in promises for one in promise.receipts),
    )


def settle(seen: Found, promises: Sequence[Promise]) -> tuple[list[Promise], list[Fault]]:
    """Return the promises narrowed to the states that were found, and what fits none."""
    settled: list[Promise] = []
    faults = list(_strangers(seen, promises))
    for promise in promises:
        own = _part(seen, promise.stream)
        matching = [one for one in promise.allowed if expected_part(one) == own]
        if matching:
            settled.append(promise.settle(matching[-1]))
            faults += _disorder(seen, matching[-1])
        else:
            faults += _faults(own, promise)
    faults += [
        Fault(wrong=Wrong.LOST, seen=f"receipt {one}")
        for promise in promises
        for one in promise.receipts
        if one not in seen.receipts
    ]
    return settled, faults


Part = dict[str, Mapping[Any, Any]]
"""What a stream has in a space: four tables by name."""


def expected_part(state: State) -> Part:
    """Return what a state says a stream should have, to compare it with what is found."""
    return {
        "item": {one: (kept.version, kept.word) for one, kept in state.present.items()},
        "version": dict(state.archive),
        "engagement": dict(state.engaged),
        "background": dict.fromkeys(state.backgrounds, True),
    }


def _part(seen: Found, stream: str) -> Part:
    return {
        "item": {one: kept for one, kept in seen.present.items() if _stream_of(one) == stream},
        "version": {
            one: word for one, word in seen.archive.items() if _stream_of(one[0]) == stream
        },
        "engagement": {one: n for one, n in seen.engaged.items() if _stream_of(one) == stream},
        "background": dict.fromkeys(seen.backgrounds.get(stream, ()), True),
    }


def _stream_of(item_id: str) -> str:
    return item_id.partition("-")[0]


def _strangers(seen: Found, promises: Sequence[Promise]) -> Iterator[Fault]:
    streams = {promise.stream for promise in promises}
    for one in seen.present:
        if _stream_of(one) not in streams:
            yield Fault(wrong=Wrong.TORN, seen=f"item {one} of no stream")


def _disorder(seen: Found, state: State) -> Iterator[Fault]:
    """Yield a fault where a later write has a smaller revision than an earlier one."""
    born = sorted((kept.write, seen.births[one], one) for one, kept in state.present.items())
    for (early, before, _), (late, after, one) in pairwise(born):
        if after < before or (early < late and after == before):
            yield Fault(wrong=Wrong.TORN, seen=f"{one} has revision {after} after {before}")


def _faults(own: Part, promise: Promise) -> list[Fault]:
    """Return what is wrong with a part that is none of the states that could be.

    What all of them hold is lost where it lacks, what none of them holds has come back or is torn.
    """
    allowed = [expected_part(one) for one in promise.allowed]
    past = [expected_part(one) for one in promise.states[: promise.begun + 1]]
    faults = []
    for table, rows in own.items():
        for row in sorted(set(rows).union(*(one[table] for one in allowed))):
            here = rows.get(row)
            if any(one[table].get(row) == here for one in allowed):
                continue
            was = any(one[table].get(row) == here for one in past)
            wrong = _kind(
                here, was=was, lacks=_lacks(here, [one[table].get(row) for one in allowed])
            )
            faults.append(Fault(wrong=wrong, seen=f"{table} {row} is {here}"))
    return faults or [Fault(wrong=Wrong.TORN, seen=f"{promise.stream}: a mixture of states")]


def _lacks(here: Any, allowed: Sequence[Any]) -> bool:
    """Return whether something should be there and is not, or should be newer or more."""
    if here is None:
        return True
    newest = allowed[0]
    if newest is None or isinstance(here, str | bool):
        return False
    return bool(here < newest)


def _kind(here: Any, *, was: bool, lacks: bool) -> Wrong:
    if here is not None and NOT_WHOLE in str(here):
        return Wrong.TORN
    if lacks:
        return Wrong.LOST
    return Wrong.RESURRECTED if was else Wrong.TORN
