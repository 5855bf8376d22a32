"""From hits to a brief: what is in, what is out and why, and the receipt."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from simonides.context.assemble import ENTITIES_MAX, WHOLE_COST_MAX, assemble
from simonides.context.measure import Budget
from simonides.context.receipt import Settled
from simonides.model.answer import Hit, Mode, Query, Scorer, SearchResult
from simonides.model.brief import Brief, DropReason
from simonides.model.item import Person

MakeHit = Callable[..., Hit]
MakeResult = Callable[..., SearchResult]
Assemble = Callable[..., Brief]

LONG = "A sentence about the harbor and its many slots. " * 60
PASSAGE = "its many slots. A sentence about the harbor"


@pytest.fixture
def brief(result: MakeResult, query: Query, settled: Settled) -> Assemble:
    def make(hits: list[Hit], limit: int = 1500, unit: str = "tokens", **rest: object) -> Brief:
        max_items = int(str(rest.pop("max_items", 24)))
        return assemble(
            result(hits, **rest), query=query, budget=Budget(limit=limit, unit=unit),
            settled=settled, max_items=max_items,
        )  # fmt: skip

    return make


def test_hits_stand_in_their_order_and_are_numbered(brief: Assemble, hit: MakeHit) -> None:
    made = brief([hit("Due on Friday.", id="a", score=2.0), hit("Or later.", id="b")])

    assert [(one.number, one.id, one.score, one.form) for one in made.items] == [
        (1, "a", 2.0, "whole"),
        (2, "b", 1.0, "whole"),
    ]
    assert made.text == (
        "## Available Context:\n[NOTE]\nundated\nDue on Friday.\n---\n[NOTE]\nundated\nOr later."
        "\n\n## User Request:\nwhen is Alpha due?"
    )


def test_an_item_carries_what_names_it_and_what_it_costs_alone(
    brief: Assemble, hit: MakeHit
) -> None:
    when = datetime(2026, 3, 3, tzinfo=UTC)
    [item] = brief([hit("Friday.", title="Alpha", source="gmail", happened_at=when)]).items

    assert (item.title, item.source, item.happened_at) == ("Alpha", "gmail", when)
    assert item.tokens == Budget(limit=0).cost("[GMAIL] Alpha\n2026-03-03\nFriday.")


def test_what_does_not_fit_is_passed_over_and_a_smaller_one_may_fit(
    brief: Assemble, hit: MakeHit
) -> None:
    words = "word " * 150
    made = brief([hit("first", id="a"), hit(words, id="b"), hit("last", id="c")], limit=60)

    assert [one.id for one in made.items] == ["a", "c"]
    assert [(one.id, one.reason) for one in made.dropped] == [("b", DropReason.BUDGET)]
    assert made.dropped[0].detail.startswith("needs ")


def test_a_short_item_is_whole_and_a_long_one_is_shown_by_its_passage(
    brief: Assemble, hit: MakeHit
) -> None:
    made = brief([hit("short words", id="a", passage="short"), hit(LONG, id="b", passage=PASSAGE)])

    assert [one.form for one in made.items] == ["whole", "excerpt"]
    assert "\nshort words\n" in made.text
    assert f"\n(excerpt) {PASSAGE}\n" in made.text
    assert LONG.strip() not in made.text


def test_a_long_item_of_one_passage_is_whole(brief: Assemble, hit: MakeHit) -> None:
    [item] = brief([hit(LONG, passage=LONG.strip())]).items

    assert item.form == "whole"
    assert item.tokens > WHOLE_COST_MAX


def test_an_endless_line_is_shown_by_its_passage(brief: Assemble, hit: MakeHit) -> None:
    made = brief([hit("a" * 1_000_000, passage="a" * 100)])

    assert made.items[0].form == "excerpt"
    assert len(made.text) < 300


def test_what_says_the_same_is_dropped_and_names_what_it_repeats(
    brief: Assemble, hit: MakeHit
) -> None:
    made = brief([hit("Due on  Friday", id="a"), hit("due on\u200b friday", id="b", title="Re")])

    assert [one.id for one in made.items] == ["a"]
    assert [(one.id, one.reason, one.detail) for one in made.dropped] == [
        ("b", DropReason.DUPLICATE, "says the same as a")
    ]


def test_a_repetition_of_what_did_not_fit_is_no_duplicate(brief: Assemble, hit: MakeHit) -> None:
    words = "word " * 150
    made = brief([hit(words, id="a"), hit(words, id="b")], limit=60)

    assert [one.reason for one in made.dropped] == [DropReason.BUDGET, DropReason.BUDGET]


def test_at_most_so_many_items_are_in(brief: Assemble, hit: MakeHit) -> None:
    made = brief([hit("one", id="a"), hit("two", id="b"), hit("three", id="c")], max_items=2)

    assert [one.id for one in made.items] == ["a", "b"]
    assert [(one.id, one.reason) for one in made.dropped] == [("c", DropReason.MAX_ITEMS)]


def test_what_shows_nothing_is_dropped_as_empty(brief: Assemble, hit: MakeHit) -> None:
    made = brief([hit("\u200b\u2060", id="a"), hit("", id="b", title="\x01\u202e"), hit("x")])

    assert [(one.id, one.reason) for one in made.dropped] == [
        ("a", DropReason.EMPTY),
        ("b", DropReason.EMPTY),
    ]


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_without_room_for_the_request_there_is_no_text_and_all_are_dropped(
    brief: Assemble, hit: MakeHit, limit: int
) -> None:
    made = brief([hit("one", id="a"), hit("two", id="b")], limit=limit)

    assert (made.text, made.tokens, made.items) == ("", 0, ())
    assert [one.id for one in made.dropped] == ["a", "b"]


def test_a_budget_may_be_in_words(brief: Assemble, hit: MakeHit) -> None:
    made = brief([hit("one two three", id="a"), hit("four five", id="b")], limit=15, unit="words")

    assert made.unit == "words"
    assert made.tokens == len(made.text.split()) == 15
    assert [one.id for one in made.items] == ["a"]


def test_without_hits_the_request_stands_alone(brief: Assemble) -> None:
    assert brief([]).text == "## User Request:\nwhen is Alpha due?"


def test_people_and_projects_that_the_question_names_are_listed(
    brief: Assemble, hit: MakeHit
) -> None:
    sarah = Person(name="Sarah Lindqvist", address="sarah@x.example")
    made = brief(
        [hit("Friday.", people=[sarah]), hit("Later.", people=["Tom", Person(name="Mira")])],
        people=("person:sarah@x.example", "person:~mira"),
        entities=("project:alpha", "topic:friday", "issue:ALPHA-7"),
    )

    section = made.text.split("## Known Entities:\n")[1].split("\n\n")[0]
    assert section.splitlines() == [
        "- Sarah Lindqvist (person): sarah@x.example",
        "- Mira (person)",
        "- alpha (project)",
        "- ALPHA-7 (issue)",
    ]


def test_at_most_ten_entities_are_listed(brief: Assemble) -> None:
    made = brief([], entities=tuple(f"project:p{n}" for n in range(12)))

    assert made.text.count("(project)") == ENTITIES_MAX


def test_entities_give_way_where_there_is_no_room_for_them(brief: Assemble) -> None:
    made = brief([], limit=12, entities=("project:a project with a rather long name",))

    assert made.text == "## User Request:\nwhen is Alpha due?"


def test_what_ranks_last_changes_nothing_before_it(brief: Assemble, hit: MakeHit) -> None:
    hits = [hit(f"note {n} about alpha", id=f"n{n}") for n in range(5)]
    end = "\n\n## User Request:\n"

    before = brief(hits).text.split(end)[0]
    assert brief([*hits, hit("one more", id="z")]).text.startswith(before)


def test_the_receipt_says_what_the_brief_was_built_from(
    brief: Assemble, hit: MakeHit, query: Query
) -> None:
    made = brief([hit("one", id="a"), hit("one", id="b"), hit("two", id="c")], limit=100)
    receipt = made.receipt

    assert receipt.item_ids == ("a", "c")
    assert (receipt.engine, receipt.space, receipt.revision) == ("0.1.0", "alice", 7)
    assert (receipt.query, receipt.now, receipt.timezone) == (query.text, query.now, "UTC")
    assert (receipt.layout, receipt.embedder) == ("sourced", "none")
    assert (receipt.budget, receipt.unit, receipt.encoding) == (100, "tokens", "cl100k_base")
    assert (receipt.mode, receipt.scorer) == (Mode.TEXT, Scorer.FUSED)
    expected = hashlib.blake2b(made.text.encode(), digest_size=16).hexdigest()
    assert receipt.text_hash == expected
