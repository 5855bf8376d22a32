"""The pure parts below the adapters: what is sent, setbacks, calls beside."""

import threading
from collections.abc import Generator, Iterator
from threading import Event
from typing import Any

import pytest

from simonides.errors import ModelError
from simonides.models.chat.cancellable_call import WAITING_MAX, CallTimeout, CancellableCalls
from simonides.models.chat.connection import (
    EndpointRefusal,
    arguments_object,
    data_of,
    error_text,
    json_object,
    refusal,
    sendable,
)
from simonides.models.http_client import RetryableFailure


@pytest.mark.parametrize(
    ("lines", "data"),
    [
        (["data: a", "", "data: b", ""], ["a", "b"]),
        (["event: x", "data:a", "data: b", "", ""], ["a\nb"]),
        ([": a comment", "", "id: 3", "retry: 5", ""], []),
        (["data: the end is missing"], ["the end is missing"]),
        (["data:", ""], [""]),
        ([], []),
    ],
)
def test_the_data_of_events_is_found(lines: list[str], data: list[str]) -> None:
    assert list(data_of(iter(lines))) == data


@pytest.mark.parametrize("text", ["", "[]", "3", "{", "nope", "[" * 100_000])
def test_what_is_no_object_is_an_error_that_shows_its_begin(text: str) -> None:
    with pytest.raises(ModelError, match="no JSON object") as failed:
        json_object(text)

    assert len(str(failed.value)) < 200


def test_arguments_that_can_not_be_read_are_kept_as_such() -> None:
    assert arguments_object('{"a": 1}') == {"a": 1}
    assert arguments_object(" ") == {}
    assert arguments_object("[1]") == {"unreadable": "[1]"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "deep"}}, "deep"),
        ({"error": "flat"}, "flat"),
        ({"error": {}, "message": "beside"}, "beside"),
        ({"detail": [{"msg": "x"}]}, '[{"msg": "x"}]'),
        ({"odd": 1}, '{"odd": 1}'),
        ({}, ""),
        (None, ""),
        ("text", "text"),
    ],
)
def test_the_words_of_an_error_are_found(body: Any, said: str) -> None:
    assert error_text(body) == said


def test_what_is_sent_keeps_its_form() -> None:
    assert sendable({"a": (1, None, True, ["\ud800x"])}) == {"a": [1, None, True, ["?x"]]}


def test_a_status_is_an_error_or_a_setback() -> None:
    setback = refusal("host", 503, "busy", {"retry-after": "2"})
    error = refusal("host", 403, "", {})

    assert isinstance(setback, RetryableFailure)
    assert setback.wait_s == 2.0
    assert str(setback) == "host answered 503: busy"
    assert isinstance(error, EndpointRefusal)
    assert error.code == "model_error"
    assert str(error) == ("host answered 403: without a word; check the API key and what it may do")


def never() -> bool:
    return False


def test_a_call_beside_gives_its_pieces_and_its_failure() -> None:
    def call() -> Generator[int, None, None]:
        yield 1
        yield 2
        raise LookupError("its own")

    pieces = CancellableCalls(lambda: 0.0).pieces(call, deadline_s=9.0, is_cancelled=never)

    assert [next(pieces), next(pieces)] == [1, 2]
    with pytest.raises(LookupError, match="its own"):
        next(pieces)


def test_a_call_that_is_left_is_closed_at_its_next_piece() -> None:
    closed = Event()

    def call() -> Generator[int, None, None]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    calls = CancellableCalls(lambda: 0.0)
    pieces: Iterator[Any] = calls.pieces(call, deadline_s=9.0, is_cancelled=never)
    next(pieces)
    del pieces
    calls.close()

    assert closed.is_set()
    assert [each.name for each in threading.enumerate() if "model-call" in each.name] == []


def test_a_deadline_is_kept_whatever_still_comes() -> None:
    now = iter(range(100))

    def call() -> Generator[int, None, None]:
        yield from range(1000)

    pieces = CancellableCalls(lambda: float(next(now))).pieces(
        call, deadline_s=5.0, is_cancelled=never
    )

    with pytest.raises(CallTimeout):
        list(pieces)


def test_a_call_that_is_faster_than_its_listener_waits_for_it() -> None:
    made: list[int] = []

    def call() -> Generator[int, None, None]:
        for number in range(100_000):
            made.append(number)
            yield number

    pieces = CancellableCalls(lambda: 0.0).pieces(call, deadline_s=1.0, is_cancelled=lambda: False)
    taken = [next(pieces) for _ in range(3)]
    most = len(made)
    pieces.close()

    assert taken == [0, 1, 2]
    assert most <= 3 + WAITING_MAX + 1
