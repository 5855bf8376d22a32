"""Lines of a descriptor: whole, bounded, and read without anybody having to wait for the next."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.mcp import stdio as room
from simonides.mcp.stdio import lines, lines_of
from simonides.mcp.unreadable import TOO_LONG


@contextmanager
def pipe_of(*pieces: bytes) -> Iterator[int]:
    """Give the end of a pipe into which a thread writes pieces and then closes it."""
    reading, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError):
            for piece in pieces:
                os.write(writing, piece)
        os.close(writing)

    thread = Thread(target=write)
    thread.start()
    try:
        yield reading
    finally:
        os.close(reading)
        thread.join(timeout=20)


def read_lines(*pieces: bytes, bytes_max: int = 100) -> list[bytes]:
    with pipe_of(*pieces) as descriptor:
        return list(lines_of(descriptor, bytes_max=bytes_max))


def test_lines_come_without_their_ends_and_the_last_one_needs_none() -> None:
    assert read_lines(b"one\n", b"tw", b"o\nthr", b"ee") == [b"one", b"two", b"three"]
    assert read_lines(b"") == []
    assert read_lines(b"\n\n") == [b"", b""]


def test_only_a_line_feed_ends_a_line() -> None:
    assert read_lines("a\u2028b\x85c\x0bd\r\ne\n".encode()) == [
        "a\u2028b\x85c\x0bd\r".encode(),
        b"e",
    ]


@pytest.mark.parametrize(
    "pieces", [(b"x" * 11 + b"\n",), (b"x" * 6, b"x" * 5, b"\n"), (b"x" * 11,)]
)
def test_a_line_that_is_too_long_is_not_kept_and_the_next_one_is_read(
    pieces: tuple[bytes, ...],
) -> None:
    assert read_lines(*pieces, bytes_max=10) == [TOO_LONG]
    assert read_lines(b"y\n", *pieces, bytes_max=10)[-1] == TOO_LONG
    assert read_lines(b"x" * 11 + b"\n", b"next\n", bytes_max=10) == [TOO_LONG, b"next"]


def test_a_line_of_just_so_many_bytes_is_read() -> None:
    assert read_lines(b"x" * 10 + b"\n", b"x" * 10, bytes_max=10) == [b"x" * 10] * 2


def test_a_descriptor_that_breaks_has_ended() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    os.close(reading)

    assert list(lines_of(reading)) == []


@given(st.lists(st.binary(max_size=30).map(lambda one: one.replace(b"\n", b"")), max_size=8),
       st.integers(1, 7))  # fmt: skip
def test_however_a_text_is_cut_its_lines_are_the_same(wanted: list[bytes], step: int) -> None:
    text = b"".join(one + b"\n" for one in wanted)
    pieces = [text[at : at + step] for at in range(0, len(text), step)]

    assert read_lines(*pieces) == wanted


# ── on the event loop ────────────────────────────────────────────────────────────────────────────


def gathered(*pieces: bytes) -> list[str]:
    async def gather(descriptor: int) -> list[str]:
        with anyio.fail_after(20):
            return [line async for line in lines(descriptor)]

    with pipe_of(*pieces) as descriptor:
        return anyio.run(gather, descriptor)


def test_blank_lines_say_nothing_and_what_is_no_utf8_is_replaced() -> None:
    assert gathered(b"a\n", b"\n \r\n", b"caf\xe9\n", "ä\u2028".encode()) == [
        "a", "caf\ufffd", "ä\u2028",
    ]  # fmt: skip


def test_many_lines_come_in_their_order() -> None:
    wanted = [f"line {n}" for n in range(500)]

    assert gathered("\n".join(wanted).encode()) == wanted


def test_a_longer_line_than_may_be_stands_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "lines_of", lambda _: iter([TOO_LONG, b"next"]))

    assert gathered() == [TOO_LONG.decode(), "next"]


def test_who_stops_asking_need_not_wait_for_a_line_that_never_comes() -> None:
    reading, writing = os.pipe()

    async def ask() -> str:
        async for line in lines(reading):
            return line
        return ""

    async def give_up() -> bool:
        with anyio.move_on_after(0.01) as scope:
            await ask()
        return scope.cancelled_caught

    try:
        assert anyio.run(give_up)
    finally:
        os.close(writing)  # lets the thread go
