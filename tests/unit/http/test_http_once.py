"""The same request sent twice with one Idempotency-Key: done once, answered twice."""

import threading
from typing import Any

import pytest
from tests.unit.http.conftest import SETTINGS

from simonides import Memory
from simonides.errors import StoreBusy
from simonides.http.idempotency import ANSWER_BYTES_MAX, ANSWERS_MAX
from simonides.http.routes import ROUTES
from simonides.model.chat import ChatReply, Stop
from simonides.model.memories import ProposedMemory

HEADERS = {"Idempotency-Key": "k1"}
NOTE = {"role": "user", "content": "hello"}
PATH = "/v1/sessions/s/messages"


def test_what_was_done_is_answered_again_and_not_done_again(site: Any) -> None:
    first = site.ask("POST", PATH, NOTE, headers=HEADERS)
    again = site.ask("POST", PATH, NOTE, headers=HEADERS)
    other = site.ask("POST", PATH, NOTE, headers={"Idempotency-Key": "k2"})

    assert (first.status_code, "idempotency-replayed" in first.headers) == (201, False)
    assert (again.status_code, again.headers["idempotency-replayed"]) == (201, "true")
    assert again.content == first.content
    assert other.json()["id"] != first.json()["id"]
    assert site.memory.sessions.get("s").messages == 2


def test_another_request_with_the_same_key_is_refused(site: Any) -> None:
    site.answer("POST", PATH, NOTE, headers=HEADERS)

    refusal = site.problem("POST", PATH, {**NOTE, "content": "other"}, headers=HEADERS)

    assert (refusal["status"], refusal["code"]) == (409, "conflict")
    assert site.memory.sessions.get("s").messages == 1


def test_a_key_of_one_caller_says_nothing_to_another(site: Any) -> None:
    alice, bob = site.key("alice"), site.key("bob")
    made = [site.ask("POST", PATH, NOTE, key=key, headers=HEADERS) for key in (alice, bob)]

    assert [one.status_code for one in made] == [201, 201]
    assert not any("idempotency-replayed" in one.headers for one in made)


def test_what_failed_may_be_tried_again(site: Any) -> None:
    [item_id] = site.add("x")
    path = f"/v1/items/{item_id}/restore"

    site.problem("POST", path, {}, headers=HEADERS)
    site.memory.forget(item_id)

    assert site.answer("POST", path, {}, headers=HEADERS)["version"] == 2


def test_a_twin_that_comes_meanwhile_is_told_to_wait(site: Any, monkeypatch: Any) -> None:
    came, go_on = threading.Event(), threading.Event()
    sessions = type(site.memory.sessions)
    plain = sessions.add

    def slow(self: Any, *arguments: Any, **named: Any) -> Any:
        came.set()
        assert go_on.wait(20)
        return plain(self, *arguments, **named)

    monkeypatch.setattr(sessions, "add", slow)
    answers: list[Any] = []
    first = threading.Thread(
        target=lambda: answers.append(site.ask("POST", PATH, NOTE, headers=HEADERS))
    )
    first.start()
    assert came.wait(20)
    twin = site.problem("POST", PATH, NOTE, headers=HEADERS)
    go_on.set()
    first.join()

    assert (twin["status"], twin["retryable"]) == (409, True)
    assert answers[0].status_code == 201
    assert site.memory.sessions.get("s").messages == 1


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "é"])
def test_what_is_no_idempotency_key_is_refused(site: Any, key: str) -> None:
    refusal = site.problem("POST", PATH, NOTE, headers={"Idempotency-Key": key.encode()})

    assert refusal["status"] == 400


