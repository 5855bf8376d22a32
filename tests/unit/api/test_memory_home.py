"""Homes and spaces: how they come into being, who shares them, and what closing means."""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from simonides import Cause, Memory, Settings
from simonides.api.runtime import machine_timezone
from simonides.errors import (
    InvalidInput,
    InvalidSpaceName,
    NotFound,
    StoreError,
    StoreFull,
    WrongEmbedder,
)
from simonides.index import snapshot
from simonides_bench.testing.hashing import HashingEmbedder

Open = Callable[..., Memory]

OTHER_PROCESS = """
import sys
from simonides import Memory, Settings
from simonides_bench.testing.hashing import HashingEmbedder

home, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with Memory(home, settings=Settings(durability="relaxed"), embedder=HashingEmbedder()) as memory:
    for n in range(first, first + count):
        memory.add(f"note {n} of the other process")
    print(len(memory.list(limit=1000).items))
"""


def files(home: Path) -> list[str]:
    return sorted(path.name for path in home.rglob("*") if path.is_file())


def contents(memory: Memory) -> set[str]:
    return {item.content for item in memory.list(limit=1000).items}


def test_reading_an_unknown_space_makes_no_file(memory: Memory, home: Path) -> None:
    result = memory.search("anything")

    assert result.hits == ()
    assert result.diagnostics.notes == ("space 'default' holds nothing yet",)
    assert memory.brief("anything").items == ()
    assert memory.list().items == ()
    assert memory.entities() == ()
    assert memory.forget("a") == ()
    assert memory.spaces() == ()
    for verb in (memory.stats, memory.doctor, memory.reembed):
        with pytest.raises(NotFound, match="no space 'default'"):
            verb()
    with pytest.raises(NotFound, match="no item 'a'"):
        memory.update("a", title="b")
    assert not home.exists()


def test_a_space_comes_into_being_with_its_first_write(memory: Memory) -> None:
    memory.in_space("alice").add("Tom has a dog.")

    assert memory.spaces() == ("alice",)
    assert memory.in_space("alice").stats().items == 1


def test_a_refused_first_write_makes_no_space(memory: Memory, home: Path) -> None:
    with pytest.raises(InvalidInput):
        memory.add(["good", ""])

    assert not home.exists()


def test_spaces_know_nothing_of_each_other(memory: Memory) -> None:
    alice, bob = memory.in_space("alice"), memory.in_space("bob")
    alice.add("Tom has a dog.", id="x")
    lonely = alice.search("dog")[0].score
    bob.add(["The dog of Sarah.", "A dog, a cat, a dog."])

    assert alice.search("dog")[0].score == lonely
    assert contents(alice) == {"Tom has a dog."}
    with pytest.raises(NotFound):
        bob.get("x")
    assert bob.forget("x") == ()
    assert (alice.space, bob.space, memory.space) == ("alice", "bob", "default")


@pytest.mark.parametrize("name", ["", "Alice", "../x", "a/b", "a b", "é", "con", "a..b", "x" * 101])
def test_a_name_that_can_be_no_space_is_refused_by_every_verb(
    memory: Memory, home: Path, name: str
) -> None:
    other = memory.in_space(name)
    for verb in (other.list, other.stats, other.doctor, other.entities, other.reembed):
        with pytest.raises(InvalidSpaceName, match="cannot be a space; a space's name has 1 to"):
            verb()
    for asked in (other.add, other.search, other.brief, other.get, other.forget):
        with pytest.raises(InvalidSpaceName):
            asked("x")
    assert not home.exists()


def test_counts_and_sizes_are_reported(memory: Memory) -> None:
    memory.add("one", kind="task", source="jira", happened_at="2026-03-01T00:00:00Z")
    memory.add("two")
    memory.add("two", title="changed", id=memory.search("two")[0].id)
    stats = memory.stats()

    assert (stats.space, stats.revision, stats.items, stats.archived) == ("default", 3, 2, 1)
    assert stats.by_kind == {"task": 1, "memory": 1}
    assert stats.by_source == {"jira": 1, "note": 1}
    assert stats.oldest == stats.newest
    assert stats.bytes_on_disk > 0
    assert stats.embedder == "testing-hash/1"


def test_a_sound_space_is_found_sound(memory: Memory) -> None:
    memory.add("one")

    assert [finding for finding in memory.doctor() if not finding.sound] == []


