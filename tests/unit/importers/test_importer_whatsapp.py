"""Chats of WhatsApp, in the dates of every country."""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.importers.task_files import events, items, skip

from simonides.importers.run import read
from simonides.model.item import Kind
from simonides_formats.chats.whatsapp import moment, order_of

ANDROID = """\
12/03/2026, 14:05 - Messages and calls are end-to-end encrypted.
12/03/2026, 14:05 - Mira Holm: The crane is back
and greased: all of it

13/03/2026, 08:00 - Jon: <Media omitted>
13/03/2026, 08:01 - Jon: IMG-1.jpg (file attached)
from the slip
13/03/2026, 08:02 - ~ Ann: Which one? At 10: the big one
"""
IPHONE = (
    "[12.03.26, 14:05:33] Yard: \u200eMessages and calls are end-to-end encrypted.\n"
    "[12.03.26, 14:05:34] Mira Holm: The crane is back\n"
    "\u200e[12.03.26, 14:06:00] Jon: \u200eimage omitted\n"
    "\u200e[12.03.26, 14:06:10] Jon: \u200e<attached: 00000012-PHOTO.jpg>\n"
    "[12.03.26, 14:07:00] Jon: Greased \u200e<This message was edited>\n"
)


def test_a_chat_of_android_is_read(tmp_path: Path) -> None:
    crane, picture, question = items(tmp_path, ANDROID, name="WhatsApp Chat with Yard.txt")

    assert crane.content == "The crane is back\nand greased: all of it"
    assert (crane.source, crane.title, crane.session) == ("whatsapp", "Yard", "whatsapp/Yard")
    assert crane.people[0].name == "Mira Holm"
    assert crane.happened_at == datetime(2026, 3, 12, 14, 5, tzinfo=UTC)
    assert crane.metadata == {"_time_zone": "assumed UTC"}
    assert picture.content == "from the slip"
    assert picture.metadata["attachments"] == [{"name": "IMG-1.jpg"}]
    assert (question.people[0].name, question.content) == ("Ann", "Which one? At 10: the big one")
    assert [one.position for one in (crane, picture, question)] == [0, 1, 2]


def test_a_chat_of_an_iphone_is_read(tmp_path: Path) -> None:
    crane, picture, greased = items(tmp_path, IPHONE, name="_chat.txt")

    assert (crane.content, crane.session) == ("The crane is back", "_chat.txt")
    assert picture.content == "00000012-PHOTO.jpg"
    assert (greased.content, greased.metadata["edited"]) == ("Greased", True)
    assert greased.happened_at == datetime(2026, 3, 12, 14, 7, tzinfo=UTC)


def test_the_archive_of_an_iphone_names_the_chat(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat - Yard.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_chat.txt", IPHONE)

    assert {one.item.title for one in read(path) if one.item} == {"Yard"}


def test_a_chat_that_grows_keeps_its_ids_and_equal_messages_are_two(tmp_path: Path) -> None:
    more = ANDROID + "13/03/2026, 08:02 - ~ Ann: Which one? At 10: the big one\n"
    before = items(tmp_path, ANDROID, name="WhatsApp Chat with Yard.txt")
    after = items(tmp_path, more, name="WhatsApp Chat with Yard.txt")

    assert [one.id for one in after[:3]] == [one.id for one in before]
    assert len({one.id for one in after}) == 4


@pytest.mark.parametrize(
    ("stamps", "order"),
    [
        (["12/03/2026, 14:05", "13/03/2026, 14:05"], "day"),
        (["3/12/26, 2:05 PM", "3/13/26, 2:05 PM"], "month"),
        (["2/3/26, 10:00", "3/3/26, 10:00", "1/4/26, 10:00"], "day"),
        (["2/3/26, 10:00", "3/1/26, 10:00", "3/4/26, 10:00"], "month"),
        (["3/4/26, 2:05 PM"], "month"),
        (["3/4/26, 2:05 pm"], "day"),
        (["3.4.26, 14:05"], "day"),
        (["2026/03/04, 14:05"], "year"),
        (["2026-03-04, 14:05"], "year"),
        (["26-03-20, 14:05", "26-03-21, 14:05", "26-04-01, 14:05"], "year"),
        ([], "day"),
    ],
)
def test_the_order_of_dates_is_taken_from_the_file(stamps: list[str], order: str) -> None:
    assert order_of(stamps) == order


@pytest.mark.parametrize(
    ("stamp", "order", "text"),
    [
        ("3/4/26, 12:05 AM", "month", "2026-03-04T00:05"),
        ("3/4/26, 12:05\u202fPM", "month", "2026-03-04T12:05"),
        ("4/3/26 2:05 p. m.", "day", "2026-03-04T14:05"),
        ("4.3.2026, 14.05.09", "day", "2026-03-04T14:05:09"),
        ("2026/03/04 午後2:05", "year", "2026-03-04T14:05"),
        ("04.03.26 um 14:05", "day", "2026-03-04T14:05"),
        ("4/3/26 à 14:05", "day", "2026-03-04T14:05"),
        ("2026-03-04 14 h 05 min 09 s", "year", "2026-03-04T14:05:09"),
        ("2026. 3. 4. 오후 2:05", "year", "2026-03-04T14:05"),
        ("2026년 3월 4일 오후 2:05", "year", "2026-03-04T14:05"),
        ("2026/3/4 下午2:05", "year", "2026-03-04T14:05"),
        ("2026/3/4 晚上9:05", "year", "2026-03-04T21:05"),
        ("2026/3/4 晚上12:05", "year", "2026-03-04T00:05"),
        ("2026/3/4 中午12:05", "year", "2026-03-04T12:05"),
        ("2026/3/4 中午11:55", "year", "2026-03-04T11:55"),
        ("2026/3/4 凌晨12:05", "year", "2026-03-04T00:05"),
        ("٤/٣/٢٠٢٦، ٩:٠٥ م", "day", "2026-03-04T21:05"),
        ("۲۰۲۶/۳/۴،  ۹:۰۵ ب.ظ.", "year", "2026-03-04T21:05"),
        ("४/३/२६, ९:०५ अपराह्न", "day", "2026-03-04T21:05"),
        ("4.3.2026 г., 9:05 ч.", "day", "2026-03-04T09:05"),
        ("2026. 03. 04. de. 9:05", "year", "2026-03-04T09:05"),
        ("2026. 03. 04. du. 9:05", "year", "2026-03-04T21:05"),
        ("4/3/2026, 9:05 μ.μ.", "day", "2026-03-04T21:05"),
        ("4/3/26, 9:05 CH", "day", "2026-03-04T21:05"),
        ("14:05, 4/3/2026", "day", "2026-03-04T14:05"),
        ("4/3/2569 14:05", "day", "2026-03-04T14:05"),
        ("4/3/69 14:05", "day", "2026-03-04T14:05"),
        ("4/3/26, 14:05 de", "day", "2026-03-04T14:05"),
        ("1404/12/13, 14:05", "year", None),
        ("31/2/26, 14:05", "day", None),
        ("4/3/26, 25:05", "day", None),
        ("4/3/26", "day", None),
    ],
)
def test_dates_are_read_as_phones_write_them(stamp: str, order: str, text: str | None) -> None:
    when = moment(stamp, order)

    assert when == (None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC))


