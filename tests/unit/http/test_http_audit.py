"""Notes: gathered and written together, bounded, never lost without a word, and of no content."""

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from simonides.errors import StoreBusy, StoreFull
from simonides.http import background_work as audit_module
from simonides.http.background_work import AuditLog
from simonides.http.middleware import RequestInfo
from simonides.http.pipeline import respond
from simonides.http.routes import ROUTES
from simonides.http.state import STRANGERS_BURST
from simonides.model.access import AuditEntry

NOW = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)


def entry(n: int) -> AuditEntry:
    return AuditEntry(at=NOW, verb="add", status=201, count=n)


class Written:
    """Takes notes; fails as often as it is told to."""

    def __init__(self, *errors: Exception) -> None:
        self.counts: list[int] = []
        self.times = 0
        self.came = threading.Event()
        self._errors = list(errors)

    def __call__(self, *entries: AuditEntry) -> None:
        if self._errors and entries:
            self.came.set()
            raise self._errors.pop(0)
        self.times += bool(entries)
        self.counts += [one.count for one in entries]
        if entries:
            self.came.set()


def test_notes_are_written_together_in_their_order() -> None:
    written = Written()
    log = AuditLog(written)
    for n in range(100):
        log.later(entry(n))
    log.close()

    assert written.counts == list(range(100))
    assert written.times < 5


def test_a_note_is_written_without_anybody_closing(monkeypatch: Any) -> None:
    monkeypatch.setattr(audit_module, "WAIT_S", 0.01)
    written = Written()
    log = AuditLog(written)
    log.later(entry(1))

    assert written.came.wait(20)
    assert written.counts == [1]
    log.close()


def test_a_note_that_must_be_there_is_written_before_going_on() -> None:
    written = Written()
    log = AuditLog(written)
    log.now(entry(7))

    assert written.counts == [7]
    assert not any(one.name == "simonides-audit" for one in threading.enumerate())
    with pytest.raises(StoreFull):
        AuditLog(Written(StoreFull("no room"))).now(entry(1))


@pytest.mark.parametrize("error", [StoreBusy("busy"), ZeroDivisionError("secret")])
def test_notes_that_cannot_be_written_are_counted_and_the_next_ones_are_kept(
    error: Exception, monkeypatch: Any, caplog: Any
) -> None:
    monkeypatch.setattr(audit_module, "WAIT_S", 0.01)
    written = Written(error)
    log = AuditLog(written)
    log.later(entry(1))
    assert written.came.wait(20)
    log.later(entry(2))
    log.close()

    said = caplog.text
    assert written.counts == [2]
    assert "1 audit notes were lost" in said
    assert "secret" not in said


def test_past_the_bound_the_oldest_are_lost_and_the_log_says_how_many(
    monkeypatch: Any, caplog: Any
) -> None:
    monkeypatch.setattr(audit_module, "GATHERED_MAX", 3)
    monkeypatch.setattr(audit_module, "WAIT_S", 60.0)
    written = Written()
    log = AuditLog(written)
    for n in range(10):
        log.later(entry(n))
    log.close()

    assert written.counts == [7, 8, 9]
    assert "7 audit notes were lost" in caplog.text


def test_closing_without_a_note_and_twice_is_no_error() -> None:
    log = AuditLog(Written())

    log.close()
    log.close()


def noted(open_site: Any, ask: Callable[[Any], None], **limits: Any) -> list[tuple[str, int]]:
    """Return verb and status of what was noted, the first first."""
    with open_site(**limits) as site:
        ask(site)
    with open_site() as site:
        return [
            (one.verb, one.status) for one in reversed(site.memory.keys.audit(limit=500).entries)
        ]


def test_strangers_cannot_fill_the_disk_with_notes(open_site: Any) -> None:
    def ask(site: Any) -> None:
        site.server.monotonic_s = lambda: 100.0
        site.key("alice")
        for _ in range(STRANGERS_BURST + 50):
            site.ask("POST", "/v1/items", {}, key="sim_wrong")

    assert noted(open_site, ask) == [("add", 401)] * STRANGERS_BURST


