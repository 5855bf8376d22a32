"""Litestream replicates a home in use: what was acknowledged comes back from the replica."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.acceptance.object_storage import (
    ACCESS_KEY,
    SECRET_KEY,
    ObjectStorage,
    object_storage,
)

from simonides import Memory
from simonides.config import Settings
from simonides.errors import NotFound

PROGRAM = Path(sys.executable).with_name("litestream")
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "replicate.md"
WAIT_S = 60.0
SETTINGS = Settings(embedder="none", page_checksums=False, timeout_s=0.5)
LOG_PAGES = 1000
"""From so many on Litestream folds the log in (`min-checkpoint-page-count`)."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.exists(), reason="no wheel for this machine"),
]


def documented(home: Path, replica: Path, socket: Path) -> str:
    """Return the configuration of the page for these folders."""
    text = PAGE.read_text("utf-8").split("```yaml\n")[1].split("```")[0]
    for written, here in (("HOME", home), ("REPLICA", replica), ("SOCKET", socket)):
        assert f"/{written}" in text
        text = text.replace(f"/{written}", str(here))
    return text


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], check=False, capture_output=True, text=True
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def replica(tmp_path: Path) -> Path:
    return tmp_path / "replica"


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    with Memory(home, space="ana", settings=SETTINGS) as made:
        made.add("The ferry leaves at nine.", id="first")
        yield made


