"""A home's files: each is of one space at most, and erasing one space harms no other."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simonides import Memory, Settings
from simonides.disk import make_held_folder, temporary_prefix
from simonides.index import snapshot
from simonides.storage.names import is_name
from simonides.storage.sqlite.file_names import space_file
from simonides.storage.sqlite.home_files import classify, files_in, files_of, temporary_prefix_of
from simonides_bench.testing.depth import examples

PLAIN = Settings(embedder="none", timezone="UTC", durability="relaxed")
OURS = (".sqlite3", ".damaged-1", ".damaged-old", ".index", "-wal", "-shm", "-journal", "-abcdefgh",
        "-12345678", ".simonides-", "index-", "a", "b", "bob", ".", "-", "_", "1")  # fmt: skip

names = st.lists(st.sampled_from(OURS), min_size=1, max_size=6).map("".join).filter(is_name)


def possible(home: Path, name: str) -> set[Path]:
    """Return the paths under which the engine may put something of a space, one of each kind."""
    file = space_file(home, name)
    snapshot_path = file.with_suffix(".index")
    aside = [f"{file.name}.damaged-{n}{end}" for n in (1, 22) for end in ("", "-wal")]
    own = [f"{file.name}{end}" for end in ("", "-wal", "-shm", "-journal")]
    making = file.parent / f"{temporary_prefix_of(name)}a_c3e5g7"
    return {
        *(file.parent / one for one in (*own, *aside)),
        snapshot_path,
        file.parent / f"{temporary_prefix(snapshot_path)}a_c3e5g7",
        making / "space.sqlite3",
        making / "space.sqlite3-wal",
    }


@given(one=names, other=names)
@example(one="bob", other="bob.sqlite3.damaged-old")
@example(one="bob", other="bob.sqlite3.damaged-1")
@example(one="a", other="a-abcdefgh")
@settings(max_examples=examples(300))
def test_no_file_is_of_two_spaces(one: str, other: str) -> None:
    home = Path("/home")
    assert {classify(home, path).space for path in possible(home, one)} == {one}
    if one != other:
        assert possible(home, one).isdisjoint(possible(home, other))


@given(one=names, other=names)
@example(one="bob", other="bob.sqlite3.damaged-old")
@example(one="bob", other="bob.sqlite3.damaged-1")
@example(one="a", other="a-b")
@settings(max_examples=examples(12))
def test_erasing_a_space_takes_all_its_files_and_no_other_ones(one: str, other: str) -> None:
    if one == other:
        return
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in (one, other):
            with Memory(home, space=name, settings=PLAIN) as memory:
                memory.add(f"kept in {name}")
            for path in possible(home, name):
                if not path.exists() and path.suffix != ".sqlite3":
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(b"beside")
            for log in ("-wal", "-shm", "-journal"):  # SQLite's own, which it would believe
                space_file(home, name).with_name(f"{name}.sqlite3{log}").unlink()
        with Memory(home, space=one, settings=PLAIN) as memory:
            report = memory.erase(everything=True)
            assert (report.complete, memory.spaces()) == (True, (other,))
        assert [path for path in possible(home, one) if path.exists()] == []
        with Memory(home, space=other, settings=PLAIN) as memory:
            assert [item.content for item in memory.list().items] == [f"kept in {other}"]
        assert space_file(home, other).with_name(f"{other}.sqlite3.damaged-22").exists()


@pytest.mark.parametrize("name", ["ana", "bob.sqlite3.damaged-1", "a.index", "x-abcdefgh"])
def test_every_file_that_the_engine_makes_is_known(
    tmp_path: Path, monkeypatch: Any, name: str
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 0)
    file, seen = space_file(tmp_path, name), set[Path]()

    def look(*_: object) -> None:
        seen.update(one.path for one in files_in(tmp_path) if one.space != name)
        assert {one.path for one in files_of(file)} >= {
            one.path for one in files_in(tmp_path) if one.space
        }

    with Memory(tmp_path, space=name, settings=PLAIN) as memory:
        memory.add([f"a word {n}" for n in range(50)])
        look()
        memory.search("word")
        memory.backup(tmp_path / "spaces" / "copy", on_progress=look)
        memory.keys.create(name="k", space=name, permissions=["read"])
    look()
    content = bytearray(file.read_bytes())
    content[content.index(b"a word 7") + 2] ^= 1
    file.write_bytes(content)
    with Memory(tmp_path, space=name, settings=PLAIN) as memory:
        assert memory.repair().aside
        look()

    unknown = {str(one.relative_to(tmp_path)) for one in seen}
    keys = (f"access.{end}" for end in ("made", "sqlite3", "sqlite3-wal", "sqlite3-shm"))
    assert unknown <= {"spaces/copy", *keys}


def test_a_file_in_the_making_says_of_which_space_it_is(tmp_path: Path) -> None:
    (tmp_path / "spaces").mkdir()
    with make_held_folder(tmp_path / "spaces", prefix=temporary_prefix_of("ana")) as folder:
        (folder / "space.sqlite3").write_bytes(b"half")
        found = files_of(space_file(tmp_path, "ana"))

        assert folder / "space.sqlite3" in {one.path for one in found}
        assert {one.unit for one in found if one.unit.name.startswith(".")} == {folder}
