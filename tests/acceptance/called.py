"""The command line called in this process: nearly all of `simonides.cli.main.main` but its exit.

A process for each of some hundred short calls costs a tenth of a second and more, a call a few
milliseconds. Streams are bytes beneath, as in a process. What depends on a process of its own
(hash seeds, locales, kills, limits, closed streams) goes to the real binary.
"""

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

from tests.acceptance import forked

from simonides import Memory, Settings
from simonides.cli.main import run as command_line
from simonides.ports.models import Clock


def run(
    *argv: str, stdin: bytes = b"", environment: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line to its end, with exactly this environment, and return what it wrote.

    An environment that is read when an interpreter starts takes one of its own.
    """
    if not forked.is_like_ours(environment):
        return forked.run(*argv, stdin=stdin, environment=environment)
    out, err = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(one, "utf-8", errors="replace") for one in (out, err)]
    with mock.patch.dict(os.environ, environment, clear=True):
        status = command_line(
            argv, stdin=io.TextIOWrapper(io.BytesIO(stdin), "utf-8-sig"), out=streams[0],
            err=streams[1], environment=os.environ, open_memory=_opened,
            program=str(Path(sys.executable).with_name("simonides")),
        )  # fmt: skip
    for one in streams:
        one.flush()
    return subprocess.CompletedProcess(argv, status, out.getvalue(), err.getvalue())


def _opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)
