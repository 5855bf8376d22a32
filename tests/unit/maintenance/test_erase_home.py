"""Erasing means the home: what lies there is searched, removed or named, whoever left it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Filter, Memory
from simonides.disk import process_mark
from simonides.errors import NotFound, StoreFull
from simonides.index import snapshot
from simonides.maintenance.erase import ALREADY_EMPTY, FOREIGN, LEFT, UNSEARCHED
from simonides.ports.space import Space
from simonides.storage.sqlite import home_files

Open = Callable[..., Memory]
Left = Callable[..., list[str]]

SAID = "the codeword is xyzzyplugh and nobody knows"
DEAD = "4194305-00000000-0000000000000000"
"""The upload of a process of a number that no system gives."""

HOLDER = """
import os, sys
from pathlib import Path
from simonides.storage.sqlite.erasing import Erasure, record_erasure

with record_erasure(Path(sys.argv[1]), Erasure(space="ana", uuid="0")):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the spaces lie."""
    return tmp_path / "home"


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """A space with a secret and something else."""
    made = open_memory()
    made.add(SAID, id="a")
    made.add("lunch on Monday", id="b")
    return made


def put(path: Path, text: str = SAID) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def record(home: Path, **said: Any) -> Path:
    return put(home / "erasing" / "abcdefgh", json.dumps(said))


# ── what is searched, removed and named ───────────────────────────────────────────────────────


def test_what_the_dead_left_goes_with_any_erasure(memory: Memory, home: Path) -> None:
    left = [
        put(home / "spaces" / ".simonides-abcdefgh"),
        put(home / "spaces" / ".simonides-ben-abcdefgh" / "space.sqlite3"),
        put(home / "spaces" / ".index-ben-abcdefgh"),
        put(home / "spaces" / "gone.index"),
        put(home / "backups" / ".simonides-ana-abcdefgh" / "space.sqlite3"),
        put(home / "uploads" / DEAD / "up.mbox"),
    ]

    report = memory.erase("a", prove=True)

    assert [one for one in left if one.exists()] == []
    assert (report.complete, report.notes) == (True, ())
    assert {str(left[0]), str(home / "uploads" / DEAD)} <= set(report.files)


@pytest.mark.parametrize("wanted", [{"filter": Filter(ids=("a",))}, {"everything": True}])
def test_an_upload_that_is_being_read_is_told_of_and_stays(
    memory: Memory, home: Path, wanted: Any
) -> None:
    upload = put(home / "uploads" / process_mark() / "up.mbox")

    report = memory.erase(**wanted, prove=True)

    assert not report.complete
    assert report.notes == (
        f"an import is being read from {upload}: erase again when it has ended",
    )
    assert upload.exists()


def test_copies_by_hand_are_found_and_named_and_stay(memory: Memory, home: Path) -> None:
    copies = [put(home / "spaces" / "a copy"), put(home / "notes.txt")]

    report = memory.erase("a", prove=True)

    assert not report.complete
    assert report.proof is not None
    assert set(report.proof.where) == set(map(str, copies))
    assert report.notes[0].startswith(f"{LEFT}: ")
    assert report.notes[1:] == (f"{FOREIGN}: spaces/a copy",)
    assert all(one.exists() for one in copies)


def test_what_another_space_says_is_its_own(memory: Memory, open_memory: Open, home: Path) -> None:
    open_memory(space="ben").add(SAID)
    put(home / "spaces" / "ben.sqlite3.damaged-1")

    assert memory.erase("a", prove=True).complete
    assert memory.erase(everything=True, prove=True).complete
    assert (home / "spaces" / "ben.sqlite3.damaged-1").exists()


def test_copies_of_a_space_that_is_not_there_are_searched(memory: Memory, home: Path) -> None:
    aside = put(home / "spaces" / "gone.sqlite3.damaged-1")

    report = memory.erase("a", prove=True)

    assert report.proof is not None
    assert report.proof.where == (str(aside),)


def test_what_the_settings_and_the_keys_say_is_no_trace(memory: Memory, home: Path) -> None:
    put(home / "config.toml", 'owner = ["zora.quillfeather@example.com"]')
    memory.keys.create(name="Zora Quillfeather's", space="ana", permissions=["read"])
    zora = "Zora Quillfeather <zora.quillfeather@example.com>"
    memory.add("a mail", id="c", kind="email", people=[zora])

    assert memory.erase("c", prove=True).complete
    assert memory.erase(everything=True, prove=True).complete


def test_no_pipe_and_no_link_out_of_the_home_is_followed(
    memory: Memory, home: Path, tmp_path: Path
) -> None:
    os.mkfifo(home / "pipe")
    (home / "endless").symlink_to("/dev/zero")
    (home / "elsewhere").symlink_to(put(tmp_path / "mine.txt"))

    assert memory.erase("a", prove=True).complete


def test_a_folder_of_spaces_that_lies_elsewhere_is_searched(
    memory: Memory, home: Path, tmp_path: Path
) -> None:
    memory.close()
    (home / "spaces").rename(tmp_path / "disk")
    (home / "spaces").symlink_to(tmp_path / "disk")
    aside = put(home / "spaces" / "ana.sqlite3.damaged-1")

    report = memory.erase("a", prove=True)

    assert report.proof is not None
    assert report.proof.where == (str(aside),)
    assert memory.erase(everything=True, prove=True).complete
    assert list((tmp_path / "disk").iterdir()) == []


# ── what a repair set aside ───────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def put_back(tmp_path_factory: pytest.TempPathFactory, memory_at: Open) -> Path:
    """A home with a space that a backup was put in the place of; what was there lies aside."""
    folder = tmp_path_factory.mktemp("restored")
    with memory_at(folder / "home") as memory:
        memory.add(SAID, id="a")
        memory.add("lunch on Monday", id="b")
        memory.add("added after the backup: quillfeather", id="later")
        memory.erase("later", prove=True)
        memory.add("added anew: zorkmidgrue", id="newer")
        memory.backup(folder / "kept.sqlite3")
        memory.add("said later still: flutterblast", id="lost")
        memory.repair(backup=folder / "kept.sqlite3")
    return folder / "home"


@pytest.fixture
def restored(put_back: Path, home: Path, open_memory: Open) -> Memory:
    """That space in a home of the test's own."""
    shutil.copytree(put_back, home)
    return open_memory()


