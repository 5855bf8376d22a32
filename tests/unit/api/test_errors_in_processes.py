"""An error that a worker process raises reaches the process that asked it."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from simonides import Conflict, InvalidInput, Memory, NotFound, SimonidesError


def get_missing(home: Path) -> None:
    with Memory(home) as memory:
        memory.get("missing")


def test_an_error_of_a_worker_is_raised_as_it_was_and_the_pool_works_on(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        with pytest.raises(NotFound, match="no item 'missing'"):
            pool.submit(get_missing, tmp_path).result(timeout=30)
        assert pool.submit(len, "ab").result(timeout=30) == 2


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
