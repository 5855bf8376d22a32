"""`memory.sessions`: create, list, get, messages, last, add and forget, through the façade."""

import asyncio
import inspect
import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from simonides import Filter, Item, Memory
from simonides.api.aio import AsyncSessions
from simonides.api.chat import Sessions
from simonides.assistant.sessions import CLOCK_SKEW_MAX
from simonides.errors import EmbedderError, InvalidInput, NotFound
from simonides.model.answer import Page
from simonides.model.chat import Session, SessionPage
from simonides.model.item import Kind, Person, Trust
from simonides.model.stored import Change
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
VERBS = ["add", "add_many", "create", "forget", "get", "last", "list", "messages"]

Open = Callable[..., Memory]


class Clock:
    """Stands where a test puts it."""

    now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def talking(open_memory: Open, clock: Clock) -> Memory:
    """Return a memory whose clock a test moves."""
    return open_memory(clock=clock)


def said(memory: Memory, session_id: str) -> list[str]:
    return [item.content for item in memory.sessions.last(session_id, 100)]


def say(memory: Memory, session_id: str, *texts: str) -> list[str]:
    roles = ("user", "assistant")
    return [memory.sessions.add(session_id, roles[n % 2], text).id for n, text in enumerate(texts)]


# ── adding ───────────────────────────────────────────────────────────────────────────────────────


def test_a_message_is_an_item_as_an_imported_chat_has_it(memory: Memory, tmp_path: Path) -> None:
    line = {"session": "b", "speaker": "user", "text": "Hello.", "at": "2026-03-12T09:00:00Z"}
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps(line))
    memory.import_(chat)
    outcome = memory.sessions.add("a", "user", " Hello.\r\n", metadata={"mood": "good"})

    assert outcome.change is Change.ADDED
    [own], [imported] = memory.sessions.last("a"), memory.sessions.last("b")
    assert own.id == outcome.id
    for item in (own, imported):
        assert (item.kind, item.source, item.content) == (Kind.MESSAGE, "chat", "Hello.")
        assert (item.people, item.position) == ((Person(name="user"),), 0)
        assert (item.happened_at, item.collection, item.title) == (NOW, "main", "")
    assert (own.session, own.metadata) == ("a", {"mood": "good"})


def test_both_sides_are_the_users_own(memory: Memory) -> None:
    say(memory, "a", "the alpha deadline", "alpha is due on friday")

    assert {hit.trust for hit in memory.search("alpha")} == {Trust.OWN}


def test_what_is_said_twice_is_kept_twice_in_its_place(memory: Memory) -> None:
    ids = say(memory, "a", "yes", "yes", "yes")

    assert len(set(ids)) == 3
    assert [(one.id, one.position) for one in memory.sessions.last("a")] == [
        (item_id, place) for place, item_id in enumerate(ids)
    ]


def test_the_same_words_in_two_sessions_are_two_messages(memory: Memory) -> None:
    assert say(memory, "a", "yes") != say(memory, "b", "yes")


