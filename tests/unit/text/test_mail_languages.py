"""What mail programs write into a body in the languages of their users."""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import pytest

from simonides.text.mail import says_forwarded, split_reply

NEWER = "The boat is ready; bring the oars."
OLDER = "Is the boat ready?"

ANNOUNCEMENTS = [
    # English, as several programs say it
    "On 3/3/2025 10:12, Jane Reed wrote:",
    "On Mon, Mar 3, 2025 at 10:12 AM Jane Reed <jane@example.com> wrote:",
    "On Mar 3, 2025, at 10:12, Jane Reed <jane@example.com> wrote:",
    "on 3 March 2025 Jane Reed WROTE :",
    # German
    "Am 03.03.2025 um 10:12 schrieb Jane Reed:",
    "Am Montag, 3. März 2025, 10:12:01 MEZ schrieb Jane Reed:",
    "On 03.03.2025 Jane Reed schrieb:",
    "Jane Reed <jane@example.com> schrieb am 03.03.2025 10:12:",
    # French, Spanish, Italian, Portuguese
    "Le 3 mars 2025 à 10:12, Jane Reed a écrit :",
    "Jane Reed <jane@example.com> a écrit le 3 mars 2025 :",
    "El 3/3/25 a las 10:12, Jane Reed escribió:",
    "Il 03/03/2025 10:12, Jane Reed ha scritto:",
    "In data 3 marzo 2025 10:12, Jane Reed ha scritto:",
    "Em 03/03/2025 10:12, Jane Reed escreveu:",
    "A 3 de março de 2025, Jane Reed escreveu:",
    "No dia 3 de março de 2025, Jane Reed escreveu:",
    # Dutch, Swedish, Norwegian, Danish, Finnish
    "Op 3 mrt. 2025, om 10:12 heeft Jane Reed; schreef Jane Reed:",
    "På mån, 3 mars 2025 skrev Jane Reed <jane@example.com>:",
    "Den 03.03.2025 10:12, skrev Jane Reed:",
    "Jane Reed <jane@example.com> skrev den 3 mars 2025:",
    "Jane Reed kirjoitti 3.3.2025 kello 10.12:",
    # Romanian, Polish, Czech, Hungarian, Turkish
    "În lun., 3 mar. 2025 la 10:12, Jane Reed a scris:",
    "Pe 3 mar. 2025, Jane Reed a scris:",
    "W dniu 3.03.2025 o 10:12, Jane Reed napisała:",
    "Dnia 3 marca 2025 Jane Reed napisał(a):",
    "W poniedziałek 3 marca 2025 Jane Reed napisał:",
    "Jane Reed <jane@example.com> napisał(a):",
    "Jane Reed 3. března 2025 napsala:",
    "Jane Reed ezt írta (2025. márc. 3.):",
    "Jane Reed <jane@example.com>, 3 Mar 2025 tarihinde yazdı:",
    # Russian, Ukrainian letters, Chinese in both scripts, Japanese
    "3 марта 2025 Джейн Рид <jane@example.com> написала:",
    "3 марта 2025 Джейн Рид писал:",
    "Jane Reed 在 2025年3月3日 写道:",
    "Jane Reed 於 2025年3月3日 寫道：",
    "2025年3月3日 Jane Reed のメール：",
]


@pytest.mark.parametrize("announcement", ANNOUNCEMENTS)
def test_an_answer_above_a_quoted_mail_stands_alone(announcement: str) -> None:
    parts = split_reply(f"{NEWER}\n\n{announcement}\n> {OLDER}\n")

    assert parts.own == NEWER
    assert parts.quoted == f"{announcement}\n> {OLDER}"


@pytest.mark.parametrize("announcement", ANNOUNCEMENTS)
def test_a_mail_announced_without_marks_is_quoted_to_its_end(announcement: str) -> None:
    parts = split_reply(f"{NEWER}\n\n{announcement}\n\n{OLDER}\n\nJane\n")

    assert parts.own == NEWER
    assert parts.quoted == f"{announcement}\n\n{OLDER}\n\nJane"


