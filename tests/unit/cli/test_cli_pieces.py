"""Pieces that verbs share: days and times as people read them, numbers, receipts, exit statuses."""

import io
import json
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides import errors
from simonides.api.arguments import expand_home
from simonides.cli.context import Context
from simonides.cli.options import (
    Exit,
    finite,
    json_value,
    not_empty,
    not_negative,
    positive,
    status_of,
)
from simonides.cli.output import Output
from simonides.cli.verbs.receipts import read_named
from simonides.config import Settings
from simonides.errors import InvalidInput, SimonidesError

Call = Callable[..., tuple[int, str, str]]

FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)


def context(timezone: str = "UTC", *, stdin: str = "") -> Context:
    """Return the context of a run in a zone, with no memory to open."""

    def opened(*_: Any, **__: Any) -> Any:
        raise AssertionError("no memory is asked for")

    return Context(
        output=Output(io.StringIO(), io.StringIO()), stdin=io.StringIO(stdin), home=Path("home"),
        space="default", settings=Settings(timezone=timezone), clock=lambda: NOON,
        open_memory=opened,
    )  # fmt: skip


# ── days and times ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("zone", "when", "day", "minute"),
    [
        ("UTC", NOON, "2026-03-12", "2026-03-12 12:00 UTC"),
        ("Asia/Tokyo", NOON + timedelta(hours=4), "2026-03-13", "2026-03-13 01:00 JST"),
        ("America/New_York", NOON - timedelta(hours=9), "2026-03-11", "2026-03-11 23:00 EDT"),
        ("UTC", None, " " * 10, ""),
        ("UTC", FIRST, "0001-01-01", "0001-01-01 00:00 UTC"),
    ],
)
def test_a_time_is_shown_in_the_users_zone(
    zone: str, when: datetime | None, day: str, minute: str
) -> None:
    assert (context(zone).day(when), context(zone).minute(when)) == (day, minute)


@pytest.mark.parametrize(
    ("zone", "when", "day"),
    [("America/New_York", FIRST, "0001-01-01"), ("Asia/Tokyo", LAST, "9999-12-31")],
)
def test_where_a_zone_leaves_the_calendar_the_time_is_told_in_utc(
    zone: str, when: datetime, day: str
) -> None:
    assert context(zone).day(when) == day
    assert context(zone).minute(when).startswith(day)
    assert context(zone).minute(when).endswith(" UTC")


@given(when=st.datetimes(timezones=st.just(UTC)), zone=st.sampled_from(
    ["UTC", "Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati"]
))  # fmt: skip
def test_every_time_has_a_day_of_ten_characters_in_every_zone(when: datetime, zone: str) -> None:
    day = context(zone).day(when)

    assert len(day) == 10
    assert context(zone).minute(when).startswith(f"{day} ")
    assert abs(datetime.fromisoformat(day).replace(tzinfo=UTC) - when) <= timedelta(days=2)


@pytest.mark.parametrize("happened_at", [FIRST, LAST])
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize(
    "argv", [("list",), ("search", "alpha"), ("get", "mail-1"), ("explain", "alpha")]
)
def test_an_item_at_an_end_of_the_calendar_does_not_stop_any_verb(
    call: Call, memory: Any, happened_at: datetime, zone: str, argv: tuple[str, ...]
) -> None:
    memory.items["mail-1"] = replace(memory.items["mail-1"], happened_at=happened_at)

    status, out, err = call(*argv, "--timezone", zone)

    assert status == 0, err
    assert str(happened_at.year).rjust(4, "0") in out