def test_many_that_add_at_once_lose_nothing_and_share_no_place(memory: Memory) -> None:
    begin = threading.Barrier(8)

    def work(n: int) -> None:
        begin.wait(timeout=10)
        for turn in range(5):
            memory.sessions.add("a", "user", f"{n}/{turn}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    found = memory.sessions.last("a", 100)
    assert [one.position for one in found] == list(range(40))
    assert {one.content for one in found} == {f"{n}/{t}" for n in range(8) for t in range(5)}


def test_the_same_words_at_the_same_moment_by_many_are_all_kept(memory: Memory) -> None:
    begin = threading.Barrier(8)

    def work() -> None:
        begin.wait(timeout=10)
        memory.sessions.add("a", "user", "yes")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert [one.position for one in memory.sessions.last("a")] == list(range(8))


def test_two_processes_that_add_at_once_share_no_place(open_memory: Open) -> None:
    one, other = open_memory(), open_memory()
    one.sessions.add("a", "user", "first")
    other.sessions.add("a", "assistant", "second")
    one.sessions.add("a", "user", "third")

    assert said(one, "a") == said(other, "a") == ["first", "second", "third"]


class Counting:
    """An embedder that counts the texts it sees, and may say another message meanwhile."""

    def __init__(self) -> None:
        self._embedder = HashingEmbedder()
        self.texts: list[str] = []
        self.meanwhile: Callable[[], object] = list

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed(self, texts: Any) -> Any:
        self.texts += texts
        self.meanwhile, meanwhile = list, self.meanwhile
        meanwhile()
        return self._embedder.embed(texts)


def test_a_message_is_embedded_once_when_it_is_kept_even_if_its_place_was_taken(
    open_memory: Open,
) -> None:
    embedder = Counting()
    memory = open_memory(embedder=embedder)
    memory.sessions.add("a", "user", "first")
    embedder.meanwhile = lambda: memory.sessions.add("a", "user", "faster")
    memory.sessions.add("a", "user", "slower")
    memory.sessions.last("a")
    memory.sessions.get("a")
    memory.search("faster")

    assert said(memory, "a") == ["first", "faster", "slower"]
    assert [text.rpartition(" ")[2] for text in embedder.texts] == ["first", "slower", "faster"]
    assert all(one.sound for one in memory.verify())


def test_a_message_goes_behind_those_of_an_import(memory: Memory) -> None:
    memory.add([
        Item(kind=Kind.MESSAGE, source="chat", session="a", position=n, content=f"line {n}",
             happened_at=NOW - (9 - n) * MINUTE)
        for n in range(3)
    ])  # fmt: skip
    memory.sessions.add("a", "user", "and now")

    assert [one.position for one in memory.sessions.last("a")] == [0, 1, 2, 3]
    assert said(memory, "a")[-1] == "and now"


def test_a_place_that_a_forgotten_message_had_is_not_given_again(memory: Memory) -> None:
    first, second = say(memory, "a", "one", "two")
    memory.forget(second)
    third = memory.sessions.add("a", "user", "three")

    assert third.change is Change.ADDED
    assert third.id != second
    assert [one.position for one in memory.sessions.last("a")] == [0, 2]
    assert memory.restore(second).content == "two"
    assert said(memory, "a") == ["one", "two", "three"]
    assert len(memory.history(first)) == 1


def test_a_place_that_an_erased_message_had_shows_nothing_of_it(memory: Memory) -> None:
    [first] = say(memory, "a", "a secret word")
    memory.erase(first)
    again = memory.sessions.add("a", "user", "hello")

    assert said(memory, "a") == ["hello"]
    assert [one.item.content for one in memory.history(again.id)] == ["hello"]


def test_it_stands_where_it_is_said_to_have_happened(memory: Memory) -> None:
    memory.sessions.add("a", "user", "now")
    memory.sessions.add("a", "user", "before", happened_at=NOW - MINUTE)

    assert said(memory, "a") == ["before", "now"]
    assert [one.position for one in memory.sessions.last("a")] == [1, 0]


def test_a_clock_that_is_set_back_a_little_puts_no_answer_before_its_question(
    talking: Memory, clock: Clock
) -> None:
    talking.sessions.add("a", "user", "question")
    clock.now = NOW - CLOCK_SKEW_MAX
    talking.sessions.add("a", "assistant", "answer")
    assert said(talking, "a") == ["question", "answer"]

    clock.now -= timedelta(microseconds=1)
    talking.sessions.add("a", "user", "of another time")
    assert said(talking, "a") == ["of another time", "question", "answer"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (("", "user", "x"), "session_id"),
        ((" a", "user", "x"), "session_id"),
        (("a\n", "user", "x"), "session_id"),
        (("a\u200b", "user", "x"), "session_id"),
        (("\ud800", "user", "x"), "session_id"),
        (("x" * 129, "user", "x"), "session_id"),
        ((None, "user", "x"), "session_id"),
        (("a", "system", "x"), "role"),
        (("a", "tool", "x"), "role"),
        (("a", "nobody", "x"), "role"),
        (("a", "user", ""), "content"),
        (("a", "user", " \x00\n"), "content"),
        (("a", "user", None), "content"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name_and_nothing_is_written(
    memory: Memory, given: Any, field: str
) -> None:
    memory.sessions.add("kept", "user", "hello")
    with pytest.raises(InvalidInput) as refused:
        memory.sessions.add(*given)

    assert refused.value.field == field
    assert memory.stats().items == 1


@pytest.mark.parametrize("odd", [{"metadata": [1]}, {"metadata": "text"}, {"happened_at": 3}])
def test_metadata_and_times_that_do_not_fit_are_refused(
    memory: Memory, odd: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        memory.sessions.add("a", "user", "x", **odd)
    assert memory.sessions.list().sessions == ()


def test_a_message_that_can_not_be_embedded_is_not_kept(open_memory: Open) -> None:
    embedder = Counting()
    memory = open_memory(embedder=embedder)

    def fail() -> None:
        raise EmbedderError("the model is gone")

    embedder.meanwhile = fail
    with pytest.raises(EmbedderError):
        memory.sessions.add("a", "user", "hello")
    assert memory.sessions.last("a") == ()


# ── creating ─────────────────────────────────────────────────────────────────────────────────────


def test_a_session_that_is_created_is_there_with_its_first_message(memory: Memory) -> None:
    made = memory.sessions.create(session_id="trip", title="To the sea")

    assert made == Session(
        id="trip", messages=0, started_at=NOW, updated_at=NOW, title="To the sea"
    )
    assert memory.spaces() == ()
    assert memory.sessions.list().sessions == ()
    say(memory, "trip", "hello", "hello")
    assert memory.sessions.get("trip").title == "To the sea"
    assert [one.title for one in memory.sessions.last("trip")] == ["To the sea", ""]


def test_without_an_id_it_gets_one_of_its_own(memory: Memory) -> None:
    ids = {memory.sessions.create().id for _ in range(20)}

    assert len(ids) == 20
    assert all(len(one) == 32 and one.isalnum() for one in ids)


def test_one_that_is_there_already_is_returned_as_it_is(memory: Memory) -> None:
    say(memory, "a", "hello", "hello")

    assert memory.sessions.create(session_id="a", title="new") == memory.sessions.get("a")
    assert memory.sessions.get("a").title == "hello"


def test_an_id_that_does_not_fit_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="session_id: must have at most 128 characters"):
        memory.sessions.create(session_id="x" * 129)
    assert memory.sessions.create(session_id="x" * 128).id == "x" * 128


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def test_a_session_tells_how_many_messages_it_has_and_when_they_were(
    talking: Memory, clock: Clock
) -> None:
    say(talking, "a", "When does the ferry leave?\nAnd from where?")
    clock.now = NOW + MINUTE
    say(talking, "a", "At nine.")

    assert talking.sessions.get("a") == Session(
        id="a", messages=2, started_at=NOW, updated_at=NOW + MINUTE,
        title="When does the ferry leave?",
    )  # fmt: skip


def test_one_that_is_not_there_is_not_found(memory: Memory) -> None:
    with pytest.raises(NotFound, match="no session 'a'"):
        memory.sessions.get("a")
    say(memory, "b", "hello")
    with pytest.raises(NotFound, match="no session 'a'"):
        memory.sessions.get("a")
    with pytest.raises(NotFound):
        memory.sessions.get("")


def test_only_messages_make_a_session(memory: Memory) -> None:
    memory.add("a mail of a thread", kind="email", session="thread", source="gmail")
    memory.add("a message of none", kind="message", source="chat")
    memory.add("a message among mails", kind="message", session="thread", source="chat")

    assert [(one.id, one.messages) for one in memory.sessions.list().sessions] == [("thread", 1)]
    assert said(memory, "thread") == ["a message among mails"]


def test_messages_of_no_session_are_in_none(memory: Memory) -> None:
    memory.add("a message of none", kind="message", source="chat")

    assert memory.sessions.last("") == memory.sessions.messages("").items == ()
    assert memory.sessions.forget("") == ()
    with pytest.raises(NotFound):
        memory.sessions.get("")
    assert memory.stats().items == 1


def test_undated_messages_count_as_of_when_they_were_kept(memory: Memory) -> None:
    memory.add("hello", kind="message", session="a", source="chat")

    assert memory.sessions.get("a").updated_at == NOW


def test_they_are_listed_last_used_first_then_by_id_page_by_page(
    talking: Memory, clock: Clock
) -> None:
    for minutes, names in ((0, ("c", "b")), (1, ("a", "e", "d")), (2, ("c",))):
        clock.now = NOW + minutes * MINUTE
        for name in names:
            say(talking, name, "hello")

    pages, cursor = [], ""
    while True:
        page = talking.sessions.list(limit=2, cursor=cursor)
        pages.append([one.id for one in page.sessions])
        if not (cursor := page.cursor):
            break
    assert pages == [["c", "a"], ["d", "e"], ["b"]]
    assert talking.sessions.list(limit=5).cursor == ""


def test_pages_of_sessions_go_on_where_they_were_while_others_write(
    talking: Memory, clock: Clock
) -> None:
    for name in ("a", "b", "c"):
        clock.now += MINUTE
        say(talking, name, "hello")
    first = talking.sessions.list(limit=2)
    clock.now += MINUTE
    say(talking, "d", "hello")
    talking.sessions.forget("b")

    second = talking.sessions.list(limit=2, cursor=first.cursor)
    assert [one.id for one in (*first.sessions, *second.sessions)] == ["c", "b", "a"]


def test_messages_come_in_their_order_page_by_page(memory: Memory) -> None:
    ids = say(memory, "a", *(f"line {n}" for n in range(5)))
    say(memory, "b", "elsewhere")

    first = memory.sessions.messages("a", limit=2)
    memory.forget(ids[1])
    say(memory, "a", "line 5")
    second = memory.sessions.messages("a", limit=2, cursor=first.cursor)
    third = memory.sessions.messages("a", limit=2, cursor=second.cursor)

    assert [[int(one.content[-1]) for one in page.items] for page in (first, second, third)] == [
        [0, 1], [2, 3], [4, 5],
    ]  # fmt: skip
    assert third.cursor == ""
    assert memory.sessions.messages("a", limit=5).cursor == ""


def test_messages_of_one_moment_without_positions_come_by_id_on_every_page(memory: Memory) -> None:
    ids = [
        memory.add("x", kind="message", session="a", source="chat", id=f"{'same-head' * 4}-{n}").id
        for n in (2, 0, 1)
    ]
    found, cursor = [], ""
    while True:
        page = memory.sessions.messages("a", limit=1, cursor=cursor)
        found += [one.id for one in page.items]
        if not (cursor := page.cursor):
            break

    assert sorted(found) == sorted(ids)
    assert found == [one.id for one in memory.sessions.last("a")]


def test_last_gives_the_last_ten_the_oldest_first(memory: Memory) -> None:
    say(memory, "a", *(str(n) for n in range(12)))

    assert [one.content for one in memory.sessions.last("a")] == [str(n) for n in range(2, 12)]
    assert [one.content for one in memory.sessions.last("a", 2)] == ["10", "11"]
    assert memory.sessions.last("b") == ()


def test_asking_makes_no_space(memory: Memory, home: Path) -> None:
    there = memory.sessions

    assert (there.list(), there.messages("a"), there.last("a"), there.forget("a")) == (
        SessionPage(sessions=()),
        Page(items=()),
        (),
        (),
    )
    assert not home.exists()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda it: it.list(limit=0), "limit"),
        (lambda it: it.list(limit=1_001), "limit"),
        (lambda it: it.list(limit=True), "limit"),
        (lambda it: it.list(cursor="x"), "cursor"),
        (lambda it: it.list(cursor=it.messages("a", limit=1).cursor), "cursor"),
        (lambda it: it.messages("a", limit=0), "limit"),
        (lambda it: it.messages("a", cursor="é"), "cursor"),
        (lambda it: it.messages("a", cursor=it.list(limit=1).cursor), "cursor"),
        (lambda it: it.last("a", 0), "n"),
        (lambda it: it.last("a", 1_001), "n"),
    ],
)
def test_a_limit_or_cursor_that_does_not_fit_is_refused(
    memory: Memory, call: Callable[[Any], Any], field: str
) -> None:
    say(memory, "a", "hello", "hello")
    say(memory, "b", "hello")
    with pytest.raises(InvalidInput) as refused:
        call(memory.sessions)

    assert refused.value.field == field


