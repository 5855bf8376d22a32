"""Attempts at a request: the writes of one are kept, and a failed one may be made again."""

from collections.abc import Callable
from datetime import datetime

import pytest

from simonides.errors import AlreadyDone
from simonides.model.stored import Prepared
from simonides.ports.requests import Attempt, attempting
from simonides.ports.space import Space

Prepare = Callable[..., Prepared]


def ids(space: Space) -> set[str]:
    with space.read() as reader:
        return {row.id for row in reader.item_rows(0)}


def test_an_attempt_may_write_several_times(space: Space, prepare: Prepare, noon: datetime) -> None:
    with attempting(Attempt(digest="r1", mark="a")):
        space.commit([prepare("one")], stored_at=noon)
        space.commit([prepare("two")], stored_at=noon)

    assert len(ids(space)) == 2


def test_of_two_attempts_the_second_writes_nothing(
    space: Space, other: Space, prepare: Prepare, noon: datetime
) -> None:
    first, second = Attempt(digest="r1", mark="a"), Attempt(digest="r1", mark="b")
    with attempting(first):
        space.commit([prepare("one")], stored_at=noon)
    before = ids(space)

    with attempting(second), pytest.raises(AlreadyDone):
        other.commit([prepare("two")], stored_at=noon)
    assert (first.is_noted, second.is_noted) == (True, False)
    with attempting(Attempt(digest="r2", mark="b")):
        other.commit([prepare("three")], stored_at=noon)
    assert len(ids(space)) == len(before) + 1


def test_a_failed_attempt_that_is_forgotten_may_be_made_again(
    space: Space, other: Space, prepare: Prepare, noon: datetime
) -> None:
    first = Attempt(digest="r1", mark="a")
    with attempting(first):
        space.commit([prepare("one")], stored_at=noon)
    space.forget_attempt(Attempt(digest="r1", mark="b"))  # another one's is not its to forget
    with attempting(Attempt(digest="r1", mark="c")), pytest.raises(AlreadyDone):
        other.commit([prepare("two")], stored_at=noon)

    space.forget_attempt(first)
    with attempting(Attempt(digest="r1", mark="d")):
        other.commit([prepare("two")], stored_at=noon)
    assert len(ids(space)) == 2


def test_an_attempt_whose_write_failed_notes_nothing(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    with attempting(Attempt(digest="r1", mark="a")), pytest.raises(Exception, match="vector"):
        space.commit([prepare("one", vector=b"\x01")], stored_at=noon)

    with attempting(Attempt(digest="r1", mark="b")):
        space.commit([prepare("one")], stored_at=noon)
    assert len(ids(space)) == 1


def test_a_note_takes_no_revision(space: Space, prepare: Prepare, noon: datetime) -> None:
    with attempting(Attempt(digest="r1", mark="a")):
        space.commit([prepare("one")], stored_at=noon)
    with space.read() as reader:
        before = reader.revision
    space.forget_attempt(Attempt(digest="r1", mark="a"))

    with space.read() as reader:
        assert reader.revision == before
