"""Relative times and named days in German, French, Spanish, Portuguese and Italian."""

from datetime import UTC, datetime
from typing import Final

import pytest
from tests.unit.text.time_ranges import find_range

from simonides.text.dates import find_ranges

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
"""A Thursday."""


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("was war gestern", "2026-03-11", "2026-03-12"),
        ("was steht übermorgen an", "2026-03-14", "2026-03-15"),
        ("letzte Woche", "2026-03-02", "2026-03-09"),
        ("letzten Freitag", "2026-03-06", "2026-03-07"),
        ("nächste Woche", "2026-03-16", "2026-03-23"),
        ("am 4. Juli", "2026-07-04", "2026-07-05"),
        ("am 4. August", "2026-08-04", "2026-08-05"),
        ("im Oktober 2026", "2026-10-01", "2026-11-01"),
        ("vor 3 Tagen", "2026-03-09", "2026-03-10"),
        ("hier", "2026-03-11", "2026-03-12"),
        ("la semaine dernière", "2026-03-02", "2026-03-09"),
        ("mardi prochain", "2026-03-17", "2026-03-18"),
        ("le 4 juillet", "2026-07-04", "2026-07-05"),
        ("il y a 3 jours", "2026-03-09", "2026-03-10"),
        ("ayer", "2026-03-11", "2026-03-12"),
        ("la semana pasada", "2026-03-02", "2026-03-09"),
        ("el lunes pasado", "2026-03-09", "2026-03-10"),
        ("hace 2 semanas", "2026-02-23", "2026-03-02"),
        ("ontem", "2026-03-11", "2026-03-12"),
        ("na próxima semana", "2026-03-16", "2026-03-23"),
        ("ieri", "2026-03-11", "2026-03-12"),
        ("la settimana scorsa", "2026-03-02", "2026-03-09"),
        ("3 giorni fa", "2026-03-09", "2026-03-10"),
        ("lunedì prossimo", "2026-03-16", "2026-03-17"),
    ],
)
def test_times_of_other_languages_are_read(text: str, since: str, until: str) -> None:
    read = find_range(text, now=NOW, timezone="UTC")

    assert read is not None
    assert (read.since, read.until) == (
        datetime.fromisoformat(f"{since}T00:00:00Z"),
        datetime.fromisoformat(f"{until}T00:00:00Z"),
    )
    assert read.text in text


@pytest.mark.parametrize(
    "text", ["hier ist das Dokument", "how may I march on", "diese an die Bank", "a la mer"]
)
def test_words_that_only_look_like_a_time_are_none(text: str) -> None:
    assert find_ranges(text, now=NOW, timezone="UTC") == ()


@pytest.mark.parametrize("text", ["in August 2023", "next week", "4 April", "2 July 2026"])
def test_english_is_read_as_before(text: str) -> None:
    [match] = find_ranges(text, now=NOW, timezone="UTC")

    assert match.range.text in text.removeprefix("in ")
