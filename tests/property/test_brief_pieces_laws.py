"""Laws of the pure pieces of a brief: cuts, stand-ins, likeness, importance, signals and tiers."""

import re
from datetime import UTC, datetime

from hypothesis import example, given, settings
from hypothesis import strategies as st

from simonides.context.summary_level import QuerySignals, choose_tier, signals_of
from simonides.model.answer import Direction, Plan, TimeRange
from simonides.model.bounds import ENCODINGS
from simonides.model.brief import ContextConfig, TierPolicy
from simonides.model.stored import Tier
from simonides.scoring.importance import engagement_importance
from simonides.text.analyse import words
from simonides.text.similarity import DuplicateDetector, fold_words, likeness
from simonides.text.surrogates import BUDGETS, TierBudgets, surrogate_texts
from simonides.text.tokens import count, count_and_truncate_batch, truncate
from simonides_bench.testing.depth import examples

encodings = st.sampled_from(ENCODINGS)
wild = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)
PARTS = (
    "lamp river Ann don't ALPHA-123 c++ 1,500.00 3.14 https://example.com/a?b=c a@b.co 东京会议 "
    "한국 ไทย 👩\u200d👧 🇩🇪 e\u0301 Dr. - # ## 1. > | ` : , … 。 Hi Tom, Thanks! Regards, "
    "unsubscribe <|endoftext|>"
).split()
SENTENCES = (
    "The red lamp in the hall was sold to Tom on 5 May. ",
    "The red lamp in the hall was sold to Ann on 6 May. ",
    "Hi all,\n",
    "\n\n- the list of every supplier\n- the risk table\n",
    "Note: every window of the old library needs new glass before winter. ",
    "I am. ",
    "会议改到三月十二日下午三点在总部举行。",
    "Best regards,\nSarah",
    "and so on " * 60,
)
texts = st.lists(
    st.sampled_from([*PARTS, *SENTENCES, " ", "\n", "\n\n", ". ", "x" * 60, "=" * 1200]) | wild,
    max_size=25,
).map(" ".join)

# ── cuts ─────────────────────────────────────────────────────────────────────────────────────────


@given(st.lists(texts | wild, max_size=5), st.integers(0, 30), encodings)
@settings(max_examples=examples(150))
def test_a_batch_is_cut_as_its_texts_are_and_counted_as_it_is_cut(
    batch: list[str], limit: int, encoding: str
) -> None:
    made = count_and_truncate_batch(batch, limit, encoding)

    assert [kept for kept, _ in made] == [truncate(text, limit, encoding) for text in batch]
    assert [taken for _, taken in made] == [count(kept, encoding) for kept, _ in made]
    for text, (kept, taken) in zip(batch, made, strict=True):
        assert text.startswith(kept)
        assert taken <= limit
        assert kept == text or count(text, encoding) > limit


# ── stand-ins ────────────────────────────────────────────────────────────────────────────────────

budgets = st.sampled_from(sorted(BUDGETS)).map(BUDGETS.__getitem__) | st.lists(
    st.integers(4, 160), min_size=3, max_size=3
).map(lambda sizes: TierBudgets(**dict(zip(("micro", "gist", "full"), sorted(sizes), strict=True))))


@given(texts, budgets, encodings, st.sampled_from(["", "The red lamp", "x"]))
@settings(max_examples=examples(300))
@example("a" * 1200, TierBudgets(full=160, gist=160, micro=160), "cl100k_base", "")
@example("\U0010ffff" * 9, TierBudgets(full=4, gist=4, micro=4), "o200k_base", "")
def test_no_tier_passes_its_budget_and_none_is_empty_where_anything_shows(
    text: str, sizes: TierBudgets, encoding: str, title: str
) -> None:
    made = surrogate_texts(text, title=title, budgets=sizes, encoding=encoding)

    assert count(made.full, encoding) <= sizes.full
    assert count(made.gist, encoding) <= sizes.gist
    assert count(made.micro, encoding) <= sizes.micro
    assert all(
        bool(reported) == bool(text.strip()) for reported in (made.full, made.gist, made.micro)
    )
    assert made == surrogate_texts(text, title=title, budgets=sizes, encoding=encoding)


