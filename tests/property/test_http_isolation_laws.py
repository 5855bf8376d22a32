"""Two keys, two spaces: whatever one of them sends, nothing of the other's comes back or changes.

Hypothesis sends requests of every route, with the other's ids, names and words in every place
where a text can stand.
"""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from simonides import Memory, Settings
from simonides.http.app import make_app, make_server
from simonides.http.limits import Limits
from simonides.http.routes import ROUTES
from simonides_bench.testing.depth import examples

SECRET = "zanzibar"  # noqa: S105  a word, no password
"""A word that nobody but Bob has said, and that no request holds."""


class House:
    """A server with the spaces of Alice and Bob; the requests are Alice's."""

    def __init__(self, home: Path) -> None:
        plain = Settings(embedder="none", timezone="UTC", durability="relaxed")
        self.memory = Memory(home, settings=plain)
        limits = Limits(rate_per_s=1e6, rate_burst=10**6)
        self.server = make_server(self.memory, uploads=home / "uploads", limits=limits)
        every = ("read", "write", "erase")
        self.alice = self.memory.keys.create(space="alice", permissions=every).key
        self.bob = self.memory.keys.create(space="bob", permissions=every).key
        self.bobs = self._of_bob()
        self.before = self._state()

    def _of_bob(self) -> list[str]:
        """Keep something of every sort in Bob's space, and return what names it."""
        bob = self.memory.in_space("bob")
        outcome = bob.add(f"the code is {SECRET}", id="bobs-item", source="bobs-source")
        memory = bob.remember(f"Bob loves {SECRET}", entity="bobs-entity")
        background = bob.background.put(f"Bob works on {SECRET}")
        said = bob.sessions.add("bobs-session", "user", f"remember {SECRET}")
        bob.preferences.set("bobs-preference", SECRET)
        receipt = bob.brief("what is the code?", keep_receipt=True).receipt.id
        names = ["bobs-session", "bobs-preference", "bobs-source", "bobs-entity", "bob"]
        return [outcome.id, memory.id, background.id, said.id, receipt, *names]

    def _state(self) -> str:
        bob = self.memory.in_space("bob")
        items = [(one.id, one.version, one.content) for one in bob.list(limit=100).items]
        preferred = bob.preferences.get("bobs-preference").value
        return json.dumps([items, bob.stats().revision, preferred])

    def is_untouched(self) -> bool:
        return self._state() == self.before


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, TestClient]]:
    made = House(tmp_path_factory.mktemp("house") / "home")
    with TestClient(make_app(made.server), base_url="http://localhost") as client:
        yield made, client


FIELDS = sorted({one.name for route in ROUTES for one in fields(route.request)})
NAMES = (
    "bobs-item", "bobs-session", "bobs-preference", "bobs-source", "bobs-entity", "bob",
    "../bob", "bob.sqlite3", "alice/../bob", "BOB", "bob\x00", "*", "%", "' OR 1=1 --",
)  # fmt: skip


def texts(house_names: list[str]) -> st.SearchStrategy[str]:
    asked = ("the code", "code", "what does Bob love?", "remember", "Bob works on")
    return st.sampled_from([*house_names, *NAMES, *asked]) | st.text(max_size=8)


def values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        text | st.integers(0, 5) | st.booleans() | st.none(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(FIELDS) | text, inner, max_size=3)
        ),
        max_leaves=5,
    )


LIKELY = {
    "query": "the code", "message": "the code", "text": "Bob loves tea", "content": "hello",
    "role": "user", "value": "x",
}  # fmt: skip
"""What gets a body past the models, so that the verbs themselves are reached."""


@pytest.mark.parametrize(
    "route", [one for one in ROUTES if not one.is_upload], ids=lambda r: f"{r.method} {r.path}"
)
def test_nothing_of_another_space_is_seen_or_touched(
    house: tuple[House, TestClient], route: Any
) -> None:
    made, client = house
    text = texts(made.bobs)
    names = [one.name for one in fields(route.request) if one.name != route.id_field]
    known = names if route.has_body else []
    asked = [*(() if route.has_body else names), "space"]
    bodies = st.dictionaries(st.sampled_from([*known, "space"]), values(text), max_size=3)

    @given(
        item_id=text, body=bodies, query=st.dictionaries(st.sampled_from(asked), text, max_size=2),
        space=text,
    )  # fmt: skip
    @settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
    def ask(item_id: str, body: dict[str, Any], query: dict[str, str], space: str) -> None:
        likely = {name: value for name, value in LIKELY.items() if name in known}
        sent = json.dumps({**likely, **body, "space": space}) if route.has_body else None
        got = client.request(
            route.method, route.path.replace("{id}", _quoted(item_id)), params=query, content=sent,
            headers={"Authorization": f"Bearer {made.alice}", "Content-Type": "application/json",
                     "X-Space": "bob"},
        )  # fmt: skip

        assert got.status_code < 500 or '"no_upstream"' in got.text, got.text
        assert SECRET not in got.text

    ask()

    assert made.is_untouched()


def _quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="") or "x"


def test_bob_himself_sees_it(house: tuple[House, TestClient]) -> None:
    made, client = house
    headers = {"Authorization": f"Bearer {made.bob}"}

    got = client.post("/v1/search", json={"query": "the code"}, headers=headers)

    assert SECRET in got.text


def test_the_scores_of_one_space_do_not_depend_on_another(
    house: tuple[House, TestClient],
) -> None:
    made, client = house
    headers = {"Authorization": f"Bearer {made.alice}"}
    made.memory.in_space("alice").add("a code of mine", id="mine")

    def scores() -> Any:
        got = client.post("/v1/search", json={"query": "code"}, headers=headers).json()
        return [(one["entryId"], one["_score"]) for one in got["entries"]]

    before = scores()
    made.memory.in_space("carol").add([f"code number {n}" for n in range(20)])

    assert scores() == before
