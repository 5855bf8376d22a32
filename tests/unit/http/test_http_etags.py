"""ETags: a change happens only on a version that the caller has seen, and that very version."""

from datetime import timedelta
from typing import Any

import pytest

GONE = '"1-1-0"'


@pytest.fixture
def path(site: Any) -> str:
    """An item at its second version."""
    [item_id] = site.add("first")
    site.memory.update(item_id, title="second")
    return f"/v1/items/{item_id}"


def tag_of(site: Any, path: str) -> str:
    """Return the ETag of what is there."""
    got: str = site.ask("GET", path).headers["etag"]
    return got


@pytest.mark.parametrize("tags", ["{tag}", f"{GONE}, {{tag}}", '"x",{tag}', "*", " ", '{tag}, "9"'])
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_version_that_is_named_among_others_is_changed(
    site: Any, path: str, method: str, tags: str
) -> None:
    body = {"title": "third"} if method == "PATCH" else None
    sent = tags.format(tag=tag_of(site, path))

    assert site.ask(method, path, body, headers={"If-Match": sent}).status_code == 200


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_no_other_version_is_changed(site: Any, path: str, method: str) -> None:
    body = {"title": "third"} if method == "PATCH" else None
    others = (
        GONE, "W/{tag}", '"x"', f'{GONE}, "3"', '""', '"2"', "2", '"-2"', '"' + "9" * 400 + '"',
        "٢", '"2-2"',
    )  # fmt: skip
    for tags in others:
        sent = tags.format(tag=tag_of(site, path))

        got = site.ask(method, path, body, headers={"If-Match": sent.encode()})

        assert (got.status_code, got.json()["code"]) == (412, "precondition_failed"), tags
        assert len(got.json()["detail"]) < 200, tags
        assert site.answer("GET", path)["version"] == 2, tags


@pytest.mark.parametrize("tags", [GONE, '"x"', f'{GONE}, "2"'])
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_what_is_not_there_is_told_before_its_version(site: Any, method: str, tags: str) -> None:
    body = {"title": "t"} if method == "PATCH" else None

    refusal = site.problem(method, "/v1/items/nope", body, headers={"If-Match": tags})

    assert refusal["status"] == 404


@pytest.mark.parametrize(
    ("tags", "status"),
    [("{tag}", 304), ("W/{tag}", 304), (f"{GONE}, {{tag}}", 304), ("*", 304), (GONE, 200),
     ('"2"', 200), ('"*"', 200), ("", 200)],
)  # fmt: skip
def test_who_has_a_version_is_not_sent_it_again(
    site: Any, path: str, tags: str, status: int
) -> None:
    tag = tag_of(site, path)
    got = site.ask("GET", path, headers={"If-None-Match": tags.format(tag=tag)})

    assert got.status_code == status
    assert got.headers["etag"] == tag
    assert bool(got.content) is (status == 200)


def test_a_version_of_the_past_is_compared_with_itself(site: Any, path: str) -> None:
    asked = {"params": {"as_of": "1"}}
    before = site.ask("GET", path, headers={"If-None-Match": tag_of(site, path)}, **asked)
    again = site.ask("GET", path, headers={"If-None-Match": before.headers["etag"]}, **asked)

    assert (before.status_code, before.json()["version"]) == (200, 1)
    assert again.status_code == 304


def test_a_version_keeps_its_tag_once_it_is_past(site: Any) -> None:
    [item_id] = site.add("first")
    path = f"/v1/items/{item_id}"
    fresh = tag_of(site, path)
    site.pass_time(timedelta(hours=1))
    site.memory.update(item_id, title="second")

    assert site.ask("GET", path, params={"as_of": "1"}).headers["etag"] == fresh
    assert tag_of(site, path) != fresh


def test_what_leaves_an_item_as_it_is_leaves_its_tag(site: Any, path: str) -> None:
    before = tag_of(site, path)
    site.add("another")
    site.memory.record_usage(path.rpartition("/")[2])
    site.answer("PATCH", path, {"title": "second"})

    assert tag_of(site, path) == before


@pytest.mark.parametrize("what", [{"ids": ["1"]}, {"everything": True}])
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_tag_does_not_come_again_with_what_was_erased(site: Any, method: str, what: Any) -> None:
    [item_id] = site.add("first")
    path, body = f"/v1/items/{item_id}", {"title": "t"} if method == "PATCH" else None
    before = tag_of(site, path)
    site.answer("POST", "/v1/erase", {"ids": [item_id]} if "ids" in what else what)
    site.pass_time(timedelta(microseconds=1))
    site.add("first")

    got = site.ask(method, path, body, headers={"If-Match": before})
    unchanged = site.ask("GET", path, headers={"If-None-Match": before})

    assert (got.status_code, unchanged.status_code) == (412, 200)


def test_an_item_that_is_no_memory_is_none_whatever_version_one_has(site: Any) -> None:
    path = f"/v1/memories/{site.memory.add('a page', kind='document').id}"
    tag = tag_of(site, path.replace("memories", "items"))

    assert site.ask("GET", path, headers={"If-None-Match": tag}).status_code == 404
    assert site.ask("GET", path).status_code == 404


def test_a_memory_has_its_version_too(site: Any) -> None:
    made = site.answer("POST", "/v1/memories", {"text": "Sarah likes tea"})
    path = f"/v1/memories/{made['id']}"

    got = site.ask("GET", path)
    again = site.ask("GET", path, headers={"If-None-Match": got.headers["etag"]})

    assert (got.status_code, again.status_code) == (200, 304)
    assert got.headers["etag"] == tag_of(site, path.replace("memories", "items"))


def test_of_two_changes_to_one_version_one_is_made(site: Any, path: str) -> None:
    tag = tag_of(site, path)
    done = [
        site.ask("PATCH", path, {"title": f"by {n}"}, headers={"If-Match": tag}) for n in range(2)
    ]

    assert [one.status_code for one in done] == [200, 412]
    assert done[0].headers["etag"] == tag_of(site, path) != tag
    assert site.answer("GET", path)["title"] == "by 0"


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_that_comes_in_between_is_reported_as_another_version(
    site: Any, path: str, method: str, monkeypatch: Any
) -> None:
    """The tag fits when it is looked at, and not any more when the change is made."""
    tag, plain = tag_of(site, path), type(site.memory).get

    def overtaken(self: Any, item_id: str, /, **named: Any) -> Any:
        found = plain(self, item_id, **named)
        monkeypatch.undo()
        self.update(item_id, title="between")
        return found

    monkeypatch.setattr(type(site.memory), "get", overtaken)
    body = {"title": "third"} if method == "PATCH" else None
    refusal = site.problem(method, path, body, headers={"If-Match": tag})

    assert refusal["status"] == 412
    assert site.answer("GET", path)["title"] == "between"
