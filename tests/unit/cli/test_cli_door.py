"""The way in: errors and their exit statuses, usage, help, and what is written where."""

import io
import json
import re
import shlex
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from simonides.cli.main import build_parser, run
from simonides.cli.options import Exit, status_of
from simonides.cli.verbs import VERBS
from simonides.errors import (
    AccessDenied,
    EmbedderError,
    EmbedderTimeout,
    ImportFailed,
    InvalidInput,
    InvalidSpaceName,
    ModelError,
    ModelTimeout,
    NotFound,
    SimonidesError,
    StoreBusy,
    StoreCorrupt,
    WrongEmbedder,
)

Call = Callable[..., tuple[int, str, str]]

ERRORS = [
    (NotFound("item", "zz"), 3),
    (InvalidInput("limit", "is too large"), 4),
    (InvalidSpaceName("space", "has a slash"), 4),
    (StoreBusy("another writer"), 5),
    (StoreCorrupt("page 3"), 5),
    (WrongEmbedder("was made by another"), 5),
    (EmbedderError("failed"), 6),
    (EmbedderTimeout("too slow"), 6),
    (ModelError("failed"), 11),
    (ModelTimeout("too slow"), 11),
    (AccessDenied("the key is not known"), 12),
    (ImportFailed("no such file"), 7),
    (SimonidesError("something else"), 1),
]


@pytest.mark.parametrize(("error", "status"), ERRORS)
def test_each_error_has_one_exit_status(error: SimonidesError, status: int) -> None:
    assert status_of(error) == status


@pytest.mark.parametrize(("error", "status"), ERRORS)
def test_an_error_is_reported_on_stderr_with_its_code(
    call: Call,
    failing: Callable[[SimonidesError], None],
    error: SimonidesError,
    status: int,
) -> None:
    failing(error)

    assert call("stats") == (status, "", f"simonides stats: {error} [{error.code}]\n")


def test_with_json_an_error_is_one_object_on_stderr_and_stdout_stays_empty(
    call: Call, failing: Callable[[SimonidesError], None]
) -> None:
    failing(StoreBusy("another writer holds the space"))

    status, out, err = call("stats", "--json")

    assert (status, out) == (5, "")
    assert err.count("\n") == 1
    assert json.loads(err) == {
        "error": {
            "code": "store_busy",
            "message": "another writer holds the space",
            "retryable": True,
        }
    }


def test_our_own_mistake_is_reported_with_its_place(call: Call, memory: Any) -> None:
    memory.fails = ZeroDivisionError("by zero")

    status, out, err = call("stats")

    assert (status, out) == (1, "")
    assert re.fullmatch(
        r"simonides stats: ZeroDivisionError: by zero \(at conftest.py:\d+\) \[unexpected\]\n", err
    )


def test_an_interrupted_run_has_the_status_of_the_signal(call: Call, memory: Any) -> None:
    def interrupt() -> NoReturn:
        raise KeyboardInterrupt

    memory.stats = interrupt

    assert call("stats") == (Exit.INTERRUPTED, "", "")


def test_an_interrupted_import_says_that_what_was_read_is_kept(call: Call, memory: Any) -> None:
    memory.fails = KeyboardInterrupt()

    status, out, err = call("import", "x")

    assert (status, out) == (130, "")
    assert err == "interrupted; what was read is kept, and importing again goes on\n"


def test_an_error_is_reported_on_one_line_whatever_it_names(
    call: Call, failing: Callable[[SimonidesError], None]
) -> None:
    failing(ImportFailed("a\nb.mbox: there is no such file"))

    assert call("import", "x")[2] == (
        "simonides import: a b.mbox: there is no such file [import_failed]\n"
    )


def test_the_memory_is_closed_even_after_an_error(
    call: Call, memory: Any, failing: Callable[[SimonidesError], None]
) -> None:
    failing(NotFound("item", "zz"))
    call("get", "zz")

    assert memory.calls[-1] == ("close", {})


