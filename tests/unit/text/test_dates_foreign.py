"""Whole dates with a foreign month are read; words that only look like them are not."""

from calendar import month_name
from datetime import UTC, datetime
from importlib import import_module

import pytest
from tests.unit.text.time_ranges import find_range

from simonides.text.dates import find_ranges
from simonides.text.dates.words import find_foreign

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "sv", "da", "tr")
MONTHS = [name.lower() for name in month_name][1:]
NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Was geschah am 5. März 2023?", (2023, 3, 5)),
        ("5 mai 2023", (2023, 5, 5)),
        ("el 5 de mayo de 2023", (2023, 5, 5)),
        ("12 giugno 2024, a Roma", (2024, 6, 12)),
        ("встреча 7 мая 2023", (2023, 5, 7)),
        ("2023年5月6日に何があった", (2023, 5, 6)),
    ],
)
def test_a_foreign_date_is_read_as_its_day(text: str, day: tuple[int, int, int]) -> None:
    found = find_range(text, now=NOW, timezone="UTC")

    assert found is not None
    assert found.since == datetime(*day, tzinfo=UTC)
    assert found.until == datetime(day[0], day[1], day[2] + 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["12 items 2024", "3 floors 2022", "31 Februar 2023", "7 de 2024"])
def test_a_number_a_word_and_a_year_are_no_foreign_date(text: str) -> None:
    units = {match.unit for match in find_ranges(text, now=NOW, timezone="UTC")}

    assert "day" not in units


def test_an_english_date_is_left_to_the_grammar() -> None:
    found = find_ranges("5 May 2023", now=NOW, timezone="UTC")

    assert [(match.unit, match.range.text) for match in found] == [("day", "5 May 2023")]


def test_the_zone_decides_where_the_day_begins() -> None:
    found = find_range("5. März 2023", now=NOW, timezone="Europe/Vienna")

    assert found is not None
    assert found.since == datetime(2023, 3, 4, 23, tzinfo=UTC)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_of_months_are_those_of_dateparser(language: str) -> None:
    words = import_module(f"dateparser.data.date_translation_data.{language}").info
    said = {
        name: number
        for number, month in enumerate(MONTHS, 1)
        for name in words[month]
        if len(name) >= 3
    }

    assert len(said) > 20
    assert {name: month_of(name) for name in said} == said


@pytest.mark.parametrize("word", ["Jahre", "gestern", "anni", "deux", "dni", "минут", "abc"])
def test_other_words_of_these_languages_are_no_months(word: str) -> None:
    assert month_of(word) == 0


def month_of(name: str) -> int:
    found = [day.month for day, _, _ in find_foreign(f"5 {name} 2023", read_already=())]
    return found[0] if found else 0
