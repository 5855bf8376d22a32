"""An interrupt while the command line is still being imported ends it quietly, with 130."""

import subprocess
import sys

import pytest

from simonides.cli import start
from simonides.cli.options import Exit

INTERRUPTED_AT_IMPORT = """
import signal, sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == "simonides.cli.main":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from simonides.cli.start import main
main()
"""


def test_an_interrupt_during_the_imports_says_nothing() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_IMPORT], capture_output=True, timeout=60, check=False
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (Exit.INTERRUPTED, b"", b"")


def test_the_command_line_runs_with_the_usual_handler(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["simonides", "--version"])
    with pytest.raises(SystemExit) as ended:
        start.main()

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("simonides ")