def test_an_error_cannot_steer_the_terminal(
    call: Call, failing: Callable[[SimonidesError], None]
) -> None:
    failing(ImportFailed("\x1b]0;owned\x07 \u202egpj.exe"))

    _, _, err = call("import", "x")

    assert err == "simonides import: ]0;owned <U+202E>gpj.exe [import_failed]\n"


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        ((), "simonides: the following arguments are required: VERB [usage]"),
        (("find", "x"), "simonides: argument VERB: invalid choice: 'find'"),
        (("--limit", "3", "search", "x"), "simonides: --limit is not an option of every verb"),
        (("search",), "simonides search: the following arguments are required: QUERY"),
        (("search", "x", "--limit", "0"), "argument --limit: must be 1 or more, got 0 [usage]"),
        (("search", "x", "--limit", "-3"), "argument --limit: must be 1 or more, got -3"),
        (("search", "x", "--limit", "ten"), "argument --limit: must be a whole number, got 'ten'"),
        (
            ("brief", "x", "--budget", "0"),
            "--budget-tokens: must be 1 or more, got 0",
        ),
        (("brief", "x", "--budget", "9", "--budget-words", "9"), "not allowed with argument"),
        (("search", "x", "--min-score", "nan"), "--min-score: must be a finite number"),
        (("search", "x", "--mode", "magic"), "argument --mode: invalid choice: 'magic'"),
        (("search", "x", "--time", "soon"), "argument --time: invalid choice: 'soon'"),
        (("search", "x", "--where", "{"), "argument --where: is not valid JSON"),
        (("search", "x", "--lim", "3"), "unrecognized arguments: --lim 3"),
        (("search", "x", "--where", "[" * 100_000), "argument --where: is nested too deeply"),
        (("list", "--space", ""), "argument --space: must not be empty"),
        (("list", "--home", ""), "argument --home: must not be empty"),
        (("list", "--now", ""), "argument --now: must not be empty"),
    ],
)
def test_what_does_not_fit_the_usage_is_told_with_a_way_to_help(
    call: Call, argv: tuple[str, ...], problem: str
) -> None:
    status, out, err = call(*argv)

    assert (status, out) == (2, "")
    assert problem in err
    assert re.search(r"\n  try: simonides( \w+)? --help\n\Z", err)