@pytest.mark.parametrize(
    "prose",
    [
        "On Sundays my aunt wrote:\nnothing at all.",
        "Am Abend schrieb sie:\nkein Wort.",
        "Le soir elle a écrit :\nrien.",
        "El domingo ella escribió:\nnada.",
        "Il nonno ha scritto:\nniente.",
        "Op zondag schreef zij:\nniets.",
        "Jane kirjoitti:\nei mitään.",
        "Она написала:\nничего.",
        "On what I wrote last week: it stands.",
        "She wrote in 2019: keep the boat.",
        "On 3 March we wrote the letter, and it went out.",
    ],
)
def test_a_sentence_about_writing_quotes_nothing(prose: str) -> None:
    assert split_reply(f"Dear Jane,\n{prose}").quoted == ""


def test_a_quote_makes_an_announcement_of_a_line_without_date_or_address() -> None:
    parts = split_reply(f"{NEWER}\n\nOn Sunday Jane wrote:\n\n> {OLDER}")

    assert parts.own == NEWER
    assert parts.quoted == f"On Sunday Jane wrote:\n\n> {OLDER}"


def test_an_announcement_is_at_most_three_lines() -> None:
    three = "On Monday,\n3 March 2025, Jane Reed\n<jane@example.com> wrote:"
    four = "On Monday,\n3 March 2025,\nJane Reed\n<jane@example.com> wrote:"

    assert split_reply(f"{NEWER}\n{three}\n> {OLDER}").own == NEWER
    assert split_reply(f"{NEWER}\n{four}\n> {OLDER}").own == f"{NEWER}\n{four}"


def test_an_announcement_is_no_longer_than_a_few_lines() -> None:
    short = "On 3 March 2025 " + "Jane " * 75 + "wrote:"
    long = "On 3 March 2025 " + "Jane " * 76 + "wrote:"

    assert len(short) <= 400 < len(long)
    assert split_reply(f"{NEWER}\n{short}\n{OLDER}").own == NEWER
    assert long in split_reply(f"{NEWER}\n{long}\n{OLDER}").own


@pytest.mark.parametrize(
    "mark",
    [
        "-----Original Appointment-----",
        "----- Original Message -----",
        "________Original Message________",
        "-----Ursprüngliche E-Mail-----",
        "-----Originalnachricht-----",
        "-----Message d’origine-----",
        "-----Message original-----",
        "-----Messaggio originale-----",
        "-----Ursprungligt meddelande-----",
        "-----Ursprungsmeddelande-----",
        "-----Oprindelig meddelelse-----",
        "-----Oprindelig besked-----",
        "-----Opprinnelig melding-----",
        "-----Alkuperäinen viesti-----",
        "-----Исходное сообщение-----",
        "--original message--",
    ],
)
def test_all_below_the_mark_of_the_original_is_quoted(mark: str) -> None:
    parts = split_reply(f"{NEWER}\n\n  {mark}\n{OLDER}\nJane")

    assert parts.own == NEWER
    assert parts.quoted == f"  {mark}\n{OLDER}\nJane"


@pytest.mark.parametrize(
    "mark",
    [
        "-----Original Message----- and more",
        "Original Message",
        "- Original Message -",
        "--- Lamps ---",
    ],
)
def test_a_line_that_only_resembles_the_mark_is_own(mark: str) -> None:
    assert split_reply(f"{NEWER}\n\n{mark}\n{OLDER}").quoted == ""


