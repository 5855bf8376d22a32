"""`explain`, `replay` and `diff`: the same brief with its reasons, again, and compared."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from simonides import Item, Kind, Memory, Person
from simonides.codec.write import to_line
from simonides.context.briefs import MORE
from simonides.errors import InvalidInput, NotFound
from simonides.model.brief import Explained, Stage
from simonides.model.receipt_diff import DiffChange

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
LONG = "Alpha was discussed with Tom, and the harbor, too. " * 30
Open = Callable[..., Memory]
WHEN = "When is Alpha due?"


@pytest.fixture
def desk(memory: Memory) -> Memory:
    """Return a memory of forty things about Alpha, some of them long."""
    sarah = Person(name="Sarah Lindqvist", address="sarah@x.example")
    memory.add(
        [
            Item(id=f"a{n:02}", kind=Kind.EMAIL, source="gmail", people=(sarah,),
                 title=f"Alpha {n}", happened_at=NOW - timedelta(days=n),
                 content=f"Alpha, part {n}: due in {n} weeks. {LONG * (n % 3 == 0)}")
            for n in range(40)
        ]
    )  # fmt: skip
    return memory


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"budget_tokens": 0},
        {"budget_tokens": 300},
        {"budget_tokens": 3000},
        {"budget_words": 100},
        {"budget_tokens": 400, "context_mode": "dense"},
        {"budget_tokens": 400, "layout": "scoped", "why": True},
        {"budget_tokens": 400, "layout": "sourced"},
        {"top_k": 3, "mode": "text", "scorer": "rrf", "reserve": 30},
    ],
)
def test_what_is_explained_is_just_the_brief(desk: Memory, how: dict[str, Any]) -> None:
    explained, made = (
        desk.explain("when is Alpha due?", **how),
        desk.brief("when is Alpha due?", **how),
    )

    assert explained.brief.text == made.text
    assert explained.brief.receipt == made.receipt
    assert (explained.brief.items, explained.brief.dropped) == (made.items, made.dropped)
    assert explained.brief.account == made.account
    candidates = [*(one.id for one in made.items), *(one.id for one in made.dropped)]
    assert sorted(hit.id for hit in explained.result.hits) == sorted(candidates)


@pytest.mark.parametrize("how", [{}, {"context_mode": "dense"}, {"layout": "scoped"}])
@pytest.mark.parametrize("budget", [0, 50, 290, 700])
def test_what_more_would_bring_is_what_a_larger_brief_has(
    desk: Memory, budget: int, how: dict[str, Any]
) -> None:
    explained = desk.explain("when is Alpha due?", budget_tokens=budget, **how)
    larger = desk.brief("when is Alpha due?", budget_tokens=budget + MORE, **how)
    shown = {one.id for one in explained.brief.items}

    assert explained.more == MORE
    assert explained.more_items == tuple(one for one in larger.items if one.id not in shown)
    assert explained.more_items


def test_stand_ins_are_reported_with_their_tier_also_of_what_more_would_bring(desk: Memory) -> None:
    explained = [
        desk.explain(
            "when is Alpha due?", budget_tokens=budget, context_mode="dense", worth_min=0.0
        )
        for budget in range(200, 1600, 200)
    ]
    shown = [item for one in explained for item in one.brief.items]
    more = [item for one in explained for item in one.more_items]

    assert all((one.tier is None) == (one.stage is not Stage.SURROGATE) for one in shown + more)
    assert any(one.tier for one in shown)
    assert any(one.tier for one in more)


@pytest.mark.parametrize("layout", ["brief", "sourced", "scoped"])
def test_the_account_has_a_line_for_each_item_in_the_order_of_the_items(
    desk: Memory, layout: str
) -> None:
    made = desk.explain("when is Alpha due?", layout=layout, budget_tokens=500).brief
    lines = [section.tokens for section in made.account if section.name == "item"]

    assert lines == [item.tokens for item in made.items]
    assert sum(section.tokens for section in made.account) == made.tokens


def test_where_all_is_in_no_more_would_come(memory: Memory) -> None:
    memory.add("Alpha is due.")

    assert memory.explain("Alpha").more_items == ()


def test_a_space_that_is_not_there_is_explained_too(memory: Memory) -> None:
    explained: Explained = memory.in_space("nobody").explain("Alpha")

    assert (explained.result.hits, explained.brief.items, explained.more_items) == ((), (), ())
    assert "holds nothing yet" in explained.result.diagnostics.notes[0]


# ── receipts by record, by JSON, by id ────────────────────────────────────────────────────────


def test_a_receipt_may_be_a_record_its_json_or_the_id_of_a_kept_one(desk: Memory) -> None:
    made = desk.brief("Alpha", keep_receipt=True)
    receipt = made.receipt

    for given in (receipt, to_line(receipt), f"\n {to_line(made)}", receipt.id):
        assert desk.replay(given).text == made.text
        assert desk.diff(receipt, given).sentences == ("The texts are the same, byte for byte.",)


@pytest.mark.parametrize("given", ["nobody", "", "\ud800", "x" * 300])
def test_a_receipt_that_is_not_kept_is_not_found(desk: Memory, given: str) -> None:
    with pytest.raises(NotFound, match="no receipt"):
        desk.replay(given)
    with pytest.raises(NotFound, match="no receipt"):
        desk.in_space("nobody").diff(given, given)


def test_json_that_is_no_receipt_is_refused(desk: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"receipt\.id: is missing"):
        desk.replay("{}")


def test_the_same_receipt_may_be_kept_twice(desk: Memory) -> None:
    ids = {desk.brief("Alpha", keep_receipt=True).receipt.id for _ in range(2)}

    assert len(ids) == 1


def test_a_receipt_of_a_space_that_is_not_there_is_kept_and_the_space_begins(
    memory: Memory,
) -> None:
    made = memory.brief("Alpha", keep_receipt=True)

    assert memory.stats().items == 0
    assert memory.replay(made.receipt.id).text == made.text
    assert all(one.sound for one in memory.doctor())


def test_receipts_that_are_not_kept_leave_nothing_behind(desk: Memory) -> None:
    made = desk.brief("Alpha")

    with pytest.raises(NotFound):
        desk.replay(made.receipt.id)


def test_a_question_with_half_a_character_has_a_receipt_too(desk: Memory) -> None:
    made = desk.brief("Alpha \ud800", layout="sourced", keep_receipt=True)

    assert desk.replay(made.receipt.id).exact
    assert desk.replay(to_line(made)).text == made.text


# ── compared ──────────────────────────────────────────────────────────────────────────────────


def test_a_smaller_budget_says_what_went_out_for_want_of_room(desk: Memory) -> None:
    large, small = (desk.brief("Alpha", budget_tokens=n, top_k=24) for n in (900, 300))
    found = desk.diff(large.receipt, small.receipt)

    gone = {one.id for one in large.items} - {one.id for one in small.items}
    assert [one.field for one in found.settings] == ["budget"]
    assert {one.id for one in found.items if one.change is DiffChange.REMOVED} == gone != set()
    assert all(one.reason == "now it is dropped (budget)" for one in found.items[: len(gone)])


def test_what_was_written_in_between_is_reported(desk: Memory) -> None:
    before = desk.brief("Alpha", budget_tokens=3000)
    kept = desk.add("Alpha, at last.", happened_at=NOW)
    desk.update("a01", content="Alpha was moved.")
    desk.forget("a02")
    after = desk.brief("Alpha", budget_tokens=3000)
    found = {one.id: one for one in desk.diff(before.receipt, after.receipt).items}

    assert found[kept.id].reason.startswith("it was kept or changed at revision 2")
    assert "version 1 → 2" in found["a01"].reason
    assert found["a02"].reason == "now it is no candidate"


def test_the_past_that_was_asked_for_is_a_setting(desk: Memory) -> None:
    before = desk.brief("Alpha")
    desk.forget("a01", "a02")
    then = desk.brief("Alpha", as_of=1)

    assert then.text == before.text
    assert [one.field for one in desk.diff(before.receipt, then.receipt).settings] == ["as_of"]
    assert desk.replay(to_line(then.receipt)).text == then.text


def test_a_lane_that_could_not_run_is_a_setting(desk: Memory) -> None:
    found = desk.diff(desk.brief("Alpha").receipt, desk.brief("Alpha", mode="text").receipt)

    assert [(one.field, one.was, one.now) for one in found.settings] == [
        ("mode", "hybrid", "text"),
        ("mode_used", "hybrid", "text"),
    ]


# ── other budgets ─────────────────────────────────────────────────────────────────────────────


def test_the_briefs_of_other_budgets_are_those_that_each_would_give(desk: Memory) -> None:
    explained = desk.explain(WHEN, budget_tokens=200, budgets=[60, 1000])

    assert [one.budget for one in explained.briefs] == [60, 1000]
    for one in explained.briefs:
        assert one.text == desk.brief(WHEN, budget_tokens=one.budget).text
    assert explained.brief.text == desk.brief(WHEN, budget_tokens=200).text
    assert desk.explain(WHEN).briefs == ()


@pytest.mark.parametrize("wrong", [[-1], ["many"], range(1, 22)])
def test_other_budgets_are_checked(desk: Memory, wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="budget"):
        desk.explain(WHEN, budgets=wrong)