def test_other_spaces_do_not_see_them(memory: Memory) -> None:
    say(memory, "a", "hello")
    other = memory.in_space("bob")

    assert other.sessions.list().sessions == ()
    assert other.sessions.last("a") == ()


# ── forgetting ───────────────────────────────────────────────────────────────────────────────────


def test_a_forgotten_session_is_gone_with_what_working_memory_holds_of_it(memory: Memory) -> None:
    memory.sessions.create(session_id="a", title="Trip")
    ids = say(memory, "a", "hello", "hello")
    kept = say(memory, "b", "hello")

    assert sorted(memory.sessions.forget("a")) == sorted(ids)
    assert memory.sessions.forget("a") == ()
    with pytest.raises(NotFound):
        memory.sessions.get("a")
    assert [hit.id for hit in memory.search("hello")] == kept
    say(memory, "a", "anew")
    assert memory.sessions.get("a").title == "anew"


def test_a_filter_by_session_finds_the_same(memory: Memory) -> None:
    ids = say(memory, "a", "hello one", "hello two")
    say(memory, "b", "hello three")

    found = memory.search("hello", filter=Filter(sessions=("a",)))
    assert sorted(hit.id for hit in found) == sorted(ids)


# ── awaited ──────────────────────────────────────────────────────────────────────────────────────


