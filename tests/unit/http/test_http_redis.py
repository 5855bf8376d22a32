"""Two servers with one Valkey: what one was asked the other knows, also while it is away."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from starlette.testclient import TestClient
from tests.unit.http.conftest import SETTINGS, START, URL, Site

from simonides import Memory
from simonides.http.app import make_app, make_server
from simonides.http.idempotency import TTL_S
from simonides.http.limits import Limits
from simonides_bench.testing.servers.valkey import ValkeyServer

HEADERS = {"Idempotency-Key": "k1"}
NOTE = {"role": "user", "content": "hello"}
PATH = "/v1/sessions/s/messages"


@pytest.fixture
def valkey() -> Iterator[ValkeyServer]:
    """A Valkey of this test alone, which may be stopped."""
    with ValkeyServer() as server:
        yield server


def site_with(home: Path, url: str, stack: ExitStack, **limits: Any) -> Site:
    at = [START]
    memory = Memory(home, settings=replace(SETTINGS, redis=url), clock=lambda: at[0])
    server = make_server(memory, uploads=home / "uploads", limits=Limits(**limits))
    client = TestClient(make_app(server), base_url=URL, client=("127.0.0.1", 5000))
    stack.enter_context(client)
    return Site(server, client, at)


@pytest.fixture
def two(tmp_path: Path, valkey: ValkeyServer) -> Iterator[tuple[Site, Site]]:
    with ExitStack() as stack:
        yield tuple(site_with(tmp_path / "home", valkey.url, stack) for _ in range(2))  # type: ignore[misc]  # two


def look(*sites: Site) -> None:
    for one in sites:
        one.server.shared.look()  # type: ignore[attr-defined]  # what the thread does


def test_what_one_server_did_the_other_answers_again(two: tuple[Site, Site]) -> None:
    here, there = two
    first = here.ask("POST", PATH, NOTE, headers=HEADERS)
    again = there.ask("POST", PATH, NOTE, headers=HEADERS)

    assert (again.status_code, again.headers["idempotency-replayed"]) == (201, "true")
    assert again.content == first.content
    assert here.memory.sessions.get("s").messages == 1


def test_while_it_is_away_and_after_it_lost_all_nothing_is_done_twice(
    two: tuple[Site, Site], valkey: ValkeyServer
) -> None:
    here, there = two
    here.answer("POST", PATH, NOTE, headers=HEADERS)
    valkey.kill()
    away = [one.problem("POST", PATH, NOTE, headers=HEADERS) for one in (here, there)]
    other = there.ask("POST", PATH, NOTE, headers={"Idempotency-Key": "k2"})
    plain = there.ask("POST", PATH, {**NOTE, "content": "without a key"})

    assert {(one["status"], one["detail"].partition(";")[0]) for one in away} == {
        (409, "this was done")
    }
    assert (other.status_code, plain.status_code) == (201, 201)
    assert here.memory.sessions.get("s").messages == 3
    assert there.answer("GET", "/health/ready") == {"status": "ready", "working_memory": "lost"}

    valkey.start()  # with nothing of what it held
    look(here, there)
    after = there.problem("POST", PATH, NOTE, headers=HEADERS)
    again = here.ask("POST", PATH, NOTE, headers={"Idempotency-Key": "k2"})

    assert (after["status"], after["detail"].partition(";")[0]) == (409, "this was done")
    assert (again.content, again.headers["idempotency-replayed"]) == (other.content, "true")
    assert here.memory.sessions.get("s").messages == 3
    assert there.answer("GET", "/health/ready") == {"status": "ready", "working_memory": "shared"}


def test_a_write_during_which_it_goes_away_is_not_done_twice(
    two: tuple[Site, Site], valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = two
    sessions = type(here.memory.sessions)
    plain = sessions.add

    def killed_meanwhile(self: Any, *arguments: Any, **named: Any) -> Any:
        valkey.kill()
        return plain(self, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(sessions, "add", killed_meanwhile)
        first = here.ask("POST", PATH, NOTE, headers=HEADERS)
    valkey.start()
    look(here, there)
    again = there.ask("POST", PATH, NOTE, headers=HEADERS)

    assert first.status_code == 201
    assert (again.content, again.headers["idempotency-replayed"]) == (first.content, "true")
    assert here.memory.sessions.get("s").messages == 1


@pytest.mark.slow
def test_one_that_hangs_holds_nobody_up_for_long(
    two: tuple[Site, Site], valkey: ValkeyServer
) -> None:
    here, _ = two
    valkey.process.pause()
    try:
        answers = [here.ask("POST", PATH, NOTE).status_code for _ in range(5)]
        keyed = here.ask("POST", PATH, NOTE, headers=HEADERS)
    finally:
        valkey.process.go_on()
    look(here)

    assert answers == [201] * 5
    assert keyed.status_code == 201
    again = here.ask("POST", PATH, NOTE, headers=HEADERS)
    assert (again.content, again.headers["idempotency-replayed"]) == (keyed.content, "true")


def test_a_rate_holds_over_all_servers(tmp_path: Path, valkey: ValkeyServer) -> None:
    with ExitStack() as stack:
        limits = {"rate_per_s": 0.001, "rate_burst": 4}
        here, there = (
            site_with(tmp_path / "home", valkey.url, stack, **limits) for _ in range(2)
        )  # fmt: skip
        first = [here.ask("GET", "/v1/items").status_code for _ in range(4)]
        here.server.shared.buckets.sync()  # type: ignore[attr-defined]  # what the thread does
        there.ask("GET", "/v1/items")
        there.server.shared.buckets.sync()  # type: ignore[attr-defined]
        second = there.ask("GET", "/v1/items").status_code

    assert first == [200] * 4
    assert second == 429


def test_no_word_of_an_erased_space_stays_there(two: tuple[Site, Site]) -> None:
    here, there = two
    made = here.answer("POST", "/v1/memories", {"text": "Sarah likes xyzzy"}, headers=HEADERS)
    working = there.memory.working
    assert working.names("default")  # type: ignore[attr-defined]  # the answer, which holds an id

    there.memory.erase(made["id"])

    assert working.names("default") == ()  # type: ignore[attr-defined]


def test_an_idempotency_key_ends_by_the_clock_of_valkey_alone(
    two: tuple[Site, Site], valkey: ValkeyServer
) -> None:
    here, there = two
    there.pass_time(timedelta(days=3))
    here.pass_time(timedelta(hours=-7))
    first = here.ask("POST", PATH, NOTE, headers=HEADERS)
    again = there.ask("POST", PATH, NOTE, headers=HEADERS)

    assert again.headers["idempotency-replayed"] == "true"
    assert again.content == first.content
    with redis.Redis.from_url(valkey.url) as client:
        lasts_s = [client.ttl(name) for name in client.scan_iter("*once*")]
    assert lasts_s
    assert all(TTL_S - 60 < one <= TTL_S for one in lasts_s)


def test_an_erasure_of_a_space_clears_what_servers_share_whoever_does_it(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    home = tmp_path / "home"
    settings = replace(SETTINGS, redis=valkey.url)
    with ExitStack() as stack:
        site = site_with(home, valkey.url, stack)
        site.ask("POST", PATH, {"role": "user", "content": "lanternfish"}, headers=HEADERS)
        with redis.Redis.from_url(valkey.url) as client, Memory(home, settings=settings) as memory:
            [values] = [key for key in client.keys("*space:default}:values") if b"http" not in key]
            assert client.hvals(values) != []
            report = memory.erase(everything=True)
            assert client.hvals(values) == []
            assert client.keys("*http%3Aimports*") == []

    assert report.complete


def test_an_erasure_says_what_it_could_not_clear(tmp_path: Path, valkey: ValkeyServer) -> None:
    settings = replace(SETTINGS, redis=valkey.url)
    with Memory(tmp_path / "home", settings=settings) as memory:
        item = memory.add("lanternfish")
        valkey.stop()
        report = memory.erase(item.id)

    assert not report.complete
    assert any("does not answer" in note for note in report.notes)
