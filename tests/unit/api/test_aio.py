"""`memory.aio`: the same verbs, awaited; what is cancelled, what fails, and what runs at once."""

import asyncio
import inspect
import threading
import warnings
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from simonides import ChatEvent, ChatReply, Item, Memory, ModelReply, ModelRequest, Settings
from simonides.api import threads
from simonides.api.arguments import ChatFields
from simonides.api.memory import AsyncMemory
from simonides.api.threads import THREADS_MAX
from simonides.errors import InvalidInput, NotFound
from simonides.model.stored import Change
from simonides_bench.testing.hashing import HashingEmbedder

Open = Callable[..., Memory]

VERBS = sorted(
    name
    for name, _ in inspect.getmembers(Memory, inspect.isfunction)
    if not name.startswith("_") and name != "in_space"
)


class Gate:
    """A model that waits until it is let go: calls hang in the middle, as long as a test wants."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.entered = threading.Semaphore(0)

    def embedder(self) -> HashingEmbedder:
        """Return an embedder that waits at this gate with every text."""
        gate = self

        class Waiting(HashingEmbedder):
            def embed(self, texts: Any) -> Any:
                gate.entered.release()
                assert gate.open.wait(timeout=20)
                return super().embed(texts)

        return Waiting()


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, timeout=30))


async def entered(gate: Gate, times: int = 1) -> None:
    for _ in range(times):
        assert await asyncio.to_thread(gate.entered.acquire, timeout=20)


def test_every_verb_of_a_memory_can_be_awaited_and_no_other() -> None:
    verbs = inspect.getmembers(AsyncMemory, inspect.isfunction)
    proxied = [name for name, _ in verbs if not name.startswith("_")]

    assert proxied == sorted([*VERBS, "chat_stream"])
    assert all(inspect.iscoroutinefunction(getattr(AsyncMemory, name)) for name in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_an_awaited_verb_says_and_takes_the_same(verb: str) -> None:
    awaited, plain = getattr(AsyncMemory, verb), getattr(Memory, verb)

    assert awaited.__doc__ == plain.__doc__
    assert awaited.__name__ == verb
    assert inspect.signature(awaited) == inspect.signature(plain)


def test_all_verbs_do_what_they_do_without_awaiting(memory: Memory, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("The pilot of Harbor starts in April.")

    async def work() -> None:
        there = memory.aio
        outcome = await there.add("Alpha is due on Friday.", people=["Sarah"])
        assert (await there.get(outcome.id)).content == "Alpha is due on Friday."
        assert (await there.update(outcome.id, title="Alpha")).version == 2
        assert (await there.import_(note)).added == 1
        assert len((await there.list()).items) == 2
        assert (await there.search("when is Alpha due?", limit=1))[0].id == outcome.id
        assert (await there.explain("Alpha", limit=1)).result.hits
        assert "Friday" in (await there.brief("Alpha", budget_tokens=100)).text
        assert "person:~sarah" in {one.id for one in await there.entities()}
        assert (await there.stats()).items == 2
        assert await there.spaces() == ("default",)
        assert all(one.sound for one in await there.doctor())
        assert await there.reembed() == 2
        assert await there.forget(outcome.id) == (outcome.id,)
        await there.close()

    run(work())

    assert memory.stats().items == 1


def test_errors_reach_who_awaits(memory: Memory) -> None:
    async def work() -> None:
        with pytest.raises(InvalidInput, match="content: is empty"):
            await memory.aio.add("")
        with pytest.raises(NotFound):
            await memory.aio.get("nobody")
        with pytest.raises(TypeError, match="colour"):
            await memory.aio.search("x", colour="red")  # type: ignore[call-arg]

    run(work())


def test_many_calls_at_once_are_all_answered(memory: Memory) -> None:
    async def work() -> tuple[list[Any], list[Any]]:
        there = memory.aio
        outcomes = await asyncio.gather(*(there.add(f"note {n} of Alpha") for n in range(20)))
        return outcomes, await asyncio.gather(*(there.search("Alpha", limit=50) for _ in range(20)))

    outcomes, answers = run(work())

    assert [one.change for one in outcomes] == [Change.ADDED] * 20
    assert {tuple(hit.id for hit in answer) for answer in answers} == {
        tuple(hit.id for hit in memory.search("Alpha", limit=50))
    }


def test_the_loop_goes_on_while_a_verb_works(open_memory: Open) -> None:
    gate = Gate()
    memory = open_memory(embedder=gate.embedder())

    async def work() -> None:
        task = asyncio.create_task(memory.aio.add("x"))
        await entered(gate)
        assert not task.done()
        gate.open.set()
        assert (await task).change is Change.ADDED

    run(work())


def test_a_write_that_was_begun_is_whole_even_if_its_task_is_cancelled(
    open_memory: Open, tmp_path: Path
) -> None:
    gate, done = Gate(), threading.Event()
    memory = open_memory(embedder=gate.embedder())
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"text": "one"}\n{"text": "two"}\n')

    async def work() -> None:
        task = asyncio.create_task(memory.aio.import_(chat, on_progress=lambda _: done.set()))
        await entered(gate)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.open.set()
        assert await asyncio.to_thread(done.wait, timeout=20)

    run(work())

    assert memory.stats().items == 2


def test_no_more_run_at_once_than_there_are_threads_and_what_waits_can_be_cancelled(
    open_memory: Open,
) -> None:
    gate = Gate()
    memory = open_memory(embedder=gate.embedder())

    async def work() -> None:
        texts = [Item(content=f"note {n}", language="en") for n in range(THREADS_MAX + 1)]
        tasks = [asyncio.create_task(memory.aio.add(text)) for text in texts]
        await entered(gate, times=THREADS_MAX)
        assert not gate.entered.acquire(blocking=False)
        tasks[-1].cancel()
        await asyncio.wait([tasks[-1]])
        gate.open.set()
        done: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(done[-1], asyncio.CancelledError)
        assert all(one.change is Change.ADDED for one in done[:-1])

    run(work())

    assert memory.stats().items == THREADS_MAX


def test_a_verb_that_is_not_awaited_does_nothing(memory: Memory) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        memory.aio.add("x").close()

    assert memory.spaces() == ()


def test_another_space_is_awaited_through_its_own_memory(memory: Memory) -> None:
    run(memory.in_space("bob").aio.add("x"))

    assert memory.spaces() == ("bob",)


def test_an_unknown_verb_is_no_attribute(memory: Memory) -> None:
    with pytest.raises(AttributeError, match="vanish"):
        memory.aio.vanish  # type: ignore[attr-defined]  # noqa: B018  looking is the test


def test_the_threads_have_a_name_of_their_own() -> None:
    assert threads._POOL._thread_name_prefix == "simonides-aio"


class Streaming:
    """A chat model that answers in two words, and waits at a gate between them."""

    name = "streaming"

    def __init__(self) -> None:
        self.goes_on, self.ended = threading.Event(), threading.Event()

    def complete(
        self, request: ModelRequest, *, on_text: Any = None, is_cancelled: Any = None
    ) -> Any:
        """Tell the first word, wait, and tell the second one unless nobody listens any more."""
        assert request.messages
        on_text("On ")
        assert self.goes_on.wait(timeout=20)
        try:
            if is_cancelled():
                return ModelReply(content="On ", model=self.name)
            on_text("Friday.")
            return ModelReply(content="On Friday.", model=self.name)
        finally:
            self.ended.set()

    def close(self) -> None:
        """Do nothing."""


def test_a_chat_is_streamed_and_ends_with_its_reply(open_memory: Open) -> None:
    model = Streaming()
    memory = open_memory(chat_model=model)

    async def work() -> list[ChatEvent | ChatReply]:
        reported: list[ChatEvent | ChatReply] = []
        async for event in memory.aio.chat_stream("When is Alpha due?", session_id="s"):
            reported.append(event)
            model.goes_on.set()  # only what was told before has come by now
        return reported

    *events, reply = run(work())

    assert [event.text for event in events] == ["On ", "Friday."]
    assert isinstance(reply, ChatReply)
    assert reply.message == "On Friday."
    assert [one.content for one in memory.sessions.last("s")][-1] == "On Friday."


def test_who_leaves_a_stream_ends_the_turn_and_no_answer_is_kept(open_memory: Open) -> None:
    model = Streaming()
    memory = open_memory(chat_model=model)

    async def work() -> None:
        stream = memory.aio.chat_stream("When is Alpha due?", session_id="s")
        assert isinstance(await anext(stream), ChatEvent)
        await stream.aclose()
        model.goes_on.set()
        assert await asyncio.to_thread(model.ended.wait, timeout=20)

    run(work())

    assert [one.content for one in memory.sessions.last("s")] == ["When is Alpha due?"]


def test_what_is_wrong_reaches_who_listens_to_a_stream(memory: Memory) -> None:
    async def work() -> None:
        with pytest.raises(InvalidInput, match="time_filter"):
            await anext(memory.aio.chat_stream("x", time_filter="some day"))
        with pytest.raises(TypeError, match="colour"):
            await anext(memory.aio.chat_stream("x", colour="red"))  # type: ignore[call-arg]

    run(work())


def test_a_stream_takes_what_a_chat_takes_but_its_listeners() -> None:
    taken = {*inspect.signature(Memory.chat).parameters} - {"self", "message"}

    assert set(ChatFields.__annotations__) == taken - {"on_event", "is_cancelled"}


def test_a_memory_is_closed_at_the_end_of_async_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def work() -> int:
        async with Memory(":memory:", settings=Settings(embedder="none")).aio as memory:
            await memory.add("Alpha is due on Friday.")
            return len(await memory.search("Alpha"))

    assert run(work()) == 1
    assert list(tmp_path.iterdir()) == []
