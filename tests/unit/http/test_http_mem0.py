"""The routes of mem0's clients: what they send, and what they read in the answers."""

from typing import Any

import pytest

ANA = {"user_id": "ana"}


@pytest.fixture
def ask(site: Any) -> Any:
    """Send a request as mem0's clients do, with a key of the scheme `Token`."""
    key = site.key("team")

    def asked(method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Token {key}", "Mem0-User-ID": "x"}
        response = site.client.request(method, path, json=body, headers=headers)
        assert response.status_code == 200, response.text
        return response.json()

    return asked


def add(ask: Any, *texts: str, **fields: Any) -> list[str]:
    messages = [{"role": "user", "content": one} for one in texts]
    body = {"messages": messages, "infer": True, "output_format": "v1.1", **ANA, **fields}
    return [one["id"] for one in ask("POST", "/v3/memories/add/", body)["results"]]


def listed(ask: Any, filters: Any, query: str = "") -> list[str]:
    page = ask("POST", f"/v3/memories/{query}", {"filters": filters})
    return [one["memory"] for one in page["results"]]


def test_a_client_learns_that_its_key_is_good(ask: Any, site: Any) -> None:
    assert ask("GET", "/v1/ping/")["status"] == "ok"
    bad = site.client.get("/v1/ping/", headers={"Authorization": "Token sim_no"})
    assert bad.status_code == 401
    assert "detail" in bad.json()


def test_messages_are_kept_as_they_were_said_and_found(ask: Any) -> None:
    added = ask("POST", "/v3/memories/add/", {
        "messages": [
            {"role": "user", "content": "I drink green tea."},
            {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]},
            {"role": "user", "content": ""},
        ],
        "user_id": "ana", "agent_id": "bot", "metadata": {"topic": "drinks"},
        "timestamp": 1_767_225_600, "custom_instructions": "…",
    })["results"]  # fmt: skip

    assert [(one["memory"], one["event"]) for one in added] == [
        ("I drink green tea.", "ADD"), ("Noted.", "ADD"),
    ]  # fmt: skip
    body = {"query": "green tea", "filters": ANA, "top_k": 1, "rerank": True}
    [found] = ask("POST", "/v3/memories/search/", body)["results"]
    assert (found["id"], found["memory"]) == (added[0]["id"], "I drink green tea.")
    assert (found["user_id"], found["agent_id"], found["run_id"]) == ("ana", "bot", None)
    assert found["metadata"] == {"topic": "drinks"}
    assert 0 < found["score"] <= 1
    assert ask("GET", f"/v1/memories/{found['id']}/")["memory"] == "I drink green tea."


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (ANA, "ab"),
        ({"user_id": "*"}, "abc"),
        ({"AND": [{"user_id": "ana"}, {"run_id": "1"}]}, "b"),
        ({"OR": [{"run_id": "1"}, {"user_id": "bo"}]}, "bc"),
        ({"NOT": [{"user_id": "ana"}]}, "c"),
        ({"user_id": {"in": ["bo", "cy"]}}, "c"),
        ({"metadata": {"n": 2}}, "b"),
        ({"n": {"gte": 2}}, "bc"),
        ({"tags": {"contains": "x"}}, "c"),
        ({"created_at": {"gte": "2000-01-01"}}, "abc"),
        ({"user_id": "nobody"}, ""),
    ],
)
def test_a_filter_is_exact(ask: Any, filters: Any, expected: str) -> None:
    add(ask, "a", metadata={"n": 1})
    add(ask, "b", run_id="1", metadata={"n": 2})
    add(ask, "c", user_id="bo", metadata={"n": 3, "tags": ["x"]})

    assert "".join(sorted(listed(ask, filters))) == expected


def test_the_same_words_of_another_are_another_memory_and_of_the_same_none(ask: Any) -> None:
    ids = [*add(ask, "I drink tea."), *add(ask, "I drink tea.", user_id="bo")]
    body = {"messages": [{"role": "user", "content": "I drink tea."}], **ANA}
    [again] = ask("POST", "/v3/memories/add/", body)["results"]

    assert len(set(ids)) == 2
    assert (again["id"], again["event"]) == (ids[0], "NONE")
    assert listed(ask, ANA) == ["I drink tea."]


def test_pages_follow_one_another(ask: Any) -> None:
    add(ask, *"abcde")

    first = ask("POST", "/v3/memories/?page=1&page_size=2", {"filters": ANA})
    last = ask("POST", "/v3/memories/?page=3&page_size=2", {"filters": ANA})

    assert (first["count"], first["previous"], len(first["results"])) == (5, None, 2)
    assert first["next"] is not None
    assert (last["next"], len(last["results"])) == (None, 1)


def test_a_memory_is_updated_and_its_history_told(ask: Any) -> None:
    [one] = add(ask, "I drink green tea.", metadata={"topic": "drinks"})

    changed = ask("PUT", f"/v1/memories/{one}/", {"text": "I drink black tea."})
    ask("PUT", f"/v1/memories/{one}/", {"metadata": {"topic": "tea"}})
    ask("DELETE", f"/v1/memories/{one}/")

    assert (changed["memory"], changed["metadata"]) == ("I drink black tea.", {"topic": "drinks"})
    reported = ask("GET", f"/v1/memories/{one}/history/")
    assert [(t["event"], t["old_memory"], t["new_memory"]) for t in reported] == [
        ("ADD", None, "I drink green tea."),
        ("UPDATE", "I drink green tea.", "I drink black tea."),
        ("UPDATE", "I drink black tea.", "I drink black tea."),
        ("DELETE", "I drink black tea.", None),
    ]
    assert listed(ask, ANA) == []


