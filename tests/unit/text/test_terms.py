import hashlib
from collections import Counter

import numpy as np
import pytest

from simonides.text import terms


def test_a_key_is_the_first_eight_bytes_of_blake2b_little_endian() -> None:
    digest = hashlib.blake2b("straße".encode(), digest_size=8).digest()

    assert terms.term_key("straße") == int.from_bytes(digest, "little")


def test_a_lone_surrogate_has_a_key() -> None:
    assert 0 <= terms.term_key("\ud800") < 2**64


def test_packed_terms_take_nine_bytes_each_and_come_back_by_rising_key() -> None:
    counts = {"lamp": 2, "river": 1, "stone": 7}

    blob = terms.pack(counts)
    keys, numbers = terms.unpack(blob)

    assert len(blob) == 27
    assert keys.dtype == np.uint64
    assert numbers.dtype == np.uint8
    assert list(keys) == sorted(terms.term_key(term) for term in counts)
    assert dict(zip(keys.tolist(), numbers.tolist(), strict=True)) == {
        terms.term_key(term): count for term, count in counts.items()
    }


def test_the_order_of_counting_leaves_no_trace() -> None:
    assert terms.pack({"a": 1, "b": 2}) == terms.pack({"b": 2, "a": 1})


def test_a_count_stays_at_255() -> None:
    _, numbers = terms.unpack(terms.pack({"very": 256, "often": 255, "once": 1}))

    assert sorted(numbers.tolist()) == [1, 255, 255]


def test_nothing_packs_to_nothing() -> None:
    keys, numbers = terms.unpack(terms.pack({}))

    assert terms.pack({}) == b""
    assert keys.shape == numbers.shape == (0,)


def test_several_chunks_are_packed_as_each_by_itself() -> None:
    texts = ["lamp river lamp", "", "river", "lamp " * 300 + "stone", ""]
    chunks = [b"".join(map(terms.key_bytes, text.split())) for text in texts]

    assert terms.pack_all(chunks) == [terms.pack(Counter(text.split())) for text in texts]


@pytest.mark.parametrize("chunks", [[], [b""], [b"", b""]])
def test_chunks_without_terms_pack_to_nothing(chunks: list[bytes]) -> None:
    assert terms.pack_all(chunks) == chunks


def test_neighbours_that_end_and_begin_with_one_term_stay_apart() -> None:
    lamp = terms.key_bytes("lamp")

    assert terms.pack_all([lamp, lamp, lamp + lamp]) == [
        terms.pack({"lamp": 1}), terms.pack({"lamp": 1}), terms.pack({"lamp": 2}),
    ]  # fmt: skip


def test_half_a_key_is_refused() -> None:
    with pytest.raises(ValueError, match="8 bytes each, got 12"):
        terms.pack_all([b"01234567", b"012345678901", b"0123"])


def test_a_broken_list_is_refused() -> None:
    with pytest.raises(ValueError, match="9 bytes each, got 10"):
        terms.unpack(b"0123456789")


def test_the_cache_is_bounded_and_can_be_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "_RUNS_MAX", 3)
    terms.clear_tables()
    before = [terms.term_key(str(n)) for n in range(10)]

    assert len(terms._KEYS) <= 3
    assert [terms.term_key(str(n)) for n in range(10)] == before

    terms.clear_tables()

    assert not terms._KEYS