def test_every_verb_can_be_awaited_and_no_other() -> None:
    def public(kind: type) -> list[str]:
        return sorted(name for name in vars(kind) if not name.startswith("_"))

    assert public(AsyncSessions) == public(Sessions) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_an_awaited_verb_says_and_takes_the_same(verb: str) -> None:
    awaited, plain = getattr(AsyncSessions, verb), getattr(Sessions, verb)

    assert inspect.iscoroutinefunction(awaited)
    assert awaited.__doc__ == plain.__doc__
    assert inspect.signature(awaited) == inspect.signature(plain)


def test_all_verbs_do_what_they_do_without_awaiting(memory: Memory) -> None:
    async def work() -> None:
        there = memory.aio.sessions
        made = await there.create(session_id="a")
        outcome = await there.add(made.id, "user", "hello")
        assert (await there.get("a")).messages == 1
        assert [one.id for one in (await there.list()).sessions] == ["a"]
        assert [one.id for one in (await there.messages("a")).items] == [outcome.id]
        assert [one.id for one in await there.last("a", n=1)] == [outcome.id]
        [other] = await there.add_many("a", [{"role": "user", "content": "again"}])
        assert set(await there.forget("a")) == {outcome.id, other.id}

    asyncio.run(asyncio.wait_for(work(), timeout=30))

    assert memory.sessions.list().sessions == ()
