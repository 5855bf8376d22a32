"""Law 5 and 9: the same revision and question give the same bytes, whoever built the index and how.

Small generated spaces are written in many ways; what is asked of them must not tell the ways
apart.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Item, Kind, Memory, Person, Settings
from simonides_bench.testing.depth import examples
from simonides_bench.testing.hashing import HashingEmbedder

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
WORDS = ("alpha", "budget", "harbor", "deadline", "lunch", "invoice", "zebra", "moved", "friday")
QUESTIONS = (
    "when is the alpha deadline?",
    "What did Sarah say about lunch last week?",
    "latest invoice",
    "zebra",
    "who moved the harbor budget?",
)


@contextmanager
def memory(home: str | None = None) -> Iterator[Memory]:
    with (
        tempfile.TemporaryDirectory() as fresh,
        Memory(
            home or fresh,
            settings=Settings(timezone="UTC", durability="relaxed"),
            embedder=HashingEmbedder(),
            clock=lambda: NOW,
        ) as opened,
    ):
        yield opened


@st.composite
def items(draw: st.DrawFn) -> Item:
    number = draw(st.integers(min_value=0, max_value=7))
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
    speaker = draw(st.sampled_from(["Sarah", "Tom", "user"]))
    age = draw(st.none() | st.integers(min_value=0, max_value=40))
    return Item(
        kind=draw(st.sampled_from([Kind.MESSAGE, Kind.EMAIL, Kind.DOCUMENT])),
        source="test",
        source_id=f"n{number}",
        content=" ".join(words),
        people=(Person(name=speaker),),
        session=draw(st.sampled_from(["", "s1", "s2"])),
        position=draw(st.none() | st.integers(min_value=0, max_value=3)),
        happened_at=None if age is None else NOW - timedelta(days=age),
    )


Answers = list[list[tuple[str, float, tuple[float, ...]]]]


def answers(asked: Memory) -> Answers:
    return [
        [
            (hit.id, hit.score, tuple(part.value for part in hit.explanation.contributions))
            for hit in asked.search(question, scorer=scorer, now=NOW, limit=20)
        ]
        for question in QUESTIONS
        for scorer in ("fused", "classic", "rrf")
    ]


def present(written: Sequence[Item]) -> dict[str, Item]:
    return {item.id: item for item in written}


@given(written=st.lists(items(), min_size=1, max_size=12), forgotten=st.sets(st.integers(0, 11)))
@settings(max_examples=examples(40), deadline=None)
def test_a_view_that_caught_up_answers_as_one_built_anew(
    written: list[Item], forgotten: set[int]
) -> None:
    with tempfile.TemporaryDirectory() as home:
        with memory(home) as warm:
            for i, item in enumerate(written):
                warm.add(item)
                warm.search("alpha", now=NOW)
                if i in forgotten:
                    warm.forget(item.id)
            caught_up = answers(warm)
        with memory(home) as cold:
            assert answers(cold) == caught_up


@given(written=st.lists(items(), min_size=1, max_size=12), order=st.randoms(use_true_random=False))
@settings(max_examples=examples(40), deadline=None)
def test_the_order_of_writes_leaves_no_trace(written: list[Item], order: Random) -> None:
    final = list(present(written).values())
    shuffled = list(final)
    order.shuffle(shuffled)
    with memory() as one, memory() as other:
        one.add(final)
        for item in shuffled:
            other.add(item)

        assert answers(other) == answers(one)


@given(written=st.lists(items(), min_size=1, max_size=12))
@settings(max_examples=examples(30), deadline=None)
def test_what_was_replaced_or_forgotten_leaves_no_trace_in_scores(written: list[Item]) -> None:
    final = list(present(written).values())
    gone = Item(source="test", source_id="gone", content="alpha deadline zebra friday")
    with memory() as busy, memory() as plain:
        busy.add(gone)
        for item in written:
            busy.add(item)
        busy.forget(gone.id)
        plain.add(final)

        assert answers(busy) == answers(plain)


@given(written=st.lists(items(), min_size=1, max_size=12))
@settings(max_examples=examples(30), deadline=None)
def test_contributions_add_up_to_the_score(written: list[Item]) -> None:
    with memory() as asked:
        asked.add(written)

        for ranking in answers(asked):
            for _, score, parts in ranking:
                total = 0.0
                for part in parts:
                    total += part
                assert total == score


@given(written=st.lists(items(), min_size=1, max_size=12), limit=st.integers(1, 12))
@settings(max_examples=examples(30), deadline=None)
def test_a_score_does_not_depend_on_the_limit_or_the_filter(
    written: list[Item], limit: int
) -> None:
    from simonides import Filter

    with memory() as asked:
        asked.add(written)
        for question in QUESTIONS:
            for scorer in ("fused", "classic", "rrf"):
                whole = asked.search(question, scorer=scorer, limit=50)
                first = asked.search(question, scorer=scorer, limit=limit)
                mails = asked.search(
                    question, scorer=scorer, limit=50, filter=Filter(kinds=(Kind.EMAIL,))
                )

                assert [h.id for h in first] == [h.id for h in whole][:limit]
                scores = {hit.id: hit.score for hit in whole}
                expected = [h.id for h in whole if h.item.kind is Kind.EMAIL]
                assert [hit.id for hit in mails] == expected
                assert all(hit.score == scores[hit.id] for hit in (*first, *mails))
