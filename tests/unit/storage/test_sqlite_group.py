"""How the writers of one process take turns."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from simonides.errors import InvalidInput, StoreBusy, StoreFull
from simonides.storage.group_commit import CommitJob, Queue, Take, mark_sent, taking_back


def finish(jobs: list[CommitJob]) -> None:
    """Give every job back what it brought."""
    for job in jobs:
        job.result = job.work
        job.done = True


def serve_all(take: Take, _wait_s: float) -> None:
    finish(take())


def in_threads(*work: Callable[[], Any]) -> list[threading.Thread]:
    threads = [threading.Thread(target=one) for one in work]
    for thread in threads:
        thread.start()
    return threads


class Gate:
    """Serves like `serve_all`, but holds the first leader until it is opened."""

    def __init__(self, *, sends: bool = False) -> None:
        self.sends = sends
        self.held = threading.Event()
        self.opened = threading.Event()
        self.groups: list[list[Any]] = []
        self.fails: list[Exception] = []

    def serve(self, take: Take, _wait_s: float) -> None:
        self.held.set()
        self.opened.wait(60)
        jobs = take()
        self.groups.append([job.work for job in jobs])
        mark_sent(jobs, is_sent=self.sends)
        if self.fails:
            raise self.fails.pop()
        finish(jobs)


def wait_until_queued(queue: Queue, count: int) -> None:
    with queue._changed:
        assert queue._changed.wait_for(lambda: len(queue._waiting) == count, timeout=60)


def queued(queue: Queue, gate: Gate, *work: str) -> tuple[list[threading.Thread], list[Any]]:
    """Start a thread for each work, in order, while the gate holds the first one."""
    results: list[Any] = []

    def bring(one: str) -> None:
        try:
            results.append(queue.submit(one, serve=gate.serve))
        except (StoreBusy, StoreFull) as error:
            results.append(error)

    threads = []
    for n, one in enumerate(work):
        threads += in_threads(lambda one=one: bring(one))  # type: ignore[misc]
        with queue._changed:
            while len(queue._waiting) < n + 1:
                queue._changed.wait(0.001)
    assert gate.held.wait(60)
    return threads, results


def test_a_writer_alone_leads_itself() -> None:
    queue = Queue(name="s", timeout_s=1.0)

    assert queue.submit("a", serve=serve_all) == "a"
    assert queue.is_empty


def test_all_who_wait_are_served_in_one_group_in_their_order() -> None:
    queue, gate = Queue(name="s", timeout_s=60.0), Gate()
    threads, results = queued(queue, gate, "a", "b", "c")

    gate.opened.set()
    for thread in threads:
        thread.join()

    assert gate.groups == [["a", "b", "c"]]
    assert sorted(results) == ["a", "b", "c"]


def test_when_a_leader_fails_the_others_lead_themselves() -> None:
    queue, gate = Queue(name="s", timeout_s=60.0), Gate()
    gate.fails = [StoreFull("no room")]
    threads, results = queued(queue, gate, "a", "b", "c")

    gate.opened.set()
    for thread in threads:
        thread.join()

    failed = [one for one in results if isinstance(one, StoreFull)]
    assert [str(one) for one in failed] == ["no room"]
    assert len(results) == 3
    assert queue.is_empty


def test_a_failed_job_raises_only_in_its_own_thread() -> None:
    queue = Queue(name="s", timeout_s=1.0)

    def serve(take: Take, _wait_s: float) -> None:
        for job in take():
            job.error = InvalidInput("item", "no good")
            job.done = True

    with pytest.raises(InvalidInput, match="no good"):
        queue.submit("a", serve=serve)
    assert queue.submit("b", serve=serve_all) == "b"


def test_a_leader_that_finds_the_file_locked_says_how_long_it_waited() -> None:
    queue = Queue(name="ana", timeout_s=2.5)

    def serve(_take: Take, wait_s: float) -> None:
        assert 0.0 < wait_s <= 2.5
        raise StoreBusy("locked")

    with pytest.raises(StoreBusy, match=r"'ana': waited 2\.5 s .*; nothing was written; try again"):
        queue.submit("a", serve=serve)
    assert queue.is_empty


def test_a_follower_gives_up_at_its_time_out_and_takes_its_write_back() -> None:
    queue = Queue(name="s", timeout_s=0.01)

    with queue.alone(), pytest.raises(StoreBusy):
        queue.submit("late", serve=serve_all)

    assert queue.is_empty
    assert queue.submit("next", serve=serve_all) == "next"


def test_an_interrupted_leader_leaves_the_queue_in_order() -> None:
    queue = Queue(name="s", timeout_s=1.0)

    def interrupted(take: Take, _wait_s: float) -> None:
        take()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        queue.submit("a", serve=interrupted)

    assert queue.is_empty
    assert queue.submit("b", serve=serve_all) == "b"


def test_a_new_beginning_forgets_the_threads_that_waited() -> None:
    queue = Queue(name="s", timeout_s=0.01)
    with queue.alone():
        queue.start_anew()

        assert queue.submit("a", serve=serve_all) == "a"


def test_what_was_sent_is_never_done_again() -> None:
    queue, gate = Queue(name="s", timeout_s=60.0), Gate(sends=True)
    gate.fails = [StoreFull("in doubt")]
    threads, results = queued(queue, gate, "a", "b", "c")

    gate.opened.set()
    for thread in threads:
        thread.join()

    assert [str(one) for one in results] == ["in doubt"] * 3
    assert gate.groups == [["a", "b", "c"]]
    assert queue.submit("d", serve=serve_all) == "d"


def test_an_interruption_at_the_commit_leaves_all_in_doubt() -> None:
    queue, jobs = Queue(name="s", timeout_s=1.0), [CommitJob(work="b", until=0.0)]

    def interrupted(take: Take, _wait_s: float) -> None:
        queue._waiting += jobs
        mark_sent(take())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        queue.submit("a", serve=interrupted)

    assert jobs[0].done
    assert "whole, or not at all" in str(jobs[0].error)
    assert queue.is_empty


@pytest.mark.parametrize(
    ("error", "is_sent"),
    [(StoreFull("known to have failed"), False), (OSError("in doubt"), True)],
    ids=["known", "in doubt"],
)
def test_what_is_known_to_have_failed_was_not_sent(error: Exception, *, is_sent: bool) -> None:
    jobs = [CommitJob(work="a", until=0.0, sent=True)]

    with (
        pytest.raises(type(error)),
        taking_back(jobs, in_doubt=lambda one: isinstance(one, OSError)),
    ):
        raise error

    assert jobs[0].sent == is_sent
