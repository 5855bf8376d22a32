"""The queue of imports that continue after their upload was answered, with their progress.

Uploads lie in a folder of the server's own, each in one of its own, only as long as they are read.
What was kept before an import was stopped stays, and the same import again goes on there. Must
not know HTTP, nor how an import is run.
"""

import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unicodedata import normalize

from simonides.api.memory import Memory
from simonides.api.operations.home import ImportRequest
from simonides.disk import make_marked_folder, remove_folder_durably, remove_left_in
from simonides.errors import ImportFailed, NotFound, SimonidesError, StoreBusy, WorkTaken
from simonides.http.import_process import ChildProcess, End, Failure, Order, Process, Start
from simonides.http.import_status import ImportBoard, ImportRecord, ImportStatus, State
from simonides.http.limits import Limits
from simonides.model.import_report import ImportProgress, ImportReport
from simonides.model.item import short_hash
from simonides.ports.shared_state import SharedState
from simonides.text.clean import without_folders

KEPT_MAX = 1_000
"""Imports that are remembered, the first forgotten first."""

LOOK_S = 0.25
"""Between two looks at the imports that have not ended, in seconds."""

WAITING_MAX = 64
"""Imports of all spaces that may wait: each keeps its upload on disk."""

_YIELDS_MAX = 1
"""How often an import that gets nowhere begins anew after others; the next time it fails."""

_HELD_UP = (
    "it got nowhere for {:.0f} s while imports of other spaces waited, {} times; what was read is "
    "kept: upload it again later, or in parts"
)

_UNNAMED = "upload"

_NAME_BYTES_MAX = 200
"""Bytes of a file's name: file systems take 255, of which a mark and an ending get theirs."""

_ENDING_BYTES_MAX = 30
"""Bytes of what shows a file's format; more is a part of the name."""

_UNSAFE = re.compile(
    r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*'  # controls, and what separates names on some system
    r"\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # changes of direction, no width
    r"\ud800-\udfff]"
)
"""Characters that no file's name has; joiners inside of words (U+200C, U+200D) are none of them."""


@dataclass(slots=True, kw_only=True, eq=False)
class Job:
    """One import of this process that has not ended; the others know it as `latest`.

    It began at `began_s`, and got on last at `moved_s`. Once it is killed, `becomes` says what
    comes of it, and `detail` why it failed. `yields` counts how often it was to make room.
    """

    record: ImportRecord
    order: Order
    latest: ImportRecord | None = None
    process: Process | None = None
    began_s: float = 0.0
    moved_s: float = 0.0
    yields: int = 0
    becomes: State | None = None
    detail: str = ""

    @property
    def space(self) -> str:
        """The space into which it imports."""
        return self.record.space

    def kill(self, becomes: State, *, detail: str = "") -> None:
        """End the import; where its process has only begun to start, that is killed then."""
        self.becomes, self.detail = becomes, detail
        if self.process is not None:
            self.process.kill()


