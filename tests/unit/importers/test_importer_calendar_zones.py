"""Zones that a calendar defines: bounded together, none forgotten, expanded only where needed."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from simonides.importers import calendar_zones, read
from simonides.importers.calendar_zones import REPEATED_MAX
from simonides.text import observed_zone, recurrence

LONDON = (
    "19810329T010000 +0000 +0100 FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
    "19811025T020000 +0100 +0000 FREQ=YEARLY;UNTIL=19951022T010000Z;BYMONTH=10;BYDAY=4SU",
    "19961027T020000 +0100 +0000 FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
)


def zone(number: int, rules: int) -> str:
    rule = (
        "BEGIN:STANDARD\r\nDTSTART:19700{0}01T000000\r\nRRULE:FREQ=YEARLY;BYMONTH={0};BYDAY=1SU\r\n"
        "TZOFFSETFROM:+0500\r\nTZOFFSETTO:+0300\r\nEND:STANDARD\r\n"
    )
    inner = "".join(rule.format(1 + n % 9) for n in range(rules))
    return f"BEGIN:VTIMEZONE\r\nTZID:Z{number}\r\n{inner}END:VTIMEZONE\r\n"


def event(name: str) -> str:
    start = f"DTSTART;TZID={name}:20260305T100000\r\n"
    return f"BEGIN:VEVENT\r\nUID:{name}\r\nSUMMARY:x\r\n{start}END:VEVENT\r\n"


def imported(tmp_path: Path, body: str) -> tuple[list[datetime | None], list[str]]:
    path = tmp_path / "a.ics"
    path.write_text(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{body}END:VCALENDAR\r\n")
    steps = list(read(path))
    times = [one.item.happened_at for one in steps if one.item]
    return times, [one.skipped.reason for one in steps if one.skipped]


def test_the_rules_of_all_zones_of_a_file_are_bounded_together(tmp_path: Path) -> None:
    zones = "".join(zone(n, REPEATED_MAX // 2) for n in range(4))
    times, reported = imported(tmp_path, zones + "".join(event(f"Z{n}") for n in range(4)))
    known, unknown = (datetime(2026, 3, 5, hour, tzinfo=UTC) for hour in (7, 10))

    assert times == [known, known, unknown, unknown]
    (reason,) = reported
    assert reason.startswith("2 time zones are not known")


def test_zones_that_are_known_by_name_are_not_counted(tmp_path: Path) -> None:
    named = zone(0, REPEATED_MAX).replace("TZID:Z0", "TZID:Europe/Berlin")
    _, reported = imported(tmp_path, named * 3 + zone(1, 2) + event("Z1"))

    assert reported == []


def test_no_zone_is_forgotten_for_names_that_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Counter[str] = Counter()

    def counted(name: str, rules: tuple[str, ...]) -> Any:
        made[name] += 1
        return observed_zone.ObservedZone(name, rules)

    monkeypatch.setattr(calendar_zones, "observed_zone", counted)
    unknown = "".join(event(f"X{n}") for n in range(150))
    times, _ = imported(tmp_path, zone(0, 2) + (event("Z0") + unknown) * 3)

    assert len(times) == 453
    assert made == {"Z0": 1}


def test_only_the_years_that_are_asked_for_are_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    spans: list[timedelta] = []
    real = recurrence.occurrences

    def noted(*args: Any, **kwargs: Any) -> Any:
        spans.append(kwargs["until"] - kwargs["since"])
        return real(*args, **kwargs)

    monkeypatch.setattr(observed_zone, "occurrences", noted)
    clock = observed_zone.ObservedZone("London", LONDON)
    assert spans == []
    for hour in range(100):
        clock.utcoffset(datetime(2026, 3, 5, tzinfo=UTC) + timedelta(hours=hour))

    assert len(spans) == len(LONDON)
    assert max(spans) < timedelta(days=366 * 55)


def test_the_offsets_of_all_years_are_those_of_the_rules() -> None:
    clock, known = observed_zone.ObservedZone("London", LONDON), ZoneInfo("Europe/London")
    instant = datetime(1997, 1, 1, 12, tzinfo=UTC)
    while instant.year < 2090:
        assert instant.astimezone(clock).replace(tzinfo=None) == instant.astimezone(known).replace(
            tzinfo=None
        )
        instant += timedelta(days=5)


def test_a_change_long_ago_still_stands() -> None:
    rules = (
        "19160521T000000 +0000 +0100",
        "19400101T000000 +0100 +0200 FREQ=YEARLY;UNTIL=19450101T000000Z",
        "19400701T000000 +0200 +0130 FREQ=YEARLY;UNTIL=19450701T000000Z",
    )
    clock = observed_zone.ObservedZone("Quay", rules)
    offsets = [clock.utcoffset(datetime(year, 3, 1)) for year in (1900, 1930, 1943, 1960, 2050)]  # noqa: DTZ001  wall-clock times

    assert [offset.total_seconds() / 3600 for offset in offsets] == [0, 1, 2, 1.5, 1.5]


def test_a_rule_without_end_that_names_no_day_ends(tmp_path: Path) -> None:
    never = zone(0, 90).replace("BYDAY=1SU", "BYMONTHDAY=31").replace("YEARLY", "MONTHLY")
    times, reported = imported(tmp_path, never + event("Z0"))

    assert (len(times), reported) == (1, [])


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("Mountain Time (US & Canada)", "America/Denver"),
        ("(GMT-06:00) Central Time (US & Canada)", "America/Chicago"),
        ("(UTC-04:00) Atlantic Time (Canada)", "America/Halifax"),
        ("(GMT+01.00) Belgrade / Bratislava / Budapest", "Europe/Budapest"),
        ("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "Asia/Kolkata"),
        ("(UTC+10:00) Canberra, Melbourne, Sydney", "Australia/Sydney"),
        ("(UTC) Dublin, Edinburgh, Lisbon, London", "Europe/London"),
        ("(UTC-03:00) Brasilia", "America/Sao_Paulo"),
        ("(UTC-07:00) Arizona", "America/Phoenix"),
        ("(UTC+01:00) West Central Africa", "Africa/Lagos"),
        ("(UTC) Coordinated Universal Time", "Etc/UTC"),
        ("America/Los Angeles", "America/Los_Angeles"),
        ("Osaka, Sapporo, Tokyo", "Asia/Tokyo"),
        ("(UTC+02:00)", "Etc/GMT-2"),
    ],
)
@pytest.mark.parametrize("month", [1, 7])
def test_a_zone_is_known_by_the_name_that_programs_show(
    tmp_path: Path, name: str, zone: str, month: int
) -> None:
    body = event(f'"{name}"').replace("202603", f"2026{month:02}")
    times, reported = imported(tmp_path, body)

    assert times == [datetime(2026, month, 5, 10, tzinfo=ZoneInfo(zone)).astimezone(UTC)]
    assert reported == []


@pytest.mark.parametrize(
    "name",
    [
        "Customized Time Zone",
        "(UTC+09:00) Paris",
        "(UTC+99:99) Paris",
        "Central Time (Mexico)",
        "(UTC+01:00) Amsterdamned",
        "Time",
        ", , &",
    ],
)
def test_a_name_that_says_no_zone_is_reported(tmp_path: Path, name: str) -> None:
    times, reported = imported(tmp_path, event(f'"{name}"') * 2)

    assert times == [datetime(2026, 3, 5, 10, tzinfo=UTC)] * 2
    assert reported == [
        f"{name!r}: not known, so the zone that the calendar names is assumed, or else your own"
    ]


@pytest.mark.parametrize(
    "name", ['"tzone://Microsoft/Utc"', "tzone://Microsoft/Utc", "UTC", "Etc/UTC"]
)
def test_utc_is_known_however_it_is_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.ics"
    path.write_text(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{event(name)}END:VCALENDAR\r\n")
    [step] = read(path, timezone="America/Chicago")

    assert step.item is not None
    assert step.item.happened_at == datetime(2026, 3, 5, 10, tzinfo=UTC)


def test_some_of_many_unknown_names_are_reported(tmp_path: Path) -> None:
    _, reported = imported(tmp_path, "".join(event(f"X{n}") for n in range(9)))

    assert len(reported) == 1
    assert reported[0].startswith("'X0', 'X1', 'X2', 'X3', 'X4' and 4 more: not known")


def test_the_rules_that_came_along_stand_before_a_name_that_is_shown(tmp_path: Path) -> None:
    named = zone(0, 2).replace("TZID:Z0", "TZID:Osaka\\, Tokyo")
    times, reported = imported(tmp_path, named + event('"Osaka, Tokyo"'))

    assert times == [datetime(2026, 3, 5, 7, tzinfo=UTC)]
    assert reported == []
