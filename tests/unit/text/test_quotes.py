"""The mails that a quoted text repeats, each with its announcement."""

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
    assert author is None or quote.author()[1] == author[1]  # type: ignore[index]  # not None


def test_a_mark_of_a_forward_stands_above_the_mail_it_announces() -> None:
    (quote,) = quotes_of(f"-----Original Message-----\n{CHAIN.split('From: Lena', maxsplit=1)[0]}")

    assert quote.head.startswith("-----Original Message-----\nFrom: Tom Becker")
    assert quote.text.startswith("The permit")


@pytest.mark.parametrize("quoted", ["", "\n\n", ">", "> \n>> ", "-- \n", "Best regards,\n"])
def test_what_holds_no_words_is_no_quote(quoted: str) -> None:
    assert quotes_of(quoted) == []


def test_words_without_an_announcement_are_quoted_too() -> None:
    (quote,) = quotes_of("> > > WARM WATER\n> > > forward to 10 people")

    assert (quote.head, quote.text) == ("", "WARM WATER\nforward to 10 people")
    assert quote.author() is None