def test_what_is_kept_is_there_after_closing(open_memory: Open, home: Path) -> None:
    with open_memory() as memory:
        memory.add("Tom has a dog.")
    assert files(home) == ["default.made", "default.sqlite3"]

    assert contents(open_memory()) == {"Tom has a dog."}


def test_closing_twice_is_no_error_and_the_next_verb_opens_again(memory: Memory) -> None:
    memory.add("one")
    memory.close()
    memory.close()

    memory.add("two")
    assert contents(memory) == {"one", "two"}


def test_with_may_be_used_twice(memory: Memory) -> None:
    with memory as first:
        first.add("one")
    with memory as second:
        second.add("two")

    assert second is memory
    assert contents(memory) == {"one", "two"}


def test_closing_one_space_leaves_the_others_usable(memory: Memory) -> None:
    memory.add("one")
    with memory.in_space("bob") as bob:
        bob.add("two")

    assert contents(memory) == {"one"}


def test_two_memories_of_one_home_see_each_others_writes(open_memory: Open) -> None:
    one, two = open_memory(), open_memory()
    one.add("from one")
    two.add("from two")

    assert contents(one) == contents(two) == {"from one", "from two"}
    assert len(one.search("from", mode="text")) == len(two.search("from", mode="text")) == 2


def test_two_processes_write_to_one_home(memory: Memory, home: Path) -> None:
    memory.add("before")
    command = [sys.executable, "-c", OTHER_PROCESS, str(home)]
    with subprocess.Popen([*command, "0", "20"], stdout=subprocess.PIPE, text=True) as other:
        for n in range(20):
            memory.add(f"note {n} of this process")
        out, _ = other.communicate(timeout=60)

    assert other.returncode == 0
    assert 21 <= int(out) <= 41
    assert len(contents(memory)) == 41
    assert memory.stats().revision == 41
    assert {hit.item.content for hit in memory.search("other", mode="text", limit=50)} == {
        f"note {n} of the other process" for n in range(20)
    }


def test_many_threads_may_write_and_ask_at_once(memory: Memory) -> None:
    barrier = threading.Barrier(4)

    def work(worker: int) -> None:
        barrier.wait(timeout=10)
        for n in range(8):
            memory.add(f"note {n} of worker {worker}")
            assert memory.search(f"worker {worker}").hits
            assert memory.brief("note").items

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert memory.stats().items == memory.stats().revision == 32


def test_threads_that_add_the_same_thing_add_it_once(memory: Memory) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda _: memory.add("the same"), range(8)))

    assert sorted(str(one.change) for one in outcomes) == ["added"] + ["unchanged"] * 7
    assert memory.stats().revision == 1


def test_another_embedder_is_refused_and_the_way_out_is_named(open_memory: Open) -> None:
    open_memory(space="alice").add("one")
    other = open_memory(space="alice", embedder=HashingEmbedder(32))
    for verb in (lambda: other.brief("one"), lambda: other.search("one"), lambda: other.add("two")):
        with pytest.raises(WrongEmbedder, match="simonides reembed --space alice"):
            verb()

    assert other.stats().items == 1


def test_what_needs_no_vectors_is_answered_whatever_the_embedder(open_memory: Open) -> None:
    mine = open_memory(space="alice")
    note = mine.add("Project Walnut begins.", happened_at="2026-03-06")
    due = {"due": "2026-03-07"}
    task = mine.add("two", kind="task", happened_at="2026-03-07", metadata=due)
    other = open_memory(space="alice", embedder=HashingEmbedder(32))

    assert [item.id for item in other.list().items] == [task.id, note.id]
    assert other.get(note.id) == mine.get(note.id)
    assert other.get(note.id, as_of=1) == mine.get(note.id)
    assert other.entities() == mine.entities() != ()
    agenda = other.agenda(since="2026-03-07", until="2026-03-08")
    assert [one.id for one in agenda.entries] == [task.id]
    assert other.record_usage(note.id) == (note.id,)
    assert other.engagement(note.id) == mine.engagement(note.id)
    assert other.forget(note.id) == (note.id,)
    assert [one.cause for one in other.history(note.id)] == [Cause.FORGOTTEN]
    with pytest.raises(WrongEmbedder):
        other.restore(note.id)
    assert [item.id for item in mine.list().items] == [task.id]