def environment_of_litestream(**more: str) -> dict[str, str]:
    """Return this environment without settings of other object storage, which it would follow."""
    here = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**here, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class Litestream:
    """A running Litestream, and its control socket."""

    program: subprocess.Popen[bytes]
    socket: Path
    home: Path
    written: Path

    def sync(self, space: str = "ana") -> None:
        """Wait until all that is committed is replicated."""
        file, until = self.home / "spaces" / f"{space}.sqlite3", time.monotonic() + WAIT_S
        while (done := run("sync", "-wait", "-socket", self.socket, file)).returncode:
            assert self.program.poll() is None
            assert time.monotonic() < until, done.stderr
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop it, and wait for its end."""
        self.program.terminate()
        self.program.wait(WAIT_S)

    @contextmanager
    def started_again(self) -> Iterator["Litestream"]:
        """Start it with the same configuration, until the end of the block."""
        with replicating(self.written, socket=self.socket, home=self.home) as made:
            yield made


@contextmanager
def replicating(
    written: Path, *, socket: Path, home: Path, **environment: str
) -> Iterator[Litestream]:
    """Run Litestream with a configuration."""
    with subprocess.Popen(
        [PROGRAM, "replicate", "-config", written], env=environment_of_litestream(**environment),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as program:  # fmt: skip
        made = Litestream(program=program, socket=socket, home=home, written=written)
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture
def litestream(home: Path, replica: Path, tmp_path: Path, memory: Memory) -> Iterator[Litestream]:
    """Run Litestream with the configuration of the page."""
    assert memory.spaces() == ("ana",)
    with tempfile.TemporaryDirectory(prefix="ls") as short:  # a socket's path may not be long
        socket, written = Path(short, "s"), tmp_path / "litestream.yml"
        written.write_text(documented(home, replica, socket), encoding="utf-8")
        with replicating(written, socket=socket, home=home) as made:
            yield made


def restored(replica: Path, into: Path, *arguments: str, space: str = "ana") -> Memory:
    """Return the memory of a new home that was restored from a replica."""
    (into / "spaces").mkdir(parents=True)
    file = into / "spaces" / f"{space}.sqlite3"
    done = run("restore", *arguments, "-o", file, f"file://{replica}/{file.name}")
    assert done.returncode == 0, done.stderr
    return Memory(into, space=space, settings=SETTINGS)


def test_what_was_acknowledged_is_restored_and_sound(
    memory: Memory, replica: Path, tmp_path: Path, litestream: Litestream
) -> None:
    litestream.sync()
    for at in range(3):  # far more than Litestream and we leave in the log
        memory.add([f"Line {at} {line}. " + "Rope and sail. " * 60 for line in range(LOG_PAGES)])
        litestream.sync()
    memory.add("The ferry leaves at ten.", id="last")
    litestream.sync()

    with restored(replica, tmp_path / "new") as again:
        assert again.get("last").content == "The ferry leaves at ten."
        assert again.stats().items == memory.stats().items == 3 * LOG_PAGES + 2
        assert [hit.item.id for hit in again.search("ferry ten", limit=1).hits] == ["last"]
        assert all(finding.sound for finding in again.verify())
    assert all(finding.sound for finding in memory.verify())


def test_a_space_that_is_made_later_is_replicated_too(
    memory: Memory, replica: Path, tmp_path: Path, litestream: Litestream
) -> None:
    with memory.in_space("bob") as bob:
        bob.add("Bob sings.", id="song")
        litestream.sync("bob")

    with restored(replica, tmp_path / "new", space="bob") as again:
        assert again.get("song").content == "Bob sings."


def test_a_space_is_restored_as_it_was_at_a_time(
    memory: Memory, replica: Path, tmp_path: Path, litestream: Litestream
) -> None:
    litestream.sync()
    before = datetime.now(UTC).isoformat(timespec="milliseconds")
    memory.forget("first")
    memory.add("Written by mistake.", id="mistake")
    litestream.sync()

    with restored(replica, tmp_path / "now") as again:
        assert {item.id for item in again.list().items} == {"mistake"}
    with restored(replica, tmp_path / "then", "-timestamp", before) as again:
        assert {item.id for item in again.list().items} == {"first"}
        assert all(finding.sound for finding in again.verify())


def kept_beside(home: Path) -> Path:
    """Return the folder in which Litestream keeps its changes of the space."""
    return home / "spaces" / ".ana.sqlite3-litestream"


def test_an_erasure_does_not_reach_the_replica_and_says_so(
    memory: Memory, home: Path, replica: Path, tmp_path: Path, litestream: Litestream
) -> None:
    litestream.sync()
    before = datetime.now(UTC).isoformat(timespec="milliseconds")
    report = memory.erase("first")
    assert report.items == ("first",)
    assert not report.complete
    assert any(str(kept_beside(home)) in note for note in report.notes)
    litestream.stop()

    assert not memory.erase("first").complete
    memory.close()
    files = (home / "spaces").glob("ana.*")
    assert [one.name for one in files if b"ferry" in one.read_bytes()] == []
    with restored(replica, tmp_path / "then", "-timestamp", before) as again:
        assert again.get("first").content == "The ferry leaves at nine."


def test_an_erasure_is_complete_when_folder_and_replica_are_removed_and_replication_goes_on(
    memory: Memory, home: Path, replica: Path, tmp_path: Path, litestream: Litestream
) -> None:
    memory.add("The boat leaves at six.", id="second")
    litestream.sync()
    memory.erase("first")
    litestream.stop()
    shutil.rmtree(kept_beside(home))
    shutil.rmtree(replica / "ana.sqlite3")

    assert memory.erase("first", prove=True).complete
    with litestream.started_again() as again:
        memory.add("The ship leaves at ten.", id="third")
        again.sync()
    with restored(replica, tmp_path / "now") as restored_memory:
        assert {item.id for item in restored_memory.list().items} == {"second", "third"}
        assert restored_memory.history("second")
        with pytest.raises(NotFound):
            restored_memory.history("first")


def test_an_erased_space_leaves_nothing_beside_it_and_says_that_its_replica_stays(
    memory: Memory, home: Path, litestream: Litestream
) -> None:
    litestream.sync()
    litestream.stop()
    report = memory.erase(everything=True, prove=True)

    assert report.complete
    assert any("its replica is not in this home" in note for note in report.notes)
    assert list((home / "spaces").iterdir()) == []


def replication(memory: Memory) -> list[tuple[bool, str]]:
    """Return what `doctor` finds of replication."""
    return [(one.sound, one.detail) for one in memory.doctor() if one.check == "replication"]


def test_doctor_says_that_a_space_is_replicated(
    memory: Memory, home: Path, litestream: Litestream
) -> None:
    assert replication(memory) == []
    litestream.sync()

    ((is_sound, detail),) = replication(memory)
    assert is_sound
    assert str(kept_beside(home)) in detail


def test_doctor_warns_where_litestream_is_beside_page_checksums(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory(home, space="ana", settings=Settings(embedder="none")) as checked:
        checked.add("The ferry leaves at nine.")
        (kept_beside(home) / "ltx" / "0").mkdir(parents=True)
        (kept_beside(home) / "ltx" / "0" / "0-1.ltx").write_bytes(b"LTX1")

        ((is_sound, detail),) = replication(checked)
        assert not is_sound
        assert "page_checksums = false" in detail


def test_a_restored_space_gets_checksums_where_they_are_wanted(
    replica: Path, tmp_path: Path, litestream: Litestream
) -> None:
    litestream.sync()
    restored(replica, tmp_path / "new").close()

    with Memory(tmp_path / "new", space="ana", settings=Settings(embedder="none")) as again:
        again.compact()
        assert again.stats().page_checksums
        assert all(finding.sound for finding in again.verify())


KEYS = {"LITESTREAM_ACCESS_KEY_ID": ACCESS_KEY, "LITESTREAM_SECRET_ACCESS_KEY": SECRET_KEY}


def for_objects(text: str, storage: ObjectStorage) -> str:
    """Return the configuration with the replica of the page's object storage, at this address."""
    replica = PAGE.read_text("utf-8").split("```yaml\n")[2].split("```")[0]
    here = f"      endpoint: {storage.url}\n      force-path-style: true\n"
    return text[: text.index("    replica:")] + replica + here


