"""`/v1/search`, `/v1/brief` and their kin: the engine's own answers, through the door."""

import json
from typing import Any

import pytest

from simonides.codec.write import to_wire


def test_a_search_answers_what_the_library_answers(site: Any) -> None:
    site.add("The Alpha deadline moved to Friday.", "Bob likes tea.")

    got = site.answer("POST", "/v1/search", {"query": "Alpha deadline", "limit": 3})
    known = to_wire(site.memory.search("Alpha deadline", limit=3))

    assert got["entries"] == json.loads(json.dumps(known["entries"]))
    assert got["entries"][0]["item"]["content"] == "The Alpha deadline moved to Friday."
    assert (got["latestContext"], got["contextTimestamp"]) == ("", None)


def test_a_space_in_the_body_is_read_over(site: Any) -> None:
    site.add("the vault code of Bob is 4711", space="bob")

    got = site.answer("POST", "/v1/search", {"query": "vault code", "space": "bob"})

    assert got["entries"] == []
    assert "4711" not in json.dumps(got)


def test_a_filter_excludes(site: Any) -> None:
    site.memory.add("Alpha by mail", source="gmail", metadata={"priority": 3})
    site.memory.add("Alpha by note", metadata={"priority": 1})

    def found(**wanted: Any) -> list[str]:
        body = {"query": "Alpha", "filter": wanted}
        got = site.answer("POST", "/v1/search", body)
        return [one["item"]["content"] for one in got["entries"]]

    assert found(sources=["gmail"]) == ["Alpha by mail"]
    assert found(where={"priority": {"lt": 2}}) == ["Alpha by note"]
    assert found(time="last_week", sources=["nowhere"]) == []


def test_a_search_may_ask_for_an_earlier_state(site: Any) -> None:
    [item_id] = site.add("Alpha is due on Monday")
    site.memory.update(item_id, content="Alpha is due on Friday")

    got = site.answer("POST", "/v1/search", {"query": "Alpha", "as_of": 1})

    assert got["entries"][0]["item"]["content"] == "Alpha is due on Monday"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": 7}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": "5"}, "limit"),
        ({"query": "x", "mode": "guess"}, "mode"),
        ({"query": "x", "colour": "red"}, "colour"),
        ({"query": "x", "filter": {"kinds": ["poem"]}}, "filter.kinds[0]"),
        ({"query": "x", "filter": {"since": "soon"}}, "filter.since"),
        ({"query": "x", "filter": {"time": "today", "since": "2026-01-01"}}, "filter.time"),
        ({"query": "x", "now": "soon"}, "now"),
        ({"query": "x", "timezone": "Mars/Olympus"}, "timezone"),
        ({"query": "x", "as_of": "soon"}, "as_of"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_field(site: Any, body: Any, field: str) -> None:
    refusal = site.problem("POST", "/v1/search", body)

    assert (refusal["status"], refusal["code"]) == (422, "invalid_input")
    assert [one["field"] for one in refusal["errors"]] == [field]


def test_a_refusal_does_not_repeat_what_was_sent(site: Any) -> None:
    refusal = site.problem("POST", "/v1/search", {"query": ["my secret"]})

    assert "my secret" not in json.dumps(refusal)


@pytest.mark.parametrize("body", [b"{", b"", b'{"query": "\\ud800"}', b"\xff", b"[" * 5000])
def test_what_is_no_json_is_malformed(site: Any, body: bytes) -> None:
    refusal = site.problem("POST", "/v1/search", body)

    assert refusal["status"] in (400, 422)


def test_only_json_is_taken(site: Any) -> None:
    refusal = site.problem("POST", "/v1/search", b"query=x", headers={"Content-Type": "text/plain"})

    assert (refusal["status"], refusal["code"]) == (415, "unsupported_media_type")


def test_a_brief_holds_its_budget_and_can_be_replayed_and_explained(site: Any) -> None:
    site.add("The Alpha deadline moved to Friday.")
    asked = {"query": "When is Alpha due?", "budget_tokens": 120}

    made = site.answer("POST", "/v1/brief", {**asked, "keep_receipt": True})
    again = site.answer("POST", "/v1/replay", {"receipt": made["receipt"]})
    kept = site.answer("POST", "/v1/replay", {"receipt": made["receipt"]["id"]})
    why = site.answer("POST", "/v1/explain", asked)
    response = site.answer(
        "POST", "/v1/diff", {"before": made["receipt"], "after": made["receipt"]}
    )

    assert "Friday" in made["text"]
    assert made["tokens"] <= 120
    assert again["exact"]
    assert kept["text"] == again["text"] == made["text"]
    assert why["brief"]["text"] == made["text"]
    assert response["same_text"]


def test_a_receipt_that_is_not_kept_is_not_found(site: Any) -> None:
    site.add("x")

    assert site.problem("POST", "/v1/replay", {"receipt": "nope"})["code"] == "not_found"


def test_a_key_that_may_not_write_keeps_no_receipt(site: Any) -> None:
    site.add("x", space="alice")
    key = site.key("alice", "read")

    refusal = site.problem("POST", "/v1/brief", {"query": "x", "keep_receipt": True}, key=key)

    assert refusal["status"] == 403
    assert site.answer("POST", "/v1/brief", {"query": "x"}, key=key)["budget"] == 1500


def test_a_search_goes_to_shared_spaces_where_the_key_may_read_them(site: Any) -> None:
    site.add("Alpha in mine", space="alice")
    site.add("Alpha in ours", space="team")
    key = site.key("alice", shared=["team"])

    own = site.answer("POST", "/v1/search", {"query": "Alpha"}, key=key)
    both = site.answer(
        "POST", "/v1/search", {"query": "Alpha", "spaces": ["alice", "team"]}, key=key
    )

    assert [one["item"]["content"] for one in own["entries"]] == ["Alpha in mine"]
    assert {(one["space"], one["item"]["content"]) for one in both["entries"]} == {
        ("alice", "Alpha in mine"), ("team", "Alpha in ours"),
    }  # fmt: skip
    assert set(both["diagnostics"]) == {"alice", "team"}
    assert all(one["explanation"] for one in both["entries"])


@pytest.mark.parametrize("spaces", [["bob"], ["alice", "bob"], ["nowhere"], ["../alice"]])
def test_a_search_goes_to_no_other_space(site: Any, spaces: list[str]) -> None:
    site.add("Alpha of Bob", space="bob")
    key = site.key("alice", shared=["team"])

    refusal = site.problem("POST", "/v1/search", {"query": "Alpha", "spaces": spaces}, key=key)

    assert refusal["status"] == 403
    assert "bob" not in refusal["detail"]


def test_hits_of_several_spaces_come_best_first_and_ties_by_space(site: Any) -> None:
    for space in ("team", "alice"):
        site.memory.in_space(space).add("Alpha is due", id="same")
    key = site.key("alice", shared=["team"])

    got = site.answer(
        "POST",
        "/v1/search",
        {"query": "Alpha due", "spaces": ["team", "alice"], "limit": 2},
        key=key,
    )

    assert [one["space"] for one in got["entries"]] == ["alice", "team"]
    assert len({one["_score"] for one in got["entries"]}) == 1