@pytest.mark.parametrize("prove", [True, False])
def test_what_was_set_aside_is_searched_with_and_without_a_proof(
    restored: Memory, home: Path, prove: bool
) -> None:
    aside = home / "spaces" / "ana.sqlite3.damaged-1"

    report = restored.erase("a", prove=prove)

    assert (report.items, report.complete) == (("a",), False)
    assert (report.proof is not None) == prove
    [note] = [one for one in report.notes if one.startswith(LEFT)]
    assert str(aside) in note
    assert aside.exists()


@pytest.mark.parametrize("prove", [True, False])
@pytest.mark.parametrize("wanted", ["lost", "never there"])
def test_what_is_in_a_copy_alone_is_not_claimed_to_be_gone(
    restored: Memory, home: Path, prove: bool, wanted: str
) -> None:
    report = restored.erase(wanted, prove=prove)

    assert (report.missing, report.complete) == ((wanted,), False)
    [note] = report.notes
    assert note.startswith(f"{UNSEARCHED}: {home / 'spaces' / 'ana.sqlite3.damaged-1'}")


def test_what_was_never_in_the_copy_is_gone(restored: Memory) -> None:
    restored.add("only said today: mumblewhack", id="today")

    report = restored.erase("today")

    assert (report.complete, report.proof, report.notes) == (True, None, ())


def test_after_the_copy_was_removed_all_is_gone(restored: Memory, home: Path) -> None:
    restored.erase("a")
    for one in (home / "spaces").glob("*.damaged-*"):
        one.unlink()

    assert restored.erase("a").complete
    assert restored.erase("b", prove=True).complete


# ── what was broken off ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("finisher", ["start", "doctor", "erase", "everything", "make"])
def test_a_space_whose_erasure_was_broken_off_is_finished_by(
    open_memory: Open, home: Path, finisher: str
) -> None:
    other = open_memory(space="ben")
    other.add("of another space", id="c")  # and so it has looked for records already
    record(home, space="ana", uuid="of before")
    left = [put(home / "spaces" / name) for name in ("ana.index", "ana.sqlite3.damaged-1")]
    if finisher == "start":
        open_memory(space="ben").spaces()
    elif finisher == "doctor":
        assert all(one.sound for one in other.doctor() if one.check != "rights")
    elif finisher == "erase":
        assert other.erase("c").complete
    elif finisher == "everything":
        report = open_memory().erase(everything=True, prove=True)
        assert (report.complete, report.notes) == (True, (ALREADY_EMPTY,))
        assert set(map(str, left)) <= set(report.files)
    else:
        assert other.in_space("ana").add("begun anew").revision == 1

    assert [one for one in left if one.exists()] == []
    assert list((home / "erasing").iterdir()) == []
    with pytest.raises(NotFound):
        open_memory(space="nobody").erase(everything=True)


def test_an_erasure_that_was_not_begun_leaves_the_space_whole(
    memory: Memory, open_memory: Open, home: Path, space_of: Callable[[Memory], Space]
) -> None:
    uuid = space_of(memory).uuid
    memory.close()
    aside = put(home / "spaces" / "ana.sqlite3.damaged-1")
    kept = record(home, space="ana", uuid=uuid)

    assert {one.id for one in open_memory().list().items} == {"a", "b"}
    assert aside.exists()
    assert not kept.exists()


