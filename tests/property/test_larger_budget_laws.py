"""More budget never costs an item its place, and never makes a brief of less."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Item, Kind
from simonides.context.build import build_active_context
from simonides.model.answer import Hit
from simonides.model.brief import ContextConfig

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


@settings(max_examples=60, deadline=None)
@given(candidates(), st.integers(20, 400), st.integers(1, 300))
def test_what_a_brief_shows_is_in_the_brief_of_a_larger_budget(
    hits: list[Hit], budget: int, more: int
) -> None:
    config = ContextConfig(likeness_max=1.0)
    small = build_active_context(hits, budget, config, now=NOW, query="the boiler of Sarah")
    large = build_active_context(hits, budget + more, config, now=NOW, query="the boiler of Sarah")

    assert {one.id for one in small.items} <= {one.id for one in large.items}
