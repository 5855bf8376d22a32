"""Three spaces, one key: what it was not granted shows in no brief, citation, receipt or error.

And what is read together says what each space says by itself: the same scores, nothing lost, one
budget.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from simonides import Memory, Settings
from simonides.http.app import make_app, make_server
from simonides.http.limits import Limits
from simonides.model.brief import Layout
from simonides_bench.testing.depth import examples

SECRET = "zanzibar"  # noqa: S105  a word, no password
NAMES = ("alice", "team", "sales", "bob")
WORDS = ("alpha", "deadline", "budget", "friday", "harbor", "sarah", "demo", "regatta")
GRANTED = {"alice", "team", "sales"}
SAME_IDS = ("one", "two", "three", "four", "five")


def text_of(space: str, number: int) -> str:
    words = [WORDS[(number * 3 + place * (len(space) + 1)) % len(WORDS)] for place in range(5)]
    return f"{' '.join(words)} {SECRET if space == 'bob' else 'plain'} {space} {number}."


class House:
    """A server with four spaces whose items have the same ids; the requests are Alice's."""

    def __init__(self, home: Path) -> None:
        plain = Settings(embedder="none", timezone="UTC", durability="relaxed")
        self.memory = Memory(home, settings=plain)
        for space in NAMES:
            here = self.memory.in_space(space)
            for number, name in enumerate(SAME_IDS):
                here.add(text_of(space, number), id=name, title=f"{space} {name}")
            here.remember(f"{space} likes the {WORDS[len(space)]}", entity="sarah")
            here.background.put(f"{space} works on {SECRET if space == 'bob' else 'plain'} things")
            here.sessions.add("same", "user", f"the budget of {space} {text_of(space, 1)}")
        limits = Limits(rate_per_s=1e6, rate_burst=10**6)
        self.server = make_server(self.memory, uploads=home / "uploads", limits=limits)
        self.key = self.memory.keys.create(space="alice", shared=["team", "sales"]).key
        bob = self.memory.in_space("bob").brief("the budget", keep_receipt=True)
        self.of_bob = bob.receipt.to_dict()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, TestClient]]:
    made = House(tmp_path_factory.mktemp("shared") / "home")
    with TestClient(make_app(made.server), base_url="http://localhost") as client:
        yield made, client


few = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
odd = ("BOB", "../bob", "bob\n", "nowhere", "*", "")
spaces = st.lists(st.sampled_from((*NAMES, *NAMES, *odd)), max_size=4)
readable = st.lists(st.sampled_from(sorted(GRANTED)), max_size=4)
questions = st.lists(st.sampled_from((*WORDS, *NAMES, "who", "when")), min_size=1, max_size=5).map(
    " ".join
)


def sent(house: tuple[House, TestClient], verb: str, body: Any) -> tuple[int, str]:
    made, client = house
    headers = {"Authorization": f"Bearer {made.key}", "Content-Type": "application/json"}
    got = client.post(f"/v1/{verb}", content=json.dumps(body), headers=headers)
    return got.status_code, got.text


@pytest.mark.parametrize("verb", ["search", "brief", "explain", "retrieve", "chat"])
def test_nothing_of_a_space_that_was_not_granted_is_ever_told(
    house: tuple[House, TestClient], verb: str
) -> None:
    field = "message" if verb == "chat" else "query"

    @few
    @given(query=questions, names=spaces)
    def ask(query: str, names: list[str]) -> None:
        status, reported = sent(house, verb, {field: query, "spaces": names})

        assert SECRET not in reported
        if set(names) <= GRANTED:
            assert status == (200 if names or verb != "search" else 422)
        else:
            assert status == 403
            assert "bob" not in reported

    ask()


def test_no_receipt_leads_to_a_space_that_was_not_granted(
    house: tuple[House, TestClient],
) -> None:
    made, _ = house
    _, text = sent(house, "brief", {"query": "the budget", "spaces": ["team"]})
    mine = json.loads(text)["receipt"]
    states = [*mine["spaces"], {**mine["spaces"][1], "space": "bob"}]
    states.append({**states[-1], "space_uuid": made.of_bob["space_uuid"]})
    states.append({**states[-1], "space_uuid": ""})
    items = [*mine["items"], *made.of_bob["items"]]

    @few
    @given(
        some=st.lists(st.sampled_from(states), max_size=3),
        shown=st.lists(
            st.tuples(st.sampled_from(items), st.sampled_from(NAMES)), max_size=3
        ),
        form=st.sampled_from([2, 3]), uuid=st.sampled_from(["", mine["space_uuid"]]),
    )  # fmt: skip
    def replay(some: list[Any], shown: list[Any], form: int, uuid: str) -> None:
        forged = {
            **mine, "format": form, "spaces": some, "dropped": [], "dropped_spaces": [],
            "items": [{**item, "space": space} for item, space in shown], "space_uuid": uuid,
        }  # fmt: skip
        _, reported = sent(house, "replay", {"receipt": forged})

        assert SECRET not in reported

    replay()


@few
@given(query=questions, names=readable, budget=st.integers(0, 400), layout=st.sampled_from(Layout))
def test_what_is_read_together_is_what_each_space_has(
    house: tuple[House, TestClient], query: str, names: list[str], budget: int, layout: Layout
) -> None:
    alice = house[0].memory.in_space("alice", shared=GRANTED)

    made = alice.brief(query, spaces=names, budget_tokens=budget, layout=layout)
    asked = {"alice", *names}
    items, dropped = made.items, made.dropped
    seen = [*((one.space, one.id) for one in items), *((one.space, one.id) for one in dropped)]
    assert made.tokens <= budget
    assert len(seen) == len(set(seen))
    assert {space for space, _ in seen} <= (asked if len(asked) > 1 else {""})
    again = alice.brief(query, spaces=names[::-1], budget_tokens=budget, layout=layout)
    assert (again.text, again.items) == (made.text, made.items)
    if len(asked) > 1:
        scores = [*(one.score for one in items), *(one.score for one in dropped)]
        for (space, item_id), score in zip(seen, scores, strict=True):
            alone = house[0].memory.in_space(space).search(query, limit=1000)
            assert score == {hit.id: hit.score for hit in alone}[item_id]
        assert alice.replay(made.receipt).text == made.text
