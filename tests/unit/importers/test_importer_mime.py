"""A mail's parts: boundaries, headers, what is obsolete, and what is too much."""

from base64 import encodebytes

import pytest

from simonides.importers import mime as limits
from simonides.importers.message import read_message
from simonides.importers.mime import MimePart, ParseBudget, parameters, parse

HEAD = b"From: a@x.example\nSubject: parts\nMessage-ID: <p@x>\n"


def tree(part: MimePart) -> object:
    """Return a part's media type, and those of its parts."""
    return (part.media_type, [tree(one) for one in part.parts]) if part.parts else part.media_type


def parsed(raw: bytes) -> tuple[MimePart, list[str]]:
    budget = ParseBudget()
    return parse(raw, budget), [f"{one.part}: {one.reason}" for one in budget.losses]


def body(part: MimePart) -> bytes:
    return part.raw[part.start : part.end]


def test_parts_are_numbered_and_stand_where_they_lie() -> None:
    raw = (
        HEAD + b'Content-Type: multipart/mixed; boundary="b b"\n\nA preamble.\n'
        b"--b b\nContent-Type: text/plain\n\nOne.\n"
        b"--b b \t\nContent-Type: multipart/alternative; boundary=c\n\n"
        b"--c\n\nTwo.\n--c\nContent-Type: text/html\n\nThree.\n--c--\nAn epilogue.\n"
        b"--b b--\nAnother.\n--b b\n\nToo late.\n"
    )
    mail, losses = parsed(raw)
    inner = mail.parts[1].parts

    assert tree(mail) == (
        "multipart/mixed",
        ["text/plain", ("multipart/alternative", ["text/plain", "text/html"])],
    )
    assert [one.number for one in mail.walk()] == ["", "1", "2", "2.1", "2.2"]
    assert [body(one) for one in (mail.parts[0], *inner)] == [b"One.", b"Two.", b"Three."]
    assert losses == []


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_end_as_they_do_anywhere(end: bytes) -> None:
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nOne.\n--b\n\nTwo.\n--b--\n"
    mail, _ = parsed(raw.replace(b"\n", end))

    assert [body(one).strip() for one in mail.parts] == [b"One.", b"Two."]


def test_what_only_looks_like_a_boundary_is_text() -> None:
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\n--bb\n--b x\n x --b\n--b--"
    mail, _ = parsed(raw)

    assert [body(one) for one in mail.parts] == [b"--bb\n--b x\n x --b"]


def test_an_inner_part_that_is_never_closed_ends_with_the_outer_one() -> None:
    raw = (
        HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n"
        b"--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\nOne.\n--b\n\nTwo.\n--b--\n"
    )
    mail, _ = parsed(raw)

    assert [body(one) for one in mail.walk() if not one.parts] == [b"One.", b"Two."]


@pytest.mark.parametrize(
    ("kind", "inside"),
    [
        (b"message/rfc822", "text/plain"),
        (b"message/news", "text/plain"),
        (b"message/global", "text/plain"),
        (b"text/rfc822-headers", "text/plain"),
    ],
)
def test_a_mail_in_a_mail_is_taken_apart(kind: bytes, inside: str) -> None:
    for more, inner in ((b"", HEAD), (b"Content-Transfer-Encoding: base64\n", encodebytes(HEAD))):
        mail, _ = parsed(HEAD + b"Content-Type: " + kind + b"\n" + more + b"\n" + inner)

        assert tree(mail) == (kind.decode(), [inside])
        assert mail.parts[0].header("subject") == "parts"


def test_the_parts_of_a_digest_are_mails() -> None:
    raw = HEAD + b"Content-Type: multipart/digest; boundary=b\n\n--b\n\n" + HEAD + b"\nOne.\n--b--"
    item = read_message(raw).mail

    assert item.content == "Forwarded message\nFrom: a@x.example\nSubject: parts\n\nOne."


