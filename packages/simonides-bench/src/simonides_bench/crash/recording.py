"""A workload's every change of files, in one line with what was begun and acknowledged.

Knows how to run streams and to write down what they do to the files of a space: those of SQLite,
and those by which one file takes another's place. Must not know what a power cut takes.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from simonides.api.memory import Memory
from simonides.index import snapshot
from simonides.index.space_index import SpaceIndex
from simonides.ports.models import Clock
from simonides.retrieval.looking import look
from simonides.storage.sqlite import SQLiteStore
from simonides.storage.sqlite.file_names import snapshot_file, space_file
from simonides_bench.crash.disk import Change
from simonides_bench.crash.found import EMBEDDER, SPACE, open_memory
from simonides_bench.crash.operation import Erase, Operation
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.state import State
from simonides_bench.crash.whole.file_calls import changes_watched


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A stream is about to do its next operation; `erases` if that may take receipts with it."""

    stream: str
    erases: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """A stream's operation returned; `receipt` is the id of the one that it kept, if any."""

    stream: str
    receipt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """An index snapshot was written: these bytes."""

    content: bytes


Event = Change | Begun | Acknowledged | Indexed


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One workload: the files it began with, all that happened, and what each stream went through.

    `held` are promises of before, which nothing here changes. `durable` says that commits were
    synced, so that all that was acknowledged must be there.
    """

    name: str
    files: Mapping[str, bytes]
    events: Sequence[Event]
    states: Mapping[str, Sequence[State]]
    held: Sequence[Promise] = ()
    durable: bool = True

    def promises(self, position: int) -> list[Promise]:
        """Return what holds once the first `position` events have happened."""
        begun = dict.fromkeys(self.states, 0)
        done = dict.fromkeys(self.states, 0)
        receipts: dict[str, list[str]] = {one: [] for one in self.states}
        erasing = dict.fromkeys(self.states, False)
        for event in self.events[:position]:
            if isinstance(event, Begun):
                begun[event.stream] += 1
                receipts[event.stream] = [] if event.erases else receipts[event.stream]
                erasing[event.stream] |= event.erases
            elif isinstance(event, Acknowledged):
                done[event.stream] += 1
                receipts[event.stream] += [event.receipt] if event.receipt else []
                erasing[event.stream] &= not self.durable
        return [
            *self.held,
            *(
                Promise(
                    stream=one, states=states, acknowledged=done[one], begun=begun[one],
                    least=done[one] if self.durable else 0,
                    receipts=tuple(receipts[one]) if self.durable else (), erasing=erasing[one],
                )
                for one, states in self.states.items()
            ),
        ]  # fmt: skip


@dataclass(slots=True)
class Recorder:
    """Writes down every change; an adapter of `ChangeWatcher` that lets all of them be made."""

    events: list[Event] = field(default_factory=list)

    def before(self, change: Change) -> None:
        """Let it be made."""

    def after(self, change: Change) -> None:
        """Write it down."""
        self.events.append(change)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one stream does: its operations, and the states before and after each."""

    stream: str
    operations: Sequence[Operation]
    states: Sequence[State]


def record(
    home: Path,
    works: Sequence[Work],
    *,
    name: str,
    files: Mapping[str, bytes],
    clock: Clock,
    durability: str = "full",
    held: Sequence[Promise] = (),
    snapshots_every: int = 0,
) -> Recording:
    """Run all works at once in the empty folder `home`, each in a thread; return all that happened.

    `files` are there from the beginning. After every so many operations of a work that is alone an
    index snapshot is written, as closing a large space would.

    Raises:
        Exception: What an operation failed with: nothing here makes one fail.
    """
    lay(home, files)
    recorder = Recorder()
    failed: list[BaseException] = []

    def run(work: Work) -> None:
        try:
            _run(memory, work, recorder.events, indexing=indexing)
        except BaseException as error:  # noqa: BLE001  it is raised below, in the thread that asked
            failed.append(error)

    def indexing(count: int) -> None:
        if snapshots_every and count % snapshots_every == 0:
            recorder.events.append(Indexed(content=_read_index(home)))

    with changes_watched(space_file(home, SPACE).parent, recorder):
        memory = open_memory(home, durability=durability, clock=clock)
        _together([lambda work=work: run(work) for work in works])  # type: ignore[misc]
        memory.close()
    if failed:
        raise failed[0]
    return Recording(
        name=name, files=dict(files), events=tuple(recorder.events), held=tuple(held),
        states={work.stream: work.states for work in works}, durable=durability == "full",
    )  # fmt: skip


def _run(
    memory: Memory, work: Work, events: list[Event], *, indexing: Callable[[int], object]
) -> None:
    for count, operation in enumerate(work.operations, start=1):
        events.append(Begun(stream=work.stream, erases=isinstance(operation, Erase)))
        receipt = operation.do(memory)
        events.append(Acknowledged(stream=work.stream, receipt=receipt))
        indexing(count)


def _together(calls: Iterable[Callable[[], object]]) -> None:
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _read_index(home: Path) -> bytes:
    """Return the index snapshot of a space as it is now, which is left beside it."""
    store = SQLiteStore(home)
    space = store.open_any(SPACE)
    with look(space, SpaceIndex(EMBEDDER.identity.dimension)) as (reader, view):
        path = snapshot_file(home, SPACE)
        snapshot.write(path, view, space_uuid=space.uuid, epoch=reader.epoch)
    store.close()
    return path.read_bytes()


def lay(home: Path, files: Mapping[str, bytes]) -> None:
    """Put a space's files into a home, which nobody may have open."""
    folder = space_file(home, SPACE).parent
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
