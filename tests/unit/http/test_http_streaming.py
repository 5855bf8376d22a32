"""Streams under way: keys that are revoked, callers that leave, and errors half way."""

import asyncio
import gc
import io
import json
import threading
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.http.connection import ReaderPace
from simonides.http.errors import RequestRefused
from simonides.http.request_body import BYTES_PER_S_MIN
from simonides.http.state import ends_within
from simonides.http.streaming import (
    ABORT,
    PIECE_BYTES,
    PIECES_MAX,
    Pipe,
    Streams,
    stream,
)

WAIT_S = 30.0


def streams(size: int = 1, *, stream_s: float = WAIT_S, wait_s: float = WAIT_S) -> Streams:
    cut_off: list[str] = []
    made = Streams(
        size, wait_s=wait_s, stream_s=stream_s, count_cut_off=cut_off.append
    )  # fmt: skip
    made.seen = cut_off  # type: ignore[attr-defined]  # for the test alone
    return made


class Reader:
    """A caller of one stream: what it got, and how it leaves or falls asleep."""

    def __init__(self, *, pieces_max: int = 10_000, stalls: bool = False) -> None:
        self.got: list[bytes] = []
        self.is_whole = False
        self.began = asyncio.Event()
        self._pieces_max = pieces_max
        self._stalls = stalls
        self._left = asyncio.Event()

    async def receive(self) -> Any:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.body":
            self.got.append(message["body"])
            self.began.set()
            self.is_whole = not message["more_body"]
            if len(self.got) >= self._pieces_max:
                if not self._stalls:
                    self._left.set()
                await asyncio.Event().wait()

    def scope(self) -> Any:
        return {"type": "http", "asgi": {"spec_version": "2.3"}, ABORT: lambda: None}


async def read_by(reader: Reader, write: Any, made: Streams) -> None:
    response = await stream(write, streams=made, caller="k", media_type="text/plain")
    await response(reader.scope(), reader.receive, reader.send)


def taken(write: Any) -> bytes:
    """Return all that is read of what a thread writes; it must come to its proper end."""

    async def read() -> bytes:
        made, reader = streams(), Reader()
        await read_by(reader, write, made)

        assert await asyncio.to_thread(ends_within, WAIT_S, made.close)
        assert reader.is_whole
        return b"".join(reader.got)

    return asyncio.run(read())


@pytest.mark.parametrize("size", [1, 1_000, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1])
@pytest.mark.parametrize("times", [1, 3, 3 * PIECES_MAX])
def test_every_byte_comes_out_in_its_order(size: int, times: int) -> None:
    parts = [bytes([n % 251]) * size for n in range(times)]

    def write(pipe: Pipe) -> None:
        for one in parts:
            assert pipe.write(one) == len(one)

    assert taken(write) == b"".join(parts)


def test_what_writes_to_files_can_write_to_it() -> None:
    def write(pipe: Pipe) -> None:
        with io.TextIOWrapper(io.BufferedWriter(pipe), encoding="utf-8", newline="") as lines:
            for n in range(1_000):
                json.dump({"n": n}, lines)
                lines.write("\n")

    assert [json.loads(one)["n"] for one in taken(write).splitlines()] == list(range(1_000))


def test_nothing_written_is_an_empty_stream() -> None:
    assert taken(lambda _: None) == b""


def test_what_goes_wrong_half_way_breaks_the_stream_off_after_what_was_written() -> None:
    def write(pipe: Pipe) -> None:
        pipe.write(b"x" * PIECE_BYTES)
        raise ZeroDivisionError

    async def read() -> tuple[Reader, list[str]]:
        made, reader = streams(), Reader()
        await read_by(reader, write, made)
        return reader, made.seen  # type: ignore[attr-defined]

    reader, cut_off = asyncio.run(read())

    assert b"".join(reader.got) == b"x" * PIECE_BYTES
    assert (reader.is_whole, cut_off) == (False, ["failed"])


