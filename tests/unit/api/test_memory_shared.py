"""One budget over several spaces: each line told whose it is, equal ids apart, nothing forgotten.

The own space comes first; what is written goes to it alone.
"""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import (
    AccessDenied,
    AsyncMemory,
    Brief,
    DropReason,
    InvalidInput,
    Memory,
    Settings,
)
from simonides.codec.read import read_receipt
from simonides.codec.write import to_line
from simonides.model.brief import RECEIPT_FORMAT, Layout
from simonides.model.metadata_keys import CONTEXT_KEY

NOW = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)
SETTINGS = Settings(embedder="none", timezone="UTC", durability="relaxed")
QUESTION = "what about the Alpha deadline and its budget?"


@pytest.fixture
def alice(tmp_path: Path) -> Iterator[Memory]:
    """Return Alice's memory, beside a team's that holds another item of the same id."""
    with Memory(tmp_path / "home", space="alice", settings=SETTINGS, clock=lambda: NOW) as memory:
        memory.add("The Alpha deadline moved to Friday.", id="same", title="Alpha deadline")
        team = memory.in_space("team")
        team.add("The Alpha budget is 40,000 euros.", id="same", title="Alpha budget")
        team.add("The demo of Alpha is on Monday at ten.", id="demo")
        memory.in_space("bob").add("Bob hides the Alpha budget in zanzibar.", id="same")
        yield memory


def keys(made: Brief) -> set[tuple[str, str]]:
    return {(one.space, one.id) for one in made.items}


# ── briefs ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("layout", list(Layout))
def test_each_line_of_a_brief_says_whose_it_is(alice: Memory, layout: Layout) -> None:
    made = alice.brief(QUESTION, spaces=["team"], layout=layout)

    assert keys(made) == {("alice", "same"), ("team", "same"), ("team", "demo")}
    lines = made.text.splitlines()
    assert [sum(f"space {name}" in one for one in lines) for name in ("alice", "team")] == [1, 2]
    assert "zanzibar" not in made.text


def test_items_of_one_id_in_two_spaces_are_two(alice: Memory) -> None:
    made = alice.brief(QUESTION, spaces=["team"])

    titles = {(one.space, one.title) for one in made.items if one.id == "same"}
    assert titles == {("alice", "Alpha deadline"), ("team", "Alpha budget")}
    assert sorted(one.number for one in made.items) == [1, 2, 3]


def test_what_two_spaces_say_alike_is_shown_once(alice: Memory) -> None:
    news = "The deadline of Alpha moved to Friday because the client asked for more time."
    for name in ("alice", "team"):
        alice.in_space(name).add(news, id="twin", title=f"News of {name}")

    made = alice.brief("why did the deadline of Alpha move?", spaces=["team"])
    [twin] = [one for one in made.dropped if one.reason is DropReason.DUPLICATE]
    assert twin.id == "twin"
    assert "of space" in twin.detail


@pytest.mark.parametrize("budget", [1, 20, 40, 60, 200])
def test_the_budget_is_one_for_all_spaces(alice: Memory, budget: int) -> None:
    made = alice.brief(QUESTION, spaces=["team"], budget_tokens=budget)

    assert made.tokens <= budget
    seen = keys(made) | {(one.space, one.id) for one in made.dropped}
    assert seen == {("alice", "same"), ("team", "same"), ("team", "demo")}
    assert sum(one.tokens for one in made.account) == made.tokens


def test_the_own_space_is_always_read_and_the_order_of_names_does_not_matter(
    alice: Memory,
) -> None:
    alice.in_space("sales").add("Sales sold Alpha within its budget.")

    made = [
        alice.brief(QUESTION, spaces=names).text
        for names in (["team", "sales"], ["sales", "team", "alice"], ["alice", "sales", "team"])
    ]
    assert len(set(made)) == 1


