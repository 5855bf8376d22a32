"""Postings: whatever way documents came in, each key finds the same documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.index.postings import Postings, from_blobs
from simonides.text.terms import pack, term_key

documents = st.lists(
    st.dictionaries(
        st.sampled_from("abcdefgh"), st.integers(min_value=1, max_value=300), max_size=6
    ),
    max_size=40,
)


def found(postings: Postings, term: str) -> list[tuple[int, int]]:
    docs, counts = postings.find(term_key(term))
    return list(zip(docs.tolist(), counts.tolist(), strict=True))


@given(docs=documents, sizes=st.lists(st.integers(min_value=1, max_value=9), min_size=40))
def test_any_way_of_appending_finds_what_is_there(
    docs: list[dict[str, int]], sizes: list[int]
) -> None:
    blobs = [pack(doc) for doc in docs]
    postings, at = Postings(), 0
    for size in sizes:
        part = blobs[at : at + size]
        if part:
            postings = postings.append(from_blobs(part, first=at))
        at += len(part)

    for term in "abcdefgh":
        expected = [(i, min(doc[term], 255)) for i, doc in enumerate(docs) if term in doc]
        assert found(postings, term) == expected


def test_readers_of_older_postings_are_not_disturbed() -> None:
    older = Postings().append(from_blobs([pack({"a": 1})], first=0))

    newer = older.append(from_blobs([pack({"a": 2})], first=1))

    assert found(older, "a") == [(0, 1)]
    assert found(newer, "a") == [(0, 1), (1, 2)]


def test_documents_without_terms_take_their_slots() -> None:
    postings = Postings().append(from_blobs([b"", pack({"a": 1}), b""], first=0))

    assert len(postings) == 3
    assert found(postings, "a") == [(1, 1)]


def test_segments_stay_few() -> None:
    postings = Postings()
    for slot in range(500):
        postings = postings.append(from_blobs([pack({"a": 1, f"t{slot}": 2})], first=slot))

    assert len(postings.segments) <= 12


@pytest.mark.parametrize("key", [0, 2**64 - 1])
def test_a_key_that_nothing_holds_finds_nothing(key: int) -> None:
    docs, counts = Postings().append(from_blobs([pack({"a": 1})], first=0)).find(key)

    assert (docs.dtype.name, counts.dtype.name) == ("uint32", "uint8")
    assert len(docs) == len(counts) == 0


@given(docs=documents, chosen=st.sets(st.integers(min_value=0, max_value=39)), cut=st.integers(0))
def test_what_documents_hold_says_which_keys_each_of_them_has(
    docs: list[dict[str, int]], chosen: set[int], cut: int
) -> None:
    blobs = [pack(doc) for doc in docs]
    postings = Postings()
    for part, first in ((blobs[:cut], 0), (blobs[cut:], len(blobs[:cut]))):
        if part:
            postings = postings.append(from_blobs(part, first=first))
    slots = [slot for slot in sorted(chosen, reverse=True) if slot < len(docs)]

    held = postings.mark_held_keys(np.array(slots, dtype=np.intp))

    assert held.shape == (len(slots), len({term for slot in slots for term in docs[slot]}))
    for one, slot in zip(held, slots, strict=True):
        for other, second in zip(held, slots, strict=True):
            both = len(docs[slot].keys() & docs[second].keys())
            assert np.count_nonzero(one & other) == both
