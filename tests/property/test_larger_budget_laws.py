"""A budget is used: nothing that was found is withheld while it fits (law 6)."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Item, Kind
from simonides.context.build import LEAST_COSTS, build_active_context
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig, DropReason
from simonides.text.tokens import count
from simonides_bench.testing.depth import examples

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
SENTENCES = st.sampled_from(
    [
        "The boiler was repaired on 4 March for 40 pounds.",
        "Nobody knows.",
        "Sarah asked Tom whether the harbour budget could be moved to the autumn instead.",
        "Bring cups, plates, forks, knives, spoons, napkins, a kettle and two loaves of bread.",
        "OK",
    ]
)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=12).map(" ".join)


@st.composite
def candidates(draw: st.DrawFn) -> list[Hit]:
    """Hits of different worth, length and kind; no two say the same."""
    rows = draw(
        st.lists(
            st.tuples(
                TEXTS,
                st.sampled_from([Kind.EMAIL, Kind.MESSAGE, Kind.DOCUMENT]),
                st.floats(0.0, 0.99),
                st.floats(0.0, 1.0),
            ),
            min_size=1,
            max_size=15,
        )
    )
    return [
        Hit(
            item=Item(
                id=f"i{n:02}", kind=kind, content=f"Number {n} of {n * 7919}. {text}",
                happened_at=NOW - timedelta(days=n % 4),
            ),
            score=score, relevance=relevance,
        )
        for n, (text, kind, relevance, score) in enumerate(rows)
    ]  # fmt: skip


@settings(max_examples=examples(60), deadline=None)
@given(candidates(), st.integers(20, 400))
def test_what_is_left_out_does_not_fit_into_what_is_left(hits: list[Hit], budget: int) -> None:
    config = ContextConfig(likeness_max=1.0)
    made = build_active_context(hits, budget, config, now=NOW, query="the boiler of Sarah")
    left = budget - count(made.text + "\n")  # one more would stand on a line of its own

    assert len(made.items) + len(made.dropped) == len(hits)
    for one in made.dropped:
        if one.reason is DropReason.NOT_WORTH:
            assert next(hit for hit in hits if hit.id == one.id).relevance == 0.0
        else:
            assert one.reason in (DropReason.BUDGET, DropReason.TOO_LARGE)
            words = len(next(hit for hit in hits if hit.id == one.id).item.content.split())
            assert one.cost > left if one.cost else left < max(LEAST_COSTS["tokens"], words)


@settings(max_examples=examples(60), deadline=None)
@given(candidates(), st.integers(20, 400))
def test_the_most_relevant_come_first(hits: list[Hit], budget: int) -> None:
    made = build_active_context(hits, budget, now=NOW, query="the boiler of Sarah")
    scores = [one.score for one in made.items]

    assert scores == sorted(scores, reverse=True)
