"""A key that only writes learns nothing: whatever there was before, it is answered the same."""

from typing import Any

import pytest

from simonides.http.routes import ROUTES

ACCEPTED = (202, {"accepted": True})

WRITES = [
    route for route in ROUTES
    if route.permission == "write" and not route.shows
    and route.tag not in ("imports", "mem0", "openai")
]  # fmt: skip


def state(site: Any, writer: str, method: str, path: str, body: Any = None, **more: Any) -> Any:
    """Return all that a key that only writes is told by one request."""
    got = site.ask(method, path, body, key=writer, **more)
    headers = {n: v for n, v in got.headers.items() if n not in ("x-request-id", "date")}
    return (got.status_code, got.json()), headers


@pytest.mark.parametrize("route", WRITES, ids=lambda one: f"{one.method} {one.path}")
def test_every_write_answers_alike_whatever_there_was_before(site: Any, route: Any) -> None:
    """Over every route, so that a new one cannot forget it."""
    writer = site.key("alice", "write")
    alice = site.memory.in_space("alice")
    item = alice.add("The Alpha deadline moved to Friday.", source="gmail", tags=["alpha"])
    alice.sessions.add("s", "user", "hello")
    alice.preferences.set("tone", "short")
    snapshot = alice.background.put(route.example["text"] if route.tag == "background"
                                    and route.example else "there")  # fmt: skip
    there = {"items": item.id, "sessions": "s", "preferences": "tone", "background": snapshot.id}
    bodies = [
        route.example,
        {"ids": [item.id]} if route.path == "/v1/record-usage" else route.example,
    ]

    response = [
        state(site, writer, route.method, route.path.replace("{id}", one), body)
        for one in ("never-there", there.get(route.tag, "x")) for body in bodies
        for _ in range(2)
    ]  # fmt: skip

    assert all(one == response[0] for one in response)
    assert response[0][0] == ACCEPTED


def test_what_only_writes_is_written_all_the_same(site: Any) -> None:
    writer, reader = site.key("alice", "write"), site.key("alice", "read")

    assert state(site, writer, "POST", "/v1/items", {"content": "in it goes"})[0] == ACCEPTED
    [item] = site.answer("GET", "/v1/items", key=reader)["items"]
    assert item["content"] == "in it goes"
    assert state(site, writer, "DELETE", f"/v1/items/{item['id']}")[0] == ACCEPTED
    assert site.answer("GET", "/v1/items", key=reader)["items"] == []


def test_an_etag_tells_a_writer_nothing(site: Any) -> None:
    writer = site.key("alice", "write")
    item = site.memory.in_space("alice").add("kept")
    got = site.ask("GET", f"/v1/items/{item.id}", key=site.key("alice", "read"))

    reported = [
        state(site, writer, "DELETE", f"/v1/items/{item.id}", headers={"If-Match": tag})
        for tag in ('"1-1-1"', "W/x", got.headers["etag"], '"1-1-1"')
    ]

    assert {str(one) for one in reported} == {str(reported[0])}
    assert reported[0][0] == ACCEPTED


def test_what_does_not_fit_in_itself_is_told_to_a_writer(site: Any) -> None:
    writer = site.key("alice", "write")

    assert site.problem("POST", "/v1/items", {"content": 1}, key=writer)["status"] == 422
    assert site.problem("POST", "/v1/items", b"{", key=writer)["status"] == 400
    assert site.problem("GET", "/v1/items", key=writer)["status"] == 403


def test_an_idempotency_key_works_and_tells_a_writer_no_more(site: Any) -> None:
    writer, headers = site.key("alice", "write"), {"Idempotency-Key": "k"}
    path, body = "/v1/sessions/s/messages", {"role": "user", "content": "hello"}

    response = [site.ask("POST", path, body, key=writer, headers=headers) for _ in range(2)]

    assert [(one.status_code, one.json()) for one in response] == [ACCEPTED] * 2
    assert site.memory.in_space("alice").sessions.get("s").messages == 1


def test_who_may_read_is_told_what_became_of_it(site: Any) -> None:
    both, admin = site.key("alice", "write", "read"), site.key("alice", "admin")

    for key in (both, admin):
        assert site.answer("POST", "/v1/items", {"content": key}, key=key)["added"] == 1
        assert site.answer("POST", "/v1/items", {"content": key}, key=key)["unchanged"] == 1


def upload(site: Any, key: str, name: str) -> str:
    """Begin an import and return its id."""
    headers = {"Authorization": f"Bearer {key}"}
    got = site.client.post("/v1/imports", files={"file": (name, b"# a")}, headers=headers)

    assert got.status_code == 202
    import_id: str = got.json()["id"]
    return import_id


def test_a_writer_sees_its_own_imports_alone_and_nothing_that_they_count(site: Any) -> None:
    one, other = site.key("alice", "write"), site.key("alice", "write")
    reader = site.key("alice", "write", "read")
    mine, theirs = upload(site, one, "mine.md"), upload(site, other, "divorce.md")
    third = upload(site, reader, "taxes.md")

    seen = site.answer("GET", "/v1/imports", key=one)["imports"]

    assert [(each["id"], each["file"]) for each in seen] == [(mine, "mine.md")]
    assert not any(each[name] for each in seen for name in ("progress", "report", "detail"))
    for hidden in (theirs, third, "x"):
        for method in ("GET", "DELETE"):
            refusal = site.problem(method, f"/v1/imports/{hidden}", key=one)
            assert (refusal["status"], refusal["detail"]) == (404, f"no import {hidden!r}")
    all_of_them = site.answer("GET", "/v1/imports", key=reader)["imports"]
    assert {each["file"] for each in all_of_them} == {"mine.md", "divorce.md", "taxes.md"}
    assert site.answer("GET", f"/v1/imports/{mine}", key=one)["file"] == "mine.md"
    assert site.answer("DELETE", f"/v1/imports/{mine}", key=one)["id"] == mine


def test_only_so_many_imports_are_remembered(site: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("simonides.http.imports.KEPT_MAX", 1)
    writer = site.key("alice", "write")
    upload(site, writer, "first.md")
    assert site.server.imports.wait(left_s=60.0)
    last = upload(site, writer, "last.md")

    seen = site.answer("GET", "/v1/imports", key=writer)["imports"]

    assert [each["id"] for each in seen] == [last]
