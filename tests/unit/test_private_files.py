"""What a home consists of is its owner's alone, whoever makes it first and whatever the umask."""

import io
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.cli.main import run
from simonides.disk import make_private_folder, new_private_file, open_to_others
from simonides.http.app import make_app, make_server

SETTINGS = Settings(embedder="none", timezone="UTC")


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: Any) -> Iterator[int]:
    before = os.umask(request.param)
    try:
        yield request.param
    finally:
        os.umask(before)


def cli(*words: str) -> tuple[int, str]:
    """Return the status of a command and what it says."""
    out = io.StringIO()
    status = run(
        words, stdin=io.StringIO(), out=out, err=io.StringIO(), environment={}, open_memory=Memory
    )
    return status, out.getvalue()


def modes(home: Path) -> dict[str, int]:
    """Return the rights of a home and of all below it."""
    return {
        str(one.relative_to(home)): stat.S_IMODE(one.stat().st_mode)
        for one in (home, *home.rglob("*"))
    }


def assert_private(home: Path) -> None:
    """Every folder 0700, every file 0600."""
    found = modes(home)

    assert found
    for name, mode in found.items():
        assert mode == (0o700 if (home / name).is_dir() else 0o600), (name, oct(mode))
    assert open_to_others(home) == []


@pytest.mark.parametrize("rights", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_folders_and_what_leads_to_them_are_private(
    tmp_path: Path, umask: int, rights: int
) -> None:
    del umask  # it is set back afterwards
    os.umask(rights)
    make_private_folder(tmp_path / "a" / "b" / "c")
    make_private_folder(tmp_path / "a" / "b" / "c")
    with new_private_file(tmp_path / "a" / "b" / "x") as file:
        file.write(b"x")

    assert_private(tmp_path / "a")


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").touch()

    with pytest.raises(OSError, match=r"exists|directory"):
        make_private_folder(tmp_path / "x" / "y")
    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "x")
    with pytest.raises(FileExistsError):
        new_private_file(tmp_path / "x")


def test_the_first_act_may_be_a_write(tmp_path: Path, umask: int) -> None:
    del umask
    with Memory(tmp_path / "home", settings=SETTINGS) as memory:
        memory.add("x")
        memory.keys.create(space="default")
        memory.export(tmp_path / "home" / "out.jsonl")
        memory.backup(tmp_path / "home" / "copy.sqlite3")

        assert_private(tmp_path / "home")


def test_the_first_act_may_be_init(tmp_path: Path, umask: int) -> None:
    del umask
    assert cli("init", "--home", str(tmp_path / "new" / "home"))[0] == 0

    assert_private(tmp_path / "new")


def test_the_first_act_may_be_an_upload(tmp_path: Path, monkeypatch: Any, umask: int) -> None:
    from starlette.testclient import TestClient

    del umask
    home, seen = tmp_path / "home", {}
    memory = Memory(home, settings=SETTINGS)
    server = make_server(memory, uploads=home / "uploads")

    def begin(path: Path, **_: Any) -> Any:
        seen.update(modes(home))
        assert_private(home)
        raise RuntimeError(path.name)

    monkeypatch.setattr(server.imports, "begin", begin)
    with TestClient(
        make_app(server), base_url="http://localhost", client=("127.0.0.1", 5000)
    ) as client:  # fmt: skip
        client.post("/v1/imports", files={"file": ("a.md", b"# a")})

    assert any(name.endswith("a.md") for name in seen)


@pytest.mark.parametrize(
    ("name", "mode"), [(".", 0o755), ("spaces", 0o750), ("config.toml", 0o644)]
)
def test_the_doctor_says_what_others_may_read(tmp_path: Path, name: str, mode: int) -> None:
    home = tmp_path / "home"
    cli("init", "--home", str(home))
    with Memory(home, settings=SETTINGS) as memory:
        memory.add("x")
        before = memory.doctor()
        (home / name).chmod(mode)
        [found] = [one for one in memory.doctor() if one not in before]

    assert all(one.sound for one in before)
    assert (found.check, found.sound) == ("rights", False)
    assert str(home / name) in found.detail
    status, said = cli("doctor", "--home", str(home), "--embedder", "none")
    assert (status, "chmod -R go=" in said) == (8, True)


def test_a_link_out_of_the_home_is_not_followed(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    make_private_folder(home)
    other.mkdir()
    (other / "x").touch(mode=0o644)
    (home / "link").symlink_to(other)

    assert open_to_others(home) == []
    assert open_to_others(tmp_path / "nothing") == []


def test_no_other_place_in_the_sources_makes_a_folder_or_a_file_of_a_home() -> None:
    """So the kind cannot come back: access rights are set in one module."""
    source = Path(sys.modules["simonides"].__file__ or "").parent
    making = r"\.mkdir\(|write_text\(|write_bytes\(|open\(\"[xw]|os\.open\(.*O_CREAT"
    done = subprocess.run(
        ["grep", "-rlE", making,
         "--include=*.py", str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    found = {str(Path(one).relative_to(source)) for one in done.stdout.split()}
    assert found == {"disk/durable.py"}