@pytest.mark.parametrize(
    "head",
    [
        "4/3/2026 à 14:05 - ",
        "2026-03-04 14 h 05 - ",
        "\u200f٤\u200f/٣\u200f/٢٠٢٦، ٢:٠٥ م - ",
        "[٤\u200f/٣\u200f/٢٠٢٦, ٢:٠٥:٠٠ م] ",
        "\u202a۲۰۲۶/۳/۴،\u200f ۱۴:۰۵\u202c - ",
        "2026-03-04, 2:05:00 PM: ",
        "04.03.26 14:05:00: ",
        "3/4/26, 2:05:00\u202fPM: ",
        "[2026. 3. 4. 오후 2:05:00] ",
        "2026/3/4, 下午2:05 - ",
        "4/3/2026, 2:05 p.\u00a0m. - ",
        "4.3.2026 klo 14.05 - ",
        "14:05, 4/3/2026 - ",
        "[14:05, 4/3/2026] ",
    ],
)
def test_a_message_is_found_behind_every_kind_of_date(tmp_path: Path, head: str) -> None:
    content = f"{head}Mira Holm: Crane\nand hull: all\n{head}Jon: Ok\n"
    crane, answer = items(tmp_path, content, name="_chat.txt")

    assert (crane.people[0].name, crane.content) == ("Mira Holm", "Crane\nand hull: all")
    assert (answer.people[0].name, answer.content) == ("Jon", "Ok")


UNREAD = "".join(
    f"Mar {day}, 9:05 PM - {name}: hi\n" for day, name in ((1, "Jon"), (2, "Mira")) * 2
)


def test_a_chat_with_unknown_dates_is_reported_and_kept_whole(tmp_path: Path) -> None:
    found = events(tmp_path, UNREAD, name="a.txt")
    [whole] = [one.item for one in found if one.item]
    reason = "looks like a chat, but its dates are written in no known way; it is one document"

    assert [one.skipped.reason for one in found if one.skipped] == [reason]
    assert whole.content == UNREAD.strip()


@pytest.mark.parametrize(
    "content",
    [
        "2026-01-02 10:00:05: error: disk is full\n" * 5,
        "04.03.2026 10:00: Met Jon at the slip\n" * 5,
        "Mar 4 10:00:05 - INFO: started\n" * 5,
        "[00:12:33] Jon: a word of the film\n" * 5,
        "".join(UNREAD.splitlines(keepends=True)[:2]),
        UNREAD + "a line of another kind\n" * 5,
    ],
)
def test_logs_and_notes_are_no_chats(tmp_path: Path, content: str) -> None:
    [whole] = items(tmp_path, content, name="a.txt")

    assert whole.kind is Kind.DOCUMENT


