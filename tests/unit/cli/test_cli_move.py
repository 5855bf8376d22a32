"""`simonides move`: what it would do, progress, and places that are none."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simonides import (
    InvalidInput,
    Memory,
    MoveTarget,
    Settings,
    StoreError,
    move_space,
)
from simonides.api.places import place_of
from simonides.cli.options import Exit
from simonides.maintenance import move
from simonides_bench.testing.hashing import HashingEmbedder

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "here", space="alice", settings=settings) as memory:
        memory.add("Alpha is due on Friday.", id="alpha")
        memory.update("alpha", content="Alpha is due on Monday.")
        memory.add("Tea at five.")
    return tmp_path / "here"


@pytest.fixture
def say(home: Path, call_at_nine: Say) -> Say:
    """Return what runs `simonides move alice` and returns (exit status, stdout, stderr)."""
    return lambda *arguments: call_at_nine("move", "alice", *arguments, "--home", str(home))


def files(folder: Path) -> dict[str, int]:
    return {str(one): one.stat().st_size for one in folder.rglob("*") if one.suffix == ".sqlite3"}


def test_a_dry_run_says_what_would_be_done_and_makes_nothing(say: Say, tmp_path: Path) -> None:
    there = tmp_path / "there"
    status, out, _ = say("--to", str(there), "--dry-run", "--json")
    plan = json.loads(out)

    assert status == 0
    assert plan.pop("bytes") > 0
    assert plan == {
        "space": "alice", "source": str(tmp_path / "here"), "target": str(there), "revision": 3,
        "items": 2, "versions": 3, "chunks": 2, "vectors": 0, "found": "nothing",
        "removes_source": False,
    }  # fmt: skip
    assert not there.exists()


def test_a_dry_run_reads_like_a_sentence(say: Say, tmp_path: Path) -> None:
    there = tmp_path / "there"
    _, out, _ = say("--to", str(there), "--dry-run")

    assert f"would copy alice from {tmp_path / 'here'} to {there}" in out.replace("\n", " ")
    assert "2 items in 3 versions" in out
    assert "no vectors" in out
    assert "nothing of that name is there" in out
    assert "the source stays" in out
    say("--to", str(there))
    before = files(there)
    _, out, _ = say("--to", str(there), "--dry-run", "--remove-source")

    assert "an earlier copy is there" in out
    assert "the source is removed once both were compared" in out
    assert files(there) == before
    assert files(tmp_path / "here")


def test_what_removes_the_source_is_no_command_that_could_reach_the_copy(
    say: Say, tmp_path: Path
) -> None:
    _, _, err = say("--to", str(tmp_path / "there"))

    assert "the source stays" in err
    assert "the same command with --remove-source removes it" in err
    assert say("--to", str(tmp_path / "there"), "--remove-source")[0] == 0
    assert not files(tmp_path / "here")
    assert files(tmp_path / "there")


def test_a_dry_run_says_that_another_space_is_in_the_way(say: Say, tmp_path: Path) -> None:
    settings = Settings(embedder="none")
    with Memory(tmp_path / "there", space="alice", settings=settings) as other:
        other.add("I was here first.")
    status, out, _ = say("--to", str(tmp_path / "there"), "--dry-run", "--json")

    assert (status, json.loads(out)["found"]) == (0, "other")


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("mysql://host/x", "file://, postgres://, postgresql://; got mysql:…"),
        ("redis:/x", "got redis:…"),
        ("postgresql:memory", "got postgresql:…"),
        ("https://example.com/x", "must be the path of a home"),
        (r"C:\Users\alice", r"write ./C:\Users\alice"),
        ("c:/Users/alice", "is a path of Windows"),
        (r"\\server\share", "is a path of Windows"),
        ("file://server/share", "names no absolute path of this machine"),
        ("file:memory", "write file:///home/alice/memory"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="there such a path is one")
def test_what_is_no_place_is_refused_and_makes_nothing(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for more in ((), ("--dry-run",)):
        status, _, err = say("--to", to, *more)

        assert status == Exit.INVALID_INPUT
        assert said in " ".join(err.split())
        assert [one.name for one in tmp_path.iterdir()] == ["here"]


def test_a_dry_run_sees_that_a_file_is_in_the_way(say: Say, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for to in ("file", "file/there"):
        status, _, err = say("--to", str(tmp_path / to), "--dry-run")

        assert status != 0
        assert f"{tmp_path / 'file'} is a file" in " ".join(err.split())


def test_places_may_be_written_in_several_ways(tmp_path: Path) -> None:
    for to in (str(tmp_path / "a b"), tmp_path / "a b", f"file://{tmp_path}/a%20b",
               f"file://localhost{tmp_path}/a%20b", f"file:{tmp_path}/a b"):  # fmt: skip
        assert place_of(to).home == tmp_path / "a b", to
    assert place_of("notes:2026").home == Path("notes:2026")
    assert str(place_of("notes:2026")) == str(Path.cwd() / "notes:2026")
    assert str(place_of("postgresql://simonides@db/memory")) == "postgresql://simonides@db/memory"
    for wrong in (7, "", b"there", None):
        with pytest.raises(InvalidInput, match="to: must be a path or an address"):
            place_of(wrong)  # type: ignore[arg-type]


def test_a_space_is_not_moved_onto_itself(say: Say, home: Path) -> None:
    link = home.with_name("link")
    link.symlink_to(home)
    for to in (str(home), str(link), f"file://{home}"):
        for more in ((), ("--dry-run",), ("--remove-source",)):
            status, _, err = say("--to", to, *more)

            assert status == Exit.INVALID_INPUT
            assert "is where space 'alice' is already" in " ".join(err.split())
    with Memory(home, space="alice", settings=Settings(embedder="none")) as memory:
        assert memory.get("alpha").content == "Alpha is due on Monday."


def test_a_file_address_is_moved_to(say: Say, tmp_path: Path) -> None:
    status, out, _ = say("--to", f"file://{tmp_path}/there", "--json")

    assert (status, json.loads(out)["items"]) == (0, 2)
    assert files(tmp_path / "there")


def test_progress_is_reported_while_the_copy_is_made(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move, "TELL_EVERY", 1)
    seen: list[tuple[int, int]] = []
    with Memory(home, space="alice", settings=Settings(embedder="none")) as memory:
        report = move_space(memory, tmp_path / "there", on_progress=lambda *at: seen.append(at))

    assert report.rounds == 1
    assert seen == [(1, 3), (2, 3), (3, 3), (3, 3)]


def test_the_command_line_shows_progress(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[int, int]] = []
    monkeypatch.setattr(
        "simonides.cli.output.Meter.share", lambda _, done, total: shown.append((done, total))
    )
    say("--to", str(tmp_path / "there"))

    assert shown[-1] == (3, 3)


def test_a_plan_counts_the_vectors_that_go_along(tmp_path: Path) -> None:
    with Memory(
        tmp_path / "here", space="alice", embedder=HashingEmbedder(64), settings=Settings()
    ) as memory:
        memory.add(["Alpha is due on Friday.", "Tea at five."])
        plan = move_space(memory, tmp_path / "there", dry_run=True)

    assert (plan.chunks, plan.vectors, plan.found) == (2, 2, MoveTarget.NOTHING)


def test_a_plan_for_a_database_makes_no_table(home: Path, postgres_dsn: str) -> None:
    with Memory(home, space="alice", settings=Settings(embedder="none")) as memory:
        first = move_space(memory, postgres_dsn, dry_run=True)
        move_space(memory, postgres_dsn)
        second = move_space(memory, postgres_dsn, dry_run=True)

        assert (first.found, second.found) == (MoveTarget.NOTHING, MoveTarget.COPY)
        assert second.target == postgres_dsn


def test_a_plan_for_a_database_that_is_not_there_says_so(home: Path) -> None:
    settings = Settings(embedder="none", timeout_s=0.2)
    with Memory(home, space="alice", settings=settings) as memory, pytest.raises(StoreError):
        move_space(memory, "postgresql://nobody@127.0.0.1:9/none", dry_run=True)
