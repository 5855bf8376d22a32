"""Text messages of a phone: SMS and MMS, whose they are, and what is no message."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.importers.task_files import items

from simonides import Memory, Settings
from simonides.model.item import Item, Kind

HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<smses count=\"2\">\n"


def sms(body: str, *, kind: int = 1, name: str = "Mom", address: str = "+1 520-555-0134") -> str:
    return (
        f'  <sms protocol="0" address="{address}" date="1772900000000" type="{kind}" '
        f'subject="null" body="{body}" toa="null" read="1" '
        f'readable_date="Mar 7, 2026 8:13:20 AM" contact_name="{name}" />\n'
    )


def read(folder: Path, *messages: str) -> list[Item]:
    return items(folder, f"{HEAD}{''.join(messages)}</smses>\n", name="sms-20260308.xml")


def test_what_came_and_what_was_sent_are_one_conversation(tmp_path: Path) -> None:
    came, sent = read(
        tmp_path, sms("Bring the carrot cake &#55357;&#56832;&#10;Love &amp; hugs"),
        sms("I will", kind=2),
    )  # fmt: skip

    assert (came.kind, came.source, came.title) == (Kind.MESSAGE, "sms", "Mom")
    assert came.content == "Bring the carrot cake \U0001f600\nLove & hugs"
    assert [one.name for one in (*came.people, *sent.people)] == ["Mom", "me", "Mom"]
    assert came.session == sent.session
    assert (came.position, sent.position) == (0, 1)
    assert came.happened_at == datetime(2026, 3, 7, 16, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize("kind", [3, 4, 5, 6])
def test_drafts_and_what_was_not_sent_are_left_out(tmp_path: Path, kind: int) -> None:
    [found] = read(tmp_path, sms("Not yet", kind=kind), sms("Here"))

    assert found.content == "Here"


def test_who_is_in_no_list_of_contacts_is_a_number(tmp_path: Path) -> None:
    [found] = read(tmp_path, sms("Your code is 1234", name="(Unknown)", address="22000"))

    assert (found.title, found.people[0].name) == ("22000", "22000")


def mms(*parts: str, sender: str = "+12065550100", box: int = 1) -> str:
    lines = "\n".join(f"      {one}" for one in parts)
    return (
        f'  <mms date="1772900060000" msg_box="{box}" sub="null" '
        'address="+15205550134~+12065550100" contact_name="Mom, Priya">\n'
        f"    <parts>\n{lines}\n    </parts>\n    <addrs>\n"
        f'      <addr address="{sender}" type="137" charset="106" />\n'
        '      <addr address="+15205550134" type="151" charset="106" />\n    </addrs>\n  </mms>\n'
    )


PICTURE = '<part seq="0" ct="image/jpeg" cl="cake.jpg" text="null" data="{data}" />'
WORDS = '<part seq="1" ct="text/plain" name="null" cl="text0.txt" text="Look!" />'
ORDER = '<part seq="-1" ct="application/smil" cl="smil.xml" text="&lt;smil/&gt;" />'


def test_a_message_of_a_group_is_its_senders_with_the_names_of_its_files(tmp_path: Path) -> None:
    data = "QUJD" * 1_000_000
    worded, bare, after = read(
        tmp_path, mms(ORDER, PICTURE.format(data=data), WORDS), mms(PICTURE.format(data="QQ==")),
        sms("Yum"),
    )  # fmt: skip

    assert (worded.content, worded.title) == ("Look!", "Mom, Priya")
    assert [one.name for one in worded.people] == ["Priya"]
    assert worded.metadata["attachments"] == [{"name": "cake.jpg", "media_type": "image/jpeg"}]
    assert bare.content == "cake.jpg"
    assert (worded.session == bare.session) is (worded.session != after.session) is True


def test_a_file_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    found = items(tmp_path, HEAD + sms("Here") + '  <sms body="and th', name="sms.xml")

    assert [one.content for one in found] == ["Here"]


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[Memory]:
    """A phone's messages, beside a mail of the same person."""
    path = tmp_path / "sms.xml"
    path.write_text(f"{HEAD}{sms('Dinner on Sunday?')}{sms('Sure', kind=2)}</smses>", "utf-8")
    people = ["Mom <mom@x.example>", "Alex <alex@x.example>"]
    with Memory(":memory:", settings=Settings(embedder="none")) as opened:
        opened.import_(path)
        opened.add("The taxes, dinner, all of it.", id="mail", kind="email", people=people)
        yield opened


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("any sms from mom?", "Dinner on Sunday?"),
        ("what did mom text me?", "Dinner on Sunday?"),
        ("what did I text mom?", "Sure"),
    ],
)
def test_texts_are_asked_for_by_their_names(phone: Memory, question: str, first: str) -> None:
    assert phone.search(question).hits[0].text == first
