"""Headers as they are met: encoded, folded, 8-bit, broken, and far too long."""

from datetime import UTC, datetime

import pytest

from simonides.importers.header import (
    PEOPLE_MAX,
    addresses,
    ids,
    labels,
    message_id,
    people,
    read_sent_time,
    thread,
    words,
)
from simonides.importers.mime import HEADER_BYTES_MAX, Fields, ParseBudget, parse
from simonides.model.item import Person, Role


def fields(head: bytes) -> Fields:
    return parse(head + b"\n\n", ParseBudget()).fields


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("Re: Alpha", "Re: Alpha"),
        ("=?utf-8?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        ("=?UTF-8?B?R3LDvMOfZQ==?=", "Grüße"),
        ("=?utf-8?B?R3LDvMOfZQ?=", "Grüße"),
        ("=?iso-8859-1?q?M=F6we?= in spring", "Möwe in spring"),
        ("=?utf-8?q?one?= =?utf-8?q?_two?=", "one two"),
        ("=?utf-8?q?one?= and =?utf-8?q?two?=", "one and two"),
        ("=?utf-8?q?M=C3?=\n =?utf-8?q?=B6we?=", "Möwe"),
        ("=?iso-8859-1?q?M=F6we?= =?utf-8?q?n=C3=9F?=", "Möwenß"),
        ("=?utf-8*en?q?tongue?=", "tongue"),
        ("=?nonsense?q?M=C3=B6we?=", "Möwe"),
        ("=?utf-8?b?!!!?=", ""),
        ("=?broken", "=?broken"),
        ("folded\r\n\tover lines", "folded over lines"),
        ("nul\0 and bell\x07", "nul and bell"),
    ],
)
def test_words_are_unfolded_and_decoded(value: str, meant: str) -> None:
    assert words(value) == meant


def test_raw_eight_bit_headers_are_read() -> None:
    head = fields(b"Subject: M\xc3\xb6we\nX-Old: M\xf6we")

    assert (words(head["subject"][0]), words(head["x-old"][0])) == ("Möwe", "Möwe")


def test_a_header_of_a_megabyte_is_cut() -> None:
    budget = ParseBudget()
    message = parse(b"SUBJECT: " + b"a" * 1_000_000 + b"\n\n", budget)

    assert len(message.header("subject")) == HEADER_BYTES_MAX - 1
    assert [loss.reason for loss in budget.losses] == [
        "the header subject is longer than 65536 bytes; it is cut"
    ]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("Sarah <Sarah@Example.COM>", [("Sarah", "sarah@example.com")]),
        ("sarah@example.com", [("", "sarah@example.com")]),
        ("<sarah@example.com>", [("", "sarah@example.com")]),
        ("sarah@example.com (Sarah L)", [("Sarah L", "sarah@example.com")]),
        ('"Lind, S" <s@x.example>, t@x.example', [("Lind, S", "s@x.example"), ("", "t@x.example")]),
        ('"The \\"Boss\\"" <b@x.example>', [('The "Boss"', "b@x.example")]),
        ("'Sarah' <s@x.example>", [("Sarah", "s@x.example")]),
        ("s@x.example <s@x.example>", [("", "s@x.example")]),
        ("=?utf-8?q?M=C3=B6we?= <m@x.example>", [("Möwe", "m@x.example")]),
        ("=?utf-8?q?Tom_=3Ct=40x=2Eexample=3E?=", [("Tom", "t@x.example")]),
        ("=?utf-8?q?Voss=2C_Henrik?= <h@x.example>", [("Voss, Henrik", "h@x.example")]),
        ("undisclosed-recipients:;", []),
        ("Crew: Ann <a@x.example>, b@x.example;", [("Ann", "a@x.example"), ("", "b@x.example")]),
        ("Mira", [("Mira", "")]),
        ("a@x.example; b@x.example", [("", "a@x.example"), ("", "b@x.example")]),
        ("a@x.example, A@x.example", [("", "a@x.example")]),
        ('"never closed <a@x.example>', [("never closed", "a@x.example")]),
        (", ,", []),
        ("", []),
    ],
)  # fmt: skip
def test_addresses_are_parted_and_tidied(value: str, found: list[tuple[str, str]]) -> None:
    assert list(addresses(value)) == found


