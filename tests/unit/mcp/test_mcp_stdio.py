"""Streams served to their end: what was asked is answered, and what is no message as well."""

import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from simonides.errors import InvalidInput
from simonides.mcp import stdio
from simonides.mcp.stdio import serve, until_answered
from simonides.mcp.unreadable import TOO_LONG

ROOM = 100
Asked = MemoryObjectReceiveStream[Any]
Told = MemoryObjectSendStream[SessionMessage]


def asking(request_id: int | str) -> SessionMessage:
    return SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method="ping"))


def noting(method: str, **params: Any) -> SessionMessage:
    return SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params))


def answering(request_id: int | str) -> SessionMessage:
    return SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=request_id, result={}))


def failing(request_id: int | str) -> SessionMessage:
    error = types.ErrorData(code=-32601, message="no")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request_id, error=error))


def served(
    came: list[SessionMessage | Exception], work: Callable[[Asked, Told], Awaitable[None]]
) -> list[Any]:
    """Serve what came and then ended by a piece of work; return the messages that were sent."""

    async def run() -> list[Any]:
        given, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](ROOM)
        outgoing, sent = anyio.create_memory_object_stream[SessionMessage](ROOM)
        with given:
            for one in came:
                given.send_nowait(one)
        with anyio.fail_after(20), sent:
            async with until_answered(incoming, outgoing) as (asked, reported), asked, reported:
                await work(asked, reported)
            incoming.close()
            return [one.message async for one in sent]

    return anyio.run(run)


async def answer_at_the_end(asked: Asked, answers: Told) -> None:
    """Answer each request once its turn comes again, as a slow tool does."""
    async with anyio.create_task_group() as tasks:
        async for one in asked:
            if isinstance(one.message, types.JSONRPCRequest):
                tasks.start_soon(answers.send, answering(one.message.id))


def test_the_end_waits_for_the_answers_to_what_was_asked_before() -> None:
    ended: list[str] = []

    async def work(asked: Asked, reported: Told) -> None:
        first = await asked.receive()
        with anyio.move_on_after(0.01) as waited:
            async for _ in asked:
                pass
        ended.append("still open" if waited.cancelled_caught else "closed at once")
        await reported.send(answering(first.message.id))
        async for _ in asked:
            pass

    sent = served([asking(1)], work)

    assert ended == ["still open"]
    assert [one.id for one in sent] == [1]


def test_all_that_is_asked_at_once_is_answered() -> None:
    sent = served([asking(n) for n in range(30)], answer_at_the_end)

    assert sorted(one.id for one in sent) == list(range(30))


@pytest.mark.parametrize("answers", [answering("a"), failing("a")])
def test_an_error_is_an_answer_too(answers: SessionMessage) -> None:
    async def work(asked: Asked, outgoing: Told) -> None:
        await asked.receive()
        await outgoing.send(answers)
        async for _ in asked:
            pass

    assert [one.id for one in served([asking("a")], work)] == ["a"]


def test_nobody_waits_for_what_was_cancelled() -> None:
    async def work(asked: Asked, reported: Told) -> None:
        await reported.send(noting("notifications/message", level="info", data="no answer"))
        async for _ in asked:
            pass

    came = [asking(1), noting("notifications/cancelled", requestId=1)]
    sent = served([*came], work)

    assert [one.method for one in sent] == ["notifications/message"]


@pytest.mark.parametrize("params", [{}, {"requestId": None}, {"requestId": [1]}, {"requestId": {}}])
def test_a_strange_cancellation_ends_nothing(params: dict[str, Any]) -> None:
    came = [asking(1), noting("notifications/cancelled", **params)]

    assert [one.id for one in served([*came], answer_at_the_end)] == [1]


def test_an_answer_that_never_comes_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "LAST_ANSWERS_S", 0.01)

    async def work(asked: Asked, _: Told) -> None:
        async for _one in asked:
            pass

    assert served([asking(1)], work) == []


def test_what_is_no_message_is_answered_by_an_error_without_an_id_and_goes_no_further() -> None:
    seen: list[Any] = []

    async def work(asked: Asked, reported: Told) -> None:
        async for one in asked:
            seen.append(one.message.id)
            await reported.send(answering(one.message.id))

    sent = served([ValueError("my secret"), asking(1)], work)

    assert seen == [1]
    assert [(one.id, getattr(one, "error", None) is None) for one in sent] == [
        (None, False), (1, True),
    ]  # fmt: skip
    assert sent[0].error.code == types.PARSE_ERROR
    assert "secret" not in sent[0].error.message


@pytest.mark.parametrize(
    ("line", "request_id", "code", "problem"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": "\\ud83c"}}',
         7, types.INVALID_PARAMS, "holds half a character"),
        ('{"jsonrpc": "2.0", "id": "a\\udc00", "method": "ping"}',
         None, types.INVALID_PARAMS, "holds half a character"),
        ('{"id": 7', None, types.PARSE_ERROR, "is no JSON"),
        ("?", None, types.PARSE_ERROR, "is no JSON"),
        ("[" * 9_000, None, types.PARSE_ERROR, "is no JSON"),
        (TOO_LONG.decode(), None, types.PARSE_ERROR, "at most 8 MiB"),
        ('[{"jsonrpc": "2.0", "id": 7, "method": "ping"}]',
         None, types.INVALID_REQUEST, "is a batch"),
        ('"secret"', None, types.INVALID_REQUEST, "is no object"),
        ('{"id": 7, "method": "ping"}', 7, types.INVALID_REQUEST, 'needs "jsonrpc": "2.0"'),
        ('{"jsonrpc": "1.0", "id": 7, "method": "ping"}',
         7, types.INVALID_REQUEST, 'needs "jsonrpc": "2.0"'),
        ('{"id": [7]}', None, types.INVALID_REQUEST, 'needs "jsonrpc": "2.0"'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_line_is_told_under_its_own_id(
    line: str, request_id: int | None, code: int, problem: str
) -> None:
    with pytest.raises(ValueError, match="validation error") as caught:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)

    (sent,) = served([caught.value], answer_at_the_end)

    assert (sent.id, sent.error.code) == (request_id, code)
    assert problem in sent.error.message
    assert "secret" not in sent.error.message


@pytest.mark.parametrize("name", ["stdin", "stdout"])
def test_without_an_input_or_output_nothing_is_served(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, name, None)
    with pytest.raises(InvalidInput, match="is closed"):
        serve(None)  # type: ignore[arg-type]  # nobody is asked