def test_after_a_while_strangers_are_noted_again(open_site: Any) -> None:
    at = [100.0]

    def ask(site: Any) -> None:
        site.server.monotonic_s = lambda: at[0]
        site.key("alice")
        for _ in range(STRANGERS_BURST + 1):
            site.ask("POST", "/v1/items", {}, key="sim_wrong")
        at[0] += 2.0
        for _ in range(5):
            site.ask("POST", "/v1/items", {}, key="sim_wrong")

    assert len(noted(open_site, ask)) == STRANGERS_BURST + 2


def test_those_who_have_a_key_are_noted_however_many_strangers_there_are(open_site: Any) -> None:
    def ask(site: Any) -> None:
        site.server.monotonic_s = lambda: 100.0
        key = site.key("alice")
        for _ in range(STRANGERS_BURST + 10):
            site.ask("GET", "/v1/items", key="sim_wrong")
        site.answer("POST", "/v1/items", {"content": "x"}, key=key)
        site.problem("POST", "/v1/erase", {"everything": True}, key=key)

    assert noted(open_site, ask)[-2:] == [("add", 201), ("erase", 403)]


def test_that_an_erasure_was_asked_for_is_noted_before_it_is_done_also_without_a_key(
    site: Any, monkeypatch: Any
) -> None:
    before: list[AuditEntry] = []

    def erase(self: Any, *_: Any, **__: Any) -> None:
        before.extend(self.keys.audit().entries)
        raise StoreBusy("busy")

    monkeypatch.setattr(type(site.memory), "erase", erase)
    refusal = site.problem("POST", "/v1/erase", {"everything": True})

    assert (refusal["status"], refusal["retryable"]) == (503, True)
    assert [(one.verb, one.status, one.space) for one in before] == [("erase", 0, "default")]


def test_an_erasure_that_does_not_fit_is_not_noted_as_begun(open_site: Any) -> None:
    def ask(site: Any) -> None:
        site.problem("POST", "/v1/erase", {"ids": ["x"], "everything": True})

    assert noted(open_site, ask) == [("erase", 422)]


def test_a_key_that_was_refused_is_named_in_the_note(open_site: Any) -> None:
    with open_site() as site:
        key = site.key("alice", "read")
        site.problem("POST", "/v1/erase", {"everything": True}, key=key)
    with open_site() as site:
        [note] = site.memory.keys.audit().entries

    assert (note.key_id, note.space) == (key.split("_")[1], "alice")
    assert (note.verb, note.status, note.count) == ("erase", 403, 0)


def test_what_failed_or_did_not_fit_is_noted_too(open_site: Any) -> None:
    def ask(site: Any) -> None:
        key = site.key("alice")
        site.problem("POST", "/v1/items", {"content": 1}, key=key)
        site.problem("DELETE", "/v1/items/nope", key=key)
        site.problem("GET", "/v1/items?limit=0", key=key)

    assert noted(open_site, ask) == [("add", 422), ("forget", 404)]


def test_a_request_whose_end_nobody_waits_for_is_noted_without_a_status(open_site: Any) -> None:
    began, go_on = threading.Event(), threading.Event()

    def ask(site: Any) -> None:
        plain = type(site.memory).add

        def slow(self: Any, *given: Any, **named: Any) -> Any:
            began.set()
            assert go_on.wait(20)
            return plain(self, *given, **named)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(site.memory), "add", slow)
            asyncio.run(_cancelled(site, began))
            go_on.set()
            site.server.threads.close()

        assert site.memory.stats().items == 1

    assert noted(open_site, ask) == [("add", 0)]


async def _cancelled(site: Any, began: threading.Event) -> None:
    """Begin a write and leave it as a server does that has waited long enough."""
    sent = b'{"content": "x"}'

    async def receive() -> Any:
        return {"type": "http.request", "body": sent}

    scope = {
        "type": "http", "method": "POST", "path": "/v1/items", "query_string": b"",
        "headers": [(b"content-type", b"application/json")], "client": ("127.0.0.1", 1),
        "simonides.passing": RequestInfo(request_id="r"),
    }  # fmt: skip
    route = next(one for one in ROUTES if (one.method, one.path) == ("POST", "/v1/items"))
    asking = asyncio.ensure_future(respond(scope, receive, route, site.server))
    await asyncio.to_thread(began.wait, 20)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