def restored_from(storage: ObjectStorage, into: Path, *arguments: str) -> Memory:
    """Return the memory of a new home that was restored from object storage."""
    (into / "spaces").mkdir(parents=True)
    file = into / "spaces" / "ana.sqlite3"
    how = f"endpoint={storage.url}&forcePathStyle=true&region=eu-central-1"
    done = subprocess.run(
        [PROGRAM, "restore", *arguments, "-o", file, f"s3://memory/spaces/{file.name}?{how}"],
        check=False, capture_output=True, text=True, env=environment_of_litestream(**KEYS),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Memory(into, space="ana", settings=SETTINGS)


def test_a_space_is_replicated_to_object_storage_and_restored_to_now_and_to_a_time(
    memory: Memory, home: Path, replica: Path, tmp_path: Path
) -> None:
    with object_storage() as storage, tempfile.TemporaryDirectory(prefix="ls") as short:
        socket, written = Path(short, "s"), tmp_path / "litestream.yml"
        text = for_objects(documented(home, replica, socket), storage)
        written.write_text(text, encoding="utf-8")
        with replicating(written, socket=socket, home=home, **KEYS) as litestream:
            litestream.sync()
            before = datetime.now(UTC).isoformat(timespec="milliseconds")
            memory.add([f"Line {line}. " + "Rope and sail. " * 60 for line in range(LOG_PAGES)])
            litestream.sync()
            memory.add("The ferry leaves at ten.", id="last")
            litestream.sync()

        assert all(one.startswith("memory/spaces/ana.sqlite3/") for one in storage.objects)
        assert not list(replica.glob("*"))
        with restored_from(storage, tmp_path / "now") as again:
            assert again.get("last").content == "The ferry leaves at ten."
            assert again.stats().items == LOG_PAGES + 2
            assert all(finding.sound for finding in again.verify())
        with restored_from(storage, tmp_path / "then", "-timestamp", before) as again:
            assert {item.id for item in again.list().items} == {"first"}