def test_a_brief_of_the_own_space_alone_is_what_it_was(alice: Memory) -> None:
    plain, named = alice.brief(QUESTION), alice.brief(QUESTION, spaces=["alice"])

    assert to_line(named.receipt) == to_line(plain.receipt)
    assert named.text == plain.text
    assert plain.receipt.format == RECEIPT_FORMAT
    assert "space" not in json.dumps([one.to_dict() for one in (*plain.items, *plain.dropped)])
    assert {"spaces", "dropped_spaces"}.isdisjoint(json.loads(to_line(plain.receipt)))


def test_scores_are_those_of_each_space_by_itself(alice: Memory) -> None:
    alone = {hit.id: hit.score for hit in alice.in_space("team").search(QUESTION)}

    hits = alice.explain(QUESTION, spaces=["team"]).result.hits
    assert {hit.id: hit.score for hit in hits if hit.space == "team"} == alone
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_an_explanation_tells_what_more_would_bring_of_each_space(alice: Memory) -> None:
    why = alice.explain(QUESTION, spaces=["team"], budget_tokens=45)

    shown = keys(why.brief) | {(one.space, one.id) for one in why.more_items}
    assert shown == {("alice", "same"), ("team", "same"), ("team", "demo")}


def test_known_people_are_reported_with_their_space(alice: Memory) -> None:
    team = alice.in_space("team")
    team.add("Alpha is fine.", kind="email", people=["Sarah Lind <sarah@team.example>"])
    alice.add("Sarah called.", kind="email", people=["Sarah Lind <sarah@home.example>"])

    made = alice.brief("what did Sarah Lind say?", spaces=["team"])
    reported = [one for one in made.text.splitlines() if one.startswith("Known: ")]
    assert [one.rpartition("(")[2] for one in reported] == ["space alice)", "space team)"]


def test_nothing_is_said_only_where_no_space_answers(alice: Memory) -> None:
    answered = alice.in_space("empty").brief(QUESTION, spaces=["team"])
    nowhere = alice.in_space("empty").brief("who won the chess game in Oslo?", spaces=["void"])

    assert {one.space for one in answered.items} == {"team"}
    assert nowhere.items == ()
    assert "Nothing in memory answers this." in nowhere.text
    assert "space void: space 'void' holds nothing yet" in nowhere.diagnostics.notes


def test_dense_briefs_take_the_summaries_of_each_space(alice: Memory) -> None:
    long = "The harbor has forty slots for Alpha and Tom counted every one of them. " * 12
    for name in ("alice", "team"):
        alice.in_space(name).add(f"{name} says: {long}", id="long", title=f"Harbor of {name}")

    made = alice.brief(
        "the harbor slots of Alpha", spaces=["team"], context_mode="dense",
        expansion_tokens_max=0, likeness_max=1.0,
    )  # fmt: skip
    stages = {(one.space, one.id): one.stage for one in made.items if one.id == "long"}
    assert set(stages) <= {("alice", "long"), ("team", "long")}
    assert "surrogate" in stages.values()


def test_messages_beside_the_best_count_in_their_own_space_only(alice: Memory) -> None:
    for name in ("alice", "team"):
        here = alice.in_space(name)
        for text in ("The regatta starts at noon.", "Bring a hat.", "And water."):
            here.sessions.add("trip", "user", f"{text} ({name})")

    alone = alice.brief("when does the regatta start?", likeness_max=1.0)
    both = alice.brief("when does the regatta start?", spaces=["team"], likeness_max=1.0)
    own = [one.id for one in both.items if one.space == "alice"]
    assert own[: len(alone.items)] == [one.id for one in alone.items]


# ── arguments ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("names", [["x"] * 2 + [f"s{n}" for n in range(20)], "team", [1]])
def test_names_that_are_no_list_or_too_many_are_refused(alice: Memory, names: object) -> None:
    with pytest.raises(InvalidInput, match="spaces"):
        alice.brief(QUESTION, spaces=names)  # type: ignore[arg-type]