@given(texts, budgets)
@settings(max_examples=examples(300))
def test_every_word_of_a_stand_in_stands_in_the_text_and_in_the_longer_ones(
    text: str, sizes: TierBudgets
) -> None:
    made = surrogate_texts(text, budgets=sizes)

    assert characters(made.micro) <= characters(made.gist) <= characters(made.full)
    assert characters(made.full) <= characters(text) | {";", "…"}
    for shorter, longer in ((made.micro, made.gist), (made.gist, made.full)):
        assert words_in(shorter) <= words_in(longer) or shorter.endswith("…")
    assert made.full == " ".join(made.full.split())


def characters(text: str) -> set[str]:
    return {one for one in text if not one.isspace()} | {"…"}


def words_in(text: str) -> set[str]:
    return set(words(text))


@given(st.permutations(SENTENCES[:1] + SENTENCES[3:5] + SENTENCES[6:7]))
def test_sentences_keep_the_order_of_the_text(order: list[str]) -> None:
    text = "".join(order)
    made = surrogate_texts(text, budgets=TierBudgets(full=500))
    marks = ("sold to Tom", "risk table", "old library", "三月十二日")

    assert all(mark in made.full for mark in marks)
    assert sorted(marks, key=made.full.index) == sorted(marks, key=text.index)


# ── likeness ─────────────────────────────────────────────────────────────────────────────────────

lexicon = st.sampled_from("lamp river stone the of in 5 7 red über 会".split())
runs = st.lists(lexicon, max_size=30)
sayings = runs.map(" ".join)


def share(one: list[str], other: list[str]) -> float:
    """Return the share of one's runs of four that the other has, looked up one by one."""
    mine = [one[i : i + 4] for i in range(len(one) - 3)]
    held = [run for run in mine if run in [other[i : i + 4] for i in range(len(other) - 3)]]
    news = [word for word in one if word.isdigit() and word not in other]
    return 0.0 if news else len(held) / len(mine)


@given(runs, runs)
@settings(max_examples=examples(200))
def test_likeness_is_what_looking_up_every_run_gives(a: list[str], b: list[str]) -> None:
    short = min(len(a), len(b)) < 8
    expected = float(a == b) if short else max(share(a, b), share(b, a))

    assert likeness(" ".join(a), " ".join(b)) == expected
    assert likeness(" ".join(b), " ".join(a)) == expected


@given(texts, texts)
@settings(max_examples=examples(200))
def test_likeness_is_symmetric_in_its_range_and_one_for_the_same(a: str, b: str) -> None:
    assert likeness(a, b) == likeness(b, a)
    assert 0.0 <= likeness(a, b) <= 1.0
    assert likeness(a, a) == 1.0


@given(texts, texts, texts)
@settings(max_examples=examples(200))
def test_a_text_inside_of_another_is_wholly_like_it(a: str, before: str, after: str) -> None:
    inside = f"{before}\n{a}\n{after}"

    if len(fold_words(a)) >= 8:
        assert likeness(a, inside) == 1.0


@given(texts)
def test_plain_text_has_the_same_words_beside_other_letters(text: str) -> None:
    plain = "".join(one for one in text if one.isascii())

    assert fold_words(f"{plain} é") == (*fold_words(plain), "é")


@given(st.lists(sayings, max_size=8), sayings, st.sampled_from([0.05, 0.5, 0.8, 1.0]))
@settings(max_examples=examples(300))
def test_what_is_seen_is_found_as_by_looking_at_each_in_turn(
    added: list[str], text: str, likeness_min: float
) -> None:
    seen = DuplicateDetector()
    for number, one in enumerate(added):
        seen.find_duplicate(one, likeness_min=likeness_min)
        seen.add(str(number), one)
    expected = next(
        (str(n) for n, one in enumerate(added) if tells(one, text, likeness_min=likeness_min)), ""
    )

    assert seen.find_duplicate(text, likeness_min=likeness_min) == expected
    assert seen.find_duplicate(text, likeness_min=likeness_min) == expected


