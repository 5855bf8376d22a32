"""Imports that go on after their upload was answered: how far each is, and how to stop it.

Uploads lie in a folder of the server's own, each in one of its own, only as long as they are read.
What was read before an import was stopped is kept, and the same import again goes on there. Must
not know HTTP.
"""

import re
import secrets
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from simonides.disk import is_of_dead_process, process_mark, remove_folder_durably
from simonides.engine.memory import Memory
from simonides.errors import NotFound, SimonidesError, StoreBusy
from simonides.model.answer import ImportProgress, ImportReport

KEPT_MAX = 1_000
"""Imports that are remembered, those that have ended first forgotten."""

_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class State(StrEnum):
    """How an import stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(slots=True, kw_only=True)
class Job:
    """One import of one space."""

    id: str
    space: str
    file: str
    state: State = State.WAITING
    progress: ImportProgress | None = None
    report: ImportReport | None = None
    code: str = ""
    detail: str = ""
    is_cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def has_ended(self) -> bool:
        """Whether it goes on no more."""
        return self.state in (State.DONE, State.FAILED, State.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportStatus:
    """How an import stands: how far it is, what it did, or why it failed.

    Where it was cancelled or failed, what `progress` counts is kept.
    """

    id: str
    state: State
    file: str
    progress: ImportProgress | None = None
    report: ImportReport | None = None
    code: str = ""
    detail: str = ""


class _Cancelled(Exception):
    """Breaks an import off between two batches."""


class Imports:
    """The imports of one server. Safe to use from several threads."""

    def __init__(self, memory: Memory, *, uploads: Path, running_max: int) -> None:
        self._memory = memory
        self._uploads = uploads
        self._most = running_max
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="simonides-import")

    def folder(self) -> Path:
        """Return a new folder for one upload, which only its owner can enter."""
        self._uploads.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = self._uploads / process_mark()
        made.mkdir(mode=0o700)
        return made

    def begin(self, path: Path, *, space: str, source: str, trust: str | None) -> ImportStatus:
        """Have a file imported into a space, and its folder removed afterwards.

        Raises:
            StoreBusy: As many imports as there may be wait or run already, of all or of the space.
        """
        job = Job(id=secrets.token_hex(12), space=space, file=path.name)
        with self._lock:
            going_on = [one.space for one in self._jobs.values() if not one.has_ended]
            mine_max = max(1, self._most // 2)  # one space leaves room for others
            if len(going_on) >= self._most or going_on.count(space) >= mine_max:
                raise StoreBusy("as many imports as there may be are going on; try again later")
            self._jobs[job.id] = job
            self._forget_ended()
        self._pool.submit(self._run, job, path, source, trust)
        return status_of(job)

    def get(self, import_id: str, *, space: str) -> ImportStatus:
        """Return how an import of a space stands.

        Raises:
            NotFound: The space has none of that id.
        """
        return status_of(self._job(import_id, space))

    def list(self, *, space: str) -> tuple[ImportStatus, ...]:
        """Return the imports of a space, the last one first."""
        with self._lock:
            mine = [one for one in reversed(self._jobs.values()) if one.space == space]
        return tuple(status_of(one) for one in mine)

    def cancel(self, import_id: str, *, space: str) -> ImportStatus:
        """Have an import stop after the batch in hand; what was read is kept.

        Raises:
            NotFound: The space has none of that id.
        """
        job = self._job(import_id, space)
        job.is_cancelled.set()
        return status_of(job)

    def close(self) -> None:
        """Stop every import after its batch in hand, and wait for them."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.is_cancelled.set()
        self._pool.shutdown(wait=True)

    def sweep(self) -> None:
        """Remove the uploads of servers that are gone (they were killed)."""
        with suppress(OSError):
            for left in self._uploads.iterdir():
                if is_of_dead_process(left.name):
                    remove_folder_durably(left)

    def _job(self, import_id: str, space: str) -> Job:
        with self._lock:
            job = self._jobs.get(import_id)
        if job is None or job.space != space:
            raise NotFound("import", import_id)
        return job

    def _forget_ended(self) -> None:
        ended = [one.id for one in self._jobs.values() if one.has_ended]
        for import_id in ended[: max(0, len(self._jobs) - KEPT_MAX)]:
            del self._jobs[import_id]

    def _run(self, job: Job, path: Path, source: str, trust: str | None) -> None:
        """Import; every end of it is told by the job, and the upload is gone afterwards."""
        job.state = State.RUNNING
        try:
            self._import(job, path, source, trust)
        except _Cancelled:
            job.state = State.CANCELLED
        except SimonidesError as error:
            job.code, job.detail = error.code, _without(str(error), path)
            job.state = State.FAILED
        except Exception as error:  # noqa: BLE001  the job tells it, also what is a mistake of ours
            job.code, job.detail = "unexpected", type(error).__name__
            job.state = State.FAILED
        finally:
            with suppress(OSError):
                remove_folder_durably(path.parent)

    def _import(self, job: Job, path: Path, source: str, trust: str | None) -> None:
        def told(progress: ImportProgress) -> None:
            job.progress = progress
            if job.is_cancelled.is_set():
                raise _Cancelled

        if job.is_cancelled.is_set():
            raise _Cancelled
        memory = self._memory.in_space(job.space)
        job.report = memory.import_(path, source=source, trust=trust, on_progress=told)
        job.state = State.DONE


def status_of(job: Job) -> ImportStatus:
    """Return how an import stands, as it is told."""
    return ImportStatus(
        id=job.id, state=job.state, file=job.file, progress=job.progress, report=job.report,
        code=job.code, detail=job.detail,
    )  # fmt: skip


def safe_name(given: str) -> str:
    """Return a name that an upload may have on disk; its ending says what format it is."""
    name = _NAME.sub("_", Path(given.replace("\\", "/")).name).strip(".")[-100:]
    return name or "upload"


def _without(said: str, path: Path) -> str:
    """Return what is said without where the upload lay."""
    return said.replace(str(path), path.name).replace(str(path.parent), "")
