"""Flipped bits: one at a time, in every kind of file of a space, and who notices.

Knows where bits are flipped and how what is served then differs. Must not know other faults.
"""

import random
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from simonides.errors import SimonidesError
from simonides.storage.sqlite.file_names import snapshot_file, space_file
from simonides_bench.crash import words
from simonides_bench.crash.answers import Answers, answers
from simonides_bench.crash.clocks import SteadyClock
from simonides_bench.crash.cuts import Done
from simonides_bench.crash.disk import Change, Disk, Keep
from simonides_bench.crash.found import SPACE, Found, open_memory, read_found
from simonides_bench.crash.judge import list_wanted, settle
from simonides_bench.crash.promise import Promise
from simonides_bench.crash.recording import Acknowledged, Indexed, Recording, lay
from simonides_bench.crash.recovery import unsound
from simonides_bench.crash.scenario import Scenario
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.served import list_answers


class Kind(StrEnum):
    """A kind of file."""

    DATABASE = "database"
    LOG = "log"
    INDEX = "index"


class Noticed(StrEnum):
    """What became of a flipped bit."""

    HARMLESS = "harmless"
    """Nothing that is kept or answered changed: it was repaired, or lay where nothing is."""
    REFUSED = "refused"
    """Reading or asking said so with an error of the engine's own."""
    BY_VERIFY = "by_verify"
    """Reading and asking went on; `simonides verify` said so."""
    UNCLEAR = "unclear"
    """Something failed, but with an error that does not say what and where."""
    OLDER = "older"
    """The space is whole, but as it was some writes ago: the log ends where the bit was."""
    UNNOTICED = "unnoticed"
    """What is kept or answered is not what it was, and nothing said so."""


@dataclass(slots=True)
class FlipTally:
    """How many bits were flipped in a kind of file, and what became of them."""

    trials: int = 0
    noticed: Counter[Noticed] = field(default_factory=Counter)


Served = tuple[Found, Answers, Mapping[str, str]]
"""All that is kept, what a question gets, and every other answer of the public API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """The files of a sound space, by kind the one that is flipped, and what they serve."""

    files: Mapping[str, bytes]
    victim: str
    promises: Sequence[Promise]
    question: str
    served: Served

    @property
    def past(self) -> list[Promise]:
        """Promises that any earlier state keeps."""
        return [replace(one, least=0, receipts=()) for one in self.promises]


def flip_bits(
    count: int, *, seed: int = 1, on_done: Done = lambda _count: None
) -> dict[Kind, FlipTally]:
    """Flip `count` bits in all, a third in each kind of file; return what became of them."""
    tallies = {kind: FlipTally() for kind in Kind}
    draw = random.Random(f"bits {seed}")  # noqa: S311  a trial, no secret
    recording = Scenario(name="flips", operations=40, snapshots_every=40).record(seed)
    with scratch() as folder:
        wholes = {kind: _whole(kind, recording, folder / kind) for kind in Kind}
        for number in range(count):
            kind = list(Kind)[number % len(Kind)]
            noticed = _try(wholes[kind], folder / str(number), draw)
            tallies[kind].trials += 1
            tallies[kind].noticed[noticed] += 1
            on_done(number + 1)
    return tallies


def _whole(kind: Kind, recording: Recording, home: Path) -> _Whole:
    """Return the files of the recording's end: closed, or with their log, or with their index."""
    position, files = len(recording.events), _files_at(recording, len(recording.events))
    if kind is Kind.LOG:
        position, files = _last_with_log(recording, space_file(home, SPACE).name + "-wal")
    names = {
        Kind.DATABASE: space_file(home, SPACE).name,
        Kind.LOG: space_file(home, SPACE).name + "-wal",
        Kind.INDEX: snapshot_file(home, SPACE).name,
    }
    if kind is Kind.INDEX:
        index = [event.content for event in recording.events if isinstance(event, Indexed)]
        files[names[kind]] = index[-1]
    lay(home, files)
    promises = recording.promises(position)
    some = sorted(word for one in promises for word in one.sure.words.values())
    question = " ".join([words.COMMON, *some[:2]])
    return _Whole(
        files=files, victim=names[kind], promises=promises, question=question,
        served=_serve(home, promises, question),
    )  # fmt: skip


def _last_with_log(recording: Recording, log: str) -> tuple[int, dict[str, bytes]]:
    """Return the last acknowledged place at which the log holds something, and the files there.

    A close folds the log in, and so does an erasure.
    """
    acknowledged = [
        number for number, event in enumerate(recording.events, start=1)
        if isinstance(event, Acknowledged)
    ]  # fmt: skip
    found = ((one, _files_at(recording, one)) for one in reversed(acknowledged))
    return next((place, files) for place, files in found if files.get(log))


def _files_at(recording: Recording, position: int) -> dict[str, bytes]:
    """Return what the disk holds once all before a place of the recording has reached it."""
    disk = Disk(recording.files)
    for event in recording.events[:position]:
        if isinstance(event, Change):
            disk.take(event)
    return disk.after_power_cut(Keep.ALL, random.Random(0))  # noqa: S311  nothing is drawn


def _serve(home: Path, promises: Sequence[Promise], question: str) -> Served:
    """Return all that is kept, and all that is answered."""
    look = list_wanted(promises)
    with open_memory(home, clock=SteadyClock()) as memory:
        given = answers(memory, [question])
        rest = list_answers(memory, receipts=look.receipts)
    return read_found(home, look), given, rest


def _try(whole: _Whole, home: Path, draw: random.Random) -> Noticed:
    """Flip one bit of a copy and look at all that it holds."""
    content = bytearray(whole.files[whole.victim])
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    lay(home, {**whole.files, whole.victim: bytes(content)})
    try:
        seen = _serve(home, whole.promises, whole.question)
        with open_memory(home, clock=SteadyClock()) as memory:
            if unsound(memory):
                return Noticed.BY_VERIFY
    except SimonidesError:
        return Noticed.REFUSED
    except Exception:  # noqa: BLE001  whatever escapes is what is looked for
        return Noticed.UNCLEAR
    finally:
        shutil.rmtree(home)
    if seen == whole.served:
        return Noticed.HARMLESS
    return Noticed.UNNOTICED if settle(seen[0], whole.past)[1] else Noticed.OLDER
