"""An erasure is killed before each thing it asks of the disk: the next one leaves no byte anywhere.

One process forks the victims: each exits hard at its n-th act on the home's files, whatever code
does it (Python's own audit events, and each sync). What is left is looked at from outside, over
every file of the home.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

DRIVER = '''
import json, os, shutil, sys
from pathlib import Path
from simonides import Memory, Settings
from simonides.errors import NotFound
from simonides.index import snapshot

snapshot.CHUNKS_MIN = 0
PLAIN = Settings(embedder="none", timezone="UTC", timeout_s=2.0)
NEEDLES = (b"xyzzyplugh", b"Quillfeather")
base, how = Path(sys.argv[1]), sys.argv[2]
template, home = base / "template", base / "home"
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
ACTS = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link")


def memory(space, where=home):
    return Memory(where, space=space, settings=PLAIN)


def make():
    with memory("s", template) as one:
        one.add("the codeword is xyzzyplugh", id="a", kind="email",
                people=["Zora Quillfeather <zora@example.com>"])
        one.add("lunch on Monday", id="b")
        one.search("codeword")
    with memory("other", template) as one:
        one.add("of another space", id="c")
    spaces = template / "spaces"
    assert any(word in (spaces / "s.index").read_bytes() for word in NEEDLES)
    names = ["spaces/.simonides-abcdefgh", "spaces/.simonides-s-abcdefgh/space.sqlite3",
             "spaces/.index-s-abcdefgh", "uploads/4194305-00000000-0000000000000000/up.mbox"]
    if how == "everything":  # what a repair set aside stays where items are erased
        names += ["spaces/s.sqlite3.damaged-1", "spaces/s.sqlite3.damaged-1-wal"]
    for name in names:
        (template / name).parent.mkdir(parents=True, exist_ok=True)
        (template / name).write_bytes(b"... xyzzyplugh ...")


def erase():
    with memory("s") as one:
        given = {"everything": True} if how == "everything" else {}
        report = one.erase(*([] if given else ["a"]), **given)
        return {"complete": report.complete, "notes": report.notes}


def kill_at(n):
    counted = 0

    def act(name):
        nonlocal counted
        counted += 1
        if counted == n:
            print(json.dumps({"n": n, "at": name}), end=" ", flush=True)
            os._exit(9)

    def watch(event, arguments):
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & WRITES and str(path).startswith(str(home)):
                act(f"open {Path(path).name}")
        elif event in ACTS and (
            str(arguments[0]).startswith(str(home)) or not os.path.isabs(arguments[0])
        ):  # a relative one is of a folder that is removed with all that is in it
            act(f"{event} {Path(arguments[0]).name}")

    sync = os.fsync

    def synced(descriptor):
        act("fsync")
        sync(descriptor)

    os.fsync = synced
    sys.addaudithook(watch)


def in_child(work):
    """Return the exit status of a fork that does the work."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 70
    try:
        status = work() or 0
    except BaseException as error:
        print(json.dumps({"raised": repr(error)}), flush=True)
    finally:
        os._exit(status)


def victim(n):
    kill_at(n)
    erase()


def left():
    files = [one for one in home.rglob("*") if one.is_file()]
    return [str(one.relative_to(home)) for one in files
            if any(word in one.read_bytes() for word in NEEDLES)]


def look():
    """Begin anew as any process does, then erase again; say what that found and left."""
    said = {}
    if "at-once" in sys.argv:
        said["there"] = any(one.is_file() and one.name.startswith(("s.", ".index-s-"))
                            for one in home.rglob("*")) or any((home / "erasing").glob("*"))
        try:
            said["again"] = erase()
        except NotFound:
            said["again"] = None
        said["after_again"] = left()
        return print(json.dumps(said), flush=True)
    with memory("other") as one:
        names = one.spaces()
        said["others"] = [item.id for item in one.list().items]
        one.doctor()
    with memory("s") as one:
        there = {item.id for item in one.list().items}
        said["begun"] = ("a" not in there) if how == "item" else not there
        if how == "item":
            said["kept"] = "b" in there
            one.add("a word")
    said["after_start"] = left() if said["begun"] else []
    try:
        said["again"] = erase()
    except NotFound:
        said["again"] = None
    said["after_again"] = left()
    said["records"] = [one.name for one in (home / "erasing").glob("*")]
    print(json.dumps(said), flush=True)


def holding(work):
    """Do work while another process has the space open, having asked it something."""
    ready, done = os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        with memory("s") as one:
            one.search("codeword")
            os.write(ready[1], b"x")
            os.read(done[0], 1)
            os._exit(0)
    os.read(ready[0], 1)
    work()
    os.write(done[1], b"x")
    os.waitpid(pid, 0)
    for end in (*ready, *done):
        os.close(end)


make()
n = 0
while True:
    n += 1
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(template, home)
    status = []
    run = lambda: status.append(in_child(lambda: victim(n)))
    holding(run) if "held" in sys.argv else run()
    if status != [9]:
        print(json.dumps({"n": n, "at": "end", "status": status}), end=" ", flush=True)
    in_child(look)
    if status != [9]:
        break
'''


def rounds(folder: Path, *how: str) -> Iterator[dict[str, Any]]:
    """Yield what each round says: where it was killed, and what was found afterwards."""
    run = subprocess.run(
        [sys.executable, "-c", DRIVER, str(folder), *how], capture_output=True, text=True,
        timeout=500, check=True,
    )  # fmt: skip
    for line in run.stdout.splitlines():
        killed, _, looked = line.partition("} {")
        yield {**json.loads(killed + "}"), **json.loads("{" + looked)}


@pytest.mark.parametrize("how", [("everything",), ("everything", "held")])
def test_a_space_whose_erasure_was_killed_is_whole_or_gone_with_every_byte(
    tmp_path: Path, how: tuple[str, ...]
) -> None:
    reported = list(rounds(tmp_path, *how))

    assert len(reported) > 12
    assert reported[-1]["status"] == [0]
    assert [one for one in reported if "raised" in one] == []
    assert [one for one in reported if one["after_start"] or one["after_again"]] == []
    assert [one for one in reported if one["others"] != ["c"] or one["records"]] == []
    assert [one for one in reported if one["again"] and not one["again"]["complete"]] == []
    assert {one["begun"] for one in reported} == {True, False}


def test_who_erases_the_space_again_at_once_is_told_that_it_is_complete(tmp_path: Path) -> None:
    reported = list(rounds(tmp_path, "everything", "at-once"))

    assert len(reported) > 12
    assert [one for one in reported if one["after_again"]] == []
    assert [one for one in reported if one["there"] and not one["again"]] == []
    assert all(one["again"]["complete"] for one in reported if one["again"])
    assert reported[-1]["again"] is None


def test_an_erasure_of_an_item_that_was_killed_is_not_begun_or_finished_by_the_next_writer(
    tmp_path: Path,
) -> None:
    reported = list(rounds(tmp_path, "item"))

    assert len(reported) > 10
    assert reported[-1]["status"] == [0]
    assert [one for one in reported if "raised" in one] == []
    assert [one for one in reported if one["after_start"] or one["after_again"]] == []
    assert all(one["kept"] and one["others"] == ["c"] for one in reported)
    assert [one for one in reported if not one["again"]["complete"]] == []