def test_a_message_with_a_date_that_is_none_is_reported(tmp_path: Path) -> None:
    broken = ANDROID + "99/99/2026, 08:02 - Jon: lost\n"

    assert skip(tmp_path, broken, name="a.txt") == [
        ("line 9", "date: is none: '99/99/2026, 08:02'")
    ]


def test_a_chat_of_system_lines_only_says_so(tmp_path: Path) -> None:
    content = ANDROID.partition("\n")[0]

    assert skip(tmp_path, content, name="a.txt") == [("a.txt", "holds no messages")]


@pytest.mark.parametrize(
    "name",
    [
        "WhatsApp Chat with Bia.txt",
        "WhatsApp Chat with Bia (1).txt",
        "WhatsApp-Chat mit Bia.txt",
        "WhatsApp-chat met Bia.txt",
        "Chat de WhatsApp con Bia.txt",
        "Chat WhatsApp con Bia (2).txt",
        "Discussion WhatsApp avec Bia.txt",
        "Conversa do WhatsApp com Bia.txt",
    ],
)
def test_the_name_of_the_file_says_who_the_chat_is_with(tmp_path: Path, name: str) -> None:
    first = items(tmp_path, ANDROID, name=name)[0]

    assert (first.title, first.session) == ("Bia", "whatsapp/Bia")


@pytest.mark.parametrize(
    "notice",
    [
        "This message was deleted",
        "You deleted this message",
        "Diese Nachricht wurde gel\u00f6scht.",
        "Se elimin\u00f3 este mensaje",
        "Ce message a \u00e9t\u00e9 supprim\u00e9",
        "Questo messaggio \u00e8 stato eliminato",
        "Dit bericht is verwijderd",
        "Mensagem apagada",
        "Missed voice call",
        "Chamada de voz perdida",
        "null",
    ],
)
def test_notices_of_android_are_nobodys_words(tmp_path: Path, notice: str) -> None:
    more = f"14/03/2026, 08:00 - Jon: {notice}\n14/03/2026, 08:01 - Jon: Yes\n"
    found = items(tmp_path, ANDROID + more, name="a.txt")

    assert [one.content for one in found[3:]] == ["Yes"]


@pytest.mark.parametrize(
    "line",
    [
        "Jake added Bob: the builder",
        'Mira created group "Yard: crane"',
        "Jake hat Bob: der Bauer hinzugef\u00fcgt.",
        "Jake heeft Bob: de bouwer toegevoegd",
        "Jake a\u00f1adi\u00f3 a Bob: el constructor",
        "Jake a ajout\u00e9 Bob: le constructeur",
        "Jake ha aggiunto Bob: il costruttore",
        "Jake adicionou Bob: o construtor",
    ],
)
def test_who_was_added_is_no_author(tmp_path: Path, line: str) -> None:
    more = f"14/03/2026, 08:00 - {line}\n14/03/2026, 08:01 - Jon: Mira added it: good\n"
    found = items(tmp_path, ANDROID + more, name="a.txt")

    assert [(one.people[0].name, one.content) for one in found[3:]] == [
        ("Jon", "Mira added it: good")
    ]


@pytest.mark.parametrize(
    "mark",
    [
        "<This message was edited>",
        "<Diese Nachricht wurde bearbeitet.>",
        "<Se edit\u00f3 este mensaje.>",
        "<Ce message a \u00e9t\u00e9 modifi\u00e9>",
        "<Questo messaggio \u00e8 stato modificato>",
        "<Dit bericht is bewerkt>",
        "<Mensagem editada>",
        "\u200e<Viesti muokattu>",
    ],
)
def test_the_mark_of_an_edited_message_is_none_of_its_words(tmp_path: Path, mark: str) -> None:
    [item] = items(tmp_path, f"14/03/2026, 08:00 - Jon: Greased {mark}\n", name="a.txt")

    assert (item.content, item.metadata["edited"]) == ("Greased", True)


@pytest.mark.parametrize(
    ("body", "content"),
    [
        (
            "\u200eLocation: https://maps.google.com/?q=41.8,-87.6",
            "Location: https://maps.google.com/?q=41.8,-87.6",
        ),
        ("The hull \u200eimage omitted", "The hull"),
        ("Der Rumpf \u200eBild weggelassen", "Der Rumpf"),
        ("Plan.pdf \u2022 \u200e3 pages \u200edocument omitted", "Plan.pdf"),
        ("\u200ePlan.pdf \u2022 \u200e3 pages \u200edocument omitted", "Plan.pdf"),
        ("The image omitted", "The image omitted"),
        ("Greased \u200e<This message was edited> ", "Greased"),
    ],
)
def test_an_iphone_marks_what_people_sent_as_well(tmp_path: Path, body: str, content: str) -> None:
    [item] = items(tmp_path, f"[14.03.26, 08:00:00] Jon: {body}\n", name="_chat.txt")

    assert item.content == content
    if content.endswith(".pdf"):
        assert item.metadata["attachments"] == [{"name": "Plan.pdf"}]