def test_a_revision_is_of_one_space(alice: Memory) -> None:
    with pytest.raises(InvalidInput, match="give a time"):
        alice.brief(QUESTION, spaces=["team"], as_of=1)

    assert alice.brief(QUESTION, spaces=["team"], as_of=NOW).items


@pytest.mark.parametrize("verb", ["brief", "explain", "retrieve", "chat"])
def test_what_may_not_be_read_is_refused_before_anything_is_done(alice: Memory, verb: str) -> None:
    limited = alice.in_space("alice", shared=["team"])
    before = limited.stats().revision

    with pytest.raises(AccessDenied) as refused:
        getattr(limited, verb)(QUESTION, spaces=["team", "bob"])

    assert "bob" not in str(refused.value)
    assert limited.stats().revision == before
    assert getattr(limited, verb)(QUESTION, spaces=["team"])


def test_a_memory_of_another_space_reads_no_more_than_the_first(alice: Memory) -> None:
    limited = alice.in_space("alice", shared=[]).in_space("alice")

    with pytest.raises(AccessDenied):
        limited.search_across(QUESTION, spaces=["alice", "team"])


# ── receipts ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("mode", ["fast", "dense"])
def test_a_brief_of_several_spaces_is_built_again(alice: Memory, layout: str, mode: str) -> None:
    made = alice.brief(
        QUESTION, spaces=["team"], layout=layout, context_mode=mode, why=True, keep_receipt=True
    )

    assert made.receipt.format == RECEIPT_FORMAT
    for receipt in (made.receipt, made.receipt.id, to_line(made.receipt)):
        again = alice.replay(receipt)
        assert (again.exact, again.text) == (True, made.text)
    assert read_receipt(to_line(made.receipt)) == made.receipt


def test_a_replay_says_what_is_missing_and_where(alice: Memory) -> None:
    made = alice.brief(QUESTION, spaces=["team"])
    alice.in_space("team").erase("same")

    again = alice.replay(made.receipt)
    assert (again.exact, again.text) == (False, "")
    assert again.changed[0].startswith("version 1 of item same (space team) was erased")
    assert "rows of space team were erased or made anew since" in again.changed


def test_a_receipt_is_built_again_by_whoever_may_still_read_all(alice: Memory) -> None:
    made = alice.brief(QUESTION, spaces=["team"], keep_receipt=True)
    limited = alice.in_space("alice", shared=["sales"])

    for receipt in (made.receipt, made.receipt.id, to_line(made.receipt)):
        with pytest.raises(AccessDenied):
            limited.replay(receipt)


def test_a_receipt_of_another_space_of_that_name_is_refused(alice: Memory) -> None:
    made = alice.brief(QUESTION, spaces=["team"])
    alice.in_space("team").erase(everything=True)
    alice.in_space("team").add("Another team.")

    with pytest.raises(InvalidInput, match="of another space"):
        alice.replay(made.receipt)


def broken(line: str, **changed: object) -> str:
    return json.dumps({**json.loads(line), **changed})


def test_a_receipt_that_says_no_longer_whose_all_is_is_refused(alice: Memory) -> None:
    line = to_line(alice.brief(QUESTION, spaces=["team"]).receipt)
    tree = json.loads(line)
    own = tree["spaces"][0]
    stranger = [{**one, "space": "bob"} for one in tree["items"]]

    for wrong in (
        {"spaces": [own, own]}, {"spaces": [own]}, {"format": 2}, {"items": stranger},
        {"dropped_spaces": ["team"] * 9}, {"items": tree["items"] * 2},
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=r"receipt\."):
            read_receipt(broken(line, **wrong))


