"""Texts, terms and vectors as PostgreSQL is handed them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides_postgres.exact_text import escape, unescape, unescape_rows
from simonides_postgres.lanes.statements import as_halfvec, to_halfvec
from simonides_postgres.transaction import lane_word, lane_words

ODD = st.text(alphabet="ab\0\ufdd0é01")


@given(ODD)
def test_any_text_comes_back_and_holds_no_nul(text: str) -> None:
    assert "\0" not in escape(text)
    assert unescape(escape(text)) == text


@given(st.lists(st.tuples(st.integers(), st.none() | ODD, ODD, st.binary())))
def test_rows_come_back_whatever_they_hold(rows: list[tuple[int, str | None, str, bytes]]) -> None:
    kept = [
        (number, None if one is None else escape(one), escape(other), raw)
        for number, one, other, raw in rows
    ]

    assert unescape_rows(kept, [1, 2]) == rows


def test_rows_without_an_escape_are_handed_on() -> None:
    rows = [(1, "plain"), (2, None)]

    assert unescape_rows(rows, [1]) is rows


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_terms_become_words_with_the_number_of_the_space(count: int) -> None:
    hashes = bytes(range(8 * count % 256)) if count < 32 else bytes(8 * count)
    one_by_one = [lane_word(26, hashes[at : at + 8].hex()) for at in range(0, len(hashes), 8)]

    assert lane_words(26, hashes + bytes([1]) * count).split() == one_by_one
    assert all(word.startswith("1a.") for word in one_by_one)


def test_a_kept_vector_is_written_as_its_signed_values() -> None:
    assert to_halfvec(bytes([0, 1, 127, 128, 255])) == as_halfvec([0, 1, 127, -128, -1])