def tells(one: str, text: str, *, likeness_min: float) -> bool:
    """Return whether a seen text tells another one, by the plain rule."""
    mine, seen = text.split(), one.split()
    if len(mine) < 8:
        return mine == seen
    return len(seen) >= 8 and share(mine, seen) >= likeness_min


# ── importance, signals and tiers ────────────────────────────────────────────────────────────────

hours = st.floats(-1e3, 1e6)
counts = st.integers(0, 10_000)


@given(hours, counts, st.none() | hours, st.floats(0.0, 1e5), st.integers(0, 1000))
@settings(max_examples=examples(300))
def test_importance_is_a_share_and_moves_one_way(
    age: float, number: int, since: float | None, later: float, more: int
) -> None:
    importance = engagement_importance(age, number, since)

    assert 0.0 <= importance <= 1.0
    assert engagement_importance(age + later, number, since) <= importance
    assert engagement_importance(age, number + more, since) >= importance
    assert engagement_importance(age, number, None) <= importance
    if since is not None:
        assert engagement_importance(age, number, since + later) <= importance
    assert engagement_importance(age, 0, None) <= importance


questions = st.lists(
    st.sampled_from(
        [
            *("what did Sarah say about the lamp ALPHA-7 4711 in March last week I Tom?".split()),
            *('"red lamp"', "会议", "WHO", "é", "...", "Is It"),
        ]
    )
    | wild,
    max_size=14,
).map(" ".join)
plans = st.builds(
    lambda text, **fields: (Plan(words=tuple(words(text)), **fields), text),
    questions,
    time=st.none()
    | st.just(TimeRange(since=datetime(2026, 3, 1, tzinfo=UTC), until=None, text="in March")),
    direction=st.sampled_from(Direction),
    asks_when=st.booleans(),
    people=st.sampled_from([(), ("person:~sarah okafor",)]),
    entities=st.sampled_from([(), ("issue:alpha-7", "topic:lamp")]),
    phrases=st.sampled_from([(), ("red lamp",), ("red lamp", "old stone")]),
)


@given(plans)
@settings(max_examples=examples(300))
def test_specificity_is_a_share_and_never_falls_by_asking_for_more(
    planned: tuple[Plan, str],
) -> None:
    plan, text = planned
    found = signals_of(plan, text)
    more = Plan(
        words=(*plan.words, "zanzibar"),
        time=plan.time,
        direction=plan.direction,
        asks_when=plan.asks_when,
        people=plan.people,
        entities=plan.entities,
        phrases=(*plan.phrases, "yet another"),
    )

    assert 0.0 <= found.specificity <= 1.0
    assert min(found.names, found.numbers, found.quotes) >= 0
    assert signals_of(more, text).specificity > found.specificity


configs = st.builds(
    ContextConfig,
    tier_policy=st.sampled_from(TierPolicy),
    recent_days=st.floats(0.0, 40.0),
    old_days=st.floats(0.0, 40.0),
    full_importance=st.floats(0.0, 1.0),
    gist_importance=st.floats(0.0, 1.0),
    query_boost_max=st.floats(0.0, 1.0),
)
ORDER = (Tier.MICRO, Tier.GIST, Tier.FULL)


@given(configs, st.floats(-5.0, 100.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.data())
@settings(max_examples=examples(300))
def test_what_is_newer_more_important_or_asked_for_more_precisely_is_never_shown_shorter(
    config: ContextConfig, days: float, importance: float, specificity: float, data: st.DataObject
) -> None:
    tier = choose_tier(
        config,
        age_days=days,
        importance=importance,
        signals=QuerySignals(specificity=specificity),
    )
    better = choose_tier(
        config,
        age_days=data.draw(st.floats(-5.0, days)),
        importance=data.draw(st.floats(importance, 1.0)),
        signals=QuerySignals(specificity=data.draw(st.floats(specificity, 1.0))),
    )

    assert ORDER.index(better) >= ORDER.index(tier)


@given(texts)
def test_a_stand_in_is_one_line(text: str) -> None:
    made = surrogate_texts(text)

    assert not re.search(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", made.full + made.gist + made.micro)
