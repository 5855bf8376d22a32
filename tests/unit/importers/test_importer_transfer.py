"""Base64 and quoted-printable, whole and damaged."""

from base64 import encodebytes

import pytest

from simonides.importers.transfer import base64_size_bytes, from_base64, from_quoted_printable


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (b"SGFsbG8=\n", b"Hallo"),
        (b"SGFs\r\nbG8=", b"Hallo"),
        (b"SGFsbG8", b"Hallo"),
        (b"SGFsbG8=\n-- \nfooter of a list", b"Hallo"),
        (b"SGFsbG8gY", b"Hallo "),
        (b"S*G*F*s*b*G*8*", b"Hallo"),
        (b"", b""),
        (b"!", b""),
    ],
)
def test_base64_is_read_as_far_as_it_goes(raw: bytes, meant: bytes) -> None:
    assert from_base64(raw) == meant


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (b"M=C3=B6we", "Möwe".encode()),
        (b"one =\nline", b"one line"),
        (b"100 =ZZ", b"100 =ZZ"),
        (b"ends with =", b"ends with "),
    ],
)
def test_quoted_printable_is_read_as_far_as_it_goes(raw: bytes, meant: bytes) -> None:
    assert from_quoted_printable(raw) == meant


def test_underscores_are_blanks_only_in_headers() -> None:
    assert from_quoted_printable(b"a_b", in_header=True) == b"a b"
    assert from_quoted_printable(b"a_b") == b"a_b"


@pytest.mark.parametrize("size_bytes", [0, 1, 2, 3, 57, 58, 1000])
def test_the_size_of_a_file_is_known_without_decoding_it(size_bytes: int) -> None:
    assert base64_size_bytes(encodebytes(b"x" * size_bytes).decode()) == size_bytes


def test_the_size_of_a_cut_file_is_exact_to_a_line() -> None:
    text = encodebytes(b"x" * 57_000).decode()

    assert abs(base64_size_bytes(text[:7700], dropped=len(text) - 7700) - 57_000) <= 57