@pytest.mark.parametrize(
    ("head", "name", "value"),
    [
        (b"Subject : s", "subject", "s"),
        (b"Subject\t \t:s", "subject", "s"),
        (b"Subject:\n s\n\tt", "subject", "\n s\n\tt"),
        (b" folded at once\nSubject: s", "subject", "s"),
        (b"From x Thu Mar  5 10:00:00 2026\nSubject: s", "subject", "s"),
        (b">From x Thu Mar  5 10:00:00 2026\nSubject: s", "subject", "s"),
        (b": nameless\nSubject: s", "subject", "s"),
        (b"SUBJECT: s\nSubject: t", "subject", "s"),
        (b"Subject: s\nno header at all\nX: y", "x", ""),
    ],
)
def test_headers_are_read_as_they_are_met(head: bytes, name: str, value: str) -> None:
    mail, _ = parsed(head + b"\n\nHi.\n")

    assert mail.header(name) == value


def test_text_begins_where_the_headers_end_without_a_blank_line() -> None:
    mail, _ = parsed(b"Subject: s\nNo header at all.\nX: y\n")

    assert body(mail) == b"No header at all.\nX: y\n"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a/b; x=y; X=z", {"x": "y"}),
        ('a/b; x="y; \\"z\\" \\n"; w', {"x": 'y; "z" \\n', "w": ""}),
        ('a/b; x="never closed; y=z', {"x": "never closed; y=z"}),
        ("a/b;;; ; x = y ;", {"x": "y"}),
        ("a/b; x*=utf-8''M%C3%B6we; x=plain", {"x": "Möwe"}),
        ("a/b; x*1=b; x*0=a; x*2=c", {"x": "abc"}),
        ("a/b; x*0*=utf-8'en'M%C3; x*1*=%B6we; x*2=%20", {"x": "Möwe%20"}),
        ("a/b; x*=%ff", {"x": "ÿ"}),
        ("a/b; x**=1; *=2; x*9999=3; =4", {}),
        ("a/b", {}),
    ],
)
def test_parameters_are_read_as_they_are_met(value: str, found: dict[str, str]) -> None:
    assert parameters(value) == found


def test_parameters_without_end_are_cut() -> None:
    many = "".join(f"; p{n}=x" for n in range(5_000))

    assert len(parameters(f"a/b{many}")) == limits.PARAMETERS_MAX
    assert parameters("a/b" + ";" * 60_000 + "x=y") == {"x": "y"}


def test_too_many_parts_are_left_out_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PARTS_MAX", 3)
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nhi\n" * 5
    mail, losses = parsed(raw)

    assert len(mail.parts) == 3
    assert losses == [": more than 3 parts; the rest is left out"]


def test_too_many_headers_are_left_out_and_the_body_is_kept() -> None:
    many = b"".join(b"X-%d: x\n" % n for n in range(limits.HEADERS_MAX))
    for end in (b"\n", b"\r\n"):
        raw = (HEAD + many + b"Bcc: z@x.example\n\nHello.\n").replace(b"\n", end)
        budget = ParseBudget()
        item = read_message(raw, budget=budget).mail

        assert item.content == "Hello."
        assert [one.reason for one in budget.losses] == [
            "more than 1000 headers; the rest is left out"
        ]


def test_texts_that_are_too_much_together_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TEXT_CHARS_MAX", 10)
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nsixsix\n" * 2
    budget = ParseBudget()
    item = read_message(raw, budget=budget).mail

    assert item.content == "sixsix"
    assert [(one.part, one.reason) for one in budget.losses] == [
        ("2", "the message has more than 10 characters in all its parts; this one is left out")
    ]


def test_what_is_left_out_is_reported_up_to_a_number() -> None:
    budget = ParseBudget()
    for n in range(50):
        budget.lose(str(n), "is damaged")
        budget.lose(str(n), "is damaged")

    assert len(budget.losses) == limits.LOSSES_MAX
    assert budget.losses[-1].reason == "31 more things were left out"
