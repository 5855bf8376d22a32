"""Laws of the readers of mailboxes: whatever is changed in a file, nothing makes them fail."""

from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides.errors import ImportFailed
from simonides.importers import ImportEvent, read
from simonides.importers.sealed import signed_content, without_pgp
from simonides_bench.testing.depth import examples
from simonides_bench.testing.outlook import Values, compound_file, msg_tree, tnef
from simonides_bench.testing.outlook_data_file import MailNode, data_file
from simonides_formats.mail.rtf import RTF_BYTES_MAX, text_of_rtf, unpack

VALUES: Values = {
    0x001A: "IPM.Note", 0x0037: "Oars", 0x0042: "Sarah", 0x5D02: "s@x.example",
    0x1009: b"\0" * 8 + b"LZFu" + b"\0" * 4 + b"\0{\\rtf1 \0Hello.}", 0x1035: "<m@x.example>",
}  # fmt: skip
FILE: Values = {0x3707: "a.md", 0x3701: b"In the shed. " * 100}
TO: Values = {0x3001: "Mira", 0x39FE: "mira@x.example", 0x0C15: 1}
CARD = (
    b"BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=B6we;S=\r\n"
    b'arah\r\nEMAIL;TYPE="a;b":s@x.example\r\nBDAY:--0506\r\nADR:;;a\\;b;c\r\nNOTE:x\\n\r\n y\r\n'
    b"PHOTO;ENCODING=b:AAAA\r\n AAAA\r\nREV:20260301T100000Z\r\nEND:VCARD\r\n"
)
MAIL = b"From: s@x.example\nMessage-ID: <m@x.example>\n"
EMLX = b"%d\n%bSubject: x\n\nHello.\n" % (len(MAIL) + 19, MAIL) + (
    b'<?xml version="1.0"?><plist version="1.0"><dict><key>flags</key><integer>5</integer></dict>'
)
SEALED = (
    MAIL + b"Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n"
    + b64encode(bytes.fromhex("308006092a864886f70d010702a0803080020101310030800609") * 9)
)  # fmt: skip
FILES = {
    "a.msg": compound_file(msg_tree(VALUES, recipients=[TO], attachments=[FILE])),
    "winmail.dat": tnef(VALUES, files=[("a.md", b"In the shed.")], mails=[tnef({0x0037: "In"})]),
    "a.pst": data_file({
        "In": [MailNode(values=VALUES, recipients=[TO], files=[FILE], mails=[MailNode(values={})])]
    }),
    "a.vcf": CARD * 2,
    "a.emlx": EMLX,
    "a.eml": SEALED,
}  # fmt: skip
CHANGES = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=8)),
    min_size=1,
    max_size=12,
)
"""Places as shares of the file, and the bytes that are written there."""


def steps_of(name: str, raw: bytes) -> list[ImportEvent]:
    steps: list[ImportEvent] = []
    with TemporaryDirectory() as folder, suppress(ImportFailed):
        path = Path(folder, name)
        path.write_bytes(raw)
        steps.extend(read(path))
    return steps


@pytest.mark.parametrize("name", FILES)
@given(changes=CHANGES)
@settings(max_examples=examples(60))
def test_a_changed_file_gives_items_or_reasons(
    name: str, changes: list[tuple[float, bytes]]
) -> None:
    raw = bytearray(FILES[name])
    for share, written in changes:
        at = int(share * len(raw))
        raw[at : at + len(written)] = written
    steps = steps_of(name, bytes(raw))

    assert all((step.item is None) != (step.skipped is None) for step in steps)
    assert [one for step in steps if (one := step.skipped) and "failed: " in one.reason] == []
    assert steps == steps_of(name, bytes(raw))


@pytest.mark.parametrize("name", FILES)
@given(begin=st.floats(0, 1), size=st.integers(0, 600), times=st.integers(0, 3))
@settings(max_examples=examples(40))
def test_pieces_taken_out_or_doubled_give_items_or_reasons(
    name: str, begin: float, size: int, times: int
) -> None:
    raw = FILES[name]
    at = int(begin * len(raw))
    steps = steps_of(name, raw[:at] + raw[at : at + size] * times + raw[at + size :])

    assert [one for step in steps if (one := step.skipped) and "failed: " in one.reason] == []


@given(raw=st.binary(max_size=400))
def test_any_bytes_are_read_as_rich_text(raw: bytes) -> None:
    assert text_of_rtf(raw).encode() is not None
    assert len(unpack(b"\0" * 8 + b"LZFu" + b"\0" * 4 + raw)) <= min(9 * len(raw), RTF_BYTES_MAX)


WORDS = st.sampled_from(
    [b"{", b"}", b"\\*", b"\\htmltag", b"\\htmlrtf", b"\\htmlrtf0", b"\\u-1?", b"\\uc9", b"\\'e4",
     b"\\par ", b"\\fromhtml1", b"<p>", b"text", b"\\ansicpg932 ", b"\\'81", b"\\bin9", b"\\"]
)  # fmt: skip


@given(words=st.lists(WORDS, max_size=40))
def test_any_words_are_read_as_rich_text(words: list[bytes]) -> None:
    assert text_of_rtf(b"{\\rtf1" + b"".join(words)).encode() is not None


@given(raw=st.binary(max_size=300))
def test_any_bytes_may_be_signed_content(raw: bytes) -> None:
    found = signed_content(b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80" + raw)

    assert found is None or len(found) <= len(raw)


PGP = st.sampled_from(
    ["-----BEGIN PGP MESSAGE-----", "-----END PGP MESSAGE-----", "\n", "- --", "text",
     "-----BEGIN PGP SIGNED MESSAGE-----\n", "Hash: x\n", "-----BEGIN PGP SIGNATURE-----"]
)  # fmt: skip


@given(pieces=st.lists(PGP, max_size=12))
def test_a_text_never_grows_by_what_is_taken_out(pieces: list[str]) -> None:
    text = "".join(pieces)
    plain, _, _ = without_pgp(text)

    assert len(plain) <= len(text) + 4 * len(pieces)
    assert "-----BEGIN PGP MESSAGE-----" not in plain
