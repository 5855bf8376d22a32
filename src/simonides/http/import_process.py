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
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TextIO

import msgspec

from simonides.api.memory import Opening
from simonides.errors import SimonidesError
from simonides.http.limits import Limits
from simonides.model.import_report import ImportProgress, ImportReport, Skipped

PROGRAM = "from simonides.http.import_process import main; main()"

_FAILED = "import_failed"
_KILLED = "it took more memory or processor time than an import may, or was killed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The order of an import: the files, the memory and the limits."""

    opening: Opening
    path: Path
    source: str
    trust: str | None
    dry_run: bool = False
    mapping: dict[str, str] = field(default_factory=dict)
    kind: str = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The failure of an import without a report: a code of `simonides.errors`, and a message."""

    code: str
    detail: str


ImportMessage = ImportProgress | ImportReport | Failure


class Process(Protocol):
    """A running import."""

    def listen(self, hear: Callable[[ImportMessage], None]) -> None:
        """Pass on the messages until the process ends; its report or failure comes last."""
        ...

    def kill(self) -> None:
        """Kill the process."""
        ...


Start = Callable[[Order], Process]


def starting(limits: Limits) -> Start:
    """Return a function that starts imports within limits."""
    return lambda order: ChildProcess(order, limits=limits)


class ChildProcess:
    """An import in a process of its own, which is killed if it takes too long or is stuck."""

    def __init__(self, order: Order, *, limits: Limits) -> None:
        self._limits = limits
        self._too_long = ""
        paths = os.pathsep.join(path for path in sys.path if path)
        self._running = subprocess.Popen(  # noqa: S603  our own program, by the Python that runs us
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, encoding="utf-8", start_new_session=True,
            env={**os.environ, "PYTHONPATH": paths},
        )  # fmt: skip
        self._sent = json.dumps({
            "opening": msgspec.to_builtins(order.opening), "path": str(order.path),
            "source": order.source, "trust": order.trust, "dry_run": order.dry_run,
            "memory_max": limits.import_memory_max, "mapping": order.mapping, "kind": order.kind,
            "cpu_s": math.ceil(limits.import_s) * (os.cpu_count() or 1),
        })  # fmt: skip

    def listen(self, hear: Callable[[ImportMessage], None]) -> None:
        """Pass on the messages until the process ends; its report or failure comes last."""
        pipes = self._running
        assert pipes.stdin is not None  # noqa: S101  asked for above
        assert pipes.stdout is not None  # noqa: S101  asked for above
        whole = self._alarm(self._limits.import_s, "it took longer than an import may")
        pause = self._pause()
        has_ended = False
        try:
            pipes.stdin.write(f"{self._sent}\n")
            pipes.stdin.flush()
            for line in pipes.stdout:
                pause.cancel()
                pause = self._pause()
                message = _message_of(json.loads(line))
                has_ended = not isinstance(message, ImportProgress)
                hear(message)
        except (OSError, ValueError):  # it was killed in the middle of a line
            pass
        finally:
            pause.cancel()
            whole.cancel()
            self._end()
        if not has_ended:
            hear(Failure(code=_FAILED, detail=self._too_long or _KILLED))

    def kill(self) -> None:
        """Kill the process."""
        self._running.kill()

    def _pause(self) -> threading.Timer:
        return self._alarm(self._limits.import_pause_s, "a part of it took longer than it may")

    def _alarm(self, after_s: float, problem: str) -> threading.Timer:
        def ring() -> None:
            self._too_long = problem
            self.kill()

        alarm = threading.Timer(after_s, ring)
        alarm.daemon = True
        alarm.start()
        return alarm

    def _end(self) -> None:
        self._running.kill()  # nothing, where it has ended
        self._running.wait()
        for pipe in (self._running.stdin, self._running.stdout):
            try:
                assert pipe is not None  # noqa: S101  asked for above
                pipe.close()
            except OSError:  # what was not read by the one that was killed
                pass


def _message_of(line: dict[str, Any]) -> ImportMessage:
    """Return the message in a line of output."""
    [(kind, record)] = line.items()
    if kind == "progress":
        return ImportProgress(**record)
    if kind == "report":
        skipped = tuple(Skipped(**one) for one in record.pop("skipped"))
        del record["skipped_groups"]
        return ImportReport(**record, skipped=skipped)
    return Failure(**record)


# ── in the process itself ────────────────────────────────────────────────────────────────────

EMBED_S = 10.0
"""How long an import makes vectors itself, so that a small one ends with them; the rest is left to
the server's `VectorWorker`."""

NICE = 5
"""How much an import steps back for those who ask: questions come first on a busy machine."""


def main() -> None:
    """Run the import that the first line of standard input describes."""
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
    def report_progress(progress: ImportProgress) -> None:
        tell("progress", asdict(progress))

    with msgspec.convert(order["opening"], Opening).open() as memory:
        report = memory.import_(
            order["path"],
            source=order["source"],
            trust=order["trust"],
            dry_run=order["dry_run"],
            wait=False,
            mapping=order["mapping"],
            kind=order["kind"],
            on_progress=report_progress,
        )
        waiting = memory.embed(time_max_s=EMBED_S).waiting if report.waiting else 0
    tell("report", asdict(replace(report, waiting=waiting)))


def _own_output() -> TextIO:
    """Return the original standard output; other writers are redirected to standard error."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def _limit(*, memory_max: int, cpu_s: int) -> None:
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
