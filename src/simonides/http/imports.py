"""The queue of imports that continue after their upload was answered, with their progress.

Uploads lie in a folder of the server's own, each in one of its own, only as long as they are read.
What was kept before an import was stopped stays, and the same import again goes on there. Must
not know HTTP, nor how an import is run.
"""

import re
import secrets
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from simonides.api.memory import Memory
from simonides.api.operations.home import ImportRequest
from simonides.disk import (
    marked_folder,
    remove_folder_durably,
    remove_left_in,
)
from simonides.errors import NotFound, SimonidesError, StoreBusy, WorkTaken
from simonides.http.import_process import Failure, ImportMessage, Order, Process, Start
from simonides.http.import_status import ENDED, ImportStatus, State
from simonides.model.import_report import ImportProgress, ImportReport
from simonides.text.clean import without_folders

KEPT_MAX = 1_000
"""Imports that are remembered, those that have ended first forgotten."""

_WATCH_S_MIN = 0.01
"""The shortest pause between two looks at the imports that run, in seconds."""

WAITING_MAX = 64
"""Imports of all spaces that may wait: each keeps its upload on disk."""

_YIELDS_MAX = 1
"""How often an import that gets nowhere begins anew after others; the next time it fails."""

_HELD_UP = (
    "it got nowhere for {:.0f} s while imports of other spaces waited, {} times; what was read is "
    "kept: upload it again later, or in parts"
)

