"""Erasing a damaged space: all its files go, and nothing is claimed that nobody can know."""

import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from simonides import Memory
from simonides.cli.main import run
from simonides.errors import NotASpace, NotFound, StoreBusy, StoreCorrupt, StoreFull
from simonides.maintenance.erase import DAMAGED

Open = Callable[..., Memory]
Damage = Callable[[Path], None]

PAGE_BYTES = 4096
SAID = "the codeword is xyzzyplugh {} and nobody knows "


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the spaces lie."""
    return tmp_path / "home"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, memory_at: Callable[..., Memory]) -> Path:
    """A home with a space of some pages, which nobody has open. A repair set a copy aside."""
    home = tmp_path_factory.mktemp("whole") / "home"
    with memory_at(home) as memory:
        for n in range(20):
            memory.add(SAID.format(n) * 40, id=f"a{n}")
        memory.search("codeword")
    (home / "spaces" / "ana.sqlite3.damaged-1").write_text(SAID)
    return home


@pytest.fixture
def file(whole: Path, home: Path) -> Path:
    """The file of that space in a home of the test's own."""
    shutil.copytree(whole, home)
    return home / "spaces" / "ana.sqlite3"


def cut(size: int) -> Damage:
    return lambda file: os.truncate(file, size)


def spoiled(at: int, count: int = 8) -> Damage:
    """Return a damage of some bytes, counted from the end where `at` is below 0."""

    def spoil(file: Path) -> None:
        content = bytearray(file.read_bytes())
        at_byte = at % len(content)
        content[at_byte : at_byte + count] = bytes(255 - one for one in content[at_byte:][:count])
        file.write_bytes(content)

    return spoil


def noise(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 64)


DAMAGES = {
    "cut to nothing": cut(0),
    "cut to a byte": cut(1),
    "cut to 50 bytes": cut(50),
    "cut within the first page": cut(600),
    "cut after the first page": cut(PAGE_BYTES),
    "torn magic": spoiled(0, 16),
    "torn header": spoiled(0, 100),
    "lost mark": spoiled(68, 4),
    "lost mark of checksums": spoiled(20, 1),
    "bad first page": spoiled(1000),
    "bad page": spoiled(3 * PAGE_BYTES + 1000),
    "bad last page": spoiled(-1000),
    "no database": noise,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("prove", [True, False])
def test_a_damaged_space_goes_as_a_whole_and_nothing_is_claimed_proven(
    open_memory: Open, home: Path, file: Path, damage: Damage, prove: bool
) -> None:
    damage(file)

    report = open_memory().erase(everything=True, prove=prove)

    assert DAMAGED in report.notes
    assert (report.items, report.complete) == ((), not prove)
    assert report.proof is None or "what it said is not known" in report.proof.problem
    assert list((home / "spaces").iterdir()) == []
    assert list((home / "erasing").iterdir()) == []
    assert open_memory().add("begun anew").revision == 1


def test_a_damaged_page_that_is_not_needed_costs_no_proof(open_memory: Open, file: Path) -> None:
    spoiled(PAGE_BYTES + 1000)(file)  # the map of pages: no question reads it

    report = open_memory().erase(everything=True, prove=True)

    assert (report.complete, report.notes, len(report.items)) == (True, (), 20)


def test_a_damaged_space_that_is_open_here_goes_too(open_memory: Open, file: Path) -> None:
    memory = open_memory()
    assert memory.search("codeword").hits
    spoiled(3 * PAGE_BYTES, PAGE_BYTES)(file)

    assert DAMAGED in memory.erase(everything=True).notes
    assert not file.exists()
    assert memory.add("begun anew").revision == 1


def test_what_was_never_a_space_is_left_alone(open_memory: Open, file: Path) -> None:
    noise(file)
    file.with_suffix(".made").unlink()

    with pytest.raises(NotASpace, match="move it away"):
        open_memory().erase(everything=True)

    assert file.exists()
    assert file.with_name("ana.sqlite3.damaged-1").exists()


def test_an_erasure_of_a_damaged_space_that_had_not_begun_leaves_it(
    open_memory: Open, home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoiled(0, 100)(file)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):  # noqa: PT012  what is broken off
        patch.setattr("simonides.storage.sqlite.delete_space._empty", killed)
        open_memory().erase(everything=True)
    assert open_memory().spaces() == ("ana",)

    assert file.exists()
    assert file.with_name("ana.sqlite3.damaged-1").exists()
    assert list((home / "erasing").iterdir()) == []
    assert DAMAGED in open_memory().erase(everything=True).notes
    assert not file.exists()


def test_a_record_of_another_space_does_not_take_a_damaged_one(
    open_memory: Open, home: Path, file: Path
) -> None:
    spoiled(0, 100)(file)
    record = home / "erasing" / "abcdefgh"
    record.parent.mkdir(exist_ok=True)
    record.write_text('{"space": "ana", "uuid": "of before"}')

    assert open_memory().spaces() == ("ana",)
    assert record.exists()
    assert file.with_name("ana.sqlite3.damaged-1").exists()


@pytest.mark.parametrize("at", [PAGE_BYTES + 1000, 3 * PAGE_BYTES + 1000, -1000])
def test_one_item_of_a_space_with_a_damaged_page_is_refused_and_nothing_is_begun(
    open_memory: Open, file: Path, at: int
) -> None:
    spoiled(at)(file)
    before = file.read_bytes()

    with open_memory() as memory, pytest.raises(StoreCorrupt, match="simonides repair"):
        memory.erase("a5", prove=True)
    assert file.read_bytes() == before

    memory = open_memory()
    memory.repair()
    memory.erase("a5")
    with pytest.raises(NotFound):
        memory.get("a5")


def test_the_command_line_says_that_it_is_damaged_before_it_erases(
    open_memory: Open, file: Path
) -> None:
    cut(50)(file)

    def reported(*more: str) -> tuple[int, str]:
        err = io.StringIO()
        status = run(
            ["--space", "ana", "erase", "--everything", *more],
            stdin=io.StringIO(), out=io.StringIO(), err=err, environment={},
            open_memory=lambda *_, **__: open_memory(),
        )  # fmt: skip
        return status, err.getvalue()

    assert "the whole space 'ana', which is damaged, and all" in reported()[1]
    assert file.exists()
    status, said = reported("--yes")
    assert (status, "nothing is proven" in said) == (8, True)
    assert not file.exists()


def test_what_is_read_only_stays_whole(
    open_memory: Open, home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simonides.storage.sqlite.delete_space.is_read_only", lambda _file: True)
    before = sorted(one.name for one in (home / "spaces").iterdir())

    with pytest.raises(StoreFull, match="is read-only; give this user the right"):
        open_memory().erase(everything=True)

    assert sorted(one.name for one in (home / "spaces").iterdir()) == before
    assert not (home / "erasing").exists()
    assert file.stat().st_size > PAGE_BYTES


def test_a_damaged_space_that_another_writer_holds_stays(
    open_memory: Open, home: Path, file: Path
) -> None:
    other = open_memory(space="ana")
    space = other._runtime.store.open_any("ana")
    spoiled(3 * PAGE_BYTES + 1000)(file)

    with space._alone() as handle:  # type: ignore[attr-defined]
        handle.sqlite.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            open_memory().erase(everything=True)
        handle.sqlite.execute("ROLLBACK")

    assert file.with_name("ana.sqlite3.damaged-1").exists()
    assert list((home / "erasing").iterdir()) == []