HEADERS = [
    "From: Jane\nDate: Monday\nSubject: Boat",
    "From: Jane\nTo: Ann\nCc: Bob",
    "From: Jane\nReply-To: Jane\nImportance: High",
    "**From:** Jane\n**Sent:** Monday\n**To:** Ann",
    "Von: Jane\nDatum: Montag\nAn: Ann",
    "Von: Jane\nGesendet: Montag\nBetreff: Boot",
    "Expéditeur : Jane\nEnvoyé le : lundi\nObjet : barque",
    "De : Jane\nDate : lundi\nÀ : Ann",
    "De: Jane\nEnviado: lunes\nPara: Ann",
    "Remitente: Jane\nFecha: lunes\nAsunto: barca",
    "De: Jane\nEnviada em: segunda\nAssunto: barco",
    "Mittente: Jane\nData: lunedì\nOggetto: barca",
    "Da: Jane\nInviato: lunedì\nA: Ann",
    "Van: Jane\nVerzonden: maandag\nOnderwerp: boot",
    "Van: Jane\nDatum: maandag\nAan: Ann",
    "Från: Jane\nSkickat: måndag\nTill: Ann",
    "Från: Jane\nDatum: måndag\nÄmne: båt",
    "Fra: Jane\nSendt: mandag\nTil: Ann",
    "Fra: Jane\nDato: mandag\nEmne: båd",
    "Lähettäjä: Jane\nLähetetty: maanantai\nVastaanottaja: Ann",
    "Lähettäjä: Jane\nLähetetty: maanantai\nAihe: vene",
    "Od: Jane\nWysłano: poniedziałek\nDo: Ann",
    "Od: Jane\nDo: Ann\nTemat: łódź",
    "От: Jane\nДата: понедельник\nКому: Ann",
    "От: Jane\nОтправлено: понедельник\nТема: лодка",
    "Feladó: Jane\nDate: hétfő\nTo: Ann",
    "Kimden: Jane\nDate: Pazartesi\nTo: Ann",
]


@pytest.mark.parametrize("ruler", ["", "_" * 32 + "\n", "-" * 5 + "\n\n", "─" * 20 + "\n"])
@pytest.mark.parametrize("header", HEADERS)
def test_all_below_a_header_of_any_language_is_quoted(header: str, ruler: str) -> None:
    parts = split_reply(f"{NEWER}\n\n{ruler}{header}\n\n{OLDER}")

    assert parts.own == NEWER
    assert parts.quoted == f"{ruler}{header}\n\n{OLDER}"


@pytest.mark.parametrize(
    "lines",
    [
        "From: Jane\nDate: Monday",
        "From:\nDate: Monday\nTo: Ann",
        "Date: Monday\nTo: Ann\nSubject: Boat",
        "From: the harbour\n" + "a wave\n" * 6 + "To: the sea\nDate: none",
        "----\nnothing of a header\n----",
    ],
)
def test_lines_that_are_no_whole_header_are_own(lines: str) -> None:
    assert split_reply(f"{NEWER}\n\n{lines}").quoted == ""


def test_a_header_may_have_other_lines_among_its_own() -> None:
    header = "From: Jane\nX-One: 1\nX-Two: 2\nX-Three: 3\nX-Four: 4\nX-Five: 5\nTo: Ann\nCc: Bob"

    assert split_reply(f"{NEWER}\n\n{header}\n\n{OLDER}").own == NEWER


FORWARDS = [
    "---------- Forwarded message ----------",
    "-------- Weitergeleitete Nachricht --------",
    "-------- Message transféré --------",
    "---------- Mensaje reenviado ----------",
    "-------- Messaggio inoltrato --------",
    "---------- Mensagem encaminhada ---------",
    "---------- Doorgestuurd bericht ---------",
    "---------- Vidarebefordrat meddelande ---------",
    "---------- Videresendt besked ---------",
    "---------- Videresendt melding ---------",
    "---------- Välitetty viesti ----------",
    "Begin forwarded message:",
    "Anfang der weitergeleiteten Nachricht:",
    "Anfang der weitergeleiteten E-Mail:",
    "Début du message réexpédié :",
    "Début du message transféré :",
    "Inicio del mensaje reenviado:",
    "Inizio messaggio inoltrato:",
    "Início da mensagem encaminhada:",
    "Início da mensagem reencaminhada:",
    "Begin doorgestuurd bericht:",
    "Vidarebefordrat brev:",
    "Vidarebefordrat mejl:",
]
FORWARDED = "From: Jane\nDate: Monday\nTo: Ann\n\nThe oars are in the shed."


@pytest.mark.parametrize("mark", FORWARDS)
def test_what_is_forwarded_with_a_word_is_part_of_the_mail(mark: str) -> None:
    text = f"See below, the oars are found.\n\n{mark}\n{FORWARDED}"
    parts = split_reply(text)

    assert parts.own == text
    assert parts.quoted == ""


