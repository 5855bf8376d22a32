"""Where one message ends and the next begins."""

import io
from pathlib import Path

import pytest

from simonides.importers import mailbox
from simonides.importers.mailbox import RawMessage, messages, read_mbox
from simonides.ports.importer import ImportEvent, SourceFile

LINE = b"From sarah@x.example Thu Mar  5 10:00:00 2026\n"
HEAD = b"From: sarah@x.example\nSubject: %b\nMessage-ID: <%b@x.example>\n\n"


def mail(name: bytes, text: bytes = b"Hello.\n") -> bytes:
    return LINE + HEAD % (name, name) + text


def parted(raw: bytes) -> list[RawMessage]:
    return list(messages(io.BytesIO(raw)))


def steps(folder: Path, raw: bytes) -> list[ImportEvent]:
    path = folder / "inbox.mbox"
    path.write_bytes(raw)
    file = SourceFile(path=path, where="inbox.mbox", size_bytes=len(raw))
    return list(read_mbox(file))


@pytest.mark.parametrize("between", [b"\n", b"", b"\n\n\n"])
def test_messages_are_parted_with_and_without_blank_lines(between: bytes) -> None:
    found = parted(mail(b"one") + between + mail(b"two") + between + mail(b"three"))

    assert [b"<one" in found[0].raw, b"<two" in found[1].raw, len(found)] == [True, True, 3]


def test_messages_of_windows_files_are_parted() -> None:
    raw = (mail(b"one") + b"\n" + mail(b"two")).replace(b"\n", b"\r\n")

    assert [one.raw.count(b"Subject") for one in parted(raw)] == [1, 1]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_messages_behind_lines_of_nothing_but_from_are_parted(end: bytes) -> None:
    raw = b"\n".join(b"From \n" + HEAD % (name, name) + b"Hello.\n" for name in (b"one", b"two"))

    found = parted(raw.replace(b"\n", end))

    assert [one.raw.count(b"Subject") for one in found] == [1, 1]


@pytest.mark.parametrize("below", [b"the harbor", b"Subject: one header alone\n\ntext", b"a:\nb:"])
def test_from_alone_in_a_text_is_text(below: bytes) -> None:
    assert len(parted(mail(b"one", b"Hi.\n\nFrom \n" + below + b"\n"))) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"From now on we meet at nine.",
        b"From sarah",
        b"From Mon to Fri 10:00 in 2026 it was open",
        b">From the bridge one sees it",
    ],
)
def test_a_line_of_text_that_begins_with_from_is_text(line: bytes) -> None:
    found = parted(mail(b"one", b"Hi.\n\n" + line + b"\n\nBye.\n") + b"\n" + mail(b"two"))

    assert len(found) == 2
    assert line.lstrip(b">") in found[0].raw


@pytest.mark.parametrize(
    "line",
    [
        b"From 184881@xxx Thu Mar 05 10:00:00 +0000 2026\n",
        b"From - Thu Mar 05 10:00:00 2026\n",
        b"From MAILER-DAEMON\n",
    ],
)
def test_the_dialects_of_the_line_are_known(line: bytes) -> None:
    found = parted(mail(b"one") + b"\n" + line + HEAD % (b"two", b"two") + b"Hi.\n")

    assert [one.envelope for one in found] == [LINE.decode().strip(), line.decode().strip()]


def test_every_level_of_escaping_loses_one_mark() -> None:
    found = parted(mail(b"one", b">From here\n>>From there\n> From a quote\n"))

    assert b"\nFrom here\n>From there\n> From a quote\n" in found[0].raw


def test_number_and_place_are_reported() -> None:
    first, second = mail(b"one") + b"\n", mail(b"two")
    found = parted(first + second)

    assert [(one.number, one.offset, one.end) for one in found] == [
        (1, 0, len(first)),
        (2, len(first), len(first) + len(second)),
    ]


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 1000])
def test_blocks_of_any_size_give_the_same_messages(
    monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    raw = mail(b"one", b"a\n\nFrom then on\n") + mail(b"two") + b"\n" + mail(b"three", b"c" * 3000)
    whole = parted(raw)
    monkeypatch.setattr(mailbox, "BLOCK_BYTES", block_bytes)

    assert parted(raw) == whole
    assert len(whole) == 3


def test_of_a_huge_message_only_the_beginning_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "RAW_BYTES_MAX", 5000)
    monkeypatch.setattr(mailbox, "BLOCK_BYTES", 700)
    long = mail(b"one", b"0123456789\n" * 5000)
    found = parted(long + b"\n" + mail(b"two"))

    assert [len(found), b"<two@" in found[1].raw] == [2, True]
    assert len(found[0].raw) + len(LINE) == 5000
    assert found[0].size_bytes == len(long) + 1 - len(LINE)


def test_a_huge_message_at_the_end_is_held_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "RAW_BYTES_MAX", 5000)
    monkeypatch.setattr(mailbox, "BLOCK_BYTES", 700)
    long = mail(b"one", b"0123456789\n" * 5000)

    assert [len(one.raw) + len(LINE) for one in parted(long)] == [5000]
    assert parted(long)[0].size_bytes == len(long) - len(LINE)


def test_a_bad_message_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    one = mail(b"one") + b"\n"
    found = steps(tmp_path, one + LINE + b"\x00\xff no head\n\n" + mail(b"two"))
    skipped = found[1].skipped

    assert [step.item is not None for step in found] == [True, False, True]
    assert skipped is not None
    assert skipped.where == f"inbox.mbox: message 2 at byte {len(one)}"
    assert "no mail headers" in skipped.reason


def test_a_message_cut_off_at_the_end_is_kept_if_it_has_headers(tmp_path: Path) -> None:
    found = steps(tmp_path, mail(b"one") + b"\n" + LINE + b"From: tom@x.example\nSubject: cut o")

    assert [step.item.title if step.item else None for step in found] == ["one", "cut o"]


def test_a_line_cut_off_at_the_end_is_reported(tmp_path: Path) -> None:
    found = steps(tmp_path, mail(b"one") + b"\n" + LINE.strip())

    assert [step.skipped is not None for step in found] == [False, True]


@pytest.mark.parametrize("raw", [b"", b"\n\n"])
def test_an_empty_mailbox_says_so(tmp_path: Path, raw: bytes) -> None:
    (step,) = steps(tmp_path, raw)

    assert step.skipped is not None
    assert step.skipped.reason == "empty"


def test_progress_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    raw = b"\n\n" + mail(b"one") + b"\n" + mail(b"two")
    found = steps(tmp_path, raw)

    assert [step.bytes_total for step in found] == [len(raw), len(raw)]
    assert found[-1].bytes_done == len(raw)
