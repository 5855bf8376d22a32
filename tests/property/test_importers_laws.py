"""Laws of the importers: nothing makes them fail, and reading again gives the same."""

import io
from collections import Counter
from contextlib import suppress
from email.headerregistry import Address
from email.message import EmailMessage
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given
from hypothesis import strategies as st

from simonides.errors import ImportFailed
from simonides.importers import ImportEvent, charset, mailbox, read
from simonides.importers.charset import base64_size_bytes, decode, from_base64
from simonides.importers.header import addresses, words
from simonides.importers.mailbox import messages
from simonides.importers.markdown import split
from simonides.model.item import Item
from simonides.ports.importer import SourceFile

CHARSETS = st.sampled_from(
    ["", "utf-8", "iso-8859-1", "windows-1252", "koi8-r", "gb18030", "iso-2022-jp", "utf-7",
     "utf-16", "big5", "nonsense", "hex"]
)  # fmt: skip
PIECES = st.sampled_from(
    [b"From: a@x.example\n", b"Subject: =?utf-8?q?M=C3=B6we?=\n", b"Content-Type: text/html\n",
     b"Content-Type: multipart/alternative; boundary=b\n", b"Content-Type: message/rfc822\n",
     b"Content-Type: multipart/mixed; boundary=b\n", b"\n--b\n", b"\n--b--\n", b"\n\n", b"> ",
     b"Content-Transfer-Encoding: base64\n", b"Content-Disposition: attachment; filename=a.txt\n",
     b"Content-Type: text/plain; charset=utf-7; format=flowed\n", b"<p>Hello</p>", b"\0", b"\xff",
     b"Date: Thu, 31 Feb 2026 10:00:00 +9999\n", b"-- \n", b"\xed\xa0\x80", b"=?utf-8?b?!",
     b"Content-Type: message/delivery-status\n", b"Content-Type: message/partial; number=1\n",
     b"Content-Type: multipart/digest; boundary*0=b; boundary*1=c\n", b"Subject : s\n",
     b"Content-Transfer-Encoding: uue\n\nbegin 1 a\n", b"From: b@x.example\n", b"\xef\xbb\xbf",
     b"References: <a@x> <b@x>\n", b"From a@x.example Thu Mar  5 10:00:00 2026\n", b">From x\n"]
)  # fmt: skip
RAW = st.one_of(st.binary(max_size=300), st.lists(PIECES, max_size=14).map(b"".join))
LINES = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "S", "Zs"], exclude_characters="=<>"),
    max_size=60,
)


@given(raw=st.binary(max_size=200), declared=CHARSETS)
def test_any_bytes_in_any_charset_give_text(raw: bytes, declared: str) -> None:
    assert isinstance(decode(raw, declared), str)


@given(text=LINES, declared=st.sampled_from(["utf-8", "utf-16", "gb18030"]))
def test_what_was_encoded_is_decoded(text: str, declared: str) -> None:
    assert decode(text.encode(declared), declared) == text.removeprefix("\ufeff")


@given(value=st.text(max_size=200))
@example("=?utf-8?q?=?=" * 3)
@example('"\\')
def test_any_header_is_read(value: str) -> None:
    value = value.encode("utf-8", "replace").decode("ascii", "surrogateescape")

    assert words(value).encode() is not None
    assert all(
        (name + address).encode() and (name or address) for name, address in addresses(value)
    )


@given(raw=st.binary(max_size=200))
def test_any_bytes_are_read_as_base64(raw: bytes) -> None:
    assert len(from_base64(raw)) <= len(raw)


@given(
    raw=st.one_of(st.binary(max_size=200), st.text("ABCxyz019+/=\n", max_size=200).map(str.encode))
)
def test_base64_in_blocks_is_what_it_is_as_a_whole(raw: bytes) -> None:
    usual, charset.BLOCK_BYTES = charset.BLOCK_BYTES, 7
    try:
        blocks = b"".join(charset.decode_blocks(raw, 0, len(raw), "base64"))
    finally:
        charset.BLOCK_BYTES = usual

    assert blocks == from_base64(raw)


