"""What a mailbox knows of a mail: flags, labels, spam and the trash."""

from base64 import b64encode
from pathlib import Path

import pytest

from simonides.importers import read
from simonides.model.item import Item

HEAD = b"From: sarah@x.example\nSubject: Oars\nMessage-ID: <m@x.example>\n"
APPLE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "">
<plist version="1.0"><dict><key>date-received</key><integer>1772704800</integer>
<key>flags</key><integer>%d</integer></dict></plist>
"""


def outcome(path: Path) -> Item | str:
    """Return the one mail at a path, or why it is passed over."""
    (step,) = read(path)
    if step.skipped:
        return step.skipped.reason
    assert step.item
    return step.item


def mail(folder: Path, more: bytes, name: str = "a.eml") -> Item | str:
    path = folder / name
    path.write_bytes(HEAD + more + b"\nHello.\n")
    return outcome(path)


def kept(found: Item | str) -> Item:
    assert isinstance(found, Item), found
    return found


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        (b"Inbox,Boat", ("Inbox", "Boat")),
        (b'Inbox,"Boats, old and new",Opened', ("Inbox", "Boats, old and new", "Opened")),
        (b"=?UTF-8?Q?Posteingang,Caf=C3=A9?=", ("Posteingang", "Café")),
        (b"=?UTF-8?B?" + b64encode('Sent,"Hafen, Möwe"'.encode()) + b"?=", ("Sent", "Hafen, Möwe")),
    ],
)
def test_labels_of_gmail_are_tags(tmp_path: Path, written: bytes, tags: tuple[str, ...]) -> None:
    assert kept(mail(tmp_path, b"X-Gmail-Labels: " + written + b"\n")).tags == tags


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (b"X-Gmail-Labels: Spam,Unread\n", "Spam"),
        (b"X-Gmail-Labels: Opened,Trash\n", "trash"),
        (b"X-Gmail-Labels: Papierkorb\n", "trash"),
        (b"X-Gmail-Labels: =?UTF-8?B?" + b64encode("Корзина".encode()) + b"?=\n", "trash"),
        (b"X-Mozilla-Status: 0009\n", "deleted"),
        (b"Status: RO\nX-Status: AD\n", "deleted"),
    ],
)
def test_what_was_thrown_away_is_not_imported(tmp_path: Path, more: bytes, reason: str) -> None:
    found = mail(tmp_path, more)

    assert isinstance(found, str)
    assert reason in found


def test_a_keyword_of_the_author_is_no_folder_of_gmail(tmp_path: Path) -> None:
    assert kept(mail(tmp_path, b"Keywords: spam, bin\n")).tags == ("spam", "bin")


@pytest.mark.parametrize(
    ("more", "marks", "tags"),
    [
        (b"Status: RO\nX-Status: AF\n", ["answered", "flagged", "seen"], ("flagged",)),
        (b"X-Mozilla-Status: 1005\n", ["flagged", "forwarded", "seen"], ("flagged",)),
        (b"X-Mozilla-Status: nonsense\n", None, ()),
        (b"X-Status: T\n", ["draft"], ("draft",)),
    ],
)
def test_marks_of_an_mbox_are_kept(
    tmp_path: Path, more: bytes, marks: list[str] | None, tags: tuple[str, ...]
) -> None:
    found = kept(mail(tmp_path, more))

    assert found.metadata.get("_marks") == marks
    assert found.tags == tags


def maildir(folder: Path, name: str) -> Item | str:
    for one in ("cur", "new"):
        (folder / "box" / one).mkdir(parents=True)
    (folder / "box" / "cur" / name).write_bytes(HEAD + b"\nHello.\n")
    return outcome(folder / "box")


@pytest.mark.parametrize(
    ("flags", "marks", "tags"),
    [
        ("", None, ()),
        ("FS", ["flagged", "seen"], ("flagged",)),
        ("DRP", ["answered", "draft", "forwarded"], ("draft",)),
        ("Sabc", ["seen"], ()),
    ],
)
def test_flags_of_a_maildir_are_kept(
    tmp_path: Path, flags: str, marks: list[str] | None, tags: tuple[str, ...]
) -> None:
    found = kept(maildir(tmp_path, f"177.M1.host:2,{flags}"))

    assert (found.metadata.get("_marks"), found.tags) == (marks, tags)


def test_a_mail_in_the_trash_of_a_maildir_is_not_imported(tmp_path: Path) -> None:
    assert "trash" in str(maildir(tmp_path, "177.M1.host:2,ST"))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("Mail/Trash/cur/1.host:2,S", "trash"),
        ("Mail/.INBOX.Junk/new/1.host", "Spam"),
        ("Mail/[Gmail]/Spam/cur/1.host:2,", "Spam"),
        ("Mail/Gel&APY-schte Elemente/cur/1.host:2,", "trash"),
        ("Mail/Gelo\u0308scht/1.eml", "trash"),
        ("Mail/Deleted Messages.mbox/5F1A/Data/Messages/7.eml", "trash"),
        ("Profile/Junk", "Spam"),
        ("Profile/Trash.sbd/Older", "trash"),
        ("Junk.mbox", "Spam"),
        ("Mail/Trash&-Treasure/cur/1.host:2,", None),
        ("Mail/INBOX/Spam.eml", None),
        ("Takeout/All mail Including Spam and Trash.mbox", None),
    ],
)
def test_folders_of_spam_and_of_the_trash_are_not_imported(
    tmp_path: Path, where: str, expected: str | None
) -> None:
    path = tmp_path / where
    path.parent.mkdir(parents=True, exist_ok=True)
    for one in ("cur", "new", "../cur", "../new") if "/new/" in where else ():
        (path.parent.parent / one).mkdir(parents=True, exist_ok=True)
    is_mbox = not where.endswith(".eml") and "/cur/" not in where and "/new/" not in where
    path.write_bytes((b"From - Tue Mar 10 10:00:00 2026\n" if is_mbox else b"") + HEAD + b"\nHi.\n")
    found = outcome(tmp_path / where.split("/", maxsplit=1)[0])

    assert expected in found if isinstance(found, str) and expected else kept(found)


def test_a_folder_of_drafts_has_drafts(tmp_path: Path) -> None:
    (tmp_path / "Entwürfe").mkdir()
    (tmp_path / "Entwürfe" / "1.eml").write_bytes(HEAD + b"\nHello.\n")

    assert kept(outcome(tmp_path)).tags == ("draft",)


def apple(folder: Path, flags: int, *, text: bytes = b"Hello.\n", stated: int = 0) -> Item | str:
    raw = HEAD + b"\n" + text
    path = folder / "1234.emlx"
    path.write_bytes(b"%-10d\n" % (stated or len(raw)) + raw + (APPLE % flags).encode())
    return outcome(path)


def test_a_mail_of_apple_is_read_without_what_stands_around_it(tmp_path: Path) -> None:
    found = kept(apple(tmp_path, 1 | 4 | 16))

    assert (found.source_id, found.content) == ("m@x.example", "Hello.")
    assert found.metadata["_marks"] == ["answered", "flagged", "seen"]


def test_a_deleted_mail_of_apple_is_not_imported(tmp_path: Path) -> None:
    assert "deleted" in str(apple(tmp_path, 2))


@pytest.mark.parametrize("stated", [10, 5_000, 999_999_999_999])
def test_a_wrong_length_costs_no_mail(tmp_path: Path, stated: int) -> None:
    assert apple(tmp_path, 1, stated=stated)


@pytest.mark.parametrize(
    "trailer",
    [b"", b"<?xml", b"<?xml version='1.0'?><plist><dict><key>flags</key></plist>",
     b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bb">]><plist>&b;</plist>',
     b"<?xml version='1.0'?><plist><array/></plist>", b"bplist00\xff\xff"],
)  # fmt: skip
def test_a_damaged_trailer_costs_the_marks_only(tmp_path: Path, trailer: bytes) -> None:
    raw = HEAD + b"\nHello.\n"
    path = tmp_path / "1.emlx"
    path.write_bytes(b"%d\n" % len(raw) + raw + trailer)

    assert kept(outcome(path)).content == "Hello."