def test_another_space_that_was_made_in_its_place_stays(
    memory: Memory, open_memory: Open, home: Path
) -> None:
    memory.close()
    kept = record(home, space="ana", uuid="of before")

    assert {one.id for one in open_memory().list().items} == {"a", "b"}
    assert not kept.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"space": "../x", "uuid": ""}', '{"space": 1}'])
def test_a_torn_record_is_of_nothing_that_was_begun(
    memory: Memory, open_memory: Open, home: Path, text: str
) -> None:
    memory.close()
    torn = put(home / "erasing" / "abcdefgh", text)

    assert open_memory().spaces() == ("ana",)
    assert not torn.exists()


def test_an_erasure_that_goes_on_is_let_be_and_told_of(memory: Memory, home: Path) -> None:
    aside = put(home / "spaces" / "ana.sqlite3.damaged-1")
    command = [sys.executable, "-c", HOLDER, str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        said = {one.check: one for one in memory.doctor()}["erasures"]
        assert (said.sound, aside.exists()) == (False, True)
        assert "the erasure of 'ana' goes on" in said.detail
        other.communicate("\n")

    assert {one.check: one for one in memory.doctor()}["erasures"].sound


def test_what_is_left_of_a_space_goes_without_a_record_too(open_memory: Open, home: Path) -> None:
    left = [put(home / "spaces" / name) for name in ("ana.index", "ana.sqlite3.damaged-1")]

    report = open_memory().erase(everything=True, prove=True)

    assert (report.complete, report.items, report.notes) == (True, (), (ALREADY_EMPTY,))
    assert [one for one in left if one.exists()] == []


@pytest.mark.parametrize("finisher", ["compact", "doctor", "add"])
def test_an_erasure_of_items_that_was_broken_off_is_finished_by(
    memory: Memory, open_memory: Open, space_of: Callable[[Memory], Space], bytes_left: Left,
    finisher: str,
) -> None:  # fmt: skip
    space_of(memory).erase(["a"], at=memory._runtime.clock())
    memory.close()
    again = open_memory()
    if finisher == "add":
        again.add("another")
    else:
        getattr(again, finisher)()
    assert not space_of(again).is_sweep_due()
    again.close()

    assert bytes_left(SAID[4:20]) == []


def test_what_the_system_refuses_is_told_and_finished_later(
    memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = put(home / "spaces" / "ana.sqlite3.damaged-1")

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(home_files, "remove_durably", refuse)
        with pytest.raises(StoreFull, match="Operation not permitted"):
            memory.erase(everything=True)

    assert left.exists()
    assert memory.erase(everything=True, prove=True).complete
    assert not left.exists()


# ── what comes back, and what others remember ─────────────────────────────────────────────────


@pytest.fixture
def stale(memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The index snapshot of before an erasure, back again as after a power cut."""
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 0)
    memory.add("a mail", id="c", people=["Zora Quillfeather <zora@example.com>"], kind="email")
    memory.search("mail")
    memory.close()
    path = home / "spaces" / "ana.index"
    content = path.read_bytes()
    memory.erase("c")
    memory.search("lunch")
    path.write_bytes(content)
    return path


def test_an_index_of_before_an_erasure_is_reported_where_it_comes_back(
    memory: Memory, stale: Path
) -> None:
    found = {one.check: one for one in memory.verify()}["index snapshot"]

    assert not found.sound
    assert "of before an erasure" in found.detail
    memory.erase("nobody")
    assert not stale.exists()
    assert {one.check: one for one in memory.verify()}["index snapshot"].sound


def test_an_index_of_before_an_erasure_goes_when_the_space_is_opened(
    open_memory: Open, stale: Path
) -> None:
    assert len(open_memory().search("Quillfeather", mode="text")) == 0
    assert not stale.exists()


def test_another_process_forgets_with_its_next_question(
    memory: Memory, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[str] = []
    other = open_memory()
    embedder: Any = other._runtime.embedder
    monkeypatch.setattr(
        type(embedder), "forget_questions", lambda _: forgotten.append("questions"), raising=False
    )
    monkeypatch.setattr(
        type(other._runtime.working), "clear", lambda _, space: forgotten.append(space)
    )
    other.search("codeword")
    memory.erase("a")
    forgotten.clear()

    assert "a" not in [one.id for one in other.search("codeword")]
    assert forgotten == ["questions", "ana"]
    other.search("codeword")
    assert forgotten == ["questions", "ana"]


def test_doctor_names_what_is_not_of_the_engine(memory: Memory, home: Path) -> None:
    for n in range(7):
        put(home / "spaces" / f"notes {n}.txt")
    put(home / "elsewhere.txt")

    found = {one.check: one for one in memory.doctor()}["files of the home"]

    assert found.sound
    assert found.detail.startswith("not of Simonides: spaces/notes 0.txt, spaces/notes 1.txt")
    assert found.detail.endswith("and 2 more")
