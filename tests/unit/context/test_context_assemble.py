"""From a search to a brief: its entities, its receipt, and how many candidates it asks for."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.context.briefs import CANDIDATES_MAX, assemble, candidates_of
from simonides.context.names import ENTITIES_MAX
from simonides.context.receipt import ReceiptContext
from simonides.context.selection import Budget
from simonides.model.answer import Hit, Mode, Query, Scorer, SearchResult
from simonides.model.brief import (
    SEARCH_TOP_K,
    Brief,
    ContextConfig,
    DropReason,
    Form,
    Layout,
    Stage,
)
from simonides.model.compose import compose
from simonides.model.item import Person
from simonides.model.stored import Engaged, Tier
from simonides.ports.space import Reader
from simonides_bench.testing.hashing import HashingEmbedder

MakeHit = Callable[..., Hit]
MakeResult = Callable[..., SearchResult]
Assemble = Callable[..., Brief]

SOURCED = ContextConfig(layout=Layout.SOURCED)
DENSE = ContextConfig(context_mode="dense", expansion_tokens_max=0)
LONG = "The harbor has forty slots and Tom counted every one of them. " * 12


@pytest.fixture
def brief(result: MakeResult, query: Query, receipt_context: ReceiptContext) -> Assemble:
    def make(
        hits: list[Hit],
        limit: int = 1500,
        config: ContextConfig = SOURCED,
        reader: Reader | None = None,
        **plan: object,
    ) -> Brief:
        return assemble(
            result(hits, **plan), query=query, budget=Budget(limit=limit), config=config,
            receipt_context=receipt_context, reader=reader,
        )  # fmt: skip

    return make


def test_a_brief_is_the_context_of_the_hits_with_all_that_is_known_of_it(
    brief: Assemble, hit: MakeHit
) -> None:
    made = brief([hit("Due on Friday.", id="a", score=2.0), hit("Or later.", id="b")])

    assert [(one.number, one.id, one.score, one.form) for one in made.items] == [
        (1, "a", 2.0, Form.WHOLE),
        (2, "b", 1.0, Form.WHOLE),
    ]
    assert made.text.startswith("## Available Context:\n[NOTE]\nundated\nDue on Friday.\n")
    assert made.text.endswith("## User Request:\nwhen is Alpha due?")
    assert (made.budget, made.unit) == (1500, "tokens")
    assert sum(line.tokens for line in made.account) == made.tokens
    assert made.diagnostics.revision == 7


def test_without_hits_the_request_stands_alone(brief: Assemble) -> None:
    assert brief([]).text == "## User Request:\nwhen is Alpha due?"


# ── known entities ────────────────────────────────────────────────────────────────────────────


def entities(made: Brief) -> list[str]:
    return made.text.split("## Known Entities:\n")[1].split("\n\n")[0].splitlines()


def test_people_and_projects_that_the_question_names_are_listed(
    brief: Assemble, hit: MakeHit
) -> None:
    sarah = Person(name="Sarah Lindqvist", address="sarah@x.example")
    made = brief(
        [hit("Friday.", people=[sarah]), hit("Later.", people=["Tom", Person(name="Mira")])],
        people=("person:sarah@x.example", "person:~mira"),
        entities=("project:alpha", "topic:friday", "issue:ALPHA-7"),
    )

    assert entities(made) == [
        "- Sarah Lindqvist (person): sarah@x.example (self-named)",
        "- Mira (person) (from your own memory)",
        "- alpha (project)",
        "- ALPHA-7 (issue)",
    ]
    assert made.receipt.entities == tuple(line[2:] for line in entities(made))


def test_who_is_known_by_name_alone_is_left_out_beside_the_same_with_an_address(
    brief: Assemble, hit: MakeHit
) -> None:
    made = brief(
        [
            hit("Friday.", people=[Person(name="Sarah", address="sarah@x.example")]),
            hit("Later.", people=[Person(name="Sarah")]),
            hit("Never.", people=[Person(address="anon@x.example")]),
        ],
        people=("person:sarah@x.example", "person:~sarah", "person:anon@x.example"),
    )

    assert entities(made) == [
        "- Sarah (person): sarah@x.example (self-named)",
        "- unnamed (person): anon@x.example (self-named)",
    ]


def test_at_most_ten_entities_are_listed(brief: Assemble, hit: MakeHit) -> None:
    made = brief([hit("one")], entities=tuple(f"project:p{n}" for n in range(12)))

    assert made.text.count("(project)") == ENTITIES_MAX


# ── the receipt ───────────────────────────────────────────────────────────────────────────────


def test_the_receipt_says_what_the_brief_was_built_from(
    brief: Assemble, hit: MakeHit, query: Query
) -> None:
    made = brief([hit("one", id="a", score=2.0), hit("one", id="b"), hit("two", id="c")], 100)
    receipt = made.receipt

    assert [one.id for one in receipt.items] == ["a", "c"]
    assert receipt.dropped == (("b", DropReason.DUPLICATE),)
    assert (receipt.engine, receipt.space, receipt.space_uuid) == ("0.1.0", "alice", "uuid")
    assert (receipt.revision, receipt.epoch, receipt.embedder) == (7, 3, "none")
    assert (receipt.query, receipt.now, receipt.timezone) == (query.text, query.now, "UTC")
    assert (receipt.budget, receipt.unit, receipt.encoding) == (100, "tokens", "cl100k_base")
    assert (receipt.mode, receipt.scorer, receipt.config) == (Mode.HYBRID, Scorer.FUSED, SOURCED)
    assert (receipt.surrogates, receipt.items[0].why) == ("", ())
    expected = hashlib.blake2b(made.text.encode(), digest_size=16).hexdigest()
    assert receipt.text_hash == expected


def test_the_receipt_keeps_the_reasons_if_they_are_shown(brief: Assemble, hit: MakeHit) -> None:
    made = brief([hit("one")], config=ContextConfig(why=True))

    assert made.receipt.items[0].why == (("lexical", 1.0),)
    assert "(why: lexical 1.00)" in made.text


# ── candidates ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("top_k", "limit", "asked"),
    [
        (0, 0, SEARCH_TOP_K),
        (0, 600, 30),
        (0, 1500, 75),
        (0, 10_000_000, CANDIDATES_MAX),
        (7, 1500, 7),
        (2000, 10, 2000),
    ],
)
def test_as_many_candidates_are_asked_for_as_may_find_a_place(
    top_k: int, limit: int, asked: int
) -> None:
    assert candidates_of(ContextConfig(top_k=top_k), limit=limit) == asked


@pytest.mark.parametrize(
    ("items", "limit", "asked"),
    [(10, 4_000, 60), (10, 600, 30), (1, 4_000, SEARCH_TOP_K), (900, 9_999, 499)],
)
def test_few_items_are_chosen_from_a_few_times_as_many(items: int, limit: int, asked: int) -> None:
    assert candidates_of(ContextConfig(items_max=items), limit=limit) == asked


# ── stand-ins ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(timezone="UTC", durability="relaxed")
    with Memory(tmp_path, settings=settings, embedder=HashingEmbedder(16)) as opened:
        yield opened


def test_a_dense_brief_shows_stand_ins_by_age_and_engagement(
    memory: Memory, brief: Assemble, query: Query
) -> None:
    old = query.now - timedelta(days=60)
    memory.add([compose(LONG, id="a", happened_at=old), compose(f"So {LONG}", id="b")])
    memory.update("b", happened_at=old, content=LONG.replace("Tom", "Ann"))
    space = memory._runtime.store.open_any("default")
    space.record_usage(["b"], how=Engaged.CITED, at=query.now)
    with space.read() as reader:
        found = [Hit(item=memory.get(name), score=1.0) for name in ("a", "b")]
        made = brief(found, config=DENSE, reader=reader)
        fast = brief(found, config=ContextConfig(), reader=reader)
        unread = brief(found, config=DENSE, reader=None)

    assert {one.id: one.tier for one in made.items} == {"a": Tier.MICRO, "b": Tier.GIST}
    assert {(one.stage, one.form) for one in made.items} == {(Stage.SURROGATE, Form.SUMMARY)}
    assert made.receipt.surrogates.startswith("extractive")
    for other in (fast, unread):
        assert Stage.SURROGATE not in {one.stage for one in other.items}
        assert other.receipt.surrogates == ""
