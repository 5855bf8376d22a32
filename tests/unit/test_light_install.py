"""What an install without the extras does: words only, said once, with the command that adds more.

The extras are hidden from a process of its own, because the default is settled by the first import.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

HIDDEN: Final = ("onnxruntime", "simonides_minilm", "simsimd", "rich", "rich.console")
COMMAND: Final = "pip install 'simonides[local]'"
CLI: Final = "from simonides.cli.main import main\nmain()"


def run(program: str, *arguments: str, home: Path, hidden: bool = True) -> tuple[int, str, str]:
    """Run a program in a process of its own, without the extras if they are `hidden`."""
    hiding = f"import sys\nsys.modules.update(dict.fromkeys({HIDDEN if hidden else ()!r}))\n"
    kept = {name: value for name, value in os.environ.items() if "SIMONIDES" not in name}
    done = subprocess.run(
        [sys.executable, "-c", hiding + program, *arguments],
        env={**kept, "SIMONIDES_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_without_the_extra_words_are_searched_and_that_is_said(tmp_path: Path) -> None:
    status, _, err = run(CLI, "add", "Sarah moved the Alpha deadline to Friday.", home=tmp_path)
    found, out, again = run(CLI, "search", "alpha deadline", home=tmp_path)

    assert (status, found) == (0, 0)
    assert "Alpha deadline" in out
    assert err.count(COMMAND) == again.count(COMMAND) == 1


def test_json_leaves_stderr_to_errors(tmp_path: Path) -> None:
    assert run(CLI, "search", "alpha", "--json", home=tmp_path)[2] == ""


def test_none_by_choice_is_not_remarked_on(tmp_path: Path) -> None:
    assert COMMAND not in run(CLI, "search", "x", "--embedder", "none", home=tmp_path)[2]


@pytest.mark.slow
@pytest.mark.parametrize(("config", "notes"), [("", 1), ('"none"', 0), ('"openai"', 1)])
def test_the_demo_notes_once_that_it_has_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, notes: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "config.toml").write_text(f"embedder = {config}\n" if config else "", "utf-8")
    status, _, err = run(CLI, "demo", home=tmp_path)

    assert (status, err.count(COMMAND)) == (0, notes), err
    assert "Warning" not in err


def test_a_program_is_warned_once(tmp_path: Path) -> None:
    program = (
        "from simonides import Memory\n"
        f"for _ in range(3):\n    Memory({str(tmp_path)!r}).close()\n"
        f"print(Memory({str(tmp_path)!r}).settings.embedder)\n"
    )
    status, out, err = run(program, home=tmp_path)

    assert (status, out.strip()) == (0, "none")
    assert err.count(COMMAND) == 1


def test_the_model_by_choice_is_an_error_that_names_the_command(tmp_path: Path) -> None:
    status, _, err = run(CLI, "search", "alpha", "--embedder", "minilm", home=tmp_path)

    assert status != 0
    assert f"minilm needs its extra: {COMMAND}" in err


def test_vectors_of_the_model_are_not_searched_without_it(tmp_path: Path) -> None:
    assert run(CLI, "add", "The ferry leaves at nine.", home=tmp_path, hidden=False)[0] == 0
    status, _, err = run(CLI, "search", "ferry", home=tmp_path)

    assert status != 0
    assert "simonides reembed" in err
    assert COMMAND in err


def test_a_program_may_make_the_embedder_but_not_run_it(tmp_path: Path) -> None:
    program = (
        "from simonides.errors import EmbedderError\n"
        "from simonides.models.embedding.minilm import MiniLMEmbedder\n"
        "try:\n    MiniLMEmbedder().embed(['one'])\n"
        "except EmbedderError as error:\n    print(error)\n"
    )

    assert COMMAND in run(program, home=tmp_path)[1]
