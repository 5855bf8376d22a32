"""Page checksums: every page has one, every flipped bit is refused, and old files get them."""

import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from simonides import Memory, Settings
from simonides.errors import SimonidesError, StoreCorrupt, StoreError
from simonides.index import snapshot
from simonides.model.answer import Finding
from simonides.retrieval.looking import look
from simonides.storage.sqlite import connection, pages
from simonides.storage.sqlite.busy import Tuning
from simonides_bench.testing.hashing import HashingEmbedder

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
PAGE = 4096
CHECK = "pages fit their checksums"

Open = Callable[..., Memory]


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Open]:
    """Return a maker of memories of one home; all are closed at the end."""
    made: list[Memory] = []

    def make(space: str = "ana", *, page_checksums: bool = True) -> Memory:
        settings = Settings(
            timezone="UTC", durability="relaxed", timeout_s=0.2, page_checksums=page_checksums
        )
        made.append(
            Memory(
                tmp_path / "home", space=space, settings=settings, embedder=HashingEmbedder(16),
                clock=lambda: NOON,
            )
        )  # fmt: skip
        return made[-1]

    yield make
    for memory in made:
        memory.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the space `ana` is."""
    return tmp_path / "home" / "spaces" / "ana.sqlite3"


@pytest.fixture
def without_checksums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make files as an engine did that knew no checksums."""

    def begin(sqlite: apsw.Connection, **_: object) -> None:
        sqlite.execute("PRAGMA auto_vacuum=INCREMENTAL").fetchall()

    monkeypatch.setattr("simonides.storage.sqlite.connection._begin_file", begin)


def fill(memory: Memory, count: int = 40) -> None:
    """Keep items, and erase enough of them that some pages are free."""
    memory.add([f"item {n} of the harbor " + "with many words " * 40 for n in range(count)])
    memory.add("gone", id="gone")
    memory.forget("gone")


def checksum(page: bytes) -> bytes:
    """Return what cksumvfs.html says a page should end with, reckoned here in plain Python."""
    one = two = 0
    for first, second in struct.iter_unpack("<II", page[:-8]):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return struct.pack("<II", one, two)


def misfits(file: Path) -> list[int]:
    content = file.read_bytes()
    return [
        1 + at // PAGE
        for at in range(0, len(content), PAGE)
        if checksum(content[at : at + PAGE]) != content[at + PAGE - 8 : at + PAGE]
    ]


def flip(file: Path, at: int, bit: int = 0) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= 1 << bit
    file.write_bytes(bytes(content))
    file.with_suffix(".index").unlink(missing_ok=True)


def found(memory: Memory) -> Finding:
    return next(one for one in memory.doctor() if one.check == CHECK)


def looked(open_memory: Open) -> str:
    """Return what is wrong with the pages, by the look or by the error that it ended in."""
    memory = open_memory()
    try:
        return found(memory).detail
    except StoreError as error:
        return str(error)
    finally:
        memory.close()


# ── every page has one ────────────────────────────────────────────────────────────────────────


def test_every_page_of_a_new_space_has_a_checksum(open_memory: Open, file: Path) -> None:
    with open_memory() as memory:
        fill(memory)
        memory.erase("gone")
        fill(memory, 60)
        assert memory.stats().page_checksums

    assert len(file.read_bytes()) > 20 * PAGE
    assert misfits(file) == []