_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(slots=True, kw_only=True)
class Job:
    """One import into one space.

    It began, or got on last, at `moved_s`. It `gives_way` once it was ended for the sake of others,
    which `yields` counts, or because another server imports into the space. `born` says which
    space of this name it was of last: another one has nothing of an erased one.
    """

    id: str
    space: str
    key_id: str
    file: str
    order: Order
    state: State = State.WAITING
    ending: State = State.FAILED
    process: Process | None = None
    progress: ImportProgress | None = None
    report: ImportReport | None = None
    code: str = ""
    detail: str = ""
    is_cancelled: bool = False
    moved_s: float = 0.0
    yields: int = 0
    gives_way: bool = False
    born: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether the import has ended."""
        return self.state in ENDED

    def is_of(self, space: str, key_id: str | None) -> bool:
        """Return whether an import belongs to a space, and to a key if one is given."""
        return self.space == space and key_id in (None, self.key_id)


class Imports:
    """The imports of one server. Safe to use from several threads.

    Each runs in a process of its own, one of each space at a time, up to `running_max` in all;
    the others wait, `waiting_max` of each space, and spaces take turns. One that did not get on
    for `yield_s` gives up its place while another space waits for one: it begins anew after those
    that wait, and finds kept what it had read. So does one whose space another server imports into,
    until that is done. `on_waiting` is called after one that left vectors.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        uploads: Path,
        start: Start,
        running_max: int,
        waiting_max: int,
        yield_s: float,
        clock: Callable[[], float],
        on_waiting: Callable[[], object] = lambda: None,
    ) -> None:
        self._memory = memory
        self._uploads = uploads
        self._start = start
        self._running_max = running_max
        self._waiting_max = waiting_max
        self._yield_s = yield_s
        self._clock = clock
        self._on_waiting = on_waiting
        self._is_watched = False
        self._changed = threading.Condition()
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._turns: OrderedDict[str, deque[Job]] = OrderedDict()
        self._running: dict[str, Job] = {}
        self._refused: set[Path] = set()
        self._is_closed = False

    def folder(self) -> Path:
        """Return a new private folder for one upload, or for one copy to send."""
        return marked_folder(self._uploads)

    def remove(self, *folders: Path) -> None:
        """Remove the folders of uploads; a folder that cannot be removed is tried again later.

        That is with the next upload that goes, and when the server stops.
        """
        with self._changed:
            self._refused.update(folders)
            due = sorted(self._refused)
        for folder in due:
            with suppress(OSError):
                remove_folder_durably(folder)
                with self._changed:
                    self._refused.discard(folder)

    def begin(
        self, path: Path, *, space: str, asked: ImportRequest, key_id: str = ""
    ) -> ImportStatus:
        """Queue the import of a file into a space; its folder is removed afterwards.

        `key_id` is the key that began it.

        Raises:
            StoreBusy: As many imports as may wait do so already, of the space or of all.
            InvalidInput: The memory cannot be opened by another process.
        """
        opening = self._memory.in_space(space).opening
        order = Order(
            opening=opening,
            path=path,
            source=asked.source,
            trust=asked.trust.value if asked.trust else None,
            dry_run=asked.dry_run,
            mapping=asked.mapping or {},
            kind=asked.kind.value,
        )
        job = Job(
            id=secrets.token_hex(12), space=space, key_id=key_id, file=path.name, order=order,
            born=self._born(space) or "",
        )  # fmt: skip
        with self._changed:
            waiting = self._turns.get(space, deque())
            total = sum(map(len, self._turns.values()))
            if self._is_closed or len(waiting) >= self._waiting_max or total >= WAITING_MAX:
                raise StoreBusy("as many imports as may wait do so already; try again later")
            self._jobs[job.id] = job
            self._turns.setdefault(space, waiting).append(job)
            self._forget_ended()
        self._begin_next()
        return status_of(job)

    def get(self, import_id: str, *, space: str, only_of: str | None = None) -> ImportStatus:
        """Return the status of an import of a space; `only_of` a key, if given.

        Raises:
            NotFound: The space, or the key, has none of that id.
        """
        return status_of(self._job(import_id, space, only_of))

    def list(self, *, space: str, only_of: str | None = None) -> tuple[ImportStatus, ...]:
        """Return the imports of a space, or those of one key there, latest first."""
        self._forget_erased(space)
        with self._changed:
            jobs = [one for one in reversed(self._jobs.values()) if one.is_of(space, only_of)]
        return tuple(status_of(one) for one in jobs)

    def cancel(self, import_id: str, *, space: str, only_of: str | None = None) -> ImportStatus:
        """Cancel an import at once; stored items stay.

        Raises:
            NotFound: The space, or the key, has none of that id.
        """
        job = self._job(import_id, space, only_of)
        self._stop([job])
        return status_of(job)

    def counts(self) -> tuple[int, int]:
        """Return how many imports run, and how many wait."""
        with self._changed:
            return len(self._running), sum(map(len, self._turns.values()))

    def stop(self) -> None:
        """End every import at once, and start no other."""
        with self._changed:
            self._is_closed = True
            jobs = list(self._jobs.values())
        self._stop(jobs)

    def wait(self, *, left_s: float) -> bool:
        """Wait up to a number of seconds for all imports; return whether they have ended."""
        with self._changed:
            has_ended = self._changed.wait_for(
                lambda: not (self._running or self._turns), timeout=max(0.0, left_s)
            )
        self.remove()
        return has_ended

    def sweep(self) -> None:
        """Remove what processes that were killed left: uploads, and what was unpacked."""
        remove_left_in(self._uploads)

    def make_room(self) -> None:
        """End imports that are stuck, as many as spaces wait for a place."""
        with self._changed:
            for job in self._late()[: self._lacking()]:
                job.gives_way = True
                job.yields += 1
                if job.process is not None:
                    job.process.kill()

    def _lacking(self) -> int:
        """Return the number of missing places beyond those being freed. Lock held.

        For an import that gave way itself, nobody does: two would take turns at getting nowhere.
        """
        waiting = sum(
            space not in self._running and not jobs[0].yields for space, jobs in self._turns.items()
        )
        giving_way = sum(one.gives_way for one in self._running.values())
        free = self._running_max - len(self._running)
        return max(0, waiting - giving_way - free)

    def _late(self) -> tuple[Job, ...]:
        """Return the imports that are stuck, the longest first. Lock held."""
        until_s = self._clock() - self._yield_s
        running = (one for one in self._running.values() if not one.gives_way)
        late = (one for one in running if one.moved_s <= until_s)
        return tuple(sorted(late, key=lambda one: one.moved_s))

    def _watch(self) -> None:
        """Make room again and again while a space waits for a place."""
        while True:
            self.make_room()
            with self._changed:
                if not self._lacking():
                    self._is_watched = False
                    return
                now_s = self._clock()
                moved = (one.moved_s for one in self._running.values() if not one.gives_way)
                left_s = min(moved, default=now_s) + self._yield_s - now_s
                self._changed.wait(timeout=max(_WATCH_S_MIN, left_s))

    def _begin_watch(self) -> None:
        """Watch the running imports if a space waits for a place. Lock held."""
        if self._lacking() and not self._is_watched:
            self._is_watched = True
            threading.Thread(target=self._watch, name="simonides-import-watch", daemon=True).start()

    def _job(self, import_id: str, space: str, only_of: str | None) -> Job:
        self._forget_erased(space)
        with self._changed:
            job = self._jobs.get(import_id)
        if job is None or not job.is_of(space, only_of):
            raise NotFound("import", import_id)
        return job

    def _forget_ended(self) -> None:
        ended = [one.id for one in self._jobs.values() if one.has_ended]
        for import_id in ended[: max(0, len(self._jobs) - KEPT_MAX)]:
            del self._jobs[import_id]

    def _forget_erased(self, space: str) -> None:
        """Forget the ended imports of a space that was erased since, whoever erased it."""
        born = self._born(space)
        if born is None:
            return
        with self._changed:
            mine = [one for one in self._jobs.values() if one.space == space and one.has_ended]
            for job in mine:
                if job.born and job.born != born:
                    del self._jobs[job.id]

    def _born(self, space: str) -> str | None:
        """Return which space of this name there is; empty without one, None if nobody can tell."""
        try:
            return self._memory.in_space(space).erasure_mark().partition(":")[0]
        except SimonidesError:
            return None

    def _stop(self, jobs: Iterable[Job]) -> None:
        ended: list[Job] = []
        with self._changed:
            for job in jobs:
                job.is_cancelled = not job.has_ended
                if job.state is State.WAITING:
                    job.state = State.CANCELLED
                    self._take_out(job)
                    ended.append(job)
                elif job.process is not None:
                    job.process.kill()
        for job in ended:
            self.remove(job.order.path.parent)

    def _take_out(self, job: Job) -> None:
        """Remove a job from its queue. Lock held."""
        waiting = self._turns[job.space]
        waiting.remove(job)
        if not waiting:
            del self._turns[job.space]
        self._changed.notify_all()

    def _begin_next(self) -> None:
        """Start as many imports as may run, for the spaces whose last turn is the longest ago."""
        with self._changed:
            while len(self._running) < self._running_max:
                free = [space for space in self._turns if space not in self._running]
                if not free:
                    break
                job = self._turns[free[0]][0]
                self._take_out(job)
                if free[0] in self._turns:
                    self._turns.move_to_end(free[0])
                self._running[job.space] = job
                job.state, job.moved_s = State.RUNNING, self._clock()
                threading.Thread(
                    target=self._run, args=(job,), name="simonides-import", daemon=True
                ).start()
            self._begin_watch()

    def _run(self, job: Job) -> None:
        """Run an import; the job gets its result, and the upload is removed afterwards."""
        try:
            process = self._start(job.order)
            with self._changed:
                job.process = process
                if job.is_cancelled or job.gives_way:  # just before there was anything to kill
                    process.kill()
            process.listen(lambda message: self._hear(job, message))
        except Exception as error:  # noqa: BLE001  the job tells it, also what is a mistake of ours
            self._hear(job, Failure(code="unexpected", detail=type(error).__name__))
        finally:
            self.sweep()  # what the process had unpacked, if it was killed
            if not self._begins_anew(job):
                self._end(job)
            self._begin_next()

    def _begins_anew(self, job: Job) -> bool:
        """Queue an import that gave way behind those of its space; return whether it may retry."""
        with self._changed:
            has_time = job.yields <= _YIELDS_MAX and not (job.is_cancelled or self._is_closed)
            if not (job.gives_way and has_time and job.ending is not State.DONE):
                return False
            job.state, job.gives_way, job.process = State.WAITING, False, None
            del self._running[job.space]
            self._turns.setdefault(job.space, deque()).append(job)
            self._turns.move_to_end(job.space)
            self._changed.notify_all()
            return True

    def _end(self, job: Job) -> None:
        self.remove(job.order.path.parent)
        born = self._born(job.space)
        with self._changed:
            job.born = born or job.born
            job.state = job.ending
            job.process = None
            del self._running[job.space]
            self._changed.notify_all()

    def _hear(self, job: Job, message: ImportMessage) -> None:
        if isinstance(message, ImportProgress):
            job.progress, job.moved_s = message, self._clock()
        elif isinstance(message, ImportReport):
            job.report, job.ending = message, State.DONE
            if message.waiting:
                self._on_waiting()
        elif job.is_cancelled:
            job.ending = State.CANCELLED
        elif message.code == WorkTaken.code:
            job.gives_way = True
        elif not job.gives_way:
            job.code, job.detail = message.code, without_folders(message.detail)
        elif job.yields > _YIELDS_MAX:
            job.code, job.detail = message.code, _HELD_UP.format(self._yield_s, job.yields)


def status_of(job: Job) -> ImportStatus:
    """Return the public status of an import."""
    return ImportStatus(
        id=job.id, state=job.state, file=job.file, progress=job.progress, report=job.report,
        code=job.code, detail=job.detail,
    )  # fmt: skip


def safe_name(given: str) -> str:
    """Return a safe file name for an upload; the ending shows its format."""
    name = _NAME.sub("_", Path(given.replace("\\", "/")).name).strip(".")[-100:]
    return name or "upload"