@given(text=st.text("ABCxyz019+/=\n", max_size=200))
def test_the_size_of_a_base64_text_is_never_negative(text: str) -> None:
    assert 0 <= base64_size_bytes(text.encode()) <= len(text)


def items_in(raw: bytes) -> list[Item]:
    """Return the items of a mail; none where it is none."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.eml")
        path.write_bytes(raw)
        file = SourceFile(path=path, where="a.eml", size_bytes=len(raw))
        return [step.item for step in mailbox.read_eml(file) if step.item]


@given(raw=RAW)
def test_any_message_gives_items_or_a_reason(raw: bytes) -> None:
    items = items_in(raw)

    assert items_in(raw) == items
    assert all((item.content + item.title + item.quoted).encode() for item in items)


BOXED = st.lists(RAW.map(lambda raw: raw.replace(b"From ", b"from ").strip() or b"x"), max_size=5)


@given(mails=BOXED)
def test_each_message_of_a_mailbox_is_an_item_or_is_reported(mails: list[bytes]) -> None:
    line = b"From a@x.example Thu Mar  5 10:00:00 2026\n"
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.mbox")
        path.write_bytes(b"".join(line + raw + b"\n\n" for raw in mails))
        steps = list(read(path))

    kept = Counter(step.bytes_done for step in steps)
    assert len(kept) == max(len(mails), 1)  # each step says where its message ends
    assert all(step.item or step.skipped for step in steps)


@given(parts=st.lists(RAW, max_size=6), block_bytes=st.integers(1, 400))
def test_an_mbox_is_parted_without_a_gap_whatever_the_block(
    parts: list[bytes], block_bytes: int
) -> None:
    raw = b"From a@x.example Thu Mar  5 10:00:00 2026\nFrom: a@x.example\n\n".join(parts)
    usual, mailbox.BLOCK_BYTES = mailbox.BLOCK_BYTES, block_bytes
    try:
        found = list(messages(io.BytesIO(raw)))
    finally:
        mailbox.BLOCK_BYTES = usual

    assert found == list(messages(io.BytesIO(raw)))
    assert all(one.end <= two.offset for one, two in pairwise(found))
    assert b"".join(raw[one.offset : one.end] for one in found).strip() == raw.strip()


@given(subject=LINES, name=LINES, text=st.lists(LINES, max_size=5))
def test_what_a_mail_program_writes_is_read_back(subject: str, name: str, text: list[str]) -> None:
    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = Address(name, "sarah", "x.example")
    mail.set_content("\n".join(["Hello.", *text]))
    mail.add_attachment("inside", filename="a.txt")
    item, document = items_in(mail.as_bytes())

    assert item.title == " ".join(subject.split())
    assert item.people[0].address == "sarah@x.example"
    assert item.content.startswith("Hello.")
    assert document.content == "inside"


@given(text=st.text(max_size=300))
@example("---\n---")
@example("---\n: :\n- \n---\nx")
def test_a_front_matter_never_loses_the_text(text: str) -> None:
    front, rest = split(text)

    assert text.endswith(rest)
    assert front or rest == text or text.startswith("---")


@given(content=RAW, name=st.sampled_from(["a.md", "a.jsonl", "a.eml", "a.mbox", "a.bin"]))
def test_any_file_gives_steps_that_end_within_its_size(content: bytes, name: str) -> None:
    steps: list[ImportEvent] = []
    with TemporaryDirectory() as folder, suppress(ImportFailed):
        path = Path(folder, name)
        path.write_bytes(content)
        steps.extend(read(path))

    assert all((step.item is None) != (step.skipped is None) for step in steps)
    assert all(step.bytes_done <= step.bytes_total == len(content) for step in steps)
