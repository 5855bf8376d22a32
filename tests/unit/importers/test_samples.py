"""The sample desk: it reads whole, it has what the demo asks for, and nothing real is in it."""

import re
from collections import Counter
from datetime import UTC, datetime
from email.utils import parseaddr
from pathlib import Path

import pytest

from simonides.importers import read
from simonides.model.import_report import Skipped
from simonides.model.item import Item, Kind

DESK = Path(__file__).parents[3] / "samples" / "desk"
NOW = datetime(2026, 3, 12, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return [step.item for step in read(DESK) if step.item]


def mails(items: list[Item]) -> list[Item]:
    return [item for item in items if item.kind is Kind.EMAIL]


def test_every_part_is_read_but_the_one_that_is_broken() -> None:
    steps = list(read(DESK))
    skipped = [step.skipped for step in steps if step.skipped]

    assert [one.reason.split(";")[0] for one in skipped] == ["no mail headers"]
    assert re.fullmatch(r"desk/mail\.mbox: message \d+ at byte \d+", skipped[0].where)
    assert isinstance(skipped[0], Skipped)
    assert steps[-1].bytes_done == steps[-1].bytes_total


def test_the_readme_counts_right(items: list[Item]) -> None:
    kinds = Counter(item.kind for item in items)
    readme = (DESK.parent / "README.md").read_text("utf-8")
    notes = len(list((DESK / "notes").iterdir()))

    assert f"{kinds[Kind.EMAIL]} mails" in readme
    assert f"{kinds[Kind.MESSAGE]} messages" in readme
    assert f"{notes} notes" in readme


def test_ids_are_unique(items: list[Item]) -> None:
    assert len({item.id for item in items}) == len(items)


def test_no_item_is_younger_than_the_clock_of_the_demo(items: list[Item]) -> None:
    past = [one for one in items if one.kind is not Kind.EVENT and one.source != "signature"]
    times = [item.happened_at for item in past if item.happened_at]

    assert len(times) == len(past)
    assert max(times) < NOW


def test_sarah_wrote_in_the_week_before(items: list[Item]) -> None:
    monday, next_monday = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 9, tzinfo=UTC)
    titles = [
        item.title
        for item in mails(items)
        if item.author
        and item.author.name == "Sarah Lindqvist"
        and item.happened_at
        and monday <= item.happened_at < next_monday
    ]

    assert len(titles) == 8
    assert "Alpha: new delivery date Friday 27 March" in titles


def test_the_date_of_alpha_moves_twice(items: list[Item]) -> None:
    found = [item for item in mails(items) if item.title.startswith("Alpha: ")]
    found.sort(key=lambda item: str(item.happened_at))

    assert "20 March 2026" in found[0].content
    assert "27 March 2026" in found[2].content


@pytest.mark.parametrize(
    "words",
    [
        "ご連絡ありがとうございます",
        "Спасибо за честное письмо",
        "手持扫描器的报价",
        "“without undue delay” is not a number",
        "Mr Krüger reports",
        "Three questions to ask before you continue",
        "the trigger is good",
        "no critical and no high findings",
    ],
)
def test_every_kind_of_mail_is_read(items: list[Item], words: str) -> None:
    assert any(words.lower() in item.content.lower() for item in mails(items))


def test_replies_keep_only_their_own_words(items: list[Item]) -> None:
    reply = next(item for item in items if item.source_id == "freeze@tidewater.example")

    assert "feature freeze: Wednesday, 18 March" in reply.content
    assert "The reason: the second migration rehearsal" not in reply.content


def test_threads_and_labels_are_there(items: list[Item]) -> None:
    threads = Counter(item.session for item in mails(items))

    assert max(threads.values()) >= 4
    assert {item.source for item in mails(items)} == {"mail", "gmail"}
    assert any("Family" in item.tags for item in items)


def test_text_attachments_are_documents(items: list[Item]) -> None:
    names = {item.title for item in items if item.source == "attachment"}

    assert names == {
        "harbor-interviews.csv",
        "alpha-risks.csv",
        "usability-round-2.md",
        "Harbor pilot: contract draft",
    }


def test_invitations_are_events(items: list[Item]) -> None:
    events = [item for item in items if item.kind is Kind.EVENT]

    assert len(events) == 2
    assert {item.source for item in events} == {"calendar"}


def test_no_address_could_be_anybodys(items: list[Item]) -> None:
    addresses = {person.address for item in items for person in item.people if person.address}

    assert all(parseaddr(one)[1].endswith(".example") for one in addresses)
