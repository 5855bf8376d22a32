"""The pure parts below the adapters: addresses and keys, what is sent, waits, calls beside."""

import threading
from collections.abc import Generator, Iterator
from threading import Event
from typing import Any

import pytest

from simonides.errors import InvalidInput, ModelError
from simonides.llm.address import SAID_CHARS_MAX, Address, address
from simonides.llm.beside import Calls, TooLateError
from simonides.llm.sent import arguments_object, data_of, error_said, json_object, sendable
from simonides.llm.setback import (
    LONGEST_S,
    Refused,
    Setback,
    growing_s,
    refusal,
    retry_after_s,
)

OWN = "https://api.example.com/v1"


def at(url: str, key: str | None = None) -> Address:
    return address(url, key, own=OWN, own_key="EXAMPLE_API_KEY")


@pytest.fixture
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "own")


@pytest.mark.usefixtures("_keys")
def test_the_providers_own_key_goes_to_its_own_address_only() -> None:
    assert at(OWN).key == "own"
    assert at(OWN + "/").key == "own"
    assert at("https://elsewhere.example.com/v1").key == ""
    assert at("http://api.example.com/v1").key == ""


@pytest.mark.usefixtures("_keys")
def test_a_key_said_comes_before_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMONIDES_CHAT_API_KEY", "general")

    assert at(OWN).key == at("http://127.0.0.1:1").key == "general"
    assert at(OWN, " said\n").key == "said"
    assert at(OWN, "").key == ""


def test_an_address_tells_its_host_and_hides_its_key() -> None:
    here = at("http://localhost:8080/v1/", "secret")

    assert here.base_url == "http://localhost:8080/v1"
    assert here.host == "localhost:8080"
    assert here.is_loopback
    assert not at(OWN).is_loopback
    assert "secret" not in repr(here)


def test_an_endpoints_words_are_shown_on_one_line_bounded_without_the_key() -> None:
    here = at(OWN, "secret")

    assert here.shown("a  secret\nthing \ud800") == "a [key] thing ?"
    assert len(here.shown("x" * 999)) == SAID_CHARS_MAX + 3
    assert at(OWN, "").shown("plain") == "plain"


@pytest.mark.parametrize("url", ["", "host", "ftp://host", "http://", "http://[", "http://a:0"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="must be an http or https address"):
        at(url)


@pytest.mark.parametrize("key", ["ключ", "two\nlines"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(InvalidInput, match="must be printable ASCII") as refused:
        at(OWN, key)

    assert key not in str(refused.value)


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
    assert error_said(body) == said


def test_what_is_sent_keeps_its_form() -> None:
    assert sendable({"a": (1, None, True, ["\ud800x"])}) == {"a": [1, None, True, ["?x"]]}


def test_waits_grow_up_to_a_bound() -> None:
    assert [growing_s(attempt, draw=1.0) for attempt in range(7)] == [
        0.5, 1.0, 2.0, 4.0, LONGEST_S, LONGEST_S, LONGEST_S,
    ]  # fmt: skip
    assert growing_s(3, draw=0.0) == 0.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "soon"}, 0.0),
        ({}, 0.0),
        (
            {
                "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT",
                "date": "Sat, 21 Nov 2026 10:00:00 GMT",
            },
            30.0,
        ),
        ({"retry-after": "Sat, 21 Nov 2026 10:00:30 GMT"}, 0.0),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float) -> None:
    assert retry_after_s(headers) == seconds


def test_a_status_is_an_error_or_a_setback() -> None:
    setback = refusal("host", 503, "busy", {"retry-after": "2"})
    error = refusal("host", 403, "", {})

    assert isinstance(setback, Setback)
    assert setback.wait_s == 2.0
    assert str(setback) == "host answered 503: busy"
    assert isinstance(error, Refused)
    assert error.code == "model_error"
    assert str(error) == ("host answered 403: without a word; check the API key and what it may do")


def never() -> bool:
    return False


def test_a_call_beside_gives_its_pieces_and_its_failure() -> None:
    def call() -> Generator[int, None, None]:
        yield 1
        yield 2
        raise LookupError("its own")

    pieces = Calls(lambda: 0.0).pieces(call, deadline_s=9.0, is_cancelled=never)

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

    calls = Calls(lambda: 0.0)
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

    pieces = Calls(lambda: float(next(now))).pieces(call, deadline_s=5.0, is_cancelled=never)

    with pytest.raises(TooLateError):
        list(pieces)
