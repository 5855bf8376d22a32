"""A score is its own and originals come first, whatever is made from what (laws 12 and 14)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Filter, Item, Kind, Memory, Settings
from simonides_bench.testing.depth import examples

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
QUESTION = "When is the Alpha deadline?"
ORIGINAL = "After a long talk with the client the Alpha deadline is on Friday, the budget stays."
FORWARD = "Alpha deadline!\n\n---------- Forwarded message ---------\n"


def mails(count: int) -> list[Item]:
    """Return an original and forwards of it, each of the one before, in one thread."""
    texts = [ORIGINAL]
    for _ in range(count):
        texts.append(FORWARD + texts[-1])
    return [
        Item(
            id=f"mail{n}", kind=Kind.EMAIL, source="mail", content=text, session="t",
            happened_at=NOW - timedelta(days=9 - n),
        )
        for n, text in enumerate(texts)
    ]  # fmt: skip


@contextmanager
def opened(items: list[Item], *, answer_cites: str, texts: list[str]) -> Iterator[Memory]:
    settings_ = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with TemporaryDirectory() as home, Memory(Path(home), settings=settings_) as memory:
        memory.add(items)
        for n, text in enumerate(texts):
            memory.sessions.add(f"s{n}", "user", "Tell me the Alpha deadline, please?")
            memory.sessions.add(f"s{n}", "assistant", text, metadata={"_cited": [answer_cites]})
        yield memory


@settings(max_examples=examples(15), deadline=None)
@given(
    st.integers(1, 3),
    st.permutations(range(4)),
    st.lists(
        st.sampled_from(
            ["The Alpha deadline is on Friday.", "Alpha deadline, Alpha deadline: Friday."]
        ),
        min_size=1,
        max_size=2,
    ),
)
def test_a_score_does_not_depend_on_the_filter_and_originals_stay_above(
    forwards: int, order: list[int], texts: list[str]
) -> None:
    made = mails(forwards)
    items = [made[n] for n in order if n < len(made)]
    with opened(items, answer_cites=made[-1].id, texts=texts) as memory:
        every = {hit.id: hit.score for hit in memory.search(QUESTION, limit=50, now=NOW)}
        answers = set(every) - {item.id for item in made}
        chain = [every[item.id] for item in made]

        assert chain == sorted(chain, reverse=True)
        assert all(every[answer] < chain[-1] for answer in answers)
        filters: tuple[dict[str, Any], ...] = (
            {"kinds": ["message"]}, {"kinds": ["email"]}, {"without_ids": (made[0].id,)},
            {"ids": tuple(sorted(answers))}, {"without_ids": tuple(item.id for item in made)},
        )  # fmt: skip
        for how in filters:
            for limit in (1, 50):
                found = memory.search(QUESTION, limit=limit, filter=Filter(**how), now=NOW)

                assert {hit.id: hit.score for hit in found}.items() <= every.items(), how