def test_every_page_of_a_backup_has_one_those_too_that_lie_in_the_log(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    fill(memory, 2_100)  # more pages than SQLite remembers before it writes the first one
    memory.add("the last word", id="last")

    memory.backup(tmp_path / "copy.sqlite3")

    assert (tmp_path / "copy.sqlite3").stat().st_size > 600 * PAGE
    assert misfits(tmp_path / "copy.sqlite3") == []


def test_every_page_has_one_after_the_file_was_written_anew(open_memory: Open, file: Path) -> None:
    with open_memory() as memory:
        fill(memory, 80)
        memory.erase(*[item.id for item in memory.list(limit=50).items])
        memory.compact()
        memory.repair()
        fill(memory, 3)

    assert misfits(file) == []


def test_who_opened_the_file_before_it_was_made_keeps_checksums_too(
    open_memory: Open, file: Path
) -> None:
    file.parent.mkdir(parents=True)
    file.touch()
    early, other = open_memory(), open_memory()
    assert list(early.search("harbor").hits) == []  # it has the blank file open by now

    fill(other)
    early.add("late", id="late")
    fill(early, 20)
    other.close()
    early.close()

    assert misfits(file) == []
    assert open_memory().get("late").content == "late"


def test_whoever_opened_the_file_too_early_writes_no_page_without_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others make the file after it is opened, and fold the log in once it was looked at."""
    file = tmp_path / "ana.sqlite3"
    others: list[apsw.Connection] = []
    check_mark, is_early = connection._check_mark, connection._is_early

    def after_others_made_it(handle: connection.Handle) -> None:
        if not others:
            handle.sqlite.execute("PRAGMA page_count").fetchall()
            others.append(made(file))
        check_mark(handle)

    def before_others_fold_it_in(handle: connection.Handle) -> bool:
        found = is_early(handle)
        others[0].wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        others[0].execute("UPDATE t SET a = a || '.'")  # a page, and not the first one
        return found

    monkeypatch.setattr(connection, "_check_mark", after_others_made_it)
    monkeypatch.setattr(connection, "_is_early", before_others_fold_it_in)
    file.touch()
    handle = connection.connect(file, tuning=Tuning(timeout_s=0.2), writes=False)

    assert handle.has_checksums
    assert misfits(file) == []
    handle.close()
    others[0].close()


def made(file: Path) -> apsw.Connection:
    """Make a file of one table whose pages are all in the log."""
    sqlite = pages.open_file(file)
    pages.reserve(sqlite)
    sqlite.execute("PRAGMA journal_mode=wal").fetchall()
    sqlite.set_wal_hook(lambda *_: apsw.SQLITE_OK)
    sqlite.execute(f"PRAGMA application_id={connection.APPLICATION_ID}")
    sqlite.execute("CREATE TABLE t (a); INSERT INTO t VALUES ('one')")
    return sqlite


MAKER = """
import sys
from pathlib import Path
from simonides import Memory, Settings
settings = Settings(embedder="none", durability="relaxed")
with Memory(Path(sys.argv[1]), space="ana", settings=settings) as memory:
    for number in range(30):
        memory.add(f"{sys.argv[2]} {number} " + "words " * 200)
"""


def test_processes_that_make_a_space_at_once_all_write_checksums(
    tmp_path: Path, file: Path
) -> None:
    home = str(tmp_path / "home")
    makers = [subprocess.Popen([sys.executable, "-c", MAKER, home, name]) for name in "abc"]

    assert [maker.wait() for maker in makers] == [0, 0, 0]
    assert misfits(file) == []


def test_other_users_of_sqlite_in_the_process_are_left_alone(open_memory: Open) -> None:
    fill(open_memory(), 1)

    assert apsw.vfs_names()[0] != pages.LAYER


# ── every flip is refused ─────────────────────────────────────────────────────────────────────


def test_a_flip_anywhere_in_any_page_is_found_and_nothing_of_it_is_served(
    open_memory: Open, file: Path
) -> None:
    with open_memory() as memory:
        fill(memory)
        ids = [item.id for item in memory.list(limit=100).items]
        memory.forget(*ids[:20])
    whole = file.read_bytes()
    for number in range(len(whole) // PAGE):
        file.write_bytes(whole)
        flip(file, number * PAGE + (95 + number * 997) % PAGE, number % 8)

        said = looked(open_memory)

        assert f"pages differ from their checksums: {number + 1};" in said or "a page is" in said


@pytest.mark.parametrize("bit", range(8))
@pytest.mark.parametrize("at", [*range(16, 24), 60, 68])
def test_the_header_says_nothing_that_is_not_checked(
    open_memory: Open, file: Path, at: int, bit: int
) -> None:
    with open_memory() as memory:
        fill(memory, 3)
    flip(file, at, bit)

    with pytest.raises(StoreError):
        open_memory().list()


def test_a_page_that_fails_says_what_to_do(open_memory: Open, file: Path) -> None:
    with open_memory() as memory:
        fill(memory)
    flip(file, file.read_bytes().rindex(b"many words"))

    with pytest.raises(StoreCorrupt, match=r"(?s)simonides verify.*simonides repair"):
        open_memory().export(file.parent / "e.jsonl")


def test_a_file_that_lost_its_mark_is_not_taken_for_an_old_one(
    open_memory: Open, file: Path
) -> None:
    with open_memory() as memory:
        fill(memory, 2)
    content = bytearray(file.read_bytes())
    content[20] = 0
    file.write_bytes(bytes(content))

    with pytest.raises(StoreCorrupt, match="repair"):
        open_memory().stats()


# ── scrub ─────────────────────────────────────────────────────────────────────────────────────


def test_a_scrub_looks_at_all_pages_and_is_noted(open_memory: Open, file: Path) -> None:
    memory = open_memory()
    fill(memory)
    revision = memory.stats().revision
    assert memory.stats().scrubbed_at is None
    assert "never" in found(memory).detail

    scrub = memory.scrub()

    assert scrub is not None
    assert (scrub.at, scrub.damaged) == (NOON, ())
    assert scrub.pages == file.stat().st_size // PAGE
    assert memory.stats().scrubbed_at == NOON
    assert memory.stats().revision == revision
    assert "2026-03-06 12:00" in found(memory).detail


def test_a_scrub_that_is_broken_off_is_not_noted(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory, 2)

    assert memory.scrub(go_on=lambda: False) is None
    assert memory.stats().scrubbed_at is None


def test_a_scrub_finds_damage_that_nobody_asks_for_and_notes_it(
    open_memory: Open, file: Path
) -> None:
    memory = open_memory()
    fill(memory, 120)
    memory.close()
    last = file.stat().st_size // PAGE
    flip(file, (last - 1) * PAGE + 9)
    memory = open_memory()

    scrub = memory.scrub()

    assert scrub is not None
    assert scrub.damaged == (last,)
    assert memory.stats().pages_damaged == 1


def test_pages_of_which_the_log_has_a_newer_copy_are_no_damage(
    open_memory: Open, file: Path
) -> None:
    memory = open_memory()
    fill(memory)
    memory.close()
    memory = open_memory()
    with memory._runtime.store.open_any(
        "ana"
    ).read():  # a reader keeps the log from being folded in
        memory.add("newer", id="n")
        newer = pages._list_logged(file)
        assert newer
        with file.open("r+b") as stream:  # no descriptor of ours may be closed but at the end
            for number in newer - {1}:
                stream.seek((number - 1) * PAGE)
                stream.write(bytes(PAGE))
            stream.flush()
            assert pages.find_damaged_pages(file, page_bytes=PAGE) == []
    memory.close()


def test_a_scrub_takes_no_write_of_others_for_damage(open_memory: Open) -> None:
    memory, other = open_memory(), open_memory()
    fill(memory, 1)

    def write() -> None:
        for number in range(12):
            other.add([f"{number} {n} " + "with many words " * 60 for n in range(60)])
            other.compact()

    writer = threading.Thread(target=write)
    writer.start()
    damaged: list[int] = []
    while writer.is_alive():
        scrub = memory.scrub()
        damaged += scrub.damaged if scrub is not None else ()
    writer.join()

    assert damaged == []
    assert all(one.sound for one in memory.verify())


# ── files without ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("without_checksums")
def test_an_old_file_is_served_as_before_and_compaction_protects_it(
    open_memory: Open, file: Path
) -> None:
    with open_memory() as memory:
        fill(memory)
        before = memory.search("item 7", limit=50)
    memory = open_memory()
    assert not memory.stats().page_checksums
    assert found(memory).sound
    assert "simonides compact" in found(memory).detail
    scrub = memory.scrub()
    assert scrub is not None
    assert scrub.pages == 0

    memory.compact()

    assert memory.stats().page_checksums
    assert memory.search("item 7", limit=50).hits == before.hits
    memory.add("later", id="later")
    assert all(one.sound for one in memory.verify())
    memory.close()
    assert misfits(file) == []
    assert [one.name for one in file.parent.iterdir() if "damaged" in one.name] == []


@pytest.mark.usefixtures("without_checksums")
def test_a_file_that_others_have_open_stays_as_it_is_and_says_so(open_memory: Open) -> None:
    memory, other = open_memory(), open_memory()
    fill(memory)
    with other._runtime.store.open_any("ana").read():
        memory.compact()

    assert not memory.stats().page_checksums
    assert "simonides compact" in found(memory).detail
    memory.add("goes on", id="on")
    assert other.get("on").content == "goes on"


@pytest.mark.usefixtures("without_checksums")
def test_an_old_backup_that_is_put_back_gets_checksums(
    open_memory: Open, file: Path, tmp_path: Path
) -> None:
    memory = open_memory()
    fill(memory, 5)
    memory.backup(tmp_path / "old.sqlite3")
    memory.repair(backup=tmp_path / "old.sqlite3")

    assert memory.stats().page_checksums
    memory.close()
    assert misfits(file) == []


def test_without_the_setting_new_files_get_no_checksums_and_compaction_adds_none(
    open_memory: Open, file: Path
) -> None:
    memory = open_memory(page_checksums=False)
    fill(memory)
    memory.compact()

    assert not memory.stats().page_checksums
    assert all(one.sound for one in memory.verify())
    memory.close()
    assert len(misfits(file)) > 1


def test_a_repair_without_the_setting_takes_the_checksums_off_a_sound_file(
    open_memory: Open, file: Path
) -> None:
    with open_memory() as memory:
        fill(memory)
        before = memory.search("item 7", limit=50)
    memory = open_memory(page_checksums=False)
    report = memory.repair()

    assert (report.lost, report.aside, memory.stats().page_checksums) == ((), "", False)
    assert memory.search("item 7", limit=50).hits == before.hits
    memory.close()
    memory = open_memory()
    memory.compact()
    assert memory.stats().page_checksums
    memory.close()
    assert misfits(file) == []


def test_a_build_without_the_layer_refuses_what_it_cannot_keep(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory() as memory:
        fill(memory, 2)
    monkeypatch.setattr(pages, "_BELOW", "")

    with pytest.raises(StoreError, match="pip install apsw"):
        open_memory().stats()


def test_a_build_without_the_layer_says_that_its_spaces_have_none(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_BELOW", "")
    memory = open_memory()
    fill(memory, 2)
    memory.compact()

    assert not memory.stats().page_checksums
    assert "pip install apsw" in found(memory).detail


# ── what lies beside the file ─────────────────────────────────────────────────────────────────


def test_no_flipped_byte_of_an_index_snapshot_is_believed(open_memory: Open, file: Path) -> None:
    memory = open_memory()
    fill(memory, 3)
    space = memory._runtime.store.open_any("ana")
    index = file.with_suffix(".index")
    with look(space, memory._runtime.index(space)) as (reader, view):
        epoch = reader.epoch
        snapshot.write(index, view, space_uuid=space.uuid, epoch=epoch)
    whole = index.read_bytes()
    for at in (*range(1_000), *range(1_000, len(whole), 7), *range(len(whole) - 8, len(whole))):
        content = bytearray(whole)
        content[at] ^= 1 << at % 8
        index.write_bytes(bytes(content))

        assert snapshot.read(index, space_uuid=space.uuid, epoch=epoch, dimension=16) is None


def test_no_flipped_bit_of_an_export_is_imported_without_a_word(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    fill(memory, 2)
    memory.background.put("the harbor counts")
    memory.export(tmp_path / "whole.jsonl")
    whole = (tmp_path / "whole.jsonl").read_bytes()
    for number, at in enumerate(range(3, len(whole), 131)):
        content = bytearray(whole)
        content[at] ^= 1 << at % 7
        (tmp_path / "flipped.jsonl").write_bytes(bytes(content))
        copy = open_memory(f"copy{number}")
        with suppress(SimonidesError):
            assert copy.import_(tmp_path / "flipped.jsonl").skipped
        copy.close()
