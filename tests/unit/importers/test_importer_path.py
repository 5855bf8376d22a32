"""Whatever lies at a path: which reader it is for, in which order, and what is passed over."""

import os
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.errors import ImportFailed
from simonides.importers import ImportEvent, detect, markdown, read
from simonides.ports.importer import SourceFile

MAIL = "From: a@x.example\nSubject: {0}\nMessage-ID: <{0}@x>\n\nHello.\n"
LINE = "From a@x.example Thu Mar  5 10:00:00 2026\n"
CHAT = '{"session": "s", "speaker": "Mira", "text": "Hello.", "at": "2026-03-05T10:00:00Z"}\n'


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def outcome(step: ImportEvent) -> str:
    if step.item:
        return f"{step.item.kind} {step.item.source_id}"
    assert step.skipped
    return f"{step.skipped.where}: {step.skipped.reason}"


def outcomes(path: Path, *, source: str = "") -> list[str]:
    return [outcome(step) for step in read(path, source=source)]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.mbox", LINE + MAIL.format("one"), "mbox"),
        ("a.mbox", "", "mbox"),
        ("Inbox", LINE + MAIL.format("one"), "mbox"),
        ("a.eml", "\n" + MAIL.format("one"), "eml"),
        ("a.eml", LINE + MAIL.format("one"), "mbox"),
        ("1772.M1P2.host", "X-Spam: no\n" + MAIL.format("one"), "eml"),
        ("a.md", "From here on", "markdown"),
        ("A.MARKDOWN", "text", "markdown"),
        ("a.txt", "weit".encode("utf-16"), "markdown"),
        ("a.jsonl", CHAT, "chat"),
    ],
)
def test_a_file_is_known_by_its_name_and_first_bytes(
    tmp_path: Path, name: str, content: str | bytes, kind: str
) -> None:
    assert detect(write(tmp_path / name, content)).name == kind


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("photo.jpg", b"\xff\xd8\xff\xe0\0", ".jpg files are not read"),
        ("list.yaml", "a: 1\nb: 2\n", ".yaml files are not read"),
        ("empty.ics", b"", "^it is empty$"),
        ("cut.json", '{"a": [1, 2', "^it is no whole JSON: .* line 1 column"),
        ("odd.json", '{"a": 3}', "^JSON of no form that is read; say with --map"),
        ("a.mbox", b"\0\1\2", "does not look like mail"),
        ("a.md", b"\0\1\2", "binary"),
        ("a.jsonl", b"{\0}", "binary"),
    ],
)
def test_what_is_no_known_format_is_refused(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    with pytest.raises(ImportFailed, match=reason):
        detect(write(tmp_path / name, content))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(ImportFailed, match="not a regular file"):
        detect(tmp_path / "pipe.md")
    with pytest.raises(ImportFailed, match="No such file"):
        detect(tmp_path / "nothing.md")


def test_a_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    root = tmp_path / "desk"
    write(root / "b.md", "Second.")
    write(root / "a" / "z.eml", MAIL.format("one"))
    write(root / "chat.jsonl", CHAT)
    write(root / "d.mbox", LINE + MAIL.format("two") + "\n" + LINE + MAIL.format("three"))
    found = outcomes(root)

    assert [one.split()[0] for one in found] == ["email", "document", "message", "email", "email"]
    assert found[1] == "document desk/b.md"


def test_unreadable_files_are_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "desk"
    write(root / "a.jpg", b"\xff\xd8\0")
    write(root / "b.md", "Kept.")
    write(root / "c.mbox", "")
    found = outcomes(root)

    assert found[0].startswith("desk/a.jpg: .jpg files are not read")
    assert found[1:] == ["document desk/b.md", "desk/c.mbox: empty"]


def test_hidden_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "desk" / ".git" / "config.md", "x")
    write(tmp_path / "desk" / ".hidden.md", "x")
    write(tmp_path / "desk" / "a.md", "x")

    assert outcomes(tmp_path / "desk") == ["document desk/a.md"]


def test_links_are_followed_only_to_files_inside(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.md", "x")
    root = tmp_path / "desk"
    inside = write(root / "sub" / "a.md", "x")
    (root / "in.md").symlink_to(inside)
    (root / "loop").symlink_to(root)
    (root / "out.md").symlink_to(outside)
    (root / "zero.md").symlink_to(root / "gone.md")
    found = outcomes(root)

    assert [one.split(": ")[0] for one in found] == [
        "document desk/in.md", "desk/loop", "desk/out.md", "document desk/sub/a.md", "desk/zero.md",
    ]  # fmt: skip
    assert "not followed" in found[1]
    assert "not followed" in found[2]


def test_a_link_given_by_the_caller_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "real" / "a.md", "x")
    (tmp_path / "desk").symlink_to(tmp_path / "real")

    assert outcomes(tmp_path / "desk") == ["document desk/a.md"]


