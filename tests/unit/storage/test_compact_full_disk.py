"""A disk that has no room while history is compacted: that is told, and nothing is lost."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from simonides import Item, Memory, Settings
from simonides.errors import StoreError
from simonides_bench.fault_vfs import Call, Failure, What, watch_files

PLAIN = Settings(embedder="none", timezone="UTC", durability="relaxed")
ITEMS = 12


@dataclass
class FullDisk:
    """Has no room from the `at`-th write on to files whose names end so; an adapter of `Watcher`.

    `at` None: it has room.
    """

    at: int | None = None
    ending: str = ""
    writes: Counter[What] = field(default_factory=Counter)

    def before(self, call: Call) -> Failure | None:
        """Refuse what needs room."""
        if call.what is not What.WRITE or not call.name.endswith(self.ending):
            return None
        self.writes[What.WRITE] += 1
        is_full = self.at is not None and self.writes[What.WRITE] >= self.at
        return Failure.FULL if is_full else None

    def after(self, call: Call) -> None:
        """Take no note."""


def lived(home: Path, disk: FullDisk) -> Memory:
    """Return a space with much history, on a disk that is watched from now on."""
    memory = Memory(home, settings=PLAIN)
    for version in range(4):
        memory.add([_note(n, version) for n in range(ITEMS)])
    disk.writes.clear()
    return memory


def _note(number: int, version: int) -> Item:
    return Item(id=f"n{number}", content=f"note {number}, version {version} " + "harbor " * 400)


@pytest.mark.parametrize("at", [1, 2, 5, 9, 14, 20])
@pytest.mark.parametrize("ending", [".sqlite3", "-wal"])
def test_a_full_disk_is_reported_and_compaction_can_be_done_later(
    tmp_path: Path, ending: str, at: int
) -> None:
    disk = FullDisk(ending=ending)
    with watch_files(disk):
        memory = lived(tmp_path, disk)
        disk.at = at
        try:
            memory.compact(before=memory.stats().revision)
            reported = ""
        except StoreError as error:
            reported = str(error)
        disk.at = None

        assert not reported or "room" in reported
        assert len(memory.list().items) == ITEMS
        memory.compact(before=memory.stats().revision)
        assert [one for one in memory.verify() if not one.sound] == []
        memory.close()
