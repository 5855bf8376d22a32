"""Chats of KakaoTalk, of computers and phones, in Korean and English."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.importers.task_files import events, items

COMPUTER = """\
\ufeff윤수진 님과 카카오톡 대화
저장한 날짜 : 2026-03-10 21:00:00

--------------- 2026년 2월 7일 토요일 ---------------
[윤수진] [오후 7:04] 언니 집 계약했어??
두 번째 줄
[윤서영] [오전 12:06] 응 오늘: 도장 찍었어
[윤수진] [오후 7:07] 사진
[윤수진] [오후 7:08] 파일: 계약서.pdf
윤서영님이 나갔습니다.
--------------- 2026년 2월 8일 일요일 ---------------
[윤수진] [오후 12:30] 응
"""
ENGLISH = """\
KakaoTalk Chats with Yard crew 3
Date Saved : 2026-03-10 21:00:00

--------------- Saturday, February 7, 2026 ---------------
[Mira Holm] [7:04 PM] The crane is back
[Jon] [9:00 AM] Photo
--------------- Sunday, February 8, 2026 ---------------
[Jon] [12:15 AM] Greased
"""
PHONE = """\
윤수진 님과 카카오톡 대화
저장한 날짜 : 2026년 3월 10일 오후 9:00

2026년 2월 7일 토요일
2026년 2월 7일 오후 7:04, 윤수진 : 언니 집 계약했어??
2026년 2월 7일 오후 7:05, 윤서영 : 응
두 번째 줄
2026년 2월 7일 오후 7:06, 윤서영님이 나갔습니다.
"""
IPHONE = """\
윤수진 님과 카카오톡 대화
저장한 날짜 : 2026. 3. 10. 오후 9:00

2026년 2월 7일 토요일
2026. 2. 7. 오후 7:04, 윤수진 : 언니 집 계약했어??
2026. 2. 7. 19:05, 윤서영 : 응
두 번째 줄
"""
PHONE_ENGLISH = """\
KakaoTalk Chats with Mira
Date Saved : March 10, 2026 at 9:00 PM

Saturday, February 7, 2026
February 7, 2026 at 7:04 PM, Mira : The crane is back
Feb 7, 2026, 7:05 PM, Jon : Greased
second line
"""


def test_a_chat_of_a_computer_is_read(tmp_path: Path) -> None:
    asked, answered, file, later = items(tmp_path, COMPUTER, name="KakaoTalk_윤수진.txt")

    assert asked.content == "언니 집 계약했어??\n두 번째 줄"
    assert (asked.source, asked.title) == ("kakaotalk", "윤수진")
    assert asked.session == "kakaotalk/윤수진"
    assert asked.people[0].name == "윤수진"
    assert asked.happened_at == datetime(2026, 2, 7, 19, 4, tzinfo=UTC)
    assert asked.metadata == {"_time_zone": "assumed UTC"}
    assert (answered.content, answered.happened_at) == (
        "응 오늘: 도장 찍었어",
        datetime(2026, 2, 7, 0, 6, tzinfo=UTC),
    )
    assert file.metadata["attachments"] == [{"name": "계약서.pdf"}]
    assert later.happened_at == datetime(2026, 2, 8, 12, 30, tzinfo=UTC)
    assert [one.position for one in (asked, answered, file, later)] == [0, 1, 2, 3]


def test_a_chat_in_english_is_read(tmp_path: Path) -> None:
    crane, greased = items(tmp_path, ENGLISH, name="chat.txt")

    assert (crane.title, crane.people[0].name) == ("Yard crew 3", "Mira Holm")
    assert crane.happened_at == datetime(2026, 2, 7, 19, 4, tzinfo=UTC)
    assert (greased.content, greased.happened_at) == (
        "Greased",
        datetime(2026, 2, 8, 0, 15, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("text", "authors", "words"),
    [
        (PHONE, ["윤수진", "윤서영"], ["언니 집 계약했어??", "응\n두 번째 줄"]),
        (IPHONE, ["윤수진", "윤서영"], ["언니 집 계약했어??", "응\n두 번째 줄"]),
        (PHONE_ENGLISH, ["Mira", "Jon"], ["The crane is back", "Greased\nsecond line"]),
    ],
)
def test_a_chat_of_a_phone_is_read(
    tmp_path: Path, text: str, authors: list[str], words: list[str]
) -> None:
    found = items(tmp_path, text, name="Talk.txt")

    assert [one.people[0].name for one in found] == authors
    assert [one.content for one in found] == words
    assert [one.happened_at for one in found] == [
        datetime(2026, 2, 7, 19, minute, tzinfo=UTC) for minute in (4, 5)
    ]


def test_what_has_no_day_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    text = COMPUTER.replace("2월 8일 일요일", "2월 31일 금요일")

    found = events(tmp_path, text, name="KakaoTalk_윤수진.txt")

    assert [one.item.content for one in found if one.item][1:] == [
        "응 오늘: 도장 찍었어",
        "계약서.pdf",
    ]
    assert [one.skipped.reason for one in found if one.skipped] == [
        "date: is none: '2026년 2월 31일'",
        "date: is none: no day stands above '오후 12:30'",
    ]


def test_a_text_about_a_chat_is_none(tmp_path: Path) -> None:
    (note,) = items(tmp_path, "카카오톡 대화를 저장했다.\n\n어제.\n", name="note.txt")

    assert note.source == "file"
