"""What is found against what was promised: each way to fail has its own word."""

from dataclasses import replace
from typing import Any

import pytest

from simonides_bench.crash.found import NOT_WHOLE, Found
from simonides_bench.crash.judge import Fault, Wrong, list_wanted, settle
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.state import State

EMPTY = State()
FIRST = EMPTY.put([("s0-1", "x"), ("s0-2", "y")])
SECOND = FIRST.put([("s0-1", "z")])
THIRD = SECOND.without(["s0-2"]).engaging(["s0-1"]).showing("b")
STATES = (EMPTY, FIRST, SECOND, THIRD)


def promise(*, acknowledged: int, begun: int, **rest: Any) -> Promise:
    return Promise(
        stream="s0", states=STATES, acknowledged=acknowledged, begun=begun, least=acknowledged,
        **rest,
    )  # fmt: skip


def seen(state: State, **rest: Any) -> Found:
    """Return what is found where a space holds a state; births follow the writes."""
    return Found(
        present={one: (kept.version, kept.word) for one, kept in state.present.items()},
        births={one: kept.write for one, kept in state.present.items()},
        archive=state.archive,
        engaged=state.engaged,
        backgrounds={"s0": state.backgrounds},
        **rest,
    )


def wrongs(found: Found, promised: Promise) -> set[Wrong]:
    return {fault.wrong for fault in settle(found, [promised])[1]}


@pytest.mark.parametrize("there", [2, 3])
def test_what_was_acknowledged_or_one_write_more_is_right(there: int) -> None:
    settled, faults = settle(seen(STATES[there]), [promise(acknowledged=2, begun=3)])

    assert faults == []
    assert settled[0].allowed == (STATES[there],)


def test_what_is_settled_may_not_change_any_more() -> None:
    settled, _ = settle(seen(SECOND), [promise(acknowledged=2, begun=3)])

    assert wrongs(seen(THIRD), settled[0]) != set()


def test_an_acknowledged_write_that_lacks_is_lost() -> None:
    assert wrongs(seen(EMPTY), promise(acknowledged=1, begun=1)) == {Wrong.LOST}


def test_an_older_version_is_a_newer_one_lost() -> None:
    assert Wrong.LOST in wrongs(seen(FIRST), promise(acknowledged=2, begun=2))


def test_what_was_forgotten_and_is_there_is_back() -> None:
    alive = replace(THIRD, present=SECOND.present, archive=SECOND.archive)

    assert Wrong.RESURRECTED in wrongs(seen(alive), promise(acknowledged=3, begun=3))


def test_a_snapshot_that_was_hidden_is_back() -> None:
    states = (EMPTY.showing("b"), EMPTY.showing("b").hiding("b"))
    one = Promise(stream="s0", states=states, acknowledged=1, begun=1, least=1)

    assert wrongs(seen(states[0]), one) == {Wrong.RESURRECTED}


def test_half_a_batch_is_torn() -> None:
    half = replace(FIRST, present={"s0-1": FIRST.present["s0-1"]})

    assert wrongs(seen(half), promise(acknowledged=0, begun=1)) == {Wrong.TORN}


def test_an_item_whose_parts_do_not_belong_together_is_torn() -> None:
    found = seen(FIRST)
    found = replace(found, present={**found.present, "s0-1": (1, NOT_WHOLE)})

    assert wrongs(found, promise(acknowledged=1, begun=1)) == {Wrong.TORN}


def test_something_that_nobody_wrote_is_torn() -> None:
    found = replace(seen(FIRST), present={**seen(FIRST).present, "s7-1": (1, "q")})

    assert wrongs(found, promise(acknowledged=1, begun=1)) == {Wrong.TORN}


def test_engagement_that_lacks_is_lost() -> None:
    found = replace(seen(THIRD), engaged={})

    assert wrongs(found, promise(acknowledged=3, begun=3)) == {Wrong.LOST}


def test_a_receipt_that_was_acknowledged_and_lacks_is_lost() -> None:
    one = promise(acknowledged=1, begun=1, receipts=("r1", "r2"))

    assert settle(seen(FIRST, receipts=frozenset({"r1"})), [one])[1] == [
        Fault(wrong=Wrong.LOST, seen="receipt r2")
    ]


def test_a_later_write_must_have_a_later_revision() -> None:
    found = replace(seen(SECOND), births={"s0-1": 1, "s0-2": 1})

    assert wrongs(found, promise(acknowledged=2, begun=2)) == {Wrong.TORN}


def test_without_a_sync_any_earlier_state_is_right_but_no_mixture() -> None:
    one = replace(promise(acknowledged=3, begun=3), least=0)
    mixture = replace(seen(FIRST), backgrounds={"s0": frozenset("b")})

    assert wrongs(seen(FIRST), one) == set()
    assert wrongs(mixture, one) == {Wrong.TORN}


def test_all_that_could_be_there_is_looked_for() -> None:
    look = list_wanted([promise(acknowledged=1, begun=3, receipts=("r",))])

    assert look.versions == {("s0-1", 1), ("s0-1", 2), ("s0-2", 1)}
    assert (look.collections, look.receipts) == (("s0",), ("r",))
