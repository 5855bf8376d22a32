"""Arrays, codes, postings and vectors beside plain lists and dictionaries, in any order of use."""

from collections import Counter
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides.index.exact import Vectors
from simonides.index.growing import Codes, Growing
from simonides.index.postings import Postings, from_blobs
from simonides.text.terms import pack, term_key
from simonides_bench.testing.depth import examples

# ── arrays that grow ─────────────────────────────────────────────────────────────────────────────

pieces = st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=90), max_size=12)


@given(pieces=pieces)
def test_a_growing_array_is_a_list_and_what_readers_hold_never_changes(
    pieces: list[list[int]],
) -> None:
    column, model = Growing(np.int64), list[int]()
    held: list[tuple[npt.NDArray[Any], list[int]]] = []
    for piece in pieces:
        column.extend(piece)
        model += piece
        held.append((column.rows(len(column)), list(model)))

    assert len(column) == len(model)
    assert all(rows.tolist() == then for rows, then in held)
    assert column.rows(len(model) // 2).tolist() == model[: len(model) // 2]


@given(sizes=st.lists(st.integers(0, 70), max_size=8), width=st.integers(1, 5))
def test_rows_of_some_width_keep_it_over_any_growth(sizes: list[int], width: int) -> None:
    column = Growing(np.int32, width=width)
    model: list[list[int]] = []
    for size in sizes:
        added = (np.arange(size * width).reshape(size, width) + len(model)).tolist()
        column.extend(np.array(added, dtype=np.int32).reshape(size, width))
        model += added

    assert column.rows(len(model)).tolist() == model
    assert column.rows(len(model)).shape == (len(model), width)


def buffers_used(column: Growing, *, rows: int) -> int:
    used: list[Any] = []
    for row in range(rows):
        column.extend([row])
        base = column.rows(1).base
        if not used or used[-1] is not base:
            used.append(base)
    return len(used)


def test_growing_row_by_row_moves_seldom_and_holds_little_in_vain() -> None:
    column = Growing(np.int64)

    assert buffers_used(column, rows=20_000) < 60
    assert column.nbytes <= 8 * (20_000 * 9 // 8 + 64 + 1)


def test_a_first_fill_reserves_what_it_needs_and_no_more() -> None:
    column = Growing(np.int64)
    column.extend(range(1000))

    assert column.nbytes == 8 * 1000


def test_a_small_array_grows_by_a_block_and_not_row_by_row() -> None:
    column = Growing(np.int64)

    assert buffers_used(column, rows=128) == 2
    assert column.nbytes == 8 * (65 + 64)


# ── codes ────────────────────────────────────────────────────────────────────────────────────────

texts = st.none() | st.sampled_from(["", "mail", "chat", "Mail", "größe", "jira"])


@given(
    pieces=st.lists(st.lists(texts, max_size=6), max_size=6),
    cut=st.integers(0, 6),
    wanted=st.lists(texts, max_size=3),
)
def test_codes_stand_for_their_texts_and_survive_being_restored(
    pieces: list[list[str | None]], cut: int, wanted: list[str | None]
) -> None:
    codes, rows = Codes(), list[str | None]()
    for at, piece in enumerate(pieces):
        if at == cut:
            older, codes = codes, Codes()
            codes.restore(older.values, older.column.rows(len(older.column)))
        codes.extend(piece)
        rows += piece
    column = codes.column.rows(len(rows)).tolist()

    assert [codes.values[code] for code in column] == rows
    assert len(set(codes.values)) == len(codes.values)
    assert codes.values[0] is None
    assert set(codes.values) == {None, *rows}
    assert codes.holding(wanted, count=len(rows)).tolist() == [row in wanted for row in rows]
    for text in (None, "", "mail", "never written"):
        known = text is None or text in rows
        assert codes.code(text) == (codes.values.index(text) if known else -1)


# ── postings ─────────────────────────────────────────────────────────────────────────────────────

TERMS: Final = "abcdef"
documents = st.lists(
    st.dictionaries(st.sampled_from(TERMS), st.integers(1, 255), max_size=4), max_size=8
)


def found(postings: Postings, term: str) -> dict[int, int]:
    docs, counts = postings.find(term_key(term))
    assert docs.tolist() == sorted(set(docs.tolist()))
    return dict(zip(docs.tolist(), counts.tolist(), strict=True))


@given(batches=st.lists(documents.filter(bool), max_size=8))
def test_every_revision_of_postings_keeps_finding_what_it_held(
    batches: list[list[dict[str, int]]],
) -> None:
    postings, slots = Postings(), list[dict[str, int]]()
    revisions = [(postings, 0)]
    for batch in batches:
        postings = postings.append(from_blobs([pack(doc) for doc in batch], first=len(slots)))
        slots += batch
        revisions.append((postings, len(slots)))

    for older, stop in revisions:
        assert len(older) == stop
        for term in TERMS:
            expected = {i: doc[term] for i, doc in enumerate(slots[:stop]) if term in doc}
            assert found(older, term) == expected


@given(batches=st.lists(documents.filter(bool), max_size=8))
def test_segments_join_without_gaps_and_shrink_by_more_than_half(
    batches: list[list[dict[str, int]]],
) -> None:
    postings, stop = Postings(), 0
    for batch in batches:
        postings = postings.append(from_blobs([pack(doc) for doc in batch], first=stop))
        stop += len(batch)
    segments = postings.segments

    assert [one.first for one in segments] == [0, *(one.stop for one in segments)][: len(segments)]
    assert all(left.docs.size > 2 * right.docs.size for left, right in pairwise(segments))
    for one in segments:
        assert one.keys.tolist() == sorted(set(one.keys.tolist()))
        assert one.starts.tolist()[0] == 0
        assert one.starts.tolist()[-1] == len(one.docs) == len(one.counts)


def test_the_bytes_of_postings_are_those_of_their_arrays() -> None:
    postings = Postings().append(from_blobs([pack({"a": 1, "b": 2}), pack({"a": 3})], first=0))

    assert postings.nbytes == 2 * 8 + 3 * 8 + 3 * 4 + 3 * 1


def test_a_segment_twice_as_large_as_the_next_is_merged_and_a_larger_one_is_left() -> None:
    def after(first: int, second: int) -> int:
        terms = dict.fromkeys((f"t{n}" for n in range(first)), 1)
        postings = Postings().append(from_blobs([pack(terms)], first=0))
        more = dict.fromkeys((f"t{n}" for n in range(second)), 1)
        return len(postings.append(from_blobs([pack(more)], first=1)).segments)

    assert (after(4, 2), after(5, 2), after(1, 3)) == (1, 2, 1)


# ── vectors ──────────────────────────────────────────────────────────────────────────────────────

DIMENSION: Final = 5
vectors = st.lists(
    st.lists(st.integers(-127, 127), min_size=DIMENSION, max_size=DIMENSION), max_size=12
)
queries = st.lists(st.integers(-127, 127), min_size=DIMENSION, max_size=DIMENSION)


def kept(rows: list[list[int]]) -> Vectors:
    made = Vectors(DIMENSION)
    for row in rows:
        made.extend(np.array(row, dtype=np.int8).tobytes())
    return made


def plain_cosine(query: list[int], row: list[int], mean: list[int]) -> float:
    if not any(row) or not any(query):
        return 0.0
    moved = [x - m for x, m in zip(row, mean, strict=True)]
    top = sum(q * x for q, x in zip(query, moved, strict=True))
    bottom = sum(x * x for x in moved) * sum(q * q for q in query)
    return float(top / bottom**0.5) if bottom else 0.0


@given(rows=vectors, query=queries, alive=st.integers(0, 40))
def test_cosines_are_those_of_whole_numbers_added_up_one_by_one(
    rows: list[list[int]], query: list[int], alive: int
) -> None:
    stored, asked = kept(rows), np.array(query, dtype=np.int8)
    total = stored.total(slice(None))
    centre = stored.centre(total=total, alive=alive, count=len(rows))
    mean = [round(column / (alive + 32)) for column in total.tolist()]

    assert centre.mean.tolist() == mean
    assert stored.centred_cosines(asked, centre).tolist() == pytest.approx(
        [plain_cosine(query, row, mean) for row in rows], abs=1e-12
    )
    assert stored.cosines(asked, count=len(rows)).tolist() == pytest.approx(
        [plain_cosine(query, row, [0] * DIMENSION) for row in rows], abs=1e-12
    )


@given(
    rows=vectors.filter(bool),
    steps=st.lists(st.tuples(st.integers(0, 12), st.integers(-60, 60)), max_size=8),
)
@settings(max_examples=examples(80))
def test_a_centre_asked_for_in_any_order_is_the_one_made_anew(
    rows: list[list[int]], steps: list[tuple[int, int]]
) -> None:
    stored = kept(rows)
    for asked, level in steps:
        count, total = min(asked, len(rows)), np.full(DIMENSION, 33 * level, dtype=np.int64)
        anew = kept(rows).centre(total=total, alive=1, count=count)
        again = stored.centre(total=total, alive=1, count=count)

        assert again.mean.tolist() == anew.mean.tolist() == [level] * DIMENSION
        assert again.norms.tolist() == anew.norms.tolist()


@given(rows=vectors.filter(bool), data=st.data())
def test_picked_rows_are_copies_with_sums_and_cosines_of_their_own(
    rows: list[list[int]], data: st.DataObject
) -> None:
    places = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6))
    stored, slots = kept(rows), np.array(places, dtype=np.intp)
    some = stored.pick(slots)
    query = np.array(rows[0], dtype=np.int8)

    assert some.rows.rows(len(some.rows)).tolist() == [rows[place] for place in places]
    assert some.total(slice(None)).tolist() == stored.total(slots).tolist()
    assert some.cosines(query, count=len(places)).tolist() == (
        stored.cosines(query, count=len(rows))[slots].tolist()
    )


def test_vectors_count_the_bytes_of_the_centre_once_there_is_one() -> None:
    stored = kept([[1, 2, 3, 4, 5]] * 3)
    without = stored.nbytes
    stored.centre(total=stored.total(slice(None)), alive=3, count=3)

    assert without == stored.rows.nbytes + stored.squares.nbytes
    assert stored.nbytes == without + 8 * 3


def test_counts_of_one_key_in_several_segments_come_back_by_document() -> None:
    postings = Postings()
    for slot, size in enumerate((40, 15, 5, 1)):
        terms = Counter({f"t{n}": slot + 1 for n in range(size)})
        postings = postings.append(from_blobs([pack(terms)], first=slot))

    assert len(postings.segments) == 4
    assert found(postings, "t0") == {0: 1, 1: 2, 2: 3, 3: 4}
    assert found(postings, "t4") == {0: 1, 1: 2, 2: 3}
    assert found(postings, "t39") == {0: 1}
