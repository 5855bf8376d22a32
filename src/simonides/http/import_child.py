"""The program that imports one upload: a process of its own, which may be killed at any time.

A file can be made to take all the memory and time that there is, in code (a regular expression, a
parser) that nothing can stop from outside but the end of its process. Here that costs nobody else
anything: the server goes on answering, and what was committed stays. Is told what to do by one line
of JSON, tells how far it is by lines of JSON, and ends when its server does. Must not know HTTP.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any, TextIO

from simonides.api.memory import Opening
from simonides.errors import SimonidesError
from simonides.model.answer import ImportProgress

NICE = 5
"""How much an import steps back for those who ask: questions come first on a busy machine."""


def main() -> None:
    """Import as the first line of standard input says."""
    out = _own_output()
    order = json.loads(sys.stdin.readline())
    _limit(memory_max=order["memory_max"], cpu_s=order["cpu_s"])
    threading.Thread(target=_end_with_server, daemon=True).start()

    def tell(kind: str, record: Any) -> None:
        print(json.dumps({kind: record}), file=out, flush=True)

    try:
        _import(order, tell)
    except SimonidesError as error:
        tell("error", {"code": error.code, "detail": str(error)})
    except MemoryError:
        tell("error", {"code": "import_failed", "detail": "it needs more memory than it may have"})
    except Exception as error:  # noqa: BLE001  whoever started it tells it, also our own mistakes
        tell("error", {"code": "unexpected", "detail": type(error).__name__})


def _import(order: dict[str, Any], tell: Callable[[str, Any], None]) -> None:
    def told(progress: ImportProgress) -> None:
        tell("progress", asdict(progress))

    with Opening.from_record(order["opening"]).open() as memory:
        report = memory.import_(
            order["path"], source=order["source"], trust=order["trust"], on_progress=told
        )
    tell("report", asdict(report))


def _own_output() -> TextIO:
    """Return standard output as it was; what else writes to it goes to standard error from now."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def _limit(*, memory_max: int, cpu_s: int) -> None:
    """Bound what this process may take, where the system has a way to; and let others go first."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory_max, memory_max))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold what is read
    with suppress(AttributeError, OSError):
        os.nice(NICE)


def _end_with_server() -> None:
    """End once the server has gone, however: its end of the pipe is closed then."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)
