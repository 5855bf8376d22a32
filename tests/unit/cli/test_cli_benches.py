"""Every bench on the command line: what it is handed, what is drawn of it, and its status."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides.errors import InvalidInput, NotFound
from simonides_bench import budget, churn, fuzz, hostile, http, importing, recall, requests, speed
from simonides_bench.crash import run as crash
from simonides_bench.crash.flips import Kind
from simonides_bench.crash.judge import Wrong
from simonides_bench.desk import run as desk
from simonides_bench.ranking import run as ranking
from simonides_bench.together import run as together

Call = Callable[..., tuple[int, str, str]]
Handed = Callable[..., dict[str, Any]]

QUIET = dict.fromkeys(("lost_updates", "stale_reads", "lock_errors", "errors", "starved"), 0)
SOUND: dict[str, Any] = {**QUIET, "unsound": 0, "adds": 3, "counts": 0, "slowest_write_ms": 5.0}
FLIPS = {
    kind.value: {"trials": 1, "unclear": 0, "harmless": 1, "unnoticed": 0, "older": 0}
    for kind in Kind
}


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> Handed:
    """Let a bench be one that gives these figures; return what it is called with."""

    def stand_in(bench: Any, figures: Any = None) -> dict[str, Any]:
        seen: dict[str, Any] = {}

        def run(*given: Any, **rest: Any) -> Any:
            seen.update(rest, given=given)
            rest["on_progress"](1, 2)
            if isinstance(figures, Exception):
                raise figures
            return {"done": 1} if figures is None else figures

        monkeypatch.setattr(bench, "run", run)
        return seen

    return stand_in


@pytest.mark.parametrize(
    ("bench", "argv", "expected"),
    [
        (speed, ("speed",), {"chunks": 10_000}),
        (speed, ("speed", "--chunks", "7"), {"chunks": 7}),
        (churn, ("churn",), {"updates": 100_000, "items": 1000}),
        (requests, ("requests", "--count", "9", "--seed", "3"), {"count": 9, "seed": 3}),
        (churn, ("churn", "--updates", "3", "--items", "2"), {"updates": 3, "items": 2}),
        (http, ("http",), {"chunks": 10_000, "clients": 8, "seconds": 20}),
        (http, ("http", "--chunks", "5", "--clients", "1", "--seconds", "2"),
         {"chunks": 5, "clients": 1, "seconds": 2}),
        (importing, ("import-mbox",), {"mails": 100_000}),
        (importing, ("import-mbox", "--mails", "9"), {"mails": 9}),
        (hostile, ("hostile",), {"size_bytes": 200_000}),
        (hostile, ("hostile", "--bytes", "9"), {"size_bytes": 9}),
        (fuzz, ("hostile", "--fuzz", "9", "--seed", "2"), {"seconds": 9, "seed": 2}),
        (budget, ("budget", "--data", "d"), {"given": (Path("d"),), "budgets": (300, 700, 1500)}),
        (budget, ("budget", "--data", "d", "--budgets", "9", "5"), {"budgets": (9, 5)}),
        (desk, ("desk", "--data", "d"),
         {"given": ([Path("d")],), "budget": 700, "keep": None, "misses": None}),
        (desk, ("desk", "--data", "d", "e", "--data", "f", "--budget", "9", "--keep", "k",
                "--misses", "m"),
         {"given": ([Path("d"), Path("e"), Path("f")],), "budget": 9, "keep": Path("k"),
          "misses": Path("m")}),
        (ranking, ("ranking", "--data", "d", "e"),
         {"given": ([Path("d"), Path("e")],), "writes": False, "keep": None}),
        (ranking, ("ranking", "--data", "d", "--data", "e", "--fit", "--keep", "k"),
         {"given": ([Path("d"), Path("e")],), "writes": True, "keep": Path("k")}),
        (recall, ("recall", "--data", "d"),
         {"given": (Path("d"),), "exclude_categories": (), "per_question": None,
          "scorer": "fused"}),
    ],
)  # fmt: skip
def test_the_options_of_a_bench_are_handed_on(
    call: Call, handed: Handed, bench: Any, argv: tuple[str, ...], expected: dict[str, Any]
) -> None:
    figures = {"done": 1, **({"server_errors": 0, "unanswered": 0} if bench is requests else {})}
    seen = handed(bench, figures)
    status, out, _ = call("bench", *argv, "--json")

    assert (status, json.loads(out)) == (0, figures)
    assert {name: seen[name] for name in expected} == expected


def test_the_load_of_together_is_handed_on(call: Call, handed: Handed) -> None:
    seen = handed(together, SOUND)

    assert call("bench", "together", "--processes", "2", "--seconds", "1")[0] == 0
    [load] = seen["given"]
    assert (load.processes, load.threads, load.seconds) == (2, 8, 1)


def test_the_trials_of_crash_have_their_defaults(call: Call, handed: Handed) -> None:
    sound = {**{one.value: 0 for one in Wrong}, "flips": FLIPS}
    seen = handed(crash, sound)

    assert call("bench", "crash")[0] == 0
    assert seen["given"] == (crash.Trials(),)


@pytest.mark.parametrize(
    ("argv", "bench"), [(("budget", "--data", "d"), budget), (("recall", "--data", "d"), recall)]
)
def test_benches_of_quality_have_the_settings_without_the_person(
    call: Call, handed: Handed, argv: tuple[str, ...], bench: Any
) -> None:
    seen = handed(bench)
    call(
        "bench", *argv, "--embedder", "none", SIMONIDES_OWNER="Tom",
        SIMONIDES_TIMEZONE="Asia/Tokyo", SIMONIDES_DURABILITY="full", SIMONIDES_LANGUAGE="de",
    )  # fmt: skip

    used = seen["settings"]
    assert (used.owner, used.timezone, used.durability) == ((), "UTC", "relaxed")
    assert (used.embedder, used.language) == ("none", "de")


# ── status ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [*QUIET, "unsound"])
def test_anything_lost_or_refused_together_has_a_status_of_its_own(
    call: Call, handed: Handed, name: str
) -> None:
    handed(together, {**SOUND, name: 1})

    status, out, _ = call("bench", "together", "--json")

    assert status == 8
    assert json.loads(out)[name] == 1


def test_a_load_under_which_nobody_wrote_has_that_status_too(call: Call, handed: Handed) -> None:
    handed(together, {**SOUND, "adds": 0})

    assert call("bench", "together")[0] == 8


@pytest.mark.parametrize(
    "flips",
    [
        {**FLIPS, "index": {"trials": 1, "unclear": 0, "harmless": 0}},
        {**FLIPS, "database": {"trials": 1, "unclear": 1, "harmless": 0}},
    ],
)
def test_a_flip_that_nobody_may_miss_has_that_status(
    call: Call, handed: Handed, flips: dict[str, Any]
) -> None:
    handed(crash, {**{one.value: 0 for one in Wrong}, "flips": flips})

    assert call("bench", "crash")[0] == 8


@pytest.mark.parametrize("bench", [speed, churn, http])
def test_a_bench_that_only_measures_ends_well_whatever_it_measured(
    call: Call, handed: Handed, bench: Any
) -> None:
    handed(bench, {"errors": 5, "file_ratio": 9.0})

    assert call("bench", bench.__name__.rpartition(".")[2])[0] == 0


@pytest.mark.parametrize(
    ("error", "status"), [(NotFound("documentation", "lib"), 3), (InvalidInput("d:2", "bad"), 4)]
)
def test_what_stops_a_bench_is_reported_as_of_any_verb(
    call: Call, handed: Handed, error: Exception, status: int
) -> None:
    handed(speed, error)

    assert call("bench", "speed") == (status, "", f"simonides bench: {error} [{error.code}]\n")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (("speed", "--chunks", "x"), "must be a whole number, got 'x'"),
        (("speed", "--chunks", "-1"), "must be 1 or more, got -1"),
        (("crash", "--kills", "-1"), "must be a whole number, 0 or more, got '-1'"),
        (("crash", "--kills", "1.5"), "must be a whole number, 0 or more, got '1.5'"),
        (("crash", "--kills", "²"), "must be a whole number, 0 or more, got '²'"),
        (("together", "--threads", "0"), "must be 1 or more, got 0"),
        (("http", "--seconds", "0"), "must be 1 or more, got 0"),
        (("budget", "--data", "d", "--budgets", "0"), "must be 1 or more, got 0"),
        (("recall", "--data", "d", "--scorer", "best"), "invalid choice: 'best'"),
        (("races",), "invalid choice: 'races'"),
    ],
)
def test_what_does_not_fit_a_bench_is_reported(
    call: Call, argv: tuple[str, ...], problem: str
) -> None:
    status, out, err = call("bench", *argv)

    assert (status, out) == (2, "")
    assert problem in err
    assert f"try: simonides bench {argv[0]} --help" in err or argv == ("races",)


def test_none_of_something_is_taken_where_trials_are_counted(call: Call, handed: Handed) -> None:
    seen = handed(crash, {**{one.value: 0 for one in Wrong}, "flips": FLIPS})
    counts = [f"--{name.replace('_', '-')}" for name in crash.COUNTS]
    call("bench", "crash", *(word for one in counts for word in (one, "0")))

    assert seen["given"][0].total == 0


# ── what is drawn ─────────────────────────────────────────────────────────────────────────────


def drawn(call: Call, handed: Handed, figures: dict[str, Any]) -> list[str]:
    handed(speed, figures)
    status, out, err = call("bench", "speed")
    assert (status, err) == (0, "")
    return out.splitlines()


def test_numbers_are_drawn_to_four_digits_and_texts_as_they_are(call: Call, handed: Handed) -> None:
    figures = {"a": 1234.5678, "b": 7, "c": None, "d": "text", "e": [], "f": [1, 2.5]}

    assert drawn(call, handed, figures) == [
        "figure  value", "a       1235", "b       7", "c       None", "d       text", "e",
        "f       1 to 2.5",
    ]  # fmt: skip


def test_a_group_without_members_is_left_out(call: Call, handed: Handed) -> None:
    assert drawn(call, handed, {"a": 1, "by": {}}) == ["figure  value", "a           1"]


def test_members_with_figures_of_their_own_are_rows_and_lack_what_others_have(
    call: Call, handed: Handed
) -> None:
    figures = {"by": {"one": {"x": 1, "y": 2}, "two": {"y": 0.5}}}

    assert drawn(call, handed, figures)[-3:] == ["by   x  y", "one  1  2", "two     0.5"]


def test_a_request_that_failed_is_a_problem(call: Call, handed: Handed) -> None:
    handed(requests, {"server_errors": 1, "unanswered": 0})

    assert call("bench", "requests")[0] == 8
