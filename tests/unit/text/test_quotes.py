"""The mails that a quoted text repeats, each with its announcement."""

import sys

import pytest

from simonides.text.quotes import quotes_of

CHAIN = """\
From: Tom Becker <tom@x.example>
Sent: Wednesday, 4 March 2026 17:20
To: Priya Nair
Subject: RE: Permit

The permit costs 480 euro.

Best regards,
Tom Becker

From: Lena Voss [mailto:lena@x.example]
Sent: Tuesday, 3 March 2026 09:00
To: Tom Becker
Subject: Permit

The hearing is on 2 April."""


def test_each_copied_header_begins_a_mail_of_its_own() -> None:
    first, second = quotes_of(CHAIN)

    assert first.head.startswith("From: Tom Becker")
    assert first.head.endswith("Subject: RE: Permit")
    assert first.text == "The permit costs 480 euro.\n\nTom Becker"
    assert first.author() == ("Tom Becker", "tom@x.example")
    assert second.head.startswith("From: Lena Voss")
    assert second.text == "The hearing is on 2 April."


def test_lines_of_one_depth_are_one_mail_whatever_stands_between() -> None:
    quoted = """\
On Thu, 5 Mar 2026 at 12:00, Mira <mira@x.example> wrote:
> Shall we eat on Monday?
> On Wed, Ann <ann@x.example> wrote:
>> I am away on Tuesday.
>
> Bring the folder."""

    assert [(one.author(), one.text) for one in quotes_of(quoted)] == [
        (("Mira", "mira@x.example"), "Shall we eat on Monday?\n\nBring the folder."),
        (("Ann", "ann@x.example"), "I am away on Tuesday."),
    ]


@pytest.mark.parametrize(
    ("head", "author"),
    [
        ("Am 05.03.2026 um 12:00 schrieb Jörg Maß <j@x.example>:", ("Jörg Maß", "j@x.example")),
        ("Le 5 mars 2026 à 12:00, Luc <luc@x.example> a écrit :", ("Luc", "luc@x.example")),
        ('On Thu, 5 Mar 2026, "Lee, Ann" <ann@x.example> wrote:', ("Ann", "ann@x.example")),
        ("5. marts 2026 kl. 11.00 skrev Ann Dahl <ann@x.example>:", ("Ann Dahl", "ann@x.example")),
        (
            "Am 5. Juli 2026 um 08:13 Uhr schrieb Ann Dahl <\nann@x.example>:",
            ("Ann Dahl", "ann@x.example"),
        ),
        ("02.04.2026 14:20 пользователь Ann <\nann@x.example> написал:", ("Ann", "ann@x.example")),
        (
            "On Fri, Mar 13, 2026 at 4:00 PM Ann Dahl <ann@x.example> wrote:",
            ("Ann Dahl", "ann@x.example"),
        ),
        (
            "On Fri, Mar 13, 2026 at 4:00\u202fPM Ann Dahl <\nann@x.example> wrote:",
            ("Ann Dahl", "ann@x.example"),
        ),
        ("On Fri, Mar 13, 2026 at 16:00 AJ <a@x.example> wrote:", ("AJ", "a@x.example")),
        ("From: ann@x.example\nSent: Monday\nTo: b@x.example\nSubject: Re", ("", "ann@x.example")),
        ("De : Ann [ann@x.example]\nEnvoyé: lundi\nObjet : Re", ("Ann", "ann@x.example")),
        ("On Thu, 5 Mar 2026 at 12:00, Mira wrote:", None),
    ],
)
def test_who_is_quoted_is_named_by_the_announcement(
    head: str, author: tuple[str, str] | None
) -> None:
    (quote,) = quotes_of(f"{head}\n> At ten, then.")

    assert quote.head == head
    assert quote.text == "At ten, then."
    assert author is None or quote.author() is not None
    assert quote.author() == author


@pytest.mark.parametrize(
    "head",
    [
        "Subject: Test\nFrom: ann@x.example\nTo: b@x.example\nDate: Mon, 2 Apr 2012 17:44:22 +0400",
        "From: ann@x.example\nTo: Ben <b@x.example>;\n Cleo <c@x.example>;\n Eve\nSubject: Test",
        "_____________________\nVon: ann@x.example\nGesendet: Montag\nAn: Ben\nBetreff: Test",
    ],
)
@pytest.mark.parametrize("mark", ["", "> "])
def test_a_copied_header_is_no_part_of_the_words(head: str, mark: str) -> None:
    lines = [*head.split("\n"), "", "The lamp is green."]
    (quote,) = quotes_of("\n".join(f"{mark}{line}" for line in lines))

    assert quote.text == "The lamp is green."
    assert quote.author() == ("", "ann@x.example")


def test_a_mark_of_a_forward_is_no_quote_of_its_own() -> None:
    (quote,) = quotes_of(f"-----Original Message-----\n{CHAIN.split('From: Lena', maxsplit=1)[0]}")

    assert quote.head.startswith("From: Tom Becker")
    assert quote.text.startswith("The permit")


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "> ", "x\n> ", "-----Original Message-----", "From: a@x.example\nTo: b\nDate: c\nText",
        "_____\n>", "On 1 May, a@x.example wrote:\n>> a\n> b\nc", "From: a@x.example,",
        "From: a\nTo: b;\nDate: c,",
    ],
)  # fmt: skip
def test_hostile_quotes_take_linear_time(line: str) -> None:
    few, many = (count_calls(f"{line}\n" * count) for count in (500, 4_000))

    assert many < 12 * few


def count_calls(quoted: str) -> int:
    """Return how many functions are called while a text is read: a clock would be unsteady."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        quotes_of(quoted)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("quoted", ["", "\n\n", ">", "> \n>> ", "-- \n", "Best regards,\n"])
def test_what_holds_no_words_is_no_quote(quoted: str) -> None:
    assert quotes_of(quoted) == []


def test_words_without_an_announcement_are_quoted_too() -> None:
    (quote,) = quotes_of("> > > WARM WATER\n> > > forward to 10 people")

    assert (quote.head, quote.text) == ("", "WARM WATER\nforward to 10 people")
    assert quote.author() is None