def test_what_goes_wrong_before_the_first_piece_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        taken(lambda pipe: pipe.write(b"never sent") // 0)


def endless(ended: threading.Event, count: list[int]) -> Any:
    def write(pipe: Pipe) -> None:
        try:
            while True:
                count[0] += pipe.write(b"x" * PIECE_BYTES)
        finally:
            ended.set()

    return write


@pytest.mark.parametrize(
    ("how", "reason"),
    [("leaves", []), ("leaves late", []), ("stalls", ["time"]), ("stopping", ["stopping"]),
     ("cancelled", [])],
)  # fmt: skip
def test_a_thread_is_given_back_the_moment_that_its_stream_ends(
    how: str, reason: list[str]
) -> None:
    async def end() -> list[str]:
        ended = threading.Event()
        made = streams(stream_s=0.01 if how == "stalls" else WAIT_S)
        pieces_max = 3 * PIECES_MAX if how == "leaves late" else 1
        reader = Reader(pieces_max=pieces_max, stalls=not how.startswith("leaves"))
        gc.disable()
        try:
            reading = asyncio.ensure_future(read_by(reader, endless(ended, [0]), made))
            await reader.began.wait()
            if how == "stopping":
                made.stop()
            if how == "cancelled":
                reading.cancel()
            await asyncio.wait({reading})

            assert await asyncio.to_thread(ended.wait, WAIT_S)
        finally:
            gc.enable()
        assert await asyncio.to_thread(ends_within, WAIT_S, made.close)
        await asyncio.sleep(0)
        assert (made.taken, len(made._limits)) == (0, 0)
        return made.seen  # type: ignore[attr-defined,no-any-return]

    assert asyncio.run(end()) == reason


def test_a_response_that_is_never_sent_lets_go_of_its_thread_when_told() -> None:
    async def end() -> bool:
        ended, made = threading.Event(), streams()
        response = await stream(
            endless(ended, [0]), streams=made, caller="k", media_type="text/plain"
        )
        response._on_end()
        return await asyncio.to_thread(ends_within, WAIT_S, made.close) and ended.is_set()

    assert asyncio.run(end())


def test_a_key_that_takes_all_of_its_share_leaves_room_for_others() -> None:
    async def fill() -> list[Any]:
        made, go_on = streams(4), threading.Event()
        of_eve = [asyncio.ensure_future(made.run(go_on.wait, caller="eve")) for _ in range(6)]
        await asyncio.sleep(0)
        of_bob = await made.run(lambda: "bob is served", caller="bob")
        running = made.taken - made.waiting
        go_on.set()
        ended = await asyncio.gather(*of_eve, return_exceptions=True)
        await asyncio.to_thread(ends_within, WAIT_S, made.close)
        return [of_bob, running, [one if one is True else type(one) for one in ended]]

    of_bob, running, of_eve = asyncio.run(fill())

    assert (of_bob, running) == ("bob is served", 2)
    assert of_eve == [True] * 4 + [RequestRefused] * 2


def test_who_waits_too_long_for_a_turn_is_refused_and_takes_no_place() -> None:
    async def fill() -> tuple[str, int]:
        made, go_on = streams(2, wait_s=0.001), threading.Event()
        first = asyncio.ensure_future(made.run(go_on.wait, caller="eve"))
        await asyncio.sleep(0)
        with pytest.raises(RequestRefused) as refused:
            await made.run(lambda: None, caller="eve")
        go_on.set()
        await first
        await asyncio.to_thread(ends_within, WAIT_S, made.close)
        await asyncio.sleep(0)
        return refused.value.code, made.taken

    assert asyncio.run(fill()) == ("overloaded", 0)


def test_what_does_not_end_is_not_waited_for_longer_than_told() -> None:
    async def leave() -> tuple[bool, bool]:
        made, go_on = streams(), threading.Event()
        stuck = asyncio.ensure_future(made.run(go_on.wait, caller="k"))
        await asyncio.sleep(0)
        in_time = await asyncio.to_thread(ends_within, 0.01, made.close)
        go_on.set()
        return in_time, await stuck

    assert asyncio.run(leave()) == (False, True)


@given(
    st.lists(
        st.tuples(st.floats(0, 100), st.integers(0, 1 << 24)), min_size=1, max_size=30,
    ),
    st.floats(0.5, 60),
)  # fmt: skip
def test_a_reader_never_has_more_time_left_than_a_pause(
    steps: list[tuple[float, int]], pause_s: float
) -> None:
    pace, now_s = ReaderPace(pause_s=pause_s), 0.0
    for waited_s, read in steps:
        left_s = pace.wait(now_s, unread=read)
        now_s += waited_s
        after_s = pace.look(now_s, unread=0)

        assert after_s <= pause_s
        assert after_s == pytest.approx(min(pause_s, left_s - waited_s + read / BYTES_PER_S_MIN))


@pytest.mark.parametrize(
    ("bytes_per_s", "cut_after_s"), [(0, 30), (8 << 10, 60), (15 << 10, 480), (16 << 10, None)]
)
def test_a_drip_is_cut_off_however_fast_it_was_before(
    bytes_per_s: int, cut_after_s: int | None
) -> None:
    pace, unread = ReaderPace(pause_s=30.0), 1 << 40
    pace.wait(0.0, unread=unread)
    pace.look(1.0, unread=unread - (1 << 30))  # a gigabyte at once earns nothing
    unread -= 1 << 30
    left = [
        second
        for second in range(1, 1_000)
        if pace.look(1.0 + second, unread=unread - second * bytes_per_s) <= 0
    ]

    assert (left[0] if left else None) == cut_after_s


def test_a_turn_that_fails_after_its_caller_left_writes_no_word_to_the_log(
    live: Any, monkeypatch: Any, caplog: Any
) -> None:
    from simonides import Memory
    from simonides.model.chat import ChatEvent, ChatEventKind

    ended = threading.Event()

    def fails(_: Any, message: str, *, on_event: Any, is_cancelled: Any, **__: Any) -> None:
        on_event(ChatEvent(kind=ChatEventKind.TEXT, text="more"))
        never = threading.Event()
        while not is_cancelled():
            never.wait(0.01)
        ended.set()
        raise ValueError(f"about {message}")

    monkeypatch.setattr(Memory, "chat", fails)
    with live.send("/v1/chat", {"message": "my secret", "stream": True}) as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
    assert ended.wait(30)
    live.stop()
    live.thread.join(30)
    gc.collect()

    assert "secret" not in caplog.text


def test_an_export_goes_on_though_its_key_is_revoked_and_the_next_is_refused(
    site: Any, monkeypatch: Any
) -> None:
    site.add("one", "two", space="alice")
    key = site.key("alice")
    plain = type(site.memory).export

    def revoked_meanwhile(self: Any, target: Any, **named: Any) -> Any:
        self.keys.revoke(key)
        return plain(self, target, **named)

    monkeypatch.setattr(type(site.memory), "export", revoked_meanwhile)
    first = site.ask("GET", "/v1/export", key=key)
    second = site.ask("GET", "/v1/export", key=key)

    assert first.status_code == 200
    assert len(first.content.splitlines()) >= 3
    assert second.status_code == 401


def test_who_leaves_an_export_frees_its_thread(live: Any) -> None:
    live.server.memory.add([f"note {n} " + "x" * 10_000 for n in range(400)])
    head = b"GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for _ in range(3 * live.server.limits.streams_max):
        with live.connect(head) as connection, suppress(ConnectionResetError):
            assert connection.recv(100).startswith(b"HTTP/1.1 200")

    with live.connect(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")) as last:
        assert last.recv(100).startswith(b"HTTP/1.1 200")