@pytest.mark.parametrize("mark", ['"\\', "(\\", "<", "x@", "=?utf-8?q?"])
def test_a_hostile_address_header_is_read_in_one_pass(mark: str) -> None:
    assert len(addresses(mark * (HEADER_BYTES_MAX // len(mark)))) <= 1


def test_very_many_recipients_are_cut() -> None:
    assert len(addresses(", ".join(f"p{n}@x.example" for n in range(2000)))) == PEOPLE_MAX


def test_everyone_takes_part_in_their_role_once() -> None:
    head = fields(
        b"From: Sarah <s@x.example>\nTo: mira@x.example, Mira <mira@x.example>\n"
        b"Cc: Tom <t@x.example>\nBcc: p@x.example"
    )

    assert people(head) == (
        Person(name="Sarah", address="s@x.example", role=Role.AUTHOR),
        Person(address="mira@x.example", role=Role.TO),
        Person(name="Tom", address="t@x.example", role=Role.CC),
        Person(address="p@x.example", role=Role.CC),
    )


def test_the_sender_writes_where_there_is_no_from() -> None:
    assert people(fields(b"Sender: robot@x.example"))[0].role is Role.AUTHOR


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("<a.b@x>", "a.b@x"),
        (" <a@x> (note) ", "a@x"),
        ("a@x", "a@x"),
        ("<a b@x>", "ab@x"),
        ("", ""),
    ],
)
def test_a_message_id_loses_its_brackets(value: str, found: str) -> None:
    assert message_id(value) == found


def test_an_endless_message_id_is_kept_as_its_hash() -> None:
    assert len(message_id(f"<{'a' * 5000}@x>")) == 26


def test_ids_are_found_between_comments_and_folds() -> None:
    assert ids("<a@x>\n\t<b@x> your mail of Monday <c@x>") == ["a@x", "b@x", "c@x"]


@pytest.mark.parametrize(
    ("head", "session"),
    [
        (b"References: <root@x> <mid@x>\nIn-Reply-To: <mid@x>", "root@x"),
        (b"In-Reply-To: <mid@x>", "mid@x"),
        (b"References: nothing useful\nIn-Reply-To: <mid@x>", "mid@x"),
        (b"X-GM-THRID: 184881\nReferences: <root@x>", "184881"),
        (b"Subject: alone", "own@x"),
    ],
)
def test_a_thread_is_named_by_its_root(head: bytes, session: str) -> None:
    assert thread(fields(head), "own@x") == session


def test_labels_and_keywords_become_tags() -> None:
    head = fields(
        b'X-Gmail-Labels: =?UTF-8?Q?Inbox,"K=C3=BCche,_Bad"?=,Family\nKeywords: Family, boat,'
    )

    assert labels(head) == ("Inbox", "Küche, Bad", "Family", "boat")


DATED = "Thu, 5 Mar 2026 10:00:00 +0100"
NINE = datetime(2026, 3, 5, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "head",
    [
        f"Date: {DATED}",
        "Date: Thu, 5 Mar 2026 10:00:00 +0100 (CET)",
        "Date: 5 Mar 2026 09:00 -0000",
        "Date: Thu, 5 Mar 26 10:00:00 MEZ",
        "Date: Thu, 5 Mar 2026 11:00 CEST (Summer)",
        "Date: Thu, 5 Mar 2026 04:00:00 EST",
        "Date: Thu, 5 Mar 2026 10:00:00 GMT +0100",
        "Date: Thu, 5 Mar 2026 10:00:00 GMT+01:00",
        "Date: Thu, 5 Mar 2026 10:00:00 +01:00 (CET)",
        "Date: 05-MAR-2026 09:00:00",
        "Date: Thu, 05 03 2026 09:00:00",
        "Date: Thu, 5 Mar 2026 9:00:00 AM",
        "Date: Wed, 4 Mar 2026 09:00 p.m. -1200",
        f"Received: from a by b\n\twith SMTP; {DATED}",
        f"Date: some day\nReceived: by b; {DATED}",
    ],
)
def test_the_time_is_that_of_date_or_of_the_newest_stamp(head: str) -> None:
    assert read_sent_time(fields(head.encode()), "")[0] == NINE


@pytest.mark.parametrize(
    ("envelope", "when"),
    [
        ("From a@x.example Thu Mar  5 09:00:00 2026", NINE),
        ("From 184881@xxx Thu Mar 05 09:00:00 +0000 2026", NINE),
        ("From a@x.example Thu Mar  5 10:00:00 2026 +0100", NINE),
        ("From - Thu Mar 05 09:00:00 2026", NINE),
        ("From a@x.example", None),
        ("From a@x.example Thu Mar", None),
        ("", None),
    ],
)
def test_the_mbox_line_dates_a_mail_without_date(envelope: str, when: datetime | None) -> None:
    sent, about = read_sent_time({}, envelope)

    assert sent == when
    assert not about["_date_problem"]


@pytest.mark.parametrize(
    ("date", "assumed"),
    [
        (DATED, ""),
        ("Thu, 5 Mar 2026 09:00:00 -0000", ""),
        ("Thu, 5 Mar 2026 10:00:00 +01:00 (CET)", ""),
        ("Thu, 5 Mar 2026 09:00:00 Z", ""),
        ("Thu, 5 Mar 2026 10:00:00 MEZ", ""),
        ("Thu, 5 Mar 2026 09:00:00", "assumed UTC"),
        ("Thu, 5 Mar 2026 09:00:00 IST", "assumed UTC"),
        ("Thu, 5 Mar 2026 09:00 p.m.", "assumed UTC"),
        ("yesterday", ""),
    ],
)
def test_a_time_without_a_known_zone_is_marked(date: str, assumed: str) -> None:
    assert read_sent_time(fields(f"Date: {date}".encode()), "")[1]["_time_zone"] == assumed


@pytest.mark.parametrize(
    "date",
    [
        "Thu, 31 Feb 2026 10:00:00 +0100",
        "Thu, 5 Mar 2026 25:99:00 +0100",
        "Fri, 1 Jan 1904 00:00:00 +0000",
        "Fri, 1 Jan 9999 00:00:00 +0000",
        "Thu, 5 Mar 2026 10:00:00 +9999",
        "yesterday",
    ],
)
def test_an_impossible_date_is_none_and_says_so(date: str) -> None:
    when, about = read_sent_time(fields(f"Date: {date}".encode()), "")

    assert when is None
    assert date in about["_date_problem"]
