# ruff: noqa: RUF001  letters that look like others are meant as they stand
import pytest

from simonides.text.mail import MailParts, split_reply, unwrap_flowed

NEWER = "Sounds good, let us meet on Friday."
OLDER = "Shall we meet about the lamp?"


@pytest.mark.parametrize(
    "announcement",
    [
        "On Mon, 3 Mar 2025 at 10:12, Bob Stone <bob@example.com> wrote:",
        "On Mon, 3 Mar 2025 at 10:12, Bob Stone\n<bob@example.com> wrote:",
        "On Monday, 3 March 2025\nat 10:12, Bob Stone <bob@example.com>\nwrote:",
        "Am Mo., 3. März 2025 um 10:12 Uhr schrieb Bob Stone <bob@example.com>:",
        "Am 03.03.25 um 10:12 schrieb\nBob Stone:",
        "Bob Stone <bob@example.com> schrieb am Mo., 3. März 2025, 10:12:",
        "Le lun. 3 mars 2025 à 10:12, Bob Stone <bob@example.com> a écrit :",
        "Le lun. 3 mars 2025 à 10:12, Bob Stone\n<bob@example.com> a écrit\u00a0:",
        "El lun, 3 mar 2025 a las 10:12, Bob Stone (<bob@example.com>) escribió:",
        "Il giorno lun 3 mar 2025 alle ore 10:12 Bob Stone <bob@example.com> ha\nscritto:",
        "Em seg., 3 de mar. de 2025 às 10:12, Bob Stone <bob@example.com> escreveu:",
        "Op ma 3 mrt 2025 om 10:12 schreef Bob Stone <bob@example.com>:",
        "Den mån 3 mars 2025 kl 10:12 skrev Bob Stone <bob@example.com>:",
        "Bob Stone kirjoitti 3.3.2025 klo 10.12:",
        "пн, 3 мар. 2025 г. в 10:12, Bob Stone <bob@example.com> писал(а):",
        "3 Mart 2025 Pzt tarihinde Bob Stone <bob@example.com> şunu yazdı:",
        "Bob Stone <bob@example.com> 于2025年3月3日写道：",
    ],
)
@pytest.mark.parametrize("mark", ["> ", ""])
def test_a_quoted_reply_is_kept_apart(announcement: str, mark: str) -> None:
    parts = split_reply(f"{NEWER}\n\n{announcement}\n\n{mark}{OLDER}\n{mark}Bob")

    assert parts.own == NEWER
    assert parts.quoted == f"{announcement}\n\n{mark}{OLDER}\n{mark}Bob"
    assert parts.signature == ""


@pytest.mark.parametrize(
    "mark",
    [
        "-----Original Message-----",
        "-----Ursprüngliche Nachricht-----",
        "-----Message d'origine-----",
        "-----Mensaje original-----",
        "-----Messaggio originale-----",
        "-----Mensagem original-----",
        "-----Oorspronkelijk bericht-----",
        "____________________________\nFrom: Bob\nSent: Monday\nTo: Ann\nSubject: Lamp",
        "From: Bob <bob@example.com>\nSent: Monday\nTo: Ann\nSubject: Lamp",
        "*From:* Bob <bob@example.com>\n*Date:* Monday\n*To:* Ann",
        "Von: Bob\nGesendet: Montag\nAn: Ann\nBetreff: Lampe",
        "De : Bob\nEnvoyé : lundi\nÀ : Ann\nObjet : Lampe",
        "De: Bob\nEnviado el: lunes\nPara: Ann\nAsunto: Lámpara",
        "Da: Bob\nInviato: lunedì\nA: Ann\nOggetto: Lampada",
        "Van: Bob\nVerzonden: maandag\nAan: Ann\nOnderwerp: Lamp",
    ],
)
def test_all_below_a_copied_header_is_quoted(mark: str) -> None:
    parts = split_reply(f"{NEWER}\n\n{mark}\n\n{OLDER}")

    assert parts.own == NEWER
    assert parts.quoted == f"{mark}\n\n{OLDER}"


def test_own_lines_between_quotes_are_own() -> None:
    text = "On 3 March Bob wrote:\n> one?\nYes.\n> two?\n>> deeper\nNo.\n"

    assert split_reply(text) == MailParts(
        own="Yes.\n\nNo.",
        quoted="On 3 March Bob wrote:\n> one?\n\n> two?\n>> deeper",
        signature="",
    )


FORWARD = "---------- Forwarded message ---------\nFrom: Bob\nDate: Monday\nTo: Ann\n\nHello."