def test_the_difference_of_one_space_and_several_is_what_came_in(alice: Memory) -> None:
    alone, both = alice.brief(QUESTION), alice.brief(QUESTION, spaces=["team"])

    reported = alice.diff(alone.receipt, both.receipt)
    assert {(one.space, one.id) for one in reported.items if one.change == "added"} == {
        ("team", "same"), ("team", "demo"),
    }  # fmt: skip
    assert not [one for one in reported.items if one.change == "removed"]
    assert any(one.startswith("Item same of space team was added") for one in reported.sentences)


def test_the_difference_names_what_changed_in_which_space(alice: Memory) -> None:
    before = alice.brief(QUESTION, spaces=["team"])
    alice.in_space("team").add("The Alpha budget was raised to 50,000 euros.", id="more")

    reported = alice.diff(before.receipt, alice.brief(QUESTION, spaces=["team"]).receipt)
    assert "spaces.team.revision" in {one.field for one in reported.settings}
    [more] = [one for one in reported.items if one.id == "more"]
    assert more.reason.startswith("it was kept or changed at revision 3")


# ── retrieve and chat ─────────────────────────────────────────────────────────────────────────


def test_retrieval_takes_the_best_of_all_spaces(alice: Memory) -> None:
    found = alice.retrieve(QUESTION, spaces=["team"], limit=2)

    assert len(found.hits) == 2
    assert {hit.space for hit in found.hits} == {"alice", "team"}
    entries = found.to_dict()["items"]
    assert [one["space"] for one in entries] == [hit.space for hit in found.hits]
    assert all("space" not in one for one in alice.retrieve(QUESTION).to_dict()["items"])


def test_preferences_of_no_space_are_reported_as_hits(alice: Memory) -> None:
    for name in ("alice", "team"):
        alice.in_space(name).preferences.set("budget", f"Alpha in euros, says {name}")

    found = alice.retrieve("budget of Alpha in euros", spaces=["team"])
    assert {hit.item.source for hit in found.hits} == {"note"}


def test_citations_of_a_chat_lead_to_space_and_id(alice: Memory) -> None:
    reply = alice.chat(QUESTION, spaces=["team"])

    cited = {(one.space, one.id) for one in reply.citations}
    assert cited == {("alice", "same"), ("team", "same"), ("team", "demo")}
    for one in reply.citations:
        words = alice.in_space(one.space).get(one.id).content
        assert f"[{one.number}] " in reply.message
        assert words in reply.message
    assert {one.space for one in alice.chat(QUESTION).citations} == {""}


def test_a_chat_writes_to_the_own_space_alone(alice: Memory) -> None:
    team = alice.in_space("team")
    before = team.stats()

    reply = alice.chat(QUESTION, spaces=["team"])
    assert team.stats() == before
    assert team.engagement("same") is None
    assert alice.engagement("same") is not None
    assert alice.get(reply.reply_id).metadata[CONTEXT_KEY] == ["same"]


def test_a_follow_up_means_the_item_of_its_space(alice: Memory) -> None:
    first = alice.chat(QUESTION, spaces=["team"])
    [budget] = [one for one in first.citations if (one.space, one.id) == ("team", "same")]

    second = alice.chat(f"show me [{budget.number}]", session_id=first.session_id, spaces=["team"])
    assert [(one.space, one.id) for one in second.items] == [("team", "same")]
    assert second.items[0].item.content == "The Alpha budget is 40,000 euros."


def test_a_follow_up_reads_no_space_that_is_not_asked_any_more(alice: Memory) -> None:
    first = alice.chat(QUESTION, spaces=["team"])
    [budget] = [one for one in first.citations if (one.space, one.id) == ("team", "same")]

    second = alice.chat(f"show me [{budget.number}]", session_id=first.session_id)
    assert "40,000" not in second.message


def test_the_awaited_memory_asks_several_spaces(alice: Memory) -> None:
    memory: AsyncMemory = alice.aio

    made = asyncio.run(memory.brief(QUESTION, spaces=["team"]))
    found = asyncio.run(memory.retrieve(QUESTION, spaces=["team"]))
    assert {one.space for one in made.items} == {hit.space for hit in found.hits}
