"""ETags: a change happens only on a version that the caller has seen."""

from typing import Any

import pytest


@pytest.fixture
def path(site: Any) -> str:
    """An item at its second version."""
    [item_id] = site.add("first")
    site.memory.update(item_id, title="second")
    return f"/v1/items/{item_id}"


@pytest.mark.parametrize("tags", ['"2"', "2", '"1", "2"', '"x","2"', "*", " ", '"2", "9"'])
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_version_that_is_named_among_others_is_changed(
    site: Any, path: str, method: str, tags: str
) -> None:
    body = {"title": "third"} if method == "PATCH" else None

    assert site.ask(method, path, body, headers={"If-Match": tags}).status_code == 200


@pytest.mark.parametrize(
    "tags", ['"1"', 'W/"2"', '"x"', '"1", "3"', '""', "2.0", '"-2"', '"' + "9" * 40 + '"', "٢"]
)
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_no_other_version_is_changed(site: Any, path: str, method: str, tags: str) -> None:
    body = {"title": "third"} if method == "PATCH" else None

    got = site.ask(method, path, body, headers={"If-Match": tags.encode()})

    assert (got.status_code, got.json()["code"]) == (412, "precondition_failed")
    assert site.answer("GET", path)["version"] == 2


@pytest.mark.parametrize("tags", ['"1"', '"x"', '"1", "2"'])
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_what_is_not_there_is_told_before_its_version(site: Any, method: str, tags: str) -> None:
    body = {"title": "t"} if method == "PATCH" else None

    told = site.problem(method, "/v1/items/nope", body, headers={"If-Match": tags})

    assert told["status"] == 404


@pytest.mark.parametrize(
    ("tags", "status"),
    [('"2"', 304), ('W/"2"', 304), ('"1", "2"', 304), ("*", 304), ('"1"', 200), ("2", 200),
     ('"*"', 200), ("", 200)],
)  # fmt: skip
def test_who_has_a_version_is_not_sent_it_again(
    site: Any, path: str, tags: str, status: int
) -> None:
    got = site.ask("GET", path, headers={"If-None-Match": tags})

    assert got.status_code == status
    assert got.headers["etag"] == '"2"'
    assert bool(got.content) is (status == 200)


def test_a_version_of_the_past_is_compared_with_itself(site: Any, path: str) -> None:
    before = site.ask("GET", path, params={"as_of": "1"}, headers={"If-None-Match": '"2"'})

    assert (before.status_code, before.headers["etag"]) == (200, '"1"')


def test_an_item_that_is_no_memory_is_none_whatever_version_one_has(site: Any) -> None:
    path = f"/v1/memories/{site.memory.add('a page', kind='document').id}"

    assert site.ask("GET", path, headers={"If-None-Match": '"1"'}).status_code == 404
    assert site.ask("GET", path).status_code == 404


def test_a_memory_has_its_version_too(site: Any) -> None:
    made = site.answer("POST", "/v1/memories", {"text": "Sarah likes tea"})
    path = f"/v1/memories/{made['id']}"

    got = site.ask("GET", path)
    again = site.ask("GET", path, headers={"If-None-Match": got.headers["etag"]})

    assert (got.status_code, again.status_code) == (200, 304)


def test_of_two_changes_to_one_version_one_is_made(site: Any, path: str) -> None:
    done = [
        site.ask("PATCH", path, {"title": f"by {n}"}, headers={"If-Match": '"2"'}).status_code
        for n in range(2)
    ]

    assert done == [200, 412]
    assert site.answer("GET", path)["title"] == "by 0"
