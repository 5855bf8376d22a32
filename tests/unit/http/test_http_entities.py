"""Entities over HTTP: listed, and said to be one by those who may write."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.unit.http.conftest import Site


def test_what_is_said_to_be_one_is_one_from_then_on(site: "Site") -> None:
    site.add("Project Alpha begins.", "we dropped Apollo there", "Project Beta ends.")
    alias = site.answer(
        "POST", "/v1/entities/alias", {"entity": "Project Alpha", "names": ["Apollo"]}
    )
    assert (alias["id"], alias["mentions"]) == ("project:alpha", 2)

    merged = site.answer("POST", "/v1/entities/merge", {"entity": "alpha", "others": ["beta"]})
    assert merged["mentions"] == 3
    renamed = site.answer("POST", "/v1/entities/rename", {"entity": "beta", "name": "Harbor"})
    assert renamed["names"][0] == "Harbor"

    [listed] = site.answer("GET", "/v1/entities?name=harbor")["entities"]
    assert listed == renamed


def test_what_is_not_there_or_not_allowed_is_refused(site: "Site") -> None:
    site.add("Project Alpha begins.")
    reader = site.key("default", "read")
    body = {"entity": "alpha", "names": ["Apollo"]}

    assert site.problem("POST", "/v1/entities/alias", body, key=reader)["status"] == 403
    writer = site.key("default", "read", "write")
    nobody = {**body, "entity": "nobody"}
    gone = site.problem("POST", "/v1/entities/alias", nobody, key=writer)
    assert gone["status"] == 404
    none = {"entity": "alpha", "others": []}
    empty = site.problem("POST", "/v1/entities/merge", none, key=writer)
    assert empty["status"] == 422
