"""Streams under way: keys that are revoked, callers that leave, and errors half way."""

import asyncio
import gc
import io
import json
import threading
from contextlib import suppress
from typing import Any

import pytest

from simonides.http.streaming import PIECE_BYTES, PIECES_MAX, Pipe, seen, streamed
from simonides.http.threads import Threads


def taken(write: Any) -> bytes:
    """Return all that is read of what a thread writes."""

    async def read() -> bytes:
        threads = Threads(1, waiting_max=1, name="test")
        try:
            pieces, task = await streamed(write, threads=threads)
            got = b"".join([one async for one in pieces])
            await task
            return got
        finally:
            await asyncio.to_thread(threads.close)

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


def test_what_goes_wrong_half_way_ends_the_stream_and_is_raised_by_its_task() -> None:
    def write(pipe: Pipe) -> None:
        pipe.write(b"x" * PIECE_BYTES)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        taken(write)


def test_a_task_that_nobody_looks_at_writes_no_word_to_the_log(caplog: Any) -> None:
    async def leave() -> None:
        failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        failed.add_done_callback(seen)
        failed.set_exception(ValueError("my secret"))
        await asyncio.sleep(0)
        cancelled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        cancelled.add_done_callback(seen)
        cancelled.cancel()
        await asyncio.sleep(0)

    asyncio.run(leave())
    gc.collect()

    assert caplog.text == ""


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