def test_a_maildir_is_read_with_the_folders_in_it(tmp_path: Path) -> None:
    root = tmp_path / "Mail"
    for folder in ("", ".Sent"):
        for name in ("cur", "new", "tmp"):
            (root / folder / name).mkdir(parents=True)
    write(root / "cur" / "2.host:2,S", MAIL.format("two"))
    write(root / "new" / "1.host", MAIL.format("one"))
    write(root / "tmp" / "3.host", MAIL.format("half"))
    write(root / ".Sent" / "cur" / "4.host:2,S", MAIL.format("sent"))
    write(root / "dovecot-uidlist", "3 V1")
    write(root / "cur" / "5.host:2,S", "rubbish")
    found = outcomes(root)

    assert found[0] == "email sent@x"
    assert found[1] == "email two@x"
    assert found[2].startswith("Mail/cur/5.host:2,S: no mail headers")
    assert found[3:] == ["email one@x"]


def test_an_empty_mail_file_says_so(tmp_path: Path) -> None:
    assert outcomes(write(tmp_path / "a.eml", "\n")) == ["a.eml: empty"]


def test_the_source_can_be_named_for_all(tmp_path: Path) -> None:
    root = tmp_path / "desk"
    write(root / "a.eml", MAIL.format("one"))
    write(root / "b.md", "x")
    write(root / "c.jsonl", CHAT)

    assert {step.item.source for step in read(root, source="old") if step.item} == {"old"}


def test_progress_grows_to_the_size_of_all(tmp_path: Path) -> None:
    root = tmp_path / "desk"
    sizes = [write(root / f"{n}.md", "x" * n).stat().st_size for n in (3, 1, 2)]
    steps = list(read(root))

    assert [step.bytes_done for step in steps] == [1, 3, 6]
    assert {step.bytes_total for step in steps} == {sum(sizes)}


def test_nothing_there_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="no such file or folder"):
        read(tmp_path / "nothing")


def test_an_empty_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="there is no file; what is read: docs"):
        list(read(tmp_path))


def test_a_lone_unreadable_file_is_reported_and_told(tmp_path: Path) -> None:
    steps = read(write(tmp_path / "photo.jpg", b"\xff\xd8\0"))

    assert outcome(next(steps)).startswith("photo.jpg: .jpg files")
    with pytest.raises(
        ImportFailed, match=r"photo.jpg: nothing to import: .jpg files are not read; what is read: "
    ):
        next(steps)


def test_a_file_that_breaks_off_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: SourceFile) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(markdown, "read_markdown", lambda file: iter(lambda: broken(file), 0))
    write(tmp_path / "desk" / "a.md", "x")
    write(tmp_path / "desk" / "b.eml", MAIL.format("one"))

    assert outcomes(tmp_path / "desk") == [
        "desk/a.md: can not be read: Input/output error",
        "email one@x",
    ]


def test_a_folder_that_can_not_be_opened_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.iterdir

    def guarded(folder: Path) -> object:
        if folder.name == "locked":
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(Path, "iterdir", guarded)
    write(tmp_path / "desk" / "locked" / "a.md", "x")
    write(tmp_path / "desk" / "z.md", "x")

    assert outcomes(tmp_path / "desk") == [
        "desk/locked: the folder can not be opened: Permission denied",
        "document desk/z.md",
    ]


def test_a_file_name_that_is_no_text_is_kept_as_one(tmp_path: Path) -> None:
    name = os.fsdecode(b"M\xf6we.md")
    write(tmp_path / "desk" / name, "x")

    assert outcomes(tmp_path / "desk") == ["document desk/Möwe.md"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mail_may_begin_with_a_header_longer_than_what_is_looked_at(
    tmp_path: Path, end: str
) -> None:
    long, words = "Keywords: " + "boat, " * 4_000, "The mast is new." + " It is tall." * 1_000
    (tmp_path / "a.eml").write_bytes(
        end.join((long, "From: ann@x.example", "Subject: Mast", "", words)).encode()
    )
    (tmp_path / "b.eml").write_bytes(end.join(("Note: no mail", "", words)).encode())
    with Memory(":memory:", settings=Settings(embedder="none")) as memory:
        report = memory.import_(tmp_path)
        [item] = memory.list().items

    assert (item.title, item.kind, [one.address for one in item.people]) == (
        "Mast", "email", ["ann@x.example"],
    )  # fmt: skip
    assert [one.reason for one in report.skipped] == [
        "does not look like mail, though it is called .eml"
    ]