@pytest.mark.parametrize("mark", FORWARDS)
def test_what_is_forwarded_below_a_whole_letter_is_part_of_the_mail(mark: str) -> None:
    letter = "We looked for the oars in every corner of the boat house and the garden. " * 2
    text = f"{letter.strip()}\n\n{mark}\n{FORWARDED}"

    assert split_reply(text).own == text


@pytest.mark.parametrize(
    "subject",
    ["FW: oars", "Fwd: oars", "WG: Ruder", "TR : rames", "RV: remos", "转发：桨", "I: remi"],
)
def test_a_copied_mail_is_part_of_what_is_forwarded_by_its_subject(subject: str) -> None:
    text = f"Please handle.\n\n{FORWARDED}"

    assert says_forwarded(subject)
    assert split_reply(text, is_forward=True).own == text
    assert split_reply(text).own == "Please handle."


@pytest.mark.parametrize("subject", ["Re: FW: oars", "AW: oars", "Fwd", "Iris: oars", ""])
def test_other_subjects_forward_nothing(subject: str) -> None:
    assert not says_forwarded(subject)


@pytest.mark.parametrize(
    ("head", "quotes"),
    [
        ('02.04.2026 14:20 пользователь "bob@own.example" <\nbob@own.example> написал:', True),
        ("2 квіт. 2026 р. 14:20 Bob <bob@own.example>\nписал:", True),
        ("02.04.2026 the boat\nnever wrote:", False),
    ],
)
def test_a_head_that_is_broken_over_lines_begins_a_quote(head: str, *, quotes: bool) -> None:
    parts = split_reply(f"{NEWER}\n{head}\n\n> {OLDER}\n")

    assert (parts.own == NEWER) is quotes


@pytest.mark.parametrize(
    "line",
    [
        "Sent from my iPhone",
        "Sent via the web",
        "Sent with my tablet",
        "Sent from Mail for Windows",
        "Get Outlook for Android",
        "Von meinem iPad gesendet",
        "Diese Nachricht wurde von meinem Android-Gerät gesendet.",
        "Gesendet mit der Telefon-App",
        "Gesendet von Outlook für Android",
        "Gesendet über das Netz",
        "Envoyé depuis mon téléphone",
        "Envoyé à partir de Courrier pour Windows",
        "Envoyé avec l’application",
        "Enviada do meu telefone",
        "Enviado de mi tableta",
        "Enviado a partir do Outlook",
        "Enviado pelo meu telefone",
        "Enviado com o aplicativo",
        "Inviato da iPhone",
        "Inviato dal mio telefono",
        "Inviato con la posta",
        "Verzonden vanaf mijn iPhone",
        "Verzonden met mijn telefoon",
        "Verzonden vanuit Outlook",
        "Verzonden via de webmail",
        "Skickat från min telefon",
        "Sendt fra min telefon",
        "Lähetetty puhelimestani",
        "Wysłane z telefonu",
        "Отправлено с телефона",
        "Отправлено из почты",
    ],
)
def test_what_the_mail_was_sent_from_is_signature(line: str) -> None:
    parts = split_reply(f"{NEWER}\n\n{line}\n")

    assert parts.own == NEWER
    assert parts.signature == line


@pytest.mark.parametrize(
    "line",
    [
        "Sent from the harbour " + "and on " * 10,
        "Sent by the morning boat",
        "Get Outlook",
        "Von meinem Boot",
        "Gesendet wurde nichts",
    ],
)
def test_a_sentence_about_sending_is_own(line: str) -> None:
    assert split_reply(f"{NEWER}\n\n{line}").signature == ""


