"""Who may ask, and what: keys, permissions, rates, and what is noted of it."""

import json
from datetime import timedelta
from typing import Any

import pytest

from simonides.http.openapi import document
from simonides.http.routes import ROUTES
from simonides.model.access import Permission

ALL = [f"{one.method} {one.path}" for one in ROUTES]
GUARDED = [f"{one.method} {one.path}" for one in ROUTES if one.permission is not None]
OPEN = {"GET /v1/version", "GET /health/live", "GET /health/ready"}


def test_without_any_key_the_server_works_on_its_own_space(site: Any) -> None:
    site.add("Alpha is due")

    assert len(site.answer("POST", "/v1/search", {"query": "Alpha"})["entries"]) == 1
    assert site.answer("GET", "/v1/spaces") == {"space": "default", "spaces": ["default"]}


def test_once_there_is_a_key_nobody_comes_in_without(site: Any) -> None:
    site.key("alice")
    for operation in GUARDED:
        method, path = operation.split()

        refusal = site.problem(method, path.replace("{id}", "x"), None if method == "GET" else {})

        assert (refusal["status"], refusal["code"]) == (401, "access_denied"), operation


def test_only_what_says_nothing_of_spaces_needs_no_key() -> None:
    assert set(ALL) - set(GUARDED) == OPEN


def test_a_revoked_key_does_not_open_the_server_to_everybody(site: Any) -> None:
    key = site.key("alice")
    site.memory.keys.revoke(key)

    assert site.problem("GET", "/v1/items")["status"] == 401
    assert site.problem("GET", "/v1/items", key=key)["status"] == 401


@pytest.mark.parametrize("shown", ["Bearer wrong", "Basic abc", "Bearer", "Bearer sim_a_b", "é"])
def test_what_is_no_key_is_reported_all_alike(site: Any, shown: str) -> None:
    site.key("alice")

    got = site.ask("GET", "/v1/items", headers={"Authorization": shown.encode()})

    assert got.status_code == 401
    assert got.headers["www-authenticate"] == 'Bearer realm="simonides"'
    assert "wrong" not in got.text


def test_a_key_that_is_shown_must_be_valid_even_while_there_are_none(site: Any) -> None:
    assert site.problem("GET", "/v1/items", key="sim_abc_def")["status"] == 401


def test_a_key_expires(site: Any) -> None:
    key = site.key("alice", expires=1)

    before = site.ask("GET", "/v1/items", key=key).status_code
    site.pass_time(timedelta(days=1))
    after = site.ask("GET", "/v1/items", key=key).status_code

    assert (before, after) == (200, 401)


def test_each_key_sees_its_own_space_alone(site: Any) -> None:
    alice, bob = site.key("alice"), site.key("bob")
    made = site.answer("POST", "/v1/items", {"content": "the vault code is 4711"}, key=bob)
    [made] = made["outcomes"]

    mine = [
        site.answer("POST", "/v1/search", {"query": "vault code"}, key=alice),
        site.answer("GET", "/v1/items", key=alice),
        site.answer("GET", "/v1/spaces", key=alice),
    ]

    assert "4711" not in json.dumps(mine)
    assert "bob" not in json.dumps(mine)
    assert site.problem("GET", f"/v1/items/{made['id']}", key=alice)["status"] == 404
    assert site.answer("GET", f"/v1/items/{made['id']}", key=bob)["content"].endswith("4711")


def test_a_key_does_only_what_it_allows(site: Any) -> None:
    for route in (one for one in ROUTES if one.permission is not None):
        others = [one for one in Permission if one not in (route.permission, Permission.ADMIN)]
        key = site.key("alice", *others)
        path = route.path.replace("{id}", "x")

        refusal = site.problem(route.method, path, None if route.method == "GET" else {}, key=key)

        assert (refusal["status"], refusal["code"]) == (403, "access_denied"), path
        assert str(route.permission) in refusal["detail"], path


@pytest.mark.parametrize(
    ("method", "path"),
    [("PATCH", "/v1/items/x"), ("POST", "/v1/memories"), ("POST", "/v1/chat"),
     ("POST", "/v1/items/x/restore"), ("PUT", "/v1/preferences/x")],
)  # fmt: skip
def test_a_key_that_may_not_read_is_shown_nothing_that_is_kept(
    site: Any, method: str, path: str
) -> None:
    key = site.key("alice", "write")

    assert site.problem(method, path, {}, key=key)["status"] == 403


def test_admin_sees_the_names_of_all_spaces(site: Any) -> None:
    site.add("x", space="bob")

    response = site.answer("GET", "/v1/spaces", key=site.key("alice", "admin", shared=["team"]))

    assert response == {"space": "alice", "spaces": ["alice", "bob", "team"]}


def test_a_caller_who_asks_too_often_is_told_when_to_come_again(open_site: Any) -> None:
    with open_site(rate_per_s=2.0, rate_burst=3) as site:
        at = [100.0]
        site.server.monotonic_s = lambda: at[0]
        alice, bob = site.key("alice"), site.key("bob")

        def ask(key: str) -> Any:
            return site.ask("GET", "/v1/items", key=key)

        first = [ask(alice).status_code for _ in range(4)]
        late, other = ask(alice), ask(bob)
        at[0] += 0.5

        assert first == [200, 200, 200, 429]
        assert (late.json()["code"], late.headers["retry-after"]) == ("too_many_requests", "1")
        assert late.json()["retryable"] is True
        assert other.status_code == 200
        assert ask(alice).status_code == 200