def test_an_answer_that_is_too_long_is_not_kept_and_not_done_twice(
    site: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("simonides.http.idempotency.ANSWER_BYTES_MAX", 10)
    site.answer("POST", PATH, NOTE, headers=HEADERS)

    refusal = site.problem("POST", PATH, NOTE, headers=HEADERS)

    assert refusal["status"] == 409
    assert site.memory.sessions.get("s").messages == 1
    assert ANSWER_BYTES_MAX == 1 << 20


def test_erasing_the_space_forgets_the_answers(site: Any) -> None:
    site.answer("POST", "/v1/items", {"content": "x"}, headers=HEADERS)
    site.answer("POST", "/v1/erase", {"everything": True})

    again = site.ask("POST", "/v1/items", {"content": "x"}, headers=HEADERS)

    assert "idempotency-replayed" not in again.headers


def test_every_post_that_writes_takes_a_key() -> None:
    writing = {"write", "erase"}

    assert [
        route.path for route in ROUTES
        if route.method == "POST" and route.permission in writing and not route.writes
        and route.tag != "openai"  # its clients know nothing of such keys
    ] == []  # fmt: skip


def test_an_answer_that_was_made_before_an_erasure_is_not_kept_after_it(
    site: Any, monkeypatch: Any
) -> None:
    plain = type(site.memory).remember

    def erased_meanwhile(self: Any, text: str, **given: Any) -> Any:
        done = plain(self, text, **given)
        self.erase(everything=True)
        return done

    monkeypatch.setattr(type(site.memory), "remember", erased_meanwhile)
    site.answer("POST", "/v1/memories", {"text": "Sarah likes tea"}, headers=HEADERS)
    again = site.ask("POST", "/v1/memories", {"text": "Sarah likes tea"}, headers=HEADERS)

    assert "idempotency-replayed" not in again.headers


WRITES = [one for one in ROUTES if one.writes and not one.is_upload]


def proposal(site: Any, evidence: str, verb: str) -> str:
    """Return the id of a proposal with which the verb can be done."""
    one = ProposedMemory(text="Sarah owns Beta.", evidence=(evidence,))
    [made] = site.memory.proposals.propose(one, by="reader").proposed
    if verb == "proposals.undo":
        site.memory.proposals.accept(made.id)
    return str(made.id)


@pytest.mark.parametrize("route", WRITES, ids=lambda one: f"{one.method} {one.path}")
def test_every_write_is_done_once_and_answered_alike(site: Any, route: Any) -> None:
    item = site.memory.remember("Alpha is due on Friday", entity="alpha")
    site.add("Project Alpha goes well", "Project Gamma begins")
    about = item.id if route.tag != "proposals" else proposal(site, item.id, route.verb)
    path, body = route.path.replace("{id}", about), route.example
    if route.path == "/v1/erase":
        body = {"ids": [item.id]}
    if path.endswith("/messages"):
        path = PATH

    first = site.ask(route.method, path, body, headers=HEADERS)
    again = site.ask(route.method, path, body, headers=HEADERS)

    assert first.is_success, first.text
    if route.path == "/v1/erase":  # what was answered is erased with the rest
        assert again.is_success
    else:
        assert again.headers["idempotency-replayed"] == "true"
        assert (again.status_code, again.content) == (first.status_code, first.content)
        assert again.headers.get("etag") == first.headers.get("etag")
        assert again.headers["x-request-id"] != first.headers["x-request-id"]


def test_the_same_key_at_another_route_is_another(site: Any) -> None:
    made = [
        site.ask("POST", "/v1/items", {"content": "x"}, headers=HEADERS),
        site.ask("POST", "/v1/sessions", {"title": "x"}, headers=HEADERS),
        site.ask("POST", PATH, NOTE, headers=HEADERS),
    ]

    assert [one.status_code for one in made] == [201, 201, 201]
    assert not any("idempotency-replayed" in one.headers for one in made)


def test_the_same_key_and_body_for_another_session_is_another_request(site: Any) -> None:
    site.answer("POST", PATH, NOTE, headers=HEADERS)

    refusal = site.problem("POST", PATH.replace("/s/", "/t/"), NOTE, headers=HEADERS)

    assert refusal["status"] == 409
    assert [one.id for one in site.memory.sessions.list().sessions] == ["s"]


def test_a_body_that_differs_in_a_space_alone_is_another(site: Any) -> None:
    site.answer("POST", "/v1/items", b'{"content":"x"}', headers=HEADERS)

    assert site.problem("POST", "/v1/items", b'{"content": "x"}', headers=HEADERS)["status"] == 409


def test_of_many_twins_at_once_one_is_done(site: Any) -> None:
    start, got = threading.Barrier(8), []

    def ask() -> None:
        start.wait(20)
        got.append(site.ask("POST", PATH, NOTE, headers=HEADERS))

    twins = [threading.Thread(target=ask) for _ in range(8)]
    for one in twins:
        one.start()
    for one in twins:
        one.join()

    assert {one.status_code for one in got} <= {201, 409}
    assert len({one.content for one in got if one.status_code == 201}) == 1
    assert site.memory.sessions.get("s").messages == 1


def test_a_key_with_a_get_or_another_method_is_read_over(site: Any) -> None:
    [item_id] = site.add("x")
    for n in range(2):
        got = site.ask("PATCH", f"/v1/items/{item_id}", {"title": f"t{n}"}, headers=HEADERS)
        assert got.status_code == 200
        assert "idempotency-replayed" not in got.headers


def test_one_caller_who_writes_a_lot_crowds_nobody_out(site: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("simonides.http.idempotency.ANSWERS_MAX", 3)
    alice, bob = site.key("alice"), site.key("bob")

    def ask(key: str, n: int) -> bool:
        got = site.ask("POST", "/v1/items", {"content": "x"}, key=key,
                       headers={"Idempotency-Key": f"k{n}"})  # fmt: skip
        return "idempotency-replayed" in got.headers

    ask(bob, 0)
    for n in range(6):
        ask(alice, n)

    assert ask(bob, 0)
    assert [ask(alice, n) for n in (3, 4, 5)] == [True] * 3
    assert not ask(alice, 0)  # its answer is not kept
    assert ANSWERS_MAX == 1_000


def test_kept_answers_of_one_caller_are_bounded_in_bytes(site: Any, monkeypatch: Any) -> None:
    first = site.ask("POST", "/v1/items", {"content": "x"}, headers=HEADERS)
    monkeypatch.setattr("simonides.http.idempotency.ANSWERS_BYTES_MAX", len(first.content) + 10)
    site.answer("POST", "/v1/items", {"content": "y"}, headers={"Idempotency-Key": "k2"})

    again = site.ask("POST", "/v1/items", {"content": "x"}, headers=HEADERS)
    second = site.ask("POST", "/v1/items", {"content": "y"}, headers={"Idempotency-Key": "k2"})

    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert (second.status_code, second.headers["idempotency-replayed"]) == (201, "true")


def test_a_turn_that_was_broken_off_is_not_answered_again(site: Any, monkeypatch: Any) -> None:
    stops = [Stop.CANCELLED, Stop.ANSWERED]

    def chat(_: Any, message: str, **__: Any) -> ChatReply:
        return ChatReply(message=message, session_id="s", stop=stops.pop(0))

    monkeypatch.setattr(type(site.memory), "chat", chat)
    broken = site.problem("POST", "/v1/chat", {"message": "x"}, headers=HEADERS)
    whole = site.ask("POST", "/v1/chat", {"message": "x"}, headers=HEADERS)

    assert (broken["status"], broken["retryable"]) == (503, True)
    assert whole.status_code == 200
    assert "idempotency-replayed" not in whole.headers


def other_process(site: Any) -> Memory:
    """Return a memory of the same home that shares nothing with the server but its files."""
    return Memory(site.memory.in_space("default")._runtime.path, settings=SETTINGS)


def test_what_another_process_erased_is_not_said_again(site: Any) -> None:
    [item_id] = site.add("the xyzzy codeword")
    site.memory.forget(item_id)
    path = f"/v1/items/{item_id}/restore"
    first = site.ask("POST", path, {}, headers=HEADERS)

    with other_process(site) as other:
        other.erase(item_id)
    again = site.problem("POST", path, {}, headers=HEADERS)

    assert "xyzzy" in first.text
    assert (again["status"], again["code"]) == (409, "conflict")
    assert "erased" in again["detail"]


def test_of_a_space_erased_by_another_process_nothing_is_said_again(site: Any) -> None:
    body = {"text": "Sarah likes xyzzy"}
    site.answer("POST", "/v1/memories", body, headers=HEADERS)

    with other_process(site) as other:
        other.erase(everything=True)
    again = site.ask("POST", "/v1/memories", body, headers=HEADERS)

    assert again.status_code >= 400
    assert "xyzzy" not in again.text


def test_no_words_that_another_process_erased_stay_in_working_memory(site: Any) -> None:
    made = site.answer("POST", "/v1/memories", {"text": "Sarah likes xyzzy"}, headers=HEADERS)
    site.answer("POST", PATH, NOTE, headers={"Idempotency-Key": "k2"})

    with other_process(site) as other:
        other.erase(made["id"])
    site.answer("POST", PATH, NOTE, headers={"Idempotency-Key": "k3"})

    kept = [entry.text for entry in site.memory.working._entries.values()]
    assert kept
    assert "xyzzy" not in "".join(kept)


def test_what_another_process_erases_while_it_is_answered_is_not_kept(
    site: Any, monkeypatch: Any
) -> None:
    plain = type(site.memory).remember

    def erased_meanwhile(self: Any, text: str, **given: Any) -> Any:
        done = plain(self, text, **given)
        with other_process(site) as other:
            other.erase(done.id)
        return done

    site.add("something that is there")
    monkeypatch.setattr(type(site.memory), "remember", erased_meanwhile)
    body = {"text": "Sarah likes xyzzy"}
    first = site.answer("POST", "/v1/memories", body, headers=HEADERS)
    again = site.problem("POST", "/v1/memories", body, headers=HEADERS)

    assert first
    assert again["status"] == 409


def test_an_answer_outlives_what_another_process_only_writes(site: Any) -> None:
    first = site.ask("POST", PATH, NOTE, headers=HEADERS)

    with other_process(site) as other:
        other.add("more")
        other.forget(*[one.id for one in other.list().items])
    again = site.ask("POST", PATH, NOTE, headers=HEADERS)

    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"


def test_a_space_that_cannot_be_read_afterwards_keeps_no_answer(
    site: Any, monkeypatch: Any
) -> None:
    marks = iter([""])

    def mark(_: Any) -> str:
        try:
            return next(marks)
        except StopIteration:
            raise StoreBusy("held") from None

    monkeypatch.setattr(Memory, "erasure_mark", mark)
    site.answer("POST", PATH, NOTE, headers=HEADERS)
    monkeypatch.undo()

    assert site.problem("POST", PATH, NOTE, headers=HEADERS)["status"] == 409
    assert site.memory.sessions.get("s").messages == 1


def test_a_request_is_done_once_whatever_working_memory_loses(site: Any) -> None:
    site.answer("POST", PATH, NOTE, headers=HEADERS)
    for space in ("default", "http:once:default"):
        site.server.shared.clear(space)

    refusal = site.problem("POST", PATH, NOTE, headers=HEADERS)

    assert (refusal["status"], refusal["code"]) == (409, "conflict")
    assert "this was done" in refusal["detail"]
    assert site.memory.sessions.get("s").messages == 1