class Imports:
    """The imports of one process, and the statuses of all. Safe to use from several threads.

    Each runs in a process of its own, one of each space at a time, within `limits`; the others
    wait, and spaces take turns. One that did not get on for `import_yield_s` gives up its place
    while another space waits for one: it begins anew after those that wait, and finds kept what it
    had read. So does one whose space another server imports into, until that is done. `on_waiting`
    is called after one that left vectors.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        uploads: Path,
        limits: Limits,
        shared: SharedState,
        clock: Callable[[], float] = time.monotonic,
        start: Start | None = None,
        on_waiting: Callable[[], object] = lambda: None,
    ) -> None:
        self._memory = memory
        self._uploads = uploads
        self._limits = limits
        self._board = ImportBoard(shared)
        self._clock = clock
        self._start = start or partial(ChildProcess, limits=limits)
        self._on_waiting = on_waiting
        self._changed = threading.Condition()
        self._announcing = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._waiting: list[Job] = []
        self._running: dict[str, Job] = {}
        self._kept: deque[ImportRecord] = deque()
        self._refused: set[Path] = set()
        self._is_watched = False
        self._is_closed = False

    def folder(self) -> Path:
        """Return a new private folder for one upload, or for one copy to send."""
        return make_marked_folder(self._uploads)

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

    def sweep(self) -> None:
        """Remove what processes that were killed left: uploads, and what was unpacked."""
        remove_left_in(self._uploads)

    def begin(
        self, path: Path, *, space: str, asked: ImportRequest, key_id: str = ""
    ) -> ImportStatus:
        """Queue the import of a file into a space; its folder is removed afterwards.

        `key_id` is the key that began it.

        Raises:
            StoreBusy: As many imports as may wait do so already, of the space or of all.
            InvalidInput: The memory cannot be opened by another process.
        """
        order = Order(opening=self._memory.in_space(space).opening, path=path, asked=asked)
        status = ImportStatus(id=secrets.token_hex(12), state=State.WAITING, file=path.name)
        record = ImportRecord(
            status=status, space=space, key_id=key_id, begun_ns=time.time_ns(),
            process=self._board.process, born=self._find_uuid(space) or "",
        )  # fmt: skip
        job = Job(record=record, order=order)
        with self._changed:
            waiting = sum(one.space == space for one in self._waiting)
            is_full = waiting >= self._limits.imports_waiting_max
            if self._is_closed or is_full or len(self._waiting) >= WAITING_MAX:
                raise StoreBusy("as many imports as may wait do so already; try again later")
            self._jobs[status.id] = job
            self._waiting.append(job)
            self._begin_next()
        self._remember(job)
        self._begin_watch()
        return job.record.status

    def get(self, import_id: str, *, space: str, only_of: str | None = None) -> ImportStatus:
        """Return the status of an import of a space; `only_of` a key, if given.

        Raises:
            NotFound: The space, or the key, has none of that id.
        """
        job = self._jobs.get(import_id)
        record = job.record if job else self._board.get(import_id, space=space)
        if record is None or not self._list_visible([record], space, only_of):
            raise NotFound("import", import_id)
        return record.status

    def list(self, *, space: str, only_of: str | None = None) -> tuple[ImportStatus, ...]:
        """Return the imports of a space, or those of one key there, latest first."""
        with self._changed:
            own = dict(self._jobs)
        found = {one.status.id: one for one in self._board.list(space)}
        found |= {import_id: job.record for import_id, job in own.items()}
        seen = self._list_visible(found.values(), space, only_of)
        return tuple(one.status for one in sorted(seen, key=lambda one: -one.begun_ns))

    def _list_visible(
        self, records: Iterable[ImportRecord], space: str, only_of: str | None
    ) -> Sequence[ImportRecord]:
        """Return those of a space, and of a key if one is given, that were not erased since."""
        born = self._find_uuid(space)
        return [
            one for one in records
            if one.space == space and only_of in (None, one.key_id)
            and (not one.status.has_ended or not one.born or born in (None, one.born))
        ]  # fmt: skip

    def _find_uuid(self, space: str) -> str | None:
        """Return which space of this name there is; empty without one, None if nobody can tell."""
        try:
            return self._memory.in_space(space).erasure_mark().partition(":")[0]
        except SimonidesError:
            return None

    def cancel(self, import_id: str, *, space: str, only_of: str | None = None) -> ImportStatus:
        """Cancel an import at once, or within a second in another process; stored items stay.

        Raises:
            NotFound: The space, or the key, has none of that id.
        """
        status = self.get(import_id, space=space, only_of=only_of)
        job = self._jobs.get(import_id)
        if job is not None:
            self._cancel([job])
            return job.record.status
        if not status.has_ended:
            self._board.ask_cancel(import_id, space=space)
        return status

    def _cancel(self, jobs: Iterable[Job]) -> None:
        with self._changed:
            waiting = [one for one in jobs if one in self._waiting]
            self._waiting = [one for one in self._waiting if one not in waiting]
            for job in jobs:
                job.kill(State.CANCELLED)
        for job in waiting:
            self._end(job, state=State.CANCELLED)

    def counts(self) -> tuple[int, int]:
        """Return how many imports run, and how many wait."""
        with self._changed:
            return len(self._running), len(self._waiting)

    def stop(self) -> None:
        """End every import at once, and start no other."""
        with self._changed:
            self._is_closed = True
            jobs = list(self._jobs.values())
        self._cancel(jobs)

    def wait(self, *, left_s: float) -> bool:
        """Wait up to a number of seconds for all imports; return whether they have ended."""
        with self._changed:
            has_ended = self._changed.wait_for(lambda: not self._jobs, timeout=max(0.0, left_s))
        self.remove()
        return has_ended

    # ── what is done again and again while there are imports ─────────────────────────────────

    def _begin_watch(self) -> None:
        with self._changed:
            if self._is_watched:
                return
            self._is_watched = True
        threading.Thread(target=self._watch, name="simonides-import-watch", daemon=True).start()

    def _watch(self) -> None:
        while self.look():
            time.sleep(LOOK_S)

    def look(self) -> bool:
        """End what takes too long or is to be cancelled, and tell how far the rest is.

        Returns whether some imports have not ended.
        """
        with self._changed:
            self._end_late()
            jobs = list(self._jobs.values())
        if jobs:
            self._board.renew()
        asked = self._board.is_cancel_asked
        self._cancel([one for one in jobs if asked(one.record.status.id, space=one.space)])
        for job in jobs:
            self._tell(job)
        with self._changed:
            self._is_watched = bool(self._jobs)
            return self._is_watched

    def _end_late(self) -> None:
        """End imports over their time, and as many stuck ones as spaces lack a place. Lock held."""
        now_s, limits = self._clock(), self._limits
        for job in self._alive():
            if now_s - job.began_s >= limits.import_s:
                job.kill(State.FAILED, detail="it took longer than an import may")
            elif now_s - job.moved_s >= limits.import_pause_s:
                job.kill(State.FAILED, detail="a part of it took longer than it may")
        stuck = [one for one in self._alive() if now_s - one.moved_s >= limits.import_yield_s]
        for job in sorted(stuck, key=lambda one: one.moved_s)[: self._lacking()]:
            job.yields += 1
            becomes = State.WAITING if job.yields <= _YIELDS_MAX else State.FAILED
            job.kill(becomes, detail=_HELD_UP.format(limits.import_yield_s, job.yields))

    def _alive(self) -> Sequence[Job]:
        """Return the running imports that are not being ended. Lock held."""
        return [one for one in self._running.values() if one.becomes is None]

    def _lacking(self) -> int:
        """Return the number of missing places beyond those being freed. Lock held.

        For an import that gave way itself, nobody does: two would take turns at getting nowhere.
        """
        waiting = {one.space for one in self._waiting if not one.yields} - self._running.keys()
        return max(0, len(waiting) + len(self._alive()) - self._limits.imports_running_max)

    def _remember(self, job: Job) -> None:
        """Tell a new import, and forget the first ones beyond those that are remembered."""
        self._board.renew()
        self._tell(job)
        with self._changed:
            self._kept.append(job.record)
            gone = [self._kept.popleft() for _ in range(len(self._kept) - KEPT_MAX)]
        for one in gone:
            self._board.forget(one.status.id, space=one.space)

    def _tell(self, job: Job) -> None:
        with self._announcing:  # so that what is announced last is the latest
            record = job.record
            if record is not job.latest:
                self._board.put(record)
                job.latest = record

    # ── the course of one import ─────────────────────────────────────────────────────────────

    def _begin_next(self) -> None:
        """Start as many imports as may run, each of another space. Lock held."""
        while len(self._running) < self._limits.imports_running_max:
            job = next((one for one in self._waiting if one.space not in self._running), None)
            if job is None:
                return
            self._waiting.remove(job)
            self._pass_turn(job.space)
            self._running[job.space] = job
            job.record = job.record.showing(state=State.RUNNING)
            job.began_s = job.moved_s = self._clock()
            threading.Thread(
                target=self._run, args=(job,), name="simonides-import", daemon=True
            ).start()

    def _pass_turn(self, space: str) -> None:
        """Let the imports of a space wait behind all others. Lock held."""
        self._waiting.sort(key=lambda one: one.space == space)

    def _run(self, job: Job) -> None:
        try:
            end = self._listen(job)
        except Exception as error:  # noqa: BLE001  the job tells it, also what is a mistake of ours
            end = Failure(code="unexpected", detail=type(error).__name__)
        self.sweep()  # what the process had unpacked, if it was killed
        if isinstance(end, ImportReport) and end.waiting:
            self._on_waiting()
        if not self._begins_anew(job, end):
            self._end(job, **_outcome(job, end))

    def _listen(self, job: Job) -> End:
        process = self._start(job.order)
        with self._changed:
            job.process = process
            if job.becomes is not None:  # it was killed before there was anything to kill
                process.kill()
        return process.listen(partial(self._hear, job))

    def _hear(self, job: Job, progress: ImportProgress) -> None:
        job.record, job.moved_s = job.record.showing(progress=progress), self._clock()

    def _begins_anew(self, job: Job, end: End) -> bool:
        """Queue an import that gave way behind all others; return whether it did."""
        with self._changed:
            is_taken = isinstance(end, Failure) and end.code == WorkTaken.code
            gives_way = job.becomes is State.WAITING or (is_taken and job.becomes is None)
            if isinstance(end, ImportReport) or not gives_way:
                return False
            job.becomes, job.process = None, None
            job.record = job.record.showing(state=State.WAITING)
            del self._running[job.space]
            self._waiting.append(job)
            self._pass_turn(job.space)
            self._begin_next()
            return True

    def _end(self, job: Job, **shown: Any) -> None:
        """Remove the upload of an import, tell how it ended, and begin the next."""
        self.remove(job.order.path.parent)
        record = replace(job.record, born=self._find_uuid(job.space) or job.record.born)
        job.record = record.showing(**shown)
        self._tell(job)
        with self._changed:
            del self._jobs[job.record.status.id]
            if self._running.get(job.space) is job:
                del self._running[job.space]
            self._begin_next()
            self._changed.notify_all()


def _outcome(job: Job, end: End) -> dict[str, Any]:
    """Return the fields of a status that change at the end of an import."""
    if isinstance(end, ImportReport):
        return {"state": State.DONE, "report": end}
    if job.becomes is State.CANCELLED:
        return {"state": State.CANCELLED}
    if job.becomes is State.FAILED:
        return {"state": State.FAILED, "code": ImportFailed.code, "detail": job.detail}
    return {"state": State.FAILED, "code": end.code, "detail": without_folders(end.detail)}


def safe_name(given: str) -> str:
    """Return the name of an upload's file, from which its items have their ids and titles.

    It is the given one without folders, in NFC, where that is safe. One that had to be changed has
    a mark of what it was, so that two names never become one.
    """
    real = normalize("NFC", given.replace("\\", "/").rpartition("/")[2])
    name = _UNSAFE.sub("_", real).strip(". ") or _UNNAMED
    if name in (real, _UNNAMED) and len(name.encode()) <= _NAME_BYTES_MAX:
        return name
    mark = short_hash(ascii(real))[:8]
    stem, ending = Path(name).stem, Path(name).suffix
    if len(ending.encode()) > _ENDING_BYTES_MAX:
        stem, ending = name, ""
    return f"{stem.encode()[:_NAME_BYTES_MAX].decode(errors='ignore')}-{mark}{ending}"