def test_who_guesses_keys_is_slowed_down(open_site: Any) -> None:
    with open_site(rate_per_s=1.0, rate_burst=2) as site:
        site.server.monotonic_s = lambda: 100.0
        site.key("alice")

        tried = [site.ask("GET", "/v1/items", key=f"sim_{n}").status_code for n in range(4)]

        assert tried == [401, 401, 429, 429]


def test_writes_and_refusals_are_noted_without_a_word_of_them(open_site: Any) -> None:
    with open_site() as site:
        key = site.key("alice", "read", "write", "erase")
        kept = site.answer("POST", "/v1/items", {"content": "the secret is 4711"}, key=key)
        [made] = kept["outcomes"]
        site.answer("POST", "/v1/search", {"query": "secret"}, key=key)
        site.problem("GET", "/v1/items", key="sim_wrong")
        site.answer("POST", "/v1/erase", {"ids": [made["id"]]}, key=key)
        key_id = site.memory.keys.list()[0].id

    with open_site() as site:
        noted = site.memory.keys.audit().entries

        assert [(one.verb, one.status, one.key_id, one.space, one.count) for one in noted] == [
            ("erase", 200, key_id, "alice", 1),
            ("list", 401, "", "", 0),
            ("add", 201, key_id, "alice", 1),
            ("erase", 0, key_id, "alice", 0),
        ]
        assert "4711" not in str(noted)
        assert made["id"] not in str(noted)


def test_reads_are_noted_where_the_server_is_told_to(open_site: Any) -> None:
    with open_site(audit_reads=True) as site:
        site.answer("POST", "/v1/search", {"query": "x"}, key=site.key("alice"))

    with open_site() as site:
        assert [one.verb for one in site.memory.keys.audit().entries] == ["search"]


def test_metrics_need_a_key_that_allows_them_wherever_they_are_asked_for(site: Any) -> None:
    before = site.ask("GET", "/metrics").status_code
    keys = [site.key("alice", *one) for one in (["admin"], ["metrics"], ["read", "write"])]

    for host in ("localhost", "127.0.0.1", "10.0.0.7"):
        response = [
            site.ask("GET", "/metrics", key=key, headers={"Host": host}).status_code
            for key in (*keys, "")
        ]
        assert response == [200, 200, 403, 401]
    assert before == 200  # no key was ever made, and who asks is on this machine


def test_a_key_for_metrics_sees_nothing_else(site: Any) -> None:
    key = site.key("alice", "metrics")

    response = {site.ask("GET", path, key=key).status_code for path in ("/v1/items", "/v1/spaces")}

    assert response == {403}


def test_scraping_the_metrics_fills_no_audit_log(open_site: Any) -> None:
    with open_site() as site:
        key = site.key("alice", "metrics")
        for _ in range(3):
            assert site.ask("GET", "/metrics", key=key).status_code == 200
    with open_site() as site:
        assert site.memory.keys.audit().entries == ()


@pytest.mark.parametrize(
    "header", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"]
)
@pytest.mark.parametrize("path", ["/v1/items", "/metrics"])
def test_what_a_proxy_hands_on_needs_a_key(site: Any, header: str, path: str) -> None:
    refusal = site.problem("GET", path, headers={header: "10.0.0.7"})
    key = site.key("alice", "admin")

    assert (refusal["status"], "through a proxy" in refusal["detail"]) == (401, True)
    assert site.ask("GET", path, key=key, headers={header: "10.0.0.7"}).status_code == 200


def test_a_server_with_another_name_needs_a_key_though_none_was_ever_made(open_site: Any) -> None:
    with open_site(hosts=("memory.example.com",)) as site:
        assert site.problem("GET", "/v1/items")["status"] == 401
        assert site.problem("POST", "/v1/erase", {"everything": True})["status"] == 401
        assert site.ask("GET", "/health/live").status_code == 200


def test_such_a_server_stays_closed_when_the_file_of_keys_is_lost(open_site: Any) -> None:
    with open_site(hosts=("memory.example.com",)) as site:
        site.key("alice")
        home = site.server.uploads.parent
    for one in home.glob("access.sqlite3*"):
        one.unlink()
    with open_site(hosts=("memory.example.com",)) as site:
        assert site.problem("GET", "/v1/items")["status"] == 401


def test_metrics_name_no_space_and_no_key(site: Any) -> None:
    key = site.key("alice")
    site.answer("POST", "/v1/search", {"query": "secret"}, key=key)
    site.ask("GET", "/v1/items/my-secret-id", key=key)

    text = site.ask("GET", "/metrics", key=site.key("alice", "metrics")).text

    assert 'route="/v1/items/{id}",status="404"' in text
    assert not any(word in text for word in ("alice", "secret", key.split("_")[1]))


def test_the_document_says_what_each_operation_needs() -> None:
    paths = document(ROUTES)["paths"]

    for route in ROUTES:
        reported = paths[route.path][route.method.lower()]
        assert reported["security"] == ([{"key": []}, {}] if route.permission else [])
        assert route.permission is None or f"`{route.permission}`" in reported["description"]


def test_every_body_and_every_problem_has_an_example(site: Any) -> None:
    made = site.answer("GET", "/openapi.json")

    for path, methods in made["paths"].items():
        for method, reported in methods.items():
            sent = reported.get("requestBody", {}).get("content", {}).get("application/json")
            assert sent is None or "example" in sent, f"{method} {path}"
    for reported in made["components"]["responses"].values():
        assert reported["content"]["application/problem+json"]["example"]
