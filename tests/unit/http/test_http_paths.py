"""Ids in paths: a slash that is part of an id is not one between parts of the path."""

from typing import Any
from urllib.parse import quote

import pytest

IDS = ["a/history", "a/restore", "a/b/c", "history", "a%2Fb", "a b", "ä/ö", "100%", "a?b#c", "a+b"]


@pytest.mark.parametrize("item_id", IDS)
def test_an_item_is_reached_by_its_id_whatever_stands_in_it(site: Any, item_id: str) -> None:
    site.memory.add("first", id=item_id)
    path = f"/v1/items/{quote(item_id, safe='')}"

    got = site.answer("GET", path)
    changed = site.answer("PATCH", path, {"title": "t"})
    past = site.answer("GET", f"{path}/history")["versions"]
    gone = site.answer("DELETE", path)
    back = site.answer("POST", f"{path}/restore", {})

    assert (got["id"], got["content"], changed["version"]) == (item_id, "first", 2)
    assert [one["version"] for one in past] == [1, 2]
    assert gone == {"forgotten": [item_id]}
    assert back["version"] == 3


def test_the_history_of_one_item_is_not_another_item(site: Any) -> None:
    site.memory.add("the short one", id="a")
    site.memory.add("the long one", id="a/history")

    past = site.answer("GET", "/v1/items/a/history")
    long = site.answer("GET", "/v1/items/a%2Fhistory")
    both = site.answer("GET", "/v1/items/a%2fhistory/history")

    assert past["versions"][0]["item"]["content"] == "the short one"
    assert long["content"] == "the long one"
    assert both["versions"][0]["item"]["content"] == "the long one"


def test_forgetting_by_such_an_id_forgets_no_other(site: Any) -> None:
    site.memory.add("short", id="a")
    site.memory.add("long", id="a/restore")

    site.answer("DELETE", "/v1/items/a%2Frestore")

    assert [one["id"] for one in site.answer("GET", "/v1/items")["items"]] == ["a"]
    assert site.problem("POST", "/v1/items/a%2Frestore", {})["status"] == 405


def test_a_session_may_be_named_like_a_part_of_the_path(site: Any) -> None:
    said = {"role": "user", "content": "hello"}
    site.answer("POST", "/v1/sessions/team%2Fmessages/messages", said)

    assert site.answer("GET", "/v1/sessions/team%2Fmessages")["messages"] == 1
    assert site.problem("GET", "/v1/sessions/team")["status"] == 404


def test_a_plain_slash_still_belongs_to_an_id_where_nothing_else_follows(site: Any) -> None:
    site.memory.add("x", id="a/b")

    assert site.answer("GET", "/v1/items/a/b")["id"] == "a/b"


@pytest.mark.parametrize("item_id", ["%00", "%FF%FE", "%ED%A0%80", "x" * 300, "%0d%0aSet-Cookie:x"])
def test_a_strange_id_is_not_found_or_refused_and_sets_no_header(site: Any, item_id: str) -> None:
    site.add("x")

    for method, rest, body in (("GET", "", None), ("DELETE", "", None), ("POST", "/restore", {})):
        response = site.ask(method, f"/v1/items/{item_id}{rest}", body)
        assert response.status_code in (404, 422)
        assert "set-cookie" not in response.headers


def test_the_log_and_the_counts_name_the_route_not_the_id(site: Any) -> None:
    site.ask("GET", "/v1/items/my%2Fsecret%2Fhistory/history")

    text = site.ask("GET", "/metrics").text
    assert 'route="/v1/items/{id}/history"' in text
    assert "secret" not in text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/items", 200), ("HEAD", "/v1/items", 200), ("GET", "/v1/%69tems", 200),
        ("GET", "/v1%2Fitems", 404), ("GET", "/v1/items/", 404), ("GET", "/V1/items", 404),
        ("PUT", "/v1/items", 405), ("OPTIONS", "/v1/items", 405), ("POST", "/health/live", 405),
        ("BREW", "/v1/items", 405),
    ],
)  # fmt: skip
def test_a_path_that_is_always_the_same_is_found_as_every_other(
    site: Any, method: str, path: str, status: int
) -> None:
    got = site.ask(method, path)

    assert got.status_code == status
    assert ("allow" in got.headers) is (status == 405)


def test_an_id_may_hold_a_line_break(site: Any) -> None:
    assert site.ask("GET", "/v1/sessions/a%0Ab/messages").status_code == 200
