"""From candidates to a context: what is taken, what it costs, what is dropped and why."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from simonides.context.build import LEAST_COSTS, build_active_context
from simonides.context.labels import RenderContext, text_of
from simonides.context.layouts import LAYOUTS, ORDERS
from simonides.context.selection import Budget
from simonides.errors import InvalidInput
from simonides.model.answer import Hit
from simonides.model.brief import (
    ActiveContext,
    ContextConfig,
    DropReason,
    Form,
    Layout,
    Stage,
)
from simonides.model.item import Item
from simonides.text.tokens import count

MakeHit = Callable[..., Hit]

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
BRIEF, SOURCED, SCOPED = (ContextConfig(layout=layout) for layout in Layout)
BARE = ContextConfig(layout=Layout.SCOPED, headers=False)
LONG = "word " * 150


def built(
    hits: list[Hit], budget: Budget | int = 1500, config: ContextConfig = BRIEF, **rest: object
) -> ActiveContext:
    return build_active_context(hits, budget, config, now=NOW, **rest)  # type: ignore[arg-type]


def ids(made: ActiveContext) -> list[str]:
    return [one.id for one in made.items]


def dropped(made: ActiveContext) -> list[tuple[str, DropReason]]:
    return [(one.id, one.reason) for one in made.dropped]


# ── what fits ─────────────────────────────────────────────────────────────────────────────────


def test_a_context_is_the_layouts_text_with_its_parts_told(hit: MakeHit) -> None:
    when = datetime(2026, 3, 3, tzinfo=UTC)
    made = built([hit("Friday.", id="a", title="Alpha", source="gmail", happened_at=when)])
    [item] = made.items

    assert made.text.split("\n") == [
        "# As of Thu 12 Mar 2026; cite line n as [n]", '1 memory Tue 3 Mar "Alpha": Friday.',
    ]  # fmt: skip
    assert (item.number, item.id, item.title, item.source) == (1, "a", "Alpha", "gmail")
    assert (item.happened_at, item.score, item.stage) == (when, 1.0, Stage.EXPANDED)
    assert (item.form, item.spans, item.tier) == (Form.WHOLE, ((0, 7),), None)
    assert item.tokens == count('1 memory Tue 3 Mar "Alpha": Friday.\n')


def test_the_best_comes_first_whatever_the_day(hit: MakeHit) -> None:
    old, new = (NOW - timedelta(days=days) for days in (9, 1))
    made = built(
        [hit("second", id="a", score=1.0, happened_at=old), hit("first", id="b", score=2.0),
         hit("third", id="c", score=float("nan"), happened_at=new)]
    )  # fmt: skip

    assert [(one.number, one.id) for one in made.items] == [(1, "b"), (2, "a"), (3, "c")]
    assert made.text.index("first") < made.text.index("second") < made.text.index("third")


def test_what_does_not_fit_is_passed_over_and_a_smaller_one_may_fit(hit: MakeHit) -> None:
    hits = [hit("first", id="a", score=3.0), hit(LONG, id="b", score=2.0), hit("last", id="c")]
    made = built(hits, 60, SCOPED)

    assert ids(made) == ["a", "c"]
    assert dropped(made) == [("b", DropReason.TOO_LARGE)]
    assert (made.dropped[0].cost, made.dropped[0].detail) == (152, "needs 152")
    assert made.dropped[0].score == 2.0


@pytest.mark.parametrize(
    ("unit", "room", "little"), [("tokens", 80, 45), ("words", 65, 30), ("characters", 400, 150)]
)
def test_what_does_not_fit_is_shortened_to_what_is_left(
    hit: MakeHit, unit: str, room: int, little: int
) -> None:
    story = "".join(f"On day {n} the crew of the harbor counted its ropes. " for n in range(20))
    answer = "The boiler broke in May."
    hits = [hit("Bring tea.", id="a", score=2.0), hit(story + answer + " " + story, id="b")]
    estimator = len if unit == "characters" else None
    roomy, tight = (
        built(hits, Budget(limit=limit, unit=unit, estimator=estimator), query="the boiler")
        for limit in (room, little)
    )

    assert ids(roomy) == ["a", "b"]
    assert answer in roomy.text
    assert (roomy.items[1].form, roomy.items[1].stage) == (Form.EXCERPT, Stage.SNIPPET)
    assert roomy.dropped == ()
    assert ids(tight) == ["a"]  # twenty words would not fit
    assert dropped(tight) == [("b", DropReason.TOO_LARGE)]


HEALTH = """# Health log 2026

