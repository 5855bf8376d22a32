"""The process of one import: its start, messages and end, and the program that it runs.

A file can be made to take all the memory and time that there is, in code (a regular expression, a
parser) that nothing can stop from outside but the end of its process. Here that costs nobody else
anything: the server goes on answering, and what was committed stays. The process is sent one line
of JSON, sends lines of JSON that say how far it is, and ends when its server does. Must not know
HTTP, nor which imports there are.
"""

import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

import msgspec

from simonides.api.memory import Opening
from simonides.api.operations.home import ImportRequest
from simonides.errors import ImportFailed, SimonidesError
from simonides.http.limits import Limits
from simonides.model.import_report import ImportProgress, ImportReport

PROGRAM = "from simonides.http.import_process import main; main()"

_KILLED = "it took more memory or processor time than an import may, or was killed"

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The order of an import: the memory, the file, and how it is asked to be read."""

    opening: Opening
    path: Path
    asked: ImportRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The failure of an import without a report: a code of `simonides.errors`, and a message."""

    code: str
    detail: str


Hear = Callable[[ImportProgress], None]
End = ImportReport | Failure


class Process(Protocol):
    """A running import."""

    def listen(self, hear: Hear) -> End:
        """Pass on the progress until the process ends, and return how it ended."""
        ...

    def kill(self) -> None:
        """Kill the process."""
        ...


Start = Callable[[Order], Process]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Message:
    """One line of a process, which says one of three things."""

    progress: ImportProgress | None = None
    report: ImportReport | None = None
    failure: Failure | None = None


class ChildProcess:
    """An import in a process of its own, within limits of memory and processor time."""

    def __init__(self, order: Order, *, limits: Limits) -> None:
        cpu_s = math.ceil(limits.import_s) * (os.cpu_count() or 1)
        paths = os.pathsep.join(path for path in sys.path if path)
        self._order = order
        self._running = subprocess.Popen(  # noqa: S603  our own program, by the Python that runs us
            [sys.executable, "-c", PROGRAM, str(limits.import_memory_max), str(cpu_s)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, env={**os.environ, "PYTHONPATH": paths},
        )  # fmt: skip

    def listen(self, hear: Hear) -> End:
        """Pass on the progress until the process ends, and return how it ended."""
        end: End = Failure(code=ImportFailed.code, detail=_KILLED)
        with suppress(OSError, ValueError), self._running as running:  # it may be killed in a line
            assert running.stdin is not None  # noqa: S101  asked for above
            assert running.stdout is not None  # noqa: S101  asked for above
            try:
                _write(self._order, running.stdin)
                for line in running.stdout:
                    message = _read(line, _Message)
                    if message.progress is not None:
                        hear(message.progress)
                    end = message.report or message.failure or end
            finally:
                running.kill()  # nothing, where it has ended
        return end

    def kill(self) -> None:
        """Kill the process."""
        self._running.kill()


def _write(record: object, pipe: Any) -> None:
    """Write a record as a line of JSON, which may hold what is no UTF-8."""
    pipe.write(json.dumps(msgspec.to_builtins(record, enc_hook=str)).encode() + b"\n")
    pipe.flush()


def _read(line: bytes, kind: type[Record]) -> Record:
    return msgspec.convert(json.loads(line), kind, dec_hook=lambda of, text: of(text))


# ── in the process itself ────────────────────────────────────────────────────────────────────

EMBED_S = 10.0
"""How long an import makes vectors itself, so that a small one ends with them; the rest is left to
the server's `VectorWorker`."""

NICE = 5
"""How much an import steps back for those who ask: questions come first on a busy machine."""


def main() -> None:
    """Run the import that the first line of standard input describes."""
    out = _own_output()
    order = _read(sys.stdin.buffer.readline(), Order)
    _limit(*map(int, sys.argv[1:]))
    threading.Thread(target=_end_with_server, daemon=True).start()
    try:
        end = _import(order, lambda progress: _write(_Message(progress=progress), out))
    except SimonidesError as error:
        end = Failure(code=error.code, detail=str(error))
    except MemoryError:
        end = Failure(code=ImportFailed.code, detail="it needs more memory than it may have")
    except Exception as error:  # noqa: BLE001  whoever started it tells it, also our own mistakes
        end = Failure(code="unexpected", detail=type(error).__name__)
    _write(_Message(failure=end) if isinstance(end, Failure) else _Message(report=end), out)


def _import(order: Order, hear: Hear) -> End:
    asked = order.asked
    with order.opening.open() as memory:
        report = memory.import_(
            order.path, source=asked.source, trust=asked.trust, dry_run=asked.dry_run, wait=False,
            mapping=asked.mapping, kind=asked.kind, on_progress=hear,
        )  # fmt: skip
        waiting = memory.embed(time_max_s=EMBED_S).waiting if report.waiting else 0
    return replace(report, waiting=waiting)


def _own_output() -> BinaryIO:
    """Return the original standard output; other writers are redirected to standard error."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own


def _limit(memory_max: int, cpu_s: int) -> None:
    """Limit the resources of this process, if the system can, and lower its priority."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory_max, memory_max))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold what is read
    with suppress(AttributeError, OSError):
        os.nice(NICE)


def _end_with_server() -> None:
    """End this process with its server: the pipe is closed then."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)
