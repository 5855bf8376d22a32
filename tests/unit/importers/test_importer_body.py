"""Which parts of a mail are its text."""

import pytest

from simonides.importers import contents as subject
from simonides.importers.body import body_of
from simonides.importers.contents import Body
from simonides.importers.mime import ParseBudget, parse

LONG = "<p>The ferry leaves at <b>ten</b>, and we meet at the second bridge at half past nine.</p>"


def read(raw: str, charset: str = "utf-8") -> Body:
    budget = ParseBudget()
    return body_of(parse(raw.encode(charset), budget), budget)


def part(kind: str, text: str, more: str = "") -> str:
    return f"Content-Type: {kind}\n{more}\n{text}\n"


def multi(kind: str, *parts: str) -> str:
    inside = "".join(f"--{kind}\n{one}" for one in parts)
    return f"Content-Type: multipart/{kind}; boundary={kind}\n\n{inside}--{kind}--\n"


def test_plain_text_is_taken_rather_than_html() -> None:
    raw = multi("alternative", part("text/plain", "Leaves at ten."), part("text/html", LONG))

    assert read(raw).texts == ["Leaves at ten."]


@pytest.mark.parametrize(
    "stub",
    ["", "   \n", "Please view this e-mail in your browser.", "Your client does not support HTML."],
)
def test_html_is_taken_where_the_plain_text_says_nothing(stub: str) -> None:
    raw = multi("alternative", part("text/plain", stub), part("text/html", LONG * 3))

    assert "The ferry leaves at ten" in " ".join(read(raw).texts[0].split())


def test_a_short_plain_text_about_browsers_is_no_stub_beside_short_html() -> None:
    text = "Could you open it in another browser?"
    raw = multi("alternative", part("text/plain", text), part("text/html", f"<p>{text}</p>"))

    assert read(raw).texts == [text]


def test_html_alone_is_read() -> None:
    assert "ten" in read(part("text/html", LONG)).texts[0]


def test_html_may_name_its_own_charset() -> None:
    html = '<html><head><meta charset="koi8-r"></head><body>Привет, мир</body></html>'

    assert read(part("text/html", html), "koi8-r").texts == ["Привет, мир"]


def test_texts_of_a_mixed_mail_stand_in_their_order() -> None:
    raw = multi("mixed", part("text/plain", "One."), part("text/plain", "Two."))

    assert read(raw).texts == ["One.", "Two."]


def test_a_named_text_is_an_attachment_wherever_it_stands() -> None:
    named = part("text/plain", "inside", 'Content-Disposition: inline; filename="a.txt"\n')
    found = read(multi("mixed", part("text/plain", "One."), named))

    assert (found.texts, found.attachments[0].text) == (["One."], "inside")


def test_files_beside_the_html_are_found_also_when_the_plain_text_is_taken() -> None:
    pdf = part("application/pdf", "x", 'Content-Disposition: attachment; filename="a.pdf"\n')
    html = multi("mixed", part("text/html", LONG), pdf)
    found = read(multi("alternative", part("text/plain", "One."), html))

    assert found.texts == ["One."]
    assert [one.name for one in found.attachments] == ["a.pdf"]


def test_an_invitation_is_a_calendar_file() -> None:
    invitation = part("text/calendar; method=REQUEST", "BEGIN:VCALENDAR\nEND:VCALENDAR")
    found = read(multi("alternative", part("text/plain", "Come."), invitation))

    assert [(one.name, one.media_type) for one in found.attachments] == [
        ("invite.ics", "text/calendar")
    ]


def test_an_unnamed_further_version_of_the_text_is_no_attachment() -> None:
    amp = part("text/x-amp-html", "<html></html>")

    assert not read(multi("alternative", part("text/plain", "Come."), amp)).attachments


@pytest.mark.parametrize(
    ("more", "line"), [("", "one two"), ("; DelSp=yes", "onetwo"), ("; delsp=no", "one two")]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_flowed_text_is_unwrapped(more: str, line: str, end: str) -> None:
    text = part(f"text/plain; charset=utf-8; format=Flowed{more}", "one \ntwo\nthree")

    assert read(text.replace("\n", end)).texts == [f"{line}\nthree"]


def test_a_forwarded_mail_is_text_under_its_head() -> None:
    inner = (
        "From: Tom <t@x.example>\nSubject: Result\nDate: Thu, 5 Mar 2026 10:00:00 +0100\n\nFine.\n"
    )
    forwarded = f"Content-Type: message/rfc822\n\n{inner}"
    found = read(multi("mixed", part("text/plain", "See below."), forwarded))

    assert found.texts == ["See below."]
    assert found.forwarded[0].split("\n") == [
        "Forwarded message",
        "From: Tom <t@x.example>",
        "Date: Thu, 5 Mar 2026 10:00:00 +0100",
        "Subject: Result",
        "",
        "Fine.",
    ]


def test_files_of_a_forwarded_mail_are_found() -> None:
    pdf = part("application/pdf", "x", 'Content-Disposition: attachment; filename="a.pdf"\n')
    inner = "From: t@x.example\n" + multi("mixed", part("text/plain", "Fine."), pdf)

    assert [one.name for one in read(f"Content-Type: message/rfc822\n\n{inner}").attachments] == [
        "a.pdf"
    ]


def test_mails_in_mails_are_read_to_some_depth() -> None:
    raw = "From: t@x.example\n\nThe innermost.\n"
    for _ in range(subject.FORWARDED_DEPTH_MAX + 1):
        raw = f"From: t@x.example\nContent-Type: message/rfc822\n\n{raw}"
    found = read(raw)

    assert len(found.forwarded) == subject.FORWARDED_DEPTH_MAX
    assert [one.media_type for one in found.attachments] == ["message/rfc822"]


def test_a_multipart_without_a_boundary_is_read_as_text() -> None:
    assert read("Content-Type: multipart/mixed\n\nJust text.\n").texts == ["Just text."]


def test_a_multipart_that_is_never_closed_is_read_to_its_end() -> None:
    raw = multi("mixed", part("text/plain", "One.")).replace("--mixed--", "")

    assert read(raw).texts == ["One."]


@pytest.mark.parametrize("encoding", ["8bit", "BINARY", "x-unknown", ""])
def test_an_encoding_that_is_none_leaves_the_text_as_it_is(encoding: str) -> None:
    more = f"Content-Transfer-Encoding: {encoding}\n"

    assert read(part("text/plain; charset=utf-8", "Möwe", more)).texts == ["Möwe"]


def test_damaged_base64_is_read_as_far_as_it_goes() -> None:
    more = "Content-Transfer-Encoding: Base64\n"

    assert read(part("text/plain", "SGFsbG8gV2VsdA", more)).texts == ["Hallo Welt"]


def test_delivery_reports_are_read_under_their_own_head() -> None:
    status = part("message/delivery-status", "Reporting-MTA: dns; x.example\n")
    found = read(multi("report", part("text/plain", "It bounced."), status))

    assert found.texts == ["It bounced."]
    assert found.forwarded == ["Delivery report\n\nReporting-MTA: dns; x.example"]