SIGN_OFFS = """
Regards | Best regards | Kind regards | Warm regards | Kindest regards | Warmest regards
With best wishes | My best regards | Best wishes | Best | All the best | Cheers | Sincerely
Sincerely yours | Yours sincerely | Yours faithfully | Yours truly | Thanks | Many thanks
Thanks again | Thanks a lot | Thanks so much | Thanks in advance | Thank you | Thanks and regards
Respectfully | Take care | Love | BR | KR | Thx
Mit freundlichen Grüßen | Mit besten Grüßen | Mit herzlichen Gruessen | Mit lieben Grüßen
Freundlichen Grüßen | Viele Grüße | Liebe Gruesse | Beste Grüße | Freundliche Grüße
Herzliche Grüße | Schöne Grüße | MfG | LG | VG
Cordialement | Bien cordialement | Bien à vous | Bien à toi | Amicalement | Salutations
Salutations distinguées
Saludos | Un saludo | Un cordial saludo | Saludos cordiales | Atentamente | Un abrazo
Abraço | Abraços | Atenciosamente | Cumprimentos
Cordiali saluti | Distinti saluti | Saluti | Un saluto | Grazie
Met vriendelijke groet | Met vriendelijke groeten | Vriendelijke groeten | Groeten | Groetjes | MVG
Med vänliga hälsningar | Vänliga hälsningar | Med venlig hilsen | Med vennlig hilsen | Hilsen | MVH
Ystävällisin terveisin | Terveisin | Pozdrawiam | С уважением | Saygılarımla
"""


@pytest.mark.parametrize("mark", ["", ",", "!", " -"])
@pytest.mark.parametrize(
    "formula", [part.strip() for part in SIGN_OFFS.strip().replace("\n", "|").split("|")]
)
def test_a_closing_and_a_name_are_signature(formula: str, mark: str) -> None:
    parts = split_reply(f"{NEWER}\n\n{formula}{mark}\nAnn Lee")

    assert parts.own == NEWER
    assert parts.signature == f"{formula}{mark}\nAnn Lee"


@pytest.mark.parametrize(
    "end",
    [
        "Thanks for the oars,\nAnn",
        "Best of all\nis the boat.",
        "Cheers",
        "Best,\nwe shall row to the island at dawn and be back before it is dark.",
        "Best,\nrow a mile or two or three or four.",
        "Best,\nAnn\nIs the boat ready?",
        "Best,\nAnn\nP.S. bring oars",
        "Best,\nAnn\nps: bring oars",
        "Best,\n" + "Ann\n" * 7,
    ],
)
def test_what_only_begins_like_a_closing_is_own(end: str) -> None:
    assert split_reply(f"{NEWER}\n\n{end}").signature == ""


@pytest.mark.parametrize(("lines", "signs"), [(6, True), (7, False)])
def test_six_lines_may_follow_a_closing(lines: int, *, signs: bool) -> None:
    below = "\n".join(f"line {n}" for n in range(lines))

    assert bool(split_reply(f"{NEWER}\n\nBest,\n{below}").signature) is signs


@pytest.mark.parametrize(("name", "signs"), [("a" * 60, True), ("a" * 61, False)])
def test_a_line_below_a_closing_has_sixty_characters_at_most(name: str, *, signs: bool) -> None:
    assert bool(split_reply(f"{NEWER}\n\nBest,\n{name}").signature) is signs


@pytest.mark.parametrize(("count", "signs"), [(8, True), (9, False)])
def test_a_line_below_a_closing_has_eight_words_at_most(count: int, *, signs: bool) -> None:
    assert bool(split_reply(f"{NEWER}\n\nBest,\n{'a ' * count}").signature) is signs


@pytest.mark.parametrize(("lines", "signs"), [(12, True), (13, False)])
def test_twelve_lines_may_follow_the_dashes(lines: int, *, signs: bool) -> None:
    below = "\n".join(f"line {n}" for n in range(lines))

    assert bool(split_reply(f"{NEWER}\n\n-- \n{below}").signature) is signs


@pytest.mark.parametrize(("lines", "signs"), [(3, True), (4, False)])
def test_the_line_of_a_device_is_near_the_end(lines: int, *, signs: bool) -> None:
    below = "\n".join(f"and another thing, number {n}, of some length" for n in range(lines))

    assert bool(split_reply(f"{NEWER}\nSent from my iPhone\n{below}").signature) is signs


@pytest.mark.parametrize(
    ("line", "quoted"), [("   > a", True), ("    > a", False), ("a > b", False)]
)
def test_up_to_three_spaces_stand_before_the_mark_of_a_quote(line: str, *, quoted: bool) -> None:
    assert bool(split_reply(line).quoted) is quoted
