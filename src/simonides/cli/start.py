"""The entry point of the program: Ctrl-C ends it with 130 even during imports of modules.

Must not import at its head what takes long.
"""

import gc
import os
import signal
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130
"""`options.Exit.INTERRUPTED`, which would have to be imported."""


_GARBAGE_MAX = 50_000
"""New objects between two collections: the imports alone make 200,000, and leave nothing behind."""


def main() -> NoReturn:
    """Import the command line, which takes a while, and run it."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy starts idle threads that spin
    gc.set_threshold(_GARBAGE_MAX)
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # else whoever started us wants it ignored
        signal.signal(signal.SIGINT, _end)
    from simonides.cli.main import main as run  # after the handler stands

    signal.signal(signal.SIGINT, usual)
    run()


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    """End the process at once, before any work has begun."""
    os._exit(_INTERRUPTED)
