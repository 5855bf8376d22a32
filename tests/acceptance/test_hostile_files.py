"""Files that somebody made to harm: imported within bounds, and all that is left out is told."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simonides import Item, Memory
from simonides.config import Settings
from simonides_bench.hostile import HOSTILE

pytestmark = pytest.mark.slow

CPU_S = 60
"""All kinds below take some 10 s together; one that is quadratic takes minutes at this size."""

SIZE_BYTES = 300_000
HEAD = b"From: Sarah <s@x.example>\nSubject: Oars\nMessage-ID: <m@x.example>\n"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "home", settings=settings) as memory:
        yield memory


def imported(memory: Memory, path: Path, raw: bytes) -> tuple[list[Item], list[str]]:
    """Return the items of a file, and what the report says was left out."""
    path.write_bytes(raw)
    report = memory.import_(path)
    return list(memory.list().items), [f"{one.where}: {one.reason}" for one in report.skipped]


def test_every_kind_of_hostile_file_is_read_in_proportion_to_its_size(tmp_path: Path) -> None:
    script = (
        "import pathlib, sys\n"
        "from contextlib import suppress\n"
        "from simonides_bench.hostile import HOSTILE\n"
        "from simonides.errors import ImportFailed\n"
        "from simonides.importers import read\n"
        "for name, (file_name, make) in HOSTILE.items():\n"
        "    print(name, flush=True)\n"
        "    path = pathlib.Path(sys.argv[1], file_name)\n"
        "    path.write_bytes(make(int(sys.argv[2])))\n"
        "    with suppress(ImportFailed):\n"
        "        for _ in read(path): pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), str(SIZE_BYTES)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S)),
    )

    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, [list(HOSTILE)[-1]]), done.stderr
    assert len(HOSTILE) > 20


def test_a_mail_with_a_byte_order_mark_is_read(memory: Memory, tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbf\r\n" + HEAD + b"\nThe oars are here.\n"
    (item,), left_out = imported(memory, tmp_path / "a.eml", raw)

    assert (item.title, item.content, left_out) == ("Oars", "The oars are here.", [])


def test_blanks_before_a_colon_are_read(memory: Memory, tmp_path: Path) -> None:
    raw = b"Subject : Oars\nFrom\t: s@x.example\n\nThe oars are here.\n"
    (item,), left_out = imported(memory, tmp_path / "a.eml", raw)

    assert (item.title, item.people[0].address, left_out) == ("Oars", "s@x.example", [])


def test_a_second_from_is_no_second_author(memory: Memory, tmp_path: Path) -> None:
    raw = HEAD + b"From: Tom Becker <t@x.example>\n\nI approve.\n"
    (item,), left_out = imported(memory, tmp_path / "a.eml", raw)

    assert [one.address for one in item.people] == ["s@x.example"]
    assert item.metadata["_further_from"] == ["Tom Becker <t@x.example>"]
    assert left_out == [
        "a.eml: a second From header is not taken for an author: Tom Becker <t@x.example>"
    ]


@pytest.mark.parametrize(
    ("kind", "text", "reported"),
    [
        ("message/news", "Forwarded message\nSubject: In\n\nSpruce.", []),
        ("message/rfc822", "Forwarded message\nSubject: In\n\nSpruce.", []),
        ("message/delivery-status", "Delivery report\n\nSubject: In\n\nSpruce.", []),
        ("message/disposition-notification", "Receipt\n\nSubject: In\n\nSpruce.", []),
        ("message/x-other", "Attached message/x-other\n\nSubject: In\n\nSpruce.", []),
        (
            "message/partial; number=2; total=3",
            "Piece of a message 2 of 3\n\nSubject: In\n\nSpruce.",
            ["a piece of a longer mail; pieces are not put together"],
        ),
        ("message/external-body", "", ["its text lies elsewhere (message/external-body)"]),
        ("text/rfc822-headers", "Headers of a message\nSubject: In\n\nSpruce.", []),
        ("text/enriched", "Subject: In\n\nSpruce.", []),
    ],
)
def test_no_text_of_a_message_is_lost_in_silence(
    memory: Memory, tmp_path: Path, kind: str, text: str, reported: list[str]
) -> None:
    part = f"Content-Type: {kind}\n\nSubject: In\n\nSpruce.\n".encode()
    (alone,), left_out = imported(memory, tmp_path / "a.eml", HEAD + part)
    in_report = HEAD.replace(b"<m@", b"<n@") + b"Content-Type: multipart/report; boundary=b\n\n"
    both, further = imported(
        memory, tmp_path / "b.eml", in_report + b"--b\n\nSee below.\n--b\n" + part + b"--b--\n"
    )

    assert alone.content == text
    assert any(item.content.split("\n\n", 1) == ["See below.", text] for item in both) or not text
    assert [one.removeprefix("a.eml: ") for one in left_out] == reported
    assert [one.removeprefix("b.eml: part 2: ") for one in further] == reported


@pytest.mark.parametrize("head", [HEAD, HEAD + b"\n", HEAD + b"Content-Type: text/html\n\n<p>"])
def test_a_mail_of_headers_alone_is_kept(memory: Memory, tmp_path: Path, head: bytes) -> None:
    (item,), left_out = imported(memory, tmp_path / "a.eml", head)

    assert (item.title, item.content, left_out) == ("Oars", "", [])


def test_what_is_cut_says_in_which_mail_and_part(memory: Memory, tmp_path: Path) -> None:
    line = b"From x Thu Mar  5 10:00:00 2026\n"
    long = b"Content-Type: text/plain\n\n" + b"oars " * 500_000
    parts = b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHi.\n--b\n" + long + b"\n--b--\n"
    _, left_out = imported(memory, tmp_path / "a.mbox", line + HEAD + b"\nHi.\n\n" + line + (
        HEAD.replace(b"<m@", b"<n@") + parts
    ))  # fmt: skip

    assert left_out == [
        "a.mbox: message 2 at byte 104, part 2: its text is cut; it has 2500000 bytes",
    ]


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Path]:
    """Give a folder that is removed however deep it is; pytest's own removal is recursive."""
    yield tmp_path / "top"
    subprocess.run(["rm", "-rf", tmp_path / "top"], check=True)


