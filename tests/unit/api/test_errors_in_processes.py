"""An error that a worker process raises reaches the process that asked it."""

import copy
import pickle

import pytest

from simonides import Conflict, InvalidInput, Memory, NotFound, SimonidesError


def raised(memory: Memory) -> list[SimonidesError]:
    found = []
    [kept] = [memory.add("The crane needs cable seven.")]
    for call in (
        lambda: memory.get("missing"),
        lambda: memory.search(""),
        lambda: memory.update(kept.id, content="other", if_version=7),
        lambda: memory.search("crane", as_of=9),
    ):
        with pytest.raises(SimonidesError) as caught:
            call()
        found.append(caught.value)
    return found


def test_an_error_can_be_copied_with_its_text_and_its_fields() -> None:
    with Memory(":memory:") as memory:
        errors = raised(memory)

    assert {NotFound, InvalidInput, Conflict} <= {type(one) for one in errors}
    for error in errors:
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301  our own
            assert type(again) is type(error)
            assert (str(again), vars(again)) == (str(error), vars(error))
