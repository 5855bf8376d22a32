"""The command line as a module, its version, a misspelt verb, and what the shell completes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simonides import __version__
from simonides.cli.main import UsageError, build_parser

COMMAND = [sys.executable, "-m", "simonides"]


def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the command line as a module in a process of its own."""
    return subprocess.run(
        [*COMMAND, *arguments], env={**os.environ, **environment}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_module_says_its_version(flag: str) -> None:
    done = run(flag)

    assert (done.returncode, done.stdout) == (0, f"simonides {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["serach", "x"], "invalid choice: 'serach'; did you mean 'search'?"),
        (["preferences", "lst"], "invalid choice: 'lst'; did you mean 'list'?"),
        (["search", "x", "--mode", "hybird"], "invalid choice: 'hybird'; did you mean 'hybrid'?"),
        (["zzz"], "invalid choice: 'zzz' (choose from "),
    ],
)
def test_a_misspelt_word_is_refused_with_the_one_that_was_meant(
    arguments: list[str], meant: str
) -> None:
    with pytest.raises(UsageError) as refused:
        build_parser().parse_args(arguments)

    assert meant in str(refused.value)


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("simonides sea", {"search "}),
        ("simonides search x --mod", {"--mode "}),
        ("simonides search x --mode v", {"vector "}),
    ],
)
def test_the_shell_is_told_what_may_come_next(line: str, answers: set[str], tmp_path: Path) -> None:
    reported = tmp_path / "told"
    done = run(
        _ARGCOMPLETE="1", _ARGCOMPLETE_STDOUT_FILENAME=str(reported), _ARGCOMPLETE_IFS="\n",
        COMP_LINE=line, COMP_POINT=str(len(line)), COMP_TYPE="9",
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (0, "")
    assert set(reported.read_text("utf-8").split("\n")) == answers


def test_without_the_library_of_completion_all_else_works(monkeypatch: pytest.MonkeyPatch) -> None:
    from simonides.cli import main

    missing: Any = None
    monkeypatch.setitem(sys.modules, "argcomplete", missing)
    main._complete()


def test_no_other_call_loads_the_library_of_completion() -> None:
    script = "import sys; import simonides.cli.main; sys.exit('argcomplete' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("argv", [("search", "--help"), ("background", "put", "--help")])
def test_a_command_begins_without_what_only_answers_need(argv: tuple[str, ...]) -> None:
    """Who asks for help, or mistypes an option, waits for no array and no database."""
    script = f"""
import sys
from simonides.cli.main import run
from io import StringIO
run({argv!r}, stdin=StringIO(), out=StringIO(), err=StringIO(), environment={{}}, open_memory=None)
print(sorted({{"numpy", "apsw", "simonides.cli.verbs.serve"}} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stderr == "[]\n"