def test_several_are_updated_and_forgotten_at_once(ask: Any) -> None:
    one, two, three = add(ask, "a", "b", "c")

    ask("PUT", "/v1/batch/", {"memories": [
        {"memory_id": one, "text": "A"}, {"memory_id": two, "metadata": {"n": 1}},
    ]})  # fmt: skip
    ask("DELETE", "/v1/batch/", {"memories": [{"memory_id": two}, {"memory_id": three}]})

    assert listed(ask, ANA) == ["A"]


def test_the_memories_of_somebody_are_counted_and_forgotten(ask: Any) -> None:
    add(ask, "a", "b")
    add(ask, "c", user_id="bo", agent_id="bot")

    found = ask("GET", "/v1/entities/")["results"]
    assert [(one["type"], one["name"], one["total_memories"]) for one in found] == [
        ("user", "ana", 2), ("user", "bo", 1), ("agent", "bot", 1),
    ]  # fmt: skip
    ask("DELETE", "/v2/entities/user/ana/")
    assert listed(ask, {"user_id": "*"}) == ["c"]
    ask("DELETE", "/v1/memories/?user_id=bo")
    assert listed(ask, {"user_id": "*"}) == []


def test_what_has_expired_is_shown_only_where_it_is_asked_for(ask: Any) -> None:
    add(ask, "old", expiration_date="2001-01-01")
    add(ask, "new", expiration_date="2999-01-01")

    assert listed(ask, ANA) == ["new"]
    page = ask("POST", "/v3/memories/", {"filters": ANA, "show_expired": True})
    assert sorted(one["memory"] for one in page["results"]) == ["new", "old"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v3/memories/add/", {"messages": []}, 422),
        ("POST", "/v3/memories/search/", {"query": "x", "filters": {"n": {"like": 1}}}, 422),
        ("POST", "/v3/memories/search/", {"query": "x", "filters": [1]}, 422),
        ("POST", "/v3/memories/?page=0", {}, 422),
        ("GET", "/v1/memories/nobody/", None, 404),
        ("PUT", "/v1/memories/nobody/", {"text": "x"}, 404),
        ("DELETE", "/v1/memories/", None, 422),
        ("DELETE", "/v2/entities/user/nobody/", None, 404),
        ("DELETE", "/v2/entities/planet/mars/", None, 404),
        ("DELETE", "/v1/batch/", {"memories": [{"memory_id": "nobody"}]}, 404),
        ("PUT", "/v1/batch/", {"memories": [{"memory_id": "x", "metadata": 5}]}, 422),
        ("PUT", "/v1/batch/", {"memories": [{"text": "x"}]}, 422),
    ],
)
def test_what_does_not_fit_is_refused_with_a_detail(
    site: Any, method: str, path: str, body: Any, status: int
) -> None:
    headers = {"Authorization": f"Token {site.key('team')}"}
    response = site.client.request(method, path, json=body, headers=headers)

    assert response.status_code == status
    assert response.json()["detail"]


def test_other_kinds_of_items_are_none_of_its_memories(site: Any, ask: Any) -> None:
    [mail] = site.memory.in_space("team").add(["a mail"], kind="email")

    assert listed(ask, {}) == []
    key = {"Authorization": f"Token {site.key('team')}"}
    assert site.client.get(f"/v1/memories/{mail.id}/", headers=key).status_code == 404


def test_a_key_of_another_space_sees_and_changes_nothing(site: Any, ask: Any) -> None:
    [one] = add(ask, "a")
    key = {"Authorization": f"Token {site.key('other')}"}

    def other(method: str, path: str, body: Any = None) -> Any:
        return site.client.request(method, path, json=body, headers=key)

    assert other("GET", f"/v1/memories/{one}/").status_code == 404
    assert other("PUT", f"/v1/memories/{one}/", {"text": "b"}).status_code == 404
    assert other("DELETE", "/v1/batch/", {"memories": [{"memory_id": one}]}).status_code == 404
    assert other("DELETE", "/v1/memories/?user_id=*").status_code == 200
    assert other("POST", "/v3/memories/", {"filters": {"user_id": "*"}}).json()["count"] == 0
    assert listed(ask, ANA) == ["a"]


def test_a_key_that_only_reads_changes_nothing_and_one_that_only_writes_is_reported_nothing(
    site: Any, ask: Any
) -> None:
    [one] = add(ask, "a")
    reads = {"Authorization": f"Token {site.key('team', 'read')}"}
    writes = {"Authorization": f"Token {site.key('team', 'write')}"}
    path = f"/v1/memories/{one}/"

    assert site.client.delete(path, headers=reads).status_code == 403
    assert site.client.get(path, headers=writes).status_code == 403
    assert listed(ask, ANA) == ["a"]
    for known in (path, "/v1/memories/nobody/"):
        answer = site.client.delete(known, headers=writes)
        assert (answer.status_code, answer.json()) == (202, {"accepted": True})
    assert listed(ask, ANA) == []