# ── numbers and texts of flags ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (positive, "1", 1), (positive, " 12 ", 12), (finite, "-0.5", -0.5), (finite, "1e3", 1e3),
        (not_negative, "0", 0.0), (json_value, '{"a": [1]}', {"a": [1]}),
        (json_value, "null", None), (not_empty, " ", " "),
    ],
)  # fmt: skip
def test_a_flag_takes_what_fits(read: Callable[[str], Any], text: str, value: Any) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text", "problem"),
    [
        (positive, "0", "must be 1 or more, got 0"),
        (positive, "one", "must be a whole number, got 'one'"),
        (positive, "1.0", "must be a whole number, got '1.0'"),
        (finite, "nan", "must be a finite number, got 'nan'"),
        (finite, "-inf", "must be a finite number, got '-inf'"),
        (finite, "", "must be a number, got ''"),
        (not_negative, "-0.1", "must be 0 or more, got '-0.1'"),
        (not_negative, "inf", "must be a finite number"),
        (json_value, "{", "is not valid JSON"),
        (json_value, "[" * 100_000, "is nested too deeply"),
        (not_empty, "", "must not be empty"),
    ],
)
def test_a_flag_tells_what_does_not_fit(
    read: Callable[[str], Any], text: str, problem: str
) -> None:
    with pytest.raises(ArgumentTypeError) as reported:
        read(text)

    assert str(reported.value).startswith(problem)


def test_nobodys_home_is_told() -> None:
    with pytest.raises(InvalidInput, match="nobody has the home of '~nobody-of-that-name/x'"):
        expand_home("~nobody-of-that-name/x")


# ── receipts ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_name_that_is_no_file_is_the_id_of_a_kept_receipt(folder: Path) -> None:
    assert list(folder.iterdir()) == []
    assert read_named(context(), "r-1") == "r-1"
    assert read_named(context(), "x" * 5_000) == "x" * 5_000


@pytest.mark.parametrize("content", [b"\xff", b"{}", b"[]", b""])
def test_a_file_that_is_no_receipt_is_told_by_its_name(folder: Path, content: bytes) -> None:
    (folder / "r.json").write_bytes(content)

    with pytest.raises(InvalidInput, match=r"r\.json: "):
        read_named(context(), "r.json")


def test_a_folder_is_no_receipt(folder: Path) -> None:
    (folder / "r").mkdir()

    with pytest.raises(InvalidInput, match="r: cannot be read"):
        read_named(context(), "r")


def test_a_receipt_that_comes_in_is_reported_as_standard_input() -> None:
    with pytest.raises(InvalidInput, match=r"^standard input: receipt: is no JSON"):
        read_named(context(stdin="hello"), "-")


def test_the_receipt_of_a_briefs_json_is_read_from_a_file(
    call: Call, memory: Any, folder: Path
) -> None:
    (folder / "b.json").write_text("\ufeff" + call("brief", "due?", "--json")[1], "utf-8")

    assert read_named(context(), "b.json") == replace(memory.receipt(), space="default")


# ── exit statuses ─────────────────────────────────────────────────────────────────────────────


def descendants(kind: type[SimonidesError]) -> Iterator[type[SimonidesError]]:
    for one in kind.__subclasses__():
        yield one
        yield from descendants(one)


OUR_ERRORS = sorted(
    {one for one in descendants(SimonidesError) if one.__module__ == errors.__name__},
    key=lambda one: one.__name__,
)


@pytest.mark.parametrize("kind", OUR_ERRORS)
def test_every_error_has_a_status_of_its_own_that_is_no_success(
    kind: type[SimonidesError],
) -> None:
    status = status_of(kind.__new__(kind))

    assert status not in (Exit.OK, Exit.UNEXPECTED, Exit.USAGE)
    assert kind.code != SimonidesError.code


def test_an_error_of_no_known_kind_is_unexpected() -> None:
    assert status_of(SimonidesError("?")) is Exit.UNEXPECTED


def test_the_statuses_are_those_that_scripts_rely_on() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/command-line.md").read_text("utf-8")

    assert len(set(Exit)) == len(Exit)
    for one in Exit:
        assert f"| {one.value} |" in page


def test_json_of_an_answer_is_one_line_and_stdout_has_nothing_else(call: Call) -> None:
    for argv in (("list",), ("search", "alpha"), ("stats",), ("spaces",), ("doctor",)):
        status, out, err = call(*argv, "--json")
        assert (status, err) == (0, "")
        assert out.count("\n") == 1
        json.loads(out)