def test_a_usage_error_is_json_too_if_that_was_asked(call: Call) -> None:
    status, out, err = call("search", "x", "--json", "--limit", "0")

    assert (status, out) == (2, "")
    assert json.loads(err)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (("search", "x", "--since", "soon"), "--since: 'soon' is no date"),
        (("search", "x", "--until", "soon"), "--until: 'soon' is no date"),
        (("search", "x", "--now", "soon"), "--now: 'soon' is no date"),
        (("search", "x", "--time", "today", "--since", "2026-01-01"), "--time: stands for a range"),
        (("list", "--since", "2026-01-02", "--until", "2026-01-02"), "--until: must be later"),
        (("search", "x", "--where", "[1]"), "--where.and[0]: must be an object"),
        (("search", " "), "QUERY: is empty"),
        (("search", "x", "--timezone", "Mars"), "timezone: no time zone is called 'Mars'"),
        (("search", "x", "--embedder", "magic"), "embedder: must be one of"),
        (("list", "--home", "~nobody-here/x"), "path: nobody has the home of '~nobody-here/x'"),
        (("import", ""), 'path: is empty; write "." for the current folder'),
        (("import", "~nobody-here/x"), "path: nobody has the home of '~nobody-here/x'"),
        (("list", "--time", "yesterday", "--now", "0001-01-01T09:00"), "now: "),
        (("list", "--time", "last_week", "--now", "0001-01-02"), "now: "),
        (("list", "--time", "last_week", "--now", "9999-12-31T23:59:59.999999"), "now: "),
    ],
)
def test_a_value_that_does_not_fit_is_invalid_input_by_the_name_of_its_flag(
    call: Call, argv: tuple[str, ...], problem: str
) -> None:
    status, out, err = call(*argv)

    assert (status, out) == (4, "")
    assert problem in err


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example_that_parses(
    call: Call, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    example = VERBS[verb].EXAMPLE
    status, _, _ = call(verb, "--help")

    assert status == 0
    assert example in capsys.readouterr().out
    program, *argv = shlex.split(example)
    assert program == "simonides"
    assert build_parser().parse_args(argv).verb == verb


def test_the_help_lists_every_verb(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help")[0] == 0

    shown = capsys.readouterr().out
    assert all(re.search(rf"^    {verb} ", shown, re.MULTILINE) for verb in VERBS)


def test_the_version_is_the_packages(call: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--version")[0] == 0
    assert re.fullmatch(r"simonides \d+\.\d+\.\d+\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    "argv",
    [("--json", "stats"), ("stats", "--json"), ("--json", "--space", "team", "stats")],
)
def test_shared_options_may_stand_before_or_after_the_verb(
    call: Call, argv: tuple[str, ...]
) -> None:
    status, out, _ = call(*argv)

    assert status == 0
    assert json.loads(out)["items"] == 1


def test_home_and_space_come_from_the_environment_unless_they_are_given(
    call: Call, memory: Any
) -> None:
    call("stats", SIMONIDES_HOME="/tmp/elsewhere", SIMONIDES_SPACE="team")  # noqa: S108  a name
    call("stats", "--home", "/tmp/here", "--space", "mine", SIMONIDES_SPACE="team")  # noqa: S108

    assert [(str(one["home"]), one["space"]) for one in memory.opened] == [
        ("/tmp/elsewhere", "team"),  # noqa: S108  a name
        ("/tmp/here", "mine"),  # noqa: S108  a name
    ]


def test_options_win_over_the_environment_and_that_over_the_file(
    call: Call, memory: Any, tmp_path: Any
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        'embedder = "openai"\ntimezone = "Asia/Tokyo"\nlanguage = "de"\n'
    )
    environment = {"SIMONIDES_EMBEDDER": "minilm", "SIMONIDES_TIMEZONE": "Europe/Vienna"}
    call("stats", "--embedder", "none", **environment)

    settings = memory.opened[0]["settings"]
    assert (settings.embedder, settings.timezone, settings.language) == (
        "none",
        "Europe/Vienna",
        "de",
    )


def test_now_is_the_clock_of_the_memory_in_the_users_zone(call: Call, memory: Any) -> None:
    call("stats", "--now", "2026-03-12T09:00", "--timezone", "Europe/Vienna")

    assert memory.opened[0]["now"].isoformat() == "2026-03-12T08:00:00+00:00"


def test_a_reader_that_left_is_no_error(memory: Any) -> None:
    class Closed(io.StringIO):
        def write(self, _: str) -> NoReturn:
            raise BrokenPipeError

    err = io.StringIO()
    status = run(
        ["stats"],
        stdin=io.StringIO(),
        out=Closed(),
        err=err,
        environment={},
        open_memory=memory.open,
    )

    assert (status, err.getvalue()) == (0, "")


def test_an_error_that_nobody_listens_to_still_has_its_status(memory: Any) -> None:
    class Closed(io.StringIO):
        def write(self, _: str) -> NoReturn:
            raise BrokenPipeError

    memory.fails = NotFound("item", "zz")
    status = run(
        ["get", "zz"],
        stdin=io.StringIO(),
        out=io.StringIO(),
        err=Closed(),
        environment={},
        open_memory=memory.open,
    )

    assert status == 3


def test_standard_input_that_is_not_utf8_is_reported(memory: Any) -> None:
    err = io.StringIO()
    status = run(
        ["add", "-"],
        stdin=io.TextIOWrapper(io.BytesIO(b"caf\xe9"), encoding="utf-8"),
        out=io.StringIO(),
        err=err,
        environment={},
        open_memory=memory.open,
    )

    assert status == 4
    assert "standard input: is not UTF-8" in err.getvalue()