def test_a_folder_as_deep_as_a_path_can_be_is_walked(memory: Memory, top: Path) -> None:
    deep_folder(top, names=["a"] * 1_500, file_name="n.md")
    deep_folder(top, names=["b" * 200] * 30, file_name="too-deep.md")
    (top / "z.md").write_text("Last.")
    report = memory.import_(top)

    assert (report.added, len(report.skipped)) == (2, 1)
    assert report.skipped[0].reason.endswith("File name too long")
    assert report.skipped[0].where.startswith("top/bbb")


def deep_folder(top: Path, *, names: list[str], file_name: str) -> None:
    """Make folders in each other, deeper than a path can name, with one file in the last."""
    top.mkdir(exist_ok=True)
    inside = os.open(top, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=inside)
        below = os.open(name, os.O_RDONLY, dir_fd=inside)
        os.close(inside)
        inside = below
    file = os.open(file_name, os.O_WRONLY | os.O_CREAT, dir_fd=inside)
    os.write(file, b"Deep.")
    os.close(file)
    os.close(inside)


def test_what_is_no_file_is_reported_and_never_waited_for(memory: Memory, tmp_path: Path) -> None:
    top = tmp_path / "top"
    for folder in ("cur", "new"):
        (top / "mail" / folder).mkdir(parents=True)
    os.mkfifo(top / "a.md")
    os.mkfifo(top / "mail" / "cur" / "1.host")
    (top / "mail" / "cur" / "2.host").symlink_to("/dev/zero")
    (top / "mail" / "new" / "3.host").write_bytes(HEAD + b"\nHi.\n")
    (top / "round.md").symlink_to("round.md")
    report = memory.import_(top)

    assert report.added == 1
    assert [one.where for one in report.skipped] == [
        "top/a.md", "top/mail/cur/1.host", "top/mail/cur/2.host", "top/round.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "x", "metadata": {"a": ' + "[" * 500 + "]" * 500 + "}}",
        '{"text": "x", "metadata": {"a": ' + "[" * 99_999 + "]" * 99_999 + "}}",
        '{"text": "x", "metadata": {"a": 1e999}}',
        '{"text": "x", "metadata": {"a": NaN}}',
        '{"text": "x", "id": ' + "9" * 1_000_000 + "}",
    ],
)
def test_a_line_of_a_chat_that_can_not_be_kept_costs_one_line(
    memory: Memory, tmp_path: Path, line: str
) -> None:
    good = '{"text": "The ferry leaves at seven."}\n'
    items, left_out = imported(memory, tmp_path / "a.jsonl", (good + line + "\n" + good).encode())

    assert len(items) == 2
    assert len(left_out) == 1
