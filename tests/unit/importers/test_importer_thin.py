"""Very large messages, made small before they are parsed."""

from base64 import encodebytes

import pytest

from simonides.importers import thin as subject
from simonides.importers.message import read_message
from simonides.importers.thin import DROPPED, thin

HEAD = b"From: a@x.example\nSubject: large\nMessage-ID: <l@x>\n"


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "THIN_FROM_BYTES", 4000)
    monkeypatch.setattr(subject, "THIN_TOTAL_BYTES", 6000)
    monkeypatch.setattr(subject, "_LEAST_BYTES", 100)


def with_files(*files: bytes) -> bytes:
    parts = b"".join(
        b"--b\nContent-Type: application/pdf; name=%d.pdf\n"
        b"Content-Transfer-Encoding: base64\n\n%b" % (n, encodebytes(one))
        for n, one in enumerate(files)
    )
    return (
        HEAD
        + b'Content-Type: multipart/mixed; boundary="b"\n\n'
        + b"--b\nContent-Type: text/plain\n\nThe text.\n"
        + parts
        + b"--b\nContent-Type: text/plain\n\nThe end.\n--b--\n"
    )


def test_a_message_of_usual_size_stays_as_it_is() -> None:
    raw = with_files(b"x" * 100)

    assert thin(raw) is raw


def test_long_parts_are_cut_and_the_others_kept() -> None:
    raw = with_files(b"x" * 30_000, b"y" * 300, b"z" * 30_000)
    small = thin(raw)
    (item,) = read_message(raw)

    assert len(small) < 9000
    assert small.count(DROPPED.encode()) == 2
    assert item.content == "The text.\n\nThe end."


def test_the_true_sizes_of_cut_files_are_known() -> None:
    (item,) = read_message(with_files(b"x" * 30_000, b"y" * 300))
    sizes = [one["size_bytes"] for one in item.metadata["attachments"]]

    assert abs(sizes[0] - 30_000) <= 57
    assert sizes[1] == 300


def test_one_long_text_is_cut_at_the_end_of_a_line() -> None:
    small = thin(HEAD + b"\n" + b"0123456789\n" * 3000)

    assert len(small) < 4200
    assert small.endswith(b"0123456789\n\n")


def test_a_long_text_in_one_line_is_cut_too() -> None:
    assert len(thin(HEAD + b"\n" + b"0" * 50_000)) < 4200


def test_a_large_message_without_headers_is_cut_too() -> None:
    assert len(thin(b"0" * 500_000)) < 80_000


def test_a_message_of_boundaries_alone_stays_readable() -> None:
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nhi\n" * 2000
    (item,) = read_message(raw)

    assert item.content.startswith("hi\n\nhi")