2026-01-12: Blood test. Ferritin 18 (low), vitamin D 41 nmol/l. Dr. Osei suggests iron.
2026-04-20: Ferritin 44. Keep going until July.
2026-07-06: Ferritin 71. Stop iron. Recheck in January.

Allergies: penicillin (rash, 2009). No others known."""


@pytest.mark.parametrize("limit", range(80, 140, 5))
def test_the_best_is_shortened_until_it_fits_and_does_not_give_way_to_the_next(
    hit: MakeHit, limit: int
) -> None:
    hits = [hit(HEALTH, id="a", score=2.0), hit("My shoe size is 44.", id="b")]
    made = built(hits, limit, query="how did my ferritin change")

    assert ids(made)[0] == "a"
    assert made.items[0].form is (Form.WHOLE if limit > 124 else Form.EXCERPT)
    assert "Ferritin 44" in made.text


@pytest.mark.parametrize("config", [SOURCED, SCOPED])
def test_other_layouts_and_pinned_memories_are_not_shortened(
    hit: MakeHit, config: ContextConfig
) -> None:
    pinned = replace(hit(LONG, id="b"), pinned=True)

    for made in (built([hit("one", id="a"), hit(LONG, id="b")], 60, config),
                 built([pinned, hit("one", id="a")], 150)):  # fmt: skip
        assert ids(made) == ["a"]


def test_what_would_fit_alone_is_dropped_for_the_budget_and_not_for_its_size(
    hit: MakeHit,
) -> None:
    made = built([hit(f"{'one ' * 20}{n}", id=f"i{n}") for n in range(2)], 30, SCOPED)

    assert ids(made) == ["i0"]
    assert dropped(made) == [("i1", DropReason.BUDGET)]


def test_what_could_not_stand_even_alone_under_its_headers_is_too_large(hit: MakeHit) -> None:
    hits = [hit("one", id="a"), hit(f"two{' more' * 20}", id="b")]
    [out] = built(hits, count(f"- two{' more' * 20}\n"), SCOPED).dropped

    assert out.reason is DropReason.TOO_LARGE
    assert out.cost == count(f"- two{' more' * 20}\n")


def test_the_next_one_is_shown_at_length_where_the_first_stays_out(hit: MakeHit) -> None:
    story = "Tom counted all of the slots in the harbor. Ann did not. Nobody had asked her to."
    hits = [hit("\u200b", id="a", score=2.0), hit(story * 9, id="b", kind="message")]
    roomy, tight = (built(hits, limit, replace(BRIEF, snippet_words_max=9)) for limit in (900, 20))

    assert [(one.id, one.stage) for one in roomy.items] == [("b", Stage.EXPANDED)]
    assert [one.id for one in roomy.dropped] == ["a"]
    assert [one.id for one in tight.dropped] == ["a", "b"]


def test_a_count_that_lines_do_not_add_up_to_is_kept_all_the_same(hit: MakeHit) -> None:
    hits = [hit(f"note {n}", id=f"i{n}") for n in range(9)]
    pages = Budget(limit=3, unit="pages", estimator=lambda text: len(text) // 15)
    made = built(hits, pages, BARE)

    assert made.tokens == len(made.text) // 15 == 3
    assert ids(made) == ["i0", "i1", "i2", "i3", "i4", "i5"]
    assert sorted(dropped(made)) == [(f"i{n}", DropReason.BUDGET) for n in (6, 7, 8)]


@pytest.mark.parametrize("config", [BRIEF, SOURCED, SCOPED, replace(SCOPED, why=True)])
def test_a_budget_of_just_the_whole_costs_nothing_off(hit: MakeHit, config: ContextConfig) -> None:
    hits = [hit(f"note {n} about alpha", id=f"i{n}", source=f"s{n % 2}") for n in range(5)]
    whole = built(hits, 10_000, config)

    assert built(hits, whole.tokens + 1, config) == whole
    assert len(built(hits, whole.tokens - 1, config).items) == 4


@pytest.mark.parametrize("config", [BRIEF, replace(SOURCED, items_max=9), SCOPED])
def test_what_is_taken_is_never_thrown_out_again(hit: MakeHit, config: ContextConfig) -> None:
    # It would be if not all of its cost was known: what is dropped would not be told in order.
    hits = [hit(f"note {n}{' more' * (9 - n)}", id=f"i{n}") for n in range(9)]
    for limit in range(60, 180):
        made = built(hits, limit, config)
        names = [one.id for one in made.dropped]

        assert names == sorted(names)
        assert all(one.cost is None or one.cost >= limit - made.tokens for one in made.dropped)


def test_memories_on_one_subject_pay_for_the_marks_they_put_on_each_other(hit: MakeHit) -> None:
    hits = [
        hit(f"Alpha is due on {n} March", id=f"i{n}", traits={"entity": "alpha due"})
        for n in range(1, 5)
    ]
    whole = built(hits, 10_000)
    for limit in range(whole.tokens + 2):
        made = built(hits, limit)

        assert made.tokens <= limit
        assert len(made.items) + len(made.dropped) == len(hits)
    assert "(differs from [2], [3], [4])" in whole.text
    assert built(hits, whole.tokens + 1).text == whole.text


@pytest.mark.parametrize(
    ("limit", "reason"),
    [(0, DropReason.BUDGET), (1, DropReason.TOO_LARGE), (5, DropReason.TOO_LARGE)],
)
def test_without_room_for_the_request_there_is_no_text_and_all_are_dropped(
    hit: MakeHit, limit: int, reason: DropReason
) -> None:
    made = built([hit("one", id="a"), hit("two", id="b")], limit, SOURCED, query="what is it?")

    assert (made.text, made.tokens, made.items, made.account) == ("", 0, (), ())
    assert dropped(made) == [("a", reason), ("b", reason)]


def test_a_budget_of_one_item_with_its_line_break_shows_it(hit: MakeHit) -> None:
    cost = count("- Deal.\n")

    assert built([hit("Deal.")], cost, BARE).text == "- Deal."
    assert built([hit("Deal.")], Budget(limit=2, unit="words"), BARE).text == "- Deal."
    assert built([hit("Deal.")], cost - 1, BARE).text == ""


def test_once_next_to_nothing_is_left_the_rest_is_not_looked_at(hit: MakeHit) -> None:
    hits = [hit("one two three", id="a", score=2.0), hit("x", id="b"), hit("y", id="c")]
    limit = count("- one two three\n") + LEAST_COSTS["tokens"] - 1
    made = built(hits, limit, BARE)

    assert ids(made) == ["a"]
    assert {(one.reason, one.detail) for one in made.dropped} == {
        (DropReason.BUDGET, f"only {LEAST_COSTS['tokens'] - 1} left")
    }


def test_a_reserve_is_taken_off_the_budget(hit: MakeHit) -> None:
    hits = [hit("Due on Friday.", id="a"), hit("Or on Monday.", id="b")]
    config = replace(BARE, reserve=10)

    assert built(hits, 20, config) == built(hits, 10, BARE)
    assert built(hits, Budget(limit=20, reserve=10), BARE) == built(hits, 10, BARE)
    assert built(hits, 9, config).text == ""


def test_a_budget_may_be_in_words_or_in_a_unit_of_the_callers_own(hit: MakeHit) -> None:
    hits = [hit("one two three", id="a"), hit("four five six seven", id="b")]
    words = built(hits, Budget(limit=5, unit="words"), BARE)
    letters = built(hits, Budget(limit=16, unit="letters", estimator=len), BARE)

    assert (words.text, words.tokens) == ("- one two three", 4)
    assert (letters.text, letters.tokens) == ("- one two three", 15)
    assert built(hits, Budget(limit=5, estimator=lambda text: len(text) + 9), BARE).tokens == 0


def test_a_negative_budget_is_refused(hit: MakeHit) -> None:
    with pytest.raises(InvalidInput, match="budget_tokens: must lie in 0 to"):
        built([hit("x")], -1)


def test_the_account_has_a_line_for_each_block_and_adds_up(hit: MakeHit) -> None:
    made = built([hit("one", id="a"), hit("two", id="b", kind="message", people=["Ann"])])

    assert [line.name for line in made.account] == ["head", "item", "item", "end of the text"]
    assert sum(line.tokens for line in made.account) == made.tokens == count(made.text)
    assert made.account[-1].tokens == -1


def test_nothing_to_choose_from_is_said_so() -> None:
    made = built([])

    assert made.text.endswith("\nNothing in memory answers this.")
    assert (made.items, made.dropped) == ((), ())


# ── who stays out ─────────────────────────────────────────────────────────────────────────────


def test_what_says_the_same_is_dropped_and_names_what_it_repeats(hit: MakeHit) -> None:
    made = built([hit("Due on  Friday", id="a", score=2.0), hit("due on\u200b friday", id="b")])

    assert ids(made) == ["a"]
    assert [(one.id, one.reason, one.detail) for one in made.dropped] == [
        ("b", DropReason.DUPLICATE, "says the same as a")
    ]


def test_a_repetition_of_what_did_not_fit_is_no_duplicate(hit: MakeHit) -> None:
    made = built([hit(LONG, id="a"), hit(LONG, id="b")], 60, SCOPED)

    assert [reason for _, reason in dropped(made)] == [DropReason.TOO_LARGE] * 2


@pytest.mark.parametrize(
    ("kind", "content", "is_reported_twice"),
    [
        ("email", "Approved.", True),
        ("task", "Please see to it by Friday at the very latest, thank you all.", True),
        ("event", "See the agenda.", True),
        ("document", "See the agenda.", True),
        ("document", "The whole of the plan for the winter, in nine words.", False),
        ("message", "Approved.", False),
    ],
)
def test_two_titles_make_two_of_what_is_short_or_a_task(
    hit: MakeHit, kind: str, content: str, *, is_reported_twice: bool
) -> None:
    titles = ["Trip to Rome", "Trip to Oslo"]
    made = built([hit(content, id=title, title=title, kind=kind) for title in titles])

    assert len(made.items) == 1 + is_reported_twice


def test_an_event_that_recurs_is_reported_as_often_as_it_happens(hit: MakeHit) -> None:
    days = [NOW + timedelta(days=day) for day in (1, 8, 8)]
    events = [
        hit(
            "In the reading room, as ever.",
            id=f"e{n}",
            title="Round",
            kind="event",
            happened_at=day,
        )
        for n, day in enumerate(days)
    ]

    assert ids(built(events)) == ["e0", "e1"]
    assert dropped(built(events)) == [("e2", DropReason.DUPLICATE)]


def test_two_authors_of_the_same_words_say_two_things(hit: MakeHit) -> None:
    made = built([hit("ok", id=who, people=[who], kind="message") for who in ("Ann", "Ben")])

    assert ids(made) == ["Ann", "Ben"]


def test_an_item_offered_twice_is_taken_once(hit: MakeHit) -> None:
    first = hit("the very first", id="a", score=2.0)
    again = replace(first, item=Item(id="a", content="quite another text"), score=1.0)
    made = built([first, again])

    assert "the very first" in made.text
    assert "another" not in made.text
    assert [(one.id, one.reason, one.detail) for one in made.dropped] == [
        ("a", DropReason.DUPLICATE, "a was offered before")
    ]


def test_what_shows_nothing_is_dropped_as_empty(hit: MakeHit) -> None:
    made = built(
        [hit("\u200b\u2060", id="a"), hit("", id="b", title="\x01\u202e"), hit("\u200d", id="c")]
    )

    assert {reason for _, reason in dropped(made)} == {DropReason.EMPTY}
    assert len(made.dropped) == 3


def test_refusals_come_before_the_budget(hit: MakeHit) -> None:
    hits = [hit(f"note {n}", id=f"i{n}", score=float(-n)) for n in range(3)]
    made = built(hits, 0, replace(BRIEF, items_max=0))

    assert {reason for _, reason in dropped(made)} == {DropReason.MAX_ITEMS}


def test_caps_count_what_is_in_and_not_what_did_not_fit(hit: MakeHit) -> None:
    hits = [hit(LONG, id="a", score=3.0), hit("one", id="b", score=2.0), hit("two", id="c")]
    made = built(hits, 60, replace(SCOPED, items_max=1))

    assert ids(made) == ["b"]
    assert dropped(made) == [("a", DropReason.TOO_LARGE), ("c", DropReason.MAX_ITEMS)]


# ── what stands around ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("config", [BRIEF, SCOPED])
def test_the_order_of_candidates_leaves_no_trace(hit: MakeHit, config: ContextConfig) -> None:
    hits = [
        hit(f"note {n} about alpha", id=f"i{n}", session="s", position=n, kind="message",
            score=0.1 * (n % 4))
        for n in range(12)
    ]  # fmt: skip

    assert built(hits[::-1], 90, config) == built(hits, 90, config)


def test_the_sourced_layout_keeps_the_order_of_the_search(hit: MakeHit) -> None:
    hits = [hit("one", id="b", score=0.1), hit("two", id="a", score=0.9)]

    assert ids(built(hits, config=SOURCED)) == ["b", "a"]
    assert [one.id for one in ORDERS[Layout.SCOPED](hits)] == ["a", "b"]


def test_entities_give_way_where_there_is_no_room_for_them(hit: MakeHit) -> None:
    names = ("Sarah Lindqvist (person): sarah@x.example",)
    roomy = built([hit("x", id="a")], 200, SOURCED, query="who?", entities=names)
    tight = built([hit("x", id="a")], 20, SOURCED, query="who?", entities=names)

    assert "sarah@x.example" in roomy.text
    assert "sarah@x.example" not in tight.text
    assert ids(tight) == ["a"]


def test_days_are_those_of_the_time_zone(hit: MakeHit) -> None:
    late = datetime(2026, 3, 3, 23, 30, tzinfo=UTC)
    made = built([hit("x", happened_at=late)], timezone="Asia/Tokyo")

    assert "\n1 memory Wed 4 Mar: x" in made.text


@pytest.mark.parametrize("layout", Layout)
def test_a_text_is_the_sum_of_the_blocks_of_each_alone(hit: MakeHit, layout: Layout) -> None:
    hits = [hit(f"note {n} about alpha", id=f"i{n}", score=-n) for n in range(3)]
    made = built(hits, 10_000, ContextConfig(layout=layout))
    context = RenderContext(request="", now=NOW, timezone="UTC")

    assert text_of(LAYOUTS[layout]([], context)) != made.text
    assert all(f"note {n} about alpha" in made.text for n in range(3))


def test_why_is_reported_if_asked_for(hit: MakeHit) -> None:
    [line] = built([hit("Friday.")], config=replace(BRIEF, why=True)).text.split("\n")[-1:]

    assert line == "1 memory: Friday. (why: lexical 1.00)"