@pytest.mark.parametrize(
    "mark",
    [
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "-------- Weitergeleitete Nachricht --------",
        "---------- Message transféré ----------",
        "Inizio messaggio inoltrato:",
    ],
)
def test_a_forwarded_text_is_own_where_little_stands_above(mark: str) -> None:
    text = f"For your information.\n\n{mark}\nFrom: Bob\n\n{OLDER}"

    assert split_reply(text) == MailParts(own=text, quoted="", signature="")


def test_a_forwarded_text_below_a_whole_mail_is_own() -> None:
    text = f"{'This is what I think of the matter.' * 4}\n\n{FORWARD}"

    assert split_reply(text).own == text


@pytest.mark.parametrize("mark", ["-----Original Message-----\n", ""])
def test_a_copied_mail_with_nothing_above_is_own(mark: str) -> None:
    text = f"{mark}From: Bob\nSent: Monday\nTo: Ann\n\n{OLDER}"

    assert split_reply(text).own == text


def test_an_answer_below_an_announcement_is_own() -> None:
    parts = split_reply(f"On 3 March 2025 Bob wrote:\n\n{OLDER}")

    assert parts.own == OLDER


@pytest.mark.parametrize(
    "text",
    [
        "On Monday Ann wrote:\nThis is prose.",
        "On the table lay what I wrote:\n\na list",
        "From: the river\nto the sea",
        "Sent to you in haste",
        "5 > 3 is true",
        "Thanks,\nBob",
        "Best\nis what we want, is it not?",
        "Hello.\n\nThanks,\nwhen do you come?",
        "Hello.\n\nBest,\nAnn\nPS: bring the lamp",
        "Hello.\n\n--\n" + "a line of a table\n" * 13,
    ],
)
def test_prose_is_left_whole(text: str) -> None:
    parts = split_reply(text)

    assert parts.quoted == parts.signature == ""


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nAnn Lee\nExample Ltd",
        "--\nAnn",
        "Best regards,\nAnn",
        "Kind regards\n\nAnn Lee\nHead of Lamps\n+44 1234 5678",
        "Cheers,\nAnn\n\n-- \nExample Ltd",
        "Viele Grüße\nAnn",
        "Cordialement,\nAnn",
        "Saludos,\nAnn",
        "Sent from my iPhone",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPhone",
        "Enviado desde mi iPhone",
        "Get Outlook for iOS",
        "Ann\n\nSent from my phone",
    ],
)
def test_a_signature_is_kept_apart(signature: str) -> None:
    parts = split_reply(f"{NEWER}\n\n{signature}\n\n> {OLDER}")
    kept = signature.removeprefix("Ann\n\n") if signature.startswith("Ann") else signature

    assert parts.own.startswith(NEWER)
    assert parts.signature == kept
    assert parts.quoted == f"> {OLDER}"


def test_a_mail_of_nothing_has_no_parts() -> None:
    assert split_reply(" \n\n") == MailParts(own="", quoted="", signature="")


@pytest.mark.parametrize(
    "part", ["\n", "> \n", "-- \n", "Best,\n", "From: x\n", "_____\n", "On 3 x\n", "w schrieb am "]
)
def test_a_long_mail_is_split_in_linear_time(part: str) -> None:
    parts = split_reply(part * 30_000)

    assert isinstance(parts, MailParts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one \ntwo \nthree\nfour", "one two three\nfour"),
        ("> one \n> two\n>> three \nfour", "> one two\n> > three\nfour"),
        ("end \n-- \nAnn", "end\n-- \nAnn"),
        (" From here\n  two spaces", "From here\n two spaces"),
        ("plain\n\nlines", "plain\n\nlines"),
        ("last ", "last"),
        (">\n> a", ">\n> a"),
        ("", ""),
    ],
)
def test_flowed_lines_are_joined(text: str, expected: str) -> None:
    assert unwrap_flowed(text) == expected


def test_delsp_takes_off_the_space_as_well() -> None:
    assert unwrap_flowed("東 \n京", delsp=True) == "東京"


@pytest.mark.parametrize(
    "sentence",
    [
        "Sent via DHL, tracking number 4471 0098 2213.",
        "Sent with the courier who comes on Tuesday mornings.",
        "Gesendet mit Spedition Krause, Sendung 99172.",
    ],
)
def test_a_sentence_that_begins_as_the_line_of_a_device_is_said(sentence: str) -> None:
    assert split_reply(sentence).own == sentence


def test_sections_that_dashes_part_are_said_and_the_last_one_may_sign() -> None:
    parts = split_reply("Gate\nOpen from Tuesday.\n--\nStore\nRope is on the left.\n--\nPiet Maas")

    assert parts.own == "Gate\nOpen from Tuesday.\n--\nStore\nRope is on the left."
    assert parts.signature == "--\nPiet Maas"
