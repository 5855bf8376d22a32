"""Base64 and quoted-printable, whole and damaged."""

from base64 import encodebytes
from binascii import b2a_uu

import pytest

from simonides.importers.charset import (
    base64_size_bytes,
    decode_transfer,
    from_base64,
    from_quoted_printable,
)


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
    assert base64_size_bytes(encodebytes(b"x" * size_bytes)) == size_bytes


@pytest.mark.parametrize("size_bytes", [0, 1, 44, 45, 46, 1000])
def test_uuencoded_files_are_read(size_bytes: int) -> None:
    raw = bytes(n % 256 for n in range(size_bytes))
    lines = [b2a_uu(raw[at : at + 45]) for at in range(0, size_bytes, 45)]
    text = b"A line before.\nbegin 644 a.bin\n" + b"".join(lines) + b"`\nend\nA line after.\n"

    assert decode_transfer(text, "x-uuencode") == raw


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (b"no such line", b"no such line"),
        (b"begin 644 a\n#86)C and more\nend\n", b"abc"),
        (b"begin 644 a\n\xff\xff\xff\n#86)C\nend\n", b"abc"),
        (b"begin 644 a\n#86)C\n", b"abc"),
    ],
)
def test_damaged_uuencode_is_read_as_far_as_it_goes(raw: bytes, meant: bytes) -> None:
    assert decode_transfer(raw, "uue") == meant