def test_a_large_import_that_waits_for_vectors_leaves_a_snapshot(
    open_memory: Open, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)
    memory = open_memory(settings=Settings(snapshot_writes=3))
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("a", "b"):
        (notes / f"{name}.md").write_text(f"words of {name}")

    memory.import_(notes)
    assert "default.index" not in files(home)
    for name in ("c", "d", "e"):
        (notes / f"{name}.md").write_text(f"words of {name}")
    memory.import_(notes, wait=False)
    assert "default.index" not in files(home)
    for path in notes.iterdir():
        path.write_text(f"{path.name} has other words")
    memory.import_(notes)

    assert "default.index" in files(home)
    with memory._opened.space.read() as reader:
        view = memory._opened.index.on_disk(reader)
    assert view is not None
    assert (view.item_count, view.vectors_alive) == (5, 5)


def test_after_reembedding_the_other_embedder_is_the_right_one(open_memory: Open) -> None:
    first = open_memory()
    first.add(["Alpha is due on Friday.", "Tom has a dog."])
    first.close()
    other = open_memory(embedder=HashingEmbedder(32))
    reported: list[tuple[int, int]] = []

    assert other.reembed(on_progress=lambda done, of: reported.append((done, of))) == 2
    assert reported[-1] == (2, 2)
    assert "Alpha" in other.search("Alpha due", mode="vector")[0].item.content
    with pytest.raises(WrongEmbedder):
        first.search("Alpha")


def test_a_home_that_can_not_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file stands where the home should be")
    with (
        Memory(tmp_path / "home", embedder=HashingEmbedder()) as memory,
        pytest.raises(StoreError, match="home"),
    ):
        memory.add("one")


def test_a_read_only_home_is_refused_with_what_to_do() -> None:
    with tempfile.TemporaryDirectory() as place:
        with Memory(place, embedder=HashingEmbedder()) as memory:
            memory.add("one")
            memory.search("one")
        for path in (Path(place) / "spaces" / "default.sqlite3", Path(place) / "spaces"):
            path.chmod(path.stat().st_mode & 0o555 | 0o055)
        Path(place).chmod(0o755)
        with as_nobody():
            for verb in (memory.add, memory.search):
                with pytest.raises(StoreFull, match="is read-only; give this user the right"):
                    verb("one")
            memory.close()
        (Path(place) / "spaces").chmod(0o700)

        assert contents(memory) == {"one"}
        memory.close()


@contextmanager
def as_nobody() -> Iterator[None]:
    """Put off the superuser's rights, to whom nothing is read-only."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def test_the_home_may_be_text_a_path_or_begin_with_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Memory("~/there", embedder=HashingEmbedder()) as memory:
        memory.add("one")

    assert (tmp_path / "there" / "spaces" / "default.sqlite3").is_file()
    assert repr(memory) == f"Memory({str(tmp_path / 'there')!r}, space='default')"


def test_settings_come_from_the_file_of_the_home_and_the_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    (home / "config.toml").write_text('embedder = "none"\ntimezone = "Asia/Tokyo"\n')
    monkeypatch.setenv("SIMONIDES_TIMEZONE", "UTC")
    with Memory(home) as memory:
        memory.add("one")

        assert memory.settings == Settings(embedder="none", timezone="UTC")
        assert memory.stats().embedder == "none"


def test_an_unknown_setting_is_refused(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("colour = 1\n")

    with pytest.raises(InvalidInput, match=r"colour.* is no setting"):
        Memory(home)


@pytest.mark.skipif(not Path("/usr/share/zoneinfo").is_dir(), reason="needs zone files")
def test_the_zone_of_the_machine_is_the_one_that_is_set_now(tmp_path: Path) -> None:
    link = tmp_path / "localtime"
    zones = []
    for name in ("Europe/Vienna", "Asia/Tokyo", "Nowhere/At_all"):
        link.unlink(missing_ok=True)
        link.symlink_to(Path("/usr/share/zoneinfo") / name)
        zones.append(machine_timezone({}, localtime=link))

    assert zones == ["Europe/Vienna", "Asia/Tokyo", "UTC"]
    assert machine_timezone({"TZ": ":Asia/Tokyo"}, localtime=link) == "Asia/Tokyo"
    assert machine_timezone({}, localtime=tmp_path / "missing") == "UTC"
