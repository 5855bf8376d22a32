"""BM25 through a space on disk, beside an oracle that counts words in plain Python."""

import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides.index.build import empty_view, extend
from simonides.index.index_view import IndexView
from simonides.ingest.languages import Spoken
from simonides.ingest.prepare import Preparer
from simonides.model.item import Item, Kind
from simonides.model.stored import NO_EMBEDDER
from simonides.scoring.formulas import TermPostings
from simonides.storage.sqlite import SQLiteStore
from simonides.text.analyse import analyse, query_terms
from simonides_bench.testing.depth import examples

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
WORDS: Final = ("alpha", "budget", "budgets", "harbor", "moved", "friday", "the", "invoice")
K1_TOLD, B_TOLD = 0.9, 0.4


@contextmanager
def viewed(texts: Sequence[str], *, gone: frozenset[int] = frozenset()) -> Iterator[IndexView]:
    """Yield the view of a space that keeps one item a text, some of which are forgotten."""
    preparer = Preparer(identity=NO_EMBEDDER, embedder=None, spoken=Spoken(detects=False))
    items = [
        Item(id=f"i{n}", kind=Kind.DOCUMENT, content=text, language="en")
        for n, text in enumerate(texts)
    ]
    with tempfile.TemporaryDirectory() as home:
        store = SQLiteStore(Path(home), durability="relaxed")
        try:
            space = store.open("ana", embedder=NO_EMBEDDER, create=True)
            space.commit(preparer.prepare(items), stored_at=NOW)
            with space.read() as reader:
                whole = extend(empty_view(0), reader)
            space.forget([f"i{n}" for n in sorted(gone)], at=NOW)
            with space.read() as reader:
                yield extend(whole, reader)
        finally:
            store.close()


def asked(view: IndexView, question: str) -> list[TermPostings]:
    return [view.term(term.keys) for term in query_terms(question, ["en"])]


def plain_bm25(texts: Sequence[str], present: Sequence[int], question: str) -> dict[int, float]:
    """Return {text: BM25 over its ideal} for the texts that are present."""
    held = {n: Counter(analyse(texts[n], "en")) for n in present}
    mean = sum(sum(words.values()) for words in held.values()) / max(len(held), 1)
    scores, ideal = dict.fromkeys(present, 0.0), 0.0
    for word in dict.fromkeys(analyse(question, "en")):
        holding = sum(word in words for words in held.values())
        rarity = math.log(1 + (len(held) - holding + 0.5) / (holding + 0.5))
        ideal += rarity * (K1_TOLD + 1)
        for n, words in held.items():
            length = sum(words.values()) / (mean or 1.0)
            norm = K1_TOLD * (1 - B_TOLD + B_TOLD * length)
            scores[n] += rarity * (K1_TOLD + 1) * words[word] / (words[word] + norm)
    return {n: score / ideal if ideal else 0.0 for n, score in scores.items()}


prose = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@given(
    texts=st.lists(prose, min_size=1, max_size=8),
    gone=st.frozensets(st.integers(0, 7), max_size=3),
    question=st.lists(st.sampled_from([*WORDS, "unseen"]), max_size=5).map(" ".join),
)
@settings(max_examples=examples(40))
def test_the_lexical_share_is_that_of_counting_words_one_by_one(
    texts: list[str], gone: frozenset[int], question: str
) -> None:
    gone = frozenset(n for n in gone if n < len(texts))
    present = [n for n in range(len(texts)) if n not in gone]
    with viewed(texts, gone=gone) as view:
        found = view.lexical(asked(view, question)).tolist()

    expected = plain_bm25(texts, present, question)
    assert {n: found[n] for n in present} == pytest.approx(expected, abs=1e-12)
    assert all(0.0 <= found[n] <= 1.0 for n in present)


@given(texts=st.lists(prose, min_size=2, max_size=6), question=prose)
@settings(max_examples=examples(15))
def test_what_was_forgotten_says_nothing_about_what_is_left(
    texts: list[str], question: str
) -> None:
    with viewed(texts, gone=frozenset({0})) as view, viewed(texts[1:]) as without:
        left = view.lexical(asked(view, question)).tolist()[1:]

        assert left == without.lexical(asked(without, question)).tolist()


def test_words_of_one_stem_are_one_term_and_counted_together() -> None:
    with viewed(["budget budgets harbor", "harbor"]) as view:
        [term] = asked(view, "Budgets")

        assert (term.docs.tolist(), term.counts.tolist()) == ([0], [2])


def test_several_keys_of_one_word_count_each_document_once() -> None:
    with viewed(["budget harbor budget", "harbor", "alpha"]) as view:
        keys = [term.keys[0] for term in query_terms("budget harbor", ["en"])]
        both, alone = view.term(keys), view.term(keys[1:])

        assert (both.docs.tolist(), both.counts.tolist()) == ([0, 1], [3, 1])
        assert both.idf == alone.idf


def test_a_word_that_nothing_holds_is_part_of_what_a_perfect_passage_would_say() -> None:
    with viewed(["alpha", "harbor"]) as view:
        known = float(view.lexical(asked(view, "alpha"))[0])
        half = float(view.lexical(asked(view, "alpha unseen"))[0])

        assert 0.0 < half < known / 2
        assert view.lexical(asked(view, "unseen")).tolist() == [0.0, 0.0]
        assert view.lexical([]).tolist() == [0.0, 0.0]


def test_counts_of_several_keys_stay_within_a_byte() -> None:
    with viewed(["alpha " * 60]) as view:
        keys = [term.keys[0] for term in query_terms("alpha", ["en"])]

        assert view.term(keys * 5).counts.tolist() == [255]
        assert view.term(keys * 4).counts.tolist() == [240]
