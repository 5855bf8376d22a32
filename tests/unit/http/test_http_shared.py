"""Several spaces over HTTP: the key's grants decide which, and a refusal says nothing of any."""

import json
from typing import Any

import pytest

from simonides import AccessDenied
from simonides.mcp.tool import ToolHost

QUESTION = "what about the Alpha deadline and its budget?"
VERBS = {"brief": "query", "explain": "query", "retrieve": "query", "chat": "message"}


@pytest.fixture
def key(site: Any) -> str:
    """Return Alice's key, which may read the team's space; Bob has one, too."""
    site.add("The Alpha deadline moved to Friday.", space="alice")
    site.add("The Alpha budget is 40,000 euros.", space="team")
    site.add("Bob hides the Alpha budget in zanzibar.", space="bob")
    made: str = site.key("alice", shared=["team"])
    return made


def whose(answered: Any) -> set[str]:
    answered = answered.get("brief", answered)
    return {one["space"] for one in answered["items"]}


@pytest.mark.parametrize(("verb", "field"), VERBS.items())
def test_a_key_reads_the_spaces_that_it_was_granted(
    site: Any, key: str, verb: str, field: str
) -> None:
    response = site.answer("POST", f"/v1/{verb}", {field: QUESTION, "spaces": ["team"]}, key=key)

    assert whose(response) == {"alice", "team"}


@pytest.mark.parametrize(("verb", "field"), VERBS.items())
def test_a_refusal_is_the_same_whether_the_space_is_there_or_not(
    site: Any, key: str, verb: str, field: str
) -> None:
    before = site.memory.in_space("alice").stats()
    refusal = [
        site.problem("POST", f"/v1/{verb}", {field: QUESTION, "spaces": names}, key=key)
        for names in (["bob"], ["team", "bob"], ["nowhere"], ["../bob"], ["team", "nowhere"])
    ]

    assert {one["status"] for one in refusal} == {403}
    assert len({one["detail"] for one in refusal}) == 1
    assert site.memory.in_space("alice").stats() == before


def test_without_a_key_there_is_one_space(site: Any) -> None:
    site.add("The Alpha budget is 40,000 euros.", space="team")

    refusal = site.problem("POST", "/v1/brief", {"query": QUESTION, "spaces": ["team"]})
    assert refusal["status"] == 403


def test_a_stored_receipt_is_replayed_within_the_grants_of_the_day(site: Any, key: str) -> None:
    asked = {"query": QUESTION, "spaces": ["team"], "keep_receipt": True}
    made = site.answer("POST", "/v1/brief", asked, key=key)
    later = site.key("alice", "read")

    for receipt in (made["receipt"], made["receipt"]["id"]):
        again = site.answer("POST", "/v1/replay", {"receipt": receipt}, key=key)
        assert (again["exact"], again["text"]) == (True, made["text"])
        refusal = site.problem("POST", "/v1/replay", {"receipt": receipt}, key=later)
        assert refusal["status"] == 403


def test_a_forged_receipt_reads_no_other_space(site: Any, key: str) -> None:
    bob = site.memory.in_space("bob")
    made = site.answer("POST", "/v1/brief", {"query": QUESTION, "spaces": ["team"]}, key=key)
    [item] = bob.brief(QUESTION).to_dict()["receipt"]["items"]
    own, team = made["receipt"]["spaces"]
    of_bob = {**team, "space": "bob", "space_uuid": ""}

    for spaces in ([own, of_bob], [of_bob, own], [of_bob, team]):
        forged = {
            **made["receipt"], "space_uuid": "", "spaces": spaces, "dropped": [],
            "dropped_spaces": [], "items": [{**item, "space": "bob"}],
        }  # fmt: skip
        got = site.ask("POST", "/v1/replay", {"receipt": forged}, key=key)
        assert "zanzibar" not in got.text


def test_a_model_reaches_no_other_space_through_its_tools(site: Any, key: str) -> None:
    made = site.answer("POST", "/v1/brief", {"query": QUESTION, "spaces": ["team"]}, key=key)
    tools = ToolHost(site.memory.in_space("alice"), now=site.server.now)

    assert whose(made) == {"alice", "team"}
    with pytest.raises(AccessDenied):
        tools.memory.replay(json.dumps(made["receipt"]))
