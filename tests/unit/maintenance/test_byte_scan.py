"""Many short pieces are looked for at once, and every one that is there is found."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from simonides.maintenance import byte_scan
from simonides.maintenance.byte_scan import PIECE_BYTES, find_in, pieces, scan


def found(data: bytes, *given: bytes) -> list[bool]:
    return [bool(one) for one in find_in(data, pieces(given))]


@pytest.mark.parametrize("before", range(20))
@pytest.mark.parametrize("size", [8, 9, 15, 16])
def test_a_piece_is_found_wherever_it_stands(before: int, size: int) -> None:
    piece = b"zorkmid is a coin"[:size]

    assert found(b"-" * before + piece + b"-" * (before % 3), piece) == [True]
    assert found(b"-" * before + piece[:-1] + b"!", piece) == [False]


def test_pieces_that_begin_alike_are_told_apart() -> None:
    data = b"the quick brown fox ... the quick red fox"

    assert found(data, b"the quick brown ", b"the quick red fo") == [True, True]
    assert found(data, b"the quick green ", b"the quick", b"the quick") == [False, True, True]


def test_nothing_is_found_in_nothing() -> None:
    assert found(b"", b"12345678") == [False]
    assert found(b"1234567", b"12345678") == [False]
    assert found(b"some bytes that are there") == []


def test_zeros_and_what_lies_past_the_end_are_no_piece() -> None:
    assert found(b"12345678", b"12345678\0") == [False]
    assert found(b"12345678\0", b"12345678\0") == [True]
    assert found(bytes(64), bytes(16)) == [True]


@pytest.mark.parametrize("piece", [b"", b"1234567", b"12345678901234567"])
def test_a_piece_has_eight_to_sixteen_bytes(piece: bytes) -> None:
    with pytest.raises(ValueError, match="8 to 16 bytes"):
        pieces([piece])


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_what_python_finds(seed: int) -> None:
    rng = random.Random(seed)
    data = bytes(rng.choice(b"ab") for _ in range(4000))
    given = [bytes(rng.choice(b"ab") for _ in range(rng.randint(8, 16))) for _ in range(300)]

    assert found(data, *given) == [one in data for one in given]
    assert 0 < sum(found(data, *given)) < 300


def test_a_piece_across_two_slices_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(byte_scan, "SLICE_BYTES", 64)
    piece = b"0123456789abcdef"
    for at in range(40, 70):
        (tmp_path / "f").write_bytes(b"-" * at + piece + b"-" * 99)

        reported = scan([str(tmp_path / "f")], pieces([piece, b"xxxxxxxx"]))

        assert reported == {
            "sizes": {str(tmp_path / "f"): at + 115}, "found": {str(tmp_path / "f"): [0]},
            "unread": [],
        }  # fmt: skip


def test_files_that_are_not_there_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")

    reported = scan([str(tmp_path / "empty"), str(tmp_path / "none")], pieces([b"12345678"]))

    assert reported == {"sizes": {str(tmp_path / "empty"): 0}, "found": {}, "unread": []}


def test_it_is_a_program_that_reads_and_writes_json(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"where is the zorkmid?")
    asked = {"files": [str(tmp_path / "a")], "pieces": [b"the zorkmid".hex(), bytes(8).hex()]}
    run = subprocess.run(
        [sys.executable, "-m", "simonides.maintenance.byte_scan"],
        input=json.dumps(asked), capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert json.loads(run.stdout) == {
        "sizes": {str(tmp_path / "a"): 21}, "found": {str(tmp_path / "a"): [0]},
        "unread": [],
    }  # fmt: skip


def test_a_piece_is_about_three_words_long() -> None:
    assert PIECE_BYTES == 16
